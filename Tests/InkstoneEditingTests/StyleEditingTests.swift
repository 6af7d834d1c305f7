import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

/// The effects of typing, deleting, Return, pasting and commands on styles.
@Suite(.timeLimit(.minutes(5))) struct StyleEditingTests {
    private static let address = "https://example.com"

    /// Shows each unit's style: `b` bold, `L` link, `B` both, `.` neither.
    private func styles(_ scene: EditingScene) -> String {
        let text = scene.store.styledText
        return (0..<text.rope.metrics.utf16).map { unit in
            let attributes = text.attributes(at: UTF16Offset(unit))
            let isBold = FontDescriptor.isBold(attributes[FontWeightAttribute.self])
            let isLink = attributes[LinkAttribute.self] != nil
            return isBold ? (isLink ? "B" : "b") : isLink ? "L" : "."
        }.joined()
    }

    private func alignments(_ scene: EditingScene) -> String {
        let text = scene.store.styledText
        return (0..<text.rope.paragraphCount).map { index in
            let start = text.rope.utf16Range(of: ParagraphIndex(index)).lowerBound
            guard start < text.rope.utf16Range.upperBound else { return "-" }
            return switch text.attributes(at: start)[ParagraphStyleAttribute.self]?.alignment {
            case .center: "c"
            case .right: "r"
            case nil: "."
            default: "?"
            }
        }.joined()
    }

    private func style(_ alignment: ParagraphStyle.Alignment) -> ParagraphStyle {
        var style = ParagraphStyle()
        style.alignment = alignment
        return style
    }

    private func scene(_ notation: String, bold: [Range<UTF16Offset>] = [], links: [Range<UTF16Offset>] = [])
        -> EditingScene
    {
        let scene = EditingScene(notation)
        scene.store.restyle {
            for range in bold { $0.set(200, of: FontWeightAttribute.self, in: range) }
            for range in links { $0.set(Self.address, of: LinkAttribute.self, in: range) }
        }
        return scene
    }

    private func type(_ text: String, in scene: EditingScene) {
        for letter in text { scene.make(scene.state.inserting(String(letter))) }
    }

    // MARK: Links

    struct Edit: Sendable {
        var notation: String
        var link: Range<UTF16Offset>
        var after: String
        var commands: [EditCommand] = []
    }

    /// Covers RT 06, RT 08, RT 83 of the checklist for rich text.
    @Test(arguments: [
        // Text typed at either end of a link is outside of it, also several letters, and after Backspace has
        // shortened the link.
        Edit(notation: "a |link b", link: 2..<6, after: "..xy" + "LLLL.."),
        Edit(notation: "a link| b", link: 2..<6, after: "..LLLL" + "xy".map { _ in "." }.joined() + ".."),
        Edit(notation: "a link| b", link: 2..<6, after: "..LLL.." + "..", commands: [.deleteBackward]),
        Edit(notation: "|link", link: 0..<4, after: "..LLLL"), Edit(notation: "link|", link: 0..<4, after: "LLLL.."),
        // Typing over the whole link removes it.
        Edit(notation: "a [link|] b", link: 2..<6, after: "......"),
        // Text typed inside the link belongs to it.
        Edit(notation: "a li|nk b", link: 2..<6, after: "..LLLLLL.."),
        Edit(notation: "a l[in|]k b", link: 2..<6, after: "..LLLL.."),
        Edit(notation: "a [li|]nk b", link: 2..<6, after: "....LL.."),
    ])
    func aLinkDoesNotGrowAndIsNotCutWhereItIsEdited(_ edit: Edit) {
        let scene = scene(edit.notation, links: [edit.link])
        for command in edit.commands { scene.perform(command) }
        type("xy", in: scene)
        #expect(styles(scene) == edit.after.replacing("xy", with: ".."), "\(edit.notation)")
    }

    // MARK: What is typed after deleting

    struct Deletion: Sendable {
        var notation: String
        var bold: [Range<UTF16Offset>]
        var commands: [EditCommand]
        var after: String
    }

    /// Typing right after deleting keeps the deleted text's styles; RT 04, RT 28.
    @Test(arguments: [
        Deletion(notation: "ab CD|", bold: [3..<5], commands: [.deleteBackward, .deleteBackward], after: "...b"),
        Deletion(notation: "ab [CD|] ef", bold: [3..<5], commands: [.deleteBackward], after: "...b..."),
        Deletion(notation: "ab [CD|] ef", bold: [3..<5], commands: [.cut], after: "...b..."),
        // Moving the caret ends this.
        Deletion(
            notation: "ab [CD|] ef", bold: [3..<5], commands: [.deleteBackward, .moveLeft, .moveRight], after: "......."
        ),
        // After plain text beside bold text was deleted, typed text is plain.
        Deletion(notation: "AB c|", bold: [0..<2], commands: [.deleteBackward, .deleteBackward], after: "bb."),
        // If the text becomes empty, no style is kept.
        Deletion(notation: "[AB|]", bold: [0..<2], commands: [.deleteBackward], after: "."),
    ])
    func textTypedAfterDeletingHasTheStyleOfTheDeletedText(_ test: Deletion) {
        let scene = scene(test.notation, bold: test.bold)
        for command in test.commands { scene.perform(command) }
        type("x", in: scene)
        #expect(styles(scene) == test.after, "\(test.notation)")
    }

    /// Covers RT 11 of the checklist for rich text.
    @Test func undoGivesBackCharactersRunsAndWhatWasChosenToTypeWith() {
        let scene = scene("ab|")
        scene.make(scene.state.togglingBold())
        type("c", in: scene)
        #expect(styles(scene) == "..b")
        scene.perform(.undo)
        #expect(styles(scene) == ".." && scene.notation == "ab|")
        #expect(FontDescriptor.isBold(scene.state.typingAttributes[FontWeightAttribute.self]))
        type("d", in: scene)
        #expect(styles(scene) == "..b")
        // Undo of a deletion restores the text's styles, whatever was chosen since.
        scene.make(scene.state.selecting(Selection(anchor: 0, head: 2)))
        scene.perform(.deleteBackward)
        scene.make(scene.state.togglingItalic())
        scene.perform(.undo)
        #expect(scene.store.styledText.attributes(at: 0).isEmpty && styles(scene) == "..b")
    }

    /// Covers RT 03, RT 84 of the checklist for rich text.
    @Test func aToggleSurvivesReturnAndLineBreaksAndEndsATypedRun() {
        let scene = scene("ab|")
        scene.options.insertsLineSeparators = true
        scene.make(scene.state.togglingBold())
        scene.perform(.insertNewline)
        type("c", in: scene)
        scene.perform(.insertLineBreak)
        type("d", in: scene)
        #expect(styles(scene) == "..bbbb" && scene.notation == "ab\nc\u{2028}d|")
    }

    // MARK: Paragraphs

    /// Covers RT 15, RT 22 to RT 25 of the checklist for rich text.
    @Test func paragraphKeysFollowReturnAndJoins() {
        let scene = EditingScene("one| two\nthree\n\nfour")
        scene.store.restyle {
            $0.set(style(.center), of: ParagraphStyleAttribute.self, in: 0..<1)
            $0.set(style(.right), of: ParagraphStyleAttribute.self, in: 8..<9)
        }
        #expect(alignments(scene) == "cr..")
        scene.perform(.insertNewline)
        #expect(alignments(scene) == "ccr..", "both parts keep it")
        scene.perform(.undo)
        let before = scene.store.styledText
        func joined(at caret: UTF16Offset) -> String {
            scene.make(scene.state.selecting(Selection(caret: caret)))
            scene.perform(.deleteBackward)
            defer {
                scene.perform(.undo)
                #expect(scene.store.styledText == before)
            }
            return alignments(scene)
        }
        #expect(joined(at: 8) == "c..", "text joins the paragraph before it")
        #expect(joined(at: 15) == "cr.", "an empty one before it goes, and what is there stays")
        #expect(joined(at: 14) == "cr.")
        // The whole paragraph, but not the one at whose start the selection ends.
        scene.make(scene.state.selecting(Selection(anchor: 10, head: 15)))
        scene.make(scene.state.aligning(.center))
        #expect(alignments(scene) == "ccc.")
        scene.make(scene.state.selecting(Selection(caret: 17)))
        scene.perform(.alignRight)
        #expect(alignments(scene) == "cccr")
        scene.perform(.undo, .undo)
        #expect(scene.store.styledText == before)
    }

    /// Covers RT 29, RT 80 of the checklist for rich text.
    @Test func aPasteTakesTheParagraphThatItComesInto() {
        func pasted(_ notation: String, _ text: String) -> String {
            let scene = EditingScene(notation)
            scene.store.restyle { $0.set(style(.center), of: ParagraphStyleAttribute.self, in: 0..<1) }
            let before = scene.store.styledText
            var copied = StyledText(Rope(text))
            copied.restyle {
                $0.set(style(.right), of: ParagraphStyleAttribute.self, in: 0..<100)
                $0.set(200, of: FontWeightAttribute.self, in: 0..<1)
            }
            scene.make(scene.state.pasting(CopiedText(copied)))
            defer {
                scene.perform(.undo)
                #expect(scene.store.styledText == before)
            }
            #expect(styles(scene).contains("b"))
            return alignments(scene)
        }
        #expect(pasted("|one\ntwo", "X") == "c." && pasted("o|ne\ntwo", "X") == "c.")
        #expect(pasted("one|\ntwo", "X\nY") == "cr.", "the first piece too")
        #expect(pasted("|one\ntwo", "X\nY") == "cr.")
        #expect(pasted("one\n|\ntwo", "X\nY") == "crr.", "but for an empty paragraph")
        #expect(pasted("one\n|\ntwo", "X") == "c..")
    }

    // MARK: Commands

    @Test func commandsStyleWhatIsSelectedInViewsThatTakeStyles() {
        let scene = EditingScene("[one|] two")
        for command: EditCommand in [
            .toggleBoldface, .toggleItalics, .toggleUnderline, .toggleStrikethrough, .superscript,
        ] {
            scene.perform(command)
        }
        let all = scene.store.styledText.attributes(at: 0)
        #expect(
            Set(all.names) == [
                "inkstone.font-weight", "inkstone.font-slant", "inkstone.underline", "inkstone.strikethrough",
                "inkstone.superscript",
            ])
        scene.perform(.subscript)
        #expect(scene.store.styledText.attributes(at: 0)[SuperscriptAttribute.self] == -1)
        scene.perform(.subscript, .toggleStrikethrough, .toggleUnderline, .toggleItalics, .toggleBoldface)
        #expect(scene.store.styledText.runs == nil)
        for make in [{ $0.acceptsStyles = false }, { $0.isSingleLine = true }, { $0.isSecureTextEntry = true }]
            as [(inout TextInputOptions) -> Void]
        {
            make(&scene.options)
            #expect(!scene.state.canPerform(.toggleBoldface) && !scene.state.canPerform(.alignCenter))
            scene.options = TextInputOptions()
        }
        scene.options.isEditable = false
        #expect(!scene.state.canPerform(.toggleBoldface))
        guard case .commands([.toggleBoldface])? = KeyStroke("Ctrl+b").map({ KeyBindingTable.styledText.match([$0]) })
        else {
            Issue.record("Ctrl+B is not bound")
            return
        }
    }

    /// Covers RT 17 of the checklist for rich text.
    @Test func clearingStylesKeepsLinksAndParagraphsAndAgainTakesTheseToo() {
        let scene = scene("[one two|]\nthree", bold: [0..<3], links: [2..<5])
        scene.store.restyle { $0.set(style(.right), of: ParagraphStyleAttribute.self, in: 0..<1) }
        scene.perform(.clearFormatting)
        #expect(styles(scene) == "..LLL..." + "....." && alignments(scene) == "r.")
        scene.perform(.clearFormatting)
        #expect(styles(scene) == "........" + "....." && alignments(scene) == "..")
        scene.perform(.undo, .undo)
        #expect(styles(scene) == "bbBLL..." + "....." && alignments(scene) == "r.")
        // At a caret, the text typed next has no styles.
        let caret = self.scene("bold|", bold: [0..<4])
        caret.perform(.clearFormatting)
        type("x", in: caret)
        #expect(styles(caret) == "bbbb.")
    }

    // MARK: Cost

    /// A program may give each word of a paragraph a different paragraph style, of which the last applies.
    @Test func stylesThatAlternateInAParagraphCostByTheirNumber() {
        func seconds(_ count: Int) -> Double {
            let store = TextStore(Rope(String(repeating: "ab", count: count)))
            store.restyle {
                for i in 0..<count {
                    $0.set(200, of: FontWeightAttribute.self, in: UTF16Offset(2 * i)..<UTF16Offset(2 * i + 1))
                }
            }
            let time = ContinuousClock().measure {
                store.restyle {
                    for i in 0..<count {
                        let range = UTF16Offset(2 * i)..<UTF16Offset(2 * i + 2)
                        $0.set(style(i % 2 == 0 ? .center : .right), of: ParagraphStyleAttribute.self, in: range)
                        $0.set(.italic, of: FontSlantAttribute.self, in: range)
                    }
                }
            }
            let text = store.styledText
            #expect(
                text.attributes(in: text.rope.utf16Range).allSatisfy {
                    $0.attributes[ParagraphStyleAttribute.self]?.alignment == .right
                        && $0.attributes[FontSlantAttribute.self] == .italic
                })
            return Double(time.components.attoseconds) / 1e18 + Double(time.components.seconds)
        }
        let (few, many) = (seconds(100), seconds(800))
        #expect(many < 30 * max(few, 0.005), "\(few) \(many)")
    }
}
