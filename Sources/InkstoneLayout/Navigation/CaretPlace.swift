import InkstoneBase
import InkstoneText

/// Where a caret is, with the column that moving up and down keeps.
public struct CaretPlace: Hashable, Sendable {
    /// UTF-16 units from the start of the document.
    public var offset: UTF16Offset
    /// Which neighbour it belongs to, where a line wraps or directions meet.
    public var affinity: TextAffinity
    /// The x that vertical moves aim at, in pixels of the document; nil after any other move.
    public var goalX: Double?

    /// A caret at an offset.
    public init(_ offset: UTF16Offset, affinity: TextAffinity = .downstream, goalX: Double? = nil) {
        self.offset = offset
        self.affinity = affinity
        self.goalX = goalX
    }
}

/// Moves of the caret as functions from place to place. None changes anything but what is laid out.
extension TextLayoutManager {
    // MARK: By character

    /// The next place to the right or left as it is seen on the screen, across lines and directions.
    ///
    /// Moving back the same number of times leads to the same place on the screen. At the document's end it stays.
    public func moveVisually(_ place: CaretPlace, toRight: Bool) -> CaretPlace {
        let line = placedLine(at: place.offset, place.affinity)
        let positioned = positioned(line)
        let boundaries = positioned.boundaries()
        let current = boundaryIndex(of: place, on: line, positioned, boundaries)
        let next = toRight ? current + 1 : current - 1
        let ltr = positioned.baseLevel & 1 == 0
        if boundaries.indices.contains(next) {
            let found = boundaries[next]
            let atEdge = toRight ? next == boundaries.count - 1 : next == 0
            let leavesForward = atEdge && toRight == ltr
            if !(leavesForward && line.record.isWrapped && found.unit == line.record.end) {
                // Stepping backwards onto the edge where the line above ends is that line's business.
                return CaretPlace(
                    UTF16Offset(line.placed.start + Int(found.unit)), affinity: found.upstream ? .upstream : .downstream
                )
            }
        }
        guard let other = adjacentLine(to: line, below: toRight == ltr) else { return place }
        let target = self.positioned(other)
        let entering = target.boundaries()
        let otherLTR = target.baseLevel & 1 == 0
        var index: Int
        if toRight == ltr {
            index = otherLTR ? 0 : entering.count - 1
        } else {
            index = otherLTR ? entering.count - 1 : 0
            if other.record.isWrapped, entering.count > 1, entering[index].unit == other.record.end {
                index += otherLTR ? -1 : 1
            }
        }
        let found = entering[index]
        return CaretPlace(
            UTF16Offset(other.placed.start + Int(found.unit)), affinity: found.upstream ? .upstream : .downstream)
    }

    /// Index of the visual boundary of a line that a place stands at.
    func boundaryIndex(
        of place: CaretPlace, on line: PlacedLine, _ positioned: PositionedLine,
        _ boundaries: [PositionedLine.Boundary]
    ) -> Int {
        let unit = Int32(min(max(0, clampedUnit(place.offset) - line.placed.start), line.placed.piece.contentLength))
        let x = positioned.caretX(at: unit, upstream: place.affinity == .upstream)
        // Hanging or zero-width clusters share an x: the place itself decides, x only for places without a boundary.
        let canonical = positioned.canonical(unit, place.affinity == .upstream)
        return boundaries.firstIndex { $0.unit == canonical.unit && $0.upstream == canonical.upstream }
            ?? boundaries.indices.min { abs(boundaries[$0].x - x) < abs(boundaries[$1].x - x) } ?? 0
    }

    /// The next or previous grapheme cluster boundary in the order of the text.
    public func moveLogically(_ place: CaretPlace, forward: Bool) -> CaretPlace {
        let offset = UTF16Offset(clampedUnit(place.offset))
        let next = forward ? text.graphemeBoundary(after: offset) : text.graphemeBoundary(before: offset)
        guard let shown = passHidden(next, forward: forward) else { return place }
        return CaretPlace(shown)
    }

    /// A place, or the next in a direction that is not hidden; nil if everything there is.
    func passHidden(_ offset: UTF16Offset, forward: Bool) -> UTF16Offset? {
        guard mayDiffer else { return offset }
        var unit = offset.value
        while true {
            let placed = placedPiece(at: unit)
            guard placed.piece.isHidden else { return UTF16Offset(unit) }
            let edge = forward ? placed.start + placed.units : placed.start - 1
            if edge < 0 || edge > text.metrics.utf16 { return nil }
            unit = edge
        }
    }

    // MARK: By line

    /// The line above or below that is shown.
    func adjacentLine(to line: PlacedLine, below: Bool) -> PlacedLine? {
        var next = anyLine(nextTo: line, below: below)
        while let hidden = next, hidden.placed.piece.isHidden { next = anyLine(nextTo: hidden, below: below) }
        return next
    }

    private func anyLine(nextTo line: PlacedLine, below: Bool) -> PlacedLine? {
        let index = line.index + (below ? 1 : -1)
        if line.placed.piece.lines.indices.contains(index) { return PlacedLine(placed: line.placed, index: index) }
        if below {
            let next = line.placed.start + line.placed.units
            guard next < tree.total.units else { return nil }
            return PlacedLine(placed: placedPiece(at: next), index: 0)
        }
        guard line.placed.start > 0 else { return nil }
        let above = placedPiece(at: line.placed.start - 1)
        return PlacedLine(placed: above, index: above.piece.lines.count - 1)
    }

    /// The place some visual lines below (or above, if negative), nearest to the goal column; beyond the first or last
    /// line, the document's start or end. Keeps the goal.
    public func moveVertically(_ place: CaretPlace, lines: Int) -> CaretPlace {
        let goal = place.goalX ?? caretRect(at: place.offset, affinity: place.affinity).minX
        var line = placedLine(at: place.offset, place.affinity)
        for _ in 0..<abs(lines) {
            guard let next = lineAbove(or: lines > 0, line, goal) else {
                return CaretPlace(UTF16Offset(lines > 0 ? text.metrics.utf16 : 0), goalX: goal)
            }
            line = next
        }
        let found = location(on: line, x: goal)
        return CaretPlace(found.offset, affinity: found.affinity, goalX: goal)
    }

    /// The place about a height (in pixels, negative upwards) away at the goal column: for moves by page.
    public func moveVertically(_ place: CaretPlace, by height: Double) -> CaretPlace {
        let caret = caretRect(at: place.offset, affinity: place.affinity)
        let goal = place.goalX ?? caret.minX
        let y = caret.minY + caret.height / 2 + height
        let found = location(closestTo: DocumentPoint(x: goal, y: max(0, y)))
        return CaretPlace(found.offset, affinity: found.affinity, goalX: goal)
    }

    /// The line above or below another; on lines of several segments the one at x.
    private func lineAbove(or below: Bool, _ line: PlacedLine, _ x: Double) -> PlacedLine? {
        let index = line.index + (below ? 1 : -1)
        guard isUnwrapped, !line.placed.piece.lines.indices.contains(index) else {
            var next = adjacentLine(to: line, below: below)
            // Beside exclusion paths the next line may stand on the same height.
            while let beside = next, exclusions != nil, beside.top == line.top {
                next = adjacentLine(to: beside, below: below)
            }
            return next
        }
        let next = line.placed.paragraph + (below ? 1 : -1)
        guard next >= 0, next < text.paragraphCount else { return nil }
        let placed = placedPiece(in: Paragraph(text, ParagraphIndex(next)), atX: x)
        return PlacedLine(placed: placed, index: below ? 0 : placed.piece.lines.count - 1)
    }

    /// The start of the visual line that a caret is on. At the start of a paragraph whose first text runs against the
    /// line's direction it is upstream, so that the caret is shown at the line's edge.
    public func lineStart(_ place: CaretPlace) -> CaretPlace {
        if placedPiece(at: clampedUnit(place.offset)).piece.isSideways { return atLineEdge(paragraphStart(place)) }
        let line = placedLine(at: place.offset, place.affinity)
        return atLineEdge(CaretPlace(UTF16Offset(line.start)))
    }

    /// The start of a line, upstream if its caret is shown at the line's edge then and nowhere else.
    private func atLineEdge(_ start: CaretPlace) -> CaretPlace {
        let line = placedLine(at: start.offset, .downstream)
        guard line.index == 0, line.placed.piece.startsParagraph, !line.placed.piece.shaped.isPlain else {
            return start
        }
        let positioned = positioned(line)
        guard let first = positioned.stops.first, (first.level ^ positioned.baseLevel) & 1 == 1 else { return start }
        return CaretPlace(start.offset, affinity: .upstream)
    }

    /// The end of the visual line that a caret is on; upstream where the line wraps, so that the caret stays on it.
    public func lineEnd(_ place: CaretPlace) -> CaretPlace {
        if placedPiece(at: clampedUnit(place.offset)).piece.isSideways { return paragraphEnd(place) }
        let line = placedLine(at: place.offset, place.affinity)
        return CaretPlace(UTF16Offset(line.end), affinity: line.record.isWrapped ? .upstream : .downstream)
    }

    // MARK: By paragraph and document

    /// The start of the paragraph that a place is in.
    public func paragraphStart(_ place: CaretPlace) -> CaretPlace {
        CaretPlace(UTF16Offset(Paragraph(text, holding: clampedUnit(place.offset)).start))
    }

    /// The end of the paragraph that a place is in, before its newline.
    public func paragraphEnd(_ place: CaretPlace) -> CaretPlace {
        CaretPlace(UTF16Offset(Paragraph(text, holding: clampedUnit(place.offset)).contentEnd))
    }

    /// The start of the document.
    public var documentStart: CaretPlace { CaretPlace(0) }

    /// The end of the document.
    public var documentEnd: CaretPlace { CaretPlace(length) }
}
