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
        precondition(oldLength == other.oldLength, "changes of different texts")
        precondition(other.newLength == TextPoint(text.metrics), "not the text after the other change")
        if other.isEmpty { return self }
        var builder = Builder(over: text)
        let others = Array(other.changeMap)
        /// Index of the first of the others that comes behind what is inserted.
        var behind = 0
        var index = 0
        for section in changeMap {
            defer { index += 1 }
            let low = section.oldStart.bytes
            while behind < others.count, others[behind].oldStart.bytes < (isFirst ? low : low + 1) { behind += 1 }
            var place = low
            if behind > 0 {
                let last = others[behind - 1]
                place = last.newEnd.bytes + max(0, low - last.oldEnd.bytes)
            }
            let new = insertedText(index)
            var isPlaced = new.isEmpty
            Self.forEachKeptRange(low..<section.oldEnd.bytes, others, from: max(0, behind - 1)) { range in
                let isBehind = !isPlaced && range.lowerBound == place
                builder.replace(
                    ByteOffset(range.lowerBound)..<ByteOffset(range.upperBound), with: isBehind ? new : Rope())
                if isBehind { isPlaced = true }
            }
            if !isPlaced { builder.replace(ByteOffset(place)..<ByteOffset(place), with: new) }
        }
        return builder.finish()
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
