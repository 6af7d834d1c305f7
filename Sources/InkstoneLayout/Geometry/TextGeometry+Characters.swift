import InkstoneBase
import InkstoneText

/// Moves of a caret, as functions from position to position. They have no effect except that they may lay out text.
extension TextGeometry {
    // MARK: By character

    /// Returns the next caret position to the right or left on the screen, also across lines and changes of text
    /// direction.
    ///
    /// Moving back the same number of times returns to the same position on the screen. At the document's start and end
    /// the caret stays. If the next paragraph has the other direction, the caret crosses it in text order. Visual moves
    /// in it would lead back to the paragraph that the caret came from. ``CaretPlace/rightIsForward`` records this.
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
            // If the line wraps here, its end is the same position as the next line's start: continue on the next
            // line.
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

    /// Returns the next position in text order, for a caret that crosses paragraphs of the other direction. If the
    /// next position is in a paragraph of the direction in which the moves began, returns the edge at which the
    /// caret enters that paragraph; from there, moves are visual again.
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

    /// Returns the next or previous grapheme cluster boundary in text order that is not in hidden text; the
    /// position itself if there is none.
    package func moveLogically(_ place: CaretPlace, forward: Bool) -> CaretPlace {
        let offset = UTF16Offset(document.clamped(place.offset))
        let next =
            forward ? document.text.graphemeBoundary(after: offset) : document.text.graphemeBoundary(before: offset)
        guard let shown = document.passHidden(next, forward: forward) else { return place }
        return CaretPlace(shown)
    }

    // MARK: By line

    /// Returns the position a number of visual lines below, or above if negative, at the x nearest to `goalX`, and
    /// keeps `goalX`. Beyond the first or last line, returns the document's start or end.
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

    /// Returns the position at `goalX` on the line that is `height` pixels below (above if negative), for moves by
    /// a page.
    package func moveVertically(_ place: CaretPlace, by height: Double) -> CaretPlace {
        let caret = caretRect(at: place.offset, affinity: place.affinity)
        let goal = place.goalX ?? caret.minX
        let y = caret.minY + caret.height / 2 + height
        let found = location(closestTo: DocumentPoint(x: goal, y: max(0, y)))
        return CaretPlace(found.offset, affinity: found.affinity, goalX: goal)
    }

    /// Returns the start of a caret's visual line. If the first text of a paragraph runs against the paragraph's
    /// direction, the result has upstream affinity: the caret is then shown at the line's edge.
    package func lineStart(_ place: CaretPlace) -> CaretPlace {
        if document.placedFragment(at: document.clamped(place.offset)).fragment.isSideways {
            return atLineEdge(paragraphStart(place))
        }
        let line = document.placedLine(at: place.offset, place.affinity)
        return atLineEdge(CaretPlace(UTF16Offset(line.start)))
    }

    /// Returns the start of a line as a caret position, with upstream affinity if the caret is shown at the line's edge
    /// only then.
    private func atLineEdge(_ start: CaretPlace) -> CaretPlace {
        let line = document.placedLine(at: start.offset, .downstream)
        guard line.index == 0, line.placed.fragment.startsParagraph, !line.placed.fragment.shaped.isPlain else {
            return start
        }
        let positioned = document.positioned(line)
        guard let first = positioned.stops.first, (first.level ^ positioned.baseLevel) & 1 == 1 else { return start }
        return CaretPlace(start.offset, affinity: .upstream)
    }

    /// Returns the end of a caret's visual line, before a forced break. If the line wraps, the affinity is upstream:
    /// the caret then stays on that line.
    package func lineEnd(_ place: CaretPlace) -> CaretPlace {
        if document.placedFragment(at: document.clamped(place.offset)).fragment.isSideways {
            return paragraphEnd(place)
        }
        let line = document.placedLine(at: place.offset, place.affinity)
        return CaretPlace(UTF16Offset(line.contentEnd), affinity: line.record.isWrapped ? .upstream : .downstream)
    }

    // MARK: By paragraph and document

    /// Returns the start of the paragraph that contains a position.
    package func paragraphStart(_ place: CaretPlace) -> CaretPlace {
        CaretPlace(UTF16Offset(Paragraph(document.text, holding: document.clamped(place.offset)).start))
    }

    /// Returns the end of the paragraph that contains a position, before the newline.
    package func paragraphEnd(_ place: CaretPlace) -> CaretPlace {
        CaretPlace(UTF16Offset(Paragraph(document.text, holding: document.clamped(place.offset)).contentEnd))
    }

    package var documentStart: CaretPlace { CaretPlace(0) }

    package var documentEnd: CaretPlace { CaretPlace(UTF16Offset(document.text.metrics.utf16)) }
}
