import InkstoneBase
import InkstoneText
import InkstoneUnicode
import Testing

@testable import InkstoneLayout

/// A delegate that adds the same padding on all sides of a paragraph, or another at the ends of its lines.
private final class Padded: TextLayoutManagerDelegate {
    struct Fragment: CustomTextLayoutFragment {
        var room: Double
        var trailing: Double
        var topMargin: Double { room }
        var bottomMargin: Double { room }
        var leadingPadding: Double { room }
        var trailingPadding: Double { trailing }
    }

    let fragment: Fragment
    init(_ room: Double, trailing: Double? = nil) { fragment = Fragment(room: room, trailing: trailing ?? room) }

    func textLayoutManager(
        _: TextLayoutManager, textLayoutFragmentFor _: UTF16Offset, in _: any TextElement
    ) -> (any CustomTextLayoutFragment)? { fragment }
}

/// Extreme lengths, as from a host's failed arithmetic, are clamped, and nothing traps.
@Suite(.timeLimit(.minutes(5))) struct ClampTests {
    private static let lengths: [Double] = [
        .nan, -.nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1e10, -1e10, 0, -0.0,
        -5,
        .leastNonzeroMagnitude, 2_147_483_648,
    ]

    /// Queries everything that depends on positions and heights.
    private func examine(at layout: TextLayoutManager) {
        for line in layout.allLines {
            #expect(line.typographicBounds.height > 0 && line.baseline.isFinite)
            #expect(line.typographicBounds.width.isFinite && line.typographicBounds.minX.isFinite)
        }
        for offset in stride(from: 0, through: layout.length.value, by: layout.length.value > 100 ? 211 : 1) {
            let caret = layout.geometry.caretRect(at: UTF16Offset(offset))
            #expect(caret.minX.isFinite && caret.minY.isFinite)
            _ = layout.geometry.moveVertically(CaretPlace(UTF16Offset(offset)), lines: 1)
        }
        _ = layout.geometry.selectionRects(
            for: 0..<layout.length, within: DocumentRect(x: -1e9, y: 0, width: 2e9, height: 1e9))
        #expect(layout.usageHeight.isFinite)
        layout.apply(layout.store.replace(3..<4 as Range<UTF16Offset>, with: "\t字\n"))
        #expect(layout.geometry.caretRect(at: 5).minY.isFinite)
    }

    private static let text = "words that\twrap אבג\n日本語の文章 👍🏽\n\nlast"

    @Test(arguments: lengths, [true, false]) func containersOfAnyWidthAndPaddingAreLaidOut(
        _ length: Double, _ wraps: Bool
    ) {
        let mode: TextContainer.LineBreakMode = wraps ? .byWordWrapping : .byClipping
        for container in [
            TextContainer(width: length, lineBreakMode: mode),
            TextContainer(width: 300, lineFragmentPadding: length, lineBreakMode: mode),
        ] {
            let layout = makeLayout(Self.text)
            layout.container = container
            #expect((0...1_000_000).contains(layout.container.width))
            examine(at: layout)
        }
        var changed = TextContainer(width: 300)
        changed.width = length
        changed.lineFragmentPadding = length
        #expect(changed == TextContainer(width: length, lineFragmentPadding: length), "no number is unequal to itself")
    }

    @Test(arguments: lengths) func pathsAnywhereAreGoneRoundOrPassedBy(_ length: Double) {
        for path in [
            ExclusionPath(DocumentRect(x: length, y: 0, width: 50, height: 50)),
            ExclusionPath(DocumentRect(x: 100, y: 5, width: length, height: 30)),
            ExclusionPath(DocumentRect(x: 100, y: length, width: 50, height: 30)),
            ExclusionPath(DocumentRect(x: 100, y: -10, width: 50, height: length)),
            ExclusionPath(ellipseIn: DocumentRect(x: 10, y: 10, width: length, height: length)),
        ] {
            let layout = makeLayout(Self.text)
            layout.container.exclusionPaths = [path]
            for line in layout.allLines { #expect(line.typographicBounds.minX.isFinite, "\(path)") }
            #expect(layout.geometry.caretRect(at: layout.length).minX.isFinite)
        }
    }

    @Test(arguments: lengths) func stylesOfAnyLengthAreLaidOut(_ length: Double) {
        var styles: [ParagraphStyle] = []
        func add(_ change: (inout ParagraphStyle) -> Void) {
            var style = ParagraphStyle()
            change(&style)
            styles.append(style)
        }
        add { $0.indent = length }
        add { $0.firstLineIndent = length }
        add { $0.spacingAfter = length }
        add { $0.tabStops = [TabStop(length, alignment: .trailing), 40] }
        add { $0.tailIndent = length }
        add { $0.spacingBefore = length }
        add { $0.lineHeight = .multipleOfSize(length) }
        add { $0.lineHeight = .exactly(length) }
        add { $0.lineHeight = .atLeast(length) }
        add { $0.lineHeight = .multiple(length) }
        add { $0.tabInterval = length.isFinite && abs(length) < 1e18 ? Int(length) : length > 0 ? .max : .min }
        for style in styles {
            for wraps in [true, false] { examine(at: makeLayout(Self.text, width: 200, wraps: wraps, style: style)) }
        }
        // The total height of one paragraph's lines is within the range of numbers.
        var high = ParagraphStyle()
        high.lineHeight = .exactly(length)
        #expect(makeLayout(String(repeating: "word ", count: 2000), width: 1, style: high).usageHeight.isFinite)
    }

    @Test(arguments: lengths) func fontsOfAnySizeAndSpacingAreLaidOut(_ length: Double) {
        precondition(TestFonts.ready)
        for font in [
            FontDescriptor(family: "DejaVu Sans", size: length),
            FontDescriptor(family: "DejaVu Sans", size: 16, letterSpacing: length),
        ] {
            #expect((1...4000).contains(font.size))
            for wraps in [true, false] {
                examine(
                    at: TextLayoutManager(
                        store: TextStore(Rope(Self.text + String(repeating: "W", count: 2500))),
                        container: TextContainer(width: 300, lineBreakMode: wraps ? .byWordWrapping : .byClipping),
                        font: font))
            }
        }
    }

    @Test(arguments: lengths, [true, false]) func pointsAnywhereHaveANearestPosition(_ length: Double, _ wraps: Bool) {
        let layout = makeLayout(Self.text, wraps: wraps)
        for point in [
            DocumentPoint(x: length, y: 5), DocumentPoint(x: 5, y: length), DocumentPoint(x: length, y: length),
        ] {
            let hit = layout.geometry.location(closestTo: point).offset
            #expect((0...layout.length).contains(hit))
            _ = layout.geometry.characterRange(at: point)
            _ = layout.textLayoutFragment(for: point)
        }
        let band = DocumentRect(x: length, y: length, width: 100, height: 100)
        _ = layout.textLayoutFragments(in: band)
        #expect(layout.geometry.selectionRects(for: 0..<5, within: band).count <= 1)
        _ = layout.geometry.y(of: layout.geometry.scrollAnchor(atY: length))
    }

    @Test func infinitelyFarRightOrLeftIsTheLinesEdge() {
        let layout = makeLayout("abc\nשלום\nxyz")
        func hit(_ x: Double, _ y: Double) -> Int {
            layout.geometry.location(closestTo: DocumentPoint(x: x, y: y)).offset.value
        }
        #expect(hit(.infinity, 5) == 3 && hit(-.infinity, 5) == 0)
        #expect(hit(.infinity, 25) == 4 && hit(-.infinity, 25) == 8)
        #expect(hit(.infinity, .infinity) == 12 && hit(-.infinity, -.infinity) == 0)
    }

    /// Thousands of the widest glyphs in the largest font with spacing: positions and distances still fit 32 bits
    /// of 1/64 pixel.
    @Test(arguments: ["W", "⸻", "﷽", "\t", "\t⸻", "👍🏽", "\u{378}", "א\t"], [0.0, 1000])
    func linesOfTheLargestLettersAreLaidOut(_ cluster: String, _ spacing: Double) throws {
        precondition(TestFonts.ready)
        let count = 3072 / cluster.utf16.count
        let text = String(repeating: cluster, count: count) + "\nabc"
        let layout = TextLayoutManager(
            store: TextStore(Rope(text)),
            container: TextContainer(width: 300, lineFragmentPadding: 1e9, lineBreakMode: .byClipping),
            font: FontDescriptor(family: "DejaVu Sans", size: 4000, letterSpacing: spacing))
        let line = try #require(layout.allLines.first)
        #expect(line.utf16Range == 0..<UTF16Offset(count * cluster.utf16.count + 1))
        let padding = layout.container.lineFragmentPadding
        let sign = layout.geometry.isParagraphRightToLeft(at: 0) ? -1.0 : 1
        var last = -Double.infinity
        for n in stride(from: 0, through: count, by: 64) {
            let place = UTF16Offset(n * cluster.utf16.count)
            let x = layout.geometry.caretRect(at: place).minX
            #expect(sign * x > last, "\(n)")
            last = sign * x
            // Hit-test at the caret, and at extreme points.
            #expect(layout.geometry.location(closestTo: DocumentPoint(x: x, y: 5)).offset == place)
        }
        let ends = [UTF16Offset(0), UTF16Offset(count * cluster.utf16.count)]
        let (left, right) = sign > 0 ? (ends[0], ends[1]) : (ends[1], ends[0])
        for far in [1e7, 1e9, .infinity] {
            #expect(layout.geometry.location(closestTo: DocumentPoint(x: -far, y: 5)).offset == left)
            #expect(layout.geometry.location(closestTo: DocumentPoint(x: padding + 2 * far, y: 5)).offset == right)
        }
        let rects = layout.geometry.selectionRects(
            for: 0..<ends[1], within: DocumentRect(x: -1e9, y: 0, width: 2e9, height: 1e9))
        #expect(
            rects.reduce(0) { $0 + $1.rect.width }
                == abs(layout.geometry.caretRect(at: ends[1]).minX - layout.geometry.caretRect(at: 0).minX))
        // The width is at most that of text laid out in segments.
        #expect(layout.usageBoundsForTextContainer.width <= padding + 2e7)
    }

    /// Returns the positions of everything in a layout.
    private func places(_ layout: TextLayoutManager) -> [DocumentRect] {
        layout.allLines.map(\.typographicBounds)
            + (0...layout.length.value).map { layout.geometry.caretRect(at: UTF16Offset($0)) }
    }

    @Test(arguments: lengths) func invalidAndNegativeLengthsCountAsZero(_ length: Double) {
        let room = TextContainer(width: 10, lineFragmentPadding: length).room
        #expect(room.width ?? 0 >= 1 && room.alignmentWidth >= 1 && room.x >= 0)
        let plain = places(makeLayout(Self.text, width: 200))
        if length.isNaN {
            var styles = [ParagraphStyle](repeating: ParagraphStyle(), count: 4)
            styles[0].indent = length
            styles[1].firstLineIndent = length
            styles[2].spacingAfter = length
            styles[3].lineHeight = .atLeast(length)
            for style in styles { #expect(places(makeLayout(Self.text, width: 200, style: style)) == plain) }
        }
        let padded = Padded(length)
        let layout = makeLayout(Self.text, width: 200)
        layout.delegate = padded
        examine(at: layout)
        let bands = makeLayout(Self.text, width: 200)
        bands.delegate = padded
        bands.container.exclusionPaths = [ExclusionPath(DocumentRect(x: 50, y: 5, width: 20, height: 30))]
        examine(at: bands)
        if !(length >= 1) {
            layout.delegate = nil
            let (one, other) = (Padded(length, trailing: 70), Padded(0, trailing: 70))
            let (same, none) = (makeLayout(Self.text, width: 200), makeLayout(Self.text, width: 200))
            (same.delegate, none.delegate) = (one, other)
            #expect(places(same) == places(none))
            none.delegate = padded
            none.invalidateLayout(for: 0..<none.length)
            #expect(places(none) == plain)
        }
    }

    @Test(arguments: lengths) func carvedRoomStaysWithinTheContainer(_ length: Double) {
        let plain = places(makeLayout(Self.text, width: 200))
        // NaN encloses nothing; an infinite shape leaves the room before it.
        let layout = makeLayout(Self.text, width: 200)
        layout.container.exclusionPaths = [ExclusionPath(DocumentRect(x: 100, y: -10, width: length, height: length))]
        if length.isNaN {
            layout.container.exclusionPaths = [ExclusionPath(DocumentRect(x: 100, y: 5, width: length, height: 30))]
            #expect(places(layout) == plain)
        } else if length >= 1e9 {
            for line in layout.allLines where !line.utf16Range.isEmpty {
                #expect(line.typographicBounds.maxX <= 100 + layout.columnWidth, "\(line.typographicBounds)")
            }
        }
        var style = ParagraphStyle()
        style.baseDirection = .rightToLeft
        style.indent = length
        style.firstLineIndent = length
        let indented = makeLayout("\nאב ab\n", width: 200, style: style)
        for offset in 0...7 { #expect(indented.geometry.caretRect(at: UTF16Offset(offset)).minX >= 0) }
    }

    @Test func lettersAreSpacedSoFarAndNoFarther() {
        func step(_ spacing: Double, size: Double = 16) -> Double {
            precondition(TestFonts.ready)
            let layout = TextLayoutManager(
                store: TextStore(Rope("WWW")), container: TextContainer(width: 9000, lineBreakMode: .byClipping),
                font: FontDescriptor(family: "DejaVu Sans", size: size, letterSpacing: spacing))
            #expect(layout.columnWidth >= 1)
            return layout.geometry.caretRect(at: 2).minX - layout.geometry.caretRect(at: 1).minX
        }
        #expect(step(.nan) == step(0) && step(1000) == step(0) + 1000)
        #expect(step(1e10) == step(1000) && step(.infinity) == step(1000))
        // Negative spacing may put letters on each other, but never moves them backwards.
        #expect(step(-5) == step(0) - 5 && step(-1000) == 0 && step(-.infinity) == 0)
        #expect(step(0, size: .nan) == step(0, size: 1) && step(0, size: 1e9) == step(0, size: 4000))
    }

    /// A font may move the pen backwards as far as forwards; either way, all distances on a line fit 32 bits.
    @Test(arguments: [1, -1], [1, 600, 40_000]) func glyphsThatGoFarAreNarrowed(_ sign: Int32, _ count: Int) {
        var buffer = GlyphBuffer()
        defer { buffer.deallocate() }
        for i in 0..<count { buffer.append(1, cluster: i, advance: sign * 32_768 * 64) }
        buffer.keepNarrow()
        #expect(buffer.extent > 0 && buffer.extent <= 1 << 29)
    }

    /// A font may make any number of glyphs for a word; such words are not cached.
    @Test func wordsOfVeryManyGlyphsAreNotKept() {
        let cache = WordCache()
        var buffer = GlyphBuffer()
        defer { buffer.deallocate() }
        for _ in 0...WordCache.mostGlyphs { buffer.append(1, cluster: 0, advance: 64) }
        func isKept(_ word: [UInt16], glyphs: Int) -> Bool {
            word.withUnsafeBufferPointer {
                cache.insert($0, style: 2, glyphs: buffer.part(from: 0, count: glyphs), base: 0)
                return cache.contains($0, style: 2)
            }
        }
        #expect(isKept([0x61], glyphs: WordCache.mostGlyphs) && !isKept([0x62], glyphs: WordCache.mostGlyphs + 1))
    }

    /// Xft stores advances in 16 bits. The widest letter of the installed fonts is 7 em wide, and a pattern may
    /// stretch it.
    @Test func theWidestLetterIsNotNegative() throws {
        precondition(TestFonts.ready)
        func advance(_ size: Double) throws -> Double {
            let layout = TextLayoutManager(
                store: TextStore(Rope("\u{fdfd}")), container: TextContainer(width: 1_000_000),
                font: try #require(FontDescriptor(pattern: "Noto Sans Arabic:matrix=2 0 0 1", size: size)))
            return abs(layout.geometry.caretRect(at: 1).minX - layout.geometry.caretRect(at: 0).minX)
        }
        #expect(try advance(400) > 5000 && advance(4000) == 32767)
    }

    @Test(arguments: lengths) func pointsOfALongLineHaveANearestPositionToo(_ length: Double) {
        for text in [String(repeating: "word ", count: 1000), String(repeating: "שלום ", count: 1000)] {
            let layout = makeLayout(text, wraps: false)
            let rtl = text.hasPrefix("ש")
            let hit = layout.geometry.location(closestTo: DocumentPoint(x: length, y: length)).offset
            #expect((0...layout.length).contains(hit))
            if length > 1e9 || length < -1e9 { #expect((hit == 0) == ((length < 0) != rtl)) }
            _ = layout.textLayoutFragments(in: DocumentRect(x: length, y: 0, width: 100, height: 100))
        }
    }
}
