import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// Killing words, lines, paragraphs and the text up to the mark, and yanking it.
@Suite(.timeLimit(.minutes(5))) struct KillingTests {
    @Test(arguments: [
        CommandCase("|one two", .deleteWordForward, .moveToEndOfDocument, .yank, to: " twoone|"),
        CommandCase("one two|", .deleteWordBackward, .moveToBeginningOfDocument, .yank, to: "two|one "),
        CommandCase("one t|wo", .deleteToBeginningOfLine, .moveToEndOfLine, .yank, to: "woone t|"),
        CommandCase("one t|wo", .deleteToEndOfLine, .moveToBeginningOfLine, .yank, to: "wo|one t"),
        CommandCase("x\none t|wo", .deleteToBeginningOfParagraph, .yank, .yank, to: "x\none tone t|wo"),
        CommandCase("x\none t|wo", .deleteToEndOfParagraph, .yank, .yank, to: "x\none twowo|"),
        CommandCase("|one", .setMark, .moveWordForward, .deleteToMark, .yank, .yank, to: "oneone|"),
        CommandCase("[one two|]", .deleteWordForward, .yank, .yank, to: "one twoone two|"),
        CommandCase("[one|] two", .cut, .moveToEndOfDocument, .yank, to: " twoone|"),
        CommandCase("[one|] two", .copy, .moveToEndOfDocument, .yank, to: "one twoone|"),
        // Deleted characters are not killed.
        CommandCase("|one two", .deleteWordForward, .deleteForward, .deleteBackward, .yank, to: "one|two"),
    ])
    func cutOffTextIsYankedBack(_ c: CommandCase) {
        let scene = ViewScene(c.before)
        for command in c.commands { scene.view.perform(command) }
        #expect(scene.state == c.after)
    }

    @Test(arguments: [
        CommandCase("|one two three", .deleteWordForward, .deleteWordForward, .yank, to: "one two| three"),
        CommandCase("one two three|", .deleteWordBackward, .deleteWordBackward, .yank, to: "one two three|"),
        CommandCase("one t|wo three", .deleteWordForward, .deleteWordBackward, .yank, to: "one two| three"),
        CommandCase(
            "a|b\ncd\ne", .deleteToEndOfParagraph, .deleteToEndOfParagraph, .deleteToEndOfParagraph, .yank,
            to: "ab\ncd|\ne"),
        // Any other command ends the sequence of kills, even if the caret returns to its position.
        CommandCase(
            "|one two three", .deleteWordForward, .moveRight, .moveLeft, .deleteWordForward, .yank, to: " two| three"),
        CommandCase("|one two three", .deleteWordForward, .noop, .deleteWordForward, .yank, to: " two| three"),
        CommandCase("|one two three", .deleteWordForward, .yank, .deleteWordForward, .yank, to: "one two| three"),
    ])
    func consecutiveCutsAreGathered(_ c: CommandCase) {
        let scene = ViewScene(c.before)
        for command in c.commands { scene.view.perform(command) }
        #expect(scene.state == c.after)
    }

    @Test func aClickATypedLetterOrAnEditByTheProgramBeginsAnew() {
        for (between, expected) in [
            ({ $0.select(Selection(caret: 4)) }, " two"), ({ $0.insertText("x") }, " two"),
            ({ $0.session.replaceText(in: 0..<0, with: "x") }, " two"), ({ _ in }, "one two"),
        ] as [((EditorView) -> Void, String)] {
            let scene = ViewScene("|one two three four")
            scene.view.perform(.deleteWordForward)
            between(scene.view)
            if scene.view.selection?.head == 4 { scene.view.select(Selection(caret: 0)) }
            scene.view.perform(.deleteWordForward)
            #expect(scene.view.session.killBuffer.text == expected)
        }
    }

    @Test func viewsThatShareABufferYankEachOthersTextAndDoNotMixIt() {
        let (a, b) = (ViewScene("|one two"), ViewScene("|three four"))
        b.view.session.killBuffer = a.view.session.killBuffer
        a.view.perform(.deleteWordForward)
        b.view.perform(.deleteWordForward)
        a.view.perform(.deleteWordForward)
        #expect(a.view.session.killBuffer.text == " two")
        #expect(b.perform(.yank) == " two| four")
    }

    @Test func textCutInASecureViewIsNotKept() {
        let scene = ViewScene("|")
        scene.view.session.killBuffer.keep(CopiedText("before"))
        scene.view.options.isSecureTextEntry = true
        for command in [
            EditCommand.deleteWordForward, .deleteWordBackward, .deleteToBeginningOfLine, .deleteToEndOfLine,
            .deleteToBeginningOfParagraph, .deleteToEndOfParagraph, .deleteToMark, .cut, .copy,
        ] {
            for place in [0, 3, 7] {
                scene.view.text = "my secret"
                scene.view.select(Selection(caret: 9))
                scene.view.perform(.setMark)
                scene.view.select(Selection(anchor: 0, head: UTF16Offset(place)))
                if place == 7 { scene.view.select(Selection(caret: 5)) }
                scene.view.perform(command)
                #expect(scene.view.session.killBuffer.text == "before", "\(command) at \(place)")
            }
        }
        // Text deleted in a secure view is not appended to earlier killed text, nor later text to it.
        let other = ViewScene("|one two")
        other.view.perform(.deleteWordForward)
        other.view.options.isSecureTextEntry = true
        other.view.perform(.deleteWordForward)
        #expect(other.view.text.isEmpty && other.view.session.killBuffer.text == "one")
        #expect(other.perform(.yank).description == "one|", "it may be typed into one")
    }

    @Test func aRefusedDeletionKeepsNothing() {
        final class Refusing: EditingSessionDelegate {
            func session(
                _ session: EditingSession, shouldChangeTextIn range: Range<UTF16Offset>, replacementText text: String
            ) -> Bool { false }
        }
        let scene = ViewScene("|one two")
        let delegate = Refusing()
        scene.view.session.delegate = delegate
        scene.view.perform(.deleteWordForward)
        #expect(scene.view.session.killBuffer.text.isEmpty && !scene.view.canPerformAction(.yank, withSender: nil))
        #expect(scene.view.text == "one two")
    }

    @Test func linesThatAreYankedEndAsThoseOfTheText() {
        let scene = ViewScene("|")
        scene.view.session.newline = "\r\n"
        scene.view.session.killBuffer.keep(CopiedText("a\nb"))
        scene.view.perform(.yank)
        #expect(scene.view.text == "a\r\nb")
        let line = ViewScene("|")
        line.view.options.isSingleLine = true
        line.view.session.killBuffer.keep(CopiedText("a\nb"))
        line.view.perform(.yank)
        #expect(line.view.text == "a b")
    }

    /// Rendering attributes are not part of the text: neither copies nor undo include them.
    @Test func renderingAttributesAreNeitherCopiedNorUndone() {
        let scene = ViewScene("one [two|] three")
        let appearance = RenderingAttributes(foreground: .white, underline: .wavy)
        func marked() -> [String] {
            scene.view.decorations(in: .rendering).runs(in: scene.view.textRange).map {
                scene.view.layout.store.text.string(in: $0.range)
            }
        }
        scene.view.addDecorations([4..<7], attributes: appearance, in: .rendering)
        scene.view.perform(.copy)
        #expect(scene.copied == "two")
        _ = scene.perform(.moveToEndOfDocument, .yank)
        #expect(scene.state == "one two threetwo|" && marked() == ["two"])
        scene.view.session.paste(scene.copied ?? "")
        #expect(scene.state == "one two threetwotwo|" && marked() == ["two"])
        _ = scene.perform(.moveToBeginningOfDocument)
        scene.view.session.paste("0 ")
        #expect(marked() == ["two"])
        let runs = { scene.view.decorations(in: .rendering).runs(in: scene.view.textRange).map(\.range) }
        #expect(runs() == [6..<9])
        func text() -> String { scene.state.description.filter { !"[|]".contains($0) } }
        for _ in 0..<4 where text() != "one two three" { scene.view.perform(.undo) }
        #expect(text() == "one two three")
        #expect(runs() == [4..<7])
        // Killed and yanked text has no rendering attributes.
        scene.view.select(Selection(anchor: 4, head: 7))
        _ = scene.perform(.cut, .yank)
        #expect(marked().isEmpty)
    }
}
