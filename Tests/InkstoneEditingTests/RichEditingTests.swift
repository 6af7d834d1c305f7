import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText
import Testing

/// Editing headings, roles and links.
@Suite(.timeLimit(.minutes(5))) struct RichEditingTests {
    /// Creates a text whose first paragraph is a heading of level 2.
    private func heading(_ notation: String) -> EditingScene {
        let scene = EditingScene(notation)
        scene.store.restyle {
            $0.set(PresentationIntent(.header(level: 2), identity: 1), of: PresentationIntentAttribute.self, in: 0..<1)
        }
        return scene
    }

    private func levels(_ scene: EditingScene) -> [Int] {
        let text = scene.store.styledText
        return (0..<text.rope.metrics.utf16).map {
            text.attributes(at: UTF16Offset($0))[PresentationIntentAttribute.self].headingLevel
        }
    }

    /// Covers RT 22 of the checklist for rich text.
    @Test func returnAtAHeadingsEndStartsBodyText() {
        let scene = heading("ab|\ncd")
        scene.perform(.insertNewline)
        #expect(scene.notation == "ab\n|\ncd" && levels(scene) == [2, 2, 2, 0, 0, 0])
        let last = heading("ab|")
        last.perform(.insertNewline)
        last.make(last.state.inserting("x"))
        #expect(last.notation == "ab\nx|" && levels(last) == [2, 2, 2, 0])
        last.perform(.undo, .undo)
        #expect(levels(last).allSatisfy { $0 == 2 })
    }

    /// Without this command, the user could not leave a code block.
    @Test(arguments: [nil, 2]) func aLineOfCodeBecomesBodyTextOrAHeadingAndARowStays(_ level: Int?) {
        func kinds(_ kind: PresentationIntent.Kind) -> [PresentationIntent.Kind]? {
            let scene = EditingScene("a|b")
            scene.store.restyle {
                $0.set(PresentationIntent(kind, identity: 1), of: PresentationIntentAttribute.self, in: 0..<2)
            }
            scene.make(scene.state.settingHeading(level))
            let intent = scene.store.styledText.attributes(at: 0)[PresentationIntentAttribute.self]
            return intent?.components.map(\.kind)
        }
        let heading = level.map { [PresentationIntent.Kind.header(level: $0)] }
        #expect(kinds(.codeBlock(languageHint: "c")) == heading)
        #expect(kinds(.tableRow(rowIndex: 1)) == [.tableRow(rowIndex: 1)])
    }

    /// Covers RT 22 of the checklist for rich text.
    @Test func returnAtAHeadingsStartPutsBodyTextAboveIt() {
        let scene = heading("|ab\ncd")
        scene.perform(.insertNewline)
        #expect(scene.notation == "\n|ab\ncd" && levels(scene) == [0, 2, 2, 2, 0, 0])
    }

    /// Covers RT 23 of the checklist for rich text.
    @Test func returnInAHeadingMakesTwo() {
        let scene = heading("a|b\ncd")
        scene.perform(.insertNewline)
        #expect(levels(scene) == [2, 2, 2, 2, 0, 0])
    }

    /// RT 13: Markdown's “strong” role is shown as bold, so “bold” removes the role.
    @Test func boldOverImportantTextTakesTheRoleAway() {
        let scene = EditingScene("[ab|]")
        scene.store.restyle {
            $0.set([.stronglyEmphasized, .code], of: InlinePresentationIntentAttribute.self, in: 0..<2)
        }
        #expect(scene.state.boldState == .on)
        scene.perform(.toggleBoldface)
        #expect(scene.state.boldState == .off && scene.state.styleState { $0.hasRole(.code) } == .on)
        scene.perform(.toggleBoldface)
        #expect(scene.state.boldState == .on)
    }

    /// Covers RT 12 of the checklist for rich text.
    @Test func aMixedSelectionIsNeitherOnNorOff() {
        let scene = EditingScene("[ab |]")
        scene.store.restyle { $0.set(200, of: FontWeightAttribute.self, in: 0..<1) }
        #expect(scene.state.boldState == .mixed && scene.state.italicState == .off)
        scene.store.restyle { $0.set(200, of: FontWeightAttribute.self, in: 1..<2) }
        #expect(scene.state.boldState == .on, "blanks do not count")
    }

    @Test func paragraphsBecomeHeadingsAndBodyText() {
        let scene = EditingScene("a[b\nc|]d\ne")
        scene.make(scene.state.settingHeading(3))
        #expect(levels(scene) == [3, 3, 3, 3, 3, 3, 0] && scene.state.headingLevel == 3)
        scene.select(Selection(anchor: 0, head: 7))
        #expect(scene.state.headingLevel == nil)
        scene.make(scene.state.settingHeading(nil))
        #expect(scene.store.styledText.runs == nil)
    }

    // MARK: The empty line at the end

    private func alignments(_ scene: EditingScene) -> [ParagraphStyle.Alignment] {
        let text = scene.store.styledText
        return (0..<text.rope.metrics.utf16).map {
            text.attributes(at: UTF16Offset($0))[ParagraphStyleAttribute.self]?.alignment ?? .natural
        }
    }

    /// RT 27: the paragraph gets a newline, which holds its style.
    @Test(arguments: ["|", "a\n|"]) func rt27AHeadingChosenOnTheEmptyLastLineStays(_ notation: String) {
        let scene = EditingScene(notation)
        let before = levels(scene)
        scene.make(scene.state.settingHeading(2))
        #expect(scene.notation == notation + "\n" && levels(scene) == before + [2])
        // Move the caret away and back.
        scene.perform(.moveToBeginningOfDocument)
        scene.select(Selection(caret: UTF16Offset(before.count)))
        #expect(scene.state.headingLevel == 2)
        scene.make(scene.state.inserting("xy"))
        #expect(levels(scene) == before + [2, 2, 2])
        scene.perform(.insertNewline)
        scene.make(scene.state.inserting("z"))
        #expect(levels(scene) == before + [2, 2, 2, 0, 0], "body text follows")
        while scene.store.canUndo { scene.perform(.undo) }
        #expect(scene.notation == notation && levels(scene) == before)
        scene.perform(.redo)
        #expect(levels(scene) == before + [2])
        // Removing the heading keeps the line and its newline.
        scene.make(scene.state.settingHeading(nil))
        #expect(levels(scene) == before + [0] && scene.state.headingLevel == 0)
    }

    @Test func aHeadingBehindALoneCarriageReturnIsNotTheLineAbove() {
        let scene = EditingScene("a\r|")
        scene.make(scene.state.settingHeading(2))
        #expect(scene.notation == "a\r|\r\n" && levels(scene) == [0, 0, 2, 2] && scene.state.headingLevel == 2)
    }

    /// Covers RT 27 of the checklist for rich text.
    @Test func rt27AlignmentOfTheEmptyLastLineStays() {
        let scene = EditingScene("a\n|")
        scene.options.acceptsStyles = true
        scene.perform(.toggleBoldface, .alignCenter)
        #expect(scene.notation == "a\n|\n" && alignments(scene) == [.natural, .natural, .center])
        #expect(scene.state.boldState == .on, "another style of the caret stays")
        scene.perform(.moveUp, .moveDown)
        #expect(scene.state.boldState == .on, "and is the line's")
        scene.make(scene.state.inserting("x"))
        scene.perform(.insertNewline)
        scene.make(scene.state.inserting("y"))
        #expect(scene.notation == "a\nx\ny|\n")
        #expect(alignments(scene) == [.natural, .natural, .center, .center, .center, .center])
        scene.perform(.alignLeft)
        #expect(alignments(scene) == [.natural, .natural, .center, .center, .left, .left])
        while scene.store.canUndo { scene.perform(.undo) }
        #expect(scene.notation == "a\n|" && scene.store.styledText.runs == nil)
    }

    /// RT 27, RT 22: a paragraph after a list in centred text is centred too.
    @Test func theLineBehindAListIsAlignedAsItsItems() {
        let scene = EditingScene("a|")
        (scene.options.acceptsStyles, scene.options.makesLists) = (true, true)
        scene.perform(.alignCenter, .insertNewline)
        for character in ["[", " ", "]", " ", "x"] { scene.make(scene.state.inserting(character)) }
        scene.make(scene.state.togglingList(.checkbox))
        scene.perform(.insertNewline, .insertNewline)
        #expect(scene.state.listItem(at: scene.state.primary.head) == nil)
        #expect(alignments(scene).allSatisfy { $0 == .center })
        scene.make(scene.state.inserting("y"))
        #expect(alignments(scene).allSatisfy { $0 == .center })
    }

    /// RT 27: no newline is added if nothing changes, if the line is not selected, or if there is only one line.
    @Test func rt27ALineEndIsAddedOnlyWhereItHoldsAStyle() {
        let scene = EditingScene("a\n|")
        scene.make(scene.state.settingHeading(nil))
        #expect(scene.notation == "a\n|")
        scene.select(Selection(anchor: 0, head: 2))
        scene.make(scene.state.aligning(.right))
        #expect(scene.store.text == "a\n" && alignments(scene) == [.right, .right])
        // The empty line has the alignment of the paragraph before it, so nothing changes.
        scene.select(Selection(caret: 2))
        #expect(scene.state.aligning(.right) == nil)
        let field = EditingScene("|")
        field.options.isSingleLine = true
        field.make(field.state.settingHeading(1))
        #expect(field.notation == "|" && field.state.headingLevel == 1)
        #expect(field.state.aligning(.center) == nil)
    }

    /// Covers RT 76 of the checklist for rich text.
    @Test func addressPastedOverTextMakesTheTextALink() {
        let scene = EditingScene("go [there|]")
        scene.options.acceptsStyles = true
        scene.make(scene.state.pasting(CopiedText("https://example.org/a")))
        // The caret is behind the link, and what is typed there does not belong to it.
        #expect(scene.notation == "go there|")
        scene.make(scene.state.inserting("."))
        let link = scene.store.styledText.run(of: LinkAttribute.self, at: 4)
        #expect(scene.notation == "go there.|" && link?.value == "https://example.org/a" && link?.range == 3..<8)
        scene.perform(.undo)
        scene.perform(.undo)
        #expect(scene.notation == "go [there|]")
        #expect(scene.store.styledText.runs == nil)
        scene.make(scene.state.pasting(CopiedText("https:// two words")))
        #expect(scene.notation == "go https:// two words|")
    }
}
