import InkstoneBase
import InkstoneLayout
import InkstoneText

/// What a change of the scroll position does to what is seen.
enum ScrollEffect: Hashable {
    /// Nothing.
    case none
    /// All of it moves down by so many pixels, a whole number less than the view's height; up if negative.
    case moved(Double)
    /// All of it is out of date.
    case replaced

    /// This and then another, in a view of a height in pixels.
    func then(_ next: Self, height: Double) -> Self {
        switch (self, next) {
        case (.none, _): next
        case (_, .none): self
        case (.moved(let a), .moved(let b)): abs(a + b) < height ? (a + b == 0 ? .none : .moved(a + b)) : .replaced
        default: .replaced
        }
    }
}

/// Scrolling, as far as the lines of a layout go. Heights may become known on the way; what is seen stays then, by the anchor.
extension Viewport {
    /// Almost the view's height: one line stays in sight.
    func pageStep(in layout: TextLayoutManager) -> Double {
        max(layout.lineHeight, heightForText - layout.lineHeight)
    }

    /// The largest document y that may lie at the top margin: 0 in a view of one line, also if it is too low for it.
    func maximumScroll(in layout: TextLayoutManager) -> Double {
        isSingleLine ? 0 : max(0, (layout.usageHeight - heightForText).rounded(.up))
    }

    /// The largest document x that may lie at the left margin: 0 if all lines that were laid out yet fit, else the end of the widest and
    /// a step beyond it.
    func maximumScrollX(in layout: TextLayoutManager) -> Double {
        guard !wraps else { return 0 }
        // How wide a line in parts is, the layout knows once one of them has its place.
        _ = layout.geometry.lineFragment(at: scroll.anchor.offset)
        let missing = layout.maximumLineWidth + caretWidth - roomForText
        return missing > 0 ? (missing + sidewaysStep(in: layout)).rounded(.up) : 0
    }

    /// How far from its baseline a glyph may be set off and still be painted, and how far away from the view's edges lines are
    /// looked at whose ink may reach into it.
    func inkLimit(in layout: TextLayoutManager) -> Double { 8 * layout.lineHeight }

    /// Scrolls to a place, as near as the ends of the text let.
    mutating func scroll(toY target: Double, x: Double, in layout: TextLayoutManager) -> ScrollEffect {
        var effect = ScrollEffect.none
        var y = target
        if y.rounded() != scroll.y, abs(y - scroll.y) < textArea.height {
            // What comes into sight gets exact heights before, so that all moves by one distance.
            let before = scroll.y
            effect = layOutSurroundings(above: max(0, before - y), below: max(0, y - before), in: layout)
            y += scroll.y - before
        }
        y = min(max(0, y.rounded()), maximumScroll(in: layout))
        // Other lines may be wider than those that were laid out yet; a field has one.
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

    /// Scrolls by a distance, down and to the right if positive.
    mutating func scroll(by dy: Double, dx: Double, in layout: TextLayoutManager) -> ScrollEffect {
        scroll(toY: scroll.y + dy, x: scroll.x + dx, in: layout)
    }

    /// Shows the end of the text.
    mutating func scrollToEnd(in layout: TextLayoutManager) -> ScrollEffect {
        let room = heightForText
        let first = scroll(to: CaretPlace(layout.length), in: layout) { caret, _ in caret.maxY - room }
        return first.then(scroll(toY: .greatestFiniteMagnitude, x: scroll.x, in: layout), height: textArea.height)
    }

    /// Puts the line of an offset at the top.
    mutating func scroll(toLineAt offset: UTF16Offset, in layout: TextLayoutManager) -> ScrollEffect {
        let old = scroll
        let line = layout.geometry.lineFragment(at: offset)
        scroll.anchor = ScrollAnchor(offset: line.utf16Range.lowerBound, distance: 0)
        _ = layOutSurroundings(in: layout)
        scroll.anchor = layout.geometry.scrollAnchor(atY: scroll.y)
        _ = layOutSurroundings(in: layout)
        return scroll == old ? .none : .replaced
    }

    /// Puts the line of a place into the middle of the view.
    mutating func center(_ place: CaretPlace, in layout: TextLayoutManager) -> ScrollEffect {
        let height = frame.height
        return scroll(to: place, in: layout) { caret, _ in caret.minY - (height - caret.height) / 2 }
    }

    /// Scrolls as little as needed to show a place.
    mutating func show(_ place: CaretPlace, in layout: TextLayoutManager) -> ScrollEffect {
        let room = heightForText
        let effect = scroll(to: place, in: layout) { caret, y in
            caret.minY < y || caret.height > room ? caret.minY : max(y, caret.maxY - room)
        }
        guard !wraps else { return effect }
        let caret = layout.geometry.caretRect(at: place.offset, affinity: place.affinity)
        return effect.then(scroll(toY: scroll.y, x: x(showing: caret, in: layout), in: layout), height: textArea.height)
    }

    /// Shows a place; if its line is out of sight, with twice as much room below it as above. Does nothing in a view that has no room
    /// for a line yet.
    mutating func reveal(_ place: CaretPlace, in layout: TextLayoutManager) -> ScrollEffect {
        let room = heightForText
        guard room >= layout.lineHeight else { return .none }
        let effect = scroll(to: place, in: layout) { caret, y in
            caret.minY >= y && caret.maxY <= y + room ? y : caret.minY - max(0, room - caret.height) / 3
        }
        return effect.then(show(place, in: layout), height: textArea.height)
    }

    /// Scrolls up or down to what a place's caret asks for: `target` is given the caret and ``ScrollPosition/y``, and says what that is to be.
    ///
    /// Where text lies between the view and the place that nobody has laid out, the view is held at the place from then on and not by a
    /// height, so that it comes to rest where it should whatever was estimated of what lies between.
    private mutating func scroll(
        to place: CaretPlace, in layout: TextLayoutManager, target: (DocumentRect, Double) -> Double
    ) -> ScrollEffect {
        func wanted(from y: Double) -> Double {
            target(layout.geometry.caretRect(at: place.offset, affinity: place.affinity), y)
        }
        var effect = ScrollEffect.none
        var y = wanted(from: scroll.y)
        if !isKnown(to: place, in: layout) {
            // It may be nearer than was estimated, or farther.
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
            // Where lines do not wrap, heights that become known on the way are few, and none are asked for.
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

    /// Whether all heights between the view's top and a place are known, so that their difference is.
    private func isKnown(to place: CaretPlace, in layout: TextLayoutManager) -> Bool {
        !wraps || layout.geometry.isLaidOut(from: scroll.anchor.offset, to: place.offset)
    }

    /// What to scroll to sideways so that a caret is in sight. Who types or moves on beyond an edge gets an eighth of the view
    /// at once: not every key moves all that is seen.
    private func x(showing caret: DocumentRect, in layout: TextLayoutManager) -> Double {
        guard !wraps else { return 0 }
        if caret.maxX > scroll.x + roomForText { return caret.maxX - roomForText + sidewaysStep(in: layout) }
        if caret.minX < scroll.x { return caret.minX - sidewaysStep(in: layout) }
        return scroll.x
    }

    private func sidewaysStep(in layout: TextLayoutManager) -> Double {
        min(roomForText / 8, 16 * layout.columnWidth).rounded()
    }

    // MARK: The line at the top

    /// Lays out what is in sight and what may reach into it, and so many pixels more, without moving what is seen: else asking
    /// for a line above the view would move those in it.
    mutating func layOutSurroundings(
        above: Double = 0, below: Double = 0, in layout: TextLayoutManager
    ) -> ScrollEffect {
        let limit = inkLimit(in: layout)
        layout.ensureLayout(
            around: scroll.anchor, above: margin + limit + above, below: frame.height + limit + below)
        return restoreAnchor(in: layout)
    }

    /// Puts the remembered place to the top again after heights or the width have changed. A field is scrolled no further than its text
    /// needs then.
    mutating func restoreAnchor(in layout: TextLayoutManager) -> ScrollEffect {
        let effect = restoreY(in: layout)
        guard isSingleLine, scroll.x > 0 else { return effect }
        let x = min(scroll.x, maximumScrollX(in: layout))
        guard x != scroll.x else { return effect }
        scroll.x = x
        return .replaced
    }

    private mutating func restoreY(in layout: TextLayoutManager) -> ScrollEffect {
        let isAtStart = scroll.anchor.offset == 0 && scroll.anchor.distance == 0
        let y = isAtStart ? 0 : layout.geometry.y(of: scroll.anchor).rounded()
        let clamped = min(max(0, y), maximumScroll(in: layout))
        guard clamped != scroll.y else { return .none }
        scroll.y = clamped
        guard clamped != y else { return .none }
        // The text got shorter than what was scrolled to: what is seen has moved.
        scroll.anchor = layout.geometry.scrollAnchor(atY: clamped)
        return .replaced
    }
}
