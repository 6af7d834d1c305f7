import InkstoneBase
import InkstoneLayout
import InkstoneText
import Testing

private final class Folding: TextContentStorageDelegate {
    var hidden: Set<Int> = []
    var displayed: (TextParagraph) -> TextParagraph? = { _ in nil }

    func textContentManager(_: any TextContentManager, shouldEnumerate element: any TextElement) -> Bool {
        !hidden.contains((element as? TextParagraph)?.index.value ?? -1)
    }

    func textContentStorage(_: TextContentStorage, textParagraphWith paragraph: TextParagraph) -> TextParagraph? {
        displayed(paragraph)
    }
}

extension TextLayoutManager {
    /// The delegate of the layout's content storage.
    fileprivate var contentDelegate: (any TextContentStorageDelegate)? {
        get { (textContentManager as? TextContentStorage)?.delegate }
        set { (textContentManager as? TextContentStorage)?.delegate = newValue }
    }
}

/// A delegate that lays out inner paragraphs as quotations: indented, with a bar beside them.
private final class Quoting: TextLayoutManagerDelegate {
    var asked: [Int] = []

    struct Quotation: CustomTextLayoutFragment {
        var topMargin: Double { 5 }
        var bottomMargin: Double { 7 }
        var leadingPadding: Double { 30 }
        var trailingPadding: Double { 10 }

        private func bar(_ fragment: TextLayoutFragment) -> DocumentRect {
            let frame = fragment.layoutFragmentFrame
            return DocumentRect(x: -4, y: frame.minY, width: 3, height: frame.height)
        }

        func renderingSurfaceBounds(of fragment: TextLayoutFragment) -> DocumentRect { bar(fragment) }

        func draw(_ fragment: TextLayoutFragment, at origin: WindowPoint, on canvas: any Canvas) {
            let bar = bar(fragment)
            canvas.fill(
                WindowRect(x: bar.minX + origin.x, y: bar.minY + origin.y, width: bar.width, height: bar.height), .black
            )
        }
    }

    func textLayoutManager(
        _: TextLayoutManager, textLayoutFragmentFor location: UTF16Offset, in textElement: any TextElement
    ) -> (any CustomTextLayoutFragment)? {
        asked.append(location.value)
        let index = (textElement as? TextParagraph)?.index.value ?? 0
        return index == 1 || index == 2 ? Quotation() : nil
    }
}

/// A canvas that records only fills.
private final class Strokes: Canvas {
    var filled: [WindowRect] = []
    let size = Size(width: 400, height: 400)
    func setClip(_: [WindowRect]?) {}
    var limit: WindowRect? { nil }
    func setLimit(_: WindowRect?) {}
    func fill(_ rect: WindowRect, _: Color) { filled.append(rect) }
    func draw(_: [CanvasGlyph], _: Color) {}
    func draw(_: CanvasImage, in _: WindowRect) {}
    func copy(_: WindowRect, to _: WindowPoint) {}
}

/// A document that consists of nodes instead of one text.
private final class Outline: TextContentManager {
    struct Node: TextElement {
        var number: Int
        var elementRange: Range<UTF16Offset>
    }

    var nodes: [(text: String, isTitle: Bool)]
    var folded: Set<Int> = []

    init(_ nodes: [(text: String, isTitle: Bool)]) { self.nodes = nodes }

    private func length(_ i: Int) -> Int { nodes[i].text.utf16.count + (i + 1 < nodes.count ? 1 : 0) }

    func range(of numbers: Range<Int>) -> Range<UTF16Offset> {
        let start = (0..<numbers.lowerBound).reduce(0) { $0 + length($1) }
        return UTF16Offset(start)..<UTF16Offset(numbers.reduce(start) { $0 + length($1) })
    }

    var documentRange: Range<UTF16Offset> { range(of: nodes.indices) }

    func enumerateTextElements(from location: UTF16Offset, _ body: (any TextElement) -> Bool) {
        for i in nodes.indices {
            let range = range(of: i..<(i + 1))
            if range.upperBound <= location, i + 1 < nodes.count { continue }
            if !body(Node(number: i, elementRange: range)) { return }
        }
    }

    func text(of element: any TextElement) -> String {
        guard let node = element as? Node else { return "" }
        return nodes[node.number].text + (node.number + 1 < nodes.count ? "\n" : "")
    }

    func textParagraph(_ paragraph: TextParagraph) -> TextParagraph? {
        var shown = paragraph
        var node = 0
        enumerateTextElements(from: paragraph.elementRange.lowerBound) {
            node = ($0 as? Node)?.number ?? 0
            return false
        }
        if folded.contains(node) { return nil }
        if nodes[node].isTitle { shown.font = FontDescriptor(family: "DejaVu Sans", size: 32) }
        return shown
    }
}

@Suite(.timeLimit(.minutes(5))) struct HookTests {
    @Test func hiddenParagraphsTakeNoRoomAndNoCaret() {
        let layout = makeLayout("one\ntwo\nthree")
        let folding = Folding()
        folding.hidden = [1]
        layout.contentDelegate = folding
        // Text above has an estimated height until it is laid out.
        _ = layout.allLines
        #expect(layout.geometry.caretRect(at: 8).minY == layout.lineHeight)
        #expect(layout.geometry.moveLogically(CaretPlace(3), forward: true).offset == 8)
        #expect(layout.geometry.moveLogically(CaretPlace(8), forward: false).offset == 3)
        #expect(layout.geometry.moveVertically(CaretPlace(0), lines: 1).offset == 8)
        #expect(layout.geometry.moveVisually(CaretPlace(3), toRight: true).offset == 8)
        // An offset in a hidden paragraph is between the lines around it.
        #expect(layout.geometry.caretRect(at: 5) == DocumentRect(x: 0, y: layout.lineHeight, width: 1, height: 0))
        folding.hidden = []
        layout.invalidateLayout(for: 4..<5)
        #expect(layout.geometry.caretRect(at: 8).minY == 2 * layout.lineHeight)
    }

    @Test func paragraphsMayHaveFontsAndStylesOfTheirOwn() {
        let layout = makeLayout("one\ntwo\nthree")
        let delegate = Folding()
        delegate.displayed = { paragraph in
            var copy = paragraph
            if paragraph.index == 1 { copy.font = FontDescriptor(family: "DejaVu Sans", size: 32) }
            if paragraph.index == 2 {
                var style = ParagraphStyle()
                style.alignment = .right
                copy.paragraphStyle = style
            }
            return copy
        }
        layout.contentDelegate = delegate
        #expect(layout.geometry.caretRect(at: 5).height > 1.8 * layout.geometry.caretRect(at: 1).height)
        #expect(layout.geometry.caretRect(at: layout.length).minX == 400)
        #expect(layout.store.text.string(in: layout.store.text.byteRange) == "one\ntwo\nthree")
    }

    @Test func aParagraphMayShowOtherTextOfTheSameLength() {
        let layout = makeLayout("pässword\nnext")
        let delegate = Folding()
        delegate.displayed = { paragraph in
            var copy = paragraph
            if paragraph.index == 0 {
                copy.displayText = String(repeating: "•", count: paragraph.paragraphContentRange.count)
            }
            return copy
        }
        layout.contentDelegate = delegate
        let bullets = makeLayout("••••••••\nnext")
        #expect(layout.allLines[0].glyphs.map(\.glyph) == bullets.allLines[0].glyphs.map(\.glyph))
        #expect(
            (0...8).allSatisfy {
                layout.geometry.caretRect(at: UTF16Offset($0)) == bullets.geometry.caretRect(at: UTF16Offset($0))
            })
        #expect(layout.store.text.string(in: 0..<8 as Range<UTF16Offset>) == "pässword")
        #expect(!layout.store.canUndo)
        // If the replacement has another length or contains a newline, the original text is shown.
        delegate.displayed = { paragraph in
            var copy = paragraph
            copy.displayText = "a\nb"
            return copy
        }
        layout.invalidateLayout(for: 0..<13)
        #expect(layout.allLines.map(\.utf16Range) == [0..<9, 9..<13])
    }

    @Test func twoFontsInOneParagraphMeetWhereTheyShould() {
        let text = "plain LARGE plain עברית"
        let layout = makeLayout(text, width: 900)
        let delegate = Folding()
        let large = FontDescriptor(family: "DejaVu Sans Mono", size: 24)
        delegate.displayed = { paragraph in
            var copy = paragraph
            copy.fontRuns = [TextParagraph.FontRun(range: 6..<11, font: large), .init(range: 18..<20, font: large)]
            return copy
        }
        layout.contentDelegate = delegate
        let plain = makeLayout(text, width: 900)
        let mono = makeLayout("LARGE", width: 900, family: "DejaVu Sans Mono", size: 24)
        let start = plain.geometry.caretRect(at: 6).minX
        for i in 0...5 {
            #expect(
                layout.geometry.caretRect(at: UTF16Offset(6 + i), affinity: i == 5 ? .upstream : .downstream).minX
                    == start + mono.geometry.caretRect(at: UTF16Offset(i)).minX)
        }
        #expect(
            layout.geometry.caretRect(at: 12).minX - layout.geometry.caretRect(at: 11).minX
                == plain.geometry.caretRect(at: 12).minX - plain.geometry.caretRect(at: 11).minX)
        // The larger Hebrew text needs a third font, since the fixed-pitch one lacks Hebrew.
        #expect(Set(layout.allLines[0].glyphs.map(\.font)).count == 3)
        // Selection rectangles are merged across fonts on one bidi level.
        let rects = layout.geometry.selectionRects(
            for: 0..<17, within: DocumentRect(x: 0, y: 0, width: 900, height: 99))
        #expect(rects.count == 1)
        // The line has its paragraph's font height unless growing lines are enabled.
        #expect(layout.allLines[0].typographicBounds.height == layout.lineHeight)
        layout.paragraphStyle.lineHeight = .growing
        #expect(layout.allLines[0].typographicBounds.height > layout.lineHeight)
    }

    @Test func caretsPassByHiddenTextWhicheverWayTheyGo() {
        let layout = makeLayout("one\ntwo hidden words\nthree\nlast hidden")
        let folding = Folding()
        folding.hidden = [1, 3]
        layout.contentDelegate = folding
        _ = layout.allLines
        let moves = TextGeometry(layout)
        func go(_ from: Int, _ direction: TextDirection, _ to: Selection.Destination) -> Int {
            moves.place(from: CaretPlace(UTF16Offset(from)), direction, to).offset.value
        }
        #expect(go(3, .forward, .character) == 21 && go(21, .backward, .character) == 3)
        #expect(go(3, .right, .character) == 21 && go(21, .left, .character) == 3)
        #expect(go(1, .down, .character) == 22 && go(22, .up, .character) == 1)
        #expect(go(3, .forward, .word) == 26 && go(21, .backward, .word) == 0)
        #expect(go(26, .forward, .character) == 26)
        #expect(layout.geometry.location(closestTo: DocumentPoint(x: 0, y: 500)).offset == 21)
        #expect(layout.usageHeight == 2 * layout.lineHeight)
        // Hidden text has no selection rectangles; the text around it has.
        let rects = layout.geometry.selectionRects(
            for: 0..<24, within: DocumentRect(x: 0, y: 0, width: 400, height: 99))
        #expect(rects.map(\.rect.minY) == [0, layout.lineHeight])
        var seen: [Int] = []
        layout.enumerateTextLayoutFragments(from: nil) {
            seen.append($0.paragraph.value)
            return true
        }
        #expect(seen == [0, 2])
        var elements: [UTF16Offset] = []
        layout.textContentManager.enumerateTextElements(from: 0) {
            elements.append($0.elementRange.lowerBound)
            return true
        }
        #expect(elements == [0, 21])
        // Edits beside and inside of the hidden paragraph leave it hidden.
        layout.apply(layout.store.replace(6..<6 as Range<UTF16Offset>, with: "xx"))
        #expect(layout.usageHeight == 2 * layout.lineHeight)
        #expect(go(3, .forward, .character) == 23)
    }

    @Test func customFragmentsTakeRoomAndPaint() throws {
        let layout = makeLayout("one\nquoted words that wrap over a line\nאבג\nend", width: 200)
        let quoting = Quoting()
        layout.delegate = quoting
        _ = layout.allLines
        let plain = makeLayout("one\nquoted words that wrap over a line\nאבג\nend", width: 200)
        _ = plain.allLines
        let line = layout.lineHeight
        let quoted = layout.textLayoutFragment(for: UTF16Offset(4))
        #expect(quoted.layoutFragmentFrame.minY == line)
        #expect(quoted.layoutFragmentFrame.height == Double(quoted.textLineFragments.count) * line + 5 + 7)
        #expect(quoted.textLineFragments[0].top == line + 5)
        #expect(quoted.textLineFragments.allSatisfy { $0.typographicBounds.minX == 30 })
        #expect(layout.geometry.caretRect(at: 4).minX == 30 && layout.geometry.caretRect(at: 4).minY == line + 5)
        #expect(quoted.textLineFragments.allSatisfy { $0.glyphs.allSatisfy { $0.x < 190 } })
        let hebrew = layout.textLayoutFragment(for: layout.length - 5)
        #expect(hebrew.textLineFragments[0].typographicBounds.maxX == 170)
        #expect(quoted.renderingSurfaceBounds.minX == -4)
        let custom = try #require(quoted.custom)
        let canvas = Strokes()
        custom.draw(quoted, at: WindowPoint(x: 10, y: 20), on: canvas)
        #expect(canvas.filled == [WindowRect(x: 6, y: 20 + line, width: 3, height: quoted.layoutFragmentFrame.height)])
        #expect(layout.textLayoutFragment(for: UTF16Offset(0)).custom == nil)
        #expect(quoting.asked.count == 4, "\(quoting.asked)")
        // An edit asks the delegate again only for the fragments that it lays out.
        quoting.asked = []
        layout.apply(layout.store.replace(5..<5 as Range<UTF16Offset>, with: "x"))
        #expect(quoting.asked == [4])
        #expect(layout.textLayoutFragment(for: UTF16Offset(4)).layoutFragmentFrame.minY == line)
    }

    /// Returns a layout's answers to all geometry queries.
    private static func readAll(_ layout: TextLayoutManager) -> [DocumentRect] {
        let all = DocumentRect(x: 0, y: 0, width: 1e6, height: 1e6)
        let lines = layout.textLayoutFragments(in: all).flatMap { fragment in
            fragment.textLineFragments.map(\.typographicBounds)
        }
        _ = layout.geometry.location(closestTo: DocumentPoint(x: 30, y: layout.usageHeight - 1))
        _ = layout.geometry.moveVertically(CaretPlace(0), lines: 2)
        layout.enumerateTextLayoutFragments(from: layout.length, options: .reverse) { _ in true }
        return lines + (0...layout.length.value).map { layout.geometry.caretRect(at: UTF16Offset($0)) }
    }

    @Test(arguments: [80.0, nil]) func aDelegateThatReadsTheLayoutReadsTheStateBefore(_ width: Double?) {
        let text = "one two three four\n" + String(repeating: "long paragraph ", count: 300) + "\nlast\n"
        let layout = makeLayout(text, width: width ?? 1e6, wraps: width != nil)
        let folding = Folding()
        var (lengths, carets): ([Int], [DocumentRect]) = ([], [])
        var asks = false
        folding.hidden = [3]
        folding.displayed = { _ in
            if asks, lengths.count < 8 {
                lengths.append(layout.length.value)
                carets.append(layout.geometry.caretRect(at: 2))
                _ = Self.readAll(layout)
            }
            return nil
        }
        layout.contentDelegate = folding
        let other = makeLayout(text, width: width ?? 1e6, wraps: width != nil)
        let quiet = Folding()
        quiet.hidden = [3]
        other.contentDelegate = quiet
        asks = true
        #expect(Self.readAll(layout) == Self.readAll(other))
        let before = layout.length.value
        let caret = layout.geometry.caretRect(at: 2)
        (lengths, carets) = ([], [])
        layout.apply(layout.store.replace(UTF16Offset(1)..<1, with: "W W W\nW"))
        other.apply(other.store.replace(UTF16Offset(1)..<1, with: "W W W\nW"))
        #expect(lengths.first == before && carets.first == caret, "an edit is followed")
        #expect(Self.readAll(layout) == Self.readAll(other))
    }

    @Test func changesMadeDuringADelegateCallAreLaidOutAfterwards() {
        let layout = makeLayout("one two\nthree four\nfive", width: 80)
        let folding = Folding()
        var changes: [(TextLayoutManager) -> Void] = [
            { $0.apply($0.store.replace(UTF16Offset(0)..<13, with: "a")) }, { $0.paragraphStyle.alignment = .right },
            { $0.apply($0.store.replace(UTF16Offset(1)..<1, with: "b\nc c c c c c c c c c c")) },
            { $0.invalidateLayout(for: 0..<3) },
            { $0.invalidateLayout() }, { $0.font.size = 31 },
        ]
        folding.displayed = { _ in
            guard !changes.isEmpty else { return nil }
            let length = layout.length
            let next = changes.removeFirst()
            next(layout)
            #expect(layout.length == length)
            return nil
        }
        layout.contentDelegate = folding
        _ = Self.readAll(layout)
        while !changes.isEmpty {
            layout.invalidateLayout()
            _ = Self.readAll(layout)
        }
        let other = makeLayout(layout.store.text.string(in: layout.store.text.byteRange), width: 80)
        (other.font, other.paragraphStyle) = (layout.font, layout.paragraphStyle)
        #expect(layout.length == other.length && layout.length.value > 20)
        #expect(Self.readAll(layout) == Self.readAll(other))
    }

    @Test func aStructuredDocumentOfOnesOwnIsLaidOut() {
        let outline = Outline([("Title", true), ("body text", false), ("more", false)])
        precondition(TestFonts.ready)
        let layout = TextLayoutManager(
            textContentManager: outline, container: TextContainer(width: 400),
            font: FontDescriptor(family: "DejaVu Sans", size: 16))
        #expect(layout.lineTexts == ["Title\n", "body text\n", "more"])
        let heights = layout.allLines.map(\.typographicBounds.height)
        #expect(heights[0] > heights[1] * 1.5 && heights[1] == heights[2])
        #expect(outline.location(3, offsetBy: 4) == 7 && outline.location(3, offsetBy: 400) == nil)
        #expect(outline.location(3, offsetBy: -4) == nil && outline.offset(from: 9, to: 2) == -7)
        // One node becomes two, and another is removed.
        let old = outline.range(of: 1..<3)
        outline.nodes[1...2] = [("first half", false), ("second half", true)]
        let change = layout.textContentDidChange(in: old, to: outline.range(of: 1..<3))
        #expect(layout.lineTexts == ["Title\n", "first half\n", "second half"])
        #expect(layout.allLines[2].typographicBounds.height == heights[0])
        #expect(change?.heightDelta == heights[0] - heights[1])
        let gone = outline.range(of: 0..<1)
        outline.nodes.removeFirst()
        layout.textContentDidChange(in: gone, to: 0..<0)
        #expect(layout.lineTexts == ["first half\n", "second half"])
        outline.folded = [0]
        layout.invalidateLayout(for: 0..<layout.length)
        _ = layout.allLines
        #expect(layout.usageHeight == heights[0])
    }

    @Test func locationsCountWithinTheDocument() {
        let storage = TextContentStorage(TextStore(Rope("ab\nc😀d")))
        #expect(storage.documentRange == 0..<7)
        #expect(storage.location(0, offsetBy: 7) == 7 && storage.location(0, offsetBy: 8) == nil)
        #expect(storage.location(7, offsetBy: -7) == 0 && storage.location(7, offsetBy: -8) == nil)
        #expect(storage.location(3, offsetBy: .max) == nil)
        #expect(storage.offset(from: 2, to: 6) == 4 && storage.offset(from: 6, to: 2) == -4)
        var ranges: [Range<UTF16Offset>] = []
        storage.enumerateTextElements(from: 1) {
            ranges.append($0.elementRange)
            return true
        }
        #expect(ranges == [0..<3, 3..<7])
        var first: [Range<UTF16Offset>] = []
        storage.enumerateTextElements(from: 5) {
            first.append($0.elementRange)
            return false
        }
        #expect(first == [3..<7])
    }

    @Test func fragmentsAreEnumeratedBothWays() {
        let layout = makeLayout("one\ntwo\nthree\nfour")
        var seen: [Int] = []
        let end = layout.enumerateTextLayoutFragments(from: 5) {
            seen.append($0.paragraph.value)
            return seen.count < 2
        }
        #expect(seen == [1, 2] && end == 14)
        seen = []
        let start = layout.enumerateTextLayoutFragments(from: nil, options: .reverse) {
            seen.append($0.paragraph.value)
            return true
        }
        #expect(seen == [3, 2, 1, 0] && start == 0)
        #expect(layout.textLayoutFragment(for: DocumentPoint(x: 5, y: layout.lineHeight + 1))?.paragraph == 1)
        #expect(layout.textLayoutFragment(for: DocumentPoint(x: 5, y: 4000)) == nil)
        let other = makeLayout(String(repeating: "words that wrap ", count: 40), width: 100)
        other.ensureLayout(for: 0..<other.length)
        #expect(other.isExact)
        #expect(other.usageBoundsForTextContainer.height == other.usageHeight)
    }

    @Test func renderingAttributesMoveWithEditsAndChangeNoLayout() {
        let layout = makeLayout("hello wide world")
        let before = layout.geometry.caretRect(at: 16)
        layout.decorations[.rendering].update(6..<10) { $0.merging(RenderingAttributes(underline: .wavy)) }
        layout.decorations[.rendering].update(8..<12) { $0.merging(RenderingAttributes(foreground: .white)) }
        #expect(layout.geometry.caretRect(at: 16) == before)
        #expect(layout.decorations[.rendering].runs(in: 0..<16).map(\.range) == [6..<8, 8..<10, 10..<12])
        #expect(
            layout.decorations[.rendering].runs(in: 8..<9)[0].attributes
                == RenderingAttributes(foreground: .white, underline: .wavy))
        layout.apply(layout.store.replace(0..<0 as Range<UTF16Offset>, with: "ab"))
        layout.apply(layout.store.replace(9..<9 as Range<UTF16Offset>, with: "cd"))
        #expect(layout.decorations[.rendering].runs(in: 0..<30).map(\.range) == [8..<12, 12..<14, 14..<16])
        layout.decorations[.rendering].update(9..<15) { _ in nil }
        #expect(layout.decorations[.rendering].runs(in: 0..<30).map(\.range) == [8..<9, 15..<16])
        #expect(layout.store.canUndo)
    }

    @Test func renderingAttributesStandAtTheirCharactersThroughUndoAndRedo() {
        let store = TextStore(Rope("one two three four"))
        let layout = TextLayoutManager(
            textContentManager: TextContentStorage(store), container: TextContainer(width: 400),
            font: FontDescriptor(family: "DejaVu Sans", size: 16))
        var made: [AppliedTransaction] = []
        let observation = store.observeTransactions { made.append($0) }
        _ = observation
        func follow(_ change: () -> Void) {
            made = []
            change()
            for applied in made { layout.apply(applied) }
        }
        func marked() -> [String] {
            layout.decorations[.rendering].runs(in: 0..<layout.length).map { store.text.string(in: $0.range) }
        }
        layout.decorations[.rendering].update(4..<7) { $0.merging(RenderingAttributes(underline: .wavy)) }
        layout.decorations[.rendering].update(14..<18) { $0.merging(RenderingAttributes(foreground: .white)) }
        #expect(!store.canUndo, "no step of their own")
        #expect(marked() == ["two", "four"])
        // Edits before and inside the decorated range, and at its ends.
        for (range, text) in [(0..<3, "a longer one"), (0..<1, ""), (13..<14, "XY"), (12..<12, "-"), (17..<17, "-")] {
            store.breakUndoCoalescing()
            follow { _ = store.replace(UTF16Offset(range.lowerBound)..<UTF16Offset(range.upperBound), with: text) }
        }
        let after = marked()
        #expect(after == ["tXYo", "four"])
        while store.canUndo { follow { _ = store.undo() } }
        #expect(store.text.string(in: 0..<store.text.utf16Range.upperBound) == "one two three four")
        #expect(marked() == ["two", "four"])
        while store.canRedo { follow { _ = store.redo() } }
        #expect(marked() == after)
        while store.canUndo { follow { _ = store.undo() } }
        // Restored text has no decorations.
        follow { _ = store.replace(3..<8 as Range<UTF16Offset>, with: "") }
        #expect(marked() == ["four"])
        follow { _ = store.undo() }
        #expect(marked() == ["four"])
        // Text that replaces an end of the decorated range and text after it is not decorated.
        layout.decorations[.rendering].update(4..<7) { $0.merging(RenderingAttributes(underline: .wavy)) }
        follow { _ = store.replace(6..<9 as Range<UTF16Offset>, with: "QQ") }
        #expect(marked() == ["tw", "four"])
    }

    @Test(arguments: [
        (ParagraphStyle.LineHeight.exactly(40), 40.0), (.atLeast(30), 30), (.multiple(2), 38), (.natural, 19),
    ])
    func lineHeightsFollowTheirMode(_ mode: ParagraphStyle.LineHeight, _ height: Double) {
        var style = ParagraphStyle()
        style.lineHeight = mode
        let layout = makeLayout("a 日本 ع\nb", style: style)
        #expect(layout.allLines.map(\.typographicBounds.height) == [height, height])
    }

    @Test func fallbackMakesLinesHigherOnlyWhenAsked() {
        var style = ParagraphStyle()
        style.lineHeight = .growing
        let layout = makeLayout("plain\n日本語 မြန်မာ", style: style)
        let heights = layout.allLines.map(\.typographicBounds.height)
        #expect(heights[0] == 19 && heights[1] > 19)
    }

    @Test func tabsGoToStopsFromTheLinesOwnStart() {
        let layout = makeLayout("a\tb\nאב\tג", width: 400)
        let stop = layout.columnWidth * 8
        #expect(layout.geometry.caretRect(at: 2).minX == stop)
        #expect(layout.geometry.caretRect(at: 7).minX == 400 - stop)
    }

    @Test func justifiedLinesReachBothEdges() {
        var style = ParagraphStyle()
        style.alignment = .justified
        let layout = makeLayout("the quick brown fox jumps over the lazy dog and on", width: 150, style: style)
        for line in layout.allLines where line.isWrapped {
            let end = line.utf16Range.upperBound - 1
            #expect(layout.geometry.caretRect(at: end, affinity: .upstream).minX == 150)
        }
    }

    @Test func softHyphensShowWhereALineEndsAtThem() {
        let layout = makeLayout("extra\u{ad}ordinary", width: 80)
        #expect(layout.allLines.count == 2)
        #expect(layout.allLines[0].typographicBounds.width < 80)
    }

    @Test func selectionsMoveByUnits() {
        let layout = makeLayout("One two. Three four.\nfive")
        let moves = TextGeometry(layout)
        func go(_ from: Int, _ direction: TextDirection, _ to: Selection.Destination) -> Int {
            moves.place(from: CaretPlace(UTF16Offset(from)), direction, to).offset.value
        }
        #expect(go(0, .forward, .word) == 3)
        #expect(go(7, .backward, .word) == 4)
        #expect(go(0, .forward, .sentence) == 9)
        #expect(go(12, .backward, .sentence) == 9)
        #expect(go(5, .forward, .paragraph) == 20 && go(20, .forward, .paragraph) == 20)
        #expect(go(20, .forward, .nextParagraph) == 25)
        #expect(go(5, .right, .document) == 25)
        #expect(moves.range(.word, enclosing: CaretPlace(5)) == 4..<7)
        #expect(moves.range(.paragraph, enclosing: CaretPlace(5)) == 0..<21)
        let drag = moves.extending(4..<7, to: CaretPlace(1), by: .word)
        #expect(drag.range == 0..<7 && drag.head == 0 && drag.granularity == .word)
    }

    @Test func geometryReportIsOneObject() {
        let layout = makeLayout("ab אב")
        let report = GeometryReport(layout, selection: 1..<4, carets: true).text
        #expect(report.hasPrefix("{\n\"lines\": [") && report.hasSuffix("}\n"))
        #expect(report.contains("\"direction\": \"rtl\""))
        #expect(report.contains("\"containsStart\": true"))
        #expect(report.contains("\"affinity\": \"upstream\""))
    }
}
