import InkstoneText
import InkstoneUnicode

/// The difference of two texts by words, blanks and U+FFFC, so that words that stay keep their attributes, and anchors in them their places.
struct TokenDifference {
    /// A part of the old text, in UTF-16 units from its start, and its replacement.
    struct Section: Equatable {
        var old: Range<Int>
        /// The start of the replacement in the new text.
        var newStart: Int
        var new: String
    }

    /// The differing parts, in order, not touching.
    let sections: [Section]

    /// The most UTF-16 units of both texts together that are compared by words; longer ones are compared by lines.
    private static let wordLimit = 1 << 18

    /// The difference of two texts. O((n + m) d) for d tokens added and removed; more than 1500 make one section.
    ///
    /// - Parameter isWhole: whether `new` is the whole new text. Else it is its beginning: the last section is left out, since what it
    ///   removes may still come.
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

    private static func section(old: Range<Int>, new: Range<Int>, _ units: [UInt16]) -> Section {
        Section(old: old, newStart: new.lowerBound, new: String(decoding: units[new], as: UTF16.self))
    }

    /// The difference by tokens: of two texts in which each token is one character. Nil if there are more tokens than such characters.
    private static func byTokens(_ a: [UInt16], _ b: [UInt16]) -> [Section]? {
        var known: [ArraySlice<UInt16>: UInt16] = [:]
        let (old, new) = (bounds(of: a), bounds(of: b))
        func letters(_ units: [UInt16], _ bounds: [Int]) -> String? {
            var letters: [UInt16] = []
            for (start, end) in zip(bounds, bounds.dropFirst()) {
                let token = units[start..<end]
                // Behind all line ends of ASCII, before the surrogates.
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

    /// The start of each token, and the end of the last.
    private static func bounds(of units: [UInt16]) -> [Int] {
        TextBreaker.withShared(.word) { breaker in
            breaker.setText(units)
            return breaker.boundaries()
        }
    }
}
