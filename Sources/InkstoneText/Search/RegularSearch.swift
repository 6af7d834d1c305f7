import InkstoneBase
import InkstoneUnicode

/// A search by a regular expression in a rope. ICU reads the rope piece by piece, so that matches, look-around and
/// anchors see the whole text.
struct RegularSearch {
    private let pattern: TextPattern
    /// The expression as the user wrote it, for error messages.
    private let source: String

    init(_ pattern: TextPattern, source: String) {
        self.pattern = pattern
        self.source = source
    }

    /// Number of groups in the expression.
    var groupCount: Int { pattern.groupCount }

    /// Number of UTF-16 units in which matches may start between two calls of `isCancelled`. ICU's time limit
    /// applies to each of these stretches separately.
    private static let unitsPerTurn = 65_536

    /// Calls `body` with each match that starts before `limit`. A match may end anywhere in the range.
    func forEachMatch(
        in text: Rope, _ range: Range<ByteOffset>, startingBefore limit: ByteOffset, isCancelled: () -> Bool,
        _ body: (TextMatch, inout Bool) -> Void
    ) throws(TextSearchError) {
        let end = text.utf16Offset(at: range.upperBound).value
        // If the limit lies inside a character, search up to the character's end: a match at its start is still
        // before the limit.
        let before = text.utf16Offset(at: limit)
        let behind = text.byteOffset(at: before) < limit ? before + 1 : before
        let limit = limit > range.upperBound ? end + 1 : behind.value
        var from = text.utf16Offset(at: range.lowerBound).value
        try setText(text)
        defer { pattern.removeText() }
        while from <= end, from < limit, !isCancelled() {
            switch try find(from, min(limit, from + Self.unitsPerTurn), end) {
            case .none: return
            case .stopped(let next): from = next
            case .found(let units):
                let groups = units.map { range in
                    range.map { text.byteRange(of: UTF16Offset($0.lowerBound)..<UTF16Offset($0.upperBound)) }
                }
                // ICU steps over CR LF as a whole. If the limit lies between CR and LF, ICU may return a match after
                // the limit: stop there.
                guard let whole = units[0], let place = groups[0], whole.lowerBound < limit else { return }
                var stop = false
                body(TextMatch(range: place, groups: Array(groups.dropFirst())), &stop)
                if stop { return }
                from = whole.isEmpty ? text.unit(after: whole.upperBound) : whole.upperBound
            }
        }
    }

    private func setText(_ text: Rope) throws(TextSearchError) {
        do throws(TextPattern.Failure) {
            try pattern.setText(length: text.metrics.utf16) { range, units in
                let bytes = text.byteRange(of: UTF16Offset(range.lowerBound)..<UTF16Offset(range.upperBound))
                let read = text.utf16(in: bytes)
                read.withUnsafeBufferPointer {
                    if let base = $0.baseAddress { units.update(from: base, count: $0.count) }
                }
                return (text.utf16Offset(at: bytes.lowerBound).value, read.count)
            }
        } catch {
            throw TextSearchError(error, source)
        }
    }

    private func find(_ from: Int, _ limit: Int, _ end: Int) throws(TextSearchError) -> TextPattern.Outcome {
        do throws(TextPattern.Failure) {
            return try pattern.find(from: from, before: limit, upTo: end)
        } catch {
            throw TextSearchError(error, source)
        }
    }
}

extension Rope {
    /// Returns the UTF-16 offset after the unit at an offset, or after the surrogate pair that begins there.
    fileprivate func unit(after offset: Int) -> Int {
        utf16Offset(at: byteOffset(at: UTF16Offset(offset + 1))).value > offset ? offset + 1 : offset + 2
    }
}
