import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// Every command has an effect; indentation, overwriting, writing directions.
@Suite(.timeLimit(.minutes(5))) struct CommandTests {
    /// Commands that the window, its program or a host performs; the text view performs all others.
    private static let others: Set<EditCommand> = [
        .selectNextKeyView, .selectPreviousKeyView, .newDocument, .openDocument, .saveDocument, .saveDocumentAs,
        .performClose, .terminate, .makeTextLarger, .makeTextSmaller, .makeTextStandardSize, .showHelp, .printDocument,
        .find,
        .findAndReplace, .findOrNext, .findNext, .findPrevious, .findPrimary, .goToLine, .showContextMenu, .toggleLoupe,
        .insertCharacterByCode, .openRecentDocument, .showMenu, .toggleFullScreen,
    ]

    @Test func everyCommandThatHasANameIsPerformed() {
        for command in EditCommand.all where !Self.others.contains(command) {
            let scene = ViewScene("one two\n  thr[ee|] four\nfive")
            let view = scene.view
            view.insertText("x")
            switch command {
            case .redo: view.session.undo()
            case .yank: view.session.killBuffer.keep(CopiedText("x"))
            case .copy, .cut, .cancelOperation, .sortLines: view.perform(.selectAll)
            case .openLink:
                view.onOpenLink = { _ in }
                view.reset()
                view.append(StyledText(Rope("here"), TextAttributes(LinkAttribute.self, "https://example.org")))
                view.perform(.moveToBeginningOfDocument)
            case .selectToMark, .swapWithMark, .deleteToMark: view.perform(.setMark)
            default: break
            }
            #expect(view.perform(command), "\(command)")
        }
        #expect(Set(EditCommand.all).count == EditCommand.all.count)
    }

    @Test func everyStandardTableNamesPerformedCommandsOnly() {
        for table in [KeyBindingTable.desktop, .emacs] {
            for command in table.bindings.flatMap(\.commands) {
                #expect(EditCommand.all.contains(command), "\(command)")
            }
        }
    }

    @Test(arguments: [
        CommandCase("o|ne", .indent, to: "\to|ne"),
        CommandCase("|", .indent, to: "\t|"),
        CommandCase("one\n|two", .indent, to: "one\n\t|two"),
        CommandCase("x\n[one\n\ntwo\n|]three", .indent, to: "x\n[\tone\n\n\ttwo\n|]three"),
        CommandCase("x\no[|ne\r\ntw]o", .indent, to: "x\n\to[|ne\r\n\ttw]o"),
        CommandCase("\to|ne", .outdent, to: "o|ne"),
        CommandCase("\t\to|ne", .insertBacktab, to: "\to|ne"),
        CommandCase("   |  one", .outdent, to: "|one"),
        CommandCase("         |one", .outdent, to: " |one"),
        CommandCase("  \t|one", .outdent, to: "|one"),
        CommandCase("o|ne", .outdent, to: "o|ne"),
        CommandCase("[\tone\n  two\nthree|]", .outdent, to: "[one\ntwo\nthree|]"),
        CommandCase("[one\ntwo|]", .indent, .outdent, to: "[one\ntwo|]"),
        CommandCase("[one\ntwo|]", .indent, .undo, to: "[one\ntwo|]"),
    ])
    func paragraphsAreShiftedByATab(_ c: CommandCase) {
        let scene = ViewScene(c.before)
        for command in c.commands { #expect(scene.view.perform(command)) }
        #expect(scene.state == c.after)
    }

    @Test(arguments: [
        CommandCase("o|ne", .indent, to: "    o|ne"),
        CommandCase("      o|ne", .outdent, .outdent, .outdent, to: "o|ne"),
        CommandCase("\to|ne", .insertBacktab, to: "o|ne"),
    ])
    func paragraphsAreShiftedByBlanksWhereTabTypesThem(_ c: CommandCase) {
        let scene = ViewScene(c.before)
        scene.view.options.tabBehavior = .insertsSpaces(4)
        for command in c.commands { scene.view.perform(command) }
        #expect(scene.state == c.after)
    }

    @Test func shiftingIsTheTextsOnlyWhereTabIsAndKeepsInvalidBytes() {
        let scene = ViewScene("o|ne")
        scene.view.options.tabBehavior = .movesFocus
        #expect(!scene.view.perform(.insertBacktab))
        scene.view.options = TextInputOptions()
        scene.view.options.isSingleLine = true
        #expect(!scene.view.perform(.insertBacktab) && !scene.view.perform(.indent) && scene.view.text == "one")
        let bytes = ViewScene("|")
        bytes.view.store.replace(0..<0 as Range<ByteOffset>, with: Rope(bytes: [0x61, 0xff, 0x0a, 0xfe]))
        bytes.view.perform(.selectAll)
        bytes.view.perform(.indent)
        #expect(
            bytes.view.store.text.bytes(in: bytes.view.store.text.byteRange) == [0x09, 0x61, 0xff, 0x0a, 0x09, 0xfe])
    }

    // MARK: Overwriting

    @Test func typedTextReplacesTheCharacterBehindTheCaret() {
        let scene = ViewScene("|one\ntwo")
        scene.view.perform(.toggleOverwriteMode)
        for letter in ["日", "e\u{301}", "x", "y"] { scene.view.insertText(letter) }
        #expect(scene.state.description == "日e\u{301}xy|\ntwo")
        scene.view.perform(.undo)
        #expect(scene.view.text == "one\ntwo", "a typed run is one step")
        scene.view.select(Selection(caret: 0))
        scene.view.insertText("ab", replacementRange: .notFound)
        #expect(scene.state.description == "ab|e\ntwo")
        scene.view.insertText("\n")
        scene.view.session.paste("c")
        #expect(scene.state.description == "ab\nc|e\ntwo")
        scene.view.select(Selection(anchor: 0, head: 1))
        scene.view.insertText("x")
        #expect(scene.state.description == "x|b\nce\ntwo", "a selection is all that goes")
        scene.view.insertText("y", replacementRange: UTF16Range(location: 0, length: 0))
        #expect(scene.state.description == "y|xb\nce\ntwo", "so is a range that is named")
        scene.view.perform(.toggleOverwriteMode)
        scene.view.insertText("z")
        #expect(scene.state.description == "yz|xb\nce\ntwo")
    }

    @Test func aCompositionOverwritesWhenItIsCommitted() {
        let scene = ViewScene("a|bcdef")
        scene.view.session.isOverwriting = true
        scene.view.setMarkedText("にほん", selectedRange: UTF16Range(location: 3, length: 0))
        #expect(scene.view.text == "aにほんbcdef")
        scene.view.insertText("日本", replacementRange: .notFound)
        #expect(scene.state.description == "a日本|def")
        scene.view.perform(.undo)
        #expect(scene.view.text == "abcdef")
        // A composition that is kept as it is overwrites nothing.
        scene.view.setMarkedText("に", selectedRange: UTF16Range(location: 1, length: 0))
        scene.view.unmarkText()
        #expect(scene.view.text == "aにbcdef")
    }

    @Test func aFullFieldIsOverwrittenAndARefusalTakesNothing() {
        let scene = ViewScene("|abc")
        scene.view.options.maximumLength = 3
        scene.view.session.isOverwriting = true
        scene.view.insertText("x")
        scene.view.setMarkedText("y", selectedRange: UTF16Range(location: 1, length: 0))
        scene.view.insertText("z", replacementRange: .notFound)
        #expect(scene.state.description == "xz|c")
        final class Refusing: EditingSessionDelegate {
            func session(
                _ session: EditingSession, shouldChangeTextIn range: Range<UTF16Offset>, replacementText text: String
            ) -> Bool { false }
        }
        let delegate = Refusing()
        scene.view.session.delegate = delegate
        scene.view.insertText("q")
        scene.view.setMarkedText("y", selectedRange: UTF16Range(location: 1, length: 0))
        scene.view.insertText("z", replacementRange: .notFound)
        #expect(scene.state.description == "xz|c")
    }

    @Test func theCaretShowsWhatIsReplacedNext() {
        let scene = ViewScene("a|bc\nd")
        func carets() -> [WindowRect] { scene.paint().fills(scene.view.theme.caret) }
        let plain = carets()
        #expect(plain.count == 1)
        scene.damage = []
        scene.view.perform(.toggleOverwriteMode)
        #expect(!scene.damage.isEmpty)
        let both = carets()
        #expect(both.count == 2 && both.first == plain.first)
        #expect(both.last.map { $0.height < $0.width && $0.maxY == plain[0].maxY } == true)
        // At the end of a paragraph there is no character to overwrite, so the caret has its usual shape.
        scene.view.perform(.moveToEndOfLine)
        #expect(carets().count == 1)
    }

    // MARK: Directions

    @Test func directionsAreThoseOfTheWholeText() {
        let scene = ViewScene("one|\ntwo")
        #expect(scene.view.perform(.makeBaseWritingDirectionRightToLeft))
        #expect(scene.view.options.baseWritingDirection == .rightToLeft)
        #expect(scene.view.baseWritingDirection(for: scene.view.endOfDocument, in: .forward) == .rightToLeft)
        scene.view.perform(.makeBaseWritingDirectionLeftToRight)
        #expect(scene.view.options.baseWritingDirection == .leftToRight)
        scene.view.setBaseWritingDirection(.natural, for: scene.view.range(0, 1))
        #expect(scene.view.options.baseWritingDirection == .natural && scene.state.description == "one|\ntwo")
    }

    // MARK: PRIMARY

    @Test func primaryIsRequestedUnlessTheViewIsReadOnly() {
        let scene = ViewScene("a|")
        scene.view.perform(.pasteSelection)
        scene.view.perform(.paste)
        scene.view.isEditable = false
        #expect(!scene.view.perform(.pasteSelection))
        #expect(scene.pasteRequests == ["selection", "clipboard"])
    }
}
