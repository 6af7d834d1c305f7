import Inkstone

/// The mapping between positions of a styled text and of its Markdown source: both have the same characters in the same order, the source
/// with marks between them.
struct SourcePlaces: Sendable {
    private let text: [UInt16]
    private let source: [UInt16]

    init(text: Rope, source: Rope) {
        self.text = text.utf16(in: text.utf16Range)
        self.source = source.utf16(in: source.utf16Range)
    }

    /// Returns the position in the source for one in the text, in UTF-16 units: after the marks at the start of a paragraph, and before those at
    /// the end of a word. O(n).
    func source(of place: UTF16Offset) -> UTF16Offset {
        let offset = min(max(0, place.value), text.count)
        let before = offset > 0 ? Self.matches(text, in: source, upTo: offset).last?.map { $0 + 1 } : 0
        let rest = text.count - offset
        let after =
            rest > 0
            ? Self.matches(text.reversed(), in: source.reversed(), upTo: rest).last?.map { source.count - 1 - $0 }
            : source.count
        let isStart = offset == 0 || text[offset - 1] == Self.newline
        let found = isStart && rest > 0 ? after ?? before : before ?? after
        return UTF16Offset(found ?? 0)
    }

    /// Returns the position in the text for one in the source, in UTF-16 units; for one inside of marks the position after them. O(n).
    func text(of place: UTF16Offset) -> UTF16Offset {
        let places = Self.matches(text, in: source, upTo: text.count)
        let found = places.firstIndex { $0.map { $0 >= place.value } ?? false } ?? text.count
        // Characters with another spelling in the source belong to the preceding ones.
        let isBehind = found > 0 && places[..<found].last.flatMap { $0 } == nil
        return UTF16Offset(isBehind ? (places[..<found].lastIndex { $0 != nil } ?? -1) + 1 : found)
    }

    private static let newline = UInt16(0xa)
    private static let space = UInt16(0x20)
    /// The maximum distance in the source of two successive characters, in units: a link may have a long address.
    private static let reach = 4096
    /// The length of marks, in units, up to which a match is accepted without comparing the following characters.
    private static let shortMarks = 8

    /// Returns the source offsets of the first units of a text, in order; nil for units with another spelling in the source.
    private static func matches(_ text: [UInt16], in source: [UInt16], upTo end: Int) -> [Int?] {
        var result: [Int?] = []
        result.reserveCapacity(end)
        var at = 0
        for index in 0..<end {
            guard let found = place(of: index, text, in: source, from: at) else {
                result.append(nil)
                continue
            }
            result.append(found)
            at = found + 1
        }
        return result
    }

    private static func isEqual(_ unit: UInt16, _ other: UInt16) -> Bool {
        // A line end within a source paragraph is a space of the text.
        unit == other || unit == space && other == newline
    }

    private static func place(of index: Int, _ text: [UInt16], in source: [UInt16], from start: Int) -> Int? {
        let unit = text[index]
        if start < source.count, isEqual(unit, source[start]) { return start }
        // Cell ends, line breaks and thematic breaks have no similar character in the source.
        if [0x9, 0x2028, 0x2e3b].contains(unit) { return nil }
        let end = min(source.count, start + reach)
        var nearest: Int?
        for at in start..<max(start, end) where isEqual(unit, source[at]) {
            if at - start <= shortMarks { return at }
            if nearest == nil { nearest = at }
            // A more distant match counts only if the following characters match too.
            let next = (1...3).prefix { index + $0 < text.count && text[index + $0] != newline }
            let isSame = next.allSatisfy { at + $0 < source.count && isEqual(text[index + $0], source[at + $0]) }
            if next.count == 3, isSame { return at }
        }
        return nearest.flatMap { $0 - start <= 8 * shortMarks ? $0 : nil }
    }
}
