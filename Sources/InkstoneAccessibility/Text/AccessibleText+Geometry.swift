import InkstoneBase
import InkstoneLayout
import InkstoneText
import InkstoneView

/// Rectangles of characters, in pixels of the root window. If text is scrolled out of view, its rectangle is
/// outside of the view.
extension AccessibleText {
    private func rootRect(_ rect: DocumentRect) -> RootRect {
        let corner = view.documentPoint(ViewPoint(x: 0, y: 0))
        let origin = view.textInputViewOrigin
        return RootRect(
            x: rect.minX - corner.x + origin.x, y: rect.minY - corner.y + origin.y, width: rect.width,
            height: rect.height)
    }

    private func documentPoint(_ point: RootPoint) -> DocumentPoint {
        let origin = view.textInputViewOrigin
        return view.documentPoint(ViewPoint(x: point.x - origin.x, y: point.y - origin.y))
    }

    /// Returns the rectangle of a character. The first scalar of a grapheme cluster has the cluster's box. The
    /// other scalars of the cluster have a rectangle of width 0 and a line's height. The same holds for newlines
    /// and for white space that hangs over a line's edge. For the end of the text, returns the caret's rectangle
    /// there, with width 0.
    package func extents(at offset: Int) -> RootRect {
        let geometry = view.geometry
        let unit = utf16(clamped(offset))
        let start = text.roundedDown(toGrapheme: unit)
        if offset >= 0, offset < count {
            let cluster = start..<text.graphemeBoundary(after: start)
            if var box = boxes(of: cluster, geometry).first {
                if start != unit {
                    if !geometry.isRightToLeft(at: start) { box.origin.x = box.maxX }
                    box.size.width = 0
                }
                return rootRect(box)
            }
        }
        var caret = geometry.caretRect(at: start)
        caret.size.width = 0
        return rootRect(caret)
    }

    /// Returns the smallest rectangle around the characters between two offsets. If the range is longer than 1,024
    /// UTF-16 units, characters outside of the view are left out. If no character with a width is left, returns the
    /// rectangle of the range's part in its first line. If the range is empty or not valid, returns the rectangle
    /// at `start`.
    package func extents(from start: Int, to end: Int) -> RootRect {
        guard let range = range(start, end), !range.isEmpty else { return extents(at: start) }
        let units = utf16(range)
        let geometry = view.geometry
        let seen = boxes(of: units, geometry)
        let shown = seen.dropFirst().reduce(seen.first) { $0?.union($1) }
        return rootRect(shown ?? geometry.firstRect(for: units).rect)
    }

    /// Returns the boxes of a range. If the range is longer than 1,024 UTF-16 units, returns only the boxes within
    /// the view.
    private func boxes(of range: Range<UTF16Offset>, _ geometry: TextGeometry) -> [DocumentRect] {
        let corner = view.documentPoint(ViewPoint(x: 0, y: 0))
        let band: DocumentRect
        if range.upperBound - range.lowerBound <= 1024 {
            let line = geometry.lineFragment(at: range.lowerBound)
            let last = geometry.lineFragment(at: range.upperBound, affinity: .upstream)
            band = DocumentRect(x: -1e15, y: line.top, width: 2e15, height: max(1, last.bottom - line.top))
        } else {
            band = DocumentRect(x: corner.x, y: corner.y, width: view.bounds.width, height: view.bounds.height)
        }
        return geometry.textSegments(for: range, within: band).map(\.rect).filter { $0.width > 0 }
    }

    /// Returns the offset of the character whose box contains a point. If there is none, returns the offset closest
    /// to the point.
    package func offset(at point: RootPoint) -> Int {
        let point = documentPoint(point)
        let geometry = view.geometry
        if let cluster = geometry.characterRange(at: point) { return scalar(cluster.lowerBound) }
        return scalar(geometry.place(closestTo: point).offset)
    }

    /// Returns the ranges of text within a rectangle, one for each visible line that intersects the rectangle.
    package func ranges(in rect: RootRect) -> [Range<Int>] {
        let origin = view.textInputViewOrigin
        let seen = rect.intersection(
            RootRect(x: origin.x, y: origin.y, width: view.bounds.width, height: view.bounds.height))
        guard !seen.isEmpty else { return [] }
        let (top, bottom) = (documentPoint(seen.origin), documentPoint(RootPoint(x: seen.maxX, y: seen.maxY)))
        let geometry = view.geometry
        var found: [Range<Int>] = []
        var line = geometry.lineFragment(atY: top.y)
        while line.top < bottom.y {
            let middle = (line.top + line.bottom) / 2
            let low = geometry.place(closestTo: DocumentPoint(x: top.x, y: middle)).offset
            let high = geometry.place(closestTo: DocumentPoint(x: bottom.x, y: middle)).offset
            let range = scalars(min(low, high)..<max(low, high))
            if !range.isEmpty { found.append(range) }
            let next = geometry.lineFragment(atY: line.bottom)
            guard next.top > line.top else { break }
            line = next
        }
        return found
    }

    /// Scrolls vertically by the least amount that makes the start of a range visible. Returns false if the range
    /// is not valid.
    package func scroll(from start: Int, to end: Int) -> Bool {
        guard let range = range(start, end) else { return false }
        let rect = extents(at: range.lowerBound)
        let top = view.textInputViewOrigin.y
        if rect.minY < top {
            view.scroll(by: rect.minY - top)
        } else if rect.maxY > top + view.bounds.height {
            view.scroll(by: rect.maxY - top - view.bounds.height)
        }
        return true
    }
}
