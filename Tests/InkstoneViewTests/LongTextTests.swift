import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing
import TextTestSupport

/// The cost of a key or a paste grows neither with the text around it nor with the text that does not fit.
@Suite(.timeLimit(.minutes(5))) struct LongTextTests {
    /// Returns the least of five measurements of this thread's processor time, in milliseconds.
    private static func least(_ body: () -> Void) -> Double {
        (0..<5).map { _ in
            let start = LargeText.processorTime
            body()
            return LargeText.processorTime - start
        }.min() ?? 0
    }

    /// Whether the time in a large text is about that in a small one, apart from effects of caches.
    private static func isAsLong(_ many: Double, as few: Double) -> Bool { many <= 20 * few + 1 }

    @Test func aPasteThatIsTooLongIsCutAtTheFirstCharacterThatDoesNotFit() {
        let scene = ViewScene("ab|cd")
        scene.view.options.maximumLength = 1000
        // Counting again for each excess character would take hours.
        scene.view.insertText(String(repeating: "x", count: 1 << 20))
        #expect(scene.view.text == "ab" + String(repeating: "x", count: 996) + "cd")
    }

    /// Characters that combine with their neighbours are counted in the combined text.
    @Test func pasteIsCutToTheLongestPrefixThatFits() {
        var random = SeededGenerator(seed: SeededGenerator.newSeed)
        print("maximum length: INKSTONE_SEED=\(random.seed) shows these texts again")
        let parts = ["a", "\u{301}", "👩", "\u{200d}", "🇩", "🇪", "ᄀ", "ᅡ", "क", "\u{94d}", "\r\n", "é"]
        var tried = 0
        while tried < 100 {
            func some(_ most: Int) -> String {
                (0..<Int.random(in: 0...most, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }
                    .joined()
            }
            let (before, after) = (some(4), some(4))
            // Inserted line ends are converted to the text's.
            let new = String(String.UnicodeScalarView(some(12).unicodeScalars.filter { $0 != "\r" }))
            let scene = ViewScene("|")
            scene.view.text = before + after
            let caret = UTF16Offset(before.utf16.count)
            // A caret within a character moves out of it.
            scene.view.select(Selection(anchor: caret, head: caret))
            let limit = Int.random(in: 0...10, using: &random)
            scene.view.options.maximumLength = limit
            var taken = new
            while !taken.isEmpty, (before + taken + after).count > limit { taken.removeLast() }
            guard scene.view.selection?.primary.head == caret else { continue }
            tried += 1
            scene.view.insertText(new)
            #expect(
                scene.view.text.unicodeScalars.elementsEqual((before + taken + after).unicodeScalars),
                "\(before.debugDescription) + \(new.debugDescription) + \(after.debugDescription), \(limit), seed \(random.seed)"
            )
        }
    }

    @Test func tabAsSpacesReadsOnlyTheTextNearTheCaret() {
        func time(_ length: Int) -> Double {
            let scene = ViewScene("|")
            scene.view.options.tabBehavior = .insertsSpaces(4)
            scene.view.text = String(repeating: "x", count: length)
            let end = UTF16Offset(length)
            return Self.least {
                scene.view.select(Selection(anchor: end, head: end))
                _ = scene.perform(.insertTab)
                #expect(scene.view.text.utf16.count % 4 == 0)
                scene.view.session.undo()
            }
        }
        let (few, many) = (time(10_001), time(2_000_001))
        #expect(Self.isAsLong(many, as: few), "\(many) ms, in a text of a two-hundredth \(few) ms")
    }

    @Test func givingACompositionUpComparesOnlyWhatWasComposed() {
        func time(_ length: Int) -> Double {
            let store = TextStore(Rope(String(repeating: "0123456789abcde\n", count: length / 16)))
            let changes = TextChanges { store.text }
            var received = 0
            let least = Self.least {
                for (range, text) in [(0..<0, "にほん"), (0..<3, "")] as [(Range<UTF16Offset>, String)] {
                    let applied = store.replace(range, with: text)
                    let change = changes.textDidChange(applied.changes, to: applied.text, isComposing: !text.isEmpty)
                    if change != nil { received += 1 }
                }
            }
            #expect(received == 0)
            return least
        }
        let (few, many) = (time(16 << 10), time(32 << 20))
        #expect(Self.isAsLong(many, as: few), "\(many) ms, in a text of a two-thousandth \(few) ms")
    }

    /// Unread changes are merged when they are read, not at each edit.
    @Test func changesInManyPlacesAreKeptInLittleTimeForAReaderThatPauses() async throws {
        func time(_ count: Int) async throws -> Double {
            let store = TextStore(Rope(String(repeating: "ab", count: count)))
            let changes = TextChanges { store.text }
            var reader = changes.changes.makeAsyncIterator()
            let edits = (0..<count).map { store.replace(UTF16Offset(3 * $0)..<UTF16Offset(3 * $0), with: "-") }
            let start = LargeText.processorTime
            for edit in edits { changes.textDidChange(edit.changes, to: edit.text, isComposing: false) }
            let time = LargeText.processorTime - start
            let all = try #require(try await reader.next())
            #expect(all.changes.count == count && all.text == store.text)
            #expect(all.changes.changeMap.first?.oldRange == 0..<0 && all.changes.newLength.utf16 == 3 * count)
            return time
        }
        let (few, many) = (try await time(1000), try await time(4000))
        print("changes that nobody reads: 1,000 in \(few) ms, 4,000 in \(many) ms")
        #expect(many < 9 * few)
    }
}
