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
}
