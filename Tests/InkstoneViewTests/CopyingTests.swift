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

    /// Bytes that are no text in the encoding of their file could be other characters in another file.
    @Test func invalidBytesStayInTheirOwnText() throws {
        let bytes: [UInt8] = [0x61, 0xd5, 0x62, 0xe2, 0x82]
        let repaired = Array("a\u{fffd}b\u{fffd}".utf8)
        let (scene, other) = (ViewScene("x"), ViewScene("y"))
        func content(_ scene: ViewScene) -> [UInt8] { scene.view.store.text.bytes(in: scene.view.store.text.byteRange) }
        scene.view.store.replace(0..<1 as Range<ByteOffset>, with: Rope(bytes: bytes))
        scene.view.perform(.selectAll)
        scene.view.perform(.copy)
        let copied = try #require(scene.copiedText)
        let outgoing = copied.outgoing.content.rope
        #expect(outgoing.bytes(in: outgoing.byteRange) == repaired)
        scene.view.session.paste(copied)
        #expect(content(scene) == bytes)
        other.view.perform(.selectAll)
        other.view.session.paste(copied)
        #expect(content(other) == repaired)
        // The same view may show another file, or the same file in another encoding.
        scene.view.session.decoding = DocumentID()
        scene.view.perform(.selectAll)
        scene.view.session.paste(copied)
        #expect(content(scene) == repaired)
        // Killed and dropped text is copied in the same way.
        scene.view.session.killBuffer.keep(copied)
        scene.view.perform(.selectAll)
        scene.view.perform(.yank)
        #expect(content(scene) == repaired)
        other.view.perform(.selectAll)
        other.view.perform(.deleteBackward)
        let place = other.view.session.deferDrop(at: 0)
        #expect(other.view.session.drop(copied, for: place))
        #expect(content(other) == repaired)
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
