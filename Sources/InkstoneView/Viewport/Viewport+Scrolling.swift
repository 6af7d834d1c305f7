import InkstoneBase
import InkstoneLayout
import InkstoneText

/// The effect that a change of the scroll position has on the painted pixels.
enum ScrollEffect: Hashable {
    /// No pixel moves.
    case none
    /// All pixels move down by this whole number of pixels, up if negative. The distance is less than the view's
    /// height.
    case moved(Double)
    /// All pixels are out of date.
    case replaced

    /// Returns the combined effect of this effect followed by another one, in a view that is `height` pixels high.
    func then(_ next: Self, height: Double) -> Self {
        switch (self, next) {
        case (.none, _): next
        case (_, .none): self
        case (.moved(let a), .moved(let b)): abs(a + b) < height ? (a + b == 0 ? .none : .moved(a + b)) : .replaced
        default: .replaced
        }
    }
}

/// Scrolling over the lines of a layout. Heights may become exact meanwhile; the scroll position's anchor then
/// keeps the visible text in position.
extension Viewport {
    /// Returns the distance of a page: the view's height less one line, so that this line remains visible; at least
    /// one line.
    func pageStep(in layout: TextLayoutManager) -> Double {
        max(layout.lineHeight, heightForText - layout.lineHeight)
    }

    /// Returns the largest y of the scroll position: 0 in a single-line view, even if the view is lower than its
    /// line.
    func maximumScroll(in layout: TextLayoutManager) -> Double {
        isSingleLine ? 0 : max(0, (layout.usageHeight - heightForText).rounded(.up))
    }

    /// Returns the largest x of the scroll position. 0 if lines wrap, or if all lines laid out so far fit.
    /// Otherwise the view can scroll one step beyond the end of the widest line.
    func maximumScrollX(in layout: TextLayoutManager) -> Double {
        guard !wraps else { return 0 }
        // If the anchored line is laid out in parts, its width is only known once one of the parts has been
        // positioned. Do that first.
        _ = layout.geometry.lineFragment(at: scroll.anchor.offset)
        let missing = layout.maximumLineWidth + caretWidth - roomForText
        return missing > 0 ? (missing + sidewaysStep(in: layout)).rounded(.up) : 0
    }

    /// Returns the largest distance of a glyph from its baseline at which the glyph is still painted. Lines up to
    /// this distance outside of the view are checked for ink that is visible.
    func inkLimit(in layout: TextLayoutManager) -> Double { 8 * layout.lineHeight }

    /// Scrolls to a position, which is clamped to the text.
    mutating func scroll(toY target: Double, x: Double, in layout: TextLayoutManager) -> ScrollEffect {
        var effect = ScrollEffect.none
        var y = target
        if y.rounded() != scroll.y, abs(y - scroll.y) < textArea.height {
            // Lay out the lines that become visible before scrolling. All text then moves by the same distance.
            let before = scroll.y
            effect = layOutSurroundings(above: max(0, before - y), below: max(0, y - before), in: layout)
            y += scroll.y - before
        }
        y = min(max(0, y.rounded()), maximumScroll(in: layout))
        // Keep an x beyond the present maximum: lines that are not laid out yet may be wider than the known ones.
        // In a field, the only line is known.
        let known = isSingleLine ? 0 : min(x.rounded(), scroll.x)
        let x = min(max(0, x.rounded()), max(maximumScrollX(in: layout), known))
        guard y != scroll.y || x != scroll.x else { return effect }
        let (dy, dx) = (scroll.y - y, scroll.x - x)
        (scroll.x, scroll.y) = (x, y)
        scroll.anchor = layout.geometry.scrollAnchor(atY: y)
        if abs(dy) >= textArea.height { _ = layOutSurroundings(in: layout) }
        let moved = dx != 0 || abs(dy) >= textArea.height ? ScrollEffect.replaced : .moved(dy)
        return effect.then(moved, height: textArea.height)
    }

    /// Scrolls by a distance in pixels, down and to the right if positive.
    mutating func scroll(by dy: Double, dx: Double, in layout: TextLayoutManager) -> ScrollEffect {
        scroll(toY: scroll.y + dy, x: scroll.x + dx, in: layout)
    }

    mutating func scrollToEnd(in layout: TextLayoutManager) -> ScrollEffect {
        let room = heightForText
        let first = scroll(to: CaretPlace(layout.length), in: layout) { caret, _ in caret.maxY - room }
        return first.then(scroll(toY: .greatestFiniteMagnitude, x: scroll.x, in: layout), height: textArea.height)
    }

    /// Scrolls so that the line of an offset is at the top of the view.
    mutating func scroll(toLineAt offset: UTF16Offset, in layout: TextLayoutManager) -> ScrollEffect {
        let old = scroll
        let line = layout.geometry.lineFragment(at: offset)
        scroll.anchor = ScrollAnchor(offset: line.utf16Range.lowerBound, distance: 0)
        _ = layOutSurroundings(in: layout)
        scroll.anchor = layout.geometry.scrollAnchor(atY: scroll.y)
        _ = layOutSurroundings(in: layout)
        return scroll == old ? .none : .replaced
    }

    /// Scrolls so that the line of a caret position is in the middle of the view.
    mutating func center(_ place: CaretPlace, in layout: TextLayoutManager) -> ScrollEffect {
        let height = frame.height
        return scroll(to: place, in: layout) { caret, _ in caret.minY - (height - caret.height) / 2 }
    }

    /// Scrolls up or down by the least distance that makes a caret position visible. If lines do not wrap, also
    /// scrolls sideways if the position is out of view: see ``x(showing:in:)``.
    mutating func show(_ place: CaretPlace, in layout: TextLayoutManager) -> ScrollEffect {
        let room = heightForText
        let effect = scroll(to: place, in: layout) { caret, y in
            caret.minY < y || caret.height > room ? caret.minY : max(y, caret.maxY - room)
        }
        guard !wraps else { return effect }
        let caret = layout.geometry.caretRect(at: place.offset, affinity: place.affinity)
        return effect.then(scroll(toY: scroll.y, x: x(showing: caret, in: layout), in: layout), height: textArea.height)
    }

    /// Scrolls so that a caret position is visible. If the position's line is out of view, the line is placed with
    /// twice as much room below as above. Does nothing in a view that has no room for a line yet.
    mutating func reveal(_ place: CaretPlace, in layout: TextLayoutManager) -> ScrollEffect {
        let room = heightForText
        guard room >= layout.lineHeight else { return .none }
        let effect = scroll(to: place, in: layout) { caret, y in
            caret.minY >= y && caret.maxY <= y + room ? y : caret.minY - max(0, room - caret.height) / 3
        }
        return effect.then(show(place, in: layout), height: textArea.height)
    }

    /// Scrolls vertically for a caret position. `target` receives the caret's rectangle and the present
    /// ``ScrollPosition/y``, and returns the y to scroll to.
    ///
    /// If heights between the view and the position are estimated, the view is anchored at the position instead of
    /// scrolled by a distance. The result then does not depend on the estimates.
    private mutating func scroll(
        to place: CaretPlace, in layout: TextLayoutManager, target: (DocumentRect, Double) -> Double
    ) -> ScrollEffect {
        func wanted(from y: Double) -> Double {
            let caret = layout.geometry.caretRect(at: place.offset, affinity: place.affinity)
            let wanted = target(caret, y)
            // If the first line of the text is to be at the top of the view, scroll to the very start. The space
            // above the line is then visible too.
            guard wanted > 0, wanted < y, wanted <= caret.minY else { return wanted }
            let line = layout.geometry.lineFragment(at: place.offset, affinity: place.affinity)
            return line.utf16Range.lowerBound == 0 && wanted <= line.top ? 0 : wanted
        }
        var effect = ScrollEffect.none
        var y = wanted(from: scroll.y)
        if !isKnown(to: place, in: layout) {
            // The exact distance may differ from the estimated one: lay out the visible lines and compute the
            // target again.
            effect = layOutSurroundings(in: layout)
            y = wanted(from: scroll.y)
        } else if y == scroll.y {
            return .none
        }
        if abs(y - scroll.y) < textArea.height {
            let before = scroll.y
            let moved = layOutSurroundings(above: max(0, before - y), below: max(0, y - before), in: layout)
            effect = effect.then(moved, height: textArea.height)
            y = wanted(from: scroll.y)
        }
        if isKnown(to: place, in: layout) {
            // Scrolling may make a few heights exact, which changes the target: repeat a few times.
            for _ in 0..<3 where y != scroll.y {
                effect = effect.then(scroll(toY: y, x: scroll.x, in: layout), height: textArea.height)
                y = wanted(from: scroll.y)
            }
            return effect
        }
        let old = scroll
        let line = layout.geometry.lineFragment(at: place.offset, affinity: place.affinity)
        scroll.anchor = ScrollAnchor(offset: line.utf16Range.lowerBound, distance: (y - line.top).rounded())
        _ = layOutSurroundings(above: max(0, -scroll.anchor.distance), in: layout)
        scroll.anchor = layout.geometry.scrollAnchor(atY: scroll.y)
        _ = layOutSurroundings(in: layout)
        return scroll == old ? effect : .replaced
    }

    /// Whether all heights between the view's top and a caret position are exact. The distance between the two is
    /// then exact.
    private func isKnown(to place: CaretPlace, in layout: TextLayoutManager) -> Bool {
        !wraps || layout.geometry.isLaidOut(from: scroll.anchor.offset, to: place.offset)
    }

    /// Returns the x of the scroll position that makes a caret visible. For a caret beyond an edge, the view
    /// scrolls by an extra eighth of its width, at most 16 columns. The text then does not move at each key.
    private func x(showing caret: DocumentRect, in layout: TextLayoutManager) -> Double {
        guard !wraps else { return 0 }
        if caret.maxX > scroll.x + roomForText { return caret.maxX - roomForText + sidewaysStep(in: layout) }
        if caret.minX < scroll.x { return caret.minX - sidewaysStep(in: layout) }
        return scroll.x
    }

    private func sidewaysStep(in layout: TextLayoutManager) -> Double {
        min(roomForText / 8, 16 * layout.columnWidth).rounded()
    }

    // MARK: Keeping the anchored line in position

    /// Lays out the visible lines, those outside whose ink may be visible, and `above` and `below` pixels more,
    /// without moving the visible text. If these lines were not laid out, a later request for a line above the view
    /// would move the visible lines.
    mutating func layOutSurroundings(
        above: Double = 0, below: Double = 0, in layout: TextLayoutManager
    ) -> ScrollEffect {
        let limit = inkLimit(in: layout)
        layout.ensureLayout(
            around: scroll.anchor, above: margin + limit + above, below: frame.height + limit + below)
        return restoreAnchor(in: layout)
    }

    /// Scrolls so that the anchored line keeps its position in the view, after heights or the width have changed. A
    /// single-line view is also scrolled back horizontally if its text has become shorter.
    mutating func restoreAnchor(in layout: TextLayoutManager) -> ScrollEffect {
        let effect = restoreY(in: layout)
        guard isSingleLine, scroll.x > 0 else { return effect }
        let x = min(scroll.x, maximumScrollX(in: layout))
        guard x != scroll.x else { return effect }
        scroll.x = x
        return .replaced
    }

    private mutating func restoreY(in layout: TextLayoutManager) -> ScrollEffect {
        // At the start of the text, the anchor may stand for the top of the first line, or for the top of the space
        // above that line. If the scroll position is 0, it stands for the top of the space.
        let isAtStart = scroll.y == 0 && scroll.anchor.offset == 0 && scroll.anchor.distance == 0
        let y = isAtStart ? 0 : layout.geometry.y(of: scroll.anchor).rounded()
        let clamped = min(max(0, y), maximumScroll(in: layout))
        guard clamped != scroll.y else { return .none }
        scroll.y = clamped
        guard clamped != y else { return .none }
        // The text has become shorter than the scroll position, and the visible text has moved: set the anchor
        // again.
        scroll.anchor = layout.geometry.scrollAnchor(atY: clamped)
        return .replaced
    }
}
