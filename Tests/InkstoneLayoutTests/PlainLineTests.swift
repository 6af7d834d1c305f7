import InkstoneBase
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneLayout

/// Lines of plain left-to-right text use faster code, with the same positions.
@Suite(.timeLimit(.minutes(5))) struct PlainLineTests {
    private static let words = [
        "a", "fi", "office", "AVAVA", "Ty.", "\t", "  ", "ï", "é", "waffle", "long-winded", "1/2", "iiiiiiii", "WWWW",
        "_", "j",
    ]

    private static func text(_ random: inout SeededGenerator, _ count: Int) -> String {
        (0..<count).map { _ in words.randomElement(using: &random)! }.joined(
            separator: Bool.random(using: &random) ? " " : "")
    }

    private static func layout(_ text: String, _ random: inout SeededGenerator) -> TextLayoutManager {
        var style = ParagraphStyle()
        style.alignment = [.natural, .natural, .justified, .center, .right].randomElement(using: &random)!
        return makeLayout(
            text, width: [120, 400, 3000].randomElement(using: &random)!,
            family: ["DejaVu Sans", "Noto Sans", "DejaVu Sans Mono"].randomElement(using: &random)!, style: style)
    }

    @Test func aCaretFoundWithoutStopsIsWhereTheStopsSay() throws {
        let seed: UInt64 = 21
        var random = SeededGenerator(seed: seed)
        var found = 0
        for _ in 0..<200 {
            let text = Self.text(&random, Int.random(in: 0...30, using: &random))
            let layout = Self.layout(text, &random)
            for line in layout.allLines {
                let positioned = line.fragment.line(line.index, line.tools)
                let units = positioned.start...positioned.end
                let short = units.map { positioned.plainCaretX(at: $0) }
                _ = positioned.stops
                for (unit, x) in zip(units, short) {
                    guard let x else { continue }
                    found += 1
                    for upstream in [true, false] {
                        #expect(
                            positioned.caretX(at: unit, upstream: upstream) == x,
                            "seed \(seed), unit \(unit), upstream \(upstream) of \(text)")
                    }
                }
            }
        }
        #expect(found > 5000, "most places of plain text are found so: \(found)")
    }

    @Test func theDifferenceOfPlainLinesIsThatOfTheirMarks() throws {
        let seed: UInt64 = 22
        var random = SeededGenerator(seed: seed)
        var found = 0
        for round in 0..<400 {
            let text = Self.text(&random, Int.random(in: 1...60, using: &random))
            let layout = Self.layout(text, &random)
            let document = layout.document
            let length = layout.length.value
            let at = Int.random(in: 0...length, using: &random)
            let end = min(length, at + [0, 0, 1, 5].randomElement(using: &random)!)
            let new = ["", "x", "i", " ", "fi", "V", String(text.prefix(1))].randomElement(using: &random)!
            _ = layout.allLines
            let old = (document.lines(inFragments: 0..<document.tree.total.units) ?? []).compactMap(\.self)
            layout.apply(layout.store.replace(UTF16Offset(at)..<UTF16Offset(end), with: new))
            _ = layout.allLines
            let now = (document.lines(inFragments: 0..<document.tree.total.units) ?? []).compactMap(\.self)
            for (a, b) in zip(old, now) {
                guard let short = b.plainExtent(changedFrom: a, edit: at, tools: document.tools) else { continue }
                found += 1
                let long = b.markedExtent(changedFrom: a, edit: at, tools: document.tools)
                #expect(
                    short == long,
                    "seed \(seed), round \(round): \(at)..<\(end) of \(text) by \(new): \(short), but \(long)")
            }
        }
        #expect(found > 200, "most plain lines are compared so: \(found)")
    }
}
