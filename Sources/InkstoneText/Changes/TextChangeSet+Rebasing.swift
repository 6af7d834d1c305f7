import InkstoneBase

extension TextChangeSet {
    /// This change made after another of the same text: of two changes that were made at once, either may go first.
    ///
    /// What either inserts is in the result exactly once, also inside what the other removes; what either removes is gone.
    /// `a` followed by `b.mapped(over: a, …, isFirst: false)` gives the same text as `b` followed by
    /// `a.mapped(over: b, …, isFirst: true)`. O(k log n + m) for k and m sections.
    ///
    /// - Parameters:
    ///   - other: another change of the same text.
    ///   - text: the text after it.
    ///   - isFirst: whether what this one inserts comes before what the other inserts at the same place.
    public func mapped(over other: TextChangeSet, in text: Rope, isFirst: Bool) -> TextChangeSet {
        mapped(over: [other.changeMap], in: text, isFirst: isFirst)
    }

    /// This change made after several others, of which the first is of the same text and each is of the text after the one
    /// before it.
    func mapped(over others: [TextChangeMap], in text: Rope, isFirst: Bool) -> TextChangeSet {
        precondition(oldLength == others.first?.oldLength ?? oldLength, "changes of different texts")
        precondition(
            (others.last?.newLength ?? oldLength) == TextPoint(text.metrics), "not the text after the other change")
        let others = others.filter { !$0.isEmpty }
        if others.isEmpty { return self }
        var replacements = changeMap.enumerated().map { index, section in
            PlacedReplacement(low: section.oldStart.bytes, high: section.oldEnd.bytes, new: insertedText(index))
        }
        for other in others { replacements = PlacedReplacement.mapped(replacements, over: other, isFirst: isFirst) }
        var builder = Builder(over: text)
        builder.reserve(replacements.count)
        for replacement in replacements {
            builder.replace(ByteOffset(replacement.low)..<ByteOffset(replacement.high), with: replacement.new)
        }
        return builder.finish()
    }
}

/// A replacement of a range of bytes. Its ends may cut what joins in the text that it is moved to.
private struct PlacedReplacement {
    var low: Int
    var high: Int
    var new: Rope

    /// Moves replacements in order over other changes of the same text; one that others split becomes several.
    static func mapped(
        _ replacements: [PlacedReplacement], over map: TextChangeMap, isFirst: Bool
    ) -> [PlacedReplacement] {
        let others = Array(map)
        var result: [PlacedReplacement] = []
        result.reserveCapacity(replacements.count)
        /// Index of the first of the others that comes behind what is inserted.
        var behind = 0
        for replacement in replacements {
            let low = replacement.low
            while behind < others.count, others[behind].oldStart.bytes < (isFirst ? low : low + 1) { behind += 1 }
            var place = low
            if behind > 0 {
                let last = others[behind - 1]
                place = last.newEnd.bytes + max(0, low - last.oldEnd.bytes)
            }
            var isPlaced = replacement.new.isEmpty
            let start = result.count
            forEachKeptRange(low..<replacement.high, others, from: max(0, behind - 1)) { range in
                let isBehind = !isPlaced && range.lowerBound == place
                result.append(
                    PlacedReplacement(
                        low: range.lowerBound, high: range.upperBound, new: isBehind ? replacement.new : Rope()))
                if isBehind { isPlaced = true }
            }
            if !isPlaced {
                // What it removes may lie on either side of what others insert there.
                let index = result[start...].firstIndex { $0.low >= place } ?? result.count
                result.insert(PlacedReplacement(low: place, high: place, new: replacement.new), at: index)
            }
        }
        return result
    }

    /// Calls `body` with the parts of a range of bytes that other sections leave, as ranges of the text after those.
    private static func forEachKeptRange(
        _ range: Range<Int>, _ others: [TextChangeMap.Section], from first: Int, _ body: (Range<Int>) -> Void
    ) {
        var at = range.lowerBound
        var shift = first > 0 ? others[first - 1].newEnd.bytes - others[first - 1].oldEnd.bytes : 0
        for other in others[first...] where at < range.upperBound {
            guard other.oldStart.bytes < range.upperBound else { break }
            if other.oldStart.bytes > at {
                body(at + shift..<other.oldStart.bytes + shift)
                at = other.oldStart.bytes
            }
            at = max(at, other.oldEnd.bytes)
            shift = other.newEnd.bytes - other.oldEnd.bytes
        }
        if at < range.upperBound { body(at + shift..<range.upperBound + shift) }
    }
}
