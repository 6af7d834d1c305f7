import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

/// A paste whose text arrives late: text typed since stays, after it.
@Suite(.timeLimit(.minutes(5))) struct PasteTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var before: String
        var meanwhile: @Sendable (EditingScene) -> Void
        var after: String
        init(_ before: String, to after: String, _ meanwhile: @escaping @Sendable (EditingScene) -> Void) {
            (self.before, self.after, self.meanwhile) = (before, after, meanwhile)
        }
        var testDescription: String { "\(before) → \(after)" }
    }

    private static func type(_ text: String) -> @Sendable (EditingScene) -> Void {
        { scene in for letter in text { scene.make(scene.state.inserting(String(letter))) } }
    }

    @Test(arguments: [
        Case("a[bc|]d", to: "aP|d") { _ in },
        Case("a|d", to: "aP|d") { _ in },
        Case("a[|bc]d", to: "aPxy|d", type("xy")),
        Case("a|d", to: "aPxy|d", type("xy")),
        // The caret moved before anything was typed: the paste still replaces the old selection.
        Case("a[bc|]d", to: "xaPd|") { scene in
            scene.perform(.moveToBeginningOfDocument)
            type("x")(scene)
            scene.perform(.moveToEndOfDocument)
        },
        // Text typed within the range to be replaced stays.
        Case("a[bcde|]f", to: "aPx|f") { scene in
            scene.select(Selection(caret: 3))
            type("x")(scene)
        },
        Case("[a|] b [c|]", to: "P| b P|") { _ in },
        Case("[a|] b [c|]", to: "Px| b Px|", type("x")),
        // The part of the range that was deleted meanwhile is not restored.
        Case("a[bc|]d", to: "aP|d") { scene in scene.perform(.deleteBackward) },
    ])
    func textTypedDuringAPasteIsKept(_ test: Case) throws {
        let scene = EditingScene(test.before)
        let edit = scene.state.pasteToCome()
        scene.change(.deferring(edit))
        test.meanwhile(scene)
        let taken = scene.state.deferredEdit(edit.id)
        scene.change(.releasing(edit.id))
        var answered = try #require(taken)
        answered.content = CopiedText("P")
        scene.make(scene.state.paste(answered))
        #expect(scene.notation == test.after)
    }

    /// A text with all kinds of line ends; its own are CR LF.
    private static let mixed = "one\r\ntwo\n10%\r20%\rdone\nthree\r\n"

    private func bytes(_ state: EditorState) -> [UInt8] { state.text.bytes(in: state.text.byteRange) }

    @Test func textThatReturnsToItsOwnTextIsAsItWas() throws {
        let scene = EditingScene("|")
        scene.change(.newline("\r\n"))
        scene.store.replace(UTF16Offset(0)..<0, with: Rope(Self.mixed))
        scene.perform(.selectAll, .cut)
        #expect(scene.store.text.isEmpty)
        scene.perform(.yank)
        #expect(bytes(scene.state) == Array(Self.mixed.utf8))
        // Move a line, both through the clipboard and by a dropped copy.
        let line = UTF16Offset(5)..<9
        scene.select(Selection(anchor: line.lowerBound, head: line.upperBound))
        let copied = try #require(scene.state.selectedCopy)
        scene.perform(.cut)
        scene.select(Selection(caret: 0))
        scene.make(scene.state.pasting(copied))
        #expect(bytes(scene.state).starts(with: "two\none\r\n10%\r".utf8))
        scene.make(scene.state.dropping(copied, at: 0))
        #expect(bytes(scene.state).starts(with: "two\ntwo\none\r\n".utf8))
        // Kill text piece by piece, and up to the mark.
        let killing = EditingScene("|a\n")
        killing.change(.newline("\r\n"))
        killing.perform(.deleteToEndOfParagraph, .deleteToEndOfParagraph, .yank)
        #expect(bytes(killing.state) == Array("a\n".utf8))
        killing.select(Selection(caret: 0))
        killing.perform(.setMark, .moveToEndOfDocument, .deleteToMark, .yank)
        #expect(bytes(killing.state) == Array("a\n".utf8))
    }

    @Test func textOfAnotherTextTakesTheLineEndsOfThisOne() throws {
        let scene = EditingScene("|")
        scene.change(.newline("\r\n"))
        scene.store.replace(UTF16Offset(0)..<0, with: Rope(Self.mixed))
        scene.perform(.selectAll, .copy)
        let copied = try #require(scene.state.selectedCopy)
        let other = EditingScene("|")
        other.make(other.state.pasting(copied))
        #expect(bytes(other.state) == Array("one\ntwo\n10%\n20%\ndone\nthree\n".utf8))
        // A paste does not restore line ends that were converted meanwhile.
        scene.change(.newline("\n"))
        scene.perform(.yank)
        #expect(!bytes(scene.state).contains(0x0d))
    }
}
