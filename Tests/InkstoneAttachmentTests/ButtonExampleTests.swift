import Inkstone
import InkstoneTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct ButtonExampleTests {
    @Test func theDocumentationShowsAButtonThatIsTapped() throws {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let example = try TextFiles.read(root + "/Tests/InkstoneAttachmentTests/ButtonExample.swift")
        #expect(
            try TextFiles.read(root + "/Sources/Inkstone/Inkstone.docc/Styles.md").contains("```swift\n\(example)```"))
        let scene = ViewScene(CaretNotation("a|b"))
        insertButton(into: scene.view)
        let views = scene.view.presenter.viewportLayout.attachmentViews
        scene.view.presenter.viewportLayout.layoutViewport()
        let provider = try #require(views.providers.first as? TapProvider)
        let button = try #require(provider.view as? TapButton)
        #expect(button.frame.size == Size(width: 80, height: 24) && provider.location == 1)
        button.handlePointer(
            PointerEvent(
                kind: .release(.primary), location: button.frame.origin, modifiers: [], isPrimaryDown: true,
                timestamp: 0))
        scene.perform(.deleteBackward, .undo)
        scene.view.presenter.viewportLayout.layoutViewport()
        #expect(views.providers.first === provider && provider.taps == 1)
    }
}
