import InkstoneBase
import InkstoneLayout
import InkstoneText

/// How the caret shows: when, and as which rectangles.
struct CaretDisplay {
    /// When it is on.
    var blink = CaretBlink()
    /// The box of text that is typed at the primary caret; nil where that is the line's.
    var box: TextBox?
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
        var box: TextBox?
    }

    /// The rectangles worked out last: one key asks for them several times.
    private var known: (key: Key, parts: [ColoredRect])?

    init() {}

    /// What the rectangles of the only caret come from as all is now; nil if there is another number of them.
    @inline(__always)
    private func key(in scene: TextScene) -> Key? {
        guard let selection = scene.selection, selection.count == 1, selection.isCaret else { return nil }
        return Key(
            generation: scene.layout.generation,
            place: CaretPlace(selection.head, affinity: selection.primary.affinity), viewport: scene.viewport,
            keyboardIsRightToLeft: keyboardIsRightToLeft, isActive: scene.isFocused, box: box)
    }

    /// The rectangles that were kept, if nothing that they come from has changed.
    @inline(__always)
    func known(in scene: TextScene) -> [ColoredRect]? {
        guard let known, known.key == key(in: scene) else { return nil }
        return known.parts
    }

    /// Keeps rectangles. Called after they were worked out, which may have laid out: the key is that of what is laid out now.
    mutating func keep(_ parts: [ColoredRect], in scene: TextScene) { known = key(in: scene).map { ($0, parts) } }

    /// What is painted for each caret in sight, in view pixels: carets out of sight are not laid out for.
    ///
    /// - Parameter covering: what the next letter replaces that is typed at an offset; nil if it replaces nothing.
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

    /// The line that a caret shows below what it types over.
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

    /// The colours are others.
    mutating func forget() { known = nil }

    /// All that is painted for a caret: what ``view`` makes of it.
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

    /// The caret alone, in view pixels.
    func bar(at place: CaretPlace, in viewport: Viewport, _ layout: TextLayoutManager) -> ViewRect {
        Self.bar(layout.geometry.caretRect(at: place.offset, affinity: place.affinity), in: viewport)
    }

    private static func bar(_ rect: DocumentRect, in viewport: Viewport) -> ViewRect {
        var rect = viewport.viewRect(rect)
        let x = rect.origin.x.rounded()
        let left = x - (viewport.caretWidth / 2).rounded(.down)
        // At the view's edge all of it shows; what is scrolled out of sight there stays so.
        rect.origin.x = x < 0 ? left : max(0, left)
        rect.size.width = viewport.caretWidth
        return rect
    }
}

extension Selection {
    /// Whether any of its ranges is a caret.
    var hasCaret: Bool { count == 1 ? isCaret : ranges.contains(where: \.isCaret) }
}
