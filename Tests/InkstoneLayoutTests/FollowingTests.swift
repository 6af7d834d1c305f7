import InkstoneBase
import InkstoneTesting
import InkstoneText
import InkstoneUnicode
import Testing
import TextTestSupport

@testable import InkstoneLayout

/// A layout that follows transactions of several sections equals a new layout of the same text.
@Suite(.timeLimit(.minutes(5))) struct FollowingTests {
    /// Describes the visible layout: each line's position, text and glyphs.
    private static func lines(_ layout: TextLayoutManager) -> [String] {
        layout.allLines.map { line in
            let glyphs = line.glyphs.map { "\($0.glyph)@\($0.x),\($0.y)" }.joined(separator: " ")
            return "\(line.utf16Range) \(line.top)+\(line.bottom - line.top) \(glyphs)"
        }
    }

    /// Applies replacements as one transaction; returns the layout's change.
    private static func replace(
        _ replacements: [(Range<Int>, String)], _ store: TextStore, _ layout: TextLayoutManager
    ) -> LayoutChange? {
        var builder = TextChangeSet.Builder(over: store.text)
        for (range, new) in replacements {
            builder.replace(UTF16Offset(range.lowerBound)..<UTF16Offset(range.upperBound), with: new)
        }
        return store.apply(Transaction(on: store, builder.finish(), origin: .program)).map(layout.apply)
    }

    /// Returns the fragments that have lines, by identity.
    private static func laid(_ layout: TextLayoutManager) -> Set<ObjectIdentifier> {
        var found: Set<ObjectIdentifier> = []
        layout.document.tree.forEachLayout { found.insert(ObjectIdentifier($0)) }
        return found
    }

    /// Queried in any order and among edits, an empty paragraph has the direction of the last non-empty one among
    /// the hundred before it.
    @Test func emptyParagraphsRunAsTheTextBeforeThem() {
        var random = SeededGenerator()
        let pieces = ["a\n", "\n\n\n", "ש\n", "12\n", String(repeating: "\n", count: 60), "\n"]
        let layout = makeLayout("")
        for _ in 0..<30 {
            let text = (0..<12).map { _ in pieces[random.below(pieces.count)] }.joined()
            layout.document.text = Rope(text)
            let paragraphs = text.split(separator: "\n", omittingEmptySubsequences: false)
            var index = random.below(paragraphs.count)
            for _ in 0..<60 {
                index = random.once(in: 4) ? random.below(paragraphs.count) : (index + 1) % paragraphs.count
                guard paragraphs[index].isEmpty else { continue }
                let before = paragraphs[max(0, index - 100)..<index].last { !$0.isEmpty }
                #expect(
                    layout.document.inheritedDirection(of: index) == (before == "ש" ? .rightToLeft : .leftToRight),
                    "\(index) of \(paragraphs), seed \(random.seed)")
            }
        }
    }

    /// In a long row of empty paragraphs, each takes the direction of the one before it.
    @Test func aRowOfEmptyParagraphsIsGoneThroughOnce() {
        func time(_ text: String) -> Double {
            let layout = makeLayout(text)
            let start = LargeText.processorTime
            for index in stride(from: 201, to: 4000, by: 2) { _ = layout.document.inheritedDirection(of: index) }
            return LargeText.processorTime - start
        }
        let (alone, inRow) = (time(String(repeating: "a\n\n", count: 2000)), time(String(repeating: "\n", count: 4000)))
        // It would take fifty times as long if each empty paragraph searched a hundred.
        #expect(inRow < 10 * alone, "\(inRow) ms and \(alone) ms")
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64], [90.0, 400.0])
    func linesAreThoseOfTheNewText(_ seed: UInt64, _ width: Double) {
        var random = SeededGenerator(seed: seed)
        let layout = makeLayout(Samples.document, width: width, wraps: seed != 4)
        let inserts = ["x", "\n", "שלום", "日本", "", "two words", "a\r\nb", "\r", "\n\n", "👍🏽", "\t"]
        for step in 0..<12 {
            _ = layout.allLines
            let length = layout.length.value
            var places = (0..<Int.random(in: 2...90, using: &random)).map { _ in
                Int.random(in: 0...length, using: &random)
            }
            places.sort()
            var at = 0
            var replacements: [(Range<Int>, String)] = []
            for place in places where place >= at {
                let end = min(length, place + Int.random(in: 0...3, using: &random))
                replacements.append((place..<end, inserts.randomElement(using: &random) ?? ""))
                at = end + Int.random(in: 0...1, using: &random)
            }
            _ = Self.replace(replacements, layout.store, layout)
            let anew = TextLayoutManager(sharing: layout, store: layout.store)
            #expect(Self.lines(layout) == Self.lines(anew), "seed \(seed) step \(step)")
            #expect(layout.usageHeight == anew.usageHeight, "seed \(seed) step \(step)")
        }
    }

    /// A layout that is notified of transactions late must apply each to the text that it produced.
    @Test func transactionsMayBeFollowedLate() {
        let layout = makeLayout(Samples.document, width: 90)
        _ = layout.allLines
        let store = layout.store
        var made: [AppliedTransaction] = []
        let observation = store.observeTransactions { made.append($0) }
        for step in 0..<8 {
            var builder = TextChangeSet.Builder(over: store.text)
            let end = store.text.utf16Range.upperBound
            builder.replace(UTF16Offset(step)..<UTF16Offset(step + 2), with: "late \(step)\n")
            if step % 2 == 0 { builder.replace((end - step - 3)..<(end - step), with: "日本\n") }
            store.apply(Transaction(on: store, builder.finish(), origin: .program))
        }
        store.undo()
        for applied in made { layout.apply(applied) }
        #expect(made.count == 9)
        #expect(layout.length == store.text.utf16Range.upperBound)
        #expect(Self.lines(layout) == Self.lines(TextLayoutManager(sharing: layout, store: store)))
        withExtendedLifetime(observation) {}
    }

    /// A delegate that gives paragraphs a custom fragment if the store's text has a "q" at their start.
    private final class Quotes: TextLayoutManagerDelegate {
        struct Fragment: CustomTextLayoutFragment {}

        func textLayoutManager(
            _ manager: TextLayoutManager, textLayoutFragmentFor location: UTF16Offset, in _: any TextElement
        ) -> (any CustomTextLayoutFragment)? {
            let rest = manager.store.text.slice(location..<manager.store.text.utf16Range.upperBound)
            return "\(rest)".hasPrefix("q") ? Fragment() : nil
        }
    }

    /// After a transaction of several sections, a delegate is asked about positions of the finished text only.
    @Test func aDelegateIsAskedAboutPositionsOfTheFinishedText() {
        let layout = makeLayout("one\nq one\none\nq two\none\n")
        let quotes = Quotes()
        layout.delegate = quotes
        func areCustom() -> [Bool] {
            (0..<5).map { line in
                let start = layout.allLines[line].utf16Range.lowerBound
                return layout.textLayoutFragment(for: start).custom != nil
            }
        }
        #expect(areCustom() == [false, true, false, true, false])
        _ = Self.replace([(0..<3, "eleven"), (6..<9, "eleven"), (10..<13, "eleven")], layout.store, layout)
        #expect(areCustom() == [false, true, false, true, false])
        _ = Self.replace([(0..<6, "one"), (9..<15, "one"), (16..<22, "one")], layout.store, layout)
        #expect(areCustom() == [false, true, false, true, false])
    }

    /// A delegate that is asked while a layout follows transactions of several sections sees at each position what
    /// is there in the finished text: the custom fragments are those of a new layout, as are the lines.
    @Test(arguments: [1, 2, 3] as [UInt64], [90.0, 400.0])
    func fragmentsOfADelegateAreThoseOfTheNewText(_ seed: UInt64, _ width: Double) {
        var random = SeededGenerator(seed: seed)
        let long = String(repeating: "a long paragraph with many words ", count: seed % 3 != 0 ? 100 : 10)
        let text = (0..<40).map { $0 == 20 ? long : "\($0 % 3 == 0 ? "q" : "")paragraph \($0)" }.joined(separator: "\n")
        let layout = makeLayout(text, width: width, wraps: seed % 3 != 0)
        let quotes = Quotes()
        layout.delegate = quotes
        func custom(_ layout: TextLayoutManager) -> [Bool] {
            layout.allLines.map { layout.textLayoutFragment(for: $0.utf16Range.lowerBound).custom != nil }
        }
        let inserts = ["q", "x", "\n", "\nq", "שלום", "", "q\nqqq\n", "\r\n", "日本"]
        for step in 0..<8 {
            // Sometimes all is laid out, sometimes only the start.
            if step % 3 == 0 { _ = layout.textLayoutFragment(for: 30) } else { _ = layout.allLines }
            let length = layout.length.value
            let places = (0..<Int.random(in: 2...12, using: &random)).map { _ in
                // Often at the start of a paragraph, which the delegate checks.
                let at = Int.random(in: 0...length, using: &random)
                let paragraph = layout.store.text.utf16Range(of: layout.store.text.paragraphIndex(at: UTF16Offset(at)))
                return random.once(in: 2) ? at : paragraph.lowerBound.value
            }.sorted()
            var at = 0
            var replacements: [(Range<Int>, String)] = []
            for place in places where place >= at {
                let end = min(length, place + Int.random(in: 0...3, using: &random))
                replacements.append((place..<end, inserts.randomElement(using: &random) ?? ""))
                at = end + Int.random(in: 0...1, using: &random)
            }
            _ = Self.replace(replacements, layout.store, layout)
            let anew = TextLayoutManager(sharing: layout, store: layout.store)
            anew.delegate = quotes
            #expect(custom(layout) == custom(anew), "seed \(seed) step \(step)")
            #expect(Self.lines(layout) == Self.lines(anew), "seed \(seed) step \(step)")
            #expect(layout.usageHeight == anew.usageHeight, "seed \(seed) step \(step)")
        }
    }

    /// Each section lays out only its own paragraph, up to a limit; with more sections, everything between is laid
    /// out again.
    @Test(arguments: [1, 2, 63, 64, 65], [false, true])
    func onlyTheParagraphsTouchedAreLaidOutAnew(_ sections: Int, _ hasDelegate: Bool) throws {
        let layout = makeLayout((0..<200).map { "paragraph number \($0)" }.joined(separator: "\n"), width: 1000)
        let quotes = Quotes()
        if hasDelegate { layout.delegate = quotes }
        _ = layout.allLines
        let before = Self.laid(layout)
        let text = layout.store.text
        let change = try #require(
            Self.replace(
                (0..<sections).map {
                    let start = text.utf16Range(of: ParagraphIndex($0 * 3)).lowerBound.value
                    return (start..<start, "x")
                }, layout.store, layout))
        let kept = before.intersection(Self.laid(layout)).count
        let between = 200 - ((sections - 1) * 3 + 1)
        #expect(kept == (sections <= DocumentLayout.sectionLimit ? 200 - sections : between))
        #expect(change.heightDelta == 0)
        let bottom = Double((sections - 1) * 3 + 1) * layout.lineHeight
        #expect(change.band.minY == 0 && change.band.maxY >= bottom)
        if sections <= DocumentLayout.sectionLimit { #expect(change.band.maxY == bottom) }
    }

    @Test func fragmentsBelowMoveByAllSectionsTogether() throws {
        let layout = makeLayout("a\nb\nc\nd\ne\nf", width: 1000)
        _ = layout.allLines
        let change = try #require(Self.replace([(0..<0, "1\n2\n"), (2..<4, ""), (6..<6, "\n")], layout.store, layout))
        #expect(layout.store.text.description == "1\n2\na\nc\n\nd\ne\nf")
        #expect(change.heightDelta == 2 * layout.lineHeight)
        #expect(change.utf16Range.lowerBound == 0 && change.utf16Range.upperBound >= 9)
        #expect(change.band.minY == 0 && change.band.maxY >= 6 * layout.lineHeight)
    }
}
