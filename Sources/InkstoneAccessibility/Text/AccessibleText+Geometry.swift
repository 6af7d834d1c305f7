import InkstoneBase
import InkstoneLayout
import InkstoneText
import InkstoneView

/// Places of characters on the screen, in pixels of the root window. Text that is scrolled away has its place outside of the view.
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

    /// The box of a character: that of its grapheme cluster for the first scalar of one; for the others, newlines and blanks that hang over
    /// a line's edge, no more than a place of a line's height. At the end of the text the caret's place.
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

    /// The smallest rectangle around the characters between two offsets; of a long range those in sight, or those of its first line if none is.
    package func extents(from start: Int, to end: Int) -> RootRect {
        guard let range = range(start, end), !range.isEmpty else { return extents(at: start) }
        let units = utf16(range)
        let geometry = view.geometry
        let seen = boxes(of: units, geometry)
        let shown = seen.dropFirst().reduce(seen.first) { $0?.union($1) }
        return rootRect(shown ?? geometry.firstRect(for: units).rect)
    }

    /// The boxes of a range: of a long one those in the view.
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

    /// The character whose box holds a point; else the one nearest to it.
    package func offset(at point: RootPoint) -> Int {
        let point = documentPoint(point)
        let geometry = view.geometry
        if let cluster = geometry.characterRange(at: point) { return scalar(cluster.lowerBound) }
        return scalar(geometry.place(closestTo: point).offset)
    }

    /// The ranges of text in the lines of a rectangle: one for each line that is in the view and in it.
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

    /// Scrolls so that a range is in sight, as little as needed.
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
