public import InkstoneBase
public import InkstoneText
public import InkstoneUnicode

/// A read-only view of a text's layout, with functions that move carets and selections.
///
/// Its functions compute positions on the screen and the boundaries of text units. They lay out the text that they
/// need and change nothing else. No view is required: a move is `selection.moved(.right, .word, in:
/// TextGeometry(layout))`. Offsets are UTF-16 units of the document; x and y are pixels of the document. A geometry
/// is valid only on the layout's thread and until the text changes: create a new one for each use.
public struct TextGeometry {
    private let origin: DocumentLayout
    /// The layout to read; during a delegate call about a fragment, a copy of the layout before that call.
    var document: DocumentLayout { origin.current }
    /// The definition of words, for moves by word.
    public var wordStyle: WordStyle
    /// Number of visual lines that a move by a page passes, at least 1.
    public var linesPerPage: Int

    /// Creates the geometry of a layout's current text.
    public init(_ layout: TextLayoutManager, wordStyle: WordStyle = .natural, linesPerPage: Int = 1) {
        origin = layout.document
        self.wordStyle = wordStyle
        self.linesPerPage = max(1, linesPerPage)
    }

    /// Returns the caret position nearest to a point of the document.
    public func place(closestTo point: DocumentPoint) -> CaretPlace {
        let found = location(closestTo: point)
        return CaretPlace(found.offset, affinity: found.affinity)
    }

    /// Distance between regular tab stops, in widths of a space.
    public var tabInterval: Int { document.setting.options.paragraphStyle.tabInterval }

    /// The style of paragraphs without one of their own, in pixels at scale 1 as in attributes.
    package var ownParagraphStyle: ParagraphStyle {
        let options = document.setting.options
        return options.attributeScale > 0
            ? options.paragraphStyle.scaled(by: 1 / options.attributeScale) : options.paragraphStyle
    }

    /// Returns the position with `downstream` affinity if both affinities show the caret at the same point;
    /// otherwise returns it unchanged.
    func canonical(_ place: CaretPlace) -> CaretPlace {
        guard place.affinity == .upstream else { return place }
        let here = caretRect(at: place.offset, affinity: .upstream)
        guard here == caretRect(at: place.offset, affinity: .downstream) else { return place }
        return CaretPlace(place.offset, goalX: place.goalX)
    }

    // MARK: Edges of lines and ranges on the screen

    /// Returns the position at the right or left edge of a visual line.
    ///
    /// If a caret at the line's start or end is shown at that edge, returns that position. If the text at the edge
    /// runs against the line's direction, returns the outermost position on the screen instead. O(n log n) in the
    /// line's length.
    func lineEdge(_ place: CaretPlace, toRight: Bool) -> CaretPlace {
        let isForward = toRight != isParagraphRightToLeft(at: place.offset)
        let logical = isForward ? lineEnd(place) : lineStart(place)
        let line = document.placedLine(at: logical.offset, logical.affinity)
        let positioned = document.positioned(line)
        let edge = toRight ? positioned.contentRight : positioned.contentLeft
        let unit = Int32(min(max(0, logical.offset.value - line.placed.start), line.placed.fragment.contentLength))
        if positioned.caretX(at: unit, upstream: logical.affinity == .upstream) == edge { return logical }
        let outermost = positioned.boundary(toRight ? positioned.boundaryCount - 1 : 0)
        // A caret after a forced break is on the next line.
        let isAfterBreak = line.record.endsByBreak && outermost.unit == line.record.end
        guard outermost.x == edge, !isAfterBreak else { return logical }
        return CaretPlace(
            UTF16Offset(line.placed.start + Int(outermost.unit)),
            affinity: outermost.upstream ? .upstream : .downstream)
    }

    /// Returns the end to which a left or right arrow key collapses a selected range. On one visual line this is
    /// the end whose caret is farther in the key's direction. On several lines, the key goes forward or backward by
    /// the paragraph's direction, and the end is the one that it goes towards.
    func edge(of range: SelectionRange, toRight: Bool) -> CaretPlace {
        let low = CaretPlace(range.range.lowerBound)
        let high = CaretPlace(range.range.upperBound, affinity: .upstream)
        let first = caretRect(at: low.offset, affinity: low.affinity)
        let last = caretRect(at: high.offset, affinity: high.affinity)
        if first.minY == last.minY, first.minX != last.minX {
            return canonical((first.minX < last.minX) == toRight ? high : low)
        }
        return canonical(toRight != isParagraphRightToLeft(at: low.offset) ? high : low)
    }

    /// Returns the position in a range that is farthest in a direction on the screen. If the range covers several
    /// visual lines, this is an end of the range: for up and down by text order, for left and right by the first
    /// paragraph's direction. O(n) in the line's length.
    public func place(in range: Range<UTF16Offset>, farthest direction: TextLayoutDirection) -> CaretPlace {
        let low = CaretPlace(range.lowerBound)
        let high = CaretPlace(range.upperBound, affinity: range.isEmpty ? .downstream : .upstream)
        switch direction {
        case .up: return low
        case .down: return canonical(high)
        case .left, .right: break
        }
        let toRight = direction == .right
        let line = document.placedLine(at: low.offset, low.affinity)
        let end = document.placedLine(at: high.offset, high.affinity)
        guard line.placed.start == end.placed.start, line.index == end.index else {
            return canonical(toRight != isParagraphRightToLeft(at: low.offset) ? high : low)
        }
        let positioned = document.positioned(line)
        let units = (range.lowerBound.value - line.placed.start)..<(range.upperBound.value - line.placed.start)
        var best: (x: Int32, unit: Int, upstream: Bool)?
        func consider(_ x: Int32, _ unit: Int, _ upstream: Bool) {
            if let best, toRight ? x <= best.x : x >= best.x { return }
            best = (x, unit, upstream)
        }
        for (index, stop) in positioned.stops.enumerated() where units.contains(Int(stop.unit)) {
            consider(stop.leading, Int(stop.unit), false)
            let end = Int(positioned.end(ofStop: index))
            if end <= units.upperBound { consider(stop.trailing, end, true) }
        }
        guard let best else { return low }
        return canonical(
            CaretPlace(UTF16Offset(line.placed.start + best.unit), affinity: best.upstream ? .upstream : .downstream))
    }

    /// Returns the range from a position to the edge of its visual line. Left and right depend on the line's
    /// direction; up is the line's start, down its end.
    public func range(extending place: CaretPlace, to direction: TextLayoutDirection) -> Range<UTF16Offset> {
        let isForward: Bool
        switch direction {
        case .up: isForward = false
        case .down: isForward = true
        case .left, .right: isForward = (direction == .right) != isParagraphRightToLeft(at: place.offset)
        }
        if isForward { return place.offset..<max(place.offset, lineEnd(place).offset) }
        return min(place.offset, lineStart(place).offset)..<place.offset
    }

    /// Returns the range of the visual line of a position, without a newline or forced break at its end.
    public func lineRange(_ place: CaretPlace) -> Range<UTF16Offset> {
        let start = lineStart(place).offset
        return start..<max(start, lineEnd(place).offset)
    }
}
