import InkstoneBase
import InkstoneEditing
import InkstoneLayout
import InkstoneText
import Testing

/// Rectangular selections over characters that are wider than others, or right-to-left.
@Suite(.timeLimit(.minutes(5))) struct RectangleTests {
    /// Returns the centre of a cluster, given by its UTF-16 range.
    private func middle(_ range: Range<Int>, _ scene: EditingScene) -> DocumentPoint {
        let rect = scene.geometry.firstRect(for: UTF16Offset(range.lowerBound)..<UTF16Offset(range.upperBound)).rect
        return DocumentPoint(x: rect.minX + rect.width / 2, y: rect.minY + rect.height / 2)
    }

    private func select(_ scene: EditingScene, from corner: DocumentPoint, to head: DocumentPoint) -> String {
        scene.select(scene.geometry.selection(inRectangleFrom: corner, to: head))
        return scene.notation
    }

    /// Covers INT 74 of the checklist for interaction.
    @Test func aTabBelongsToItOrNotAsAWhole() {
        let scene = EditingScene("|a\tbc\nabcdefghijkl")
        let tab = middle(1..<2, scene)
        let left = DocumentPoint(x: tab.x - 1, y: tab.y)
        // Up to its centre, the tab is outside of the rectangle; beyond the centre, all of it is inside.
        #expect(select(scene, from: left, to: middle(2..<3, scene)) == "a[\tb|]c\nabcdefghijkl")
        #expect(
            select(scene, from: DocumentPoint(x: tab.x + 1, y: tab.y), to: middle(2..<3, scene))
                == "a\t[b|]c\nabcdefghijkl")
        // The line below is selected by the same x, not by the same number of characters.
        let below = DocumentPoint(x: middle(2..<3, scene).x, y: middle(5..<6, scene).y)
        let text = select(scene, from: left, to: below)
        #expect(text.hasPrefix("a[\tb|]c\n"))
        let ranges = scene.state.selection?.ranges ?? []
        #expect(ranges.count == 2)
        for offset in 5..<17 {
            let isInside = (left.x...below.x).contains(middle(offset..<offset + 1, scene).x)
            #expect(ranges.last?.range.contains(UTF16Offset(offset)) == isInside, "\(offset)")
        }
    }

    /// Covers INT 74 of the checklist for interaction.
    @Test func wideClustersAreWhole() {
        let scene = EditingScene("|😀👩‍👩‍👧e\u{301}z\nabcdefghij")
        let family = 2..<10
        let text = select(scene, from: middle(family, scene), to: middle(family, scene))
        #expect(text == "😀[👩‍👩‍👧|]e\u{301}z\nabcdefghij")
        #expect(
            select(scene, from: middle(10..<12, scene), to: middle(family, scene)) == "😀[|👩‍👩‍👧e\u{301}]z\nabcdefghij")
    }

    /// Covers INT 74 of the checklist for interaction.
    @Test func rectangleOverBothDirectionsHasSeveralRangesInALine() {
        // On the screen: a b ␣ ג ב א ␣ c d.
        let scene = EditingScene("|ab אבג cd")
        #expect(select(scene, from: middle(1..<2, scene), to: middle(5..<6, scene)) == "a[b |]אב[|ג] cd")
        #expect(select(scene, from: middle(7..<8, scene), to: middle(4..<5, scene)) == "ab [אב|]ג[| c]d")
    }

    /// Each motion lays out all lines of the rectangle again, so their number is limited.
    @Test(arguments: [true, false]) func beyondTenThousandLinesItEndsBeforeThePointer(isDown: Bool) {
        let scene = EditingScene("|" + Array(repeating: "ab", count: 12_000).joined(separator: "\n"))
        let letter = middle(0..<1, scene)
        let (top, end) = (letter, DocumentPoint(x: letter.x, y: 1e9))
        let selection = scene.geometry.selection(
            inRectangleFrom: isDown ? top : end, to: isDown ? end : top)
        let lines = selection.ranges.map { $0.range.lowerBound.value / 3 }
        #expect(lines == Array(isDown ? 0..<10_000 : 2000..<12_000))
        #expect(selection.primary == (isDown ? selection.ranges.last : selection.ranges.first))
    }
}
