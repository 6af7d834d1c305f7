import InkstoneBase
import InkstoneUnicode

/// Looks for a regular expression in windows of UTF-16, which grow as long as more text could change a match.
struct RegularSearch {
    private let pattern: TextPattern
    /// The expression as it was written, for errors.
    private let source: String

    init(_ pattern: TextPattern, source: String) {
        self.pattern = pattern
        self.source = source
    }

    /// Number of groups in the expression.
    var groupCount: Int { pattern.groupCount }

    /// Bytes of a window at first, and at most: a match longer than that is cut there.
    private static let window = 65_536
    private static let largestWindow = 4 << 20
    /// Bytes by which the largest windows overlap: a match that is longer may be missed.
    static let overlap = 1 << 20
    /// Bytes before the first place of a match that the expression may look back at.
    static let context = 1024

    /// Matches that start before `limit`, wherever they end within the range.
    func forEachMatch(
        in text: Rope, _ range: Range<ByteOffset>, startingBefore limit: ByteOffset, isCancelled: () -> Bool,
        _ body: (TextMatch, inout Bool) -> Void
    ) throws(TextSearchError) {
        var start = range.lowerBound
        let end = range.upperBound
        var length = Self.window
        while start <= end, start < limit, !isCancelled() {
            let low = text.roundedDown(toScalar: max(0, start - Self.context))
            let high = start + length < end ? text.roundedDown(toScalar: start + length) : end
            let window = Window(text, low..<high)
            var from = window.offset(of: start)
            while true {
                let (found, hitEnd) = try find(window.units, from)
                // What touches the window's end may go on behind it.
                if hitEnd, high < end, length < Self.largestWindow {
                    start = found?.groups[0].map { window.byte(at: $0.lowerBound) } ?? start
                    length *= 4
                    break
                }
                if found == nil, hitEnd, high < end {
                    start = max(start + 1, high - Self.overlap)
                    break
                }
                guard let match = found, let whole = match.groups[0] else {
                    // Nothing starts in this window.
                    if high >= end { return }
                    start = high
                    length = Self.window
                    break
                }
                let groups = match.groups.map {
                    $0.map { window.byte(at: $0.lowerBound)..<window.byte(at: $0.upperBound) }
                }
                let place = groups[0] ?? start..<start
                guard place.lowerBound < limit else { return }
                var stop = false
                body(TextMatch(range: place, groups: Array(groups.dropFirst())), &stop)
                if stop || isCancelled() { return }
                // After an empty match, one unit on; a pair is not cut because ICU moves on by scalars.
                from = whole.isEmpty ? window.next(after: whole.upperBound) : whole.upperBound
                if from > window.units.count {
                    if high >= end { return }
                    start = high
                    break
                }
                start = window.byte(at: from)
            }
        }
    }

    private func find(_ units: [UInt16], _ from: Int) throws(TextSearchError) -> (TextPattern.Match?, Bool) {
        do throws(TextPattern.Failure) {
            let (match, hitEnd) = try pattern.find(in: units, from: from)
            return (match, hitEnd)
        } catch {
            throw TextSearchError(error, source)
        }
    }

    /// A stretch of the text in UTF-16, with the way back to bytes.
    private struct Window {
        let units: [UInt16]
        private let text: Rope
        private let firstUnit: UTF16Offset

        init(_ text: Rope, _ range: Range<ByteOffset>) {
            self.text = text
            units = text.utf16(in: range)
            firstUnit = text.utf16Offset(at: range.lowerBound)
        }

        func byte(at unit: Int) -> ByteOffset { text.byteOffset(at: firstUnit + unit) }

        func offset(of byte: ByteOffset) -> Int { text.utf16Offset(at: byte) - firstUnit }

        func next(after unit: Int) -> Int {
            unit + 1 < units.count && units[unit] & 0xfc00 == 0xd800 ? unit + 2 : unit + 1
        }
    }
}
