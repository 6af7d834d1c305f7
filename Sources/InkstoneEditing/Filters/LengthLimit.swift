import InkstoneBase
import InkstoneInput
import InkstoneText

/// The maximum length, counted in grapheme clusters: fully when it is set, then around each edit, so that a state knows the count whenever a key
/// may reach the limit.
extension EditorState {
    /// Counts the clusters of the text if there is a maximum length and the count is not known. O(n).
    mutating func measureLength() {
        clusterCount = options.maximumLength == nil ? nil : clusterCount ?? text.clusterCount
    }

    /// Number of grapheme clusters of the text; nil without a maximum length.
    package var knownLength: Int? { clusterCount }

    /// Most sections of a transaction that are counted one by one; for more, the whole text is counted again.
    private static let mostCounted = 256

    /// Updates the count from the surroundings of the replaced text alone. Call with the state before the transaction.
    mutating func updateClusterCount(with applied: AppliedTransaction) {
        guard let count = clusterCount else { return }
        clusterCount =
            applied.before == version ? self.count(count, after: applied.changes) : applied.text.clusterCount
    }

    /// Returns the number of clusters after a change of a text that has `count`. O(n) in the replaced texts and their surroundings; for more than
    /// ``mostCounted`` sections, in the whole text.
    fileprivate func count(_ count: Int, after changes: TextChangeSet) -> Int {
        var after = text
        guard changes.count <= Self.mostCounted else {
            after.apply(changes)
            return after.clusterCount
        }
        var total = count
        for (index, section) in changes.changeMap.enumerated() {
            let start = ByteOffset(section.newStart.bytes)
            let removed = start..<(start + section.removed.bytes)
            let window = after.window(around: removed)
            let old = after.clusterCount(in: window)
            let new = changes.insertedText(index)
            after.replace(removed, with: new)
            let delta = section.inserted.bytes - section.removed.bytes
            total += after.clusterCount(in: window.lowerBound..<(window.upperBound + delta)) - old
        }
        return total
    }
}

extension Transaction {
    /// Cuts the inserted text to the room there is; accepts an edit that makes the text no longer unchanged.
    mutating func limitLength(to limit: Int, in state: EditorState) -> FilterVerdict {
        // No text has more clusters than UTF-16 units.
        if changes.newLength.utf16 <= limit { return .accept }
        let count = state.clusterCount ?? state.text.clusterCount
        var room = limit - count
        let ends = state.ends(self)
        var text = state.text
        let map = changes.changeMap
        let isSingle = map.count == 1
        // Counted in order, the sections of a move to the front would have no room before the text is removed.
        if !isSingle, !ends, state.count(count, after: changes) <= max(limit, count) { return .accept }
        let starts = map.map { ByteOffset($0.newStart.bytes) }
        let lengths = map.map { ($0.removed.bytes, $0.inserted.bytes) }
        // Bytes by which the text before a section is shorter than in the whole transaction.
        var shift = 0
        return rewrite(in: state) { index, new in
            let start = starts[index] - shift
            let removed = start..<(start + lengths[index].0)
            // Text that is too long already may be replaced by as much; but composed text has not been accepted yet.
            let isReplaced = !removed.isEmpty && !ends
            let (taken, growth) = text.fitting(new.rope, replacing: removed, room: isReplaced ? max(0, room) : room)
            room -= growth
            if !isSingle {
                if let taken { text.replace(removed, with: taken) }
                shift += lengths[index].1 - (taken?.metrics.bytes ?? lengths[index].0)
            }
            return taken.map { $0.metrics == new.rope.metrics ? new : new.slice(0..<UTF16Offset($0.metrics.utf16)) }
        }
    }
}

extension Rope {
    /// Number of grapheme clusters. O(n).
    var clusterCount: Int {
        var count = 0
        var start = byteRange.lowerBound
        while start < byteRange.upperBound {
            let end = certainBoundary(after: min(byteRange.upperBound, start + (1 << 16)))
            count += clusterCount(in: start..<end)
            start = end
        }
        return count
    }

    /// Returns the number of grapheme clusters of a range, by itself.
    func clusterCount(in range: Range<ByteOffset>) -> Int { string(in: range).count }

    /// Returns a range and its surroundings as far as an edit of the range may change cluster boundaries.
    func window(around range: Range<ByteOffset>) -> Range<ByteOffset> {
        certainBoundary(before: range.lowerBound)..<certainBoundary(after: range.upperBound)
    }

    /// Returns the part of a text that may replace a range so that there are at most `room` more clusters than before, and the increase. O(room +
    /// length of the range and its surroundings).
    ///
    /// Counted with the surroundings, since an accent that joins the letter before it needs no room.
    fileprivate func fitting(
        _ new: Rope, replacing range: Range<ByteOffset>, room: Int
    ) -> (taken: Rope?, growth: Int) {
        let window = window(around: range)
        let before = string(in: window.lowerBound..<range.lowerBound)
        let after = string(in: range.upperBound..<window.upperBound)
        let old = clusterCount(in: window)
        func growth(_ text: String) -> Int { (before + text + after).count - old }
        // A concatenation has at most two clusters less at either end than its parts have, so only this much of a long text needs to be checked.
        var text = new.prefix(clusters: max(0, old + room) + 4)
        var grown = growth(text)
        let isWhole = text.utf8.count == new.metrics.bytes
        if isWhole, grown <= room || new.isEmpty { return (new, grown) }
        while !text.isEmpty, grown > room {
            text.removeLast()
            grown = growth(text)
        }
        // If no text fits, the range stays.
        return text.isEmpty ? (nil, 0) : (Rope(text), grown)
    }

    /// Returns the first clusters of the text, at most a number of them, without reading further.
    private func prefix(clusters: Int) -> String {
        var length = clusters * 4 + 64
        while true {
            let isAll = length >= metrics.bytes
            let end = isAll ? byteRange.upperBound : roundedDown(toScalar: ByteOffset(length))
            let text = string(in: 0..<end)
            let found = text.prefix(clusters)
            if isAll || found.endIndex < text.endIndex { return String(found) }
            length *= 4
        }
    }
}
