import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// Links without further code of the program: the highlight under the pointer, Control, and the keys that open them.
@Suite(.timeLimit(.minutes(5))) struct LinkTests {
    private static let address = "https://example.org/"

    /// A view of "see here and there" with a link at "here", and the calls that the program gets.
    private final class Reader {
        let scene = ViewScene("see |")
        var opened: [String] = []
        var hovered: [String?] = []

        init(isEditable: Bool) {
            scene.view.append(StyledText(Rope("here"), TextAttributes(LinkAttribute.self, LinkTests.address)))
            scene.view.append(" and there")
            scene.view.onOpenLink = { [unowned self] in opened.append($0) }
            scene.view.onHoverLink = { [unowned self] in hovered.append($0) }
            scene.view.isEditable = isEditable
        }

        func point(_ offset: Int) -> ViewPoint {
            let caret = scene.view.caretRect(for: scene.view.store.position(at: UTF16Offset(offset)))
            return ViewPoint(x: caret.minX + 1, y: caret.minY + caret.height / 2)
        }

        var highlighted: [Range<UTF16Offset>] {
            let layer = scene.view.decorations(in: .hoveredLink)
            return (0..<layer.count).map { layer.range($0) }
        }
    }

    @Test func linkOfReadTextIsHighlightedUnderThePointer() {
        let reader = Reader(isEditable: false)
        reader.scene.point(.motion, at: reader.point(1))
        #expect(reader.hovered.isEmpty && reader.highlighted.isEmpty)
        reader.scene.point(.motion, at: reader.point(5))
        reader.scene.point(.motion, at: reader.point(6))
        #expect(reader.hovered == [Self.address] && reader.highlighted == [4..<8])
        reader.scene.point(.motion, at: reader.point(10))
        #expect(reader.hovered == [Self.address, nil] && reader.highlighted.isEmpty)
        reader.scene.point(.motion, at: reader.point(5))
        reader.scene.point(.leave, at: reader.point(5))
        #expect(reader.hovered.count == 4 && reader.highlighted.isEmpty)
        // Without the callback no link can be opened.
        reader.scene.point(.motion, at: reader.point(5))
        reader.scene.view.onOpenLink = nil
        #expect(reader.highlighted.isEmpty)
    }

    @Test func clickOnALinkDoesNotEndTheHover() {
        let reader = Reader(isEditable: false)
        reader.scene.point(.motion, at: reader.point(5))
        reader.scene.click(at: reader.point(5))
        #expect(reader.opened == [Self.address] && reader.hovered == [Self.address])
        // A drag selects text, so its release opens no link.
        reader.scene.press(at: reader.point(5))
        reader.scene.drag(to: reader.point(12))
        #expect(reader.hovered == [Self.address, nil])
        reader.scene.release(at: reader.point(5))
        #expect(reader.opened.count == 1 && reader.hovered == [Self.address, nil, Self.address])
    }

    @Test func clickWithControlOnALinkOfEditedTextDoesNotEndTheHover() {
        let reader = Reader(isEditable: true)
        reader.scene.point(.motion, at: reader.point(5), .control)
        reader.scene.click(at: reader.point(5), .control)
        #expect(reader.opened == [Self.address] && reader.hovered == [Self.address])
        // A press without Control places the caret.
        reader.scene.press(at: reader.point(5))
        #expect(reader.hovered == [Self.address, nil])
    }

    @Test func linkOfEditedTextIsHighlightedAsLongAsControlIsHeld() {
        let reader = Reader(isEditable: true)
        let interaction = reader.scene.view.interaction
        reader.scene.point(.motion, at: reader.point(5))
        #expect(reader.highlighted.isEmpty && !interaction.opensLink(at: reader.point(5)))
        #expect(interaction.controlDidChange(to: true) == reader.point(5))
        #expect(reader.highlighted == [4..<8] && interaction.opensLink(at: reader.point(5)))
        #expect(interaction.controlDidChange(to: true) == nil)
        #expect(interaction.controlDidChange(to: false) != nil)
        #expect(reader.highlighted.isEmpty && !interaction.opensLink(at: reader.point(5)))
        reader.scene.point(.motion, at: reader.point(6), .control)
        #expect(reader.highlighted == [4..<8] && !interaction.opensLink(at: reader.point(10)))
        // The highlight is no text: it follows an edit, and no copy has it.
        reader.scene.view.select(Selection(caret: 0))
        reader.scene.view.insertText("ab")
        #expect(reader.highlighted == [6..<10] && reader.opened.isEmpty)
        reader.scene.point(.leave, at: reader.point(6))
        #expect(interaction.controlDidChange(to: true) == nil, "the pointer is elsewhere")
    }

    @Test func keysOpenTheLinkAtTheCaret() {
        for (isEditable, command, opens) in [
            (true, EditCommand.openLink, true), (false, .openLink, true), (false, .insertNewline, true),
            (true, .insertNewline, false),
        ] {
            let reader = Reader(isEditable: isEditable)
            let view = reader.scene.view
            for offset in [0, 5] {
                view.select(Selection(caret: UTF16Offset(offset)))
                #expect(view.canPerformAction(.openLink, withSender: nil) == (offset == 5))
                view.perform(command)
                #expect(reader.opened == (offset == 5 && opens ? [Self.address] : []), "\(isEditable) \(command)")
            }
            #expect(view.text.contains("\n") == (command == .insertNewline && isEditable))
        }
        for table in [KeyBindingTable.desktop, .emacs, .styledText] {
            #expect(table.strokes(for: .openLink)?.map(\.description) == ["Alt+Return"])
        }
    }

    @Test func linkIsFoundAtThePointAndAtTheCaret() {
        let reader = Reader(isEditable: true)
        let view = reader.scene.view
        view.select(Selection(caret: 8))
        #expect(view.selectedLink?.range == 4..<8 && view.link(at: reader.point(5))?.destination == Self.address)
        view.select(Selection(caret: 9))
        #expect(view.selectedLink == nil && view.link(at: reader.point(9)) == nil)
    }

    // MARK: Tab

    /// A view of `lines` lines that cannot be edited, with a link in each of the given lines, and the destinations
    /// that were opened.
    private final class Page {
        let scene = ViewScene("|")
        var opened: [String] = []

        init(lines: Int, links: [Int]) {
            for line in 0..<lines {
                scene.view.append("see ")
                if links.contains(line) {
                    scene.view.append(StyledText(Rope("here"), TextAttributes(LinkAttribute.self, "\(line)")))
                }
                scene.view.append("\n")
            }
            scene.view.onOpenLink = { [unowned self] in opened.append($0) }
            scene.view.isEditable = false
            scene.view.select(Selection(caret: 0))
        }

        /// Presses the key of a command. Returns the destination of the selected link; nil if the command was not
        /// performed.
        func press(_ command: EditCommand) -> String? {
            guard scene.view.inputContext.perform(command) else { return nil }
            return selectedLink
        }

        /// The destination of the link that is exactly the selected text.
        var selectedLink: String? {
            guard let selected = scene.view.selection?.primary.range else { return nil }
            return scene.view.link(at: selected.lowerBound).flatMap { $0.range == selected ? $0.destination : nil }
        }
    }

    @Test func tabSelectsEachLinkOfReadTextAndThenLeavesTheView() {
        let page = Page(lines: 3, links: [0, 2])
        #expect(page.press(.insertTab) == "0")
        #expect(page.press(.insertTab) == "2")
        #expect(page.press(.insertTab) == nil && page.selectedLink == "2", "the window moves the focus")
        #expect(page.press(.insertBacktab) == "0")
        #expect(page.press(.insertBacktab) == nil && page.selectedLink == "0")
        #expect(page.press(.insertNewline) == "0" && page.opened == ["0"])
        // The user has not selected the link for copying: PRIMARY keeps its text.
        #expect(page.scene.keySelections == 0)
        // After Escape, the caret stays at the link.
        #expect(page.press(.cancelOperation) == nil && page.scene.view.selection?.primary.range.isEmpty == true)
        #expect(page.press(.insertTab) == "2")
    }

    @Test func tabStartsFromTheCaret() {
        let page = Page(lines: 3, links: [0, 1, 2])
        let cases: [(Int, String, String?)] = [(0, "0", nil), (5, "0", "0"), (8, "1", "0"), (13, "1", "0")]
        for (caret, next, previous) in cases {
            page.scene.view.select(Selection(caret: UTF16Offset(caret)))
            #expect(page.press(.insertTab) == next, "\(caret)")
            page.scene.view.select(Selection(caret: UTF16Offset(caret)))
            #expect(page.press(.insertBacktab) == previous, "\(caret)")
        }
    }

    @Test func tabScrollsToALinkOutOfView() {
        let page = Page(lines: 200, links: [0, 150])
        page.scene.view.scroll(by: -100_000)
        #expect(page.press(.insertTab) == "0" && page.press(.insertTab) == "150")
        let visible = page.scene.view.presenter.visibleTextRange
        #expect(visible.contains(page.scene.view.selection?.primary.range.lowerBound ?? 0) && !visible.contains(0))
    }

    @Test func tabSelectsNoLinkWhereLinksCannotBeOpenedOrTextIsEdited() {
        let page = Page(lines: 1, links: [0])
        let view = page.scene.view
        view.canPerform = { $0 != .insertTab && $0 != .insertBacktab }
        #expect(page.press(.insertTab) == nil && page.press(.insertBacktab) == nil && page.selectedLink == nil)
        view.canPerform = nil
        view.onOpenLink = nil
        #expect(page.press(.insertTab) == nil && page.selectedLink == nil)
        view.onOpenLink = { _ in }
        view.options.isSecureTextEntry = true
        #expect(page.press(.insertTab) == nil && !view.selectEndLink(backwards: false))
        view.options.isSecureTextEntry = false
        view.isEditable = true
        view.select(Selection(caret: 0))
        #expect(page.press(.insertTab) == nil && view.text.hasPrefix("\tsee here"))
    }

    @Test func viewThatTabEntersSelectsItsFirstOrLastVisibleLink() {
        let page = Page(lines: 200, links: [0, 1, 100, 198, 199])
        let view = page.scene.view
        view.scrollToEnd()
        view.selectVisibleLink(backwards: true)
        #expect(page.selectedLink == "199" && view.isAtEnd)
        view.scroll(by: -100_000)
        view.selectVisibleLink(backwards: true)
        #expect(page.selectedLink == "1")
        view.selectVisibleLink(backwards: false)
        #expect(page.selectedLink == "0")
        // Without a visible link, and over text that the user has selected, the selection stays.
        let top = view.documentPoint(ViewPoint(x: 0, y: 0)).y
        view.scroll(by: 600)
        view.selectVisibleLink(backwards: false)
        #expect(page.selectedLink == "0" && view.documentPoint(ViewPoint(x: 0, y: 0)).y > top)
        view.scroll(by: -100_000)
        view.select(Selection(anchor: 1, head: 3))
        view.selectVisibleLink(backwards: false)
        #expect(view.selection?.primary.range == 1..<3)
        #expect(view.selectEndLink(backwards: true) && page.selectedLink == "199")
    }
}
