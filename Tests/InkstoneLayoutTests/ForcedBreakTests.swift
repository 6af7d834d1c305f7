import InkstoneBase
import InkstoneLayout
import InkstoneText
import InkstoneTesting
import InkstoneUnicode
import Testing

/// Lines that end by a forced break within a paragraph: carets at their ends are before the break, as they are before a
/// newline.
@Suite(.timeLimit(.minutes(5))) struct ForcedBreakTests {
    private static let breaks = ["\u{2028}", "\u{b}", "\u{c}", "\u{85}", "\u{2029}"]

    private struct Setup: CustomStringConvertible, Sendable {
        var width: Double
        var wraps = true
        var direction = BidiBaseDirection.natural
        var alignment = ParagraphStyle.Alignment.natural
        var description: String { "\(width) \(wraps) \(direction) \(alignment)" }

        func layout(_ text: String) -> TextLayoutManager {
            var style = ParagraphStyle()
            (style.baseDirection, style.alignment) = (direction, alignment)
            return makeLayout(text, width: width, wraps: wraps, style: style)
        }
    }

    private static let setups = [
        Setup(width: 70), Setup(width: 300), Setup(width: 300, direction: .rightToLeft),
        Setup(width: 400, wraps: false),
        Setup(width: 90, direction: .rightToLeft, alignment: .justified), Setup(width: 200, alignment: .center),
    ]

    /// Returns a text of short and long lines, some of them empty, with all forced breaks.
    private static func text(_ random: inout SeededGenerator, count: Int) -> String {
        let words = [
            "a", "word ", "two  ", "  ", "שלום ", "עב", "نص ", "12 ", "日本", "e\u{301}", "\t", "👍", "(a) ", "-",
            "\u{2067}x\u{2069}",
        ]
        return (0..<count).map { _ in
            switch random.below(8) {
            case 0, 1: breaks[random.below(breaks.count)]
            case 2: random.once(in: 3) ? "\r\n" : "\n"
            default: words[random.below(words.count)]
            }
        }.joined()
    }

    /// Covers both short paragraphs and long ones, which consist of several fragments.
    @Test(arguments: setups, [40, 40, 40, 3000]) private func caretsAtLineEndsStayOnTheirLines(
        _ setup: Setup, _ count: Int
    ) {
        var random = SeededGenerator()
        let seed = random.seed
        var text = Self.text(&random, count: count)
        if count > 40 { text = text.replacing("\r\n", with: "ab ").replacing("\n", with: "c") }
        let layout = setup.layout(text)
        let geometry = layout.geometry
        func top(_ place: CaretPlace) -> Double {
            geometry.caretRect(at: place.offset, affinity: place.affinity).minY
        }
        let lines = layout.allLines
        // In a long paragraph that does not wrap, forced breaks do not end lines.
        guard setup.wraps || count == 40 else { return }
        for (index, line) in lines.enumerated() {
            let units = Array(layout.store.text.utf16(in: line.utf16Range))
            let name = "seed \(seed), line \(index): \(units)"
            let start = CaretPlace(line.utf16Range.lowerBound)
            let end = geometry.lineEnd(start)
            #expect(top(start) == line.top && top(end) == line.top, "\(name)")
            #expect(geometry.lineEnd(end) == end, "\(name)")
            let content = layout.store.text.utf16(in: geometry.lineRange(start))
            if setup.wraps {
                #expect(!content.contains { [0xa, 0xb, 0xc, 0xd, 0x85, 0x2028, 0x2029].contains($0) }, "\(name)")
            }
            for side in [TextLayoutDirection.left, .right] {
                let edge = geometry.place(from: start, .layout(side), .line)
                #expect(top(edge) == line.top, "\(name), \(side)")
                let x = side == .left ? -1000.0 : 5000
                let hit = geometry.place(closestTo: DocumentPoint(x: x, y: line.top + 1))
                #expect(top(hit) == line.top, "\(name), \(side)")
            }
            for x in [1.0, 20, 45, setup.width / 2, setup.width - 1] {
                let hit = geometry.place(closestTo: DocumentPoint(x: x, y: line.top + 1))
                #expect(top(hit) == line.top, "\(name), \(x)")
            }
            let corner = DocumentPoint(x: -1000, y: line.top + 1)
            let selected = geometry.selection(inRectangleFrom: corner, to: DocumentPoint(x: 5000, y: line.top + 1))
            #expect(selected.ranges.allSatisfy { end.offset >= $0.range.upperBound }, "\(name)")
            #expect(geometry.deletionRange(for: SelectionRange(end), .storage(.forward), .line).isEmpty, "\(name)")
        }
    }

    /// Down and Up go to each line once, wherever the caret starts.
    @Test(arguments: setups) private func verticalMovesVisitEachLine(_ setup: Setup) {
        var random = SeededGenerator()
        for _ in 0..<10 {
            let seed = random.seed
            let layout = setup.layout(Self.text(&random, count: 30))
            let geometry = layout.geometry
            let tops = layout.allLines.map(\.top)
            for goal in [nil, -50.0, 30, 5000] {
                for isDown in [true, false] {
                    var place = isDown ? geometry.documentStart : geometry.documentEnd
                    place.goalX = goal
                    var found: [Double] = []
                    for _ in tops {
                        found.append(geometry.caretRect(at: place.offset, affinity: place.affinity).minY)
                        place = geometry.moveVertically(place, lines: isDown ? 1 : -1)
                    }
                    #expect(found == (isDown ? tops : tops.reversed()), "seed \(seed), goal \(goal ?? -1), \(isDown)")
                }
            }
        }
    }

    @Test(arguments: breaks) func theEndOfALineIsBeforeItsBreak(_ sign: String) {
        let geometry = makeLayout("abcdef\(sign)c\(sign)\(sign)efghij").geometry
        #expect(geometry.lineEnd(CaretPlace(2)) == CaretPlace(6))
        #expect(geometry.lineEnd(CaretPlace(6)) == CaretPlace(6) && geometry.lineEnd(CaretPlace(7)) == CaretPlace(8))
        #expect(geometry.lineEnd(CaretPlace(9)) == CaretPlace(9))
        #expect(geometry.deletionRange(for: SelectionRange(CaretPlace(2)), .storage(.forward), .line) == 2..<6)
        // Down from a long line goes to the end of a shorter one.
        #expect(geometry.moveVertically(CaretPlace(5), lines: 1).offset == 8)
        #expect(geometry.moveVertically(CaretPlace(5), lines: 2).offset == 9)
        #expect(geometry.moveVertically(CaretPlace(15), lines: -1).offset == 9)
        // Left and Right pass the break in one step.
        #expect(geometry.moveVisually(CaretPlace(6), toRight: true).offset == 7)
        #expect(geometry.moveVisually(CaretPlace(7), toRight: false).offset == 6)
        let rects = geometry.selectionRects(for: 0..<7, within: DocumentRect(x: 0, y: 0, width: 1e6, height: 1e6))
        #expect(rects.count == 1 && rects[0].rect.maxX >= 400, "\(rects)")
    }

    /// A forced break at the end of a fragment of a long paragraph does not make the line a wrapped one.
    @Test func aBreakTypedBetweenFragmentsEndsItsLine() {
        let layout = makeLayout(String(repeating: "some words ", count: 2000))
        let starts = layout.textLayoutFragments(in: DocumentRect(x: 0, y: 0, width: 400, height: 1e9)).dropFirst()
            .map(\.utf16Range.lowerBound)
        #expect(!starts.isEmpty)
        for start in starts.reversed() {
            layout.apply(layout.store.replace(start..<start, with: "\u{2028}"))
            let geometry = layout.geometry
            let end = geometry.lineEnd(CaretPlace(start))
            #expect(end == CaretPlace(start))
            #expect(
                geometry.caretRect(at: start + 1, affinity: .upstream).minY
                    > geometry.caretRect(at: start).minY)
        }
    }
}
