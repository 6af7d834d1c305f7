/// A rectangle of whole pixels: half-open, so `right` and `bottom` lie outside.
package struct PixelRect: Hashable, Sendable, CustomStringConvertible {
    package let left: Int
    package let top: Int
    package let right: Int
    package let bottom: Int

    /// A rectangle by its edges.
    package init(left: Int, top: Int, right: Int, bottom: Int) {
        self.left = left
        self.top = top
        self.right = right
        self.bottom = bottom
    }

    package var width: Int { right - left }
    package var height: Int { bottom - top }
    package var description: String { "[\(left)…\(right) × \(top)…\(bottom)]" }

    /// Whether two rectangles share a pixel.
    package func overlaps(_ other: PixelRect) -> Bool {
        left < other.right && other.left < right && top < other.bottom && other.top < bottom
    }
}

extension WindowInfo {
    /// The picture's rectangle in root pixels.
    package var rect: PixelRect { PixelRect(left: x, top: y, right: right, bottom: bottom) }
}

/// The colours of the editor's theme that tests look for, as 0xRRGGBB.
package enum EditorColor {
    /// Text.
    package static let text: UInt32 = 0x1b1f24
    /// The caret.
    package static let caret: UInt32 = 0x0b57d0
    /// Behind the clause being converted.
    package static let targetClause: UInt32 = 0xfdf1c7
    /// A message about something that went wrong.
    package static let problem: UInt32 = 0xb42318
    /// The upper edge of the strip below the text.
    package static let stripEdge: UInt32 = 0xd0d7de
}

extension Screenshot {
    /// The text's area and the strip below it, without the edge between them; nil if the picture shows no such edge.
    package var textAndStrip: (text: Screenshot, strip: Screenshot)? {
        guard
            let edge = (0..<height).last(where: { row in
                (0..<width).allSatisfy { self[$0, row] == EditorColor.stripEdge }
            })
        else { return nil }
        return (rows(0..<edge), rows(edge + 1..<height))
    }

    /// Returns the part with these rows, counted from the picture's top; rows outside of the picture are omitted.
    package func rows(_ rows: Range<Int>) -> Screenshot {
        let rows = rows.clamped(to: 0..<height)
        return Screenshot(
            x: x, y: y + rows.lowerBound, width: width, height: rows.count,
            pixels: Array(pixels[rows.lowerBound * width..<rows.upperBound * width]))
    }

    /// The caret of a window with the focus: an upright bar of its colour, at least 8 pixels high and at most 4 wide. In the picture's
    /// coordinates.
    package func caret() -> PixelRect? {
        /// Whether a bar is the edge of a hollow caret: the box goes on beside it, above and below.
        func isEdge(_ bar: PixelRect) -> Bool {
            [bar.left - 1, bar.right].contains { column in
                (0..<width).contains(column)
                    && [bar.top, bar.bottom - 1].allSatisfy { self[column, $0] == EditorColor.caret }
            }
        }
        for column in 0..<width {
            var row = 0
            while row < height {
                guard self[column, row] == EditorColor.caret else {
                    row += 1
                    continue
                }
                let top = row
                while row < height, self[column, row] == EditorColor.caret { row += 1 }
                guard row - top >= 8 else { continue }
                var right = column
                while right < width, (top..<row).allSatisfy({ self[right, $0] == EditorColor.caret }) { right += 1 }
                guard right - column <= 4, !isEdge(PixelRect(left: column, top: top, right: right, bottom: row)) else {
                    continue
                }
                return PixelRect(left: x + column, top: y + top, right: x + right, bottom: y + row)
            }
        }
        return nil
    }

    /// The first visual line of the area painted in `color`, in the picture's coordinates: its rows without a gap from the top one,
    /// at most `lineHeight` pixels of them, and the columns that they use. Lines of an area that wraps have no gap between them.
    package func firstLine(of color: UInt32, lineHeight: Int) -> PixelRect? {
        var columns: ClosedRange<Int>?
        var rows: ClosedRange<Int>?
        for row in 0..<height where (rows?.count ?? 0) < lineHeight {
            let found = (0..<width).filter { self[$0, row] == color }
            guard let first = found.first, let last = found.last else {
                if rows != nil { break }
                continue
            }
            rows = (rows?.lowerBound ?? row)...row
            columns = min(columns?.lowerBound ?? first, first)...max(columns?.upperBound ?? last, last)
        }
        guard let rows, let columns else { return nil }
        return PixelRect(
            left: x + columns.lowerBound, top: y + rows.lowerBound, right: x + columns.upperBound + 1,
            bottom: y + rows.upperBound + 1)
    }

    /// Whether something is written in a colour: thin antialiased strokes come near it in some pixels and reach it in few.
    package func shows(_ color: UInt32) -> Bool {
        func channels(_ pixel: UInt32) -> [Int] { [16, 8, 0].map { Int(pixel >> $0 & 0xff) } }
        let wanted = channels(color)
        return pixels.lazy.filter { pixel in zip(channels(pixel), wanted).allSatisfy { abs($0 - $1) <= 40 } }.prefix(20)
            .count == 20
    }
}
