import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneBase
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// Dead keys and compose sequences where no server does them: shown as they are typed, and typed when they are done.
    @Suite struct InputMethodComposeTests {
        /// Why no server composes.
        enum Server: String, CaseIterable, Sendable {
            case none, killed, stopped, givesKeysBack
        }

        /// Keys of the layout “us intl” with AltGr as the compose key.
        private enum Key {
            static let acute = TestKey(48)
            static let compose = TestKey(108)
        }

        private func makeScene(_ server: Server) throws -> InputMethodScene {
            let scene = try InputMethodScene(options: ["--mode", "forward-each"], startsServer: server != .none)
            try scene.xserver.setLayout("us", variant: "intl", option: "compose:ralt")
            switch server {
            case .none, .givesKeysBack: break
            case .killed: scene.driver.kill()
            case .stopped: scene.driver.stop()
            }
            if server == .killed || server == .none {
                try scene.wait("the news") { scene.window.inputMethodState.phase == .notRunning }
            }
            return scene
        }

        @Test(
            "XIM 33 dead keys and compose sequences without a server, or with a dead one", arguments: Server.allCases)
        func deadKeysNeedNoServer(_ server: Server) throws {
            let scene = try makeScene(server)
            defer { scene.end() }
            // A stopped server is found out by the first key.
            let patience = 5000
            scene.probe.strike(Key.acute)
            try scene.expect("<⟨´|⟩>", within: patience)
            scene.type("e")
            try scene.expect("<é|>")
            scene.probe.strike(Key.compose)
            try scene.expect("<é⟨·|⟩>")
            scene.type("o")
            try scene.expect("<é⟨·o|⟩>")
            scene.type("c")
            try scene.expect("<é©|>")
            // No sequence has these two: both are typed.
            scene.probe.strike(Key.acute)
            try scene.expect("<é©⟨´|⟩>")
            scene.type("q")
            try scene.expect("<é©´q|>")
            for key in [TestKey.escape, .backspace] {
                scene.probe.strike(Key.acute)
                try scene.expect("<é©´q⟨´|⟩>")
                scene.probe.strike(key)
                try scene.expect("<é©´q|>")
            }
            // A click ends it: what stands for the sequence stays, as with any other composition.
            scene.probe.strike(Key.acute)
            try scene.expect("<é©´q⟨´|⟩>")
            scene.click(before: 0)
            try scene.expect("|<é©´q´>")
            scene.type("a")
            try scene.expect("a|<é©´q´>")
        }

        @Test func aSecureFieldTakesDeadKeysAndShowsNoSequence() throws {
            let scene = try makeScene(.givesKeysBack)
            defer { scene.end() }
            scene.view.editor.options.isSecureTextEntry = true
            try scene.wait("the loss of the focus") { !scene.driver.requests("unset_ic_focus").isEmpty }
            scene.probe.strike(Key.acute)
            scene.type("e")
            scene.probe.strike(Key.acute)
            scene.type("q")
            try scene.expect("<é´q|>")
            #expect(scene.presses.isEmpty)
        }

        /// Most people's locale, which need not be installed where tests run.
        @Test func deadKeysComposeUnderAnInstalledLocale() throws {
            let directory = try TemporaryDirectory.make()
            defer { TemporaryDirectory.remove(directory) }
            let making = try ChildProcess(
                "localedef", ["-i", "en_US", "-f", "UTF-8", "\(directory)/en_US.UTF-8"],
                environment: ["PATH": "/usr/bin:/bin"])
            #expect(try making.waitForExit(within: 30_000) == .exited(0))
            let before = setlocale(LC_CTYPE, nil).map { String(cString: $0) } ?? "C"
            setenv("LOCPATH", directory, 1)
            defer {
                unsetenv("LOCPATH")
                setlocale(LC_CTYPE, before)
            }
            #expect(setlocale(LC_CTYPE, "en_US.UTF-8") != nil)
            for server in [Server.none, .givesKeysBack] {
                let scene = try makeScene(server)
                defer { scene.end() }
                #expect(CharacterLocale.currentName == "en_US.UTF-8")
                scene.probe.strike(Key.acute)
                try scene.expect("<⟨´|⟩>")
                scene.type("e")
                try scene.expect("<é|>")
                scene.probe.strike(Key.compose)
                scene.type("=e")
                try scene.expect("<é€|>")
                scene.probe.strike(Key.acute)
                scene.type("q")
                try scene.expect("<é€´q|>")
            }
        }

        @Test func aUsersOwnSequenceMayGiveManyCharacters() throws {
            let directory = try TemporaryDirectory.make()
            defer { TemporaryDirectory.remove(directory) }
            try TextFiles.write(
                "include \"%L\"\n<dead_acute> <t> : \"tschüß 👋🏽\"\n", to: directory + "/compose")
            let before = getenv("XCOMPOSEFILE").map { String(cString: $0) }
            setenv("XCOMPOSEFILE", directory + "/compose", 1)
            defer { if let before { setenv("XCOMPOSEFILE", before, 1) } else { unsetenv("XCOMPOSEFILE") } }
            let scene = try makeScene(.none)
            defer { scene.end() }
            scene.probe.strike(Key.acute)
            scene.type("t")
            try scene.expect("<tschüß 👋🏽|>")
            scene.probe.strike(Key.acute)
            scene.type("e")
            try scene.expect("<tschüß 👋🏽é|>")
            scene.view.editor.perform(.undo)
            #expect(!scene.view.text.contains("é"))
        }
    }
}
