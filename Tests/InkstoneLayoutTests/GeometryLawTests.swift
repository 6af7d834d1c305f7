import InkstoneBase
import InkstoneLayout
import InkstoneText
import InkstoneUnicode
import InkstoneTesting
import Testing

private struct Setup: CustomStringConvertible, Sendable {
    var width: Double
    var wraps = true
    var alignment = ParagraphStyle.Alignment.natural
    var direction = BidiBaseDirection.natural
    var family = "DejaVu Sans"
    var hasHoles = false
    var description: String { "\(width) \(wraps) \(alignment) \(direction) \(family) \(hasHoles ? "holes" : "")" }

    func layout(_ text: String) -> TextLayoutManager {
        var style = ParagraphStyle()
        style.alignment = alignment
        style.baseDirection = direction
        let layout = makeLayout(text, width: width, family: family, wraps: wraps, style: style)
        if hasHoles {
            let (third, high) = (width / 3, 900.0)
            layout.container.exclusionPaths = [
                ExclusionPath(DocumentRect(x: third, y: 10, width: third, height: high / 2)),
                ExclusionPath(ellipseIn: DocumentRect(x: -third, y: high / 2, width: third * 2, height: high / 3)),
            ]
        }
        return layout
    }
}

private let setups = [
    Setup(width: 90), Setup(width: 240), Setup(width: 1000, wraps: false),
    Setup(width: 140, alignment: .justified), Setup(width: 300, alignment: .center),
    Setup(width: 200, direction: .rightToLeft), Setup(width: 160, family: "DejaVu Sans Mono"), Setup(width: 5),
    Setup(width: 180, family: "Noto Sans"), Setup(width: 330, hasHoles: true),
    Setup(width: 280, direction: .rightToLeft, hasHoles: true),
    Setup(width: 400, alignment: .justified, hasHoles: true),
]

private let everything = DocumentRect(x: 0, y: 0, width: 1e6, height: 1e9)

@Suite(.timeLimit(.minutes(5))) struct GeometryLawTests {
    @Test(arguments: setups) private func hitTestIsTheInverseOfCaret(_ setup: Setup) {
        let layout = setup.layout(Samples.document)
        for unit in 0...layout.length.value {
            for affinity in [TextAffinity.upstream, .downstream] {
                let caret = layout.geometry.caretRect(at: UTF16Offset(unit), affinity: affinity)
                let hit = layout.geometry.location(closestTo: DocumentPoint(x: caret.minX, y: caret.minY + 1))
                let back = layout.geometry.caretRect(at: hit.offset, affinity: hit.affinity)
                #expect(
                    abs(back.minX - caret.minX) <= 1 && back.minY == caret.minY,
                    "\(unit) \(affinity): \(caret) → \(hit) → \(back)")
            }
        }
    }

    @Test(arguments: setups) private func adjacentSelectionsTile(_ setup: Setup) {
        let layout = setup.layout(Samples.document)
        let end = layout.length.value
        var random = SeededGenerator(seed: 7)
        for _ in 0..<30 {
            let cuts = (0..<3).map { _ in Int.random(in: 0...end, using: &random) }.sorted()
            func area(_ a: Int, _ b: Int) -> Double {
                layout.geometry.selectionRects(for: UTF16Offset(a)..<UTF16Offset(b), within: everything)
                    .reduce(0) { $0 + $1.rect.width * $1.rect.height }
            }
            let whole = area(cuts[0], cuts[2])
            let parts = area(cuts[0], cuts[1]) + area(cuts[1], cuts[2])
            #expect(whole == parts, "\(cuts)")
        }
    }

    /// A line selected to its end is highlighted to the container's edge, whether it ends by a newline or by
    /// wrapping.
    @Test(arguments: [BidiBaseDirection.natural, .rightToLeft]) func selectedLinesReachTheEdge(
        _ direction: BidiBaseDirection
    ) throws {
        let layout = Setup(width: 140, direction: direction).layout(
            "a wonderful wonderful day\nand a wonderful wonderful night")
        let edge = layout.container.width
        let isRTL = direction == .rightToLeft
        let rects = layout.geometry.selectionRects(for: 2..<layout.length, within: everything)
        let ends = Dictionary(grouping: rects) { $0.rect.minY }.sorted { $0.key < $1.key }.map { line in
            isRTL ? line.value.map(\.rect.minX).min() : line.value.map(\.rect.maxX).max()
        }
        try #require(ends.count > 3)
        #expect(ends.dropLast().allSatisfy { $0.map { isRTL ? $0 <= 0 : $0 >= edge } ?? false }, "\(ends)")
        #expect(ends.last.map { $0.map { isRTL ? $0 > 0 : $0 < edge } ?? false } ?? false, "\(ends)")
    }

    @Test(arguments: setups) private func selectionFlagsAreSetOnce(_ setup: Setup) {
        let layout = setup.layout(Samples.document)
        let end = layout.length.value
        var random = SeededGenerator(seed: 8)
        for _ in 0..<40 {
            let a = Int.random(in: 0...end, using: &random)
            let b = Int.random(in: 0...end, using: &random)
            let range = UTF16Offset(min(a, b))..<UTF16Offset(max(a, b))
            let rects = layout.geometry.selectionRects(for: range, within: everything)
            if rects.isEmpty { continue }
            #expect(rects.count { $0.containsStart } <= 1 && rects.count { $0.containsEnd } <= 1, "\(range)")
            for (first, second) in zip(rects, rects.dropFirst()) where first.utf16Range == second.utf16Range {
                #expect(first.rect.maxX <= second.rect.minX, "\(range): overlap")
            }
        }
    }

    @Test(arguments: setups) private func movingRightThenLeftReturns(_ setup: Setup) {
        for text in Samples.paragraphs {
            let layout = setup.layout("ab\n" + text + "\ncd")
            let rtl = layout.geometry.isParagraphRightToLeft(at: 3)
            var places = [rtl ? layout.geometry.documentEnd : layout.geometry.documentStart]
            for _ in 0..<400 {
                let next = layout.geometry.moveVisually(places[places.count - 1], toRight: true)
                if next == places[places.count - 1] { break }
                places.append(next)
            }
            var at = places[places.count - 1]
            for expected in places.reversed().dropFirst() {
                at = layout.geometry.moveVisually(at, toRight: false)
                let a = layout.geometry.caretRect(at: at.offset, affinity: at.affinity)
                let b = layout.geometry.caretRect(at: expected.offset, affinity: expected.affinity)
                if a != b {
                    Issue.record(
                        "\(text): from \(places.map { "\($0.offset)\($0.affinity)" }) at \(expected), got \(at)")
                    break
                }
            }
        }
    }

    @Test(arguments: setups.filter { !$0.hasHoles }) private func linesCoverTheTextInOrder(_ setup: Setup) {
        let layout = setup.layout(Samples.document)
        var at = UTF16Offset(0)
        var y = 0.0
        for line in layout.allLines {
            #expect(line.utf16Range.lowerBound == at)
            #expect(line.top == y)
            at = line.utf16Range.upperBound
            y += line.typographicBounds.height
        }
        #expect(at == layout.length)
        #expect(layout.usageHeight == y)
    }

    /// Two offsets share a position between texts of opposite directions: hit-testing returns the one in the text
    /// of the lower level.
    @Test func aBoundaryBelongsToTheTextOfTheLowerLevel() {
        let text = "abc אבג def"
        for (direction, expected) in [
            (BidiBaseDirection.leftToRight, "0d 1d 2d 3d 4u 6d 5d 7d 8d 9d 10d 11u"),
            (.rightToLeft, "11d 7d 6d 5d 4d 3d 1d 2d 3u 3u 3u 3u"),
        ] {
            var style = ParagraphStyle()
            style.baseDirection = direction
            let layout = makeLayout(text, style: style)
            var place = direction == .leftToRight ? layout.geometry.documentStart : layout.geometry.documentEnd
            var seen: [String] = []
            for _ in 0..<12 {
                seen.append("\(place.offset)\(place.affinity == .upstream ? "u" : "d")")
                place = layout.geometry.moveVisually(place, toRight: true)
            }
            #expect(seen.joined(separator: " ") == expected)
        }
    }

    @Test func caretsNeverStandInsideGraphemes() {
        let layout = makeLayout("a👩‍👩‍👧‍👦e\u{301}b")
        let inside = layout.geometry.caretRect(at: 4)
        #expect(inside == layout.geometry.caretRect(at: 1))
    }
}

@Suite(.timeLimit(.minutes(5))) struct IncrementalLayoutTests {
    @Test(arguments: [90.0, 240.0, 2000.0], [true, false])
    func anyEditGivesTheSameAsLayoutFromScratch(_ width: Double, _ wraps: Bool) {
        let seed = UInt64(width) + (wraps ? 1 : 0)
        var random = SeededGenerator(seed: seed)
        let layout = makeLayout(Samples.document, width: width, wraps: wraps)
        _ = layout.allLines
        let inserts = ["x", " ", "\n", "שלום", "日本", "👍🏽", "", "two words", "a\nb\nc", "\t", "\u{301}"]
        for step in 0..<80 {
            let length = layout.store.text.metrics.utf16
            let a = Int.random(in: 0...length, using: &random)
            let b = min(length, a + (Bool.random(using: &random) ? 0 : Int.random(in: 0...12, using: &random)))
            let edit = layout.store.replace(
                UTF16Offset(a)..<UTF16Offset(b), with: inserts.randomElement(using: &random)!)
            let before = layout.usageHeight
            let change = layout.apply(edit)
            #expect(change.heightDelta == layout.usageHeight - before, "seed \(seed) step \(step)")
            let fresh = TextLayoutManager(
                store: layout.store, container: layout.container, font: layout.font)
            let old = layout.allLines.map { "\($0.utf16Range) \($0.typographicBounds)" }
            let new = fresh.allLines.map { "\($0.utf16Range) \($0.typographicBounds)" }
            if old != new {
                Issue.record("seed \(seed) step \(step): \(zip(old, new).first { $0 != $1 } ?? ("", ""))")
                break
            }
        }
    }

    @Test func longParagraphFollowsEditsAsFromScratch() {
        let words = (0..<4000).map { "word\($0)" }.joined(separator: " ")
        let layout = makeLayout(words, width: 300)
        _ = layout.allLines
        var random = SeededGenerator(seed: 5)
        for step in 0..<40 {
            let at = UTF16Offset(Int.random(in: 0...layout.store.text.metrics.utf16, using: &random))
            layout.apply(layout.store.replace(at..<at, with: step % 3 == 0 ? "xyz " : "q"))
            let fresh = TextLayoutManager(store: layout.store, container: layout.container, font: layout.font)
            let old = layout.allLines.map { "\($0.utf16Range) \($0.typographicBounds)" }
            let new = fresh.allLines.map { "\($0.utf16Range) \($0.typographicBounds)" }
            if old != new {
                Issue.record("step \(step): \(zip(old, new).first { $0 != $1 } ?? ("", ""))")
                break
            }
        }
    }

    /// A space typed into the first word of a segment may move the word's start to the line above.
    @Test func editsWhereSegmentsStartReachTheLineAbove() {
        let words = (0..<1500).map { "word\($0 &* 7919 % 4093)" }.joined(separator: " ")
        let layout = makeLayout(words, width: 300)
        _ = layout.allLines
        var moved = 0
        for n in 1...10 {
            let starts = layout.textLayoutFragments(in: DocumentRect(x: 0, y: 0, width: 1, height: 1e6))
                .filter(\.continuesParagraph).map(\.utf16Range.lowerBound)
            let start = starts[n * starts.count / 12]
            let above = layout.geometry.lineFragment(at: start - 1).utf16Range
            layout.apply(layout.store.replace((start + 1)..<(start + 1), with: " "))
            if layout.geometry.lineFragment(at: start - 1).utf16Range != above { moved += 1 }
            let fresh = TextLayoutManager(sharing: layout, store: layout.store)
            #expect(layout.allLines.map(\.utf16Range) == fresh.allLines.map(\.utf16Range), "at \(start)")
        }
        #expect(moved > 2)
    }

    @Test func anchorsDoNotDriftWhileHeightsBecomeExact() {
        let text = (0..<3000).map { String(repeating: "lorem ipsum ", count: $0 % 17) }.joined(separator: "\n")
        let layout = makeLayout(text, width: 200)
        let anchor = layout.geometry.scrollAnchor(atY: layout.usageHeight / 2)
        layout.ensureLayout(around: anchor, above: 600, below: 600)
        let before = layout.textLayoutFragments(
            in: DocumentRect(x: 0, y: layout.geometry.y(of: anchor), width: 1, height: 500)
        ).map { ($0.paragraph, $0.layoutFragmentFrame.minY - layout.geometry.y(of: anchor)) }
        _ = layout.textLayoutFragments(in: DocumentRect(x: 0, y: 0, width: 1, height: 5000))
        let after = layout.textLayoutFragments(
            in: DocumentRect(x: 0, y: layout.geometry.y(of: anchor), width: 1, height: 500)
        ).map { ($0.paragraph, $0.layoutFragmentFrame.minY - layout.geometry.y(of: anchor)) }
        #expect(before.map(\.0) == after.map(\.0))
        #expect(before.map(\.1) == after.map(\.1))
    }
}

@Suite(.timeLimit(.minutes(5))) struct LongLineTests {
    private static let text = (0..<6000).map { $0 % 7 == 3 ? "עברית\($0)" : "word\($0)" }.joined(separator: " ")

    @Test(arguments: [true, false]) func longUnwrappedLineIsOneLine(_ rtl: Bool) {
        var style = ParagraphStyle()
        style.baseDirection = rtl ? .rightToLeft : .leftToRight
        let layout = makeLayout("a\n" + Self.text + "\nb", width: 500, wraps: false, style: style)
        let line = layout.lineHeight
        #expect(layout.usageHeight == 3 * line)
        for unit in stride(from: 2, through: layout.length.value - 2, by: 977) {
            let caret = layout.geometry.caretRect(at: UTF16Offset(unit))
            #expect(caret.minY == line)
            let hit = layout.geometry.location(closestTo: DocumentPoint(x: caret.minX, y: caret.minY + 2))
            let back = layout.geometry.caretRect(at: hit.offset, affinity: hit.affinity)
            #expect(abs(back.minX - caret.minX) <= 1, "\(unit) → \(hit)")
        }
        #expect(layout.usageHeight == 3 * line)
    }

    @Test func onlyWhatIsSeenOfALongUnwrappedLineIsLaidOut() {
        let layout = makeLayout(Self.text, width: 500, wraps: false)
        let seen = layout.textLayoutFragments(in: DocumentRect(x: 20_000, y: 0, width: 500, height: 100))
        #expect(seen.count <= 3)
        #expect(!layout.isExact)
        let edges = seen.map { ($0.layoutFragmentFrame.minX, $0.layoutFragmentFrame.maxX) }
        #expect(edges[0].0 <= 20_000 && edges[edges.count - 1].1 >= 20_500)
    }

    @Test func upAndDownCrossALongUnwrappedLineAtTheColumn() {
        let layout = makeLayout("short\n" + Self.text + "\nalso short", width: 500, wraps: false)
        let start = CaretPlace(layout.length)
        let up = layout.geometry.moveVertically(start, lines: -1)
        #expect(
            abs(layout.geometry.caretRect(at: up.offset).minX - layout.geometry.caretRect(at: layout.length).minX) < 10)
        #expect(layout.geometry.moveVertically(up, lines: 1).offset == layout.length)
        #expect(layout.geometry.lineEnd(up).offset == layout.length - 11)
        #expect(layout.geometry.lineStart(up).offset == 6)
    }

    @Test(arguments: [true, false]) func editsOfALongLineGiveWhatALayoutFromScratchGives(_ wraps: Bool) {
        let layout = makeLayout(Self.text, width: 300, wraps: wraps)
        _ = layout.allLines
        for (at, new) in [(10, "x"), (2000, "yy zz "), (30_000, "w"), (100, ""), (20_000, "\n"), (20_000, "")] {
            let range = UTF16Offset(at)..<UTF16Offset(at + (new.isEmpty ? 1 : 0))
            layout.apply(layout.store.replace(range, with: new))
            let fresh = TextLayoutManager(store: layout.store, container: layout.container, font: layout.font)
            _ = (layout.allLines, fresh.allLines)
            #expect(layout.usageHeight == fresh.usageHeight)
            for unit in stride(from: 0, to: layout.length.value, by: 499) {
                let a = layout.geometry.caretRect(at: UTF16Offset(unit))
                let b = fresh.geometry.caretRect(at: UTF16Offset(unit))
                if a != b, wraps || abs(a.minX - b.minX) > 16 {
                    Issue.record("after \(new) at \(at): caret \(unit) \(a), from scratch \(b)")
                    break
                }
            }
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct IdleTests {
    @Test func refinedHeightsAreThoseOfAFullLayout() {
        let text = (0..<400).map { String(repeating: "lorem ipsum ", count: $0 % 13) }.joined(separator: "\n")
        let layout = makeLayout(text, width: 200)
        #expect(!layout.isExact)
        var steps = 0
        while !layout.refineHeights(until: {
            steps += 1
            return steps % 10 == 0
        }) {}
        let full = makeLayout(text, width: 200)
        _ = full.allLines
        #expect(layout.isExact && layout.usageHeight == full.usageHeight)
        layout.apply(layout.store.replace(UTF16Offset(100)..<UTF16Offset(120), with: "x\ny"))
        full.apply(full.store.replace(UTF16Offset(100)..<UTF16Offset(120), with: "x\ny"))
        #expect(layout.usageHeight == full.usageHeight)
        #expect(layout.lineTexts == full.lineTexts)
    }

    @Test func refiningAboveTheViewLeavesTheAnchorAlone() {
        let text = (0..<600).map { String(repeating: "lorem ipsum ", count: $0 % 13) }.joined(separator: "\n")
        let layout = makeLayout(text, width: 200)
        let anchor = ScrollAnchor(offset: UTF16Offset(layout.length.value / 2), distance: 7)
        let before = layout.geometry.y(of: anchor) - layout.geometry.caretRect(at: anchor.offset).minY
        layout.refineHeights { false }
        #expect(layout.geometry.y(of: anchor) - layout.geometry.caretRect(at: anchor.offset).minY == before)
    }
}
