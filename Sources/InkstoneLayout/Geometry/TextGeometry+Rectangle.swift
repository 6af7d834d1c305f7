import InkstoneBase
import InkstoneText

/// Rectangular selection.
extension TextGeometry {
    /// The largest number of visual lines in a rectangular selection, because each line gets a range of its own, and
    /// each movement of the pointer computes all ranges again. Lines farther from the corner where the drag began are
    /// left out.
    private static let mostLines = 10_000

    /// Returns the selection in a rectangle: on each visual line, the clusters whose centres are inside. Tabs and
    /// wide clusters are thus selected completely or not at all.
    ///
    /// A line may get several ranges where text directions meet. If the rectangle crosses a line but contains no
    /// cluster's centre, the line gets a caret. If all of a line's text is left or right of the rectangle, the line
    /// gets no range. Only if that is so for all lines, each line gets a caret at the end that is nearest to the
    /// pointer.
    ///
    /// Lays out the lines between both corners, at most 10,000 counted from `corner`. O(n) in their text. Of a line
    /// that consists of several fragments, only the fragment at `corner` is used.
    ///
    /// - Parameters:
    ///   - corner: the corner where the drag began, in pixels of the document.
    ///   - head: the corner at the pointer. The line there gets the primary range, and the head of each range is on
    ///     the pointer's side.
    package func selection(inRectangleFrom corner: DocumentPoint, to head: DocumentPoint) -> Selection {
        let isDown = head.y >= corner.y
        let last = document.placedLine(atY: head.y, x: corner.x)
        var line = document.placedLine(atY: corner.y, x: corner.x)
        var reached: [SelectionRange] = []
        var beside: [SelectionRange] = []
        for _ in 0..<Self.mostLines {
            let ranges = ranges(on: line, from: corner.x, to: head.x)
            if ranges.isEmpty {
                let place = location(on: line, x: head.x)
                beside.append(SelectionRange(caret: place.offset, affinity: place.affinity))
            }
            reached += ranges
            let isLast =
                isDown
                ? line.start >= last.start && line.top >= last.top : line.start <= last.start && line.top <= last.top
            guard !isLast, let next = document.lineAbove(or: isDown, line, corner.x),
                isDown ? next.top > line.top : next.top < line.top
            else { break }
            line = next
        }
        // The last range becomes the primary one, which must be on the pointer's line: the lines were visited from the
        // corner to the pointer.
        return Selection(reached) ?? Selection(beside) ?? Selection(caret: location(closestTo: head).offset)
    }

    /// Returns whether the text on a position's line overlaps the interval between two x, in pixels of the
    /// document.
    package func rectangle(from fixed: Double, to head: Double, meetsLineAt place: CaretPlace) -> Bool {
        !ranges(on: document.placedLine(at: place.offset, place.affinity), from: fixed, to: head).isEmpty
    }

    /// Returns a line's ranges between two x; none if all of the line's text is left or right of the interval.
    private func ranges(on line: PlacedLine, from fixed: Double, to head: Double) -> [SelectionRange] {
        let positioned = document.positioned(line)
        let low = Int32(sixtyFourths: min(fixed, head) - line.placed.x)
        let high = Int32(sixtyFourths: max(fixed, head) - line.placed.x)
        guard low <= positioned.contentRight, high >= positioned.contentLeft else { return [] }
        var found: [(range: Range<Int32>, isRightToLeft: Bool)] = []
        // A forced break is no more part of a rectangle than a newline is.
        for (index, stop) in positioned.stops.enumerated() where stop.unit < line.record.contentEnd {
            let center = stop.leading / 2 + stop.trailing / 2
            guard center >= low, center <= high else { continue }
            let end = positioned.end(ofStop: index)
            let isRightToLeft = stop.level & 1 == 1
            if let last = found.last, last.range.upperBound == stop.unit, last.isRightToLeft == isRightToLeft {
                found[found.count - 1].range = last.range.lowerBound..<end
            } else {
                found.append((stop.unit..<end, isRightToLeft))
            }
        }
        guard !found.isEmpty else {
            let place = location(on: line, x: head)
            return [SelectionRange(caret: place.offset, affinity: place.affinity)]
        }
        return found.map { found in
            let start = UTF16Offset(line.placed.start + Int(found.range.lowerBound))
            let end = UTF16Offset(line.placed.start + Int(found.range.upperBound))
            let isForward = (head >= fixed) != found.isRightToLeft
            return SelectionRange(
                anchor: isForward ? start : end, head: isForward ? end : start,
                affinity: isForward && line.record.isWrapped && found.range.upperBound == line.record.end
                    ? .upstream : .downstream)
        }
    }
}
