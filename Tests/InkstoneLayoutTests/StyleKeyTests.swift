import InkstoneBase
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneLayout

/// Traits of styled text as separate keys, and the fonts that layout resolves them to.
@Suite(.timeLimit(.minutes(5))) struct StyleKeyTests {
    private static let base = FontDescriptor(family: "DejaVu Sans", size: 16, language: "en", letterSpacing: 1)

    private static func resolver(scale: Double = 1, base: FontDescriptor = base) -> StyleResolver {
        StyleResolver(
            LayoutOptions(font: base, container: TextContainer(width: 100), attributeScale: scale))
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var attributes: TextAttributes
        var change: @Sendable (inout FontDescriptor) -> Void

        init(
            _ name: String, _ change: @escaping @Sendable (inout FontDescriptor) -> Void,
            _ attributes: (inout TextAttributes) -> Void
        ) {
            (testDescription, self.change, self.attributes) = (name, change, TextAttributes())
            attributes(&self.attributes)
        }
    }

    static let cases = [
        Case("family", { $0.family = "Noto Sans" }, { $0[FontFamilyAttribute.self] = "Noto Sans" }),
        Case("size", { $0.size = 20.5 }, { $0[FontSizeAttribute.self] = 20.5 }),
        Case("weight", { $0.weight = 200 }, { $0[FontWeightAttribute.self] = 200 }),
        Case("slant", { $0.slant = .italic }, { $0[FontSlantAttribute.self] = .italic }),
        Case("language", { $0.language = "ja" }, { $0[LanguageAttribute.self] = "ja" }),
        Case("features", { $0.features = ["smcp": 1] }, { $0[FontFeaturesAttribute.self] = ["smcp": 1] }),
        Case("tracking", { $0.letterSpacing = 3 }, { $0[TrackingAttribute.self] = 3 }),
        Case("kern", { $0.letterSpacing = 6 }, { $0[KernAttribute.self] = 5 }),
        Case("no kern", { $0.features = ["kern": 0] }, { $0[KernAttribute.self] = 0 }),
        Case(
            "no kern but where features say so", { $0.features = ["kern": 1] },
            {
                $0[KernAttribute.self] = 0
                $0[FontFeaturesAttribute.self] = ["kern": 1]
            }),
        Case(
            "kern and tracking", { $0.letterSpacing = 8 },
            {
                $0[KernAttribute.self] = 5
                $0[TrackingAttribute.self] = 3
            }),
        Case(
            "size and weight", { ($0.size, $0.weight) = (12, 80) },
            {
                $0[FontWeightAttribute.self] = 80
                $0[FontSizeAttribute.self] = 12
            }),
        Case(
            "all that a font sets",
            {
                $0 = FontDescriptor(
                    family: "a:b", size: 9, weight: 40, slant: .oblique, language: "he", letterSpacing: 2)
            },
            {
                $0 = TextAttributes(
                    FontDescriptor(
                        family: "a:b", size: 9, weight: 40, slant: .oblique, language: "he", letterSpacing: 2))
            }),
    ]

    @Test(arguments: cases) func traitsChangeTheLayoutsFont(_ test: Case) {
        var expected = Self.base
        test.change(&expected)
        let resolver = Self.resolver()
        let style = resolver.style(of: AttributeRuns(length: 1, test.attributes).id(at: 0))
        #expect(style.font == expected && style.paragraph == nil && style.rendering == nil)
    }

    /// A size that no attribute changes is not rounded; otherwise bold text would have another size than the text
    /// beside it.
    @Test func sizesAreScaledAndTheLayoutsOwnStays() {
        let base = FontDescriptor(family: "DejaVu Sans", size: 17.75, language: "en", letterSpacing: 0.5)
        let resolver = Self.resolver(scale: 1.5, base: base)
        func font(_ attributes: TextAttributes) -> FontDescriptor? {
            resolver.style(of: AttributeRuns(length: 1, attributes).id(at: 0)).font
        }
        var bold = base
        bold.weight = 200
        #expect(font(TextAttributes(FontWeightAttribute.self, 200)) == bold)
        var large = base
        large.size = 20
        #expect(font(TextAttributes(FontSizeAttribute.self, 13)) == large)
        var spaced = base
        spaced.letterSpacing = 5
        #expect(font(TextAttributes(TrackingAttribute.self, 3)) == spaced)
    }

    @Test func attributesOtherThanStylesResolveToTheLayoutsOwnStyle() {
        enum Note: AttributeKey {
            typealias Value = Int
            static let name = "test.style-keys.note"
        }
        let style = Self.resolver().style(of: AttributeRuns(length: 1, TextAttributes(Note.self, 1)).id(at: 0))
        #expect(style.font == nil && style.paragraph == nil && style.rendering == nil)
    }

    // MARK: A key of one's own

    /// The complete definition of a key that is unknown to the library.
    private enum Emphasis: StyleAttributeKey, CodedAttributeKey {
        typealias Value = Int
        static let name = "test.style-keys.emphasis"
        static let order = 1

        static func apply(_ level: Int, to style: inout TextStyle) {
            style.font.size *= Double(1 + level)
            style.rendering.underline = .single
            style.paragraph.alignment = .right
        }
    }

    @Test func aKeyOfTheProgramIsLaidOutPaintedCopiedAndUndone() throws {
        let layout = makeLayout("one\ntwo\nthree")
        let observation = layout.store.observeTransactions { [unowned layout] in _ = layout.apply($0) }
        let heights = layout.allLines.map { $0.bottom - $0.top }
        layout.store.restyle {
            $0.set(1, of: Emphasis.self, in: 4..<7)
            // This key has a lower order than the font size, whichever was set first.
            $0.set(10, of: FontSizeAttribute.self, in: 4..<7)
        }
        let alone = makeLayout("two", size: 20).allLines[0]
        let line = layout.allLines[1]
        #expect(line.bottom - line.top == alone.bottom - alone.top && line.typographicBounds.maxX == 400)
        #expect(layout.decoratedRuns(in: 0..<13).map(\.range) == [4..<7])
        #expect(layout.decoratedRuns(in: 0..<13).first?.attributes.underline == .single)
        let piece = try #require(StyledFragment(bytes: StyledFragment(layout.store.styledText).bytes))
        #expect(piece.text == layout.store.styledText)
        layout.store.undo()
        #expect(layout.allLines.map { $0.bottom - $0.top } == heights && layout.decoratedRuns(in: 0..<13).isEmpty)
        withExtendedLifetime(observation) {}
    }

    // MARK: Resolving once

    @Test func eachSetIsResolvedOnceAndPlainTextNotAtAll() {
        let layout = makeLayout("one\ntwo\nthree")
        let observation = layout.store.observeTransactions { [unowned layout] in _ = layout.apply($0) }
        func count() -> Int {
            _ = layout.allLines
            _ = layout.decoratedRuns(in: 0..<layout.length)
            return layout.document.setting.styles.count
        }
        layout.store.replace(UTF16Offset(1)..<1, with: "x")
        #expect(count() == 0)
        layout.store.restyle {
            for low in 0..<5 {
                $0.set(20, of: FontSizeAttribute.self, in: UTF16Offset(2 * low)..<UTF16Offset(2 * low + 1))
            }
        }
        #expect(count() == 1)
        layout.store.restyle { $0.set(200, of: FontWeightAttribute.self, in: 0..<3) }
        #expect(count() == 3)
        // Sets that no text uses are released.
        for size in 1...500 {
            layout.store.restyle { $0.set(Double(size), of: FontSizeAttribute.self, in: 0..<layout.length) }
            _ = count()
            layout.store.removeAllUndo()
        }
        #expect(count() < 150)
        withExtendedLifetime(observation) {}
    }

    /// A search for unused sets goes through all sets, so it must be rare.
    @Test func setsThatAreAllInUseAreNotGoneThroughForEveryFewThatCome() {
        let resolver = Self.resolver()
        enum Note: AttributeKey {
            typealias Value = Int
            static let name = "test.style-keys.number"
        }
        let count = 100_000
        let sets = (0..<count).map { AttributeRuns(length: 1, TextAttributes(Note.self, $0)).id(at: 0) }
        var isPlain = true
        let time = ContinuousClock().measure {
            for set in sets where resolver.style(of: set).font != nil { isPlain = false }
        }
        #expect(isPlain && resolver.count == count && time < .seconds(3))
    }

    /// Setting the layout's own font as traits changes no spacing.
    @Test func theLayoutsOwnFontAsTraitsChangesNoSpacing() {
        let style = Self.resolver().style(of: AttributeRuns(length: 1, TextAttributes(Self.base)).id(at: 0))
        #expect((style.font ?? Self.base) == Self.base)
    }

    /// A process with a layout decodes another's styles before it has used any of their keys.
    @Test func aProcessWithALayoutReadsStylesThatAnotherWrote() async {
        let bytes = StyledFragment(StyledText("red", TextAttributes(UnderlineAttribute.self, .wavy))).bytes
        await #expect(processExitsWith: .success) { [bytes = bytes as [UInt8]] in
            let layout = makeLayout("a")
            let piece = StyledFragment(bytes: bytes)
            precondition(piece?.text.attributes(at: 0).names == ["inkstone.underline"])
            withExtendedLifetime(layout) {}
        }
    }

    // MARK: Values from outside

    /// Returns a text with one set of encoded values, as another process may write it. All lengths are below 128.
    private static func piece(_ text: String, _ values: [(name: String, value: String)]) -> StyledFragment? {
        TextStyle.registerKeys()
        var bytes = Array("inkstone styled text 1\n".utf8) + [1, UInt8(values.count)]
        for (name, value) in values {
            bytes += [UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
        }
        return StyledFragment(bytes: bytes + [1, UInt8(text.utf16.count), 1] + Array(text.utf8))
    }

    /// The former encoding in clipboards and journals had one key for the whole font.
    @Test func aFontOfTheFormerCodingIsReadAsItsTraits() throws {
        let fields = "family:Noto Serif\nsize:13.5\nweight:200\nslant:110\nlanguage:ja\nfeature:1 smcp\nspacing:-1.5"
        let read = try #require(
            Self.piece("text", [("inkstone.font", fields), ("inkstone.gone", "x"), ("inkstone.underline", "wavy")]))
        var expected = TextAttributes(
            FontDescriptor(
                family: "Noto Serif", size: 13.5, weight: 200, slant: .oblique, language: "ja", features: ["smcp": 1],
                letterSpacing: -1.5))
        expected[UnderlineAttribute.self] = .wavy
        #expect(read.text == StyledText("text", expected))
        // Such a font replaces the layout's font completely, which may be bold.
        let plain = try #require(Self.piece("text", [("inkstone.font", "family:Serif\nsize:12")])).text.attributes(
            at: 0)
        let bold = FontDescriptor(family: "Sans", size: 9, weight: 200, slant: .italic, letterSpacing: 4)
        let style = Self.resolver(base: bold).style(of: AttributeRuns(length: 1, plain).id(at: 0))
        #expect(style.font == FontDescriptor(family: "Serif", size: 12, weight: 80, slant: .roman))
        for value in ["", "size:12", "family:a", "family", "family:a\nsize:x"] {
            #expect(Self.piece("text", [("inkstone.font", value)])?.text == StyledText("text"))
        }
    }

    @Test(
        arguments: FontTraits.keys.map { $0.name } + ["inkstone.kern", "inkstone.baseline-offset"],
        ["nan", "inf", "-1e308", "", "x", "\u{1}a\u{2}", "feature:1 ab\nx", "-0"])
    func hostileValuesAreInRangeOrLeftOut(_ name: String, _ value: String) throws {
        let read = try #require(Self.piece("text", [(name, value)]))
        let attributes = read.text.attributes(at: 0)
        #expect(attributes == attributes && attributes.names.allSatisfy { $0 == name })
        #expect((0.0...1000).contains(attributes[FontWeightAttribute.self] ?? 0))
        #expect((1.0...1000).contains(attributes[FontSizeAttribute.self] ?? 1))
        #expect((-100.0...100).contains(attributes[TrackingAttribute.self] ?? 0))
        #expect((-100.0...100).contains(attributes[KernAttribute.self] ?? 0))
        #expect((-1000.0...1000).contains(attributes[BaselineOffsetAttribute.self] ?? 0))
        #expect(attributes[FontFamilyAttribute.self]?.utf8.allSatisfy { $0 >= 0x20 } ?? true)
        let again = try #require(StyledFragment(bytes: read.bytes))
        #expect(again == read)
        let layout = TextLayoutManager(
            store: TextStore(read.text), container: TextContainer(width: 400), font: Self.base)
        #expect(layout.allLines.count >= 1 && layout.usageHeight.isFinite)
    }

    @Test func valuesOfTheProgramAreCheckedToo() {
        var attributes = TextAttributes(FontSizeAttribute.self, .nan)
        attributes[TrackingAttribute.self] = -.infinity
        attributes[FontFamilyAttribute.self] = ""
        attributes[FontFeaturesAttribute.self] = ["x": 1]
        attributes[LanguageAttribute.self] = "de DE"
        #expect(attributes == TextAttributes(TrackingAttribute.self, -100))
    }
}
