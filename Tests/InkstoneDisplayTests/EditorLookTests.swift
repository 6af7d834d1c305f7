import DisplayTestSupport
import InkstoneTesting
import Testing

extension DisplayTests {
    /// How the editor looks, as its user has it: dark, and so again at the next start.
    @Suite struct EditorLookTests {
        private static let dark: UInt32 = 0x1e2227
        private static let menuKey = TestKey(135)

        /// The colour behind the text at its lower right.
        private func ground(_ editor: EditorProcess) -> UInt32? {
            editor.session.probe.drainEvents()
            guard let picture = editor.session.probe.screenshot(of: editor.currentWindow) else { return nil }
            return picture[picture.width / 2, picture.height / 2]
        }

        @Test func darkIsChosenInTheMenuAndRemembered() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let first = try EditorProcess(in: session, text: "text\n")
            try first.waitForText()
            try waitUntil("a light ground", watching: [session.probe.descriptor]) { ground(first) == 0xffffff }
            session.probe.strike(Self.menuKey)
            _ = try session.probe.waitForWindow("the menu") { $0.overrideRedirect }
            // The last line that can be chosen.
            session.probe.strike(.end)
            session.probe.strike(.enter)
            try waitUntil("a dark ground") { ground(first) == Self.dark }
            session.probe.control("q")
            #expect(try first.process.waitForExit(within: 5000) == .exited(0))
            let second = try EditorProcess(in: session, text: "text\n")
            try second.waitForText()
            try waitUntil("a dark ground again", watching: [session.probe.descriptor]) { ground(second) == Self.dark }
            // All of the window is dark, the strip below and the bar that finds too.
            session.probe.control("f")
            try waitUntil("no light ground anywhere") {
                session.probe.drainEvents()
                guard let picture = session.probe.screenshot(of: second.currentWindow) else { return false }
                let light = picture.pixels.count { $0 == 0xf6f8fa || $0 == 0xffffff }
                return light == 0
            }
        }
    }
}
