import InkstoneBase
import InkstoneLayout

/// The visible part of a document in a view, and the view's position on the screen. Converts between document, view
/// and window pixels.
///
/// A plain value. Lengths are in device pixels. Everything that depends on the lines is in `Viewport+Scrolling` and
/// `ScrollBar`.
struct Viewport: Hashable, Sendable {
    /// The view's frame in its window; at least one pixel wide and high.
    private(set) var frame = WindowRect(x: 0, y: 0, width: 1, height: 1)
    /// The window's origin on the root window.
    var windowOrigin = RootPoint(x: 0, y: 0)
    var scroll = ScrollPosition()
    /// Whether long lines are wrapped at the view's width, unless the view has a single line.
    var wrapsLines = true
    /// Whether the view has a single line, which is never wrapped.
    var isSingleLine = false

    /// The distance between the view's edge and the text, in pixels.
    private(set) var margin = 0.0
    /// The width of the strip at the right that shows no text, in pixels.
    private(set) var scrollBarWidth = 0.0
    /// The width of the caret, for which room is needed after the longest line, in pixels.
    private(set) var caretWidth = 0.0

    /// Creates a view of one pixel with the distances of a theme.
    init(theme: Theme) { setDistances(of: theme) }

    /// Sets margin, scroll bar and caret to those of a theme.
    mutating func setDistances(of theme: Theme) {
        (margin, scrollBarWidth, caretWidth) = (theme.margin, theme.scrollBarWidth, theme.caretWidth)
    }

    /// Sets the view's frame in its window. Lengths and positions are clamped to the range of pixel arithmetic. An
    /// origin that is not a number becomes 0, and a length that is not a number becomes 1.
    mutating func setFrame(_ new: WindowRect) {
        let most = Double(1 << 24)
        frame = WindowRect(
            x: new.minX.checked(in: -most...most), y: new.minY.checked(in: -most...most),
            width: new.width.checked(in: 1...most, else: 1), height: new.height.checked(in: 1...most, else: 1))
    }

    /// Whether lines are actually wrapped.
    var wraps: Bool { wrapsLines && !isSingleLine }

    // MARK: Areas

    /// The rectangle of the view in its own pixels.
    var bounds: ViewRect { ViewRect(x: 0, y: 0, width: frame.width, height: frame.height) }

    /// The height of the strip at the lower edge that shows no text. Views of several lines that do not wrap always
    /// have it, even if all lines fit.
    var lowerBarHeight: Double { wrapsLines || isSingleLine ? 0 : scrollBarWidth }

    /// The part of the view in which text is painted: all but the strips of the scroll bars. Lines that do not wrap
    /// are cut off at the strips.
    var textArea: ViewRect {
        ViewRect(
            x: 0, y: 0, width: max(0, frame.width - scrollBarWidth), height: max(0, frame.height - lowerBarHeight))
    }

    /// The part of the document that the view shows, in document pixels.
    var visibleDocumentRect: DocumentRect {
        DocumentRect(origin: documentPoint(ViewPoint(x: 0, y: 0)), size: frame.size)
    }

    /// The width that lines of text can use, in pixels: without margins and scroll bar; at least 1.
    var roomForText: Double { max(1, frame.width - 2 * margin - scrollBarWidth) }

    /// The height that text can use, in pixels: without margins and the strip at the lower edge.
    var heightForText: Double { frame.height - 2 * margin - lowerBarHeight }

    /// Returns a band of the document, as wide as ``textArea``, in view pixels.
    func textBand(from top: Double, to bottom: Double) -> ViewRect {
        let y = viewPoint(DocumentPoint(x: 0, y: top)).y
        return ViewRect(x: 0, y: y, width: textArea.width, height: bottom - top).integral
    }

    /// Whether a rectangle of the view reaches the upper edge of the view or the lower edge of the text area.
    func touchesEdge(_ part: ViewRect) -> Bool { part.minY <= 0 || part.maxY >= textArea.maxY }

    /// Returns the horizontal distance of a point outside of the text area, negative to the left; 0 if lines wrap,
    /// since nothing scrolls horizontally.
    func distanceBeyondSides(_ point: ViewPoint) -> Double {
        guard !wraps else { return 0 }
        return point.x < 0 ? point.x : max(0, point.x - textArea.width)
    }

    /// Returns the vertical distance of a point outside of the view, negative above the view.
    func distanceBeyondEdges(_ point: ViewPoint) -> Double {
        point.y < 0 ? point.y : max(0, point.y - frame.height)
    }

    // MARK: Conversions between document, view and window

    /// Converts a point of the document to view pixels.
    func viewPoint(_ point: DocumentPoint) -> ViewPoint {
        ViewPoint(x: point.x - scroll.x + margin, y: point.y - scroll.y + margin)
    }

    /// Converts a rectangle of the document to view pixels; it may lie out of view.
    func viewRect(_ rect: DocumentRect) -> ViewRect { ViewRect(origin: viewPoint(rect.origin), size: rect.size) }

    func documentPoint(_ point: ViewPoint) -> DocumentPoint {
        DocumentPoint(x: point.x + scroll.x - margin, y: point.y + scroll.y - margin)
    }

    func documentRect(_ rect: ViewRect) -> DocumentRect {
        DocumentRect(origin: documentPoint(rect.origin), size: rect.size)
    }

    func windowRect(_ rect: ViewRect) -> WindowRect { rect.converted(from: frame.origin) }

    func windowRect(_ rect: DocumentRect) -> WindowRect { windowRect(viewRect(rect)) }

    /// The document's origin, in window pixels.
    var documentOriginInWindow: WindowPoint {
        viewPoint(DocumentPoint(x: 0, y: 0)).converted(from: frame.origin)
    }

    /// The view's origin on the root window.
    var rootOrigin: RootPoint { RootPoint(x: windowOrigin.x + frame.minX, y: windowOrigin.y + frame.minY) }
}
