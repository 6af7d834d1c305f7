import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// The contents of a copy, and the times at which the host is notified of a selection by the user.
@Suite(.timeLimit(.minutes(5))) struct CopyingTests {
    @Test func piecesOfSeveralRangesFollowTheCopyAndNotItsText() throws {
        let scene = ViewScene("one\ntwo\nthree")
        let select = { (ranges: [(Int, Int)]) in
            scene.view.select(
                Selection(ranges.map { SelectionRange(anchor: UTF16Offset($0.0), head: UTF16Offset($0.1)) }))
        }
        // The first piece contains a line end.
        select([(0, 5), (8, 13)])
        scene.view.perform(.copy)
        let copied = try #require(scene.copiedText)
        #expect(copied.text == "one\nt\nthree" && copied.pieces == [StyledText("one\nt"), StyledText("three")])
        select([(3, 3), (7, 7)])
        scene.view.session.paste(copied)
        #expect(scene.view.text == "oneone\nt\ntwothree\nthree")
        scene.view.session.undo()
        // The same text from another program has three lines for two ranges, so each range gets all of it.
        select([(3, 3), (7, 7)])
        scene.view.session.paste(copied.text)
        #expect(scene.view.text == "oneone\nt\nthree\ntwoone\nt\nthree\nthree")
        scene.view.session.undo()
        // Yank inserts the copy too, until other text is killed.
        select([(3, 3), (7, 7)])
        scene.view.perform(.yank)
        #expect(scene.view.text == "oneone\nt\ntwothree\nthree")
        scene.view.session.undo()
        scene.view.session.killBuffer.keep(CopiedText(copied.text))
        select([(3, 3), (7, 7)])
        scene.view.perform(.yank)
        #expect(scene.view.text == "oneone\nt\nthree\ntwoone\nt\nthree\nthree")
    }

    @Test func onlyTheUserSelects() {
        let scene = ViewScene("one |two one")
        scene.view.perform(.moveWordRightAndModifySelection)
        #expect(scene.keySelections == 1)
        scene.view.perform(.moveRightAndModifySelection)
        #expect(scene.keySelections == 2)
        scene.view.perform(.moveLeft)
        scene.view.perform(.deleteBackward)
        #expect(scene.keySelections == 2, "nothing is selected any more")
        scene.view.perform(.undo)
        scene.view.select(Selection(anchor: 0, head: 3))
        scene.view.session.replaceText(in: 0..<1, with: "O")
        #expect(scene.keySelections == 2, "neither undoing nor the program")
        scene.view.perform(.selectAll)
        #expect(scene.keySelections == 3)
        scene.view.perform(.selectAll)
        #expect(scene.keySelections == 3, "nothing new is selected")
    }
}
