import InkstoneUnicode

extension PositionedLine {
    /// Returns the index of the stop that starts at or before `unit`; nil before the first. O(log n).
    func stopIndex(atOrBefore unit: Int32) -> Int? {
        let stops = stops
        var low = 0
        var high = stops.count
        while low < high {
            let middle = (low + high) / 2
            if stops[middle].unit <= unit { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : low - 1
    }

    /// Returns the unit after a stop.
    func end(ofStop index: Int) -> Int32 {
        let stops = stops
        return index + 1 < stops.count ? stops[index + 1].unit : end
    }

    /// Returns the x of the two caret positions at a unit: after the text before it, and before the text after it.
    ///
    /// They differ where directions meet. Inside a cluster both are at the cluster's start.
    private func edges(at unit: Int32) -> (before: Int32?, after: Int32?) {
        let stops = stops
        guard let index = stopIndex(atOrBefore: unit) else { return (nil, stops.first?.leading) }
        if unit >= end(ofStop: index) { return (stops[index].trailing, nil) }
        let before = index > 0 ? stops[index - 1].trailing : nil
        return (before, stops[index].leading)
    }

    /// Returns the x of the caret at a unit of the line, 26.6. An upstream caret belongs to the text before it.
    func caretX(at unit: Int32, upstream: Bool) -> Int32 {
        if let x = plainCaretX(at: unit) { return x }
        let (before, after) = edges(at: unit)
        if upstream { return before ?? startEdge }
        return after ?? before ?? startEdge
    }

    /// Returns the x of the second caret where directions meet, the position of added text of the other direction; nil if there is none.
    func secondaryCaretX(at unit: Int32, upstream: Bool) -> Int32? {
        let (before, after) = edges(at: unit)
        let first = upstream ? before ?? startEdge : after ?? before ?? startEdge
        // The line's edges count as text in the base direction.
        let other = upstream ? after ?? endEdge : before ?? startEdge
        let second = !upstream && after == nil ? endEdge : other
        return second == first ? nil : second
    }

    /// Returns the level of the text that a caret belongs to.
    func level(at unit: Int32, upstream: Bool) -> UInt8 {
        guard let index = stopIndex(atOrBefore: unit) else { return stops.first?.level ?? baseLevel }
        if unit >= end(ofStop: index) || !upstream { return stops[index].level }
        return index > 0 ? stops[index - 1].level : baseLevel
    }

    /// Returns the caret position nearest to x (26.6): a unit, and whether the caret belongs to the text before it.
    ///
    /// Upstream is returned only where it makes a difference. O(n) for n stops.
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

    /// Replaces upstream by downstream if both give the same caret on the same line.
    func canonical(_ unit: Int32, _ upstream: Bool) -> (unit: Int32, upstream: Bool) {
        guard upstream, unit < end else { return (unit, upstream) }
        return (unit, caretX(at: unit, upstream: false) != caretX(at: unit, upstream: true))
    }

    /// Returns the parts of the line that a range of units covers, from left to right, adjacent ones of one level merged.
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

    /// Returns the x at which `unit` starts, inside a run.
    private func edge(at unit: Int32, in run: VisualRun) -> Int32 {
        guard let index = stopIndex(atOrBefore: unit) else { return run.level & 1 == 0 ? run.left : run.right }
        return stops[index].leading
    }

    /// A visual position between clusters, with the caret that represents it; 26.6.
    struct Boundary {
        var x: Int32
        var unit: Int32
        var upstream: Bool
    }

    /// Returns the indices of the stops from left to right. Stops without width at the same x are ordered by the direction of their text.
    /// O(n log n).
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

    /// The number of visual boundaries, one more than stops.
    var boundaryCount: Int { stops.count + 1 }

    /// Returns a visual boundary by its ordinal from the left, with the caret position that represents it. Where two positions share
    /// a boundary, the one in the base direction represents it. O(1) where all text runs from left to right, else O(n log n) for n
    /// stops the first time. Traps beyond ``boundaryCount``.
    func boundary(_ index: Int) -> Boundary {
        guard isPlain else { return mixedBoundaries[index] }
        let stops = stops
        if stops.isEmpty { return Boundary(x: startEdge, unit: start, upstream: false) }
        if index == 0 { return Boundary(x: stops[0].leading, unit: stops[0].unit, upstream: false) }
        let isLast = index == stops.count
        return Boundary(
            x: stops[index - 1].trailing, unit: isLast ? end : stops[index].unit, upstream: isLast)
    }

    /// Returns the ordinal from the left of a caret position's boundary; for a position without a boundary, that of the first boundary
    /// nearest in x. O(log n) where all text runs from left to right, else O(n).
    func boundaryIndex(of unit: Int32, upstream: Bool) -> Int {
        // Hanging or zero-width clusters share an x: compare positions, and x only for positions without a boundary.
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

    /// Returns the visual boundaries by the stops from left to right. O(n).
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
