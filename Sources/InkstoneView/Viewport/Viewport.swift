import InkstoneBase
import InkstoneLayout

/// The visible part of a document in a view, and its position on the screen: converts between the spaces of document, view, window and root.
///
/// A plain value. Lengths are device pixels; everything that depends on the lines is a function of their layout (`Viewport+Scrolling`).
struct Viewport: Hashable, Sendable {
    /// The view's frame in its window; at least one pixel wide and high.
    private(set) var frame = WindowRect(x: 0, y: 0, width: 1, height: 1)
    /// The window's origin on the root window.
    var windowOrigin = RootPoint(x: 0, y: 0)
    /// The scroll position of the text.
    var scroll = ScrollPosition()
    /// Whether long lines are wrapped at the view's width, and whether the view has a single line, which is never wrapped.
    var wrapsLines = true
    var isSingleLine = false

    /// Distance between the view's edge and the text.
    private(set) var margin = 0.0
    /// Width of the strip at the right that shows no text.
    private(set) var scrollBarWidth = 0.0
    /// Width of the caret, which needs room behind the longest line.
    private(set) var caretWidth = 0.0

    /// Creates a view of one pixel with the distances of a theme.
    init(theme: Theme) { setDistances(of: theme) }

    /// Sets margin, scroll bar and caret to those of a theme.
    mutating func setDistances(of theme: Theme) {
        (margin, scrollBarWidth, caretWidth) = (theme.margin, theme.scrollBarWidth, theme.caretWidth)
    }

    /// Sets the view's frame in its window. Lengths are clamped to the range of pixel arithmetic; an origin that is not a number becomes 0, a
    /// length 1.
    mutating func setFrame(_ new: WindowRect) {
        let most = Double(1 << 24)
        frame = WindowRect(
            x: new.minX.checked(in: -most...most), y: new.minY.checked(in: -most...most),
            width: new.width.checked(in: 1...most, else: 1), height: new.height.checked(in: 1...most, else: 1))
    }

    /// Whether lines are actually wrapped.
    var wraps: Bool { wrapsLines && !isSingleLine }

    // MARK: Areas

    /// The view's own rectangle.
    var bounds: ViewRect { ViewRect(x: 0, y: 0, width: frame.width, height: frame.height) }

    /// Height of the strip at the lower edge that shows no text: present wherever lines do not wrap, whether they fit or not.
    var lowerBarHeight: Double { wrapsLines || isSingleLine ? 0 : scrollBarWidth }

    /// The part of the view that shows text: all but the scroll bars. Where lines do not wrap, text continues below these.
    var textArea: ViewRect {
        ViewRect(
            x: 0, y: 0, width: max(0, frame.width - scrollBarWidth), height: max(0, frame.height - lowerBarHeight))
    }

    /// The part of the document that the view shows.
    var visibleDocumentRect: DocumentRect {
        DocumentRect(origin: documentPoint(ViewPoint(x: 0, y: 0)), size: frame.size)
    }

    /// The width available to lines.
    var roomForText: Double { max(1, frame.width - 2 * margin - scrollBarWidth) }

    /// The height available to text.
    var heightForText: Double { frame.height - 2 * margin - lowerBarHeight }

    /// Returns a band of the document as wide as ``textArea``.
    func textBand(from top: Double, to bottom: Double) -> ViewRect {
        let y = viewPoint(DocumentPoint(x: 0, y: top)).y
        return ViewRect(x: 0, y: y, width: textArea.width, height: bottom - top).integral
    }

    /// Whether a part of the view reaches its upper or lower edge.
    func touchesEdge(_ part: ViewRect) -> Bool { part.minY <= 0 || part.maxY >= textArea.maxY }

    /// Returns the distance of a point left (negative) or right of the text; 0 where nothing scrolls sideways.
    func distanceBeyondSides(_ point: ViewPoint) -> Double {
        guard !wraps else { return 0 }
        return point.x < 0 ? point.x : max(0, point.x - textArea.width)
    }

    /// Returns the distance of a point above (negative) or below the view.
    func distanceBeyondEdges(_ point: ViewPoint) -> Double {
        point.y < 0 ? point.y : max(0, point.y - frame.height)
    }

    // MARK: Spaces

    /// Returns the point of the view for a point of the document.
    func viewPoint(_ point: DocumentPoint) -> ViewPoint {
        ViewPoint(x: point.x - scroll.x + margin, y: point.y - scroll.y + margin)
    }

    /// Returns the rectangle of the view for one of the document; it may lie outside of the visible part.
    func viewRect(_ rect: DocumentRect) -> ViewRect { ViewRect(origin: viewPoint(rect.origin), size: rect.size) }

    /// Returns the point of the document under a point of the view.
    func documentPoint(_ point: ViewPoint) -> DocumentPoint {
        DocumentPoint(x: point.x + scroll.x - margin, y: point.y + scroll.y - margin)
    }

    /// Returns the part of the document under a part of the view.
    func documentRect(_ rect: ViewRect) -> DocumentRect {
        DocumentRect(origin: documentPoint(rect.origin), size: rect.size)
    }

    /// Returns the window's rectangle for a part of the view.
    func windowRect(_ rect: ViewRect) -> WindowRect { rect.converted(from: frame.origin) }

    /// Returns the window's rectangle for a part of the document.
    func windowRect(_ rect: DocumentRect) -> WindowRect { windowRect(viewRect(rect)) }

    /// The document's origin in the view's window.
    var documentOriginInWindow: WindowPoint {
        viewPoint(DocumentPoint(x: 0, y: 0)).converted(from: frame.origin)
    }

    /// The view's origin on the root window.
    var rootOrigin: RootPoint { RootPoint(x: windowOrigin.x + frame.minX, y: windowOrigin.y + frame.minY) }
}
