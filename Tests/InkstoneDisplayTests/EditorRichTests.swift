import DisplayTestSupport
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Markdown in the editor: shown with styles or as it is written.
    @Suite struct EditorRichTests {
        /// The same key at the start of the source, and of the heading that it says.
        @Test func aFileIsShownWithStylesAndAsItIsWrittenInOneWindow() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let probe = session.probe
            let editor = try EditorProcess(in: session, text: "# One\n", named: "page.md")
            try editor.waitForText()
            var window = editor.window.id
            func waitForOtherWindow() throws {
                let former = window
                window = try probe.waitForWindow("the other window") { !$0.overrideRedirect && $0.id != former }.id
                try waitUntil("its focus", watching: [probe.descriptor], instead: { editor.report() }) {
                    probe.focus(window)
                    return probe.focusedWindow == window || probe.ancestors(of: probe.focusedWindow).contains(window)
                }
            }
            func typeAtStart(_ text: String, expecting expected: String) throws {
                probe.strike(.home, holding: [.leftControl])
                probe.type(text)
                probe.control("s")
                try waitUntil("the file to begin with \(expected)", instead: { editor.report() }) {
                    (try? TextFiles.read(editor.file))?.hasPrefix(expected) ?? false
                }
            }
            // What the file has not yet is saved before it is read again.
            probe.strike(.end, holding: [.leftControl])
            probe.type("t")
            try probe.chooseInMenu("dm")
            try editor.waitForQuestion(answers: 2)
            probe.alt("s")
            try waitForOtherWindow()
            #expect(try TextFiles.read(editor.file) == "# One\nt")
            try typeAtStart("x", expecting: "# xOne\n")
            try probe.chooseInMenu("dm")
            try waitForOtherWindow()
            try typeAtStart("y", expecting: "y# xOne\n")
        }
    }
}
