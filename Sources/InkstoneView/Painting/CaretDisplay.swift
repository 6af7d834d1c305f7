import InkstoneBase
import InkstoneLayout
import InkstoneText

/// The display of a view's carets: the blinking, and the carets' rectangles.
struct CaretDisplay {
    var blink = CaretBlink()
    /// The box of text typed at the primary caret, in a text with styles: the caret is as high as this box. Nil for a
    /// caret as high as the line.
    var box: TextBox?
    /// The view that draws carets.
    var view: any TextCursorView = StandardTextCursorView() { didSet { known = nil } }
    /// Whether the keyboard types right-to-left letters. A split caret shows this by a flag.
    var keyboardIsRightToLeft = false

    /// The state from which the rectangles of a single caret are computed. Equal keys give equal rectangles.
    struct Key: Equatable {
        /// The layout's generation, which grows with each change that may move a line.
        var generation: Int
        var place: CaretPlace
        var viewport: Viewport
        var keyboardIsRightToLeft: Bool
        var isActive: Bool
        var box: TextBox?
    }

    /// The rectangles computed last, kept because one key press requests them several times.
    private var known: (key: Key, parts: [ColoredRect])?

    init() {}

    /// Returns the ``Key`` of the caret's rectangles in the present state; nil unless the selection is a single caret.
    @inline(__always)
    private func key(in scene: TextScene) -> Key? {
        guard let selection = scene.selection, selection.count == 1, selection.isCaret else { return nil }
        return Key(
            generation: scene.layout.generation,
            place: CaretPlace(selection.head, affinity: selection.primary.affinity), viewport: scene.viewport,
            keyboardIsRightToLeft: keyboardIsRightToLeft, isActive: scene.isFocused, box: box)
    }

    /// Returns the caret's rectangles computed last; nil if their ``Key`` has changed since.
    @inline(__always)
    func known(in scene: TextScene) -> [ColoredRect]? {
        guard let known, known.key == key(in: scene) else { return nil }
        return known.parts
    }

    /// Keeps the rectangles of a single caret. Call this after they were computed: computing them may lay out
    /// lines, which changes the layout's generation in the key.
    mutating func keep(_ parts: [ColoredRect], in scene: TextScene) { known = key(in: scene).map { ($0, parts) } }

    /// Returns the rectangles of each visible caret, in view pixels. Carets out of view are not laid out.
    ///
    /// - Parameter covering: returns the range that the next letter typed at an offset replaces; nil if letters do
    ///   not replace text.
    func parts(
        in scene: TextScene, covering: ((UTF16Offset) -> Range<UTF16Offset>)?, _ theme: Theme
    ) -> [ColoredRect] {
        guard let selection = scene.selection, selection.hasCaret else { return [] }
        var places = [selection.primary.place]
        if selection.count > 1 {
            places = selection.ranges(touching: scene.visibleRange).filter(\.isCaret).map(\.place)
        } else if !scene.layout.geometry.mayShow(selection.head, in: scene.viewport.visibleDocumentRect) {
            return []
        }
        var result: [ColoredRect] = []
        for place in places {
            let parts = parts(at: place, isActive: scene.isFocused, in: scene.viewport, scene.layout, theme)
            result += parts
            if let covering, let color = parts.first?.color,
                let line = Self.line(below: covering(place.offset), in: scene, theme)
            {
                result.append(ColoredRect(line, color))
            }
        }
        return result
    }

    /// Returns the rectangle of the bar under the text that the next letter replaces; nil if it replaces none, or
    /// if that text is out of view.
    private static func line(below range: Range<UTF16Offset>, in scene: TextScene, _ theme: Theme) -> ViewRect? {
        let viewport = scene.viewport
        guard !range.isEmpty,
            let first = scene.layout.geometry.selectionRects(for: range, within: viewport.visibleDocumentRect).first
        else { return nil }
        var rect = viewport.viewRect(first.rect)
        rect.origin.y = rect.maxY - theme.caretWidth
        rect.size.height = theme.caretWidth
        return rect
    }

    /// Discards the kept rectangles after a theme change.
    mutating func forget() { known = nil }

    /// Returns the rectangles that ``view`` draws for a caret.
    func parts(
        at place: CaretPlace, isActive: Bool, in viewport: Viewport, _ layout: TextLayoutManager, _ theme: Theme
    ) -> [ColoredRect] {
        var cursor = TextCursor(bar(at: place, in: viewport, layout))
        if let box {
            let line = layout.geometry.lineFragment(at: place.offset, affinity: place.affinity)
            let lower = viewport.viewRect(line.typographicBounds).minY + line.baseline - line.top
            (cursor.rect.origin.y, cursor.rect.size.height) = (lower - box.ascent, max(1, box.ascent + box.descent))
            cursor.leans = box.leans
        }
        cursor.secondary = layout.geometry.secondaryCaretRect(at: place.offset, affinity: place.affinity).map {
            Self.bar($0, in: viewport)
        }
        cursor.typesRightToLeft = keyboardIsRightToLeft
        cursor.isActive = isActive
        return view.shape(of: cursor, in: theme)
    }

    /// Returns the rectangle of a caret without flag or second caret, in view pixels.
    func bar(at place: CaretPlace, in viewport: Viewport, _ layout: TextLayoutManager) -> ViewRect {
        Self.bar(layout.geometry.caretRect(at: place.offset, affinity: place.affinity), in: viewport)
    }

    private static func bar(_ rect: DocumentRect, in viewport: Viewport) -> ViewRect {
        var rect = viewport.viewRect(rect)
        let x = rect.origin.x.rounded()
        let left = x - (viewport.caretWidth / 2).rounded(.down)
        // If the caret is at the view's edge, move it inwards so that it is wholly visible. A caret that is
        // scrolled out of view stays out of view.
        rect.origin.x = x < 0 ? left : max(0, left)
        rect.size.width = viewport.caretWidth
        return rect
    }
}

extension Selection {
    /// Whether any selected range is a caret.
    var hasCaret: Bool { count == 1 ? isCaret : ranges.contains(where: \.isCaret) }
}
