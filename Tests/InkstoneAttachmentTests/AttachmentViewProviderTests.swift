import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneView

/// A view that paints beyond its frame, and records its calls.
private final class PaintedBox: BasicResponder, AttachmentView {
    static let color = Color(rgb: 0x0ac81e)
    var frames: [WindowRect] = []
    var area = WindowRect(x: 0, y: 0, width: 0, height: 0)
    var isHidden = true

    func show(in frame: WindowRect, clippedTo area: WindowRect) {
        frames.append(frame)
        (self.area, isHidden) = (area, false)
    }

    func hide() { isHidden = true }

    func paint(on canvas: any Canvas, damage: WindowRect) {
        canvas.fill(WindowRect(x: -1000, y: -1000, width: 5000, height: 5000), Self.color)
    }
}

private final class BoxProvider: TextAttachmentViewProvider {
    var count = 0
    var wanted: Size?
    var loads = 0

    override func loadView() {
        loads += 1
        view = PaintedBox()
    }

    override func attachmentBounds(lineWidth: Double, scale: Double) -> AttachmentBounds {
        wanted.map { AttachmentBounds(size: $0) } ?? super.attachmentBounds(lineWidth: lineWidth, scale: scale)
    }

    override class func room(for attachment: TextAttachment, lineWidth: Double, scale: Double) -> AttachmentBounds {
        attachment.size == nil
            ? AttachmentBounds(size: Size(width: (lineWidth / 2).rounded(), height: 20))
            : super.room(for: attachment, lineWidth: lineWidth, scale: scale)
    }

    var box: PaintedBox? { view as? PaintedBox }
}

/// Views in place of attachments, without a display. RT 58 to RT 62 of a checklist of rich text.
@Suite(.timeLimit(.minutes(5))) struct AttachmentViewProviderTests {
    private static let type = "application/x-box"

    /// Creates a text view in which each "#" is an attached view of 40 by 30 pixels, or of another size.
    private static func scene(
        _ notation: String, _ size: Size? = Size(width: 40, height: 30), store: TextStore? = nil
    ) -> ViewScene {
        let scene: ViewScene
        if let store {
            scene = ViewScene(store: store)
        } else {
            scene = ViewScene(CaretNotation(notation.replacing("#", with: "\u{fffc}")))
            let attachment = TextAttachment(contents: [1], type: type, size: size)
            scene.view.store.restyle {
                if let attachment { $0.set(attachment, of: AttachmentAttribute.self, in: scene.view.textRange) }
            }
        }
        scene.views.register(BoxProvider.self, forType: type)
        scene.view.presenter.viewportLayout.layoutViewport()
        (scene.damage, scene.moves) = ([], [])
        return scene
    }

    private static func lines(_ count: Int, at places: [Int]) -> String {
        (0..<count).map { places.contains($0) ? "a#" : "a" }.joined(separator: "\n") + "|"
    }

    @Test func aViewIsShownInItsRoomAndPaintsNothingElse() throws {
        let scene = Self.scene("ab#c|")
        let box = try #require(scene.boxes.first?.box)
        let line = scene.view.layout.geometry.lineFragment(at: 0)
        let placed = try #require(line.attachments.first)
        #expect(placed.frame.size == Size(width: 44, height: 34), "room for a frame of the selection")
        #expect(box.frames == [scene.view.viewport.windowRect(placed.frame).insetBy(2)])
        let canvas = scene.paint()
        #expect(canvas.fills(PaintedBox.color) == box.frames && canvas.limit == nil)
        #expect(canvas.images.isEmpty && canvas.fills(Theme().placeholder).isEmpty)
        let part = WindowRect(x: box.frames[0].minX + 10, y: 0, width: 5, height: 10)
        #expect(scene.paint([part]).fills(PaintedBox.color) == [part.intersection(box.frames[0])])
        #expect(scene.paint([WindowRect(x: 200, y: 0, width: 50, height: 50)]).fills(PaintedBox.color).isEmpty)
    }

    /// RT 59: the attached view is created near the viewport, hidden and kept outside of it, and moved instead of
    /// repainted while the text scrolls.
    @Test func aViewMovesWithTheTextAndIsHiddenOutOfSight() throws {
        let scene = Self.scene(Self.lines(300, at: [3, 250]))
        scene.perform(.moveToBeginningOfDocument)
        scene.view.presenter.viewportLayout.layoutViewport()
        let box = try #require(scene.boxes.first?.box)
        #expect(scene.boxes.count == 1)
        let first = try #require(box.frames.last)
        (scene.damage, scene.moves) = ([], [])
        scene.view.scroll(by: 10)
        scene.view.presenter.viewportLayout.layoutViewport()
        #expect(box.frames.last == first.offset(by: Vector(dx: 0, dy: -10)))
        #expect(scene.moves.map(\.1) == [-10] && scene.damage.allSatisfy { $0.height <= 30 })
        scene.view.scroll(by: 2000)
        scene.view.presenter.viewportLayout.layoutViewport()
        #expect(box.isHidden && scene.paint().fills(PaintedBox.color).isEmpty)
        scene.perform(.scrollToBeginningOfDocument)
        scene.view.presenter.viewportLayout.layoutViewport()
        #expect(!box.isHidden && scene.boxes.map(\.loads) == [1])
    }

    /// RT 59: an attached view that is deleted and restored by undo has its state; equal attachments do not
    /// exchange theirs.
    @Test func aDeletedViewComesBackWithItsState() throws {
        for (command, notation) in [(EditCommand.deleteBackward, "a##|b"), (.deleteForward, "a|##b")] {
            let scene = Self.scene(notation)
            let (first, second) = (scene.boxes[0], scene.boxes[1])
            scene.perform(command, command)
            #expect(scene.view.text == "ab" && scene.boxes.isEmpty)
            #expect(first.box?.isHidden == true && first.location == nil)
            scene.perform(.undo, .undo)
            scene.view.presenter.viewportLayout.layoutViewport()
            #expect(scene.boxes.map(ObjectIdentifier.init) == [first, second].map(ObjectIdentifier.init))
            #expect([first.location, second.location] == [1, 2] && first.loads == 1)
        }
    }

    /// A cancelled composition restores the deleted attached view with its state.
    @Test func aViewComesBackThoughACompositionWasGivenUp() throws {
        let scene = Self.scene("[#|]abc")
        let known = scene.boxes[0]
        scene.perform(.cut, .moveToEndOfDocument)
        let copied = try #require(scene.copiedText)
        scene.perform(.paste)
        scene.view.session.paste(copied, for: try #require(scene.pastes.last))
        scene.perform(.undo)
        scene.view.presenter.viewportLayout.layoutViewport()
        for text in ["か", ""] {
            scene.view.setMarkedText(text, selectedRange: UTF16Range(0..<0), replacementRange: .notFound)
            scene.view.presenter.viewportLayout.layoutViewport()
        }
        scene.perform(.redo)
        scene.view.presenter.viewportLayout.layoutViewport()
        #expect(scene.boxes.count == 1 && scene.boxes.first === known && scene.view.text == "abc\u{fffc}")
    }

    /// RT 65: cutting and pasting keeps the view object. A view that nothing can restore is released.
    @Test func aViewGoesWithItsCharacterBeyondUndo() throws {
        let scene = Self.scene("[#|]abc")
        let known = ObjectIdentifier(scene.boxes[0])
        scene.perform(.cut, .moveToEndOfDocument)
        let copied = try #require(scene.copiedText)
        scene.perform(.paste)
        scene.view.session.paste(copied, for: try #require(scene.pastes.last))
        scene.view.presenter.viewportLayout.layoutViewport()
        #expect(scene.boxes.map(ObjectIdentifier.init) == [known] && scene.boxes[0].location == 3)
        weak let provider = scene.boxes[0]
        weak let box = scene.boxes[0].box
        scene.perform(.deleteBackward)
        #expect(provider != nil && box != nil)
        scene.view.store.removeAllUndo()
        scene.view.presenter.viewportLayout.layoutViewport()
        #expect(provider == nil && box == nil)
    }

    /// Covers RT 60 of the checklist for rich text.
    @Test func eachViewOfATextHasItsOwn() {
        let one = Self.scene("a#|")
        let other = Self.scene("", store: one.view.store)
        #expect(one.boxes.count == 1 && other.boxes.count == 1 && one.boxes[0] !== other.boxes[0])
        one.view.insertText("xy")
        other.view.select(Selection(caret: 0))
        other.view.insertText("z")
        #expect(one.boxes[0].location == 2 && other.boxes[0].location == 2)
    }

    /// RT 61 and RT 62: the size is queried per line width; growth moves the text below, and nothing is scaled.
    @Test func aViewIsAskedForItsSizePerLineWidth() throws {
        let scene = Self.scene("#\nb|", nil)
        let room = scene.view.layout.container.width
        #expect(scene.boxes[0].box?.frames.last?.size == Size(width: (room / 2).rounded(), height: 20))
        scene.view.setFrame(WindowRect(x: 0, y: 0, width: 200, height: 200))
        scene.view.presenter.viewportLayout.layoutViewport()
        let narrow = scene.view.layout.container.width
        #expect(scene.boxes[0].box?.frames.last?.size.width == (narrow / 2).rounded())
        let top = scene.view.layout.geometry.lineFragment(at: 2).top
        scene.boxes[0].wanted = Size(width: 900, height: 70)
        scene.boxes[0].boundsDidChange()
        scene.view.presenter.viewportLayout.layoutViewport()
        #expect(scene.view.layout.geometry.lineFragment(at: 2).top == top + 50)
        #expect(scene.boxes[0].box?.frames.last?.size == Size(width: 900, height: 70))
        let area = scene.view.viewport.windowRect(scene.view.viewport.textArea)
        #expect(scene.paint().fills(PaintedBox.color).allSatisfy { $0.intersection(area) == $0 })
    }

    /// RT 58: Escape and Tab return the focus; keys that a view without text does not handle go to the text.
    @Test func keysLeadIntoAViewAndBackToTheText() {
        let scene = Self.scene("a[#|]b")
        let provider = scene.boxes[0]
        #expect(
            !scene.view.canPerformItself(.insertTab) && scene.views.focusable(in: scene.view.selection) === provider)
        var left = 0
        scene.views.onLeave = { _ in left += 1 }
        #expect(provider.next === scene.view)
        #expect(provider.performAction(.insertTab, withSender: nil) && scene.state.description == "a\u{fffc}|b")
        #expect(scene.view.canPerformItself(.insertTab))
        #expect(provider.performAction(.insertBacktab, withSender: nil) && scene.state.description == "a|\u{fffc}b")
        #expect(provider.performAction(.cancelOperation, withSender: nil) && scene.state.description == "a[\u{fffc}|]b")
        #expect(left == 3)
        #expect(provider.performAction(.moveToBeginningOfDocument, withSender: nil))
        #expect(scene.state.description == "|a\u{fffc}b")
        provider.view = EditorView(store: TextStore(), font: ViewScene.font)
        #expect(!provider.performAction(.deleteForward, withSender: nil) && scene.view.text == "a\u{fffc}b")
    }

    @Test func viewsThatAreLongOutOfSightAreMadeAgain() {
        let scene = Self.scene(Self.lines(250, at: Array(0..<250)))
        scene.perform(.scrollToBeginningOfDocument)
        scene.view.presenter.viewportLayout.layoutViewport()
        let first = scene.boxes[0]
        while scene.view.viewport.scroll.y < scene.view.viewport.maximumScroll(in: scene.view.layout) {
            scene.view.scroll(by: 150)
            scene.view.presenter.viewportLayout.layoutViewport()
        }
        #expect(scene.boxes.count == 250 && scene.boxes.count { $0.view != nil } < AttachmentViews.mostHidden + 50)
        #expect(scene.boxes[0] === first && first.view == nil)
        scene.perform(.scrollToBeginningOfDocument)
        scene.view.presenter.viewportLayout.layoutViewport()
        #expect(scene.boxes[0] === first && first.loads == 2)
    }

    /// RT 54: a click selects a picture or an attached view; a click beside it moves the caret.
    @Test func aClickSelectsAnAttachment() throws {
        let scene = Self.scene("ab#cd|")
        let frame = scene.view.viewRect(
            try #require(scene.view.layout.geometry.lineFragment(at: 0).attachments.first).frame)
        scene.click(at: ViewPoint(x: frame.minX + 5, y: frame.minY + 8))
        #expect(scene.state.description == "ab[\u{fffc}|]cd")
        scene.click(at: ViewPoint(x: frame.minX + 5, y: frame.minY + 8))
        #expect(scene.state.description == "ab[\u{fffc}|]cd")
        scene.click(at: ViewPoint(x: frame.maxX + 2, y: frame.maxY - 4))
        #expect(scene.state.description == "ab\u{fffc}|cd")
        scene.press(at: ViewPoint(x: frame.minX + 30, y: frame.minY + 8))
        scene.drag(to: ViewPoint(x: frame.maxX + 200, y: frame.maxY - 4))
        scene.release(at: ViewPoint(x: frame.maxX + 200, y: frame.maxY - 4))
        #expect(scene.state.description == "ab[\u{fffc}cd|]")
    }

    /// RT 57: a double click is passed to the program as “open”; drags, triple clicks and Ctrl+click are not.
    @Test func aDoubleClickOpensAnAttachment() throws {
        final class Opener: TextInteractionDelegate {
            var opened: [Int] = []
            func textInteraction(_ interaction: TextInteraction, openAttachmentAt position: TextPosition) {
                opened.append(position.offset.value)
            }
        }
        let scene = Self.scene("ab#cd|")
        let opener = Opener()
        scene.view.interaction.delegate = opener
        let frame = scene.view.viewRect(
            try #require(scene.view.layout.geometry.lineFragment(at: 0).attachments.first).frame)
        let place = ViewPoint(x: frame.minX + 5, y: frame.minY + 8)
        scene.click(at: place)
        #expect(opener.opened.isEmpty)
        scene.click(at: place, count: 2)
        #expect(opener.opened == [2] && scene.state.description == "ab[\u{fffc}|]cd")
        scene.click(at: place, count: 3)
        #expect(opener.opened == [2, 2], "the second of three, and no other")
        scene.click(at: ViewPoint(x: frame.minX - 8, y: frame.maxY - 4), count: 2)
        #expect(opener.opened == [2, 2])
    }
}

extension ViewScene {
    fileprivate var views: AttachmentViews { view.presenter.viewportLayout.attachmentViews }
    fileprivate var boxes: [BoxProvider] { views.providers.compactMap { $0 as? BoxProvider } }
}
