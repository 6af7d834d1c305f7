import Inkstone

/// The mapping between positions in a styled text and in its Markdown source. Both have the same characters in the
/// same order, but the source has Markdown marks between them.
struct SourcePlaces: Sendable {
    private let text: [UInt16]
    private let source: [UInt16]

    init(text: Rope, source: Rope) {
        self.text = text.utf16(in: text.utf16Range)
        self.source = source.utf16(in: source.utf16Range)
    }

    /// Returns the position in the source for a position in the styled text, both in UTF-16 units. The result is
    /// after the marks at the start of a paragraph, and before the marks at the end of a word. O(n) for n units.
    func source(of place: UTF16Offset) -> UTF16Offset {
        let offset = min(max(0, place.value), text.count)
        let before = offset > 0 ? Self.match(ofUnit: offset - 1, of: text, in: source).map { $0 + 1 } : 0
        let rest = text.count - offset
        let after =
            rest > 0
            ? Self.match(ofUnit: rest - 1, of: text.reversed(), in: source.reversed()).map { source.count - 1 - $0 }
            : source.count
        let isStart = offset == 0 || text[offset - 1] == Self.newline
        let found = isStart && rest > 0 ? after ?? before : before ?? after
        return UTF16Offset(found ?? 0)
    }

    /// Returns the position in the styled text for a position in the source, both in UTF-16 units. A position
    /// within marks is mapped to the position after them. O(n) for n units.
    func text(of place: UTF16Offset) -> UTF16Offset {
        // The end of the last character of the text that matches one before `place`. Skip a character that the source
        // spells in another way, for example as an entity: it matches none.
        var end = 0
        Self.forEachMatch(of: text, in: source, upTo: text.count) { index, found in
            if let found, found >= place.value { return false }
            if found != nil { end = index + 1 }
            return true
        }
        return UTF16Offset(end)
    }

    private static let newline = UInt16(0xa)
    private static let space = UInt16(0x20)
    /// The maximum distance in the source between two successive characters of the text, in UTF-16 units: the address
    /// of a link may be long. A character that does not occur within this distance counts as one that the source spells
    /// differently.
    private static let reach = 4096
    /// The maximum length of Markdown's marks between two characters, in UTF-16 units, up to which the next matching
    /// character is accepted without comparing the characters after it.
    private static let shortMarks = 8

    /// The number of source units that all searches together may examine while each goes as far as ``reach``. After
    /// that, a search only goes a short distance. This bounds the time for a text that hardly resembles its source.
    private static let mostWork = 32 << 20

    /// Returns the source offset of the character at an index of the text; nil if the source has another spelling
    /// for it.
    private static func match(ofUnit unit: Int, of text: [UInt16], in source: [UInt16]) -> Int? {
        var last: Int?
        forEachMatch(of: text, in: source, upTo: unit + 1) { _, found in
            last = found
            return true
        }
        return last
    }

    /// Calls `body` for each of the first `end` units of the text, in order, with its index and its source offset,
    /// until `body` returns false. The offset is nil if the source has another spelling for the unit.
    private static func forEachMatch(
        of text: [UInt16], in source: [UInt16], upTo end: Int, _ body: (Int, Int?) -> Bool
    ) {
        var at = 0
        var work = 0
        for index in 0..<end {
            let found = place(of: index, text, in: source, from: at, &work)
            if let found { at = found + 1 }
            guard body(index, found) else { return }
        }
    }

    private static func isEqual(_ unit: UInt16, _ other: UInt16) -> Bool {
        // Match a newline within a paragraph of the source to a space, which replaces it in the text.
        unit == other || unit == space && other == newline
    }

    private static func place(
        of index: Int, _ text: [UInt16], in source: [UInt16], from start: Int, _ work: inout Int
    ) -> Int? {
        let unit = text[index]
        if start < source.count, isEqual(unit, source[start]) { return start }
        // Tabs between table cells, line separators and thematic breaks have no equal character in the source.
        if [0x9, 0x2028, 0x2e3b].contains(unit) { return nil }
        let end = min(source.count, start + (work < mostWork ? reach : 8 * shortMarks))
        var nearest: Int?
        var at = start
        defer { work += at - start }
        while at < end {
            defer { at += 1 }
            guard isEqual(unit, source[at]) else { continue }
            if at - start <= shortMarks { return at }
            if nearest == nil { nearest = at }
            // Prefer a more distant match whose next three characters match too. If there is none, the nearest match
            // is accepted below, unless it is far away.
            let next = (1...3).prefix { index + $0 < text.count && text[index + $0] != newline }
            let isSame = next.allSatisfy { at + $0 < source.count && isEqual(text[index + $0], source[at + $0]) }
            if next.count == 3, isSame { return at }
        }
        return nearest.flatMap { $0 - start <= 8 * shortMarks ? $0 : nil }
    }
}
