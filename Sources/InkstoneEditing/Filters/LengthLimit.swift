import InkstoneBase
import InkstoneInput
import InkstoneText

/// The check of the maximum length, in grapheme clusters. The whole text is counted when the limit is set. After that,
/// the stored count is updated from the surroundings of each edit.
extension EditorState {
    /// Counts the clusters of the text if there is a maximum length and the count is not known. O(n).
    mutating func measureLength() {
        clusterCount = options.maximumLength == nil ? nil : clusterCount ?? text.clusterCount
    }

    /// The number of grapheme clusters of the text; nil without a maximum length.
    package var knownLength: Int? { clusterCount }

    /// The largest number of sections of a transaction that are counted one by one. For a transaction with more
    /// sections, the clusters of the whole text are counted.
    private static let mostCounted = 256

    /// Updates the count from the surroundings of the replaced text; counts the whole text if the state has another
    /// version than the transaction. Call before the state gets the new text.
    mutating func updateClusterCount(with applied: AppliedTransaction) {
        guard let count = clusterCount else { return }
        clusterCount =
            applied.before == version ? self.count(count, after: applied.changes) : applied.text.clusterCount
    }

    /// Returns the number of clusters that the text will have after a change; `count` is their number now. O(n) in
    /// the replaced texts and their surroundings; if there are more than ``mostCounted`` sections, in the whole
    /// text.
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
    /// Shortens the inserted texts if the text would otherwise have more than `limit` clusters. Text that is too
    /// long already may be replaced, but may not get longer.
    mutating func limitLength(to limit: Int, in state: EditorState) -> FilterVerdict {
        // A text has at most as many clusters as UTF-16 units. A text of at most `limit` units is therefore short
        // enough.
        if changes.newLength.utf16 <= limit { return .accept }
        let count = state.clusterCount ?? state.text.clusterCount
        var room = limit - count
        let ends = state.ends(self)
        var text = state.text
        let map = changes.changeMap
        let isSingle = map.count == 1
        // First check the transaction as a whole. If it moves text to the front, the insertion comes before the
        // deletion that makes room for it: checked section by section, the inserted text would not fit.
        if !isSingle, !ends, state.count(count, after: changes) <= max(limit, count) { return .accept }
        let starts = map.map { ByteOffset($0.newStart.bytes) }
        let lengths = map.map { ($0.removed.bytes, $0.inserted.bytes) }
        // The number of bytes that earlier sections have lost by being shortened. Later sections begin that much
        // earlier.
        var shift = 0
        return rewrite(in: state) { index, new in
            let start = starts[index] - shift
            let removed = start..<(start + lengths[index].0)
            // If the text is too long already, a selection may still be replaced by other text with as many
            // clusters. Composed text may not: it has not been accepted yet.
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
    /// The number of grapheme clusters of the text. O(n).
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

    /// Returns the number of grapheme clusters of a range, regardless of the text around it.
    func clusterCount(in range: Range<ByteOffset>) -> Int { string(in: range).count }

    /// Returns a range extended until an edit of the original range cannot change cluster boundaries outside of the
    /// result.
    func window(around range: Range<ByteOffset>) -> Range<ByteOffset> {
        certainBoundary(before: range.lowerBound)..<certainBoundary(after: range.upperBound)
    }

    /// Returns the longest beginning of a text that may replace a range, or nil if there is none, and the number of
    /// clusters that the replacement adds: at most `room`, but an empty text always fits. O(room + length of the
    /// range and its surroundings).
    ///
    /// The text is counted together with its surroundings, since an accent that combines with the letter before it
    /// needs no room.
    fileprivate func fitting(
        _ new: Rope, replacing range: Range<ByteOffset>, room: Int
    ) -> (taken: Rope?, growth: Int) {
        let window = window(around: range)
        let before = string(in: window.lowerBound..<range.lowerBound)
        let after = string(in: range.upperBound..<window.upperBound)
        let old = clusterCount(in: window)
        func growth(_ text: String) -> Int { (before + text + after).count - old }
        // Joining the text with its surroundings loses at most two clusters at each end. So count only a beginning of
        // the new text, with four clusters more than fit.
        var text = new.prefix(clusters: max(0, old + room) + 4)
        var grown = growth(text)
        let isWhole = text.utf8.count == new.metrics.bytes
        if isWhole, grown <= room || new.isEmpty { return (new, grown) }
        while !text.isEmpty, grown > room {
            text.removeLast()
            grown = growth(text)
        }
        // If no text fits, the range is not replaced.
        return text.isEmpty ? (nil, 0) : (Rope(text), grown)
    }

    /// Returns the first clusters of the text, at most a given number, without reading further.
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
