import DisplayTestSupport
import Inkstone
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// Text dragged between Inkstone and windows of other toolkits with real pointer events. The text arrives once;
    /// a copy leaves the source as it was, and a move removes it from there once.
    @Suite struct DragPeerTests {
        private struct Case: CustomTestStringConvertible, Sendable {
            var toolkit: PeerProgram.Toolkit
            var isMove: Bool
            var testDescription: String { "\(toolkit), \(isMove ? "move" : "copy")" }
        }

        private static let cases = [PeerProgram.Toolkit.gtk3, .qt5].flatMap { toolkit in
            [false, true].map { Case(toolkit: toolkit, isMove: $0) }
        }

        /// Shows a view of Inkstone, and beside it one of the toolkit, each with its text.
        private func start(_ toolkit: PeerProgram.Toolkit, ours: String, theirs: String) throws -> (
            DisplayScene, PeerProgram
        ) {
            let scene = try DisplayScene()
            try scene.makeWindow([ours])
            scene.view.store.removeAllUndo()
            let peer = try PeerProgram(toolkit, in: scene.session)
            try TextFiles.write(theirs, to: peer.file)
            #expect(try scene.ask(peer, "fill", peer.file) == ["filled"])
            #expect(try scene.ask(peer, "window", "600", "100", "300", "200") == ["shown"])
            return (scene, peer)
        }

        private func text(of peer: PeerProgram, _ scene: DisplayScene) throws -> String {
            #expect(try scene.ask(peer, "text", peer.file) == ["text"])
            return try TextFiles.read(peer.file)
        }

        /// Returns the point of an offset in the other toolkit's text, in root pixels.
        private func place(_ offset: Int, in peer: PeerProgram, _ scene: DisplayScene) throws -> (x: Int, y: Int) {
            let words = try scene.ask(peer, "place", "\(offset)")
            return (try #require(words.count > 1 ? Int(words[1]) : nil), try #require(Int(words[2])))
        }

        /// Returns the point of an offset in Inkstone's text, in root pixels.
        private func place(_ offset: Int, in view: TextView) throws -> (x: Int, y: Int) {
            let origin = try #require(view.window?.window.rootOrigin)
            let caret = view.caretRect(for: view.range(offset..<offset).start)
            return (
                Int(origin.x + view.frame.minX + caret.minX),
                Int(origin.y + view.frame.minY + caret.minY + caret.height / 2)
            )
        }

        /// Covers INT 52 of the checklist for interaction.
        @Test(arguments: cases) private func otherToolkitsAcceptTextDraggedFromHere(_ given: Case) throws {
            let (scene, peer) = try start(given.toolkit, ours: "one two three", theirs: "there")
            defer { scene.end() }
            let view = scene.view
            view.select(Selection(anchor: 4, head: 8))
            let from = try place(5, in: view)
            let to = try place(0, in: peer, scene)
            scene.probe.movePointer(x: from.x, y: from.y)
            scene.probe.button(1, down: true)
            scene.probe.movePointer(x: from.x + 20, y: from.y)
            try scene.pump("the drag") { scene.display.draggingSession != nil }
            if given.isMove { scene.probe.key(TestKey.leftShift.keycode, down: true) }
            scene.probe.movePointer(x: to.x + 2, y: to.y)
            scene.waitUntilIdle()
            // GTK 3 reads the pointer's position ten times a second and drops at the last one, so wait until it
            // shows the drop caret there.
            if given.toolkit == .gtk3 {
                try scene.pump("the drop caret") { (try? scene.ask(peer, "hover"))?.last == "0" }
            }
            scene.probe.button(1, down: false)
            try scene.pump("the end of the drag", within: 20_000) { scene.display.draggingSession == nil }
            scene.probe.releaseAll()
            let theirs = try text(of: peer, scene)
            #expect(theirs == "two there")
            #expect(view.text == (given.isMove ? "one three" : "one two three"))
            #expect(view.store.canUndo == given.isMove)
            view.session.undo()
            #expect(view.text == "one two three" && !view.store.canUndo, "it was taken once")
        }

        /// Covers INT 52 of the checklist for interaction.
        @Test(arguments: cases) private func textDraggedFromOtherToolkitsIsAccepted(_ given: Case) throws {
            let (scene, peer) = try start(given.toolkit, ours: "there", theirs: "one two three")
            defer { scene.end() }
            let view = scene.view
            #expect(try scene.ask(peer, "select", "4", "8") == ["selected"])
            let from = try place(5, in: peer, scene)
            scene.probe.movePointer(x: from.x, y: from.y)
            scene.probe.button(1, down: true)
            if given.isMove { scene.probe.key(TestKey.leftShift.keycode, down: true) }
            // Toolkits begin a drag at one motion, and follow the pointer from the next one on. A query about the
            // second position shows that they have handled the answer to the first.
            for offset in [3, 0] {
                let to = try place(offset, in: view)
                var step = 0
                try scene.pump("the drop caret", within: 20_000) {
                    step += 1
                    scene.probe.movePointer(x: from.x + (to.x - from.x) * min(step, 8) / 8 + step % 2, y: to.y)
                    return view.dropCaret.position?.offset.value == offset
                }
            }
            scene.probe.button(1, down: false)
            try scene.pump("the drop", within: 20_000) { view.text == "two there" }
            var theirs = ""
            try scene.pump("what they do", within: 20_000, instead: { theirs }) {
                theirs = (try? text(of: peer, scene)) ?? ""
                return theirs == (given.isMove ? "one three" : "one two three")
            }
            scene.probe.releaseAll()
            scene.waitUntilIdle()
            #expect(view.text == "two there" && view.session.selectedText == "two ")
            view.session.undo()
            #expect(view.text == "there" && !view.store.canUndo)
        }
    }
}
