import DisplayTestSupport
import Inkstone
import InkstoneTesting
import Synchronization
import Testing

extension DisplayTests {
    /// A view in a window, whose keys a task on another thread handles.
    @Suite struct WidgetAsyncTests {
        private final class Document: Sendable {
            let text = Mutex("")
        }

        private final class RemoteContent: ReferenceTextView, WindowContent, AsyncTextInput {
            weak var asyncInputDelegate: (any AsyncTextInputDelegate)?
            let frame = WindowRect(x: 0, y: 0, width: 300, height: 200)
            let document = Document()

            func paint(on canvas: any Canvas, damage: WindowRect) { canvas.fill(frame, .white) }

            /// The document handles all letters but s.
            var keyEntryHandler: (@Sendable (KeyEntry) async throws -> Bool)? {
                { [document] entry in
                    await Task.yield()
                    guard entry.state == .down, let letter = entry.key.characters.first, letter.isLetter, letter != "s"
                    else { return false }
                    document.text.withLock { $0.append(letter) }
                    return true
                }
            }
        }

        @Test func answersComeByTheLoopAndADismissedKeyboardScrolls() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, views) = try scene.makeWindow([""])
            window.remove(views[0])
            let content = RemoteContent("", columns: 40)
            window.add(content)
            window.makeFirstResponder(content)
            scene.type("absacsd")
            try scene.pump("the letters", instead: { content.string }) {
                content.document.text.withLock { $0 } == "abacd" && content.string == "ss" && !window.session.isWaiting
            }
            window.dismissKeyboard()
            scene.type("es")
            scene.probe.strike(.down)
            try scene.pump("the scrolling") { content.performedCommands.contains(.scrollLineDown) }
            window.makeFirstResponder(content)
            scene.type("fs")
            try scene.pump("the letter", instead: { content.string }) { content.string == "sss" }
            #expect(content.document.text.withLock { $0 } == "abacdf")
        }
    }
}
