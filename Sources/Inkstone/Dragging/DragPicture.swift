import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneText
import InkstoneView
import InkstoneX11

/// The picture that follows the pointer while text is dragged: the first lines of the text in the view's style.
final class DragPicture {
    private let view: EditorView
    private var window: Window?
    /// The maximum number of lines that are shown, from the start of the text. ``characters`` limits the characters.
    private static let lines = 4
    private static let characters = 400

    /// Creates the picture of a text, without showing it.
    init(_ copied: CopiedText, of source: TextView) {
        let shown = copied.beginning(lines: Self.lines, characters: Self.characters)
        var theme = source.style.scaledTheme
        theme.scrollBarWidth = 0
        view = EditorView(
            store: TextStore(), font: source.style.scaledFont, theme: theme,
            settings: source.window?.display.layoutFontSettings ?? .init())
        view.text = shown
        view.wrapsLines = false
        view.select(nil)
        let lines = shown.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count
        let margins = 2 * view.theme.margin
        let height = (view.presenter.lineStep * Double(lines) + margins).rounded(.up)
        let widest = max(60, (source.frame.width / 2).rounded())
        view.setFrame(WindowRect(x: 0, y: 0, width: widest, height: height))
        // Request the selection's rectangles because that lays out the lines: the width of the widest line becomes the
        // width of the picture.
        let all = TextRange(start: view.beginningOfDocument, end: view.endOfDocument)
        _ = view.selectionRects(for: all, within: view.bounds)
        let width = min(widest, (view.layout.maximumLineWidth + margins).rounded(.up))
        view.setFrame(WindowRect(x: 0, y: 0, width: width, height: height))
    }

    /// Shows the picture beside a point, or moves it there; `point` is in root pixels.
    func show(at point: RootPoint, in owner: WidgetWindow) {
        let origin = RootPoint(x: point.x + 12, y: point.y + 12)
        if let window {
            window.setFrame(WindowRect(x: origin.x, y: origin.y, width: view.frame.width, height: view.frame.height))
            return
        }
        guard
            let made = try? Window(
                popup: owner.display, owner: owner.window.id, frame: RootRect(origin: origin, size: view.frame.size))
        else { return }
        made.becomeDragPicture()
        made.delegate = self
        made.show()
        window = made
    }

    /// Hides the picture.
    func close() {
        window?.close()
        window = nil
    }
}

extension DragPicture: WindowDelegate {
    func window(_ window: Window, paint canvas: any Canvas, damage: [WindowRect]) {
        for rect in damage { view.paint(on: canvas, damage: rect) }
        let (size, color) = (view.frame.size, view.theme.panel.border)
        for y in [0, size.height - 1] { canvas.fill(WindowRect(x: 0, y: y, width: size.width, height: 1), color) }
        for x in [0, size.width - 1] { canvas.fill(WindowRect(x: x, y: 0, width: 1, height: size.height), color) }
    }
}
