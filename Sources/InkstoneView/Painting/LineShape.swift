import InkstoneBase
import InkstoneLayout

/// The shape of a line under or through text: rectangles on whole pixels.
package struct LineShape: Hashable {
    let style: RenderingAttributes.LineStyle
    /// Thickness of a single line, in whole pixels.
    let thickness: Double

    /// Creates a line of a style from the thickness of a single line, in whole pixels.
    package init(style: RenderingAttributes.LineStyle, thickness: Double) {
        (self.style, self.thickness) = (style, thickness)
    }

    /// Total height, in whole pixels.
    package var height: Double {
        switch style {
        case .single, .dotted, .dashed: thickness
        case .thick: 2 * thickness
        case .double, .wavy: 3 * thickness
        }
    }

    /// Calls `body` with the rectangles of a line from `left` to `right` with its top at `y`, in document pixels.
    /// Rectangles left or right of `area` are omitted. A pattern starts at `left` even if `area` does not.
    package func forEachPart(
        from left: Double, to right: Double, y: Double, within area: DocumentRect, _ body: (DocumentRect) -> Void
    ) {
        let low = max(left, area.minX)
        let high = min(right, area.maxX)
        guard low < high else { return }
        func add(_ x: Double, _ end: Double, _ dy: Double, _ height: Double) {
            let end = min(end, right)
            if x < end { body(DocumentRect(x: x, y: y + dy, width: end - x, height: height)) }
        }
        func pattern(period: Double, _ cell: (Double) -> Void) {
            var x = left + ((low - left) / period).rounded(.down) * period
            while x < high {
                cell(x)
                x += period
            }
        }
        let t = thickness
        switch style {
        case .single, .thick: add(low, high, 0, height)
        case .double:
            add(low, high, 0, t)
            add(low, high, 2 * t, t)
        case .dotted: pattern(period: 2 * t) { add($0, $0 + t, 0, t) }
        case .dashed: pattern(period: 6 * t) { add($0, $0 + 4 * t, 0, t) }
        case .wavy:
            // A wave: four parts with the vertical offsets 2, 1, 0 and 1, in units of the thickness.
            pattern(period: 4 * t) { x in
                add(x, x + t, 2 * t, t)
                add(x + t, x + 2 * t, t, t)
                add(x + 2 * t, x + 3 * t, 0, t)
                add(x + 3 * t, x + 4 * t, t, t)
            }
        }
    }
}
