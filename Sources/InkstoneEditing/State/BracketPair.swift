import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// A bracket beside a caret and its matching bracket.
///
/// Brackets are those of Unicode (Bidi_Paired_Bracket, UAX #9). Between a bracket and its match, only brackets of
/// the same kind are counted. Strings and comments of programs are treated like any other text.
package struct BracketPair: Hashable, Sendable {
    /// The range of the opening bracket, one UTF-16 unit.
    package let opening: Range<UTF16Offset>
    /// The range of the closing bracket, one UTF-16 unit; after ``opening``.
    package let closing: Range<UTF16Offset>

    /// The number of UTF-16 units that are searched for the matching bracket, in one direction. A bracket whose match
    /// is farther away counts as having none.
    package static let reach = 2_000

    /// Creates the pair of the bracket before an offset, or else of the bracket after it. Nil if neither has a matching
    /// bracket within ``reach``. The offset, in UTF-16 units, is clamped to the text. O(log n), and O(``reach``) beside
    /// a bracket.
    package init?(beside offset: UTF16Offset, in text: Rope) {
        let offset = min(max(0, offset), text.utf16Range.upperBound)
        let before = offset > 0 ? Self(at: offset.advanced(by: -1), in: text) : nil
        guard let pair = before ?? Self(at: offset, in: text) else { return nil }
        self = pair
    }

    /// Creates the pair of the bracket at an offset; nil if there is no bracket, or no matching one within ``reach``.
    private init?(at offset: UTF16Offset, in text: Rope) {
        guard let unit = text.utf16(in: offset..<offset.advanced(by: 1)).first else { return nil }
        let other = BidiProperties.pairedBracket(of: UInt32(unit))
        guard other != 0, let counterpart = UInt16(exactly: other) else { return nil }
        let isForward = BidiProperties.opensBracket(UInt32(unit))
        let found = Self.find(counterpart, of: unit, from: offset.value, isForward: isForward, in: text)
        guard let found = found.map({ UTF16Offset($0) }) else { return nil }
        let (first, last) = isForward ? (offset, found) : (found, offset)
        (opening, closing) = (first..<first.advanced(by: 1), last..<last.advanced(by: 1))
    }

    private static func find(
        _ counterpart: UInt16, of unit: UInt16, from offset: Int, isForward: Bool, in text: Rope
    ) -> Int? {
        let all = isForward ? offset + 1..<text.utf16Range.upperBound.value : 0..<offset
        // Read the units in chunks, because most brackets are close to their matching brackets.
        let chunk = 500
        var rest = isForward ? all.prefix(reach) : all.suffix(reach)
        var depth = 1
        while !rest.isEmpty {
            let part = isForward ? rest.prefix(chunk) : rest.suffix(chunk)
            rest = isForward ? rest.dropFirst(chunk) : rest.dropLast(chunk)
            // `byteRange(of:)` includes both units of a surrogate pair, even if the part begins with the second.
            // The bytes may therefore begin one unit before the part.
            let bytes = text.byteRange(of: UTF16Offset(part.startIndex)..<UTF16Offset(part.endIndex))
            let start = text.utf16Offset(at: bytes.lowerBound).value
            let units = text.utf16(in: bytes)
            for step in units.indices {
                let index = isForward ? step : units.count - 1 - step
                if units[index] == unit { depth += 1 }
                if units[index] == counterpart { depth -= 1 }
                if depth == 0 { return start + index }
            }
        }
        return nil
    }
}
