import InkstoneBase
import InkstoneText

/// A part of a selection on one visual line: a rectangle, and how the text in it runs.
public struct TextSegment: Hashable, Sendable {
    /// Place in pixels of the document.
    public var rect: DocumentRect
    /// Whether the text in it runs from right to left.
    public var isRightToLeft: Bool
    /// Whether the range starts in it: true of one segment at most.
    public var containsStart: Bool
    /// Whether the range ends in it: true of one segment at most.
    public var containsEnd: Bool
    /// UTF-16 units of the line that the segment lies on and the range covers.
    public var utf16Range: Range<UTF16Offset>
}

/// A place in the text and a distance: what stays still on the screen while heights change.
public struct ScrollAnchor: Hashable, Sendable {
    /// A place on the line that is held.
    public var offset: UTF16Offset
    /// How far the view's top edge lies below the top of that line, in device pixels.
    public var distance: Double

    /// Holds the line of a place so far above the view's top edge.
    public init(offset: UTF16Offset, distance: Double) {
        self.offset = offset
        self.distance = distance
    }
}

extension TextLayoutManager {
    // MARK: Fragments

    /// The fragments that a band of the document shows, from top to bottom; lays out what is needed, and no more.
    ///
    /// The band's left and right edge only matter for long lines that do not wrap. O(log n) and what is seen.
    public func textLayoutFragments(in band: DocumentRect) -> [TextLayoutFragment] {
        var found: [TextLayoutFragment] = []
        forEachPlaced(in: band) { placed in
            found.append(
                TextLayoutFragment(placed, tools: tools, width: container.width, length: text.metrics.utf16))
        }
        evict()
        return found
    }

    /// Whether a place may lie in a band of the document: exactly, if the band is laid out. For any number of fragments in it
    /// no more than the first and the last are looked at.
    package func mayShow(_ offset: UTF16Offset, in band: DocumentRect) -> Bool {
        let unit = clampedUnit(offset)
        let (piece, before) = tree.piece(at: unit)
        if piece.layout != nil {
            let top = top(of: before)
            return top <= band.maxY && top + Double(piece.height) >= band.minY
        }
        if unit < placedPiece(at: unitForLayout(atY: band.minY)).start { return false }
        let last = placedPiece(at: unitForLayout(atY: band.maxY))
        return unit <= last.start + last.units
    }

    /// The fragment that holds a place.
    public func textLayoutFragment(for offset: UTF16Offset) -> TextLayoutFragment {
        TextLayoutFragment(
            placedPiece(at: clampedUnit(offset)), tools: tools, width: container.width, length: text.metrics.utf16)
    }

    /// Lays out what lies between two heights and calls `body` with each piece, top to bottom.
    func forEachPlaced(in band: DocumentRect, _ body: (PlacedPiece) -> Void) {
        if isUnwrapped { return forEachUnwrapped(in: band, body) }
        let (low, high) = (band.minY, band.maxY)
        var unit = unitForLayout(atY: low)
        while unit < tree.total.units {
            let placed = placedPiece(at: unit)
            if placed.y >= high { return }
            if placed.y + Double(placed.piece.height) > low { body(placed) }
            unit = placed.start + placed.units
        }
    }

    /// A unit in the piece at a height; in a gap, one in the paragraph that the estimate puts there.
    func unitForLayout(atY y: Double) -> Int {
        layOutBesideExclusions()
        let (piece, before) = tree.piece(atY: max(0, y), estimate)
        guard piece.isGap, piece.units > 1 else { return before.units }
        let target = max(0, y - estimate.height(of: before))
        var low = before.units
        var high = before.units + piece.units - 1
        // Bisection over units; heights grow with both paragraphs and units.
        while low < high {
            let middle = (low + high + 1) / 2
            let paragraphs = text.paragraphIndex(at: UTF16Offset(min(middle, text.metrics.utf16))).value
            let height =
                Double(paragraphs - before.paragraphs) * estimate.perParagraph
                + Double(middle - before.units) * estimate.perUnit
            if height <= target { low = middle } else { high = middle - 1 }
        }
        return low
    }

    // MARK: Lines

    /// A line in its place.
    struct PlacedLine {
        var placed: PlacedPiece
        var index: Int
        var record: LineRecord { placed.piece.lines[index] }
        var top: Double { placed.y + Double(record.y) }
        var start: Int { placed.start + Int(record.start) }
        var end: Int { placed.start + Int(record.end) }
    }

    func placedLine(at offset: UTF16Offset, _ affinity: TextAffinity) -> PlacedLine {
        let unit = clampedUnit(offset)
        var placed = placedPiece(at: unit)
        if affinity == .upstream, unit == placed.start, !placed.piece.startsParagraph {
            placed = placedPiece(at: unit - 1)
            return PlacedLine(placed: placed, index: placed.piece.lines.count - 1)
        }
        let local = Int32(min(unit - placed.start, placed.piece.contentLength))
        return PlacedLine(
            placed: placed, index: placed.piece.lineIndex(at: local, upstream: affinity == .upstream))
    }

    /// The line that a caret is on: at the place where a full line ends and the next starts, the affinity decides.
    public func lineFragment(at offset: UTF16Offset, affinity: TextAffinity = .downstream) -> TextLineFragment {
        fragment(placedLine(at: offset, affinity))
    }

    func fragment(_ line: PlacedLine) -> TextLineFragment {
        TextLineFragment(
            piece: line.placed.piece, index: line.index, pieceStart: line.placed.start, pieceY: line.placed.y,
            pieceX: line.placed.x, tools: tools)
    }

    /// The line at a height in pixels of the document; the nearest for heights outside.
    func placedLine(atY y: Double, x: Double = 0) -> PlacedLine {
        if isUnwrapped {
            let placed = placedPiece(in: paragraph(atY: y), atX: x)
            return PlacedLine(placed: placed, index: placed.piece.lineIndex(atY: y - placed.y))
        }
        var placed = placedPiece(at: unitForLayout(atY: y))
        // A gap's estimate may have put its paragraph higher than it turned out.
        while y >= placed.y + Double(placed.piece.height), placed.start + placed.units < tree.total.units {
            placed = placedPiece(at: placed.start + placed.units)
        }
        // Below the last line nothing may be shown: then it is the line above.
        while placed.piece.isHidden, placed.start > 0 { placed = placedPiece(at: placed.start - 1) }
        return PlacedLine(placed: placed, index: placed.piece.lineIndex(atY: y - placed.y))
    }

    func positioned(_ line: PlacedLine) -> PositionedLine { line.placed.piece.line(line.index, tools) }

    /// Unit of a caret within a line's piece; places inside the terminator are where the content ends.
    private func local(_ offset: UTF16Offset, _ line: PlacedLine) -> Int32 {
        Int32(min(max(clampedUnit(offset) - line.placed.start, 0), line.placed.piece.contentLength))
    }

    // MARK: Caret

    /// The caret's rectangle, one pixel wide and as high as its line, in pixels of the document.
    ///
    /// Where directions meet, upstream stands after the text before, downstream before the text after. Inside a
    /// grapheme cluster it stands where the cluster starts. Clamps offsets outside the text; spaces that hang over the
    /// edge have their carets at the edge.
    public func caretRect(at offset: UTF16Offset, affinity: TextAffinity = .downstream) -> DocumentRect {
        let line = placedLine(at: offset, affinity)
        let x = positioned(line).caretX(at: local(offset, line), upstream: affinity == .upstream)
        return caretRect(x, line)
    }

    /// The other caret where directions meet: where text of the other direction would appear; nil if there is one only.
    public func secondaryCaretRect(at offset: UTF16Offset, affinity: TextAffinity = .downstream) -> DocumentRect? {
        let line = placedLine(at: offset, affinity)
        guard positioned(line).runs.contains(where: { $0.level != positioned(line).baseLevel }) else { return nil }
        return positioned(line).secondaryCaretX(at: local(offset, line), upstream: affinity == .upstream)
            .map { caretRect($0, line) }
    }

    /// Whether the text that a caret belongs to runs from right to left.
    public func isRightToLeft(at offset: UTF16Offset, affinity: TextAffinity = .downstream) -> Bool {
        let line = placedLine(at: offset, affinity)
        return positioned(line).level(at: local(offset, line), upstream: affinity == .upstream) & 1 == 1
    }

    /// Whether the paragraph of a place runs from right to left.
    public func isParagraphRightToLeft(at offset: UTF16Offset) -> Bool {
        placedPiece(at: clampedUnit(offset)).piece.shaped.baseLevel & 1 == 1
    }

    private func caretRect(_ x: Int32, _ line: PlacedLine) -> DocumentRect {
        var pixel = Double((x + 32) >> 6)
        if container.lineBreakMode == .byWordWrapping, line.record.width <= line.record.room * 64 {
            let left = Double(line.record.roomX)
            pixel = min(max(pixel, left), max(left, left + Double(line.record.room)))
        }
        return DocumentRect(x: line.placed.x + pixel, y: line.top, width: 1, height: Double(line.record.height))
    }

    // MARK: Hit testing

    /// The place for a caret nearest to a point, anywhere in or outside the document.
    public func location(closestTo point: DocumentPoint) -> (offset: UTF16Offset, affinity: TextAffinity) {
        location(on: placedLine(atY: point.y, x: point.x), x: point.x)
    }

    func location(on line: PlacedLine, x: Double) -> (offset: UTF16Offset, affinity: TextAffinity) {
        let row = exclusions == nil ? line : sibling(of: line, at: x)
        let positioned = positioned(row)
        var hit = positioned.hit(Int32(sixtyFourths: x - row.placed.x))
        let edge = Double((positioned.baseLevel & 1 == 0 ? positioned.right : positioned.left) >> 6)
        let isBeyond = positioned.baseLevel & 1 == 0 ? x >= edge : x <= edge
        if isBeyond, container.lineBreakMode == .byWordWrapping, row.record.fullWidth > row.record.width,
            row.record.width <= row.record.room * 64
        {
            // All carets of hanging spaces are at the edge: the last one stands for them.
            hit = (row.record.end, true)
        }
        // At the end of a full line only upstream keeps the caret on it.
        let upstream =
            hit.upstream && (hit.unit < row.record.end || row.record.isWrapped || isSplit(hit.unit, positioned))
        return (UTF16Offset(row.placed.start + Int(hit.unit)), upstream ? .upstream : .downstream)
    }

    private func isSplit(_ unit: Int32, _ positioned: PositionedLine) -> Bool {
        positioned.caretX(at: unit, upstream: true) != positioned.caretX(at: unit, upstream: false)
    }

    /// The grapheme cluster under a point: its UTF-16 range; nil where there is none.
    public func characterRange(at point: DocumentPoint) -> Range<UTF16Offset>? {
        var line = placedLine(atY: point.y, x: point.x)
        if exclusions != nil { line = sibling(of: line, at: point.x) }
        guard point.y >= line.top, point.y < line.top + Double(line.record.height) else { return nil }
        let positioned = positioned(line)
        let x = Int32(sixtyFourths: point.x - line.placed.x, .down)
        for (i, stop) in positioned.stops.enumerated()
        where x >= min(stop.leading, stop.trailing) && x < max(stop.leading, stop.trailing) {
            let start = line.placed.start
            return UTF16Offset(start + Int(stop.unit))..<UTF16Offset(start + Int(positioned.end(ofStop: i)))
        }
        return nil
    }

    // MARK: Ranges

    /// The rectangles of a range, one for each visual line and stretch of one direction, in the order of the lines.
    ///
    /// Only lines that meet `visible` are looked at. Where the range goes on beyond a line, the line's last rectangle
    /// goes on to the container's edge. Adjacent ranges' rectangles neither overlap nor leave a gap.
    public func selectionRects(for range: Range<UTF16Offset>, within visible: DocumentRect) -> [TextSegment] {
        segments(for: range, within: visible, extends: true)
    }

    func segments(for range: Range<UTF16Offset>, within visible: DocumentRect, extends: Bool) -> [TextSegment] {
        let low = clampedUnit(range.lowerBound)
        let high = clampedUnit(range.upperBound)
        guard low < high else { return [] }
        var found: [TextSegment] = []
        if isUnwrapped {
            let band = DocumentRect(
                x: visible.minX, y: visible.minY, width: visible.width, height: visible.height)
            forEachUnwrapped(in: band, units: low..<high) { placed in
                for index in placed.piece.lines.indices {
                    let line = PlacedLine(placed: placed, index: index)
                    if line.end >= low, line.start < high { append(line, low, high, extends, to: &found) }
                }
            }
            return found
        }
        var unit = max(low, min(unitForLayout(atY: visible.minY), text.metrics.utf16))
        walk: while unit < high {
            let placed = placedPiece(at: unit)
            for index in placed.piece.lines.indices {
                let line = PlacedLine(placed: placed, index: index)
                if line.end < low || line.top + Double(line.record.height) <= visible.minY { continue }
                if line.start >= high || line.top >= visible.maxY { break walk }
                append(line, low, high, extends, to: &found)
            }
            unit = placed.start + placed.units
        }
        return found
    }

    private func append(
        _ line: PlacedLine, _ low: Int, _ high: Int, _ extends: Bool, to found: inout [TextSegment]
    ) {
        let positioned = positioned(line)
        let from = Int32(max(low - line.placed.start, Int(line.record.start)))
        let to = Int32(min(high - line.placed.start, Int(line.record.end)))
        let isLast = line.index == line.placed.piece.lines.count - 1
        let lineEnd = line.end + (isLast ? line.placed.piece.terminator : 0)
        var spans = from < to ? positioned.spans(from: from, to: to) : []
        let height = Double(line.record.height)
        let rtl = positioned.baseLevel & 1 == 1
        let goesOn = extends && high > line.end && low <= line.end && isLast && line.placed.piece.terminator > 0
        if goesOn {
            let edge = rtl ? min(positioned.left, positioned.endEdge) : max(positioned.right, positioned.endEdge)
            let reach = container.lineBreakMode == .byClipping ? positioned.endEdge + (rtl ? -512 : 512) : edge
            let tail = (left: min(positioned.endEdge, reach), right: max(positioned.endEdge, reach))
            if let i = spans.lastIndex(where: { rtl ? $0.left == tail.right : $0.right == tail.left }),
                spans[i].level & 1 == positioned.baseLevel & 1
            {
                if rtl { spans[i].left = tail.left } else { spans[i].right = tail.right }
            } else if tail.left < tail.right {
                let span = (left: tail.left, right: tail.right, level: positioned.baseLevel)
                if rtl { spans.insert(span, at: 0) } else { spans.append(span) }
            }
        }
        let covered = UTF16Offset(max(low, line.start))..<UTF16Offset(max(max(low, line.start), min(high, lineEnd)))
        let startsHere = low >= line.start && (low < lineEnd || low == line.end)
        let endsHere = high > line.start && (high <= line.end || high <= lineEnd)
        let first = found.count
        for span in spans {
            let left = line.placed.x + Double((span.left + 32) >> 6)
            let right = line.placed.x + Double((span.right + 32) >> 6)
            found.append(
                TextSegment(
                    rect: DocumentRect(x: left, y: line.top, width: right - left, height: height),
                    isRightToLeft: span.level & 1 == 1, containsStart: false, containsEnd: false,
                    utf16Range: covered))
        }
        guard first < found.count else { return }
        if startsHere {
            mark(&found, first, positioned.caretX(at: from, upstream: false), line.placed.x) { $0.containsStart = true }
        }
        if endsHere {
            mark(&found, first, positioned.caretX(at: to, upstream: true), line.placed.x) { $0.containsEnd = true }
        }
    }

    /// Marks the segment from `first` on that has an edge at x, the nearest if none has.
    private func mark(
        _ found: inout [TextSegment], _ first: Int, _ x: Int32, _ shift: Double, _ set: (inout TextSegment) -> Void
    ) {
        let at = shift + Double((x + 32) >> 6)
        func distance(_ segment: TextSegment) -> Double {
            min(abs(segment.rect.minX - at), abs(segment.rect.maxX - at))
        }
        var best = first
        for i in first..<found.count where distance(found[i]) < distance(found[best]) { best = i }
        set(&found[best])
    }

    /// The rectangle of the part of a range on its first visual line, and that part: what an input method's window is
    /// placed beside. For an empty range the caret, without width.
    public func firstRect(for range: Range<UTF16Offset>) -> (rect: DocumentRect, actual: Range<UTF16Offset>) {
        let low = clampedUnit(range.lowerBound)
        let high = clampedUnit(range.upperBound)
        let line = placedLine(at: UTF16Offset(low), .downstream)
        guard low < high else {
            var caret = caretRect(at: UTF16Offset(low))
            caret.size.width = 0
            return (caret, UTF16Offset(low)..<UTF16Offset(low))
        }
        let end = min(high, fragment(line).utf16Range.upperBound.value)
        let positioned = positioned(line)
        let start = Int32(low - line.placed.start)
        let stop = min(Int32(end - line.placed.start), line.record.end)
        let spans = start < stop ? positioned.spans(from: start, to: stop) : []
        let caret = caretRect(at: UTF16Offset(low))
        let left = spans.map(\.left).min().map { line.placed.x + Double(($0 + 32) >> 6) } ?? caret.minX
        let right = spans.map(\.right).max().map { line.placed.x + Double(($0 + 32) >> 6) } ?? caret.minX
        return (
            DocumentRect(x: left, y: line.top, width: max(0, right - left), height: Double(line.record.height)),
            UTF16Offset(low)..<UTF16Offset(end)
        )
    }

    // MARK: Scrolling

    /// What to hold on to so that the view's top edge stays at a height of the document.
    public func scrollAnchor(atY y: Double) -> ScrollAnchor {
        let line = placedLine(atY: y)
        return ScrollAnchor(offset: UTF16Offset(line.start), distance: y - line.top)
    }

    /// Where the view's top edge is now, for an anchor, in pixels of the document.
    public func y(of anchor: ScrollAnchor) -> Double {
        placedLine(at: anchor.offset, .downstream).top + anchor.distance
    }

    /// Lays out what lies around an anchor, so that heights there are exact: `above` and `below` pixels from the
    /// view's top edge. After it ``y(of:)`` and the fragments there agree.
    public func ensureLayout(around anchor: ScrollAnchor, above: Double, below: Double) {
        // Where nothing wraps all heights are known by counting.
        if isUnwrapped, paragraphStyle.lineHeight != .growing { return }
        var placed = placedPiece(at: clampedUnit(anchor.offset))
        var missing = above
        while missing > 0, placed.start > 0 {
            placed = placedPiece(at: placed.start - 1)
            missing -= Double(placed.piece.height)
        }
        let top = y(of: anchor)
        forEachPlaced(in: DocumentRect(x: 0, y: top, width: container.width, height: below)) { _ in }
    }
}
