import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// The editor's own fields with an input method that shows its preedit in a window of its own, as fcitx5 does
    /// by default. The editor does not see the preedit, so Return, Tab and Escape must go to the method first.
    @Suite struct EditorMethodTests {
        private let session: DesktopSession
        private var probe: XProbe { session.probe }

        init() throws { session = try DesktopSession(width: 800, height: 600) }

        /// Starts an editor with a method that composes from the letter `z` on, until a key of `ends` commits
        /// `word`, once.
        private func start(
            _ text: String, committing word: String, endedBy ends: String, keys: String = "press"
        ) throws -> (editor: EditorProcess, method: InputMethodServerDriver) {
            let method = InputMethodServerDriver(
                program: Products.path(of: "inkstone-xim-server"),
                options: ["--mode", "forward-each", "--keys", keys, "--styles", "nothing+nothing"],
                log: "\(session.home)/xim.log", environment: session.environment)
            session.environment["XMODIFIERS"] = "@im=inkstone"
            try method.start(script: "on key z do pass\nonce on key \(ends) do commit \"\(word)\"\n")
            let editor = try EditorProcess(in: session, text: text)
            try editor.waitForInputMethod("inkstone")
            return (editor, method)
        }

        @Test func returnCommitsWhatIsComposedInANameBeforeItSaves() throws {
            defer { session.end() }
            let (editor, method) = try start("text\n", committing: "日本語", endedBy: "Return")
            defer { method.end() }
            probe.control("s", shift: true)
            // Type after the file name that the prompt contains.
            probe.strike(.end)
            probe.type("z")
            probe.strike(.enter)
            probe.strike(.enter)
            try waitUntil("the file with the composed name", instead: { editor.report() }) {
                (try? TextFiles.read("\(editor.file)日本語")) == "text\n"
            }
            editor.end()
        }

        /// For fcitx5, pressing and releasing Shift alone switches the input method; so the editor must not pass on
        /// only the Shift of a shortcut.
        @Test func modifiersOfAShortcutAreNotReleasedForTheMethod() throws {
            defer { session.end() }
            let (editor, method) = try start("text\n", committing: "k", endedBy: "k", keys: "both")
            defer { method.end() }
            probe.control("s", shift: true)
            probe.control("a")
            probe.type("X")
            try method.waitForRequest("forward_event") { $0["phase"]?.text == "release" && $0["key"]?.text == "X" }
            let releases = method.requests("forward_event").filter { $0["phase"]?.text == "release" }
                .compactMap { $0["key"]?.text }
            #expect(!releases.prefix { $0 != "X" }.contains("Shift_L"), "\(releases)")
            editor.end()
        }

        /// Without a composition, Escape cancels a command at once. It is not sent to the method, which may hang.
        @Test func escapeCancelsACommandWithoutAskingTheMethod() throws {
            defer { session.end() }
            let method = InputMethodServerDriver(
                program: Products.path(of: "inkstone-xim-server"),
                options: ["--mode", "forward-each", "--keys", "press"],
                log: "\(session.home)/xim.log", environment: session.environment)
            session.environment["XMODIFIERS"] = "@im=inkstone"
            try method.start(script: "")
            defer { method.end() }
            let editor = try EditorProcess(in: session, text: "text\n")
            try editor.waitForInputMethod("inkstone")
            let started = "\(session.home)/started"
            probe.control("a")
            try probe.chooseInMenu("df")
            probe.type("touch \(started) && tail -f /dev/null")
            probe.strike(.enter)
            try waitUntil("the command", instead: { editor.report() }) { access(started, F_OK) == 0 }
            probe.strike(.escape)
            probe.strike(.right)
            probe.type("Z")
            try method.waitForRequest("forward_event") { $0["key"]?.text == "Z" }
            #expect(!method.requests("forward_event").contains { $0["key"]?.text == "Escape" })
            try editor.save(expecting: "text\nZ")
            editor.end()
        }

        @Test(arguments: ["Tab", "Escape", "Return"])
        func keysOfTheBarAreTheMethodsFirst(_ ends: String) throws {
            defer { session.end() }
            let (editor, method) = try start("ink a ink b\n", committing: "k", endedBy: ends)
            defer { method.end() }
            let key: TestKey = ends == "Tab" ? .tab : ends == "Escape" ? .escape : .enter
            probe.control("h")
            probe.type("inz")
            probe.strike(key)
            probe.strike(.tab)
            probe.type("pen")
            // Keys typed after one that the method uses keep their order.
            probe.control("a")
            probe.type("pens")
            probe.strike(.enter)
            try editor.save(expecting: "pens a ink b\n")
            editor.end()
        }
    }
}
