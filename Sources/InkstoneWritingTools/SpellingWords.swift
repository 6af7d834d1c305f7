import InkstoneUnicode

/// Functions that find the words of a text for a spelling check.
enum SpellingWords {
    /// A word, and its range in the text in UTF-16 units.
    struct Found: Equatable {
        var range: Range<Int>
        var word: SpellingEngine.Word
    }

    /// Returns the words of a text, in order. Omits parts that are no words of a language: those with digits,
    /// underscores, or inner full stops or colons, single letters, up to four capitals alone, addresses, paths,
    /// ideographs and kana.
    static func words(in units: [UInt16]) -> [Found] {
        var ranges: [Range<Int>] = []
        let chunks = chunksToSkip(in: units)
        var chunk = 0
        TextBreaker.withShared(.word) { breaker in
            breaker.setText(units)
            var start = 0
            while let end = breaker.following(start) {
                let range = start..<end
                start = end
                guard breaker.wordClass == .letters else { continue }
                while chunk < chunks.count, chunks[chunk].upperBound <= range.lowerBound { chunk += 1 }
                if chunk < chunks.count, chunks[chunk].overlaps(range) { continue }
                ranges.append(range)
            }
        }
        var found: [Found] = []
        for (index, range) in ranges.enumerated() {
            guard let text = word(units[range]) else { continue }
            var (first, last) = (index, index)
            // Search only as far as the limit for compounds: a text may be one long chain of words.
            while first > 0, index - first < longestCompound, areJoined(ranges[first - 1], ranges[first], units) {
                first -= 1
            }
            while last + 1 < ranges.count, last - index < longestCompound,
                areJoined(ranges[last], ranges[last + 1], units)
            {
                last += 1
            }
            var word = SpellingEngine.Word(text)
            word.hasStop = range.upperBound < units.count && units[range.upperBound] == 0x2e
            if first < last, last - first < longestCompound {
                word.compound = clean(units[ranges[first].lowerBound..<ranges[last].upperBound])
            }
            found.append(Found(range: range, word: word))
        }
        return found
    }

    /// The maximum number of words joined by hyphens that are checked as a compound too. The words of a longer compound
    /// are only checked one by one.
    private static let longestCompound = 8

    private static func areJoined(_ a: Range<Int>, _ b: Range<Int>, _ units: [UInt16]) -> Bool {
        a.upperBound + 1 == b.lowerBound && (units[a.upperBound] == 0x2d || units[a.upperBound] == 0x2010)
    }

    /// Returns a text without its soft hyphens.
    private static func clean(_ units: ArraySlice<UInt16>) -> String {
        String(decoding: units.filter { $0 != 0xad }, as: UTF16.self)
    }

    /// Returns the word to check in a part of a text, without its soft hyphens; nil if the part is not to be
    /// checked.
    private static func word(_ units: ArraySlice<UInt16>) -> String? {
        let text = clean(units)
        let scalars = text.unicodeScalars
        var (letters, capitals) = (0, 0)
        for scalar in scalars {
            switch scalar {
            case "_", ".", ":", "\u{fffc}", "\u{fffd}": return nil
            default: break
            }
            let properties = scalar.properties
            if properties.numericType != nil { return nil }
            if properties.isAlphabetic { letters += 1 }
            if properties.isUppercase { capitals += 1 }
        }
        guard letters > 1, !(capitals == letters && letters <= 4) else { return nil }
        return text
    }

    /// Returns the parts between blanks that look like addresses or paths.
    private static func chunksToSkip(in units: [UInt16]) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var start = 0
        func isBlank(_ unit: UInt16) -> Bool {
            unit == 0x20 || (0x09...0x0d).contains(unit) || unit == 0xa0 || unit == 0x3000
        }
        while start < units.count {
            if isBlank(units[start]) {
                start += 1
                continue
            }
            let end = units[start...].firstIndex(where: isBlank) ?? units.count
            let chunk = units[start..<end]
            let slashes = chunk.reduce(0) { $0 + ($1 == 0x2f ? 1 : 0) }
            let isAddress =
                chunk.contains(0x40) || chunk.contains(0x5c) || slashes > 1 || chunk.first == 0x2f
                || chunk.starts(with: "~/".utf16)
                || chunk.starts(with: "./".utf16) || chunk.starts(with: "www.".utf16)
            if isAddress { result.append(start..<end) }
            start = end
        }
        return result
    }

    /// Returns the script of a word: that of its first letter that belongs to a script, or `common` if there is
    /// none.
    static func script(of word: String) -> Script {
        for scalar in word.unicodeScalars {
            let script = UnicodeData.script(of: scalar)
            if script != .common, script != .inherited { return script }
        }
        return .common
    }

    /// Returns the scripts in which the language of a tag is written; Latin for a language that is not listed here.
    static func scripts(of tag: String) -> [Script] {
        switch tag.prefix(while: { $0 != "_" && $0 != "-" }) {
        case "ru", "uk", "be", "bg", "mk", "mn", "kk", "ky", "tt", "tg": ["Cyrl"]
        case "sr", "bs", "uz", "az": ["Cyrl", "Latn"]
        case "el", "grc": ["Grek"]
        case "he", "yi": ["Hebr"]
        case "ar", "fa", "ur", "ckb", "ug": ["Arab"]
        case "hi", "mr", "ne", "sa": ["Deva"]
        case "bn", "as": ["Beng"]
        case "gu": ["Gujr"]
        case "pa": ["Guru"]
        case "ta": ["Taml"]
        case "te": ["Telu"]
        case "kn": ["Knda"]
        case "ml": ["Mlym"]
        case "si": ["Sinh"]
        case "hy": ["Armn"]
        case "ka": ["Geor"]
        case "th": ["Thai"]
        case "lo": ["Laoo"]
        case "ko": ["Hang"]
        case "am": ["Ethi"]
        case "bo": ["Tibt"]
        default: ["Latn"]
        }
    }

    /// Returns a word without the diacritical marks on its letters; nil if there are none.
    static func withoutMarks(_ word: String) -> String? {
        var result = String.UnicodeScalarView()
        var hasMarks = false
        for scalar in word.unicodeScalars {
            guard scalar.value >= 0xc0, scalar.value != 0x2019 else {
                result.append(scalar)
                continue
            }
            if UnicodeData.combiningClass(scalar.value) != 0 {
                hasMarks = true
                continue
            }
            let folded = CanonicalFolding(scalar.value)
            guard folded.count > 1, UnicodeData.combiningClass(folded[1]) != 0, let base = Unicode.Scalar(folded[0])
            else {
                result.append(scalar)
                continue
            }
            hasMarks = true
            result.append(
                contentsOf: scalar.properties.isUppercase
                    ? String(base).uppercased().unicodeScalars : String(base).unicodeScalars)
        }
        return hasMarks ? String(result) : nil
    }
}
