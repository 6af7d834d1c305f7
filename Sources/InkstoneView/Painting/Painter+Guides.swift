import InkstoneBase
import InkstoneLayout
import InkstoneText

/// Painting of ``TextGuides``: symbols for white space, and the background of lines with a caret.
extension Painter {
    // MARK: Lines of carets

    /// Returns the rectangles of the visible lines with a caret, in view pixels, as wide as the text area. Empty unless
    /// `guides` contains `caretLine`.
    func caretLines(in scene: TextScene) -> [ViewRect] {
        guard guides.contains(.caretLine), let selection = scene.selection, selection.hasCaret else { return [] }
        var places = [selection.primary.place]
        if selection.count > 1 {
            places = selection.ranges(touching: scene.visibleRange).filter(\.isCaret).map(\.place)
        } else if !scene.layout.geometry.mayShow(selection.head, in: scene.viewport.visibleDocumentRect) {
            return []
        }
        return places.map { place in
            let line = scene.layout.geometry.lineFragment(at: place.offset, affinity: place.affinity)
            return scene.viewport.textBand(from: line.top, to: line.bottom)
        }
    }

    /// Damages the lines that have got or lost a caret since they were painted.
    func damageCaretLines(in scene: TextScene, _ report: Report) {
        guard guides.contains(.caretLine) || !shownCaretLines.isEmpty else { return }
        let lines = caretLines(in: scene)
        guard lines != shownCaretLines else { return }
        for line in Set(lines).symmetricDifference(shownCaretLines) { report(.paint(line)) }
        shownCaretLines = lines
    }

    /// Paints the background of the lines with a caret.
    func paintCaretLines(of scene: TextScene, on canvas: any Canvas, within visible: ViewRect) {
        for line in caretLines(in: scene) where line.intersects(visible) {
            canvas.fill(scene.viewport.windowRect(line), theme.caretLine)
        }
    }

    // MARK: White space

    /// Paints a symbol for each space, tab, line break and end of a paragraph within `area`, in document pixels. Does
    /// nothing unless `guides` contains `whiteSpace`, or if the text is masked. O(n) for the clusters of the lines
    /// there.
    func paintWhiteSpace(
        of fragments: [TextLayoutFragment], _ scene: TextScene, within area: DocumentRect, on canvas: any Canvas
    ) {
        guard guides.contains(.whiteSpace), !scene.layout.masksCharacters else { return }
        let text = scene.layout.store.text
        for line in fragments.flatMap(\.textLineFragments) where line.top < area.maxY && line.bottom > area.minY {
            // The middle of the symbols: about halfway between the baseline and the top of small letters.
            let middle = (line.baseline - (line.baseline - line.top) * 0.3).rounded()
            var pen = SignPen(y: middle, unit: theme.underlineWidth)
            line.forEachCluster { cluster, _, units in
                guard units.count == 1, cluster.x < area.maxX, cluster.x + cluster.width > area.minX else { return }
                pen.draw(units[0], from: cluster.x, width: cluster.width, isRightToLeft: cluster.isRightToLeft)
            } missing: { _ in
            }
            let range = line.utf16Range
            let last = max(range.lowerBound, range.upperBound.advanced(by: -1))
            let unit = text.utf16(in: last..<range.upperBound).first
            if let unit, [0x0a, 0x0d, 0x85, 0x2028, 0x2029].contains(unit) {
                let bounds = line.typographicBounds
                let isRightToLeft = scene.layout.geometry.isParagraphRightToLeft(at: range.lowerBound)
                pen.drawEnd(at: isRightToLeft ? bounds.minX : bounds.maxX, isRightToLeft: isRightToLeft)
            }
            for part in pen.parts where part.intersects(area) {
                canvas.fill(scene.viewport.windowRect(part), theme.placeholder)
            }
        }
    }
}

/// A pen that draws the white-space symbols of a line, as rectangles in document pixels.
private struct SignPen {
    /// The y of the middle of the symbols.
    let y: Double
    /// The thickness of a thin line of a symbol.
    let unit: Double
    private(set) var parts: [DocumentRect] = []

    init(y: Double, unit: Double) { (self.y, self.unit) = (y, unit) }

    private mutating func fill(_ x: Double, _ y: Double, _ width: Double, _ height: Double) {
        parts.append(DocumentRect(x: x.rounded(), y: y.rounded(), width: width, height: height))
    }

    /// Draws the symbol of a UTF-16 unit within the unit's advance. Draws nothing for a unit that is not white
    /// space.
    mutating func draw(_ character: UInt16, from x: Double, width: Double, isRightToLeft: Bool) {
        let middle = x + width / 2
        switch character {
        case 0x09:
            guard width >= 6 * unit else { return fill(middle - unit, y - unit, 2 * unit, 2 * unit) }
            drawArrow(from: x + unit, to: x + width - 2 * unit, isRightToLeft: isRightToLeft)
        case 0x20, 0x1680, 0x2000...0x200a, 0x205f: fill(middle - unit, y - unit, 2 * unit, 2 * unit)
        case 0xa0, 0x202f:
            // A dot with a bar below, for a no-break space.
            fill(middle - unit, y - unit, 2 * unit, 2 * unit)
            fill(middle - 2 * unit, y + 3 * unit, 4 * unit, unit)
        case 0x3000:
            let side = 6 * unit
            fill(middle - side / 2, y - side / 2, side, unit)
            fill(middle - side / 2, y + side / 2 - unit, side, unit)
            fill(middle - side / 2, y - side / 2, unit, side)
            fill(middle + side / 2 - unit, y - side / 2, unit, side)
        default: break
        }
    }

    private mutating func drawArrow(from left: Double, to right: Double, isRightToLeft: Bool) {
        fill(left, y, right - left, unit)
        let tip = isRightToLeft ? left : right - unit
        for step in [1.0, 2, 3] {
            let x = tip + (isRightToLeft ? step : -step) * unit
            fill(x, y - step * unit, unit, unit)
            fill(x, y + step * unit, unit, unit)
        }
    }

    /// Draws the symbol for the end of a paragraph after its last line, whose text ends at `x`.
    mutating func drawEnd(at x: Double, isRightToLeft: Bool) {
        let (left, right) = isRightToLeft ? (x - 9 * unit, x - 2 * unit) : (x + 2 * unit, x + 9 * unit)
        drawArrow(from: left, to: right, isRightToLeft: !isRightToLeft)
        fill(isRightToLeft ? left : right - unit, y - 4 * unit, unit, 5 * unit)
    }
}
