import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import InkstoneView
import Observation
import Testing

/// Edits by the program during a composition, and the resulting notifications.
@Suite(.timeLimit(.minutes(5))) struct ProgramEditPropertyTests {
    /// Random edits outside of the marked text are applied at once and move it; those that touch it are applied
    /// after the composition, in order. The final text is as if all had been applied one after the other.
    @Test(arguments: 0..<40) func compositionsGoOnBesideEditsByTheProgram(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed) + 1)
        let scene = ViewScene("")
        let view = scene.view
        // Each letter occurs once, so that everything in the text can be found.
        var letters = (0..<40).map { String(Unicode.Scalar(UInt8(0x30 + $0))) }
        view.text = letters.joined()
        let place = Int.random(in: 0...letters.count, using: &random)
        view.select(Selection(caret: UTF16Offset(place)))
        var reported: [String] = []
        scene.onTextChange = { [unowned view] _ in reported.append(view.text) }
        let marked = "にほん"
        view.setMarkedText(marked, selectedRange: UTF16Range(location: 1, length: 1))
        letters.insert(contentsOf: marked.map(String.init), at: place)
        var reportedBefore = 0
        for step in 0..<12 {
            guard let start = letters.firstIndex(of: "に") else { return }
            let new = (0..<Int.random(in: 0...2, using: &random)).map {
                "\(Unicode.Scalar(UInt32(0x4e00 + step * 4 + $0)) ?? " ")"
            }
            let isBefore = Bool.random(using: &random)
            let low =
                isBefore
                ? Int.random(in: 0...start, using: &random)
                : Int.random(in: (start + 3)...letters.count, using: &random)
            let high = min(isBefore ? start : letters.count, low + Int.random(in: 0...2, using: &random))
            view.session.replaceText(in: UTF16Offset(low)..<UTF16Offset(high), with: new.joined())
            letters.replaceSubrange(low..<high, with: new)
            reportedBefore = reported.count
            #expect(view.text == letters.joined())
            #expect(
                view.markedText.map { view.text(in: view.range($0.range.lowerBound.value, $0.range.upperBound.value)) }
                    == marked)
            #expect(view.session.selectedText == "ほ")
        }
        #expect(reportedBefore == 0, "reported in mid-composition")
        // Two edits that touch the marked text, and a later one that does not.
        guard let start = letters.firstIndex(of: "に") else { return }
        view.session.replaceText(in: UTF16Offset(start + 1)..<UTF16Offset(start + 3), with: "W")
        view.session.replaceText(in: UTF16Offset(0)..<UTF16Offset(start), with: "")
        #expect(view.text == letters.joined())
        view.unmarkText()
        letters.replaceSubrange((start + 1)..<(start + 3), with: ["W"])
        letters.removeSubrange(0..<start)
        #expect(view.text == letters.joined())
        #expect(view.markedText == nil)
        // One notification for the composition with all edits applied meanwhile, and one for each waiting edit.
        #expect(reported.count == (start > 0 ? 3 : 2))
        #expect(reported.last == letters.joined())
    }

    @Test func aSequenceAndAnObservedPropertySpeakOnceForEachComposition() async throws {
        let scene = ViewScene("ab|")
        var changes = scene.view.session.changes.changes.makeAsyncIterator()
        var observed = 0
        func watch() {
            withObservationTracking {
                _ = scene.view.session.changes.revision.value
            } onChange: {
                MainCounter.shared.count += 1
            }
        }
        MainCounter.shared.count = 0
        watch()
        for text in ["に", "にh", "にほ"] {
            scene.view.setMarkedText(text, selectedRange: UTF16Range(location: text.utf16.count, length: 0))
        }
        observed = MainCounter.shared.count
        #expect(observed == 0)
        scene.view.insertText("日本", replacementRange: .notFound)
        #expect(MainCounter.shared.count == 1)
        #expect(scene.view.session.changes.revision.value == 2)
        #expect(try await changes.next()?.description == "2..<2 → 2..<4")
    }

    @Test func aHostThatEchoesEveryChangeDisturbsNothing() {
        let scene = ViewScene("|")
        scene.onTextChange = { [unowned view = scene.view] _ in view.text = view.text }
        var stored = ""
        for word in ["日本", "abc"] {
            for text in ["n", "に", "にh"] {
                scene.view.setMarkedText(text, selectedRange: UTF16Range(location: text.utf16.count, length: 0))
                // A reactive host may set its stored text at any time.
                scene.view.text = stored
                #expect(scene.view.markedText != nil)
            }
            scene.view.insertText(word, replacementRange: .notFound)
            stored += word
            #expect(scene.state.description == stored + "|")
        }
        #expect(scene.perform(.undo).description == "日本|")
        #expect(scene.perform(.undo).description == "|")
    }

    @Test func wordsOfScriptsWithoutBlanksAreSelectedByDoubleClicks() {
        for (text, word) in [("日本語の文章です", "文章"), ("我喜欢北京", "喜欢"), ("ภาษาไทยง่าย", "ไทย"), ("한국어 단어", "단어")] {
            let scene = ViewScene("|")
            scene.view.text = text
            guard let found = text.range(of: word) else { continue }
            let offset = text.utf16.distance(from: text.startIndex, to: found.lowerBound)
            let caret = scene.view.caretRect(for: scene.view.range(offset, offset).start)
            let point = ViewPoint(x: caret.minX + 5, y: caret.minY + caret.height / 2)
            scene.click(at: point, count: 2)
            #expect(scene.view.session.selectedText == word)
        }
    }

    @Test func theTokenizerIsKept() {
        let scene = ViewScene("one two|")
        #expect(scene.view.tokenizer === scene.view.tokenizer)
    }
}

private final class MainCounter: @unchecked Sendable {
    // View and observers run on the test's thread.
    static let shared = MainCounter()
    var count = 0
}

extension String {
    /// Returns the range of another string's first occurrence; nil if there is none.
    fileprivate func range(of other: String) -> Range<String.Index>? {
        indices.first { self[$0...].hasPrefix(other) }.map { $0..<index($0, offsetBy: other.count) }
    }
}
