import InkstoneBase
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneLayout

/// Styles written by another program or a damaged file: nothing traps, and all values are usable.
@Suite(.timeLimit(.minutes(5))) struct OutsideStyleTests {
    private static func font(_ fields: String) -> TextAttributes? {
        FontTraits.attributes(ofFormer: Array(fields.utf8))
    }
    private static func style(_ fields: String) -> ParagraphStyle? {
        ParagraphStyleAttribute.decode(Array(fields.utf8))
    }

    /// Creates a layout that follows its store.
    private static func following(_ text: String) -> (TextLayoutManager, TextObservation) {
        let layout = makeLayout(text)
        return (layout, layout.store.observeTransactions { [unowned layout] in _ = layout.apply($0) })
    }

    @Test(arguments: [
        "x:charset=zz", "x:file=/dev/zero", "a\\", "-", ":", "%", "", "Noto Sans:matrix=9 9 9 9", "\u{0}x",
    ])
    func aFamilyFromOutsideIsAName(_ family: String) throws {
        let font = try #require(Self.font("family:\(family)\nsize:20"))
        let (layout, observation) = Self.following("one\ntwo")
        layout.store.restyle { $0.merge(font, in: 0..<7) }
        let resolved = layout.document.setting.styles.style(of: layout.store.styledText.runs?.id(at: 0) ?? .none)
        #expect(resolved.font?.isPattern == false && resolved.font?.size == 20)
        #expect(layout.allLines.count == 2 && layout.usageHeight > 20 && layout.usageHeight < 100)
        withExtendedLifetime(observation) {}
    }

    @Test func aPatternThatCannotBeParsedIsNoFont() {
        #expect(FontDescriptor(pattern: "x:charset=zz", size: 12) == nil)
        #expect(FontDescriptor(pattern: "DejaVu Sans\0:bold", size: 12) == nil)
        #expect(FontDescriptor(pattern: "DejaVu Sans:bold", size: 12)?.isPattern == true)
    }

    /// A font with a pattern is encoded with its family only.
    @Test func noPatternLeavesTheProcess() throws {
        let font = try #require(FontDescriptor(pattern: "Noto\\-Sans,Other:width=75", size: 12))
        #expect(TextAttributes(font) == TextAttributes(FontDescriptor(family: "Noto-Sans", size: 12)))
    }

    @Test(arguments: ["nan", "-nan", "inf", "-inf", "-3000", "-17", "1e308", "-1e-308", "0", "0x1p1023", "", "x"])
    func numbersFromOutsideAreFiniteAndInRange(_ number: String) throws {
        let names = [
            "multiple", "exactly", "at-least", "tab", "tab-interval", "first-indent", "indent", "after",
            "tail-indent", "before", "multiple-of-size",
        ]
        let style = try #require(Self.style(names.map { "\($0):\(number)" }.joined(separator: "\n")))
        let lengths =
            style.tabStops.map(\.position)
            + [style.firstLineIndent, style.indent, style.tailIndent, style.spacingBefore, style.spacingAfter]
        #expect(lengths.allSatisfy { (0...10_000).contains($0) } && (1...100).contains(style.tabInterval))
        #expect(style == style)
        let (layout, observation) = Self.following("one\ttwo\nthree\n\nfour")
        let font = try #require(Self.font("family:DejaVu Sans\nsize:14\nweight:\(number)\nspacing:\(number)"))
        layout.store.restyle {
            $0.set(style, of: ParagraphStyleAttribute.self, in: 0..<10)
            $0.merge(font, in: 0..<6)
        }
        #expect(layout.allLines.count >= 4 && layout.usageHeight >= 4 && layout.usageHeight < 1_000_000)
        let size = Self.font("family:a\nsize:\(number)")?[FontSizeAttribute.self]
        #expect(size.map { (1...1000).contains($0) } ?? true)
        withExtendedLifetime(observation) {}
    }

    @Test func styleOfTheProgramIsEqualToItselfAndHidesNothing() {
        var style = ParagraphStyle()
        (style.tabStops, style.indent, style.firstLineIndent) = ([TabStop(.nan), 10], .nan, .nan)
        style.lineHeight = .exactly(.nan)
        style.spacingAfter = -3000
        #expect(style == style && style.tabStops == [0, 10] && style.spacingAfter == 0)
        var font = FontDescriptor(family: "DejaVu Sans", size: .nan, weight: .nan, letterSpacing: .nan)
        font.weight = .infinity
        #expect(font == font && font.weight == 1000)
        let layout = makeLayout("one\ntwo\nthree", style: style)
        #expect(layout.allLines.count == 3 && layout.usageHeight == 3)
    }

    @Test func aMatrixDoesNotOverflowTheHeightOfLines() throws {
        precondition(TestFonts.ready)
        for matrix in ["1e9 0 0 1e9", "1 0 0 4", "nan nan nan nan", "0 0 0 0", "-1 0 0 -3"] {
            let layout = TextLayoutManager(
                store: TextStore(Rope(String(repeating: "a\n", count: 100))), container: TextContainer(width: 9000),
                font: try #require(FontDescriptor(pattern: "DejaVu Sans:matrix=\(matrix)", size: 4000)))
            _ = layout.allLines
            #expect((1...32_768).contains(layout.lineHeight) && layout.usageHeight <= 101 * 32_768)
        }
    }

    @Test func withoutAnyFontTheTextIsBoxes() {
        precondition(TestFonts.ready)
        let context = FontContext(settings: FontSettings())
        let face = context.emptyFace(size: 20)
        #expect(LineHeights(ParagraphStyle(), face, context).natural == 20 && !face.isPlain && face.spaceGlyph == 0)
        #expect(context.faces[face.slot] === face)
    }

    // MARK: Limits

    /// Zooming shows a text in many sizes, of which only the last is in use.
    @Test func sizesThatAreNotShownAnyMoreAreReleased() {
        let layout = makeLayout("one two 日本 שלום")
        for size in 6..<206 {
            layout.font = FontDescriptor(family: "DejaVu Sans", size: Double(size), language: "en")
            _ = layout.allLines
        }
        let live = layout.document.tools.context.liveCounts
        #expect(live.styles <= 64 && live.faces <= 400, "\(live)")
    }

    @Test func aPasteOfThousandsOfSizesIsBoundedAndGoes() {
        let count = 4000
        let (layout, observation) = Self.following(String(repeating: "ab ", count: count))
        layout.store.restyle {
            for i in 0..<count {
                let font = FontDescriptor(family: "DejaVu Sans", size: 5 + Double(i) / 100)
                $0.setFont(font, in: UTF16Offset(3 * i)..<UTF16Offset(3 * i + 2))
            }
        }
        _ = layout.allLines
        let context = layout.document.tools.context
        #expect(context.liveCounts.styles <= FontContext.styleLimit, "\(context.liveCounts)")
        layout.store.undo()
        layout.store.restyle {
            for i in 0..<200 {
                let font = FontDescriptor(family: "DejaVu Serif", size: 5 + Double(i))
                $0.setFont(font, in: UTF16Offset(3 * i)..<UTF16Offset(3 * i + 2))
            }
        }
        _ = layout.allLines
        layout.store.undo()
        _ = layout.allLines
        _ = layout.textLayoutFragments(in: DocumentRect(x: 0, y: 0, width: 100, height: 10))
        let live = context.liveCounts
        #expect(live.styles <= 64 && live.faces <= 64, "\(live)")
        withExtendedLifetime(observation) {}
    }

    /// Each size would sort all fonts for each script, and open a face.
    @Test func aPasteOfManySizesInManyScriptsIsBoundedAndGoes() {
        let words = ["ab", "שלום", "مرحبا", "नमस्ते", "สวัสดี", "გამარჯობა", "բարեւ", "ሰላም", "한국", "ひらがな", "தமிழ்", "Ελλ"]
        let text = words.joined(separator: " ") + " "
        let length = text.utf16.count
        let count = 120
        let (layout, observation) = Self.following(String(repeating: text, count: count))
        layout.store.restyle {
            for i in 0..<count {
                let font = FontDescriptor(family: "DejaVu Sans", size: 8 + Double(i) / 4)
                $0.setFont(font, in: UTF16Offset(length * i)..<UTF16Offset(length * (i + 1)))
            }
        }
        _ = layout.allLines
        let context = layout.document.tools.context
        let live = context.liveCounts
        #expect(live.foreign <= FontContext.foreignLimit + words.count, "\(live)")
        #expect(live.faces <= FontContext.faceLimit + 100, "\(live)")
        layout.store.undo()
        _ = layout.allLines
        context.releaseUnused()
        let left = context.liveCounts
        #expect(left.styles <= 64 && left.faces <= 300 && left.foreign <= 64, "\(left)")
        withExtendedLifetime(observation) {}
    }

    /// With more sizes of one font than may be open at once, the others are drawn in the nearest size.
    @Test func tooManyFacesOfAFontAreThoseOfTheNearestSize() throws {
        precondition(TestFonts.ready)
        let context = FontContext(settings: FontSettings())
        let first = try #require(
            FontCandidates(FontDescriptor(family: "DejaVu Sans", size: 10), language: "en", context)?.firstFace)
        let pattern = FontTable.pattern(for: first.id)
        func face(_ size: Double) -> FontFace? {
            context.face(pattern: pattern.replacing(":pixelsize=10", with: ":pixelsize=\(size)"))
        }
        for i in 0..<(FontContext.faceLimit + 50) { #expect(face(20 + Double(i)) != nil) }
        #expect(context.liveCounts.faces <= FontContext.faceLimit + 1)
        let last = 20 + Double(FontContext.faceLimit) - 2
        #expect(face(3000) === face(last) && face(21.4) === face(21) && face(21) !== face(22))
    }

    /// Cached lines keep the fonts of their glyphs open.
    @Test func glyphsThatAreKeptStayWhatTheyWere() {
        let (layout, observation) = Self.following("one 日本\ntwo")
        let font = FontDescriptor(family: "DejaVu Serif", size: 23)
        layout.store.restyle { $0.setFont(font, in: 0..<6) }
        func fonts() -> [String] { layout.allLines.flatMap(\.glyphs).map { FontTable.pattern(for: $0.font) } }
        let before = fonts()
        let context = layout.document.tools.context
        for size in 30..<300 { _ = context.stack(for: FontDescriptor(family: "DejaVu Sans", size: Double(size))) }
        context.releaseUnused()
        #expect(fonts() == before && !before.contains(""))
        withExtendedLifetime(observation) {}
    }

    // MARK: Anything

    private static let letters = Array("abc:,-\\%=\u{0}\u{1}\n\r\t;/ é日\u{301}\u{202e}")

    private static func word(_ random: inout SeededGenerator) -> String {
        String((0..<Int.random(in: 0...24, using: &random)).compactMap { _ in letters.randomElement(using: &random) })
    }

    private static func number(_ random: inout SeededGenerator) -> String {
        let odd = [
            "nan", "inf", "-inf", "1e308", "-1e308", "-0", "1e-320", "9223372036854775808", "-3000", "65536", "0.5",
            "12",
        ]
        return Bool.random(using: &random)
            ? odd.randomElement(using: &random) ?? "" : "\(Double(bitPattern: random.next()))"
    }

    private static func fields(_ random: inout SeededGenerator) -> [UInt8] {
        let names = [
            "family", "size", "weight", "slant", "language", "feature", "spacing", "direction", "alignment", "height",
            "multiple",
            "exactly", "at-least", "tab", "tab-interval", "first-indent", "indent", "after",
        ]
        let chosen =
            ["family", "size"]
            + (0..<Int.random(in: 0...8, using: &random)).compactMap { _ in
                names.randomElement(using: &random)
            }
        let lines = chosen.map { name in
            let isName = ["family", "language", "feature"].contains(name)
            return name + ":" + (isName || Int.random(in: 0..<8, using: &random) == 0 ? word(&random) : number(&random))
        }
        return Array(lines.joined(separator: "\n").utf8)
    }

    private static func put(_ number: Int, _ bytes: inout [UInt8]) {
        var rest = UInt64(number)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Returns the bytes of a ``StyledFragment`` with styles that Inkstone never writes.
    private static func hostileBytes(_ random: inout SeededGenerator, styles: Int) -> [UInt8] {
        let keys = [
            "inkstone.font", "inkstone.paragraph-style", "inkstone.foreground", "inkstone.underline", "nobody's",
        ]
        let traits = FontTraits.keys.map { $0.name } + ["inkstone.kern", "inkstone.baseline-offset"]
        var bytes = Array("inkstone styled text 1\n".utf8)
        put(styles, &bytes)
        for _ in 0..<styles {
            let chosen = keys.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))
            put(chosen.count, &bytes)
            for key in chosen {
                let trait = traits.randomElement(using: &random) ?? key
                let isTrait = Bool.random(using: &random)
                let (name, value) = isTrait ? (trait, Array(number(&random).utf8)) : (key, fields(&random))
                put(name.utf8.count, &bytes)
                bytes += name.utf8
                put(value.count, &bytes)
                bytes += value
            }
        }
        put(styles, &bytes)
        var text = ""
        for ordinal in 1...styles {
            let part = ["a", "ab\n", "日\t", "שלום", "x\r\n"].randomElement(using: &random) ?? "a"
            put(part.utf16.count, &bytes)
            put(ordinal, &bytes)
            text += part
        }
        return bytes + Array(text.utf8)
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func thousandsOfHostileStylesAreLaidOut(_ seed: UInt64) throws {
        TextStyle.registerKeys()
        var random = SeededGenerator(seed: seed)
        let (layout, observation) = Self.following("plain\nlines\n")
        var lines = 0
        for _ in 0..<5 {
            let bytes = Self.hostileBytes(&random, styles: 200)
            let fragment = try #require(StyledFragment(bytes: bytes))
            let (changes, restyling) = layout.store.styledText.replacing([(3..<3, fragment.text)])
            var paste = Transaction(on: layout.store, changes, origin: .paste)
            paste.restyling = restyling
            layout.store.apply(paste)
            lines = layout.allLines.count
            #expect(layout.usageHeight.isFinite && layout.usageHeight >= Double(lines), "seed \(seed)")
            #expect(layout.allLines.allSatisfy { $0.bottom > $0.top && $0.bottom.isFinite }, "seed \(seed)")
            // Encode the text, as for a journal or a copy.
            #expect(StyledFragment(bytes: StyledFragment(layout.store.styledText).bytes) != nil, "seed \(seed)")
            // Truncated or damaged bytes are decoded or rejected.
            var damaged = bytes.prefix(Int.random(in: 0...bytes.count, using: &random)).map { $0 }
            for _ in 0..<8 where !damaged.isEmpty {
                damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = StyledFragment(bytes: damaged)
        }
        while layout.store.canUndo { layout.store.undo() }
        _ = layout.allLines
        _ = layout.textLayoutFragments(in: DocumentRect(x: 0, y: 0, width: 100, height: 10))
        let live = layout.document.tools.context.liveCounts
        #expect(live.styles <= 64 && live.faces <= 200, "\(live) seed \(seed)")
        withExtendedLifetime(observation) {}
    }
}
