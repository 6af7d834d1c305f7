import InkstoneBase
import InkstoneText

/// Rectangular selections.
extension TextGeometry {
    /// Largest number of visual lines of a rectangle: each gets a range of its own, and all are laid out anew as the pointer moves.
    private static let mostLines = 10_000

    /// Returns the selection of a rectangle: on each visual line the clusters whose centres lie inside, so that tabs and wide clusters are
    /// selected as a whole or not at all.
    ///
    /// A line may get several ranges where directions meet. A line that the rectangle crosses without holding a cluster gets a caret. A line
    /// whose text lies beside the rectangle gets a caret at its end, but only if that is true of all lines.
    ///
    /// Lays out the lines between both corners, at most 10,000 counted from the fixed corner. O(n) in their text. Of a line that is laid out
    /// in several fragments only the fragment at the fixed corner is used.
    ///
    /// - Parameters:
    ///   - corner: the corner that stays, in pixels of the document.
    ///   - head: the corner at the pointer; its line has the primary range, and each range's moving end is on its side.
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
        // The last range is the one nearest to the pointer.
        return Selection(reached) ?? Selection(beside) ?? Selection(caret: location(closestTo: head).offset)
    }

    /// Returns whether a rectangle between two x in pixels of the document holds or crosses text of a position's line.
    package func rectangle(from fixed: Double, to head: Double, meetsLineAt place: CaretPlace) -> Bool {
        !ranges(on: document.placedLine(at: place.offset, place.affinity), from: fixed, to: head).isEmpty
    }

    /// Returns the ranges of one line; none if the line's text lies beside the interval between the two x.
    private func ranges(on line: PlacedLine, from fixed: Double, to head: Double) -> [SelectionRange] {
        let positioned = document.positioned(line)
        let low = Int32(sixtyFourths: min(fixed, head) - line.placed.x)
        let high = Int32(sixtyFourths: max(fixed, head) - line.placed.x)
        guard low <= positioned.contentRight, high >= positioned.contentLeft else { return [] }
        var found: [(range: Range<Int32>, isRightToLeft: Bool)] = []
        for (index, stop) in positioned.stops.enumerated() {
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
