import InkstoneBase
import InkstoneText
import InkstoneUnicode
import InkstoneTesting
import Testing

@testable import InkstoneLayout

/// Caret moves in every kind of text, without a view: left and right are visual, other moves logical.
@Suite(.timeLimit(.minutes(5))) struct SelectionMoveTests {
    /// Describes a caret position: the offset, with `u` for upstream affinity.
    private static func place(_ place: CaretPlace) -> String {
        "\(place.offset)\(place.affinity == .upstream ? "u" : "")"
    }

    /// Returns the positions of repeated moves, including the start.
    private static func path(
        _ layout: TextLayoutManager, from start: CaretPlace, _ direction: TextDirection,
        _ destination: Selection.Destination, count: Int
    ) -> String {
        let geometry = TextGeometry(layout)
        var selection = Selection(start)
        var seen = [Self.place(start)]
        for _ in 0..<count {
            selection = selection.moved(direction, destination, in: geometry)
            seen.append(Self.place(selection.primary.place))
        }
        return seen.joined(separator: " ")
    }

    private static func layout(_ text: String, _ direction: BidiBaseDirection = .natural, width: Double = 4000)
        -> TextLayoutManager
    {
        var style = ParagraphStyle()
        style.baseDirection = direction
        return makeLayout(text, width: width, style: style)
    }

    struct Path: Sendable, CustomTestStringConvertible {
        var text: String
        var base = BidiBaseDirection.leftToRight
        var direction: TextDirection
        var destination: Selection.Destination
        var expected: String
        var testDescription: String { "\(text) \(base) \(direction) \(destination)" }
    }

    @Test(arguments: [
        // In text of one direction, moves by word follow the text.
        Path(text: "ab cd, ef", direction: .right, destination: .word, expected: "0 2 5 9 9"),
        Path(text: "ab cd, ef", direction: .left, destination: .word, expected: "9 7 3 0 0"),
        Path(text: "אב גד", base: .rightToLeft, direction: .left, destination: .word, expected: "0 2 5 5"),
        Path(text: "אב גד", base: .rightToLeft, direction: .right, destination: .word, expected: "5 3 0 0"),
        // On the screen: “one CBA FED two”. Moves by word follow the visual order.
        Path(text: "one אבג דהו two", direction: .right, destination: .word, expected: "0 3 8 11 15 15"),
        Path(text: "one אבג דהו two", direction: .left, destination: .word, expected: "15 12 7 4u 0 0"),
        // On the screen: “two FED CBA one”, in a right-to-left paragraph.
        Path(
            text: "one אבג דהו two", base: .rightToLeft, direction: .right, destination: .word, expected: "15 8 4 3u 3u"
        ),
        Path(text: "אבג one דהו", base: .rightToLeft, direction: .left, destination: .word, expected: "0 3 7 11 11"),
        // Left and right move to the visual edges of the line.
        Path(text: "abc אבג", direction: .right, destination: .line, expected: "0 4 4"),
        Path(text: "abc אבג", direction: .left, destination: .line, expected: "7 0 0"),
        Path(text: "אבג abc", direction: .left, destination: .line, expected: "7 0u 0u"),
        Path(text: "אבג abc", direction: .right, destination: .line, expected: "0 7 7"),
        Path(text: "אבג", base: .rightToLeft, direction: .left, destination: .line, expected: "0 3 3"),
        Path(text: "אבג", base: .rightToLeft, direction: .right, destination: .line, expected: "3 0 0"),
        // Start and end of a line are logical, and shown at the line's edges.
        Path(text: "אבג abc", direction: .backward, destination: .line, expected: "7 0u 0u"),
        Path(text: "abc אבג", direction: .forward, destination: .line, expected: "0 7 7"),
        Path(text: "אבג", base: .rightToLeft, direction: .backward, destination: .line, expected: "3 0 0"),
        // Moves without a visual side follow the paragraph's direction.
        Path(text: "אבג\nדה", base: .rightToLeft, direction: .left, destination: .document, expected: "0 6 6"),
        Path(text: "אבג\nדה", base: .rightToLeft, direction: .right, destination: .paragraph, expected: "6 4 4"),
        Path(text: "ab\ncd", direction: .right, destination: .nextParagraph, expected: "0 2 5 5"),
    ])
    func movesGoByWhatIsSeen(_ c: Path) {
        let layout = Self.layout(c.text, c.base)
        let start = c.expected.split(separator: " ").first.flatMap { Int($0) } ?? 0
        let count = c.expected.split(separator: " ").count - 1
        let seen = Self.path(layout, from: CaretPlace(UTF16Offset(start)), c.direction, c.destination, count: count)
        #expect(seen == c.expected)
    }

    struct Turn: Sendable, CustomTestStringConvertible {
        var text: String
        var start: Int
        var direction: TextDirection
        var expected: String
        var testDescription: String { "\(text) from \(start) \(direction)" }
    }

    /// Between paragraphs of different directions, repeating a key continues in logical order instead of going back
    /// and forth.
    @Test(arguments: [
        Turn(text: "ab\nגד", start: 1, direction: .right, expected: "1 2u 3 4 5"),
        Turn(text: "ab\nגד", start: 4, direction: .right, expected: "4 3 2 1 0"),
        Turn(text: "ab\nגד", start: 3, direction: .left, expected: "3 4 5u 5u"),
        Turn(text: "גד\nab", start: 1, direction: .left, expected: "1 2u 3 4 5"),
        Turn(text: "גד\nab", start: 4, direction: .left, expected: "4 3 2 1 0"),
        Turn(text: "ab\ncd\nגד", start: 2, direction: .right, expected: "2 3 4 5u 6 7"),
    ])
    func betweenDirectionsAKeyDoesNotComeBack(_ c: Turn) {
        let layout = Self.layout(c.text)
        let start = CaretPlace(UTF16Offset(c.start))
        #expect(
            Self.path(layout, from: start, c.direction, .character, count: c.expected.split(separator: " ").count - 1)
                == c.expected)
    }

    @Test func movesBySentenceGoByTheDirectionOfTheRun() {
        let layout = Self.layout("One. Two. אבג. דהו. זח", .leftToRight)
        let geometry = TextGeometry(layout)
        // In a right-to-left run, left moves forward in the text.
        #expect(geometry.place(from: CaretPlace(11), .left, .sentence).offset == 15)
        #expect(geometry.place(from: CaretPlace(2), .left, .sentence).offset == 0)
        #expect(geometry.place(from: CaretPlace(2), .right, .sentence).offset == 5)
    }

    // MARK: Collapsing

    struct Collapse: Sendable, CustomTestStringConvertible {
        var text: String
        var base = BidiBaseDirection.leftToRight
        var range: (anchor: Int, head: Int)
        var left: String
        var right: String
        var testDescription: String { "\(text) \(base) \(range)" }
    }

    @Test(arguments: [
        Collapse(text: "abcdef", range: (1, 4), left: "1", right: "4"),
        Collapse(text: "abcdef", range: (4, 1), left: "1", right: "4"),
        Collapse(text: "אבגדהו", base: .rightToLeft, range: (1, 4), left: "4", right: "1"),
        // In a run against the paragraph's direction, the selection collapses to the end on that side.
        Collapse(text: "abc אבגד def", range: (5, 7), left: "7", right: "5"),
        Collapse(text: "אבג abcd דהו", base: .rightToLeft, range: (5, 7), left: "5", right: "7"),
        Collapse(text: "abc אבגד def", range: (1, 6), left: "1", right: "6"),
        // Across several lines, the paragraph's direction decides.
        Collapse(text: "אבג\nדהו", base: .rightToLeft, range: (1, 6), left: "6", right: "1"),
        Collapse(text: "abc\ndef", range: (1, 6), left: "1", right: "6"),
    ])
    func aSelectionCollapsesToItsEndOnThatSide(_ c: Collapse) {
        let geometry = TextGeometry(Self.layout(c.text, c.base))
        let selection = Selection(anchor: UTF16Offset(c.range.anchor), head: UTF16Offset(c.range.head))
        let left = selection.moved(.left, .character, in: geometry)
        let right = selection.moved(.right, .character, in: geometry)
        #expect(Self.place(left.primary.place) == c.left && left.isCaret)
        #expect(Self.place(right.primary.place) == c.right && right.isCaret)
        #expect(selection.moved(.forward, .character, in: geometry).head == selection.range.upperBound)
        #expect(selection.moved(.backward, .character, in: geometry).head == selection.range.lowerBound)
    }

    // MARK: Ranges

    @Test func everyRangeMovesAndThoseThatMeetBecomeOne() {
        let geometry = TextGeometry(Self.layout("one two three\nfour five"))
        let carets = [1, 5, 6, 20].map { SelectionRange(caret: UTF16Offset($0)) }
        let all = Selection(carets, primary: 1) ?? Selection(caret: 0)
        #expect(all.moved(.forward, .word, in: geometry).description == "3 7* 23")
        #expect(all.moved(.forward, .word, extending: true, in: geometry).description == "1→3 5→7* 20→23")
        #expect(all.moved(.backward, .document, in: geometry).description == "0")
        #expect(all.moved(.right, .character, in: geometry).description == "2 6* 7 21")
        #expect(all.expanded(to: .word, in: geometry).description == "0→3 4→7* 19→23")
    }

    @Test func upAndDownKeepEachRangesColumn() {
        let text = "long enough line\nx\nanother long line"
        let geometry = TextGeometry(Self.layout(text))
        let start = Selection([3, 10].map { SelectionRange(caret: $0) }, primary: 0) ?? Selection(caret: 0)
        var selection = start.moved(.down, .character, in: geometry)
        #expect(selection.description == "18", "both stand at the end of the short line")
        selection = Selection(caret: 10)
        for direction in [TextDirection.down, .down, .up, .up] {
            selection = selection.moved(direction, .character, in: geometry)
            #expect(selection.primary.goalX != nil)
        }
        #expect(selection.head == 10)
        #expect(selection.moved(.right, .character, in: geometry).primary.goalX == nil)
    }

    // MARK: Laws

    static let kinds: [String] = [
        "latin words, and more", "שלום עולם אבג", "abc אבג def דהו", "السلام عليكم", "نص عربي 2024 abc",
        "日本語の文章です", "e\u{301}a 👩‍👩‍👧 🇩🇪🇯🇵", "one\ntwo\n\nthree", "אבג\nabc\nדהו", "tabs\tand  blanks ", "", "ภาษาไทยไม่มี",
        "mixed 日本 and עברית end", "(אב) 12, גד!",
    ]

    /// Direction × destination × kind of text, from random positions and ranges: 10⁵ cases.
    @Test func movesKeepTheirLawsOnEveryKindOfText() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let directions: [TextDirection] = [.forward, .backward, .left, .right, .up, .down]
        let destinations = Selection.Destination.allCases
        var cases = 0
        var failures: [String] = []
        while cases < 100_000, failures.isEmpty {
            let parts = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                Self.kinds[Int.random(in: 0..<Self.kinds.count, using: &random)]
            }
            let text = parts.joined(separator: [" ", "\n", ""][Int.random(in: 0..<3, using: &random)])
            let base = [BidiBaseDirection.natural, .leftToRight, .rightToLeft][Int.random(in: 0..<3, using: &random)]
            let width = [90.0, 200, 4000][Int.random(in: 0..<3, using: &random)]
            let layout = Self.layout(text, base, width: width)
            let geometry = TextGeometry(layout, linesPerPage: 3)
            for _ in 0..<250 {
                cases += 1
                let direction = directions[Int.random(in: 0..<directions.count, using: &random)]
                let destination = destinations[Int.random(in: 0..<destinations.count, using: &random)]
                func offset() -> UTF16Offset {
                    layout.store.text.roundedDown(
                        toGrapheme: UTF16Offset(Int.random(in: 0...layout.length.value, using: &random)))
                }
                let range = SelectionRange(
                    anchor: Bool.random(using: &random) ? offset() : 0, head: offset(),
                    affinity: Bool.random(using: &random) ? .upstream : .downstream)
                if let broken = Self.brokenLaw(layout, geometry, range, direction, destination) {
                    failures.append(
                        "seed \(seed): \(broken); \(text.debugDescription) \(base) \(width) \(range) \(direction) \(destination)"
                    )
                    break
                }
            }
        }
        #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
    }

    private static func brokenLaw(
        _ layout: TextLayoutManager, _ geometry: TextGeometry, _ range: SelectionRange, _ direction: TextDirection,
        _ destination: Selection.Destination
    ) -> String? {
        let selection = Selection(range)
        let moved = selection.moved(direction, destination, in: geometry)
        let extended = selection.moved(direction, destination, extending: true, in: geometry)
        let target = geometry.place(from: range.place, direction, destination)
        if !moved.isCaret || moved.count != 1 { return "a move selects" }
        if extended.anchor != range.anchor { return "extending moves the anchor" }
        if extended.primary.place != target { return "extending goes elsewhere than the caret" }
        let collapses = destination == .character && !range.isCaret && direction != .up && direction != .down
        if !collapses, moved.primary.place != target { return "a move goes elsewhere than its place" }
        if collapses, moved.head != range.anchor, moved.head != range.head { return "collapses to no end" }
        if target.offset < 0 || target.offset > layout.length { return "outside" }
        if layout.store.text.roundedDown(toGrapheme: target.offset) != target.offset { return "inside a cluster" }
        if direction == .forward, target.offset < range.head { return "forward goes back" }
        if direction == .backward, target.offset > range.head { return "backward goes on" }
        let isVertical = direction == .up || direction == .down
        if (target.goalX != nil) != (isVertical && destination == .character || destination == .page) {
            return "goal column \(String(describing: target.goalX))"
        }
        switch destination {
        // Left and right to the document's edge depend on the paragraph's direction, which may differ at the
        // destination.
        case .document where direction == .left || direction == .right: break
        case .line, .paragraph, .document:
            let again = geometry.place(from: target, direction, destination)
            if again.offset != target.offset || again.affinity != target.affinity {
                return "an edge is left for \(again)"
            }
        default: break
        }
        let from = layout.geometry.caretRect(at: range.head, affinity: range.affinity)
        let to = layout.geometry.caretRect(at: target.offset, affinity: target.affinity)
        if destination == .line, case .layout(let side) = direction, side == .left || side == .right {
            if to.minY != from.minY { return "another line" }
            if side == .right ? to.minX < from.minX : to.minX > from.minX { return "the other side of the line" }
            let line = layout.geometry.lineFragment(at: target.offset, affinity: target.affinity).typographicBounds
            // Carets in hanging spaces are at the edge.
            let (low, high) = (max(line.minX, 0), min(line.maxX, layout.container.width))
            if side == .right ? to.minX < high - 1 : to.minX > low { return "not the line's edge" }
        }
        if destination == .word, case .layout(let side) = direction, side == .left || side == .right,
            to.minY == from.minY, target.offset != 0, target.offset != layout.length
        {
            if side == .right ? to.minX < from.minX : to.minX > from.minX { return "a word on the other side" }
        }
        return nil
    }

    /// Visual moves by word stop at the same positions as a visual walk by characters that looks for words.
    @Test func wordsOnTheScreenAreWhatAWalkByCharactersMeets() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let fragments = ["abc", "de f", "אבג", "דה ו", "سلام", " ", ", ", "12", "x", "日本語", "(", ")"]
        for _ in 0..<1500 {
            let text = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                fragments[Int.random(in: 0..<fragments.count, using: &random)]
            }.joined()
            let base: BidiBaseDirection = Bool.random(using: &random) ? .leftToRight : .rightToLeft
            let layout = Self.layout(text, base)
            let toRight = Bool.random(using: &random)
            var place = Selection(CaretPlace(0)).moved(toRight ? .left : .right, .line, in: TextGeometry(layout))
                .primary
                .place
            var seen: [Double] = []
            for _ in 0..<20 {
                let next = TextGeometry(layout).place(from: place, toRight ? .right : .left, .word)
                let x = layout.geometry.caretRect(at: next.offset, affinity: next.affinity).minX
                if seen.last == x || next == place { break }
                seen.append(x)
                place = next
            }
            let expected = Self.wordEdges(layout, text, toRight: toRight)
            #expect(seen == expected, "seed \(seed): \(text.debugDescription) \(base) right \(toRight)")
            if seen != expected { return }
        }
    }

    /// Returns the x of the far edges of a line's words in visual order, and of the document's edge.
    private static func wordEdges(_ layout: TextLayoutManager, _ text: String, toRight: Bool) -> [Double] {
        let breaker = TextBreaker(.word)
        breaker.setText(text)
        // The clusters with their rectangles, from one side to the other.
        var boxes: [(rect: DocumentRect, word: Int?)] = []
        var at: UTF16Offset = 0
        while at < layout.length {
            let end = layout.store.text.graphemeBoundary(after: at)
            let all = DocumentRect(x: -1e6, y: 0, width: 2e6, height: 1e6)
            let rect = layout.geometry.textSegments(for: at..<end, within: all).first?.rect
            let word = breaker.word(holding: at.value)
            if let rect { boxes.append((rect, word.flatMap { $0.isWord ? $0.range.lowerBound : nil })) }
            at = end
        }
        boxes.sort { toRight ? $0.rect.minX < $1.rect.minX : $0.rect.minX > $1.rect.minX }
        var edges: [Double] = []
        for (index, box) in boxes.enumerated() {
            let next = index + 1 < boxes.count ? boxes[index + 1].word : nil
            if let word = box.word, word != next { edges.append(toRight ? box.rect.maxX : box.rect.minX) }
        }
        // After the last word, the move goes to the edge of the text.
        if let last = boxes.last, last.word == nil { edges.append(toRight ? last.rect.maxX : last.rect.minX) }
        return edges
    }

    /// The farthest position of a range on one line is the outermost of its carets.
    @Test func theFarthestPositionOfARangeIsTheOutermostOfItsCarets() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for text in Self.kinds where !text.contains("\n") && !text.isEmpty {
            let layout = Self.layout(text)
            let geometry = TextGeometry(layout)
            for _ in 0..<100 {
                func offset() -> UTF16Offset {
                    layout.store.text.roundedDown(
                        toGrapheme: UTF16Offset(Int.random(in: 0...layout.length.value, using: &random)))
                }
                let (a, b) = (offset(), offset())
                let range = min(a, b)..<max(a, b)
                var xs: [Double] = []
                var at = range.lowerBound
                while true {
                    if at > range.lowerBound { xs.append(layout.geometry.caretRect(at: at, affinity: .upstream).minX) }
                    if at < range.upperBound {
                        xs.append(layout.geometry.caretRect(at: at, affinity: .downstream).minX)
                    }
                    if at >= range.upperBound { break }
                    at = layout.store.text.graphemeBoundary(after: at)
                }
                if range.isEmpty { continue }
                for (side, x) in [(TextLayoutDirection.left, xs.min()), (.right, xs.max())] {
                    let found = geometry.place(in: range, farthest: side)
                    let isInside = range.lowerBound <= found.offset && found.offset <= range.upperBound
                    #expect(isInside, "seed \(seed): \(text) \(range) \(side)")
                    #expect(
                        layout.geometry.caretRect(at: found.offset, affinity: found.affinity).minX == x,
                        "seed \(seed): \(text) \(range) \(side)")
                }
            }
        }
    }
}
