import InkstoneBase
import InkstoneLayout
import InkstoneText

/// How the caret shows: when, and as which rectangles.
struct CaretDisplay {
    /// When it is on.
    var blink = CaretBlink()
    /// How it looks.
    var view: any TextCursorView = StandardTextCursorView() { didSet { known = nil } }
    /// Whether the keyboard types letters that are written from right to left: the flag tells it.
    var keyboardIsRightToLeft = false

    /// What a single caret's rectangles come from; as long as it stays, they do.
    struct Key: Equatable {
        /// That of the layout: it grows with everything that may move a line.
        var generation: Int
        var place: CaretPlace
        var viewport: Viewport
        var keyboardIsRightToLeft: Bool
        var isActive: Bool
    }

    /// The rectangles worked out last: one key asks for them several times.
    private var known: (key: Key, parts: [ColoredRect])?

    init() {}

    /// What the rectangles of a caret come from as all is now.
    @inline(__always)
    func key(_ place: CaretPlace, isActive: Bool, in viewport: Viewport, _ layout: TextLayoutManager) -> Key {
        Key(
            generation: layout.generation, place: place, viewport: viewport,
            keyboardIsRightToLeft: keyboardIsRightToLeft, isActive: isActive)
    }

    /// The rectangles that were kept for a key, if it is this one.
    @inline(__always)
    func parts(for key: Key) -> [ColoredRect]? { known.flatMap { $0.key == key ? $0.parts : nil } }

    /// Keeps rectangles. Of the time after working them out, which may have laid out.
    mutating func keep(_ parts: [ColoredRect], for key: Key) { known = (key, parts) }

    /// The colours are others.
    mutating func forget() { known = nil }

    /// All that is painted for a caret: what ``view`` makes of it.
    func parts(
        at place: CaretPlace, isActive: Bool, in viewport: Viewport, _ layout: TextLayoutManager, _ theme: Theme
    ) -> [ColoredRect] {
        var cursor = TextCursor(bar(at: place, in: viewport, layout))
        cursor.secondary = layout.geometry.secondaryCaretRect(at: place.offset, affinity: place.affinity).map {
            Self.bar($0, in: viewport)
        }
        cursor.typesRightToLeft = keyboardIsRightToLeft
        cursor.isActive = isActive
        return view.shape(of: cursor, in: theme)
    }

    /// The caret alone, in view pixels.
    func bar(at place: CaretPlace, in viewport: Viewport, _ layout: TextLayoutManager) -> ViewRect {
        Self.bar(layout.geometry.caretRect(at: place.offset, affinity: place.affinity), in: viewport)
    }

    private static func bar(_ rect: DocumentRect, in viewport: Viewport) -> ViewRect {
        var rect = viewport.viewRect(rect)
        rect.origin.x = max(0, rect.origin.x.rounded() - (viewport.caretWidth / 2).rounded(.down))
        rect.size.width = viewport.caretWidth
        return rect
    }
}
