import InkstoneBase
import InkstoneText

/// The rectangle of a part of a range: text of one direction on one visual line.
public struct TextSegment: Hashable, Sendable {
    /// Rectangle in pixels of the document.
    public var rect: DocumentRect
    /// Whether the text runs from right to left.
    public var isRightToLeft: Bool
    /// Whether the range's start is in this segment; true for at most one segment of a range.
    public var containsStart: Bool
    /// Whether the range's end is in this segment; true for at most one segment of a range.
    public var containsEnd: Bool
    /// The part of the range that is on the segment's line, in UTF-16 units.
    public var utf16Range: Range<UTF16Offset>
}

/// A position in the text and its distance from the view's top edge. Scrolling to an anchor keeps the visible text
/// in place while heights above it change.
public struct ScrollAnchor: Hashable, Sendable {
    /// A position on the anchored line.
    public var offset: UTF16Offset
    /// Distance of the view's top edge below the top of the anchored line, in device pixels.
    public var distance: Double

    /// Creates an anchor at the line of a position. `distance` is the distance of the view's top edge below the
    /// line's top.
    public init(offset: UTF16Offset, distance: Double) {
        self.offset = offset
        self.distance = distance
    }
}

extension TextGeometry {
    // MARK: Lines

    /// Returns the line that shows a caret. Between a wrapped line and the next, the affinity decides.
    public func lineFragment(at offset: UTF16Offset, affinity: TextAffinity = .downstream) -> TextLineFragment {
        document.lineFragment(document.placedLine(at: offset, affinity))
    }

    /// Returns the line at a y in pixels of the document; the first or last line for a y outside.
    public func lineFragment(atY y: Double) -> TextLineFragment { document.lineFragment(document.placedLine(atY: y)) }

    /// Returns whether the fragment of a position may reach into a horizontal band of the document. Exact if that
    /// fragment is laid out. Otherwise lays out only the fragments at the band's top and bottom.
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

    /// Whether all text between two positions has been laid out. Heights there are then exact. O(log n).
    package func isLaidOut(from first: UTF16Offset, to second: UTF16Offset) -> Bool {
        let (a, before) = document.tree.fragment(at: document.clamped(min(first, second)))
        let (b, beforeLast) = document.tree.fragment(at: document.clamped(max(first, second)))
        return !a.isGap && !b.isGap && before.gapUnits == beforeLast.gapUnits
    }

    /// Returns a document offset relative to the line's fragment. An offset within the paragraph's terminator
    /// becomes the end of its content.
    private func local(_ offset: UTF16Offset, _ line: PlacedLine) -> Int32 {
        Int32(min(max(document.clamped(offset) - line.placed.start, 0), line.placed.fragment.contentLength))
    }

    // MARK: Caret

    /// Returns the caret's rectangle in pixels of the document: one pixel wide and as high as its line.
    ///
    /// Where text directions meet, an upstream caret is shown at the end of the text before it. A downstream caret
    /// is shown at the start of the text after it. Within a grapheme cluster the caret is shown at the cluster's
    /// start. Offsets outside the text are clamped. A caret in spaces that hang over a line's edge is shown at the
    /// edge.
    public func caretRect(at offset: UTF16Offset, affinity: TextAffinity = .downstream) -> DocumentRect {
        let line = document.placedLine(at: offset, affinity)
        let x = document.positioned(line).caretX(at: local(offset, line), upstream: affinity == .upstream)
        return caretRect(x, line)
    }

    /// Returns the second caret at a position where text directions meet; nil if there is only one caret. Inserted
    /// text is shown at the first caret if it has the direction of the text there. It is shown at the second caret
    /// if it has the other direction.
    public func secondaryCaretRect(at offset: UTF16Offset, affinity: TextAffinity = .downstream) -> DocumentRect? {
        let line = document.placedLine(at: offset, affinity)
        guard document.positioned(line).runs.contains(where: { $0.level != document.positioned(line).baseLevel }) else {
            return nil
        }
        return document.positioned(line).secondaryCaretX(at: local(offset, line), upstream: affinity == .upstream)
            .map { caretRect($0, line) }
    }

    /// Returns whether the text at a caret, on the side of its affinity, runs from right to left.
    public func isRightToLeft(at offset: UTF16Offset, affinity: TextAffinity = .downstream) -> Bool {
        let line = document.placedLine(at: offset, affinity)
        return document.positioned(line).level(at: local(offset, line), upstream: affinity == .upstream) & 1 == 1
    }

    /// Returns whether the paragraph that contains an offset runs from right to left.
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

    /// Returns the caret position nearest to a point, also for points outside of the document.
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
            // All carets in hanging spaces are shown at the edge; choose the one behind the last space.
            hit = (row.record.end, true)
        }
        // A caret after a forced break is on the next line.
        if row.record.endsByBreak, hit.unit >= row.record.contentEnd {
            let isBefore = hit.unit == row.record.contentEnd && hit.upstream
            return (UTF16Offset(row.contentEnd), isBefore ? .upstream : .downstream)
        }
        // At the end of a wrapped line, the caret is shown on that line only with upstream affinity.
        let upstream =
            hit.upstream && (hit.unit < row.record.end || row.record.isWrapped || isSplit(hit.unit, positioned))
        return (UTF16Offset(row.placed.start + Int(hit.unit)), upstream ? .upstream : .downstream)
    }

    private func isSplit(_ unit: Int32, _ positioned: PositionedLine) -> Bool {
        positioned.caretX(at: unit, upstream: true) != positioned.caretX(at: unit, upstream: false)
    }

    /// Returns the UTF-16 range of the grapheme cluster at a point; nil if no text is there.
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

    /// Returns the rectangles of a range, from the first line to the last: one for each part of a visual line with
    /// one text direction.
    ///
    /// Only lines that intersect `visible` are examined. If the range continues on the next line, a line's last
    /// rectangle extends to the container's edge. The rectangles of adjacent ranges neither overlap nor leave a
    /// gap.
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

    /// Calls `body` with the segments of each line of a range that intersects `visible`, from the first line to the
    /// last, until `body` returns false. Later lines are not laid out.
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
        // A selection that includes the newline, or that continues on the next line, covers the rest of this line
        // too.
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

    /// Applies `set` to the segment that has an edge at x, or else to the one nearest to x.
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

    /// Returns the part of a range that is on the range's first visual line (`actual`), and the rectangle of that
    /// part. An input method shows its window beside this rectangle. For an empty range, returns the caret's
    /// rectangle with width 0.
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

    /// Returns an anchor that keeps the text at a y of the document at the view's top edge.
    public func scrollAnchor(atY y: Double) -> ScrollAnchor {
        let line = document.placedLine(atY: y)
        return ScrollAnchor(offset: UTF16Offset(line.start), distance: y - line.top)
    }

    /// Returns the y of the document, in pixels, that must be at the view's top edge for an anchor to have its
    /// distance from that edge.
    public func y(of anchor: ScrollAnchor) -> Double {
        document.placedLine(at: anchor.offset, .downstream).top + anchor.distance
    }
}
