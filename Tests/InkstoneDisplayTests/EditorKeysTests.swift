import DisplayTestSupport
import InkstoneTesting
import Testing

extension DisplayTests {
    /// What the editor's keys, its menu and what is dropped on it do, by what is saved then.
    @Suite struct EditorKeysTests {
        private let session: DesktopSession
        private var probe: XProbe { session.probe }

        init() throws { session = try DesktopSession(width: 800, height: 600) }

        private func settings() -> String { (try? TextFiles.read("\(session.home)/.config/inkstone/settings")) ?? "" }

        private func wait(_ what: String, _ editor: EditorProcess, until isRight: () -> Bool) throws {
            try waitUntil(what, watching: [probe.descriptor], instead: { editor.report() }) {
                probe.drainEvents()
                return isRight()
            }
        }

        @Test func controlAndTheWheelZoom() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "text\n")
            let plain = try editor.waitForCaret()
            probe.movePointer(x: plain.left + 50, y: plain.top + 5)
            probe.key(TestKey.leftControl.keycode, down: true)
            func turn(_ button: UInt8, _ size: Int) throws {
                probe.button(button, down: true)
                probe.button(button, down: false)
                try wait("text of \(size) %", editor) { settings().contains("size = \(size)\n") }
            }
            try turn(4, 110)
            try turn(4, 125)
            try wait("larger text", editor) { editor.caret().map { $0.height > plain.height } ?? false }
            try turn(5, 110)
            try turn(5, 100)
            probe.key(TestKey.leftControl.keycode, down: false)
            try wait("text as large as before", editor) { editor.caret()?.height == plain.height }
        }
    }
}
