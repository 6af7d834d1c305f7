import InkstoneBase
import InkstoneTesting
import InkstoneText
import InkstoneUnicode
import TextTestSupport
import Testing

@testable import InkstoneLayout

/// A generator of random paragraphs with several directions.
private struct MixedText {
    var random: SeededGenerator
    /// Whether the text contains isolates, embeddings, overrides and brackets.
    var hasControls = true
    var hasBrackets = true

    private static let words = [
        "word", "a", "Latin text", "שלום", "עברית כאן", "א", "السلام", "نص", "٤٢", "17", "3.14", "1,000", "+5%", "50$",
        "!", "-", "…",
        "e\u{301}", "\u{601}٤٢", "\u{6dd}3", "בְּ", "\t", "日本", "👍", "𐤀𐤁",
    ]
    private static let brackets = ["(", ")", "[", "]", "(א)", "(b", "ג)"]
    private static let controls = [
        "\u{202a}", "\u{202b}", "\u{202c}", "\u{202c}", "\u{202d}", "\u{202e}", "\u{2066}", "\u{2067}", "\u{2068}",
        "\u{2069}",
        "\u{2069}", "\u{200f}", "\u{200e}", "\u{61c}",
    ]

    mutating func piece() -> String {
        if hasBrackets, random.once(in: 12) { return Self.brackets[random.below(Self.brackets.count)] }
        if hasControls, random.once(in: 25) { return Self.controls[random.below(Self.controls.count)] }
        return Self.words[random.below(Self.words.count)]
    }

    mutating func text(_ units: Int) -> String {
        var text = ""
        var count = 0
        // Repeat a direction for some units, as in sentences.
        var sticks = 0
        var word = ""
        while count < units {
            if sticks == 0 {
                word = piece()
                sticks = random.once(in: 6) ? random.below(200) : 1
            }
            sticks = max(0, sticks - 1)
            text += word
            if !random.once(in: 4) { text += " " }
            count = text.utf16.count
        }
        return text
    }
}

private func wholeLevels(_ units: [UInt16], _ base: BidiBaseDirection = .natural) -> [UInt8] {
    let found = BidiParagraph(units, baseDirection: base)
    return found.levels.isEmpty ? [UInt8](repeating: found.baseLevel, count: units.count) : found.levels
}

/// Describes the first line whose units are not in the order of the whole paragraph's levels (UAX #9, L1 and L2);
/// nil if all are.
private func firstWrongLine(_ layout: TextLayoutManager) -> String? {
    let text = layout.store.text
    var known: (start: Int, units: [UInt16], levels: [UInt8], base: UInt8)?
    for line in layout.allLines {
        let paragraph = Paragraph(text, holding: line.utf16Range.lowerBound.value)
        if known?.start != paragraph.start {
            let units = text.utf16(in: UTF16Offset(paragraph.start)..<UTF16Offset(paragraph.contentEnd))
            let base = BidiParagraph(units, baseDirection: .natural).baseLevel
            var levels = wholeLevels(units)
            // A mark has its base's position. Directional controls are not marks: U+2069 has the level around its
            // isolate (UAX #9, X6a), U+061C that of an Arabic letter.
            for i in units.indices.dropFirst()
            where units[i - 1] >= 0x20 && BidiClasses.table[Int(units[i])] == BidiClasses.mark {
                levels[i] = levels[i - 1]
            }
            known = (paragraph.start, units, levels, base)
        }
        guard let known else { continue }
        let low = line.fragmentStart + Int(line.record.start) - known.start
        let high = line.fragmentStart + Int(line.record.end) - known.start
        var levels = Array(known.levels[low..<high])
        for i in levels.indices.reversed() {
            guard known.units[low + i] == 0x09 || BidiParagraph.isTrailing(known.units[low + i]) else { break }
            levels[i] = known.base
        }
        let expected = BidiParagraph.visualOrder(of: levels)
        let runs = line.fragment.line(line.index, line.tools).runs
        let found = runs.flatMap { run -> [Int] in
            let units = (Int(run.start)..<Int(run.end)).map { $0 - Int(line.record.start) }
            return run.level & 1 == 1 ? units.reversed() : units
        }
        if found != expected { return "units \(low)..<\(high) of \(known.levels.count): \(found), not \(expected)" }
    }
    return nil
}

@Suite(.timeLimit(.minutes(5))) struct LongParagraphBidiTests {
    private struct Case: CustomStringConvertible, Sendable {
        var units: Int
        var width: Double
        var wraps = true
        var isFormatted = false
        var hasControls = true
        var description: String {
            "\(units) units, \(wraps ? "\(width)" : "unwrapped")\(isFormatted ? ", formatted" : "")\(hasControls ? "" : ", plain")"
        }
    }

    private static let cases =
        [10, 500, 3100, 9000].flatMap { units in
            [true, false].flatMap { hasControls in
                [
                    Case(units: units, width: 90, hasControls: hasControls),
                    Case(units: units, width: 500, hasControls: hasControls),
                    Case(units: units, width: 300, isFormatted: true, hasControls: hasControls),
                ]
            }
        } + [Case(units: 200_000, width: 700), Case(units: 200_000, width: 400, hasControls: false)]

    private static func layout(_ one: Case, _ text: String, _ random: inout SeededGenerator) -> TextLayoutManager {
        let layout = makeLayout(text, width: one.width, wraps: one.wraps)
        guard one.isFormatted else { return layout }
        let large = FontDescriptor(family: "DejaVu Sans", size: 24, language: "en")
        let length = layout.store.text.metrics.utf16
        layout.store.restyle {
            for _ in 0..<1 + length / 100 {
                let low = layout.store.text.scalarBoundary(random.below(length))
                let high = layout.store.text.scalarBoundary(min(length, low + 1 + random.below(60)))
                if low < high { $0.setFont(large, in: UTF16Offset(low)..<UTF16Offset(high)) }
            }
        }
        return TextLayoutManager(sharing: layout, store: layout.store)
    }

    /// In a paragraph of any length, lines are in the order of the whole paragraph's levels, also after edits.
    @Test(arguments: cases) private func linesStandByTheLevelsOfTheWholeParagraph(_ one: Case) {
        var random = SeededGenerator()
        let seed = random.seed
        for round in 0..<(one.units > 5000 ? 1 : 2) {
            var mixed = MixedText(random: random, hasControls: one.hasControls)
            let text = mixed.text(one.units)
            random = mixed.random
            let layout = Self.layout(one, text, &random)
            if let wrong = firstWrongLine(layout) {
                Issue.record("seed \(seed) round \(round): \(wrong)")
                return
            }
            for step in 0..<(one.units > 100_000 ? 1 : 5) {
                let (low, high) = Self.range(in: layout.store.text, &random)
                mixed.random = random
                let new = random.once(in: 9) ? "\n" : random.once(in: 5) ? "" : mixed.piece()
                random = mixed.random
                layout.apply(layout.store.replace(low..<high, with: new))
                if let wrong = firstWrongLine(layout) {
                    Issue.record("seed \(seed) round \(round) step \(step), \(low)..<\(high) by \(new): \(wrong)")
                    return
                }
            }
        }
    }

    /// UAX #9, P2: text within isolates does not decide the direction of a paragraph, however long the isolates are.
    @Test func longIsolatesDoNotDecideTheDirection() {
        var random = SeededGenerator()
        let seed = random.seed
        let words = ["word ", "שלום ", "نص ", "𐤀𐤁", "12 ", ", "]
        for round in 0..<500 {
            var text = String(repeating: " ", count: random.below(70))
            for _ in 0..<random.below(4) {
                text += ["\u{2066}", "\u{2067}", "\u{2068}"][random.below(3)]
                text += String(repeating: words[random.below(words.count)], count: random.below(90))
                if !random.once(in: 4) { text += "\u{2069}" }
            }
            text += words[random.below(words.count)]
            let units = Array(text.utf16)
            let level = BidiParagraph(units, baseDirection: .natural).baseLevel
            let found = Paragraph(Rope(text), ParagraphIndex(0)).direction(in: Rope(text)).direction
            #expect(found == (level == 0 ? .leftToRight : .rightToLeft), "seed \(seed) round \(round): \(units)")
        }
        let layout = makeLayout(
            "\u{2068}" + String(repeating: "שלום ", count: 20) + "\u{2069}"
                + String(repeating: "english words ", count: 400))
        #expect(layout.allLines.allSatisfy { $0.fragment.shaped.baseLevel == 0 })
    }

    private static func range(in text: Rope, _ random: inout SeededGenerator) -> (UTF16Offset, UTF16Offset) {
        let length = text.metrics.utf16
        let low = text.scalarBoundary(random.below(length + 1))
        let high = text.scalarBoundary(min(length, low + (random.once(in: 2) ? 0 : random.below(6))))
        return (UTF16Offset(low), UTF16Offset(max(low, high)))
    }

    /// Levels that are updated through an edit equal newly resolved ones, and the edit reports where they changed.
    @Test(arguments: [true, false], [BidiBaseDirection.leftToRight, .rightToLeft])
    func levelsFollowEditsAsResolvedAnew(_ hasControls: Bool, _ direction: BidiBaseDirection) {
        var random = SeededGenerator()
        let seed = random.seed
        let base: UInt8 = direction == .rightToLeft ? 1 : 0
        for round in 0..<8 {
            var mixed = MixedText(random: random, hasControls: hasControls)
            var rope = Rope(mixed.text(40 + 200 * round))
            var store = LevelStore()
            var before = Self.levels(&store, rope, base)
            for step in 0..<100 {
                var (low, high) = Self.range(in: rope, &mixed.random)
                var new = mixed.random.once(in: 4) ? "" : mixed.piece()
                // Typed letters mostly follow similar ones.
                if low.value > 0, mixed.random.once(in: 2) {
                    let known = rope.utf16(in: UTF16Offset(low.value - 1)..<low)[0]
                    let alike = [BidiClasses.left: "ab", BidiClasses.right: "אב", BidiClasses.arabic: "نص"]
                    if let alike = alike[BidiClasses.table[Int(known)]] { (high, new) = (low, alike) }
                }
                let old = rope
                rope.replace(rope.byteOffset(at: low)..<rope.byteOffset(at: high), with: new)
                let delta = rope.metrics.utf16 - old.metrics.utf16
                let edit = FollowedChange(
                    replacing: low.value..<high.value, insertedEnd: high.value + delta)
                let changed = store.follow(edit, from: old, to: rope)
                let expected = wholeLevels(rope.utf16(in: 0..<UTF16Offset(rope.metrics.utf16)), direction)
                let found = Self.levels(&store, rope, base)
                let missed = expected.indices.filter { unit in
                    if unit >= edit.low, unit < edit.insertedEnd { return false }
                    if changed?.contains(unit) ?? false { return false }
                    return expected[unit] != before[unit < edit.low ? unit : unit - delta]
                }
                if found != expected || !missed.isEmpty {
                    let wrong = expected.indices.filter { found[$0] != expected[$0] }
                    Issue.record(
                        "seed \(seed) round \(round) step \(step) of \(rope.metrics.utf16), \(low)..<\(high) by \(new): wrong at \(wrong.prefix(9)), unsaid \(missed.prefix(9)), said \(changed.map { "\($0)" } ?? "nothing")"
                    )
                    return
                }
                before = expected
            }
            random = mixed.random
        }
    }

    /// A key beside a paired bracket examines as few levels as one between letters.
    @Test(arguments: [" ", ".", "a", "ש"]) func aKeyBesideABracketCostsAsOneBetweenLetters(_ key: String) {
        let rope = Rope(String(repeating: "word (שלום) ab [a (ג) b] 12 שלום ", count: 6000))
        var store = LevelStore()
        _ = Self.levels(&store, rope, 0)
        let line = 33 * 3000
        func milliseconds(_ place: Int) -> Double {
            let at = line + place
            var new = rope
            new.replace(rope.byteOffset(at: UTF16Offset(at))..<rope.byteOffset(at: UTF16Offset(at)), with: key)
            let times = (0..<5).map { _ in
                var copy = store
                let start = LargeText.processorTime
                _ = copy.follow(FollowedChange(replacing: at..<at, insertedEnd: at + 1), from: rope, to: new)
                return LargeText.processorTime - start
            }
            return times.min() ?? 0
        }
        let between = milliseconds(8)
        // Before and after each bracket, and elsewhere.
        for place in [2, 5, 6, 7, 10, 11, 12, 15, 16, 18, 19, 20, 21, 24, 27, 29] {
            let beside = milliseconds(place)
            #expect(beside < 10 * between, "\(place): \(beside) ms, not \(between)")
        }
    }

    /// In a part of a very long paragraph, embeddings and isolates opened before the part apply, and edits of them
    /// too.
    @Test(arguments: [BidiBaseDirection.leftToRight, .rightToLeft]) func openEmbeddingsApplyInLaterParts(
        _ direction: BidiBaseDirection
    ) {
        var mixed = MixedText(random: SeededGenerator(), hasControls: false)
        let seed = mixed.random.seed
        mixed.hasBrackets = false
        var text = ""
        for opening in ["", "\u{202b}", "\u{2068}!", "\u{202d}", "\u{2069}\u{202c}", "\u{2066}"] {
            text += opening + mixed.text(60_000)
        }
        var rope = Rope(text)
        let base: UInt8 = direction == .rightToLeft ? 1 : 0
        var store = LevelStore()
        func check(_ step: String) {
            let paragraph = Paragraph(rope, 0)
            let expected = wholeLevels(rope.utf16(in: 0..<UTF16Offset(rope.metrics.utf16)), direction)
            for low in stride(from: 7000, to: expected.count, by: 23_000) {
                let range = low..<min(expected.count, low + 2000)
                let found = store.levels(range, of: paragraph, base: base, in: rope)
                let wrong = range.first { found.level(at: $0 - low) != expected[$0] }
                #expect(wrong == nil, "seed \(seed), \(step), \(range)")
            }
        }
        check("at first")
        // Remove the first embedding, and insert another.
        for (at, length, new) in [(text.utf16.firstIndex(of: 0x202b), 1, ""), (text.utf16.startIndex, 0, "\u{2067}")] {
            let low = at.map { $0.utf16Offset(in: text) } ?? 0
            let old = rope
            rope.replace(
                rope.byteOffset(at: UTF16Offset(low))..<rope.byteOffset(at: UTF16Offset(low + length)), with: new)
            let edit = FollowedChange(replacing: low..<low + length, insertedEnd: low + new.utf16.count)
            let changed = store.follow(edit, from: old, to: rope)
            #expect(changed?.upperBound == rope.metrics.utf16)
            check("after \(low)..<\(low + length) became \(new.utf16.count)")
        }
    }

    /// An emptied right-to-left paragraph gets levels again when text is typed.
    @Test func anEmptiedParagraphHasLevelsAgain() {
        var store = LevelStore()
        var rope = Rope("אב")
        _ = Self.levels(&store, rope, 1)
        for (range, new) in [(0..<2, ""), (0..<0, "ab")] {
            let old = rope
            rope = Rope(new)
            _ = store.follow(FollowedChange(replacing: range, insertedEnd: new.utf16.count), from: old, to: rope)
        }
        #expect(Self.levels(&store, rope, 1) == [2, 2])
    }

    /// An edit across an edge of the range with known levels: inserted text is resolved, even if it is as long as
    /// the text that it replaces there.
    @Test(arguments: [("é and ", "א"), ("ש and ", "b"), ("ש and ", "א")], [5000, 12_000])
    func textAcrossTheEdgeOfWhatIsKnownIsResolved(_ words: (word: String, letter: String), _ count: Int) {
        let rope = Rope("a" + String(repeating: words.word, count: 50_000))
        let paragraph = Paragraph(rope, 0)
        for isAbove in [true, false] {
            var store = LevelStore()
            _ = store.levels(150_000..<150_500, of: paragraph, base: 0, in: rope)
            // The levels are known from 8,192 units above to 16,384 below: the edit removes as much of that range
            // as it inserts.
            let edge = isAbove ? 150_000 - ParagraphLevels.margin : 150_500 + 2 * ParagraphLevels.margin
            let (low, high) = isAbove ? (edge - 3000, edge + count) : (edge - count, edge + 3000)
            var new = rope
            let inserted = String(repeating: words.letter, count: count)
            new.replace(rope.byteRange(of: UTF16Offset(low)..<UTF16Offset(high)), with: inserted)
            let edit = FollowedChange(replacing: low..<high, insertedEnd: low + count)
            _ = store.follow(edit, from: rope, to: new)
            let part = low + count - 1000..<low + count - 500
            let found = store.levels(part, of: Paragraph(new, 0), base: 0, in: new).levels
            let expected: UInt8 = words.letter == "א" ? 1 : 0
            #expect(
                found.isEmpty ? expected == 0 : found.allSatisfy { $0 == expected }, "\(isAbove), \(found.prefix(3))")
        }
    }

    private static func levels(_ store: inout LevelStore, _ rope: Rope, _ base: UInt8) -> [UInt8] {
        let paragraph = Paragraph(rope, 0)
        let found = store.levels(paragraph.start..<paragraph.contentEnd, of: paragraph, base: base, in: rope)
        return found.levels.isEmpty ? [UInt8](repeating: base, count: paragraph.contentEnd) : found.levels
    }

    /// An unwrapped line is in the order of its whole paragraph's levels, although it is laid out in parts.
    @Test(arguments: [true, false]) func partsOfALineStandInTheOrderOfTheWhole(_ isRightToLeft: Bool) {
        var random = SeededGenerator()
        let seed = random.seed
        var text = isRightToLeft ? "שלום " : "word "
        var isHebrew = false
        while text.utf16.count < 20_000 {
            let words = isHebrew ? ["שלום", "עולם", "17", "כאן"] : ["some", "words", "42", "here"]
            for _ in 0..<20 + random.below(250) { text += words[random.below(4)] + " " }
            isHebrew.toggle()
        }
        let layout = makeLayout(text, width: 500, wraps: false)
        let units = Array(text.utf16)
        let whole = BidiParagraph(units, baseDirection: .natural)
        var levels = whole.levels
        for i in levels.indices.reversed() {
            guard BidiParagraph.isTrailing(units[i]) else { break }
            levels[i] = whole.baseLevel
        }
        // In a right-to-left line, the position of the first part depends on all others.
        _ = layout.allLines
        let lines = layout.allLines.sorted { $0.typographicBounds.minX < $1.typographicBounds.minX }
        #expect(lines.count > 5)
        let found = lines.flatMap { line in
            line.fragment.line(line.index, line.tools).runs.flatMap { run -> [Int] in
                let units = (Int(run.start)..<Int(run.end)).map { $0 + line.fragmentStart }
                return run.level & 1 == 1 ? units.reversed() : units
            }
        }
        let expected = BidiParagraph.visualOrder(of: levels)
        #expect(found.count == expected.count)
        let wrong = zip(found, expected).enumerated().first { $1.0 != $1.1 }
        #expect(wrong == nil, "seed \(seed): \(String(describing: wrong))")
    }

    /// Letters join across the parts of a paragraph, also after a letter beside a boundary has changed.
    @Test(arguments: [true, false]) func lettersJoinAcrossSeams(_ wraps: Bool) throws {
        let letters = ["ب", "ت", "س", "ن", "م"]
        var random = SeededGenerator(seed: 2)
        let layout = makeLayout(
            (0..<6000).map { _ in letters[random.below(5)] }.joined(), width: 300, wraps: wraps)
        func check() throws {
            let units = layout.store.text.utf16(in: 0..<layout.length)
            let tools = layout.document.tools
            let stack = tools.context.stack(for: layout.font)
            let whole = tools.shaper.shape(
                units, styles: [StyleSpan(range: 0..<units.count, stack: stack)], direction: .natural)
            let expected = ShapedGlyphs(whole).glyphs.map { "\($0.cluster):\($0.id)" }
            var found: [String] = []
            var last = -1
            for line in layout.allLines where line.fragmentStart != last {
                last = line.fragmentStart
                found += ShapedGlyphs(line.fragment.shaped).glyphs.map { "\($0.cluster + last):\($0.id)" }
            }
            let wrong = zip(found, expected).first { $0 != $1 }
            #expect(found.count == expected.count && wrong == nil, "\(String(describing: wrong))")
        }
        try check()
        let starts = Set(layout.allLines.map(\.fragmentStart)).sorted()
        try #require(starts.count > 3)
        for (n, new) in ["د", "ب", "دب", ""].enumerated() {
            let seam = Set(layout.allLines.map(\.fragmentStart)).sorted()[2]
            let range = UTF16Offset(seam - 1 + n % 2)..<UTF16Offset(seam + n % 2)
            layout.apply(layout.store.replace(range, with: new))
            try check()
        }
    }

    /// Arrow keys reach every position of a line whose embedding was opened far above it.
    @Test(arguments: [true, false]) func arrowKeysVisitEveryPositionOfALine(_ toRight: Bool) {
        var mixed = MixedText(random: SeededGenerator(seed: 11))
        let layout = makeLayout("a \u{202b}" + mixed.text(8000) + "\u{202c} b", width: 500)
        let lines = layout.allLines
        for line in [lines[lines.count / 2], lines[lines.count * 3 / 4]] {
            let positioned = line.fragment.line(line.index, line.tools)
            // A space at the line's end has the paragraph's level; it hangs beyond the edge, or its end is the
            // start of the next line.
            let stops = positioned.stops.filter { $0.level > 0 }
            var place = CaretPlace(line.utf16Range.lowerBound)
            // To the line's end on one side, and then through the whole line.
            for goesRight in [!toRight, toRight] {
                var xs: Set<Double> = []
                for _ in 0..<4 * line.utf16Range.count {
                    let rect = layout.geometry.caretRect(at: place.offset, affinity: place.affinity)
                    guard rect.minY == line.top else { break }
                    xs.insert(rect.minX)
                    let next = layout.geometry.moveVisually(place, toRight: goesRight)
                    let moved = layout.geometry.caretRect(at: next.offset, affinity: next.affinity)
                    if next == place || moved.minY != line.top { break }
                    place = next
                }
                guard goesRight == toRight else { continue }
                let missed = stops.filter { stop in
                    let (low, high) = (Double(stop.leading >> 6), Double(stop.trailing >> 6))
                    return !xs.contains { abs($0 - low) <= 1 } || !xs.contains { abs($0 - high) <= 1 }
                }
                #expect(missed.isEmpty, "\(line.utf16Range): \(missed.map(\.unit))")
            }
        }
    }
}
