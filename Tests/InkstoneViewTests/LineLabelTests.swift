import InkstoneBase
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// Painting of labels, and the part to repaint when a label's text changes.
@Suite(.timeLimit(.minutes(5))) struct LineLabelTests {
    private let view = EditorView(
        store: TextStore(), font: FontDescriptor(family: "DejaVu Sans Mono", size: 14), clock: { 0 })

    private func label(_ text: String, width: Double? = nil) -> LineLabel {
        var label = LineLabel(font: FontDescriptor(family: "DejaVu Sans", size: 12), sharing: view)
        label.text = text
        label.width = width
        return label
    }

    private func glyphs(_ label: LineLabel, within span: Range<Double>? = nil) -> Set<CanvasGlyph> {
        let canvas = RecordingCanvas(size: Size(width: 2000, height: 200))
        label.paint(on: canvas, at: WindowPoint(x: 0, y: 0), color: .white, within: span)
        return Set(canvas.glyphs)
    }

    /// A custom field asks its label for caret positions.
    @Test func aLabelWithoutAViewSaysWhereItsCaretsAre() {
        var label = LineLabel(font: FontDescriptor(family: "DejaVu Sans Mono", size: 14))
        #expect(label.caretX(at: 0) == 0 && label.offset(closestTo: 50) == 0 && label.size.height > 0)
        label.text = "ab日本cd"
        let stops = (0...6).map { label.caretX(at: UTF16Offset($0)) }
        #expect(stops[0] == 0 && zip(stops, stops.dropFirst()).allSatisfy { $0 < $1 })
        #expect(stops[6] == label.size.width && label.caretX(at: 99) == stops[6])
        for (offset, x) in stops.enumerated() {
            #expect(label.offset(closestTo: x) == UTF16Offset(offset))
            #expect(label.offset(closestTo: x + 1) == UTF16Offset(offset))
        }
        #expect(label.spans(of: 1..<3) == [stops[1]..<stops[3]])
        #expect(label.spans(of: 2..<2).isEmpty)
        label.text = "ab אב"
        #expect(label.spans(of: 2..<4).count == 2, "the letter is on the far side")
        let canvas = RecordingCanvas(size: Size(width: 200, height: 40))
        label.paint(on: canvas, at: WindowPoint(x: 0, y: 0), color: .black)
        #expect(canvas.glyphs.count == 4)
    }

    @Test func newlinesShowAsSpaces() {
        #expect(glyphs(label("a\nb\u{2028}c\r\nd")) == glyphs(label("a b c d")))
    }

    @Test func aNarrowLabelIsWrapped() {
        let wide = label("several words that are long")
        let narrow = label("several words that are long", width: 60)
        #expect(narrow.size.width == 60 && narrow.size.height >= 3 * wide.size.height)
        #expect(glyphs(narrow).count == glyphs(wide).count)
    }

    @Test func anotherColumnChangesOneWord() throws {
        let old = label("notes.txt    Line 12, Column 17    UTF-8")
        let new = label("notes.txt    Line 12, Column 18    UTF-8")
        let span = try #require(new.changes(from: old))
        #expect(span.upperBound - span.lowerBound < 40, "\(span)")
        let changed = glyphs(new).subtracting(glyphs(old))
        #expect(changed.count == 1 && changed.allSatisfy { span.contains(Double($0.x)) }, "\(span), \(changed)")
        #expect(new.changes(from: new) == nil)
        #expect(new.changes(from: label(new.text)) == nil)
    }

    /// The pixels outside of the reported change are already correct.
    @Test func pixelsOutsideALabelsChangeStay() throws {
        let words = ["a", "one", "two", "jay", "fi", "WAVE", "12", "7", "אב", "漢字", "\u{378}", "", "e\u{301}"]
        var generator = SeededGenerator(seed: SeededGenerator.newSeed)
        for _ in 0..<400 {
            var list = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
                words.randomElement(using: &generator) ?? ""
            }
            let old = label(list.joined(separator: " "))
            for _ in 0..<Int.random(in: 1...2, using: &generator) {
                let at = Int.random(in: 0...list.count, using: &generator)
                let word = words.randomElement(using: &generator) ?? ""
                if at < list.count, Bool.random(using: &generator) {
                    list[at] = word
                } else {
                    list.insert(word, at: at)
                }
            }
            let new = label(list.joined(separator: " "))
            let span = new.changes(from: old) ?? 0..<0
            let (before, after) = (glyphs(old), glyphs(new))
            let changed = before.symmetricDifference(after)
            #expect(
                changed.allSatisfy { span.contains(Double($0.x)) },
                "seed \(generator.seed): “\(old.text)” → “\(new.text)”: \(span), \(changed.map(\.x).sorted())")
            #expect(span.isEmpty || after.intersection(changed).isSubset(of: glyphs(new, within: span)))
        }
    }
}
