import InkstoneBase
import InkstoneText

/// A part of a selection on one visual line: a rectangle, and the direction of its text.
public struct TextSegment: Hashable, Sendable {
    /// Frame in pixels of the document.
    public var rect: DocumentRect
    /// Whether the segment's text runs from right to left.
    public var isRightToLeft: Bool
    /// Whether the segment contains the range's start: true of one segment at most.
    public var containsStart: Bool
    /// Whether the segment contains the range's end: true of one segment at most.
    public var containsEnd: Bool
    /// UTF-16 units of the range on the segment's line.
    public var utf16Range: Range<UTF16Offset>
}

/// A position in the text and a distance, which keep the view's content still while heights change.
public struct ScrollAnchor: Hashable, Sendable {
    /// A position on the anchored line.
    public var offset: UTF16Offset
    /// Distance of the view's top edge below the top of that line, in device pixels.
    public var distance: Double

    /// Creates an anchor at a position's line, whose top lies `distance` above the view's top edge.
    public init(offset: UTF16Offset, distance: Double) {
        self.offset = offset
        self.distance = distance
    }
}

extension TextGeometry {
    // MARK: Lines

    /// Returns the line of a caret. Where a full line ends and the next starts, the affinity decides.
    public func lineFragment(at offset: UTF16Offset, affinity: TextAffinity = .downstream) -> TextLineFragment {
        document.lineFragment(document.placedLine(at: offset, affinity))
    }

    /// Returns the line at a height in pixels of the document; the first or last for heights outside.
    public func lineFragment(atY y: Double) -> TextLineFragment { document.lineFragment(document.placedLine(atY: y)) }

    /// Returns whether a position may lie in a band of the document; exact if the band is laid out. Only the first and the last
    /// fragment of the band are examined, however many there are.
    package func mayShow(_ offset: UTF16Offset, in band: DocumentRect) -> Bool {
        let unit = document.clamped(offset)
        let (fragment, before) = document.tree.fragment(at: unit)
        if fragment.layout != nil {
            let top = document.top(of: before)
            return top <= band.maxY && top + Double(fragment.height) >= band.minY
        }
        if unit < document.placedFragment(at: document.unitForLayout(atY: band.minY)).start { return false }
        let last = document.placedFragment(at: document.unitForLayout(atY: band.maxY))
        return unit <= last.start + last.units
    }

    /// Returns whether all text between two positions was laid out, so that the heights there are exact. O(log n).
    package func isLaidOut(from first: UTF16Offset, to second: UTF16Offset) -> Bool {
        let (a, before) = document.tree.fragment(at: document.clamped(min(first, second)))
        let (b, beforeLast) = document.tree.fragment(at: document.clamped(max(first, second)))
        return !a.isGap && !b.isGap && before.gapUnits == beforeLast.gapUnits
    }

    /// Returns the unit of a caret within its line's fragment; positions inside the terminator are mapped to the end of the content.
    private func local(_ offset: UTF16Offset, _ line: PlacedLine) -> Int32 {
        Int32(min(max(document.clamped(offset) - line.placed.start, 0), line.placed.fragment.contentLength))
    }

    // MARK: Caret

    /// Returns the caret's rectangle, one pixel wide and as high as its line, in pixels of the document.
    ///
    /// Where directions meet, an upstream caret is shown after the text before it, a downstream caret before the text after it. Inside a
    /// grapheme cluster the caret is shown at the cluster's start. Offsets outside the text are clamped; carets in spaces that hang over
    /// the edge are shown at the edge.
    public func caretRect(at offset: UTF16Offset, affinity: TextAffinity = .downstream) -> DocumentRect {
        let line = document.placedLine(at: offset, affinity)
        let x = document.positioned(line).caretX(at: local(offset, line), upstream: affinity == .upstream)
        return caretRect(x, line)
    }

    /// Returns the second caret where directions meet: the position of added text of the other direction; nil if there is only one caret.
    public func secondaryCaretRect(at offset: UTF16Offset, affinity: TextAffinity = .downstream) -> DocumentRect? {
        let line = document.placedLine(at: offset, affinity)
        guard document.positioned(line).runs.contains(where: { $0.level != document.positioned(line).baseLevel }) else {
            return nil
        }
        return document.positioned(line).secondaryCaretX(at: local(offset, line), upstream: affinity == .upstream)
            .map { caretRect($0, line) }
    }

    /// Returns whether the text that a caret belongs to runs from right to left.
    public func isRightToLeft(at offset: UTF16Offset, affinity: TextAffinity = .downstream) -> Bool {
        let line = document.placedLine(at: offset, affinity)
        return document.positioned(line).level(at: local(offset, line), upstream: affinity == .upstream) & 1 == 1
    }

    /// Returns whether a position's paragraph runs from right to left.
    public func isParagraphRightToLeft(at offset: UTF16Offset) -> Bool {
        document.placedFragment(at: document.clamped(offset)).fragment.shaped.baseLevel & 1 == 1
    }

    private func caretRect(_ x: Int32, _ line: PlacedLine) -> DocumentRect {
        var pixel = Double((x + 32) >> 6)
        if document.setting.options.container.lineBreakMode == .byWordWrapping,
            line.record.width <= line.record.room * 64
        {
            let left = Double(line.record.roomX)
            pixel = min(max(pixel, left), max(left, left + Double(line.record.room)))
        }
        return DocumentRect(x: line.placed.x + pixel, y: line.top, width: 1, height: Double(line.record.height))
    }

    // MARK: Hit testing

    /// Returns the caret position nearest to a point, anywhere in or outside the document.
    public func location(closestTo point: DocumentPoint) -> (offset: UTF16Offset, affinity: TextAffinity) {
        location(on: document.placedLine(atY: point.y, x: point.x), x: point.x)
    }

    func location(on line: PlacedLine, x: Double) -> (offset: UTF16Offset, affinity: TextAffinity) {
        let row = document.exclusions == nil ? line : document.sibling(of: line, at: x)
        let positioned = document.positioned(row)
        var hit = positioned.hit(Int32(sixtyFourths: x - row.placed.x))
        let edge = Double((positioned.baseLevel & 1 == 0 ? positioned.right : positioned.left) >> 6)
        let isBeyond = positioned.baseLevel & 1 == 0 ? x >= edge : x <= edge
        if isBeyond, document.setting.options.container.lineBreakMode == .byWordWrapping,
            row.record.fullWidth > row.record.width,
            row.record.width <= row.record.room * 64
        {
            // All carets of hanging spaces are shown at the edge; the last one represents them.
            hit = (row.record.end, true)
        }
        // At the end of a full line only upstream affinity keeps the caret on that line.
        let upstream =
            hit.upstream && (hit.unit < row.record.end || row.record.isWrapped || isSplit(hit.unit, positioned))
        return (UTF16Offset(row.placed.start + Int(hit.unit)), upstream ? .upstream : .downstream)
    }

    private func isSplit(_ unit: Int32, _ positioned: PositionedLine) -> Bool {
        positioned.caretX(at: unit, upstream: true) != positioned.caretX(at: unit, upstream: false)
    }

    /// Returns the UTF-16 range of the grapheme cluster under a point; nil where there is none.
    public func characterRange(at point: DocumentPoint) -> Range<UTF16Offset>? {
        var line = document.placedLine(atY: point.y, x: point.x)
        if document.exclusions != nil { line = document.sibling(of: line, at: point.x) }
        guard point.y >= line.top, point.y < line.top + Double(line.record.height) else { return nil }
        let positioned = document.positioned(line)
        let x = Int32(sixtyFourths: point.x - line.placed.x, .down)
        for (i, stop) in positioned.stops.enumerated()
        where x >= min(stop.leading, stop.trailing) && x < max(stop.leading, stop.trailing) {
            let start = line.placed.start
            return UTF16Offset(start + Int(stop.unit))..<UTF16Offset(start + Int(positioned.end(ofStop: i)))
        }
        return nil
    }

    // MARK: Ranges

    /// Returns the rectangles of a range, one for each visual line and stretch of one direction, in the order of the lines.
    ///
    /// Only lines that meet `visible` are examined. Where the range continues after a line, the line's last rectangle
    /// extends to the container's edge. Rectangles of adjacent ranges neither overlap nor leave a gap.
    public func selectionRects(for range: Range<UTF16Offset>, within visible: DocumentRect) -> [TextSegment] {
        segments(for: range, within: visible, extends: true)
    }

    func segments(for range: Range<UTF16Offset>, within visible: DocumentRect, extends: Bool) -> [TextSegment] {
        var found: [TextSegment] = []
        forEachLine(of: range, within: visible, extends: extends) { line in
            found += line
            return true
        }
        return found
    }

    /// Calls `body` with the segments of each line of a range that meets a rectangle, in the order of the lines, until it returns
    /// false; later lines are not laid out.
    func forEachLine(
        of range: Range<UTF16Offset>, within visible: DocumentRect, extends: Bool, _ body: ([TextSegment]) -> Bool
    ) {
        let low = document.clamped(range.lowerBound)
        let high = document.clamped(range.upperBound)
        guard low < high else { return }
        if document.isUnwrapped {
            document.forEachUnwrapped(in: visible, units: low..<high) { placed in
                placed.fragment.lines.indices.allSatisfy { index in
                    let line = PlacedLine(placed: placed, index: index)
                    return line.end < low || line.start >= high || body(segments(of: line, low, high, extends))
                }
            }
            return
        }
        var unit = max(low, min(document.unitForLayout(atY: visible.minY), document.text.metrics.utf16))
        walk: while unit < high {
            let placed = document.placedFragment(at: unit)
            for index in placed.fragment.lines.indices {
                let line = PlacedLine(placed: placed, index: index)
                if line.end < low || line.top + Double(line.record.height) <= visible.minY { continue }
                if line.start >= high || line.top >= visible.maxY { break walk }
                guard body(segments(of: line, low, high, extends)) else { return }
            }
            unit = placed.start + placed.units
        }
    }

    private func segments(of line: PlacedLine, _ low: Int, _ high: Int, _ extends: Bool) -> [TextSegment] {
        let positioned = document.positioned(line)
        let from = Int32(max(low - line.placed.start, Int(line.record.start)))
        let to = Int32(min(high - line.placed.start, Int(line.record.end)))
        let isLast = line.index == line.placed.fragment.lines.count - 1
        let lineEnd = line.end + (isLast ? line.placed.fragment.terminator : 0)
        var spans = from < to ? positioned.spans(from: from, to: to) : []
        let height = Double(line.record.height)
        let rtl = positioned.baseLevel & 1 == 1
        // The rest of the line belongs to its terminator or, where the text continues, to its last character.
        let goesOn =
            extends
            && (isLast
                ? high > line.end && low <= line.end && line.placed.fragment.terminator > 0
                : high >= line.end && low < line.end)
        if goesOn {
            let edge = rtl ? min(positioned.left, positioned.endEdge) : max(positioned.right, positioned.endEdge)
            let reach =
                document.setting.options.container.lineBreakMode == .byClipping
                ? positioned.endEdge + (rtl ? -512 : 512) : edge
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
        var found = spans.map { span in
            let left = line.placed.x + Double((span.left + 32) >> 6)
            let right = line.placed.x + Double((span.right + 32) >> 6)
            return TextSegment(
                rect: DocumentRect(x: left, y: line.top, width: right - left, height: height),
                isRightToLeft: span.level & 1 == 1, containsStart: false, containsEnd: false, utf16Range: covered)
        }
        guard !found.isEmpty else { return [] }
        if startsHere {
            mark(&found, positioned.caretX(at: from, upstream: false), line.placed.x) { $0.containsStart = true }
        }
        if endsHere {
            mark(&found, positioned.caretX(at: to, upstream: true), line.placed.x) { $0.containsEnd = true }
        }
        return found
    }

    /// Marks the segment that has an edge at x, or the nearest one.
    private func mark(
        _ found: inout [TextSegment], _ x: Int32, _ shift: Double, _ set: (inout TextSegment) -> Void
    ) {
        let at = shift + Double((x + 32) >> 6)
        func distance(_ segment: TextSegment) -> Double {
            min(abs(segment.rect.minX - at), abs(segment.rect.maxX - at))
        }
        var best = 0
        for i in found.indices where distance(found[i]) < distance(found[best]) { best = i }
        set(&found[best])
    }

    /// Returns the rectangle of the part of a range on its first visual line, and that part: the rectangle beside which an input method
    /// shows its window. For an empty range, the caret's rectangle without width.
    public func firstRect(for range: Range<UTF16Offset>) -> (rect: DocumentRect, actual: Range<UTF16Offset>) {
        let low = document.clamped(range.lowerBound)
        let high = document.clamped(range.upperBound)
        let line = document.placedLine(at: UTF16Offset(low), .downstream)
        guard low < high else {
            var caret = caretRect(at: UTF16Offset(low))
            caret.size.width = 0
            return (caret, UTF16Offset(low)..<UTF16Offset(low))
        }
        let end = min(high, document.lineFragment(line).utf16Range.upperBound.value)
        let positioned = document.positioned(line)
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

    /// Returns the anchor that keeps the view's top edge at a height of the document.
    public func scrollAnchor(atY y: Double) -> ScrollAnchor {
        let line = document.placedLine(atY: y)
        return ScrollAnchor(offset: UTF16Offset(line.start), distance: y - line.top)
    }

    /// Returns the current y of the view's top edge for an anchor, in pixels of the document.
    public func y(of anchor: ScrollAnchor) -> Double {
        document.placedLine(at: anchor.offset, .downstream).top + anchor.distance
    }
}
