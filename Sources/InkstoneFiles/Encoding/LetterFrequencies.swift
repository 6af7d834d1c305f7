import Glibc
import InkstoneUnicode

/// The frequencies of a language's characters beyond ASCII. They serve to choose an encoding: the same bytes mean
/// different texts in different encodings, of which some are likelier than others.
///
/// Each text gets the logarithm of its probability. ICU's detector is not used. It compares triples of letters,
/// which needs paragraphs. In texts of one or two lines it takes Korean for Arabic, and gives all encodings of
/// Chinese and Japanese the same confidence.
struct LetterFrequencies: Sendable {
    /// The positions of the language's characters relative to each other and to ASCII letters.
    enum Kind: Sendable {
        /// The characters are single letters among ASCII letters, as in French.
        case latin
        /// The characters form whole words without ASCII letters, as in Russian.
        case alphabet
        /// Characters that may have any neighbours, such as Chinese characters.
        case ideographs
    }

    /// Characters that are equally frequent. Together they make up `share` of all occurrences.
    struct Tier {
        var characters: [UInt16]
        var share: Double

        init(_ characters: some Sequence<UInt16>, _ share: Double) {
            (self.characters, self.share) = (Array(characters), share)
        }

        init(_ characters: String, _ share: Double) { self.init(characters.utf16, share) }
    }

    private let kind: Kind
    /// The logarithms of the probabilities of the characters in the tiers, and of their capitals.
    private let known: [UInt16: Double]
    private let other: Double
    private let capitals: Set<UInt16>

    /// Creates frequencies from tiers. If a character is in several tiers, it belongs to the first of them. `other` is
    /// the probability of each character that is in no tier.
    init(_ kind: Kind, _ tiers: [Tier], other: Double) {
        var known: [UInt16: Double] = [:]
        var capitals = Set(UInt16(0x41)...0x5a)
        for tier in tiers {
            let new = Set(tier.characters).filter { known[$0] == nil }
            let value = log(tier.share / Double(max(1, new.count)))
            for unit in new {
                known[unit] = value
                guard kind != .ideographs, let lower = Unicode.Scalar(unit) else { continue }
                let upper = Array(lower.properties.uppercaseMapping.utf16)
                guard upper.count == 1, upper[0] != unit, known[upper[0]] == nil else { continue }
                known[upper[0]] = value
                capitals.insert(upper[0])
            }
        }
        (self.kind, self.known, self.capitals) = (kind, known, capitals)
        self.other = log(other)
    }

    /// Returns the logarithm of the probability of a text's characters beyond ASCII. O(n).
    func likelihood(of text: [UInt16]) -> Double {
        var sum = 0.0
        for (index, unit) in text.enumerated() where unit >= 0x80 {
            sum += known[unit] ?? other
            guard kind != .ideographs, Self.isLetter(unit) else { continue }
            let before = index > 0 ? text[index - 1] : 0x20
            let isThird = index > 1 && Self.isForeign(before) && Self.isForeign(text[index - 2])
            let after = index + 1 < text.count ? text[index + 1] : 0x20
            sum += log((isThird && kind == .latin ? 0.2 : 1) * neighbours(before, after) * capitalization(unit, before))
        }
        return sum
    }

    /// Returns the probability that a letter has the given neighbours.
    private func neighbours(_ before: UInt16, _ after: UInt16) -> Double {
        let besideASCII = Self.isASCIILetter(before) || Self.isASCIILetter(after)
        if kind == .alphabet {
            return besideASCII ? 0.001 : Self.isLetter(before) || Self.isLetter(after) ? 1 : 0.3
        }
        return Self.isForeign(before) ? 0.15 : besideASCII ? 1 : 0.2
    }

    /// Returns the probability of a letter's case, given the character before it. Capitals are likely at the start
    /// of a word, or after other capitals.
    private func capitalization(_ unit: UInt16, _ before: UInt16) -> Double {
        let isCapital = capitals.contains(unit)
        guard Self.isLetter(before) else {
            return isCapital ? 0.15 : 0.85
        }
        if capitals.contains(before) { return 0.5 }
        return isCapital ? 0.001 : 1
    }

    private static func isASCIILetter(_ unit: UInt16) -> Bool { (0x61...0x7a).contains(unit | 0x20) }

    private static func isForeign(_ unit: UInt16) -> Bool { unit >= 0x80 && isLetter(unit) }

    private static func isLetter(_ unit: UInt16) -> Bool {
        isASCIILetter(unit) || (0xc0..<0x2000).contains(unit) && unit != 0xd7 && unit != 0xf7
    }
}

// MARK: Languages

extension LetterFrequencies {
    private static let signs = Tier("’‘“”„–—…€°§«»·•‹›№\u{a0}", 0.14)

    private static func latin(_ letters: String) -> LetterFrequencies {
        LetterFrequencies(.latin, [Tier(letters, 0.84), signs], other: 0.0002)
    }

    static let western = latin("éèàáâäöüßñçåøæíóúêîôëïãõùœû¿¡")
    static let central = latin("ąćęłńóśźżáčďéěíňřšťúůýžäöüßőű")
    static let turkish = latin("çğıöşüâîûİ")
    static let baltic = latin("ąčęėįšųūžāēģīķļņõäöü")

    private static func alphabet(_ common: String, _ rare: String, _ other: String = "") -> LetterFrequencies {
        LetterFrequencies(
            .alphabet, [Tier(common, 0.73), Tier(rare, 0.22), Tier(other, 0.03), Tier(signs.characters, 0.02)],
            other: 0.0001)
    }

    static let cyrillic = alphabet("оеаинтсрвлкм", "дпуяыьгзбчйіж", "хшюцщэфъёїєґўђјљњћџ")
    static let greek = alphabet("αοιετσνηυρπκμλς", "άίόέήύώωγδθχφβξ", "ζψϊϋΐΰ΄")
    static let hebrew = alphabet("יוהלאתרבשמםנע", "ןדקפחכצגטסזךףץ", "־׳״")
    static let arabic = alphabet("اليمنوترهب", "دعسفكقأحجةشصخطىذضزإثئغؤء", "آظ،؛؟ـپچژگً")
    static let thai = alphabet("านรอกเงมยลวดทสต่้ีั", "ะปบคหแจพชขใไโผิุู์ึำถซณศธภฟ", "ญฉษฐๆื็")

    private static func ideographs(_ tiers: [Tier], other: Double) -> LetterFrequencies {
        LetterFrequencies(.ideographs, tiers, other: other)
    }

    /// The letters of the two Japanese syllabaries, hiragana and katakana.
    private static let kana = (hiragana: UInt16(0x3041)...0x3093, katakana: UInt16(0x30a1)...0x30f6)
    /// The kana, with their small share in texts of other languages than Japanese.
    private static let foreignKana = Tier(Array(kana.hiragana) + Array(kana.katakana), 0.002)
    private static let wideSigns = Tier("，。、", 0.08)
    private static let otherSigns = Tier(Array(0x2010...0x266f) + Array(0x3000...0x301f) + Array(0xff01...0xff5e), 0.03)

    static let japanese = ideographs(
        [
            Tier(kana.hiragana, 0.42), Tier("。、", 0.06), Tier(Array(kana.katakana) + [0x30fc], 0.12),
            Tier("日本人年大国中時行見月分後前生間上東金入学高円子下名出来気方文字用新田手書定本作会社事部", 0.12),
            Tier(level("EUC-JP", 0xb0...0xcf), 0.24), otherSigns,
        ], other: 0.000_001)
    static let simplifiedChinese = ideographs(
        [
            wideSigns,
            Tier("的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可好文", 0.32),
            Tier(level("GBK", 0xb0...0xd7), 0.56), foreignKana, otherSigns,
        ], other: 0.000_000_8)
    static let traditionalChinese = ideographs(
        [
            wideSigns,
            Tier("的一是不了在人有我他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可好文", 0.32),
            Tier(level("Big5", 0xa4...0xc6, trails: Array(0x40...0x7e) + Array(0xa1...0xfe)), 0.56), foreignKana,
            otherSigns,
        ], other: 0.000_000_8)
    static let korean = ideographs(
        [
            Tier("이다는의에을가고하지로은한기도사리어나시를자서인아스해정보대수있을습니안세요국", 0.5),
            Tier(level("EUC-KR", 0xb0...0xc8), 0.46), Tier(Array(0xac00...0xd7a3), 0.003), foreignKana, otherSigns,
        ], other: 0.000_000_8)

    /// Returns the characters of an encoding whose first byte is in `leads`. This is the part of the encoding that
    /// contains its frequent characters.
    private static func level(
        _ name: String, _ leads: ClosedRange<UInt8>, trails: [UInt8] = Array(0xa1...0xfe)
    ) -> [UInt16] {
        guard let encoding = TextEncoding(named: name) else { return [] }
        let bytes = leads.flatMap { lead in trails.flatMap { [lead, $0] } }
        var found: [UInt16] = []
        bytes.withUnsafeBytes { bytes in
            TextConverter(encoding).decode(bytes, isLast: true) {
                found += $0
            } invalid: { _ in
            }
        }
        return found
    }
}
