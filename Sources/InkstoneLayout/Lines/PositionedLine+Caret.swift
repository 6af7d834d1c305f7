import InkstoneBase
import InkstoneUnicode

extension PositionedLine {
    /// Returns the index of the last stop (grapheme cluster) that starts at or before `unit`; nil if `unit` is
    /// before the first. O(log n).
    func stopIndex(atOrBefore unit: Int32) -> Int? {
        let count = stops.partitioningIndex { $0.unit > unit }
        return count == 0 ? nil : count - 1
    }

    /// Returns the UTF-16 unit at which a stop (a grapheme cluster) ends.
    func end(ofStop index: Int) -> Int32 {
        let stops = stops
        return index + 1 < stops.count ? stops[index + 1].unit : end
    }

    /// Returns the x of both possible carets at a UTF-16 unit: at the end of the text before it, and at the start of
    /// the text after it.
    ///
    /// The two differ where text directions meet. Within a cluster, both belong to the cluster's start.
    private func edges(at unit: Int32) -> (before: Int32?, after: Int32?) {
        let stops = stops
        guard let index = stopIndex(atOrBefore: unit) else { return (nil, stops.first?.leading) }
        if unit >= end(ofStop: index) { return (stops[index].trailing, nil) }
        let before = index > 0 ? stops[index - 1].trailing : nil
        return (before, stops[index].leading)
    }

    /// Returns the x of the caret at a UTF-16 unit of the line, in 26.6 pixels. An upstream caret is at the end of the
    /// text before the unit, a downstream one at the start of the text after it.
    func caretX(at unit: Int32, upstream: Bool) -> Int32 {
        if let x = plainCaretX(at: unit) { return x }
        let (before, after) = edges(at: unit)
        if upstream { return before ?? startEdge }
        return after ?? before ?? startEdge
    }

    /// Returns the x of the second caret at a UTF-16 unit where text directions meet; nil elsewhere. Inserted text is
    /// shown at the first caret if it has the direction of the text there. It is shown at the second caret if it has
    /// the other direction.
    func secondaryCaretX(at unit: Int32, upstream: Bool) -> Int32? {
        let (before, after) = edges(at: unit)
        let first = upstream ? before ?? startEdge : after ?? before ?? startEdge
        // Beyond the line's ends, assume text of the base direction.
        let other = upstream ? after ?? endEdge : before ?? startEdge
        let second = !upstream && after == nil ? endEdge : other
        return second == first ? nil : second
    }

    /// Returns the bidi level of the text that a caret belongs to.
    func level(at unit: Int32, upstream: Bool) -> UInt8 {
        guard let index = stopIndex(atOrBefore: unit) else { return stops.first?.level ?? baseLevel }
        if unit >= end(ofStop: index) || !upstream { return stops[index].level }
        return index > 0 ? stops[index - 1].level : baseLevel
    }

    /// Returns the caret position nearest to an x (26.6 pixels): a UTF-16 unit, and whether the caret is upstream.
    ///
    /// Upstream is returned only if the two carets at the unit differ, or at the line's end. O(n) for n stops.
    func hit(_ x: Int32) -> (unit: Int32, upstream: Bool) {
        guard let run = runs.last(where: { $0.left <= x && $0.width > 0 }) ?? runs.first(where: { $0.width > 0 })
        else { return (start, false) }
        let stops = stops
        var index = stopIndex(atOrBefore: run.start) ?? 0
        var best = index
        var distance = Int32.max
        while index < stops.count, stops[index].unit < run.end {
            let low = min(stops[index].leading, stops[index].trailing)
            let high = max(stops[index].leading, stops[index].trailing)
            let d = x < low ? low - x : x >= high ? x - high : 0
            if d < distance {
                distance = d
                best = index
            }
            index += 1
        }
        let stop = stops[best]
        if abs(x - stop.leading) <= abs(x - stop.trailing) { return canonical(stop.unit, false) }
        return canonical(end(ofStop: best), true)
    }

    /// Replaces upstream by downstream affinity if both carets have the same x on this line. At the line's end
    /// upstream stays: the downstream caret may be on the next line.
    func canonical(_ unit: Int32, _ upstream: Bool) -> (unit: Int32, upstream: Bool) {
        guard upstream, unit < end else { return (unit, upstream) }
        return (unit, caretX(at: unit, upstream: false) != caretX(at: unit, upstream: true))
    }

    /// Returns the horizontal intervals that a range of UTF-16 units covers, from left to right. Adjacent intervals of
    /// one bidi level are merged.
    func spans(from low: Int32, to high: Int32) -> [(left: Int32, right: Int32, level: UInt8)] {
        var found: [(left: Int32, right: Int32, level: UInt8)] = []
        for run in runs where run.start < high && run.end > low {
            let a = run.start >= low ? (run.level & 1 == 0 ? run.left : run.right) : edge(at: low, in: run)
            let b = run.end <= high ? (run.level & 1 == 0 ? run.right : run.left) : edge(at: high, in: run)
            let span = (left: min(a, b), right: max(a, b), level: run.level)
            if span.left == span.right { continue }
            if let last = found.last, last.right == span.left, last.level == span.level {
                found[found.count - 1].right = span.right
            } else {
                found.append(span)
            }
        }
        return found
    }

    /// Returns the x at which `unit`, within a run, starts.
    private func edge(at unit: Int32, in run: VisualRun) -> Int32 {
        guard let index = stopIndex(atOrBefore: unit) else { return run.level & 1 == 0 ? run.left : run.right }
        return stops[index].leading
    }

    /// A visual position between two clusters or at the line's end, in 26.6 pixels, with a caret position that is
    /// shown there.
    struct Boundary {
        var x: Int32
        var unit: Int32
        var upstream: Bool
    }

    /// Returns the indices of the stops (grapheme clusters) from left to right. Stops of zero width at the same x are
    /// ordered in the direction of their text. O(n log n).
    func visualOrder() -> [Int] {
        let stops = stops
        func isBefore(_ one: Int, _ other: Int) -> Bool {
            let (a, b) = (stops[one], stops[other])
            let (aLeft, bLeft) = (min(a.leading, a.trailing), min(b.leading, b.trailing))
            if aLeft != bLeft { return aLeft < bLeft }
            let (aRight, bRight) = (max(a.leading, a.trailing), max(b.leading, b.trailing))
            if aRight != bRight { return aRight < bRight }
            return a.level & b.level & 1 == 1 ? one > other : one < other
        }
        return stops.indices.sorted(by: isBefore)
    }

    /// The number of visual boundaries on the line: one more than the number of grapheme clusters.
    var boundaryCount: Int { stops.count + 1 }

    /// Returns a visual boundary by its index from the left. If two caret positions are shown at the boundary,
    /// returns the one in the text of the lower bidi level. O(1) if all text runs from left to right; otherwise O(n
    /// log n) for n stops the first time. Traps if the index is not below ``boundaryCount``.
    func boundary(_ index: Int) -> Boundary {
        guard isPlain else { return mixedBoundaries[index] }
        let stops = stops
        if stops.isEmpty { return Boundary(x: startEdge, unit: start, upstream: false) }
        if index == 0 { return Boundary(x: stops[0].leading, unit: stops[0].unit, upstream: false) }
        let isLast = index == stops.count
        return Boundary(
            x: stops[index - 1].trailing, unit: isLast ? end : stops[index].unit, upstream: isLast)
    }

    /// Returns the index, from the left, of the boundary at which a caret position is shown; if there is none, the
    /// index of the boundary nearest in x. O(log n) if all text runs from left to right, otherwise O(n).
    func boundaryIndex(of unit: Int32, upstream: Bool) -> Int {
        // Clusters of zero width have the same x. So compare units first, and compare x only for a position without
        // a boundary.
        let place = canonical(unit, upstream)
        guard isPlain else {
            let boundaries = mixedBoundaries
            let x = caretX(at: unit, upstream: upstream)
            return boundaries.firstIndex { $0.unit == place.unit && $0.upstream == place.upstream }
                ?? boundaries.indices.min { abs(boundaries[$0].x - x) < abs(boundaries[$1].x - x) } ?? 0
        }
        guard var index = stopIndex(atOrBefore: unit) else { return 0 }
        let stops = stops
        if place.unit >= end {
            index = stops.count
            if place.upstream { return index }
        } else if stops[index].unit == place.unit {
            return index
        }
        func x(_ i: Int) -> Int32 { i == 0 ? stops[0].leading : stops[i - 1].trailing }
        let own = x(index)
        while index > 0, x(index - 1) == own { index -= 1 }
        return index
    }

    /// Returns the visual boundaries of the stops (grapheme clusters), given the stops' order from left to right. O(n).
    func boundaries(_ order: [Int]) -> [Boundary] {
        let stops = stops
        if stops.isEmpty { return [Boundary(x: startEdge, unit: start, upstream: false)] }
        func side(_ index: Int, right: Bool) -> Boundary {
            let stop = stops[index]
            let leading = (stop.level & 1 == 1) == right
            if leading { return Boundary(x: stop.leading, unit: stop.unit, upstream: false) }
            let place = canonical(end(ofStop: index), true)
            return Boundary(x: stop.trailing, unit: place.unit, upstream: place.upstream)
        }
        var found = [side(order[0], right: false)]
        for (before, after) in zip(order, order.dropFirst()) {
            let preferAfter = stops[after].level < stops[before].level
            found.append(preferAfter ? side(after, right: false) : side(before, right: true))
        }
        found.append(side(order[order.count - 1], right: true))
        return found
    }
}
