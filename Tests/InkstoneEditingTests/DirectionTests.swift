import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText
import Testing

/// Arrow keys between paragraphs of different directions, and the direction of empty paragraphs.
@Suite(.timeLimit(.minutes(5))) struct DirectionTests {
    /// Repeats a move until the caret stays; returns the offsets.
    private func walk(_ scene: EditingScene, _ command: EditCommand) -> [Int] {
        var places = [scene.state.primary.head.value]
        for _ in 0..<100 {
            scene.perform(command)
            let next = scene.state.primary.head.value
            if next == places.last { break }
            places.append(next)
        }
        return places
    }

    @Test(arguments: ["abc\nאבג\ndef", "abc\nאבג\nדהו\n\ndef", "אבג\ndef\nדהו", "abc\nא b ג\ndef", "אבג\n\nabc"])
    func arrowsGoThroughParagraphsOfEitherDirection(_ text: String) {
        let first = EditingScene("|" + text)
        let isRightToLeft = first.geometry.isParagraphRightToLeft(at: 0)
        let (onward, back): (EditCommand, EditCommand) =
            isRightToLeft ? (.moveLeft, .moveRight) : (.moveRight, .moveLeft)
        let there = walk(first, onward)
        #expect(there == Array(0...text.utf16.count), "\(there)")
        // The opposite moves return through the same offsets.
        #expect(walk(first, back) == there.reversed())
        // Moves by words reach the end too.
        let words = EditingScene("|" + text)
        #expect(walk(words, isRightToLeft ? .moveWordLeft : .moveWordRight).last == text.utf16.count)
    }

    /// A click or a vertical move ends the logical order of arrow keys; they then follow the visual order of the
    /// caret's line.
    @Test func anyOtherMoveForgetsTheSenseOfTheArrows() {
        let scene = EditingScene("ab|\nאבג\nde")
        scene.perform(.moveRight, .moveRight)
        #expect(scene.state.primary.head == 4 && scene.state.primary.place.rightIsForward == true)
        scene.select(Selection(caret: 4))
        scene.perform(.moveRight)
        #expect(scene.state.primary.head == 3)
        scene.perform(.moveLeft, .moveDown)
        #expect(scene.state.primary.place.rightIsForward == nil)
    }

    @Test func anEmptyParagraphRunsAsTheOneBeforeIt() {
        let scene = EditingScene("אבג|")
        scene.perform(.insertNewline)
        let empty = scene.geometry.caretRect(at: 4)
        #expect(empty.minX > 300 && scene.geometry.isParagraphRightToLeft(at: 4))
        scene.perform(.insertNewline)
        #expect(scene.geometry.caretRect(at: 5).minX == empty.minX)
        // Typed text appears at the empty paragraph's caret.
        scene.make(scene.state.inserting("ד"))
        #expect(scene.geometry.caretRect(at: 5).minX == empty.minX)
        // Text of another direction changes only its own paragraph and the empty ones after it.
        let turned = EditingScene("אבג\n|\n\n")
        #expect((4...6).allSatisfy { turned.geometry.isParagraphRightToLeft(at: UTF16Offset($0)) })
        turned.make(turned.state.inserting("a"))
        #expect((4...7).allSatisfy { !turned.geometry.isParagraphRightToLeft(at: UTF16Offset($0)) })
        turned.perform(.deleteBackward)
        #expect((4...6).allSatisfy { turned.geometry.isParagraphRightToLeft(at: UTF16Offset($0)) })
        #expect(!EditingScene("|").geometry.isParagraphRightToLeft(at: 0))
        // Also after an empty paragraph that was never laid out.
        let partial = EditingScene("אב\n\n|")
        #expect(partial.geometry.isParagraphRightToLeft(at: 4))
        partial.store.replace(UTF16Offset(0)..<UTF16Offset(2), with: "ab", origin: .program)
        #expect(!partial.geometry.isParagraphRightToLeft(at: 4))
    }

    /// Random edits: an updated layout gives each empty paragraph the same direction as a new layout.
    @Test func emptyParagraphsFollowEveryEdit() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<100 {
            let scene = EditingScene("אב\n\n\nab\n\n")
            for _ in 0..<8 {
                let length = scene.store.text.metrics.utf16
                let low = Int.random(in: 0...length, using: &random)
                let high = min(length, low + Int.random(in: 0...2, using: &random))
                let new = ["", "\n", "א", "a", "\n\n", "ב\n"].randomElement(using: &random) ?? ""
                scene.store.replace(UTF16Offset(low)..<UTF16Offset(high), with: new, origin: .program)
                let text = scene.state.string(in: scene.state.textRange)
                let fresh = EditingScene(text)
                for offset in 0...text.utf16.count {
                    let (a, b) = (
                        scene.geometry.caretRect(at: UTF16Offset(offset)),
                        fresh.geometry.caretRect(at: UTF16Offset(offset))
                    )
                    #expect(a == b, "\(text.debugDescription) at \(offset)")
                }
            }
        }
    }
}
