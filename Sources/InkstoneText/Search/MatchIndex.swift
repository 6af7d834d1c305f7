import InkstoneBase

/// The number of matches of a search in each part of a text. With it, the matches in one part are found without
/// reading the other parts.
///
/// The text is cut into parts of about 64 KB, at offsets that no match reaches across: a search from the start of a
/// part finds the same matches in it as a search of the whole text. So a part stores only its length and a number,
/// a billion matches use no more memory than one, and after an edit only the parts around the edit are searched
/// again. Offsets are bytes.
struct MatchIndex: Sendable {
    struct Part: Hashable, Sendable {
        var length: Int
        /// Number of matches that start in the part; nil if it is still to be searched.
        var count: Int?
    }

    /// The parts in order, covering all of the text. Two parts without a count are never adjacent.
    private(set) var parts: [Part]
    /// The index and start of a part before which all parts have a count: the next search begins here.
    private var hint = (part: 0, start: 0)

    private let partLength: Int

    /// Creates an index of a text in which nothing has been searched yet.
    ///
    /// - Parameter partLength: bytes that are searched at a time.
    init(length: Int, partLength: Int = 65_536) {
        parts = [Part(length: length)]
        self.partLength = partLength
    }

    // MARK: Reading

    /// Number of matches found so far.
    var count: Int { parts.reduce(0) { $0 + ($1.count ?? 0) } }

    /// Whether all of the text has been searched.
    var isComplete: Bool { !parts.contains { $0.count == nil } }

    /// Bytes of the text that have been searched.
    var searchedLength: Int { parts.reduce(0) { $0 + ($1.count == nil ? 0 : $1.length) } }

    /// Returns the index and start of the part that contains an offset; between two parts, of the later one.
    func part(at offset: Int) -> (index: Int, start: Int) {
        var start = 0
        for (index, part) in parts.enumerated() {
            if offset < start + part.length || index == parts.count - 1 { return (index, start) }
            start += part.length
        }
        return (0, 0)
    }

    /// Returns the number of matches that start before an offset; nil unless the offset's part and all parts before
    /// it have a count.
    func count(before offset: ByteOffset, in text: Rope, _ matcher: TextMatcher) throws(TextSearchError) -> Int? {
        let (index, start) = part(at: offset.value)
        var count = 0
        for part in parts[...index] {
            guard let known = part.count else { return nil }
            count += known
        }
        count -= parts[index].count ?? 0
        if offset.value > start {
            try matcher.forEachMatch(
                in: text, ByteOffset(start)..<text.byteRange.upperBound, startingBefore: offset
            ) { _, _ in count += 1 }
        }
        return count
    }

    /// Returns the matches that overlap or touch a range, in order, at most `limit`. If the range's start has not
    /// been searched, the search starts at most 64 KB before the range.
    func matches(
        in range: Range<ByteOffset>, of text: Rope, _ matcher: TextMatcher, limit: Int, isCancelled: () -> Bool
    ) throws(TextSearchError) -> [Range<ByteOffset>] {
        var found: [Range<ByteOffset>] = []
        let (index, start) = part(at: range.lowerBound.value)
        var from = ByteOffset(start)
        if parts[index].count == nil {
            from = max(from, text.roundedDown(toScalar: max(0, range.lowerBound - partLength)))
        } else if from == range.lowerBound, index > 0 {
            // Start one part earlier, to find matches that end at the start of the range.
            from = from - parts[index - 1].length
        }
        try matcher.forEachMatch(
            in: text, from..<text.byteRange.upperBound, startingBefore: range.upperBound + 1, isCancelled: isCancelled
        ) { match, stop in
            if match.range.upperBound >= range.lowerBound { found.append(match.range) }
            stop = found.count >= limit
        }
        return found
    }

    /// Returns the first match that starts at or after an offset; nil if there is none. Parts known to have no
    /// matches are not read again.
    func first(
        from offset: ByteOffset, in text: Rope, _ matcher: TextMatcher, isCancelled: () -> Bool
    ) throws(TextSearchError) -> TextMatch? {
        var (index, start) = part(at: offset.value)
        while index < parts.count {
            let end = start + parts[index].length
            if parts[index].count != 0 {
                var found: TextMatch?
                let isLast = index == parts.count - 1
                try matcher.forEachMatch(
                    in: text, max(offset, ByteOffset(start))..<text.byteRange.upperBound,
                    startingBefore: isLast ? nil : ByteOffset(end), isCancelled: isCancelled
                ) { match, stop in
                    found = match
                    stop = true
                }
                if found != nil || isCancelled() { return found }
            }
            (index, start) = (index + 1, end)
        }
        return nil
    }

    /// Returns the last match that starts before an offset and ends at or before it; nil if there is none. Text
    /// that has not been searched yet is searched backwards piece by piece.
    func last(
        before offset: ByteOffset, in text: Rope, _ matcher: TextMatcher, isCancelled: () -> Bool
    ) throws(TextSearchError) -> TextMatch? {
        var (index, start) = part(at: offset.value)
        // Each part is searched with the text after it, because a match may begin in a part and end in the next.
        while index >= 0 {
            var high = min(offset.value, start + parts[index].length)
            if parts[index].count != 0 {
                while true {
                    var low = start
                    // In a part without a count, search only the last piece for now. A part with a count has to be
                    // searched from its start: from another start, other matches might be found.
                    if parts[index].count == nil, high - start > partLength {
                        low = text.roundedDown(toScalar: ByteOffset(high - partLength)).value
                    }
                    var found: TextMatch?
                    try matcher.forEachMatch(
                        in: text, ByteOffset(low)..<text.byteRange.upperBound, startingBefore: ByteOffset(high),
                        isCancelled: isCancelled
                    ) { match, stop in
                        if match.range.upperBound <= offset { found = match } else { stop = true }
                    }
                    if found != nil || isCancelled() { return found }
                    if low == start { break }
                    high = low
                }
            }
            index -= 1
            if index >= 0 { start -= parts[index].length }
        }
        return nil
    }

    // MARK: Searching

    /// Searches the next 64 KB of text without a count. Returns false if there is no such text, or if the search
    /// was cancelled.
    mutating func advance(
        in text: Rope, _ matcher: TextMatcher, isCancelled: () -> Bool
    ) throws(TextSearchError) -> Bool {
        var (index, start) = hint
        while index < parts.count, parts[index].count != nil {
            start += parts[index].length
            index += 1
        }
        hint = (index, start)
        guard index < parts.count else { return false }
        let end = start + parts[index].length
        var sliceEnd = end
        if start + partLength < end {
            sliceEnd = text.roundedDown(toScalar: ByteOffset(start + partLength)).value
        }
        let isLast = index == parts.count - 1 && sliceEnd == end
        var count = 0
        var reached = sliceEnd
        try matcher.forEachMatch(
            in: text, ByteOffset(start)..<text.byteRange.upperBound,
            startingBefore: isLast ? nil : ByteOffset(sliceEnd), isCancelled: isCancelled
        ) { match, _ in
            count += 1
            reached = max(reached, match.range.upperBound.value)
        }
        if !isLast, reached == text.metrics.bytes, reached > sliceEnd {
            // A match that began in this part has reached the end of the text: no further part is searched. Here
            // count also an empty match at the end, if the search has one.
            try matcher.forEachMatch(in: text, ByteOffset(reached)..<ByteOffset(reached)) { _, _ in count += 1 }
        }
        if isCancelled() { return false }
        recordCount(index, start, count, upTo: reached)
        return true
    }

    /// Records the count of the part at `index`, which begins at `start` and now ends at `reached`. If `reached` is
    /// inside a former part, the rest of that part becomes a part that is still to be searched.
    private mutating func recordCount(_ index: Int, _ start: Int, _ count: Int, upTo reached: Int) {
        var end = start
        var next = index
        while next < parts.count, end + parts[next].length <= reached {
            end += parts[next].length
            next += 1
        }
        var new = [Part(length: reached - start, count: count)]
        if next < parts.count, end < reached || next == index {
            new.append(Part(length: end + parts[next].length - reached))
            next += 1
            // Merge the rest of the later part with the part after it if neither has a count.
            if next < parts.count, parts[next].count == nil {
                new[1].length += parts[next].length
                next += 1
            }
        }
        parts.replaceSubrange(index..<next, with: new)
    }

    // MARK: Following edits

    /// Moves the parts through a change of the text. Parts within `reach` bytes of the change lose their counts and are
    /// searched again. O(n + k) for n parts and k sections.
    mutating func apply(_ changes: TextChangeMap, reach: (back: Int, forward: Int)) {
        guard !changes.isEmpty else { return }
        markUnknown(near: changes, reach)
        var new: [Part] = []
        new.reserveCapacity(parts.count)
        var sections = changes.makeIterator()
        var section = sections.next()
        var (end, newStart, shift) = (0, 0, 0)
        for part in parts {
            end += part.length
            // Text inserted at the boundary of two parts of the index belongs to the first part.
            while let now = section, now.oldEnd.bytes <= end {
                shift = now.newEnd.bytes - now.oldEnd.bytes
                section = sections.next()
            }
            var newEnd = end + shift
            if let now = section, now.oldStart.bytes < end { newEnd = now.newEnd.bytes }
            if newEnd > newStart {
                if part.count == nil, let last = new.last, last.count == nil {
                    new[new.count - 1].length += newEnd - newStart
                } else {
                    new.append(Part(length: newEnd - newStart, count: part.count))
                }
            }
            newStart = newEnd
        }
        parts = new.isEmpty ? [Part(length: 0)] : new
        hint = (0, 0)
    }

    private mutating func markUnknown(near changes: TextChangeMap, _ reach: (back: Int, forward: Int)) {
        var (index, start) = (0, 0)
        for section in changes {
            while index < parts.count - 1, start + parts[index].length < section.oldStart.bytes - reach.back {
                start += parts[index].length
                index += 1
            }
            while index < parts.count, start <= section.oldEnd.bytes + reach.forward {
                parts[index].count = nil
                start += parts[index].length
                index += 1
            }
            // Stop after the last part: it may also be near later sections, but its count was removed already.
            if index == parts.count { return }
        }
    }
}
