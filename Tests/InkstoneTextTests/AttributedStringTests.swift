import FoundationEssentials
import InkstoneAttributedText
import InkstoneBase
import InkstoneTesting
import Testing
import TextTestSupport

@testable import InkstoneText

/// Attributed-string keys with the rules of ``TestKeys``.
private enum StringKeys {
    enum Weight: CodableAttributedStringKey {
        typealias Value = Int
        static let name = "string.weight"
    }

    enum Link: AttributedStringKey {
        typealias Value = Int
        static let name = "string.link"
        static let inheritedByAddedText = false
    }

    enum Spelling: AttributedStringKey {
        typealias Value = Int
        static let name = "string.spelling"
        static let invalidationConditions: Set<AttributedString.AttributeInvalidationCondition>? = [.textChanged]
    }

    enum Measure: AttributedStringKey {
        typealias Value = Int
        static let name = "string.measure"
        static let invalidationConditions: Set<AttributedString.AttributeInvalidationCondition>? = [
            .attributeChanged(Weight.self), .attributeChanged(Spelling.self),
        ]
    }

    enum Note: AttributedStringKey {
        typealias Value = Int
        static let name = "string.note"
        static let invalidationConditions: Set<AttributedString.AttributeInvalidationCondition>? = [
            .attributeChanged(Measure.self)
        ]
    }

    enum Alignment: AttributedStringKey {
        typealias Value = Int
        static let name = "string.alignment"
        static let runBoundaries: AttributedString.AttributeRunBoundaries? = .paragraph
    }

    enum Image: AttributedStringKey {
        typealias Value = Int
        static let name = "string.image"
        static let runBoundaries: AttributedString.AttributeRunBoundaries? = .character("\u{fffc}")
    }

    /// Returns a string's runs as text. The strings' own `==` is affected by caches that edits leave in them.
    static func lines(_ string: AttributedString) -> [String] {
        var lines: [String] = []
        var last: [String]?
        for run in string.runs {
            let values = [
                run[Weight.self].map { "weight=\($0)" }, run[Link.self].map { "link=\($0)" },
                run[Spelling.self].map { "spelling=\($0)" }, run[Measure.self].map { "measure=\($0)" },
                run[Note.self].map { "note=\($0)" }, run[Alignment.self].map { "alignment=\($0)" },
                run[Image.self].map { "image=\($0)" },
            ].compactMap(\.self)
            let text = String(string.characters[run.range]).map { $0 == "\n" ? "⏎" : String($0) }.joined()
            if values == last { lines[lines.count - 1] += text } else { lines.append("\(values) \(text)") }
            last = values
        }
        return lines
    }

    static let bridging = AttributeBridging(
        Weight.self, Link.self, Spelling.self, Measure.self, Note.self, Alignment.self, Image.self)
}

@Suite(.timeLimit(.minutes(5))) struct AttributedStringTests {
    /// A key without bridging.
    private enum Level: AttributedStringKey {
        typealias Value = Int
        static let name = "inkstone.test.level"
    }

    @Test func stringsComeInAndGoOutWithKeysOfAnyKind() {
        var string = AttributedString("日本😀 text")
        let start = string.index(string.startIndex, offsetByCharacters: 1)
        let range = start..<string.index(start, offsetByCharacters: 3)
        string[range][Level.self] = 7
        string[range][StringKeys.Weight.self] = 3
        let text = StyledText(string, bridging: StringKeys.bridging)
        #expect(text.attributes(in: text.rope.utf16Range).map(\.range) == [0..<1, 1..<5, 5..<9])
        #expect(text.attributes(at: 2)[StringAttribute<StringKeys.Weight>.self] == 3)
        #expect(text.attributes(at: 2)[OtherStringAttributes.self]?[Level.self] == 7)
        #expect(AttributedString(text, bridging: StringKeys.bridging) == string)
        let part = AttributedString(text.slice(1..<4), bridging: StringKeys.bridging)
        #expect(String(part.characters) == "本😀" && part.runs.first?[Level.self] == 7)
        #expect(StyledText(AttributedString("plain")).runs == nil)
    }

    @Test func numbersThatAreNoneDoNotComeIn() {
        enum Height: AttributedStringKey {
            typealias Value = Double
            static let name = "inkstone.test.height"
        }
        func text(_ height: Double, _ bridging: AttributeBridging) -> StyledText {
            var string = AttributedString("ab")
            string[Height.self] = height
            string[Level.self] = 1
            return StyledText(string, bridging: bridging)
        }
        for bridging in [AttributeBridging(), AttributeBridging(Height.self, Level.self)] {
            let (none, some) = (text(.nan, bridging), text(2, bridging))
            #expect(AttributedString(none, bridging: bridging).runs.first?[Height.self] == nil)
            #expect(AttributedString(some, bridging: bridging).runs.first?[Height.self] == 2)
            #expect(none == text(.nan, bridging))
        }
    }

    @Test func keysKeepTheirRulesAndTheirCoding() {
        _ = StringKeys.bridging
        #expect(StringAttribute<StringKeys.Alignment>.runBoundaries == .paragraph)
        #expect(StringAttribute<StringKeys.Image>.runBoundaries == .scalar("\u{fffc}"))
        #expect(!StringAttribute<StringKeys.Link>.inheritedByAddedText)
        #expect(
            StringAttribute<StringKeys.Measure>.invalidationConditions == [
                .attributeChanged(named: StringKeys.Weight.name), .attributeChanged(named: StringKeys.Spelling.name),
            ])
        #expect(StringAttribute<StringKeys.Spelling>.invalidationConditions == [.textChanged])
        let coded = StringAttribute<StringKeys.Weight>.encode(5)
        #expect(StringAttribute<StringKeys.Weight>.decode(coded) == 5)
        #expect(StringAttribute<StringKeys.Weight>.decode([1, 2]) == nil)
    }

    @Test func anotherKeyMayStandForOneOfAString() {
        var bridging = AttributeBridging()
        bridging.add(TestKeys.Weight.self, for: Level.self, toText: { $0 * 100 }, toString: { $0 / 100 })
        var string = AttributedString("ab")
        string[Level.self] = 4
        let text = StyledText(string, bridging: bridging)
        #expect(text.attributes(at: 0)[TestKeys.Weight.self] == 400)
        #expect(AttributedString(text, bridging: bridging) == string)
    }

    /// The same change of both kinds of text, or of neither if their rules differ; see the table at the conversion.
    private struct Pair {
        var string: AttributedString
        var text: StyledText

        init(_ string: String) {
            self.string = AttributedString(string)
            text = StyledText(Rope(string))
        }

        var scalars: [Unicode.Scalar] { Array(string.unicodeScalars) }

        private func indices(_ range: Range<Int>) -> Range<AttributedString.Index> {
            let view = string.unicodeScalars
            let low = view.index(view.startIndex, offsetBy: range.lowerBound)
            return low..<view.index(low, offsetBy: range.count)
        }

        func units(_ range: Range<Int>) -> Range<UTF16Offset> {
            let widths = scalars.map { UTF16.width($0) }
            let low = UTF16Offset(widths[..<range.lowerBound].reduce(0, +))
            return low..<low + widths[range].reduce(0, +)
        }

        mutating func type(_ range: Range<Int>, _ new: String) {
            let scalars = scalars
            let low = range.lowerBound
            if range.isEmpty {
                if new.isEmpty { return }
                if low > 0, low < scalars.count, scalars[low - 1] == "\n" { return }
            }
            let units = units(range)
            text.apply(TextChangeSet(replacing: units, with: Rope(new), in: text.rope))
            string.unicodeScalars.replaceSubrange(indices(range), with: Array(new.unicodeScalars))
        }

        mutating func replace(_ range: Range<Int>, with other: Range<Int>) {
            let new = AttributedString(string[indices(other)])
            let styled = StyledText(new, bridging: StringKeys.bridging)
            let units = units(range)
            if range.isEmpty, other.isEmpty { return }
            string.replaceSubrange(indices(range), with: new)
            text.replace(units, with: styled)
        }

        mutating func set<Key: AttributedStringKey & SendableMetatype>(
            _ key: Key.Type, _ value: Int?, _ range: Range<Int>
        )
        where Key.Value == Int {
            guard !range.isEmpty else { return }
            let units = units(range)
            string[indices(range)][Key.self] = value
            text.restyle { $0.set(value, of: StringAttribute<Key>.self, in: units) }
        }
    }

    /// Combinations of keys and edits to test; those in which the two differ by more than a rule are excluded.
    enum Mix: CaseIterable {
        case boundaries, dependence

        var keys: [Int] {
            switch self {
            case .boundaries: [0, 1, 5, 6]
            case .dependence: [0, 1, 3, 4, 5, 6]
            }
        }
    }

    @Test(arguments: Mix.allCases, [UInt64(1), 2, 3])
    func editsAreThoseOfAttributedStrings(mix: Mix, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let strings = ["", "a", "word", "\n", "x\ny", "😀", "\u{fffc}", "p\u{fffc}\nq"]
        var styled = 0
        for round in 0..<30 {
            var pair = Pair("one two\nthree\u{fffc}\nfour")
            for step in 0..<60 {
                let count = pair.scalars.count
                let low = random.below(count + 1)
                let range = low..<min(count, low + random.below(6))
                let value = random.once(in: 3) ? nil : random.below(2)
                let before = pair.string
                var what = "set \(value as Int?)"
                switch random.below(5) {
                case 0 where mix != .dependence:
                    let new = strings[random.below(strings.count)]
                    what = "typed \(new.debugDescription)"
                    pair.type(range, new)
                case 0, 1:
                    let start = random.below(count + 1)
                    what = "replaced"
                    pair.replace(range, with: start..<min(count, start + random.below(6)))
                default:
                    switch mix.keys[random.below(mix.keys.count)] {
                    case 0: pair.set(StringKeys.Weight.self, value, range)
                    case 1: pair.set(StringKeys.Link.self, value, range)
                    case 3: pair.set(StringKeys.Measure.self, value, range)
                    case 4: pair.set(StringKeys.Note.self, value, range)
                    case 5: pair.set(StringKeys.Alignment.self, value, range)
                    default: pair.set(StringKeys.Image.self, value, range)
                    }
                }
                let found = StringKeys.lines(AttributedString(pair.text, bridging: StringKeys.bridging))
                let wanted = StringKeys.lines(pair.string)
                #expect(
                    found == wanted,
                    "\(mix), seed \(seed), \(round).\(step): \(what) \(range) of \(StringKeys.lines(before))")
                guard found == wanted else { return }
                styled += wanted.count
            }
        }
        #expect(styled > 4_000, "too few runs to say much: \(styled)")
    }
}
