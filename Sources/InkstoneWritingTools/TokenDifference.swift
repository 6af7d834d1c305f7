import InkstoneText
import InkstoneUnicode

/// The difference between two texts in whole tokens: words, blanks, punctuation and U+FFFC. So unchanged words keep
/// their attributes, and anchors within them keep their positions.
struct TokenDifference {
    /// A differing part: the range in the old text, in UTF-16 units, and its replacement.
    struct Section: Equatable {
        var old: Range<Int>
        /// The offset of the replacement in the new text, in UTF-16 units.
        var newStart: Int
        var new: String
    }

    /// The differing parts, in order. Between any two of them there is text that is equal.
    let sections: [Section]

    /// The maximum total length of both texts, in UTF-16 units, for comparing tokens. Longer texts are compared by
    /// lines.
    private static let wordLimit = 1 << 18

    /// Creates the difference of two texts. O((n + m) d) for n and m tokens, of which d were added or removed; if d is
    /// more than 1500, the sections may be larger than necessary. Texts that are longer than ``wordLimit`` together, or
    /// have too many different tokens, are compared by lines.
    ///
    /// - Parameter isWhole: whether `new` is the whole new text. If false, it is the beginning of the new text, and
    ///   the last section is omitted, because the rest of the new text may contain what the section removes.
    init(from old: String, to new: String, isWhole: Bool = true) {
        let (a, b) = (Array(old.utf16), Array(new.utf16))
        var sections = a.count + b.count > Self.wordLimit ? nil : Self.byTokens(a, b)
        if sections == nil {
            let changes = TextChangeSet(from: Rope(old), to: Rope(new))
            sections = changes.changeMap.map { section in
                Self.section(
                    old: section.oldStart.utf16..<section.oldEnd.utf16,
                    new: section.newStart.utf16..<section.newEnd.utf16,
                    b)
            }
        }
        self.sections = isWhole ? sections ?? [] : sections?.dropLast() ?? []
    }

    /// Whether a word is removed by one section and inserted by another. Then the text could lose the word, or get it
    /// twice, if only some of the sections were applied. `old` is the old text. O(n) for n units in all sections.
    func movesWords(of old: [UInt16]) -> Bool {
        var removals: [ArraySlice<UInt16>: Set<Int>] = [:]
        for (index, section) in sections.enumerated() {
            for word in Self.words(of: Array(old[section.old])) { removals[word, default: []].insert(index) }
        }
        return sections.enumerated().contains { index, section in
            Self.words(of: Array(section.new.utf16)).contains { removals[$0]?.contains { $0 != index } ?? false }
        }
    }

    /// Returns the tokens of a text that are not blank.
    private static func words(of units: [UInt16]) -> [ArraySlice<UInt16>] {
        let bounds = bounds(of: units)
        return zip(bounds, bounds.dropFirst()).map { units[$0..<$1] }
            .filter { !String(decoding: $0, as: UTF16.self).allSatisfy(\.isWhitespace) }
    }

    private static func section(old: Range<Int>, new: Range<Int>, _ units: [UInt16]) -> Section {
        Section(old: old, newStart: new.lowerBound, new: String(decoding: units[new], as: UTF16.self))
    }

    /// Compares two texts by tokens, by representing each different token by one character. Nil if there are more
    /// different tokens than such characters.
    private static func byTokens(_ a: [UInt16], _ b: [UInt16]) -> [Section]? {
        var known: [ArraySlice<UInt16>: UInt16] = [:]
        let (old, new) = (bounds(of: a), bounds(of: b))
        func letters(_ units: [UInt16], _ bounds: [Int]) -> String? {
            var letters: [UInt16] = []
            for (start, end) in zip(bounds, bounds.dropFirst()) {
                let token = units[start..<end]
                // Represent the tokens by the characters from U+0100 up to the surrogates, none of which is an ASCII
                // line end.
                let letter = known[token] ?? UInt16(0x100 + known.count)
                guard letter < 0xd800 else { return nil }
                known[token] = letter
                letters.append(letter)
            }
            return String(decoding: letters, as: UTF16.self)
        }
        guard let oldLetters = letters(a, old), let newLetters = letters(b, new) else { return nil }
        let changes = TextChangeSet(from: Rope(oldLetters), to: Rope(newLetters), byScalars: true)
        return changes.changeMap.map { change in
            section(
                old: old[change.oldStart.utf16]..<old[change.oldEnd.utf16],
                new: new[change.newStart.utf16]..<new[change.newEnd.utf16], b)
        }
    }

    /// Returns the offset of each token's start, and the end of the last token.
    private static func bounds(of units: [UInt16]) -> [Int] {
        TextBreaker.withShared(.word) { breaker in
            breaker.setText(units)
            return breaker.boundaries()
        }
    }
}
