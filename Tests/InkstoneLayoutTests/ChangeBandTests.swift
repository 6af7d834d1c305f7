import InkstoneBase
import InkstoneLayout
import InkstoneText
import InkstoneTesting
import Testing

/// A painted glyph, and its line.
private struct Painted: Hashable {
    var font: FontID
    var glyph: UInt32
    var x: Int32
    var y: Double
    var top: Double

    func moved(by dy: Double) -> Self {
        var copy = self
        copy.y += dy
        copy.top += dy
        return copy
    }
}

private func painted(_ layout: TextLayoutManager) -> [Painted] {
    layout.allLines.flatMap { line in
        line.glyphs.map {
            Painted(font: $0.font, glyph: $0.glyph, x: $0.x, y: line.top + Double($0.y), top: line.top)
        }
    }
}

/// The band that an edit reports for repainting contains everything that looks different, and little more.
@Suite(.timeLimit(.minutes(5))) struct ChangeBandTests {
    /// Returns the glyphs outside of a band, at their positions after the edit.
    private func outside(_ glyphs: [Painted], _ band: DocumentRect, edge: Double, shift: Double) -> Set<Painted> {
        var found: Set<Painted> = []
        for glyph in glyphs {
            if glyph.top >= edge {
                found.insert(glyph.moved(by: shift))
            } else if glyph.top < band.minY || Double(glyph.x) < band.minX || Double(glyph.x) >= band.maxX {
                found.insert(glyph)
            }
        }
        return found
    }

    @Test(arguments: [90.0, 240.0, 2000.0], [true, false])
    func nothingOutsideTheBandChanges(_ width: Double, _ wraps: Bool) {
        let seed = UInt64(width) + (wraps ? 3 : 4)
        var random = SeededGenerator(seed: seed)
        let long = String(repeating: "many words in one paragraph ", count: 140)
        let layout = makeLayout(Samples.document + "\n" + long, width: width, wraps: wraps)
        var before = painted(layout)
        let inserts = ["x", " ", "\n", "שלום", "日本", "👍🏽", "", "two words", "a\nb\nc", "\t", "\u{301}", "i"]
        for step in 0..<30 {
            let length = layout.length.value
            let a = Int.random(in: 0...length, using: &random)
            let b = min(length, a + (step % 3 == 0 ? Int.random(in: 0...12, using: &random) : 0))
            let edit = layout.store.replace(
                UTF16Offset(a)..<UTF16Offset(b), with: inserts.randomElement(using: &random)!)
            let change = layout.apply(edit)
            let after = painted(layout)
            let edge = change.band.maxY
            let stayed = outside(
                before, change.band, edge: edge - max(0, change.heightDelta), shift: change.heightDelta)
            let there = outside(after, change.band, edge: edge + min(0, change.heightDelta), shift: 0)
            if stayed != there {
                let odd = stayed.symmetricDifference(there).min { ($0.top, $0.x) < ($1.top, $1.x) }!
                Issue.record("seed \(seed) step \(step) at \(a): \(change) misses \(odd)")
                break
            }
            before = after
        }
    }

    /// New space above a paragraph covers the area where text was.
    @Test func spaceThatComesAboveTheFirstLineIsInTheBand() throws {
        let layout = makeLayout("one\ntwo", width: 400)
        _ = layout.allLines
        var style = ParagraphStyle()
        style.spacingBefore = 9
        let head = StyledText(Rope("head"), TextAttributes(ParagraphStyleAttribute.self, style))
        let applied = try #require(layout.store.replace(0..<3 as Range<UTF16Offset>, with: head))
        let change = layout.apply(applied)
        #expect(layout.allLines.first?.top == 9)
        #expect(change.band.minY == 0 && change.band.maxY >= layout.lineHeight + 9)
    }

    @Test func aLetterChangesTheRestOfItsLine() {
        let layout = makeLayout("one two three\nfour five six\nseven", width: 400)
        _ = layout.allLines
        let caret = layout.geometry.caretRect(at: 19)
        let change = layout.apply(layout.store.replace(19..<19 as Range<UTF16Offset>, with: "x"))
        #expect(change.band.minY == layout.lineHeight && change.band.height == layout.lineHeight)
        #expect(change.band.minX > caret.minX - 2 * layout.lineHeight && change.band.minX < caret.minX)
        #expect(change.band.maxX < 150)
        #expect(change.heightDelta == 0)
    }

    @Test func aLetterInALineOfAMegabyteChangesFewLines() {
        let text = (0..<110_000).map { "word\($0 &* 7919 % 4093)" }.joined(separator: " ")
        let layout = makeLayout(text, width: 900)
        var at = UTF16Offset(layout.length.value / 2)
        layout.ensureLayout(around: ScrollAnchor(offset: at, distance: 0), above: 400, below: 800)
        var heights: [Double] = []
        for _ in 0..<60 {
            let change = layout.apply(layout.store.replace(at..<at, with: "x"))
            heights.append(change.band.height / layout.lineHeight)
            at += 1
        }
        #expect(heights.sorted()[30] == 1, "\(heights)")
        #expect(heights.count { $0 > 60 } <= 4, "\(heights)")
    }

    @Test func aLetterInAnUnwrappedLineChangesWhatIsRightOfIt() {
        let text = String(repeating: "many words in one paragraph ", count: 2000)
        let layout = makeLayout(text, width: 500, wraps: false)
        let at = UTF16Offset(20_000)
        let caret = layout.geometry.caretRect(at: at)
        let change = layout.apply(layout.store.replace(at..<at, with: "x"))
        #expect(change.band.minX > caret.minX - 2 * layout.lineHeight && change.band.minX <= caret.minX)
        #expect(change.band.maxX > caret.minX + 10_000)
        #expect(change.band.height == layout.lineHeight)
    }

    /// Replaces a letter in every line, as Replace All does.
    private func replaceInEveryLine(_ layout: TextLayoutManager, _ count: Int, length: Int) throws -> LayoutChange {
        var builder = TextChangeSet.Builder(over: layout.store.text)
        for line in 0..<count {
            let at = UTF16Offset(line * length)
            builder.replace(at..<(at + 1), with: "y")
        }
        return layout.apply(try #require(layout.store.apply(Transaction(on: layout.store, builder.finish()))))
    }

    @Test(arguments: [1000, 5000], [true, false])
    func changesInEveryLineAreInTheBand(_ count: Int, _ wraps: Bool) throws {
        let line = "x of the lines of a text\n"
        let layout = makeLayout(String(repeating: line, count: count), width: 400, wraps: wraps)
        layout.ensureLayout(around: ScrollAnchor(offset: 0, distance: 0), above: 0, below: 800)
        let atTop = try replaceInEveryLine(layout, count, length: line.utf16.count)
        #expect(atTop.band.minX <= 0 && atTop.band.minY == 0 && atTop.band.maxX >= 200 && atTop.band.maxY >= 800)

        // Start in the middle, with lines that are not laid out on both sides.
        let middle = ScrollAnchor(offset: UTF16Offset(count / 2 * line.utf16.count), distance: 0)
        layout.ensureLayout(around: middle, above: 400, below: 400)
        let y = layout.geometry.caretRect(at: middle.offset).minY
        let around = try replaceInEveryLine(layout, count, length: line.utf16.count)
        #expect(around.band.minY <= y - 400 && around.band.maxY >= y + 400)
    }
}
