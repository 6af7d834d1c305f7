import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// The editor under locales that X input methods do not support: it works without one, or explains what to do.
    @Suite struct EditorLocaleTests {
        private static let compose = TestKey(108)

        /// Starts a session with dead keys and a compose key.
        private func session() throws -> DesktopSession {
            let session = try DesktopSession(width: 800, height: 600)
            _ = try session.run(
                "setxkbmap", ["-layout", "us", "-variant", "intl", "-option", "compose:ralt"])
            return session
        }

        @Test func everyLocaleTypesDeadKeysAndComposeSequences() throws {
            let session = try session()
            defer { session.end() }
            let server = InputMethodServerDriver(
                program: Products.path(of: "inkstone-xim-server"), log: "\(session.home)/xim.log",
                environment: session.environment)
            defer { server.end() }
            let locales = [
                ["LC_ALL": "C"], ["LC_ALL": "POSIX"], ["LC_ALL": "xx_YY.UTF-8"], ["LC_ALL": "de_DE.ISO-8859-1"],
                ["LC_CTYPE": "no such locale"],
            ]
            func start(_ locale: [String: String], _ name: String) throws -> EditorProcess {
                session.environment.merge(["LANG": "", "LC_ALL": "", "LC_CTYPE": ""].merging(locale) { $1 }) { $1 }
                return try EditorProcess(in: session, text: "\n", named: name)
            }
            func quit(_ editor: EditorProcess) throws {
                session.probe.control("q")
                #expect(try editor.process.waitForExit(within: 5000) == .exited(0), "\(session.logText)")
            }
            for (index, locale) in locales.enumerated() {
                let editor = try start(locale, "plain\(index).txt")
                session.probe.type("'e")
                session.probe.strike(Self.compose)
                session.probe.type("oc")
                try editor.save(expecting: "é©\n")
                try quit(editor)
            }
            session.environment["XMODIFIERS"] = "@im=inkstone"
            try server.start()
            for (index, locale) in [locales[0], locales[2]].enumerated() {
                let editor = try start(locale, "composed\(index).txt")
                try editor.waitForInputMethod("inkstone")
                session.probe.type("ab\n")
                try editor.save(expecting: "あい\n")
                try quit(editor)
            }
        }

        /// Xlib supports no UTF-8 locale on this machine: plain keys work, and the editor names what is missing.
        @Test func missingLocalesAreExplained() throws {
            try #require(SmallDisk.isPossible, "needs a namespace in which Xlib's locales are out of sight")
            let session = try session()
            defer { session.end() }
            let hidden = "\(session.home)/nothing"
            mkdir(hidden, 0o755)
            let wrapper = [
                "unshare", "--map-root-user", "--mount", "sh", "-c",
                "mount --bind \"$0\" /usr/share/X11/locale && exec \"$@\"", hidden,
            ]
            session.environment["LC_ALL"] = "C"
            let errors = "\(session.home)/errors"
            let editor = try EditorProcess(in: session, text: "\n", errors: .file(errors), under: wrapper)
            try waitUntil("a message in the colour of problems", watching: [session.probe.descriptor]) {
                session.probe.drainEvents()
                return session.probe.screenshot(of: editor.currentWindow)?.shows(EditorColor.problem) ?? false
            }
            let output = try TextFiles.read(errors)
            #expect(output.contains("UTF-8 locale") && output.contains("LANG=C.UTF-8"), "\(output)")
            session.probe.type("plain")
            try editor.save(expecting: "plain\n")
            session.probe.control("q")
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))
        }
    }
}
