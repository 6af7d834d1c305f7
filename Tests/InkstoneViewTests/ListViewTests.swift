import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneView

/// Lists in a view, and clicks on their check boxes.
@Suite(.timeLimit(.minutes(5))) struct ListViewTests {
    private func scene(_ notation: CaretNotation, _ marker: TextList.Marker) -> ViewScene {
        let scene = ViewScene(notation)
        let store = scene.view.store
        store.restyle { $0.set(ListItem([TextList(marker)]), of: ListAttribute.self, in: store.text.utf16Range) }
        return scene
    }

    private func point(_ scene: ViewScene, _ offset: UTF16Offset) throws -> ViewPoint {
        let frame = try #require(scene.view.layout.textLayoutFragment(for: offset).markerFrame)
        let rect = scene.view.viewport.viewRect(frame)
        return ViewPoint(x: rect.minX + rect.width / 2, y: rect.minY + rect.height / 2)
    }

    /// Covers RT 48 of the checklist for rich text.
    @Test func aClickOnABoxChecksItAndMovesNoCaret() throws {
        let scene = scene("one\ntwo|\n", .checkbox)
        let view = scene.view
        let before = Set(scene.paint().glyphs)
        let box = try point(scene, 0)
        scene.damage = []
        scene.click(at: box)
        #expect(view.state.listItem(at: 0)?.isChecked == true && view.state.listItem(at: 5)?.isChecked == false)
        #expect(scene.state == "one\ntwo|\n" && !scene.damage.isEmpty && Set(scene.paint().glyphs) != before)
        scene.click(at: box)
        #expect(view.state.listItem(at: 0)?.isChecked == false && scene.state == "one\ntwo|\n")
        view.perform(.undo)
        #expect(view.state.listItem(at: 0)?.isChecked == true)
        view.isEditable = false
        scene.click(at: box)
        #expect(view.state.listItem(at: 0)?.isChecked == true && scene.state == "|one\ntwo\n")
    }

    /// RT 30: a click on a number moves the caret to the item's start.
    @Test func aClickOnANumberIsOneOnTheText() throws {
        let scene = scene("one\ntwo|\n", .decimal)
        scene.click(at: try point(scene, 0))
        #expect(scene.state == "|one\ntwo\n")
    }

    /// The marker moves to the other side, and is mirrored.
    @Test func aMarkerIsPaintedOnTheOtherSideWhenTheDirectionChanges() throws {
        for (text, typed) in [("|one\ntwo\n", "ש"), ("|שלום\ntwo\n", "a")] {
            let scene = scene(CaretNotation(text), .decimal)
            func frame() throws -> ViewRect {
                let frame = try #require(scene.view.layout.textLayoutFragment(for: 0).markerFrame)
                return scene.view.viewport.viewRect(frame)
            }
            _ = scene.paint()
            let before = try frame()
            scene.damage = []
            scene.view.insertText(typed)
            let after = try frame()
            #expect((before.minX < after.minX) == (typed == "ש"))
            for marker in [before, after] {
                #expect(
                    scene.damage.contains { $0.minX <= marker.minX && $0.maxX >= marker.maxX },
                    "\(marker) in \(scene.damage)")
            }
        }
    }

    /// RT 39, as painted: an edit repaints exactly the markers that change.
    @Test func numbersBelowAnEditArePainted() {
        let scene = scene("one|\ntwo\nthree\n", .decimal)
        let view = scene.view
        _ = scene.paint()
        scene.damage = []
        scene.moves = []
        view.perform(.insertNewline)
        #expect(scene.moves.isEmpty && scene.damage.contains { $0.maxY >= 5 * view.presenter.lineStep })
        scene.damage = []
        view.insertText("x")
        #expect(scene.damage.allSatisfy { $0.height <= 2 * view.presenter.lineStep })
    }
}
