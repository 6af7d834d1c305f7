import InkstoneBase
import InkstoneText
import Testing

@testable import InkstoneLayout

/// A delegate that hides paragraphs, and counts its calls.
private final class Hiding: TextContentStorageDelegate {
    var shown: Set<Int>
    var asked = 0

    init(shown: Set<Int>) { self.shown = shown }

    func textContentManager(_: any TextContentManager, shouldEnumerate element: any TextElement) -> Bool {
        asked += 1
        return shown.contains((element as? TextParagraph)?.index.value ?? -1)
    }

    func textContentStorage(_: TextContentStorage, textParagraphWith paragraph: TextParagraph) -> TextParagraph? { nil }
}

/// A large number of consecutive hidden paragraphs.
@Suite(.timeLimit(.minutes(5))) struct HiddenParagraphTests {
    private static let count = 30_000

    @Test func knownHiddenParagraphsAreSkipped() throws {
        let layout = makeLayout(String(repeating: "a\n", count: Self.count) + "end")
        let hiding = Hiding(shown: [0, Self.count])
        (layout.textContentManager as? TextContentStorage)?.delegate = hiding
        let end = UTF16Offset(2 * Self.count)
        func step() -> [UTF16Offset] {
            let last = layout.geometry.lineFragment(atY: 1e9).utf16Range.lowerBound
            let down = layout.document.adjacentLine(to: layout.document.placedLine(at: 0, .downstream), below: true)
            let up = layout.document.adjacentLine(to: layout.document.placedLine(at: end, .downstream), below: false)
            let passed = [
                layout.document.passHidden(10, forward: true), layout.document.passHidden(10, forward: false),
            ]
            return [last, UTF16Offset(down?.start ?? -1), UTF16Offset(up?.start ?? -1)] + passed.compactMap { $0 }
        }
        let wanted = [end, end, 0, end, 1]
        #expect(step() == wanted)
        // Their lines are dropped, and moving across them does not ask the delegate again.
        #expect(layout.textLayoutFragments(in: DocumentRect(x: 0, y: 0, width: 100, height: 100)).count == 2)
        hiding.asked = 0
        #expect(step() == wanted)
        #expect(layout.textLayoutFragments(in: DocumentRect(x: 0, y: 0, width: 100, height: 100)).count == 2)
        #expect(hiding.asked <= 8, "\(hiding.asked)")
        withExtendedLifetime(hiding) {}
    }

    @Test func theEndOfALineBeforeHiddenTextIsBeforeItsLineEnd() {
        for newline in ["\n", "\r\n"] {
            let layout = makeLayout("one\(newline)two\(newline)three")
            let hiding = Hiding(shown: [0, 2])
            (layout.textContentManager as? TextContentStorage)?.delegate = hiding
            let hidden = UTF16Offset(3 + newline.utf16.count + 1)
            #expect(layout.document.passHidden(hidden, forward: false) == 3)
            withExtendedLifetime(hiding) {}
        }
    }

    @Test func movesDoNothingWhereAllParagraphsAreHidden() {
        let layout = makeLayout(String(repeating: "a\n", count: 100))
        let hiding = Hiding(shown: [])
        (layout.textContentManager as? TextContentStorage)?.delegate = hiding
        #expect(layout.document.passHidden(50, forward: true) == nil)
        #expect(layout.document.passHidden(50, forward: false) == nil)
        #expect(layout.textLayoutFragments(in: DocumentRect(x: 0, y: 0, width: 100, height: 100)).isEmpty)
        _ = layout.geometry.lineFragment(atY: 50)
        _ = layout.enumerateTextLayoutFragments(from: 20) { _ in true }
        #expect(layout.usageHeight == 0)
        withExtendedLifetime(hiding) {}
    }

    /// The cache drops lines without walking the tree, and their heights stay.
    @Test func linesThatAreGivenUpLeaveTheirHeights() {
        let layout = makeLayout((0..<4000).map { "paragraph \($0)" }.joined(separator: "\n"))
        _ = layout.allLines
        let height = layout.usageHeight
        var kept = 0
        layout.document.tree.forEachLayout { _ in kept += 1 }
        #expect(kept == layout.document.cache.kept.count && kept < 4000)
        #expect(layout.allLines.count == 4000 && layout.usageHeight == height)
    }
}
