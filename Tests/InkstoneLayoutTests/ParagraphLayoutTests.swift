import InkstoneBase
import InkstoneUnicode
import TextTestSupport
import Testing

@testable import InkstoneLayout

/// A paragraph's lines as a function of text, fonts and width, without a document.
@Suite(.timeLimit(.minutes(5))) struct ParagraphLayoutTests {
    private let tools: LayoutTools

    init() {
        precondition(TestFonts.ready)
        tools = LayoutTools(settings: FontSettings())
    }

    private func stack(_ size: Double) -> FontStack {
        tools.context.stack(for: FontDescriptor(family: "DejaVu Sans Mono", size: size, language: "en"))
    }

    /// Returns the input for a text in one font, by default 10 columns wide.
    private func input(_ text: String, columns: Int32? = 10, size: Double = 16) -> ParagraphInput {
        let stack = stack(size)
        let units = Array(text.utf16)
        let width = columns.map { $0 * stack.primary.spaceAdvance }
        return ParagraphInput(
            units: units, spans: [StyleSpan(range: 0..<units.count, stack: stack)], stack: stack,
            style: ParagraphStyle(), direction: .natural,
            room: LineRoom(width: width, alignmentWidth: width ?? 100, x: 0))
    }

    private func lines(_ input: ParagraphInput) -> [String] {
        ParagraphLayout(input, tools).lines.map {
            String(decoding: input.units[Int($0.start)..<Int($0.end)], as: UTF16.self)
        }
    }

    @Test func linesEndWhereTheRoomDoes() {
        #expect(lines(self.input("one two three")) == ["one two ", "three"])
        #expect(lines(self.input("one two three", columns: nil)) == ["one two three"])
        #expect(lines(self.input("onetwothreefour")) == ["onetwothre", "efour"])
        #expect(lines(self.input("")) == [""])
    }

    /// The same input gives the same lines, whatever was laid out in between.
    @Test func earlierLayoutDoesNotAffectLines() {
        let input = self.input("שלום one דברים two")
        let first = ParagraphLayout(input, tools)
        _ = ParagraphLayout(self.input("something else altogether"), tools)
        let second = ParagraphLayout(input, tools)
        #expect(first.shaped.description == second.shaped.description)
        #expect(first.lines.map(\.end) == second.lines.map(\.end) && first.height == second.height)
    }

    /// The cost of a line depends on its own runs, not on all of the paragraph's. Each letter is a run here,
    /// because directions alternate.
    @Test func linesOfManyRunsCostByTheirOwn() {
        func milliseconds(_ count: Int) -> Double {
            var input = self.input(String(repeating: "aא", count: count / 2))
            input.style.lineHeight = .growing
            let layout = ParagraphLayout(input, tools)
            #expect(layout.shaped.runs.count == count && layout.lines.count > count / 40)
            let times = (0..<3).map { _ in
                var shaped = layout.shaped
                let start = LargeText.processorTime
                _ = tools.breaker.lines(of: &shaped, style: input.style, stack: input.stack, room: input.room)
                let fragment = LaidFragment(input, layout, terminator: 0)
                for index in layout.lines.indices { _ = fragment.line(index, tools) }
                return LargeText.processorTime - start
            }
            return times.min() ?? 0
        }
        let (few, many) = (milliseconds(5000), milliseconds(40_000))
        // It would take 64 times as long if each line went through all runs.
        #expect(many < 40 * few, "\(few) ms and \(many) ms")
    }

    /// Styles no longer in use, each with its own features, leave nothing in the caches.
    @Test func stylesThatAreGoneAreForgotten() {
        for number in 0..<UInt32(Shaper.styleLimit) {
            let font = FontDescriptor(
                family: "DejaVu Sans", size: 16, language: "en", features: ["liga": 2 + number])
            var input = self.input("ab дя")
            input.stack = tools.context.stack(for: font)
            input.spans = [StyleSpan(range: 0..<input.units.count, stack: input.stack)]
            #expect(ParagraphLayout(input, tools).shaped.glyphs.count == 5)
        }
        #expect(tools.shaper.styleKeys.count <= Shaper.styleLimit)
    }

    /// A number sign (prepended) does not belong to the cluster before it (UAX #29, GB9b): it has the level of its
    /// digits.
    @Test(arguments: ["אב \u{601}٤٢ גד", "אב\u{6dd}12", "ab \u{600}٣ אב", "ܐ \u{70f}ܒܓ", "\u{604}", "א\u{605}\u{601}1"])
    func signsOfNumbersStandOnTheLevelOfTheirDigits(_ text: String) {
        let shaped = ParagraphLayout(input(text, columns: nil), tools).shaped
        let found = shaped.runs.flatMap { [UInt8](repeating: $0.level, count: Int($0.end - $0.start)) }
        let expected = BidiParagraph(Array(text.utf16), baseDirection: .natural)
        #expect(found == (0..<text.utf16.count).map { expected.level(at: $0) })
    }

    /// Digits after a number sign keep their own style.
    @Test func digitsBehindASignHaveTheirOwnStyle() throws {
        var input = self.input("\u{601}٤٢", columns: 100)
        input.spans = [StyleSpan(range: 0..<1, stack: input.stack), StyleSpan(range: 1..<3, stack: stack(32))]
        let runs = ParagraphLayout(input, tools).shaped.runs
        #expect(runs.last.map { $0.start == 1 && $0.end == 3 } == true)
    }

    /// A directional control is no part of the letter before it, and has its own level (UAX #9).
    @Test(arguments: ["\u{61c}", "\u{200e}", "\u{200f}", "\u{2069}", "\u{2067}א\u{2069}"])
    func controlsOfDirectionStandOnTheirOwnLevels(_ control: String) {
        for text in ["ab\(control)cd אב", "אב\(control)גד ab"] {
            let shaped = ParagraphLayout(input(text, columns: nil), tools).shaped
            let found = shaped.runs.flatMap { [UInt8](repeating: $0.level, count: Int($0.end - $0.start)) }
            #expect(found == BidiParagraph(Array(text.utf16), baseDirection: .natural).levels)
        }
    }

    /// Runs are split by font; the height is that of the paragraph's font.
    @Test func eachSpanIsSetInItsFont() throws {
        var input = self.input("small LARGE", columns: 100)
        let large = stack(32)
        input.spans = [
            StyleSpan(range: 0..<6, stack: input.stack), StyleSpan(range: 6..<11, stack: large),
        ]
        let made = ParagraphLayout(input, tools)
        #expect(made.shaped.runs.map(\.face) == [input.stack, large].map { Int32($0.primary.slot) })
        let width = 6 * input.stack.primary.spaceAdvance + 5 * large.primary.spaceAdvance
        #expect(made.lines[0].width == width * 64)
        #expect(made.height == ParagraphLayout(self.input("small"), tools).height)
    }

    /// A part of a long paragraph continues after its last line, without the space below the paragraph.
    @Test func aPartGoesOnBehindItsLastLine() {
        var input = self.input("one two")
        input.style.spacingAfter = 7
        let whole = ParagraphLayout(input, tools)
        input.endsParagraph = false
        let part = ParagraphLayout(input, tools)
        #expect(!whole.lines[0].isWrapped && part.lines[0].isWrapped)
        #expect(whole.height == part.height + 7)
    }
}
