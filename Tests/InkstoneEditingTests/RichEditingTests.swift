import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText
import Testing

/// Headings, roles of text and links as the user edits them.
@Suite(.timeLimit(.minutes(5))) struct RichEditingTests {
    /// A text whose first paragraph is a heading of level 2.
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

    /// RT 22.
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

    /// Otherwise nothing leads out of a block of code.
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

    /// RT 22.
    @Test func returnAtAHeadingsStartPutsBodyTextAboveIt() {
        let scene = heading("|ab\ncd")
        scene.perform(.insertNewline)
        #expect(scene.notation == "\n|ab\ncd" && levels(scene) == [0, 2, 2, 2, 0, 0])
    }

    /// RT 23.
    @Test func returnInAHeadingMakesTwo() {
        let scene = heading("a|b\ncd")
        scene.perform(.insertNewline)
        #expect(levels(scene) == [2, 2, 2, 2, 0, 0])
    }

    /// RT 13: text that Markdown calls important is bold as far as a person can see.
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

    /// RT 12.
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

    /// RT 76.
    @Test func anAddressPastedOverTextBecomesItsLink() {
        let scene = EditingScene("go [there|]")
        scene.options.acceptsStyles = true
        scene.make(scene.state.pasting(CopiedText("https://example.org/a")))
        #expect(scene.notation == "go [there|]")
        #expect(scene.store.styledText.attributes(at: 4)[LinkAttribute.self] == "https://example.org/a")
        scene.perform(.undo)
        #expect(scene.store.styledText.runs == nil)
        scene.make(scene.state.pasting(CopiedText("https:// two words")))
        #expect(scene.notation == "go https:// two words|")
    }
}
