import Inkstone
import InkstoneTesting
import Testing

@testable import InkstoneView

@Suite(.timeLimit(.minutes(5))) struct TableExampleTests {
    @Test func theDocumentationShowsATable() throws {
        let root = #filePath.split(separator: "/").dropLast(3)
            .reduce(#filePath.hasPrefix("/") ? "" : ".") { "\($0)/\($1)" }
        let example = try TextFiles.read(root + "/Tests/InkstoneAttachmentTests/TableExample.swift")
        #expect(
            try TextFiles.read(root + "/Sources/Inkstone/Inkstone.docc/Styles.md").contains("```swift\n\(example)```"))
    }

    @Test func cellsStandBetweenLinesAndAreTextOtherwise() throws {
        let scene = ViewScene(store: TextStore(table([["a", "b"], ["c", "d"]])))
        let layout = TableLayout()
        scene.view.layout.delegate = layout
        scene.view.setNeedsDisplay()
        let caret = scene.view.layout.geometry.caretRect(at: 2)
        #expect(caret.minX == TableLayout.column + 6)
        let lines = scene.paint().fills(Color(rgb: 0x8899aa))
        let origin = scene.view.viewport.documentOriginInWindow
        #expect(Set(lines.filter { $0.width == 1 }.map { $0.minX - origin.x }) == [0, 120, 240])
        // Between two rows is one line, and one is above the first.
        #expect(lines.count { $0.height == 1 } == 3)
        #expect(caret.minY >= 3 && scene.view.text == "a\tb\nc\td\n")
        withExtendedLifetime(layout) {}
    }
}
