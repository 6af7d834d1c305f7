import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// Form fields, growing logs and links: uses of a text view beyond editing.
@Suite(.timeLimit(.minutes(5))) struct FormTests {
    private func field(_ notation: CaretNotation = "ab|") -> ViewScene {
        let scene = ViewScene(notation)
        scene.view.options.isSingleLine = true
        return scene
    }

    private func log(lines: Int) -> ViewScene {
        let scene = ViewScene("|")
        for number in 0..<lines { scene.view.append("line \(number)\n") }
        return scene
    }

    private func lastLineIsSeen(_ scene: ViewScene) -> Bool {
        scene.view.caretRect(for: scene.view.endOfDocument).maxY <= scene.view.bounds.maxY
    }

    // MARK: Fields

    @Test func aFieldWithoutTheFocusShowsNoCaret() {
        let scene = field()
        #expect(scene.paint().fills(scene.view.theme.caret).count == 1)
        scene.view.setFocused(false)
        #expect(scene.paint().fills(scene.view.theme.caret).isEmpty)
        scene.view.options.isSingleLine = false
        #expect(!scene.paint().fills(scene.view.theme.caret).isEmpty, "a text of several lines keeps it")
    }

    @Test func aFieldAsHighAsItWantsToBeShowsItsLine() {
        let scene = field("|")
        let height = scene.view.preferredHeight
        #expect(height == scene.view.presenter.lineStep + 2 * scene.view.theme.margin)
        scene.view.setFrame(WindowRect(x: 0, y: 0, width: 100, height: height))
        scene.view.text = String(repeating: "word ", count: 40)
        #expect(scene.view.preferredHeight == height)
        let caret = scene.view.caretRect(for: scene.view.beginningOfDocument)
        #expect(caret.minY == scene.view.theme.margin && caret.maxY == height - scene.view.theme.margin)
    }

    @Test func aTextThatGrowsWantsRoomForAllOfItsLines() {
        let scene = ViewScene("|")
        let line = scene.view.preferredHeight
        scene.view.text = "one\ntwo\nthree"
        #expect(scene.view.preferredHeight == line + 2 * scene.view.presenter.lineStep)
        scene.view.setFrame(WindowRect(x: 0, y: 0, width: 400, height: scene.view.preferredHeight))
        #expect(scene.view.presenter.scrollBars.thumb(.vertical) == nil)
        scene.view.setFrame(WindowRect(x: 0, y: 0, width: 400, height: scene.view.preferredHeight - 1))
        #expect(scene.view.presenter.scrollBars.thumb(.vertical) != nil)
    }

    @Test func returnSubmitsAFieldAndBreaksALineElsewhere() {
        let scene = field()
        var submitted: [String] = []
        scene.view.onSubmit = { [view = scene.view] in submitted.append(view.text) }
        #expect(scene.view.inputContext.perform(.insertNewline))
        #expect(submitted == ["ab"] && scene.view.text == "ab")
        scene.view.onCommand = { $0 == .insertNewline }
        #expect(scene.view.inputContext.perform(.insertNewline))
        #expect(submitted == ["ab"], "the program took it")
        scene.view.onCommand = nil
        scene.view.options.isSingleLine = false
        #expect(scene.view.inputContext.perform(.insertNewline))
        #expect(submitted == ["ab"] && scene.view.text == "ab\n")
    }

    @Test func aTextThatWasSentDoesNotComeBack() {
        let scene = field("|")
        scene.view.insertText("hello")
        scene.view.setMarkedText("に", selectedRange: UTF16Range(location: 1, length: 0))
        scene.view.reset()
        #expect(scene.state == "|" && scene.view.markedText == nil)
        #expect(!scene.view.store.canUndo && !scene.view.store.canRedo)
        scene.view.insertText("x")
        scene.perform(.undo)
        #expect(scene.state == "|")
    }

    // MARK: Logs

    @Test func aLogThatIsReadAtItsEndStaysThereAndOneThatIsReadElsewhereToo() {
        let scene = log(lines: 100)
        #expect(scene.view.isAtEnd && lastLineIsSeen(scene))
        #expect(!scene.view.store.canUndo, "a log is not taken back")
        scene.view.scroll(by: -50)
        #expect(!scene.view.isAtEnd)
        let top = scene.view.documentPoint(ViewPoint(x: 0, y: 0))
        scene.view.append("one more\n")
        #expect(scene.view.documentPoint(ViewPoint(x: 0, y: 0)) == top && !lastLineIsSeen(scene))
        scene.view.scrollToEnd()
        #expect(scene.view.isAtEnd && lastLineIsSeen(scene))
        #expect(scene.view.text.hasSuffix("line 99\none more\n"))
    }

    @Test func appendedTextMayBeAStepOfUndo() {
        let scene = ViewScene("ab|")
        scene.view.append("c", recordsUndo: true)
        #expect(scene.view.text == "abc" && scene.view.store.canUndo)
        scene.perform(.undo)
        #expect(scene.view.text == "ab")
    }

    @Test func textAppendedDuringACompositionKeepsItsOrder() {
        let scene = ViewScene("ab|")
        scene.view.setMarkedText("に", selectedRange: UTF16Range(location: 1, length: 0))
        scene.view.append("1")
        scene.view.append("2")
        #expect(scene.view.text == "abに12" && scene.view.markedText?.range == 2..<3)
        // Edits after one that waits for the composition wait too.
        scene.view.session.replaceAllText(with: "new")
        scene.view.append("3")
        scene.view.append("4")
        #expect(scene.view.text == "abに12")
        scene.view.unmarkText()
        #expect(scene.view.text == "new34")
    }

    @Test func aRangeIsBroughtIntoSightWithoutMovingTheUser() {
        let scene = log(lines: 100)
        scene.view.scrollToVisible(0..<4)
        #expect(scene.view.documentPoint(ViewPoint(x: 0, y: scene.view.theme.margin)).y == 0)
        let before = scene.view.selection
        scene.view.scrollToVisible(200..<205)
        let shown = scene.view.presenter.visibleTextRange
        #expect(shown.contains(200) && shown.contains(205) && scene.view.selection == before)
        // A range that is visible already causes no scrolling.
        let top = scene.view.documentPoint(ViewPoint(x: 0, y: 0))
        scene.view.scrollToVisible(200..<202)
        #expect(scene.view.documentPoint(ViewPoint(x: 0, y: 0)) == top)
    }

    // MARK: Links

    private func linked(_ opened: @escaping (String) -> Void) -> ViewScene {
        let scene = ViewScene("see |")
        let link = TextAttributes(LinkAttribute.self, "https://example.org/")
        scene.view.append(StyledText(Rope("here"), link))
        scene.view.append(" and there")
        scene.view.onOpenLink = opened
        return scene
    }

    private func point(_ scene: ViewScene, _ offset: Int) -> ViewPoint {
        let caret = scene.view.caretRect(for: scene.view.store.position(at: UTF16Offset(offset)))
        return ViewPoint(x: caret.minX + 1, y: caret.minY + caret.height / 2)
    }

    @Test func aClickOpensALinkOfATextThatIsOnlyRead() {
        var opened: [String] = []
        let scene = linked { opened.append($0) }
        #expect(scene.view.text == "see here and there")
        #expect(scene.view.link(at: 3) == nil && scene.view.link(at: 8) == nil)
        #expect(scene.view.link(at: 5).map { "\($0)" } == scene.view.link(at: 4).map { "\($0)" })
        #expect(scene.view.link(at: 7)?.range == 4..<8)
        scene.click(at: point(scene, 5))
        #expect(opened.isEmpty && !scene.view.interaction.opensLink(at: point(scene, 5)), "text is edited by a click")
        scene.click(at: point(scene, 5), .control)
        #expect(opened == ["https://example.org/"])
        scene.view.isEditable = false
        #expect(scene.view.interaction.opensLink(at: point(scene, 5)))
        #expect(!scene.view.interaction.opensLink(at: point(scene, 10)))
        scene.click(at: point(scene, 5))
        scene.click(at: point(scene, 10))
        #expect(opened.count == 2)
        scene.view.onOpenLink = nil
        #expect(!scene.view.interaction.opensLink(at: point(scene, 5)))
    }

    @Test func aKeyOpensTheLinkAtTheCaret() {
        var opened: [String] = []
        let scene = linked { opened.append($0) }
        for (selection, opens) in [
            (0..<0, false), (4..<4, true), (8..<8, true), (9..<9, false), (0..<18, true), (9..<18, false),
        ] {
            opened = []
            let range = UTF16Offset(selection.lowerBound)..<UTF16Offset(selection.upperBound)
            scene.view.select(Selection(anchor: range.lowerBound, head: range.upperBound))
            #expect(scene.view.openLink() == opens && opened.count == (opens ? 1 : 0), "\(selection)")
        }
        scene.view.options.isSecureTextEntry = true
        scene.view.select(Selection(caret: 5))
        #expect(!scene.view.openLink() && scene.view.link(at: 5) == nil)
    }
}
