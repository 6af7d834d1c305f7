import InkstoneBase
import InkstoneText
import InkstoneTesting
import Testing
import TextTestSupport

/// A selection is a sorted set of ranges; edits map it by one table of biases.
@Suite(.timeLimit(.minutes(5))) struct SelectionTests {
    private static func selection(_ ranges: [(Int, Int)], primary: Int? = nil) -> Selection {
        let list = ranges.map { SelectionRange(anchor: UTF16Offset($0.0), head: UTF16Offset($0.1)) }
        return Selection(list, primary: primary) ?? Selection(caret: 0)
    }

    struct Merge: Sendable, CustomTestStringConvertible {
        var given: [(Int, Int)]
        var primary: Int
        var expected: String
        var testDescription: String { "\(given) primary \(primary)" }
    }

    @Test(arguments: [
        Merge(given: [(5, 7), (1, 3)], primary: 0, expected: "1→3 5→7*"),
        Merge(given: [(5, 7), (1, 3)], primary: 1, expected: "1→3* 5→7"),
        // Touching ranges stay separate, but a caret merges with a range that it touches.
        Merge(given: [(1, 3), (3, 5)], primary: 1, expected: "1→3 3→5*"),
        Merge(given: [(1, 3), (3, 3)], primary: 1, expected: "1→3"),
        Merge(given: [(3, 3), (3, 5)], primary: 0, expected: "3→5"),
        Merge(given: [(4, 4), (4, 4), (9, 9)], primary: 2, expected: "4 9*"),
        // The primary range determines the direction.
        Merge(given: [(1, 4), (6, 2)], primary: 1, expected: "6→1"),
        Merge(given: [(1, 4), (6, 2)], primary: 0, expected: "1→6"),
        Merge(given: [(6, 1), (3, 3)], primary: 1, expected: "6→1"),
        Merge(given: [(0, 9), (1, 2), (3, 4)], primary: 2, expected: "0→9"),
        Merge(given: [(0, 2), (1, 4), (3, 6), (8, 8)], primary: 3, expected: "0→6 8*"),
    ])
    func rangesThatOverlapBecomeOne(_ c: Merge) {
        #expect(Self.selection(c.given, primary: c.primary).description == c.expected)
    }

    @Test func anEmptyListIsNoSelection() {
        #expect(Selection([]) == nil)
        #expect(Selection([SelectionRange(caret: 3)], primary: 9) == Selection(caret: 3))
    }

    @Test func rangesInAPartOfTheTextAreFoundWithoutTheOthers() {
        let many = Self.selection((0..<1000).map { ($0 * 10, $0 * 10 + 5) })
        #expect(many.ranges(touching: 100..<120).map(\.range) == [100..<105, 110..<115, 120..<125])
        #expect(many.ranges(touching: 106..<109).isEmpty)
        #expect(many.ranges(touching: 105..<105).map(\.range) == [100..<105])
        #expect(many.contains(104) && !many.contains(105))
        #expect(Selection(caret: 4).ranges(touching: 4..<9).count == 1)
        #expect(Selection(caret: 4).ranges(touching: 5..<9).isEmpty)
    }

    // MARK: Mapping

    struct Mapping: Sendable, CustomTestStringConvertible {
        var before: (Int, Int)
        var replaced: Range<Int>
        var inserted: Int
        var after: String
        var testDescription: String { "\(before) over \(replaced)+\(inserted)" }
    }

    @Test(arguments: [
        // A caret moves after text inserted at it.
        Mapping(before: (3, 3), replaced: 3..<3, inserted: 2, after: "5"),
        // Text that others insert at an end of a range stays outside.
        Mapping(before: (3, 6), replaced: 6..<6, inserted: 2, after: "3→6"),
        Mapping(before: (6, 3), replaced: 6..<6, inserted: 2, after: "6→3"),
        Mapping(before: (3, 6), replaced: 3..<3, inserted: 2, after: "5→8"),
        Mapping(before: (3, 6), replaced: 4..<4, inserted: 2, after: "3→8"),
        // The ends of a replaced range stay its ends.
        Mapping(before: (3, 6), replaced: 3..<6, inserted: 1, after: "3→4"),
        Mapping(before: (3, 6), replaced: 1..<4, inserted: 3, after: "4→6"),
        Mapping(before: (3, 6), replaced: 5..<8, inserted: 3, after: "3→5"),
        // A range whose text was deleted becomes a caret; a caret never becomes a range.
        Mapping(before: (3, 6), replaced: 2..<8, inserted: 4, after: "6"),
        Mapping(before: (6, 3), replaced: 0..<9, inserted: 0, after: "0"),
    ])
    func anEditMovesASelection(_ c: Mapping) {
        let store = TextStore(Rope("0123456789"))
        let map = store.replace(
            UTF16Offset(c.replaced.lowerBound)..<UTF16Offset(c.replaced.upperBound),
            with: String(repeating: "x", count: c.inserted)
        ).changes.changeMap
        let before = Selection(anchor: UTF16Offset(c.before.0), head: UTF16Offset(c.before.1))
        #expect(before.mapped { map.map($0, bias: $1) }.description == c.after)
    }

    @Test func textOfAFileIsInsertedBehindTheCaretAndKeepsItsColumn() {
        let store = TextStore(Rope("ab"))
        var range = SelectionRange(caret: 2)
        range.goalX = 77
        let map = store.replace(2..<2 as Range<UTF16Offset>, with: "more", origin: .load).changes.changeMap
        let after = Selection(range).mapped(caret: .upstream) { map.map($0, bias: $1) }
        #expect(after.head == 2 && after.primary.goalX == 77)
        #expect(Selection(range).mapped { map.map($0, bias: $1) }.primary.goalX == nil)
    }

    // MARK: Laws

    /// Describes a violated invariant of a selection; nil if there is none.
    private static func problem(_ selection: Selection) -> String? {
        let ranges = selection.ranges
        if ranges.isEmpty { return "no range" }
        guard ranges.indices.contains(selection.primaryIndex) else { return "no primary" }
        if ranges[selection.primaryIndex] != selection.primary { return "another primary" }
        for (a, b) in zip(ranges, ranges.dropFirst()) {
            if a.range.upperBound > b.range.lowerBound { return "overlap" }
            if a.range.upperBound == b.range.lowerBound, a.isCaret || b.isCaret { return "a caret at an edge" }
        }
        if let again = Selection(ranges, primary: selection.primaryIndex), again != selection {
            return "normalising again gives \(again)"
        }
        return nil
    }

    /// Ranges are sorted and disjoint, no caret touches a range, and normalizing is idempotent. Mapping inverts or
    /// adds no range, and never includes text inserted at an end.
    @Test func randomSelectionsKeepTheirLawsThroughRandomEdits() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for round in 0..<100_000 {
            let length = Int.random(in: 0...24, using: &random)
            var list: [SelectionRange] = []
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                list.append(
                    SelectionRange(
                        anchor: UTF16Offset(Int.random(in: 0...length, using: &random)),
                        head: UTF16Offset(Int.random(in: 0...length, using: &random))))
            }
            let primary = Int.random(in: 0..<list.count, using: &random)
            guard let selection = Selection(list, primary: primary) else { continue }
            var failure = Self.problem(selection)
            let held = list[primary].range
            if !selection.primary.range.holds(held) { failure = "the primary range is elsewhere" }
            // Normalizing changes the selectedness of no offset.
            for at in 0..<length where failure == nil {
                let isSelected = list.contains { $0.range.contains(UTF16Offset(at)) }
                if isSelected != selection.contains(UTF16Offset(at)) { failure = "other text is selected" }
            }
            // The edit as a list of the old units, with nil for inserted ones.
            let low = Int.random(in: 0...length, using: &random)
            let high = Int.random(in: low...min(length, low + 6), using: &random)
            let inserted = Int.random(in: 0...4, using: &random)
            let units: [Int?] = Array(0..<low) + Array(repeating: nil, count: inserted) + Array(high..<length)
            func map(_ offset: UTF16Offset, _ bias: TextAffinity) -> UTF16Offset {
                let at = offset.value
                if at < low { return offset }
                if at > high { return offset + (inserted - (high - low)) }
                if high > low, at == low { return UTF16Offset(low) }
                if high > low, at == high { return UTF16Offset(low + inserted) }
                return UTF16Offset(bias == .downstream ? low + inserted : low)
            }
            let mapped = selection.mapped(through: map)
            failure = failure ?? Self.problem(mapped)
            if mapped.count > selection.count { failure = "more ranges" }
            for range in mapped.ranges where failure == nil {
                let part = units[range.range.lowerBound.value..<range.range.upperBound.value]
                // Selected units were selected before; new text is selected only in place of selected text.
                for case let unit? in part where !selection.contains(UTF16Offset(unit)) { failure = "selects \(unit)" }
                if part.contains(nil), high == low, part.first == .some(nil) || part.last == .some(nil) {
                    failure = "selects what was inserted at an end"
                }
            }
            for range in selection.ranges where failure == nil && selection.count == 1 {
                let after = mapped.primary
                if !after.isCaret, (range.anchor < range.head) != (after.anchor < after.head) { failure = "inverted" }
            }
            if let failure {
                Issue.record(
                    "seed \(seed), round \(round): \(failure); \(selection) → \(mapped), \(low)..<\(high)+\(inserted)")
                return
            }
        }
    }
}

extension Range {
    fileprivate func holds(_ other: Self) -> Bool { lowerBound <= other.lowerBound && other.upperBound <= upperBound }
}
