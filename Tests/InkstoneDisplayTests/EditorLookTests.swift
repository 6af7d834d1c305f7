import DisplayTestSupport
import InkstoneTesting
import Testing

extension DisplayTests {
    /// How the editor looks, as its user has it: dark, and so again at the next start.
    @Suite struct EditorLookTests {
        private static let dark: UInt32 = 0x1e2227
        /// What frames the field that has the focus.
        private static let accent: UInt32 = 0x78b0ff
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
            // All of the window is dark: the strip below, the field that its frame tells of, and the one for a path in the strip.
            func waitForField(_ name: String, _ isThere: (Screenshot) -> Bool) throws {
                var picture: Screenshot?
                try waitUntil(name, watching: [session.probe.descriptor]) {
                    session.probe.drainEvents()
                    picture = session.probe.screenshot(of: second.currentWindow)
                    return picture.map(isThere) ?? false
                }
                #expect(picture?.pixels.contains { $0 == 0xf6f8fa || $0 == 0xffffff } == false, "\(name) is dark")
            }
            session.probe.control("f")
            try waitForField("the find bar's field") { $0.pixels.count { $0 == Self.accent } >= 200 }
            session.probe.strike(.escape)
            session.probe.control("s", shift: true)
            try waitForField("the path's field") {
                $0.pixels.suffix($0.width * 30).count { $0 == Self.dark } >= 1000
            }
        }
    }
}
