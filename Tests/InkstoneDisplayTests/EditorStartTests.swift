import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// A start that need not ask for what the one before was told.
    @Suite struct EditorStartTests {
        @Test func theNextStartRemembersTheFontsAndLooksTheSame() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let probe = session.probe
            let memory = "\(session.home)/.cache/inkstone/fonts"
            let text = "Latin, ação, שלום, 日本, 😀\n"
            func picture(of editor: EditorProcess) -> Screenshot? {
                probe.drainEvents()
                return probe.screenshot(of: editor.currentWindow)
            }

            var editor = try EditorProcess(in: session, text: text)
            try waitUntil("the memory of fonts", instead: { editor.report() }) { access(memory, R_OK) == 0 }
            let first = try #require(picture(of: editor))
            #expect(first.pixels.contains { $0 != first.pixels[0] })
            probe.control("q")
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))

            editor = try EditorProcess(in: session, text: text)
            // With the caret as it blinked then.
            try waitUntil("the same picture", instead: { editor.report() }) { picture(of: editor) == first }
        }
    }
}
