import Inkstone

/// A button in a text.
final class TapButton: BasicResponder, AttachmentView, WindowContent {
    private(set) var frame = WindowRect(x: 0, y: 0, width: 0, height: 0)
    var onTap: (() -> Void)?

    func show(in frame: WindowRect, clippedTo area: WindowRect) { self.frame = frame }

    func paint(on canvas: any Canvas, damage: WindowRect) { canvas.fill(frame, Color(rgb: 0x3366cc)) }

    func handlePointer(_ event: PointerEvent) {
        if event.kind == .release(.primary), frame.contains(event.location) { onTap?() }
    }
}

/// What belongs to the character: it stays when the button is made anew, and comes back by undo.
final class TapProvider: TextAttachmentViewProvider {
    private(set) var taps = 0

    override func loadView() {
        let button = TapButton()
        button.onTap = { [weak self] in self?.taps += 1 }
        view = button
    }
}

/// Puts a button where the caret is.
func insertButton(into view: EditorView) {
    view.presenter.viewportLayout.attachmentViews.register(TapProvider.self, forType: "application/x-tap")
    guard let offset = view.selection?.primary.range.lowerBound,
        let attachment = TextAttachment(
            contents: [], type: "application/x-tap", alternateDescription: "Tap me", size: Size(width: 80, height: 24))
    else { return }
    view.insertText(String(TextAttachment.character))
    view.store.restyle { $0.set(attachment, of: AttachmentAttribute.self, in: offset..<(offset + 1)) }
}
