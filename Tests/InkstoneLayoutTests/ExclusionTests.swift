import InkstoneBase
import InkstoneLayout
import InkstoneText
import InkstoneUnicode
import InkstoneTesting
import Testing

private let words = String(repeating: "the quick brown fox jumps over the lazy dog ", count: 12)

/// Creates a layout with exclusion paths.
private func layout(
    _ text: String, width: Double = 420, _ paths: [ExclusionPath], style: ParagraphStyle = ParagraphStyle()
) -> TextLayoutManager {
    let layout = makeLayout(text, width: width, style: style)
    layout.container.exclusionPaths = paths
    return layout
}

private func hole(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> ExclusionPath {
    ExclusionPath(DocumentRect(x: x, y: y, width: width, height: height))
}

/// Returns the line fragments in rows of equal height.
private func rows(_ layout: TextLayoutManager) -> [[TextLineFragment]] {
    var rows: [[TextLineFragment]] = []
    for line in layout.allLines {
        if let last = rows.last?.last, last.top == line.top {
            rows[rows.count - 1].append(line)
        } else {
            rows.append([line])
        }
    }
    return rows
}

/// Returns the horizontal extent of a line's ink.
private func ink(_ line: TextLineFragment) -> ClosedRange<Double>? {
    let xs = line.glyphs.map { Double($0.x) }
    guard let low = xs.min(), let high = xs.max() else { return nil }
    return low...high
}

/// Returns the horizontal extent of a line's text without trailing spaces.
private func extent(_ line: TextLineFragment, in layout: TextLayoutManager) -> ClosedRange<Double>? {
    let text = layout.store.text.string(in: line.utf16Range)
    let visible = text.reversed().drop { $0.isWhitespace }.reduce(0) { $0 + $1.utf16.count }
    guard visible > 0 else { return nil }
    let low = line.utf16Range.lowerBound
    let (a, b) = (
        layout.geometry.caretRect(at: low).minX, layout.geometry.caretRect(at: low + visible, affinity: .upstream).minX
    )
    return min(a, b)...max(a, b)
}

@Suite(.timeLimit(.minutes(5))) struct ExclusionTests {
    @Test func aHoleInTheMiddleGivesTwoFragmentsToEachLine() {
        let layout = layout(words, [hole(150, 19, 100, 38)])
        let rows = rows(layout)
        #expect(rows.map(\.count).prefix(5) == [1, 2, 2, 1, 1])
        for row in rows[1...2] {
            #expect(ink(row[0])!.upperBound < 150 && ink(row[1])!.lowerBound == 250)
            #expect(row[0].utf16Range.upperBound == row[1].utf16Range.lowerBound)
            #expect(row[0].isWrapped)
        }
        #expect(rows.indices.allSatisfy { rows[$0][0].top == Double($0) * layout.lineHeight })
        #expect(layout.usageHeight == Double(rows.count) * layout.lineHeight)
    }

    @Test func paragraphsFromRightToLeftFillFromTheRight() {
        var style = ParagraphStyle()
        style.baseDirection = .rightToLeft
        let text = String(repeating: "שלום עולם טוב ", count: 20)
        let row = rows(layout(text, [hole(150, 0, 100, 19)], style: style))[0]
        #expect(row.count == 2)
        #expect(ink(row[0])!.lowerBound >= 250 && ink(row[1])!.upperBound < 150)
        #expect(row[0].utf16Range.lowerBound == 0)
    }

    @Test func bidirectionalTextGoesRoundAHole() {
        let text = String(repeating: "abc אבג דהו def 123 ", count: 12)
        let layout = layout(text, [hole(160, 0, 90, 57)])
        let row = rows(layout)[0]
        #expect(row.count == 2)
        let range = row[0].utf16Range.lowerBound..<row[1].utf16Range.upperBound
        let rects = layout.geometry.selectionRects(for: range, within: DocumentRect(x: 0, y: 0, width: 420, height: 19))
        #expect(Set(rects.map(\.isRightToLeft)) == [true, false])
        for rect in rects.map(\.rect) where rect.width > 6 {
            #expect(rect.maxX <= 166 || rect.minX >= 250, "\(rect)")
        }
        #expect(rects.count { $0.containsStart } == 1 && rects.count { $0.containsEnd } == 1)
    }

    @Test func hitsAndMovesDistinguishTheFragmentsOfARow() {
        let layout = layout(words, [hole(150, 0, 100, 57)])
        let row = rows(layout)[1]
        let left = layout.geometry.location(closestTo: DocumentPoint(x: 20, y: row[0].top + 5)).offset
        let right = layout.geometry.location(closestTo: DocumentPoint(x: 300, y: row[0].top + 5)).offset
        #expect(row[0].utf16Range.contains(left) && row[1].utf16Range.contains(right))
        // A point within the gap belongs to the nearer fragment.
        let near = layout.geometry.location(closestTo: DocumentPoint(x: 240, y: row[0].top + 5)).offset
        #expect(near == row[1].utf16Range.lowerBound)
        #expect(layout.geometry.characterRange(at: DocumentPoint(x: 200, y: row[0].top + 5)) == nil)
        #expect(layout.geometry.characterRange(at: DocumentPoint(x: 255, y: row[0].top + 5))?.lowerBound == near)
        let down = layout.geometry.moveVertically(CaretPlace(right), lines: 1)
        #expect(layout.geometry.caretRect(at: down.offset).minY == row[0].top + layout.lineHeight)
        #expect(layout.geometry.caretRect(at: down.offset).minX >= 250)
        let up = layout.geometry.moveVertically(down, lines: -1)
        #expect(up.offset == right)
    }

    /// A circle, a triangle, a ring with text inside, and paths that cross.
    private static let shapes: [[ExclusionPath]] = [
        [ExclusionPath(ellipseIn: DocumentRect(x: 120, y: 40, width: 160, height: 160))],
        [
            ExclusionPath(points: [
                DocumentPoint(x: 200, y: 5), DocumentPoint(x: 390, y: 180), DocumentPoint(x: 20, y: 180),
            ])
        ],
        [hole(60, 30, 300, 10), hole(60, 30, 10, 150), hole(350, 30, 10, 150)],
        [hole(100, 0, 100, 100), hole(150, 50, 100, 100), hole(-50, 120, 90, 60)],
    ]

    @Test(arguments: shapes.indices) func noGlyphStandsInAPath(_ index: Int) {
        let paths = Self.shapes[index]
        let layout = layout(words + "\n" + words, paths)
        var text = UTF16Offset(0)
        var narrowed = 0
        for line in layout.allLines {
            #expect(line.utf16Range.lowerBound == text)
            text = line.utf16Range.upperBound
            guard let ink = extent(line, in: layout) else { continue }
            // The ellipse is approximated by a polygon, so sample the line's height with the path's own rule.
            for y in stride(from: line.top + 1, to: line.top + layout.lineHeight, by: 3) {
                for x in Array(stride(from: ink.lowerBound + 0.5, to: ink.upperBound, by: 2)) + [ink.upperBound - 0.5] {
                    #expect(!paths.contains { Self.contains($0, x, y) }, "\(line.utf16Range) at \(x) \(y)")
                }
            }
            if line.typographicBounds.width < 250 { narrowed += 1 }
        }
        #expect(text == layout.length && narrowed > 3)
    }

    /// A pixel is free exactly if no part of a path covers it.
    @Test(arguments: [(0.0, true), (0.9, true), (1, true), (-0.1, false), (-1, false)])
    func aWordStandsBesideAPathIfItFitsToThePixel(_ room: Double, _ fits: Bool) {
        for (word, rtl) in [("abcd", false), ("אבגד", true)] {
            let width = makeLayout(word).allLines[0].typographicBounds.width
            let edge = rtl ? 420 - width - room - 50 : width + room
            let line = layout(word, [hole(edge, 0, 50, 19)]).allLines[0].typographicBounds
            if rtl {
                #expect(line.maxX == (fits ? 420 : edge.rounded(.down)), "\(line)")
            } else {
                #expect(line.minX == (fits ? 0 : (edge + 50).rounded(.up)), "\(line)")
            }
            #expect(line.minY == 0)
        }
    }

    private static func contains(_ path: ExclusionPath, _ x: Double, _ y: Double) -> Bool {
        var inside = false
        let points = path.points
        for (a, b) in zip(points, points.dropFirst() + points.prefix(1)) where (a.y > y) != (b.y > y) {
            if x < a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x) { inside.toggle() }
        }
        return inside
    }

    @Test func wordsThatFitNowhereBesideAPathGoOnAndLongerOnesAreCut() {
        let tall = [hole(40, 0, 380, 57)]
        let words = layout("a pneumonoultra b", width: 420, tall)
        #expect(words.lineTexts.first == "a ")
        #expect(words.allLines[1].top == 3 * words.lineHeight)
        let long = layout(String(repeating: "x", count: 200), width: 420, tall)
        #expect(long.allLines[0].top == 0 && long.allLines[0].utf16Range.count < 6)
    }

    @Test func aPathAcrossTheWholeWidthLeavesRowsEmpty() {
        let layout = layout("one\ntwo", [hole(-10, 0, 500, 50)])
        #expect(layout.allLines.map(\.top) == [57, 76])
        #expect(layout.usageHeight == 95)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func anyEditGivesTheSameAsLayoutFromScratch(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let paths = Self.shapes[Int(seed) - 1] + [hole(0, 400, 200, 120)]
        let layout = layout(Samples.document, width: 300, paths)
        let inserts = ["x", " ", "\n", "שלום", "日本", "", "two words and more", "a\nb\nc", "\t"]
        for step in 0..<30 {
            let length = layout.length.value
            let a = Int.random(in: 0...length, using: &random)
            let b = min(length, a + Int.random(in: 0...9, using: &random))
            let before = layout.usageHeight
            let edit = layout.store.replace(
                UTF16Offset(a)..<UTF16Offset(b), with: inserts.randomElement(using: &random)!)
            let change = layout.apply(edit)
            if layout.isExact { #expect(abs(change.heightDelta - (layout.usageHeight - before)) <= 1) }
            let fresh = TextLayoutManager(sharing: layout, store: layout.store)
            let old = layout.allLines.map { "\($0.utf16Range) \($0.typographicBounds)" }
            let new = fresh.allLines.map { "\($0.utf16Range) \($0.typographicBounds)" }
            if old != new {
                Issue.record("seed \(seed) step \(step): \(zip(old, new).first { $0 != $1 } ?? ("", ""))")
                break
            }
        }
    }

    @Test func aLongParagraphGoesRoundAHoleToo() {
        let text = (0..<1500).map { "word\($0)" }.joined(separator: " ")
        let paths = [hole(100, 0, 120, 900)]
        let layout = layout(text, width: 400, paths)
        // Querying the end first lays out the text beside the hole first.
        let caret = layout.geometry.caretRect(at: layout.length)
        let fresh = TextLayoutManager(sharing: layout, store: layout.store)
        let lines = fresh.allLines
        #expect(lines.filter { $0.top < 880 }.count > 90)
        let beside = layout.allLines.filter { $0.top < 900 }.map { "\($0.utf16Range) \($0.typographicBounds)" }
        #expect(beside == lines.filter { $0.top < 900 }.map { "\($0.utf16Range) \($0.typographicBounds)" })
        #expect(caret.minY > 900)
    }
}
