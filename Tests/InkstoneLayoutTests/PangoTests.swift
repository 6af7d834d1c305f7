import CPango
import InkstoneBase
import InkstoneText
import InkstoneUnicode
import Testing

@testable import InkstoneLayout

/// Inkstone's runs and carets compared with Pango's for the same text and fonts. Differences are listed with their
/// reasons.
@Suite(.timeLimit(.minutes(5))) struct PangoTests {
    /// A text, and the differences of its carets.
    struct Line: Sendable, CustomTestStringConvertible {
        var text: String
        var carets: Set<CaretDifference> = []
        /// UTF-16 offsets that only one of the two allows as caret positions.
        var stops: Set<Int> = []
        var testDescription: String { text }

        init(_ text: String, _ carets: Set<CaretDifference> = [], stops: Set<Int> = []) {
            self.text = text
            self.carets = carets
            self.stops = stops
        }
    }

    /// The reason why carets have other positions.
    enum CaretDifference: Sendable {
        /// Pango rounds each glyph's advance to a pixel, after kerning and a mark's own advance. Inkstone uses
        /// Xft's whole-pixel advances, keeps kerning in 1/64 pixel, and rounds the sum when painting. Carets inside
        /// of ligatures are rounded here too.
        case rounding
        /// The emoji comes from another font and has another width: see `emojiFont`.
        case emojiFont
        /// The paragraph has the opposite direction: see `isolateDirection`.
        case isolateDirection
    }

    /// Whether this version of Pango allows a caret before the last consonant of ksha, at byte 6: versions before
    /// GB9c do.
    private static let cutsConjuncts = pango("क्ष", "Noto Sans").carets.contains { $0.offset == 6 && $0.is_stop != 0 }

    /// Whether this version of Pango shows an emoji in a font other than the colour font.
    private static let knowsNoEmojiFont = pango("😀", "Noto Sans").runs.contains {
        string($0.family) != "Noto Color Emoji"
    }

    static let lines = [
        Line("plain words in English", [.rounding]), Line("office affinity waffle", [.rounding]),
        Line("e\u{301}te\u{301} na\u{ef}ve z\u{334}"), Line("Grüße ёжик ἀρχή mixed"), Line("abc אבג def"),
        Line("abc (אבג 123) דהו ghi"), Line("שלום, עולם!"), Line("السلام عليكم 2024 abc"),
        Line("نص عربي (مع أقواس) و english", [.rounding]),
        // ICU keeps an aksara with its conjuncts together, as Unicode 15.1 does (GB9c); Pango 1.50 does not, 1.56
        // does.
        Line("हिन्दी में क्षत्रिय", [.rounding], stops: cutsConjuncts ? [4, 13, 16] : []),
        Line("ಕನ್ನಡ ಭಾಷೆ abc"), Line("ภาษาไทย and Thai", [.rounding]), Line("日本語と English と漢字"), Line("한국어 문장"),
        Line("日本のかな한글 ไทย"),
        Line("smile 😀 and ☺ and ❤\u{fe0f}", [.emojiFont]), Line("family 👩‍👩‍👧‍👦 flags 🇩🇪🇯🇵", [.rounding]),
        Line("1 + 2 = 3 (three)", [.rounding]), Line("ქართული და Հայերեն"), Line("தமிழ் తెలుగు മലയാളം"),
        // Pango has its own rule: no caret between a Burmese consonant with a killer and the next consonant.
        Line("မြန်မာ ភាសាខ្មែរ", [.rounding], stops: [5]),
        Line("a\u{200b}b soft\u{ad}hyphen"), Line("a – b “quoted” … €5"), Line("☃ ★ ♥ ✈"),
        Line("\u{2067}אבג abc\u{2069} x", [.isolateDirection]),
    ]

    struct Run: Equatable, CustomStringConvertible {
        var family: String
        var script: String
        var level: Int
        var description: String { "\(family)/\(script)/\(level)" }
    }

    /// The reason why a character is in another run.
    enum ItemDifference: CaseIterable {
        /// Pango 1.50 uses fontconfig's preference for the language `und-zsye`, which the tests' configuration
        /// lacks. Inkstone prefers a colour font where emoji presentation is required (UTS #51).
        case emojiFont
        /// Inkstone sets a space in the font of the word before it, so that words stay whole; Pango sets some
        /// spaces in the first font.
        case spaceFont
        /// Text of symbols only: Inkstone shapes it as Latin, Pango as common (`Zyyy`).
        case noScript
        /// Pango 1.50 takes a paragraph's direction from inside of an isolate, which UAX #9 (P2) skips.
        case isolateDirection

        func holds(_ scalar: Unicode.Scalar, _ text: String, _ ours: Run, _ pango: Run) -> Bool {
            switch self {
            case .emojiFont:
                ours.family == "Noto Color Emoji" && pango.family != ours.family && scalar.value > 0xff
                    && (ours.script, ours.level) == (pango.script, pango.level)
            case .spaceFont:
                scalar == " " && (ours.script, ours.level) == (pango.script, pango.level)
            case .noScript:
                pango.script == "Zyyy" && ours.script == "Latn"
                    && (ours.family, ours.level) == (pango.family, pango.level)
            case .isolateDirection:
                text.unicodeScalars.first == "\u{2067}"
                    && (pango.level == ours.level + 1 || pango.level == ours.level + 2)
                    && (ours.family, ours.script) == (pango.family, pango.script)
            }
        }
    }

    private static func pango(_ text: String, _ family: String) -> (runs: [cpango_run], carets: [cpango_caret]) {
        precondition(TestFonts.ready)
        var map: UnsafeMutablePointer<PangoFontMap>?
        defer { g_object_unref(map) }
        var runs = [cpango_run](repeating: cpango_run(), count: 200)
        var carets = [cpango_caret](repeating: cpango_caret(), count: 400)
        var count: Int32 = 0
        let found = cpango_measure(&map, text, family, 16, &runs, 200, &carets, 400, &count)
        return (Array(runs[..<Int(found)]), Array(carets[..<Int(count)]))
    }

    private static func string<T>(_ tuple: T) -> String {
        withUnsafeBytes(of: tuple) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// Returns Inkstone's runs by UTF-16 units.
    private func ours(_ layout: TextLayoutManager) -> [Run] {
        let fragment = layout.document.placedFragment(at: 0).fragment
        let items = fragment.shaped.text.withUnsafeBufferPointer { units in
            Itemizer.items(
                of: units, levels: fragment.shaped.levels, baseLevel: fragment.shaped.baseLevel,
                styles: [StyleSpan(range: 0..<units.count, stack: layout.document.setting.stack)], table: ScalarTable())
        }
        var found: [Run] = []
        for item in items {
            let pattern = FontTable.pattern(for: layout.document.tools.context.faces[Int(item.face)].id)
            let family = String(pattern.prefix { $0 != ":" && $0 != "," }.filter { $0 != "\\" })
            let script = String(
                decoding: (0..<4).map { UInt8(item.script >> (24 - 8 * UInt32($0)) & 0xff) }, as: UTF8.self)
            found += Array(
                repeating: Run(family: family, script: script, level: Int(item.level)), count: item.end - item.start)
        }
        return found
    }

    @Test func itemsAreThoseOfPango() {
        var seen: Set<ItemDifference> = []
        for line in Self.lines {
            let text = line.text
            let layout = makeLayout(text, width: 4000, family: "Noto Sans")
            let mine = ours(layout)
            let theirs = Self.pango(text, "Noto Sans").runs
            var (unit, byte) = (0, 0)
            for scalar in text.unicodeScalars {
                defer {
                    unit += scalar.value > 0xffff ? 2 : 1
                    byte += scalar.utf8.count
                }
                guard let run = theirs.first(where: { Int($0.start) <= byte && byte < Int($0.end) }) else {
                    Issue.record("\(text): Pango has no run for byte \(byte)")
                    continue
                }
                let other = Run(
                    family: Self.string(run.family), script: Self.string(run.script), level: Int(run.level))
                if mine[unit] == other { continue }
                let reason = ItemDifference.allCases.first { $0.holds(scalar, text, mine[unit], other) }
                if let reason { seen.insert(reason) }
                #expect(
                    reason != nil, "\(text): U+\(String(scalar.value, radix: 16)) ours \(mine[unit]), Pango \(other)")
            }
        }
        var listed = Set(ItemDifference.allCases)
        if !Self.knowsNoEmojiFont { listed.remove(.emojiFont) }
        #expect(seen == listed, "a listed difference is none any more")
    }

    /// Hangul in an English, a Japanese and a Korean text, and in one without a language.
    @Test(arguments: [nil, "en", "ja", "ko"]) func hangulIsSetInAKoreanFont(language: String?) {
        precondition(TestFonts.ready)
        let context = FontContext(settings: FontSettings())
        let stack = context.stack(for: FontDescriptor(family: "Noto Sans", size: 16, language: language))
        func family(_ scalar: UInt32) -> String {
            // Look up the slot before the list of faces.
            let slot = stack.slot(for: scalar, emoji: false)
            let pattern = FontTable.pattern(for: context.faces[Int(slot)].id)
            return String(pattern.prefix { $0 != ":" && $0 != "," }.filter { $0 != "\\" })
        }
        #expect(family(0xd55c) == "Noto Sans CJK KR")
        #expect(family(0x1100) == "Noto Sans CJK KR")
        // Han characters follow the text's language; kana is set in a Japanese font unless the language's font has
        // it.
        #expect(family(0x6f22) == (language == "ko" ? "Noto Sans CJK KR" : "Noto Sans CJK JP"))
        #expect(family(0x3042) == "Noto Sans CJK JP")
        #expect(family(0x41) == "Noto Sans" && family(0xe01) == "Noto Sans Thai")
        #expect(
            stack.slot(forCluster: [0x1112, 0x1161, 0x11ab], emoji: false) == stack.slot(for: 0x1112, emoji: false))
    }

    /// BCP 47 languages for which fontconfig has names of its own.
    @Test(arguments: [
        ("zh-Hans", "SC"), ("zh-Hant", "TC"), ("zh", "SC"), ("zh-TW", "TC"), ("zh_HK", "HK"), ("zh-Hant-MO", "HK"),
        ("yue", "HK"), ("cmn-Hans-SG", "SC"), ("ja-JP", "JP"), ("ko-KR", "KR"), ("ja-Latn-JP", "JP"), ("en-US", "JP"),
    ])
    func hanIsSetInTheFontOfTheLanguage(_ language: String, _ variant: String) {
        precondition(TestFonts.ready)
        let context = FontContext(settings: FontSettings())
        let stack = context.stack(for: FontDescriptor(family: "Noto Sans", size: 16, language: language))
        let slot = stack.slot(for: 0x6f22, emoji: false)
        #expect(FontTable.pattern(for: context.faces[Int(slot)].id).hasPrefix("Noto Sans CJK \(variant)"))
    }

    @Test func fontconfigsNamesOfLanguages() {
        let names = [
            "pt-BR": "pt", "ti-ER": "ti-er", "en-GB": "en", "sr-Latn-RS": "sr", "de-CH-1996": "de", "pa-PK": "pa-pk",
            "x-nobodys": "x-nobodys",
            "": "",
        ]
        for (tag, name) in names { #expect(FontCandidates.fontconfigLanguage(tag) == name, "\(tag)") }
    }

    @Test(arguments: lines) func caretsAreThoseOfPango(_ line: Line) {
        let layout = makeLayout(line.text, width: 4000, family: "Noto Sans")
        let fragment = layout.allLines[0]
        let left = fragment.typographicBounds.minX
        let isMixed = Set(fragment.fragment.line(fragment.index, fragment.tools).runs.map(\.level)).count > 1
        var stops: Set<Int> = []
        var worst = 0.0
        for caret in Self.pango(line.text, "Noto Sans").carets {
            let offset = layout.store.text.utf16Offset(at: ByteOffset(Int(caret.offset)))
            let isStop = offset == 0 || layout.store.text.roundedDown(toGrapheme: offset) == offset
            if isStop != (caret.is_stop != 0) {
                stops.insert(offset.value)
                continue
            }
            guard isStop else { continue }
            // Pango's strong and weak carets equal Inkstone's of both affinities, or the second part of a split
            // caret.
            let mine = [TextAffinity.downstream, .upstream].flatMap {
                [
                    layout.geometry.caretRect(at: offset, affinity: $0),
                    layout.geometry.secondaryCaretRect(at: offset, affinity: $0),
                ]
            }.compactMap { $0.map { $0.minX - left } }
            // In text of one direction, ignore the weak caret, which is inside of clusters.
            for x in isMixed ? [caret.strong, caret.weak] : [caret.strong] {
                let distance = mine.map { abs($0 - Double(x) / 1024) }.min() ?? .infinity
                worst = max(worst, distance)
                if line.carets.isDisjoint(with: [.emojiFont, .isolateDirection]) {
                    #expect(
                        distance <= (line.carets.contains(.rounding) ? 2 : 0),
                        "at \(offset): ours \(mine), Pango \(Double(x) / 1024)")
                }
            }
        }
        #expect(stops == line.stops)
        if !line.carets.isEmpty { #expect(worst > 0, "a listed difference is none any more") }
    }
}
