import Glibc
import InkstoneText
import InkstoneUnicode

/// A guess at the encoding of a file. A guess is needed if the file has no byte order mark and the user has not chosen
/// an encoding. Callers report it to the user.
///
/// Valid UTF-8 is read as UTF-8, unless it contains the escapes of ISO-2022-JP. UTF-16 is recognized by the zero bytes
/// of ASCII characters, if its first 64 KB contain only text. Invalid UTF-8 is still read as UTF-8 if it has at least
/// as many valid non-ASCII characters as invalid sequences, or many control characters. Any other file is decoded in
/// the usual encodings of all languages. Of those without an error, the one with the likeliest letters is chosen; the
/// ``legacy`` encodings are favoured.
public struct EncodingGuess: Hashable, Sendable {
    /// The encoding that the locale's name states, as written there; empty if it states none.
    private let codeset: String
    /// The names of the encodings that are usual for the locale's language.
    private let usual: [String]
    /// The encoding that was guessed before for the same file; nil for none.
    private var present: TextEncoding?

    /// The number of bytes at the start of a file that are examined to guess the encoding.
    static let sampleSize = 256 << 10

    /// The encodings other than UTF-8 that are usual for the locale, the likeliest first. Opens a converter for
    /// each.
    public var legacy: [TextEncoding] {
        var found = usual.compactMap(TextEncoding.init(named:))
        guard let own = Self.encoding(codeset: codeset), own != .utf8 else { return found }
        found.removeAll { $0 == own }
        return [own] + found
    }

    /// Returns this guess for a file that was read before, in an encoding that was guessed: that encoding is chosen
    /// again if it is possible, even if others are likelier for the bytes as they are now. Nil for no such encoding.
    package func keeping(_ present: TextEncoding?) -> EncodingGuess {
        var result = self
        result.present = present
        return result
    }

    /// Guesses the encoding from the first bytes of a file. Nil if the file is to be read as UTF-8.
    ///
    /// - Parameter isWhole: whether the bytes are the whole file. If not, they may end within a character.
    func encoding(of start: UnsafeRawBufferPointer, isWhole: Bool) -> TextEncoding? {
        var sample = UnsafeRawBufferPointer(rebasing: start.prefix(Self.sampleSize))
        let isWhole = isWhole && sample.count == start.count
        if sample.contains(0) {
            if let found = Self.utf16(sample, isWhole: isWhole) { return found }
            // The order of bytes cannot be seen in text without ASCII: keep the present one. Almost all bytes are
            // valid in UTF-16, so UTF-8 and lists of texts that end with NUL come first.
            guard let present, present.codeUnit != nil, sample.count % 2 == 0 || !isWhole,
                !Self.isListOfTexts(sample), !Self.isUTF8(sample),
                Self.isValid(sample, in: present, isWhole: isWhole)
            else { return nil }
            return present
        }
        guard let base = sample.baseAddress else { return nil }
        let p = base.assumingMemoryBound(to: UInt8.self)
        if !isWhole {
            for _ in 0..<3 where !sample.isEmpty && UTF8Scan.isOpenEnded(p, sample.count) {
                sample = UnsafeRawBufferPointer(rebasing: sample.dropLast())
            }
        }
        let metrics = UTF8Scan.measure(p, sample.count)
        guard metrics.invalidParts > 0 else {
            return metrics.scalars == metrics.bytes && Self.hasJapaneseEscape(sample)
                && Self.fits(.iso2022JP, sample, isWhole: isWhole) ? .iso2022JP : nil
        }
        guard metrics.invalidParts > Self.wideParts(p, sample.count), !TextFileDecoder.hasManyControls(sample) else {
            return nil
        }
        if let present, present.codeUnit == nil, present != .utf8, Self.isValid(sample, in: present, isWhole: isWhole) {
            return present
        }
        return candidates(for: sample, isWhole: isWhole).first { Self.fits($0, sample, isWhole: isWhole) }
    }

    // MARK: Likelihood of encodings

    private typealias Letters = @Sendable () -> LetterFrequencies

    /// The usual encodings of all languages, the likelier ones first. Each has the letter frequencies of the
    /// languages that use it.
    private static let known: [(name: String, letters: Letters)] = [
        ("windows-1252", { .western }), ("windows-1250", { .central }), ("ISO-8859-2", { .central }),
        ("windows-1254", { .turkish }), ("windows-1257", { .baltic }), ("ISO-8859-15", { .western }),
        ("windows-1251", { .cyrillic }), ("KOI8-R", { .cyrillic }), ("KOI8-U", { .cyrillic }),
        ("IBM866", { .cyrillic }), ("ISO-8859-5", { .cyrillic }), ("ISO-8859-7", { .greek }),
        ("windows-1253", { .greek }), ("windows-1255", { .hebrew }), ("windows-1256", { .arabic }),
        ("ISO-8859-6", { .arabic }), ("windows-874", { .thai }), ("Shift_JIS", { .japanese }),
        ("EUC-JP", { .japanese }), ("EUC-KR", { .korean }), ("GBK", { .simplifiedChinese }),
        ("GB18030", { .simplifiedChinese }), ("Big5", { .traditionalChinese }),
    ]

    /// The maximum number of bytes of text whose letters are compared with the ``LetterFrequencies`` of the languages.
    private static let comparedSize = 16 << 10

    /// Returns encodings, the likeliest first: those in which the first lines with non-ASCII bytes decode to likely
    /// letters. The ``legacy`` encodings that can decode the lines are included even if the letters are unlikely.
    func candidates(for sample: UnsafeRawBufferPointer, isWhole: Bool) -> [TextEncoding] {
        let part = Self.nonASCIILines(of: sample)
        let isWhole = isWhole && part.count < Self.comparedSize
        // Compare with `meaningless`, the logarithm of the probability of the non-ASCII bytes if they were random. Some
        // encodings use ASCII bytes as parts of other characters; `joined` below takes these bytes into account.
        let plain = part.count { $0 < 0x80 }
        let meaningless = -log(128) * Double(part.count - plain)
        let own = legacy
        var all: [(encoding: TextEncoding, letters: Letters?)] = Self.known.compactMap { entry in
            TextEncoding(named: entry.name).map { ($0, entry.letters) }
        }
        for encoding in own where !all.contains(where: { $0.encoding == encoding }) { all.append((encoding, nil)) }
        var ranked: [(encoding: TextEncoding, value: Double)] = []
        for (encoding, letters) in all {
            guard let text = Self.text(of: part, in: encoding, isWhole: isWhole) else { continue }
            let joined = log(64) * Double(plain - text.count { $0 < 0x80 })
            let gain = letters.map { $0().likelihood(of: text) + joined - meaningless } ?? 0
            if let place = own.firstIndex(of: encoding) {
                ranked.append((encoding, gain + 5 - Double(place) / 2))
            } else if gain > 2 {
                ranked.append((encoding, gain))
            }
        }
        // The sort is stable: of equally likely encodings, the one that is earlier in `known` comes first.
        return ranked.sorted { $0.value > $1.value }.map(\.encoding)
    }

    /// Returns the first lines that contain non-ASCII bytes, up to the length that is compared. If a line is longer
    /// than that, it is cut: it then begins shortly before its first non-ASCII byte.
    private static func nonASCIILines(of sample: UnsafeRawBufferPointer) -> [UInt8] {
        var lines: [UInt8] = []
        for line in sample.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
            guard let first = line.firstIndex(where: { $0 >= 0x80 }) else { continue }
            // Put no line feed after the last line. The sample may end within a character, which a line feed would
            // make invalid.
            if !lines.isEmpty { lines.append(0x0a) }
            let start = line.count > comparedSize ? max(line.startIndex, first - 64) : line.startIndex
            lines += line[start...].prefix(comparedSize - lines.count)
            guard lines.count < comparedSize else { break }
        }
        return lines
    }

    /// Returns the text that bytes encode, in UTF-16. Nil if some bytes are invalid in the encoding.
    private static func text(of bytes: [UInt8], in encoding: TextEncoding, isWhole: Bool) -> [UInt16]? {
        var (text, isValid): ([UInt16], Bool) = ([], true)
        bytes.withUnsafeBytes { bytes in
            TextConverter(encoding).decode(bytes, isLast: isWhole) {
                text += $0
            } invalid: { _ in
                isValid = false
            }
        }
        return isValid ? text : nil
    }

    /// Returns the number of non-ASCII characters that are valid UTF-8.
    private static func wideParts(_ p: UTF8Scan.Bytes, _ count: Int) -> Int {
        var (i, wide) = (0, 0)
        while i < count {
            let part = UTF8Scan.part(p, i, count)
            if part.isValid, part.length > 1 { wide += 1 }
            i += part.length
        }
        return wide
    }

    /// Whether all bytes are text in an encoding, with at least one non-ASCII character. The text may contain no C1
    /// controls (U+0080…U+009F), no private-use characters and no U+FFFD. It may not contain more half-width
    /// Katakana than other non-ASCII characters: other Japanese encodings can be misread as half-width Katakana.
    private static func fits(_ encoding: TextEncoding, _ bytes: UnsafeRawBufferPointer, isWhole: Bool) -> Bool {
        var isText = true
        var (others, halfWidth) = (0, 0)
        TextConverter(encoding).decode(bytes, isLast: isWhole) { units in
            for unit in units {
                switch unit {
                case ..<0x80: break
                case 0x80..<0xa0, 0xe000..<0xf900, 0xfffd...: isText = false
                case 0xff61...0xff9f: halfWidth += 1
                default: others += 1
                }
            }
        } invalid: { _ in
            isText = false
        }
        return isText && others > 0 && halfWidth <= others
    }

    /// Whether all bytes are valid in an encoding and decode to text. U+FFFD is no text, and neither is a control
    /// character that text files do not contain.
    static func isValid(_ bytes: UnsafeRawBufferPointer, in encoding: TextEncoding, isWhole: Bool) -> Bool {
        var isValid = true
        TextConverter(encoding.withByteOrder(of: bytes)).decode(bytes, isLast: isWhole) { units in
            isValid = isValid && !units.contains(where: Self.isNoText)
        } invalid: { _ in
            isValid = false
        }
        return isValid
    }

    /// Whether a UTF-16 unit is a control character that text files do not contain, or U+FFFD.
    private static func isNoText(_ unit: UInt16) -> Bool {
        switch unit {
        case 0x09, 0x0a, 0x0c, 0x0d, 0x1b: false
        case ..<0x20, 0x7f..<0xa0, 0xfffd...: true
        default: false
        }
    }

    // MARK: ISO-2022-JP

    /// Whether the bytes contain an escape sequence that selects JIS X 0208 (ISO-2022-JP, RFC 1468). Other escape
    /// sequences, such as those for terminals, do not count.
    private static func hasJapaneseEscape(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var at = bytes.startIndex
        while let escape = bytes[at...].firstIndex(of: 0x1b) {
            if bytes[escape...].starts(with: [0x1b, 0x24, 0x40]) || bytes[escape...].starts(with: [0x1b, 0x24, 0x42]) {
                return true
            }
            at = escape + 1
        }
        return false
    }

    // MARK: UTF-16

    /// The evidence for reading bytes as UTF-16 in one byte order.
    private struct Units {
        /// The number of printable ASCII characters and blanks.
        var ascii = 0
        /// Whether all UTF-16 units are text: no control characters, unpaired surrogates, private-use or unassigned
        /// characters.
        var areText = true
    }

    private static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress else { return true }
        return UTF8Scan.measure(start.assumingMemoryBound(to: UInt8.self), bytes.count).invalidParts == 0
    }

    private static func utf16(_ sample: UnsafeRawBufferPointer, isWhole: Bool) -> TextEncoding? {
        guard sample.count >= 4, !isWhole || sample.count % 2 == 0, !isListOfTexts(sample) else { return nil }
        let part = UnsafeRawBufferPointer(rebasing: sample.prefix(64 << 10))
        let isCut = !isWhole || part.count < sample.count
        let (little, big) = (
            units(part, isCut: isCut) { UInt16($0) | UInt16($1) << 8 },
            units(part, isCut: isCut) { UInt16($0) << 8 | UInt16($1) }
        )
        func isIt(_ one: Units, not other: Units) -> Bool {
            one.areText && one.ascii > (other.areText ? 4 * other.ascii : 0)
        }
        return isIt(little, not: big) ? .utf16LittleEndian : isIt(big, not: little) ? .utf16BigEndian : nil
    }

    private static func units(
        _ bytes: UnsafeRawBufferPointer, isCut: Bool, _ unit: (UInt8, UInt8) -> UInt16
    ) -> Units {
        var result = Units()
        var i = 0
        while i + 1 < bytes.count {
            let first = unit(bytes[i], bytes[i + 1])
            i += 2
            var scalar = UInt32(first)
            if first & 0xfc00 == 0xd800 {
                guard i + 1 < bytes.count else {
                    result.areText = result.areText && isCut
                    break
                }
                let second = unit(bytes[i], bytes[i + 1])
                if second & 0xfc00 == 0xdc00 {
                    scalar = 0x10000 + UInt32(first & 0x3ff) << 10 + UInt32(second & 0x3ff)
                    i += 2
                }
            }
            switch scalar {
            case 0x20...0x7e, 0x09, 0x0a, 0x0c, 0x0d: result.ascii += 1
            default:
                switch Unicode.Scalar(scalar)?.properties.generalCategory {
                case nil, .control, .unassigned, .privateUse: result.areText = false
                default: break
                }
            }
            if !result.areText { break }
        }
        return result
    }

    /// Whether the bytes are texts separated by zero bytes, such as a list of file names that a program has
    /// printed. They are no UTF-16: there, half of the bytes of ASCII characters are zero, and most bytes of other
    /// characters are not ASCII.
    private static func isListOfTexts(_ sample: UnsafeRawBufferPointer) -> Bool {
        // Count blanks and control bytes separately from other ASCII: in UTF-16 they are the high bytes of many
        // scripts.
        var (zeros, ascii, blanks, controls) = (0, 0, 0, 0)
        for byte in sample {
            switch byte {
            case 0: zeros += 1
            case 0x20..<0x7f: ascii += 1
            case 0x09...0x0d: blanks += 1
            case 0x80...: break
            default: controls += 1
            }
        }
        guard zeros * 5 < sample.count * 2, let base = sample.baseAddress else { return false }
        if ascii * 10 >= (sample.count - zeros) * 9 { return true }
        let metrics = UTF8Scan.measure(base.assumingMemoryBound(to: UInt8.self), sample.count)
        return controls == 0 && blanks * 4 < sample.count && metrics.invalidParts <= 1
    }
}

extension EncodingGuess {
    /// Creates a guess for the language and encoding of a locale, such as `ja_JP.EUC-JP` or `ru_RU.UTF-8`. If the
    /// locale names neither a language nor an encoding other than UTF-8, as `C.UTF-8` does, there are no legacy
    /// encodings.
    ///
    /// Source: the table of default encodings by language in the HTML standard (§13.2.3.2).
    public init(locale: String) {
        let (rest, modifier) = Self.split(locale, at: "@")
        let (place, codeset) = Self.split(rest, at: ".")
        let (language, territory) = Self.split(place, at: "_")
        self.codeset = codeset.isEmpty && modifier == "euro" ? "ISO-8859-15" : codeset
        switch language.lowercased() {
        case "", "c", "posix":
            usual = []
        case "ja": usual = ["Shift_JIS", "EUC-JP"]
        case "zh" where ["HK", "MO", "TW"].contains(territory.uppercased()): usual = ["Big5"]
        case "zh": usual = ["GBK", "GB18030"]
        case "ko": usual = ["EUC-KR"]
        case "ar", "fa": usual = ["windows-1256"]
        case "az", "ku", "tr": usual = ["windows-1254"]
        case "ba", "be", "bg", "kk", "ky", "mk", "ru", "sah", "sr", "tg", "tt", "uk": usual = ["windows-1251"]
        case "cs", "hr", "sk": usual = ["windows-1250"]
        case "hu", "pl", "sl": usual = ["ISO-8859-2"]
        case "et", "lt", "lv": usual = ["windows-1257"]
        case "el": usual = ["ISO-8859-7"]
        case "he": usual = ["windows-1255"]
        case "th": usual = ["windows-874"]
        case "vi": usual = ["windows-1258"]
        default: usual = ["windows-1252"]
        }
    }

    private static func split(_ text: String, at separator: Character) -> (String, String) {
        let parts = text.split(separator: separator, maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
    }

    /// Returns the encoding that the name of a locale contains. Nil if it contains none, or an unknown one. Names
    /// are compared without hyphens, because locales often omit them.
    private static func encoding(codeset: String) -> TextEncoding? {
        func plain(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }
        switch plain(codeset) {
        case "": return nil
        case "utf8": return .utf8
        case "ujis": return TextEncoding(named: "EUC-JP")
        case "euccn": return TextEncoding(named: "GBK")
        case "big5hkscs": return TextEncoding(named: "Big5")
        case let name: return TextEncoding.standard.first { plain($0.name) == name } ?? TextEncoding(named: codeset)
        }
    }
}

extension TextEncoding {
    /// The encoding that the HTML standard names ISO-2022-JP.
    fileprivate static let iso2022JP = TextEncoding(named: "ISO-2022-JP") ?? .utf8
}
