import InkstoneBase
import InkstoneText

/// An iteration over grapheme clusters in visual order, to the right or to the left, across lines.
///
/// The iteration stays forward or backward in the text from line to line. Going forward, it enters the next line at
/// that line's start, which is the right end of a right-to-left line. It thus visits each line, and each cluster
/// once.
struct VisualWalk {
    /// An element passed by a step of the iteration.
    enum Step {
        /// A cluster that starts at a UTF-16 offset of the document.
        case cluster(Int)
        /// The end of a paragraph.
        case newline
    }

    private let document: DocumentLayout
    /// Whether the iteration goes towards the end of the text.
    let isForward: Bool
    private var line: PlacedLine
    private var positioned: PositionedLine
    /// Indices of the line's stops (grapheme clusters) from left to right.
    private var order: [Int]
    /// Number of stops left of the current position.
    private var index: Int

    /// Creates an iteration that starts at a caret position.
    init(_ document: DocumentLayout, from place: CaretPlace, toRight: Bool) {
        self.document = document
        line = document.placedLine(at: place.offset, place.affinity)
        positioned = document.positioned(line)
        order = positioned.visualOrder()
        index = document.boundaryIndex(of: place, on: line, positioned)
        isForward = toRight == (place.rightIsForward ?? (positioned.baseLevel & 1 == 0))
    }

    private var goesRight: Bool { isForward == (positioned.baseLevel & 1 == 0) }

    /// Passes the next cluster or newline and returns it; nil at the document's edge.
    mutating func next() -> Step? {
        while true {
            if goesRight, index < order.count {
                index += 1
                return .cluster(line.placed.start + Int(positioned.stops[order[index - 1]].unit))
            }
            if !goesRight, index > 0 {
                index -= 1
                return .cluster(line.placed.start + Int(positioned.stops[order[index]].unit))
            }
            let old = line
            guard let other = document.adjacentLine(to: line, below: isForward) else { return nil }
            line = other
            positioned = document.positioned(other)
            order = positioned.visualOrder()
            index = goesRight ? 0 : order.count
            if old.placed.paragraph != other.placed.paragraph { return .newline }
        }
    }

    /// The current position. If the iteration goes forward, the end of a wrapped line counts as the start of the
    /// next line.
    var place: CaretPlace {
        let found = positioned.boundary(index)
        let offset = UTF16Offset(line.placed.start + Int(found.unit))
        let leaves = index == (goesRight ? order.count : 0) && isForward
        if leaves, !line.isLastOfParagraph, found.unit == line.record.end { return CaretPlace(offset) }
        return CaretPlace(offset, affinity: found.upstream ? .upstream : .downstream)
    }
}
