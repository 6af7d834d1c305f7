import InkstoneBase
import InkstoneText

/// A caret position with its affinity and the column that vertical moves keep.
public struct CaretPlace: Hashable, Sendable {
    /// UTF-16 units from the start of the document.
    public var offset: UTF16Offset
    /// The neighbour that the caret belongs to where a line wraps or directions meet.
    public var affinity: TextAffinity
    /// The x that vertical moves aim at, in pixels of the document; nil after any other move.
    public var goalX: Double?
    /// Whether moving right goes forward in the text, after `TextGeometry.moveVisually(_:toRight:)` entered a paragraph of the other direction;
    /// nil after any other move.
    public var rightIsForward: Bool?

    /// Creates a caret position at an offset.
    public init(_ offset: UTF16Offset, affinity: TextAffinity = .downstream, goalX: Double? = nil) {
        self.offset = offset
        self.affinity = affinity
        self.goalX = goalX
    }
}

/// Moves of the caret as functions from position to position. They change nothing except that they may lay out text.
extension TextGeometry {
    // MARK: By character

    /// Returns the next caret position to the right or left on the screen, across lines and directions.
    ///
    /// Moving back the same number of times returns to the same position on the screen. At the document's end the caret stays. From a
    /// paragraph it enters the next one of the other direction, forward or backward in the text, and crosses that one in the order of
    /// the text, recorded in ``CaretPlace/rightIsForward``: visual order would only lead back. O(log n) in the line; O(n) the first
    /// time.
    package func moveVisually(_ place: CaretPlace, toRight: Bool) -> CaretPlace {
        if let sense = place.rightIsForward {
            return moveAcross(place, forward: toRight == sense, rightIsForward: sense)
        }
        let line = document.placedLine(at: place.offset, place.affinity)
        let positioned = document.positioned(line)
        let current = document.boundaryIndex(of: place, on: line, positioned)
        let next = toRight ? current + 1 : current - 1
        let ltr = positioned.baseLevel & 1 == 0
        let last = positioned.boundaryCount - 1
        if next >= 0, next <= last {
            let found = positioned.boundary(next)
            let atEdge = toRight ? next == last : next == 0
            let leavesForward = atEdge && toRight == ltr
            // The end of a line that wraps within its paragraph is the start of the next line.
            if !(leavesForward && !line.isLastOfParagraph && found.unit == line.record.end) {
                return CaretPlace(
                    UTF16Offset(line.placed.start + Int(found.unit)), affinity: found.upstream ? .upstream : .downstream
                )
            }
        }
        let isForward = toRight == ltr
        guard let other = document.adjacentLine(to: line, below: isForward) else { return place }
        let target = document.positioned(other)
        let otherLTR = target.baseLevel & 1 == 0
        if otherLTR != ltr { return moveAcross(place, forward: isForward, rightIsForward: ltr) }
        let entering = target.boundaryCount - 1
        var index = isForward == otherLTR ? 0 : entering
        var found = target.boundary(index)
        if !isForward, entering > 0, other.placed.start + Int(found.unit) == line.start {
            index += otherLTR ? -1 : 1
            found = target.boundary(index)
        }
        return CaretPlace(
            UTF16Offset(other.placed.start + Int(found.unit)), affinity: found.upstream ? .upstream : .downstream)
    }

    /// Returns the next position in the order of the text, into or through a paragraph against the sense of the moves. In a paragraph
    /// that follows that sense, moves are visual again, from the edge at which they enter.
    private func moveAcross(_ place: CaretPlace, forward: Bool, rightIsForward: Bool) -> CaretPlace {
        var next = moveLogically(place, forward: forward)
        if next.offset == place.offset { return place }
        let line = document.placedLine(at: next.offset, forward ? .downstream : .upstream)
        let positioned = document.positioned(line)
        let isLeftToRight = positioned.baseLevel & 1 == 0
        guard isLeftToRight == rightIsForward else {
            next.rightIsForward = rightIsForward
            return next
        }
        let edge = positioned.boundary(forward == isLeftToRight ? 0 : positioned.boundaryCount - 1)
        return CaretPlace(
            UTF16Offset(line.placed.start + Int(edge.unit)), affinity: edge.upstream ? .upstream : .downstream)
    }

    /// Returns the next or previous grapheme cluster boundary in the order of the text.
    package func moveLogically(_ place: CaretPlace, forward: Bool) -> CaretPlace {
        let offset = UTF16Offset(document.clamped(place.offset))
        let next =
            forward ? document.text.graphemeBoundary(after: offset) : document.text.graphemeBoundary(before: offset)
        guard let shown = document.passHidden(next, forward: forward) else { return place }
        return CaretPlace(shown)
    }

    // MARK: By line

    /// Returns the position some visual lines below (or above, if negative), nearest to the goal column; beyond the first or last
    /// line, the document's start or end. Keeps the goal.
    package func moveVertically(_ place: CaretPlace, lines: Int) -> CaretPlace {
        let goal = place.goalX ?? caretRect(at: place.offset, affinity: place.affinity).minX
        var line = document.placedLine(at: place.offset, place.affinity)
        for _ in 0..<lines.magnitude {
            guard let next = document.lineAbove(or: lines > 0, line, goal) else {
                return CaretPlace(UTF16Offset(lines > 0 ? document.text.metrics.utf16 : 0), goalX: goal)
            }
            line = next
        }
        let found = location(on: line, x: goal)
        return CaretPlace(found.offset, affinity: found.affinity, goalX: goal)
    }

    /// Returns the position at the goal column, a given height away (in pixels, negative upwards): for moves by page.
    package func moveVertically(_ place: CaretPlace, by height: Double) -> CaretPlace {
        let caret = caretRect(at: place.offset, affinity: place.affinity)
        let goal = place.goalX ?? caret.minX
        let y = caret.minY + caret.height / 2 + height
        let found = location(closestTo: DocumentPoint(x: goal, y: max(0, y)))
        return CaretPlace(found.offset, affinity: found.affinity, goalX: goal)
    }

    /// Returns the start of a caret's visual line. At the start of a paragraph whose first text runs against the
    /// line's direction the affinity is upstream, so that the caret is shown at the line's edge.
    package func lineStart(_ place: CaretPlace) -> CaretPlace {
        if document.placedFragment(at: document.clamped(place.offset)).fragment.isSideways {
            return atLineEdge(paragraphStart(place))
        }
        let line = document.placedLine(at: place.offset, place.affinity)
        return atLineEdge(CaretPlace(UTF16Offset(line.start)))
    }

    /// Returns the start of a line, with upstream affinity if only then its caret is shown at the line's edge.
    private func atLineEdge(_ start: CaretPlace) -> CaretPlace {
        let line = document.placedLine(at: start.offset, .downstream)
        guard line.index == 0, line.placed.fragment.startsParagraph, !line.placed.fragment.shaped.isPlain else {
            return start
        }
        let positioned = document.positioned(line)
        guard let first = positioned.stops.first, (first.level ^ positioned.baseLevel) & 1 == 1 else { return start }
        return CaretPlace(start.offset, affinity: .upstream)
    }

    /// Returns the end of a caret's visual line; upstream where the line wraps, so that the caret stays on it.
    package func lineEnd(_ place: CaretPlace) -> CaretPlace {
        if document.placedFragment(at: document.clamped(place.offset)).fragment.isSideways {
            return paragraphEnd(place)
        }
        let line = document.placedLine(at: place.offset, place.affinity)
        return CaretPlace(UTF16Offset(line.end), affinity: line.record.isWrapped ? .upstream : .downstream)
    }

    // MARK: By paragraph and document

    /// Returns the start of a position's paragraph.
    package func paragraphStart(_ place: CaretPlace) -> CaretPlace {
        CaretPlace(UTF16Offset(Paragraph(document.text, holding: document.clamped(place.offset)).start))
    }

    /// Returns the end of a position's paragraph, before its newline.
    package func paragraphEnd(_ place: CaretPlace) -> CaretPlace {
        CaretPlace(UTF16Offset(Paragraph(document.text, holding: document.clamped(place.offset)).contentEnd))
    }

    /// The start of the document.
    package var documentStart: CaretPlace { CaretPlace(0) }

    /// The end of the document.
    package var documentEnd: CaretPlace { CaretPlace(UTF16Offset(document.text.metrics.utf16)) }
}
