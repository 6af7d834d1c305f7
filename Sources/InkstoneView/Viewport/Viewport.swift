import InkstoneBase
import InkstoneLayout

/// What part of a document a view shows, and where on the screen: the way between the spaces of document, view, window and root.
///
/// A plain value. Lengths are device pixels; what depends on the lines is a function of their layout (`Viewport+Scrolling`).
struct Viewport: Hashable, Sendable {
    /// Where the view lies in its window; at least one pixel wide and high.
    private(set) var frame = WindowRect(x: 0, y: 0, width: 1, height: 1)
    /// Where the window's origin lies on the root window.
    var windowOrigin = RootPoint(x: 0, y: 0)
    /// How far the text is scrolled.
    var scroll = ScrollPosition()
    /// Whether long lines are to be wrapped at the view's width, and whether there is but one line, which never is.
    var wrapsLines = true
    var isSingleLine = false

    /// Between the view's edge and the text.
    private(set) var margin = 0.0
    /// Width of the strip at the right that shows no text.
    private(set) var scrollBarWidth = 0.0
    /// Width of the caret, which has to find room behind the longest line.
    private(set) var caretWidth = 0.0

    /// A view of one pixel with the distances of a theme.
    init(theme: Theme) { setDistances(of: theme) }

    /// Takes over margin, scroll bar and caret of a theme.
    mutating func setDistances(of theme: Theme) {
        (margin, scrollBarWidth, caretWidth) = (theme.margin, theme.scrollBarWidth, theme.caretWidth)
    }

    /// Places the view in its window. Lengths are clamped to what arithmetic in pixels holds; what is no number is 0, or a pixel wide.
    mutating func setFrame(_ new: WindowRect) {
        let most = Double(1 << 24)
        frame = WindowRect(
            x: new.minX.checked(in: -most...most), y: new.minY.checked(in: -most...most),
            width: new.width.checked(in: 1...most, else: 1), height: new.height.checked(in: 1...most, else: 1))
    }

    /// Whether lines are wrapped indeed.
    var wraps: Bool { wrapsLines && !isSingleLine }

    // MARK: Areas

    /// The view's own rectangle.
    var bounds: ViewRect { ViewRect(x: 0, y: 0, width: frame.width, height: frame.height) }

    /// Height of the strip at the lower edge that shows no text: there is one where lines do not wrap, whether they fit or not.
    var lowerBarHeight: Double { wrapsLines || isSingleLine ? 0 : scrollBarWidth }

    /// The part of the view that shows text: all but the scroll bars. Where lines do not wrap, text goes on below these.
    var textArea: ViewRect {
        ViewRect(
            x: 0, y: 0, width: max(0, frame.width - scrollBarWidth), height: max(0, frame.height - lowerBarHeight))
    }

    /// The part of the document that the view shows.
    var visibleDocumentRect: DocumentRect {
        DocumentRect(origin: documentPoint(ViewPoint(x: 0, y: 0)), size: frame.size)
    }

    /// The width that lines have.
    var roomForText: Double { max(1, frame.width - 2 * margin - scrollBarWidth) }

    /// The height that text has.
    var heightForText: Double { frame.height - 2 * margin - lowerBarHeight }

    /// A band of the document as wide as ``textArea``.
    func textBand(from top: Double, to bottom: Double) -> ViewRect {
        let y = viewPoint(DocumentPoint(x: 0, y: top)).y
        return ViewRect(x: 0, y: y, width: textArea.width, height: bottom - top).integral
    }

    /// Whether a part of the view reaches its upper or lower edge.
    func touchesEdge(_ part: ViewRect) -> Bool { part.minY <= 0 || part.maxY >= textArea.maxY }

    /// How far a point lies left (negative) or right of the text; 0 where nothing scrolls sideways.
    func distanceBeyondSides(_ point: ViewPoint) -> Double {
        guard !wraps else { return 0 }
        return point.x < 0 ? point.x : max(0, point.x - textArea.width)
    }

    /// How far a point lies above (negative) or below the view.
    func distanceBeyondEdges(_ point: ViewPoint) -> Double {
        point.y < 0 ? point.y : max(0, point.y - frame.height)
    }

    // MARK: Spaces

    /// A point of the document in the view.
    func viewPoint(_ point: DocumentPoint) -> ViewPoint {
        ViewPoint(x: point.x - scroll.x + margin, y: point.y - scroll.y + margin)
    }

    /// A rectangle of the document in the view; it may lie outside of what is seen.
    func viewRect(_ rect: DocumentRect) -> ViewRect { ViewRect(origin: viewPoint(rect.origin), size: rect.size) }

    /// The point of the document under a point of the view.
    func documentPoint(_ point: ViewPoint) -> DocumentPoint {
        DocumentPoint(x: point.x + scroll.x - margin, y: point.y + scroll.y - margin)
    }

    /// The part of the document under a part of the view.
    func documentRect(_ rect: ViewRect) -> DocumentRect {
        DocumentRect(origin: documentPoint(rect.origin), size: rect.size)
    }

    /// A part of the view in its window.
    func windowRect(_ rect: ViewRect) -> WindowRect { rect.converted(from: frame.origin) }

    /// A part of the document in the view's window.
    func windowRect(_ rect: DocumentRect) -> WindowRect { windowRect(viewRect(rect)) }

    /// The document's origin in the view's window.
    var documentOriginInWindow: WindowPoint {
        viewPoint(DocumentPoint(x: 0, y: 0)).converted(from: frame.origin)
    }

    /// The view's origin on the root window.
    var rootOrigin: RootPoint { RootPoint(x: windowOrigin.x + frame.minX, y: windowOrigin.y + frame.minY) }
}
