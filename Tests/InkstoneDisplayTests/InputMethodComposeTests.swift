import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneBase
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// Dead keys and compose sequences without a server that handles them: shown while incomplete, and inserted
    /// when complete.
    @Suite struct InputMethodComposeTests {
        /// The reason why no server composes.
        enum Server: String, CaseIterable, Sendable {
            case none, killed, stopped, givesKeysBack
        }

        /// Keys of the layout “us intl” with AltGr as the compose key.
        private enum Key {
            static let acute = TestKey(48)
            static let compose = TestKey(108)
            static let u = TestKey(30)
        }

        private func makeScene(_ server: Server) throws -> InputMethodScene {
            let scene = try InputMethodScene(options: ["--mode", "forward-each"], startsServer: server != .none)
            try scene.server.setLayout("us", variant: "intl", option: "compose:ralt")
            switch server {
            case .none, .givesKeysBack: break
            case .killed: scene.driver.kill()
            case .stopped: scene.driver.stop()
            }
            if server == .killed || server == .none {
                try scene.pump("the news") { scene.window.inputMethodState.phase == .notRunning }
            }
            return scene
        }

        @Test(
            "XIM 33 dead keys and compose sequences without a server, or with a dead one", arguments: Server.allCases)
        func deadKeysNeedNoServer(_ server: Server) throws {
            let scene = try makeScene(server)
            defer { scene.end() }
            // The first key reveals that the server is stopped.
            let timeout = 5000
            scene.probe.strike(Key.acute)
            try scene.expect("<⟨´|⟩>", within: timeout)
            try scene.type("e", expecting: "<é|>")
            scene.probe.strike(Key.compose)
            try scene.expect("<é⟨·|⟩>")
            try scene.type("o", expecting: "<é⟨·o|⟩>")
            try scene.type("c", expecting: "<é©|>")
            // No sequence has these two keys, so both are inserted.
            scene.probe.strike(Key.acute)
            try scene.expect("<é©⟨´|⟩>")
            try scene.type("q", expecting: "<é©´q|>")
            for key in [TestKey.escape, .backspace] {
                scene.probe.strike(Key.acute)
                try scene.expect("<é©´q⟨´|⟩>")
                scene.probe.strike(key)
                try scene.expect("<é©´q|>")
            }
            // A click ends the sequence: its shown characters stay, as with any composition.
            scene.probe.strike(Key.acute)
            try scene.expect("<é©´q⟨´|⟩>")
            scene.click(before: 0)
            try scene.expect("|<é©´q´>")
            try scene.type("a", expecting: "a|<é©´q´>")
        }

        /// The dot shown for the compose key is no text: it disappears when the sequence is abandoned, for whatever
        /// reason.
        @Test(arguments: ["click", "focus", "wrong key", "server's death"])
        func theComposeKeysDotNeverStays(_ ending: String) throws {
            let scene = try makeScene(.givesKeysBack)
            defer { scene.end() }
            for (keys, kept) in [("", ""), ("o", "o")] {
                scene.view.set("<|>")
                scene.probe.strike(Key.compose)
                scene.type(keys)
                try scene.expect(CaretNotation("<⟨·\(keys)|⟩>"))
                switch ending {
                case "click": scene.click(before: 0)
                case "focus": scene.probe.focusNothing()
                case "wrong key": scene.type("q")
                default: scene.driver.kill()
                }
                let typed = ending == "wrong key" ? "q" : ""
                try scene.pump("the end of the sequence") { scene.view.markedText == nil }
                #expect(scene.view.text == "<\(kept)\(typed)>")
                try scene.waitUntilQuiet()
                #expect(scene.view.text == "<\(kept)\(typed)>")
                if ending == "focus" { try scene.focus(scene.window) }
                if ending == "server's death" { break }
            }
        }

        @Test func aSecureFieldTakesDeadKeysAndShowsNoSequence() throws {
            let scene = try makeScene(.givesKeysBack)
            defer { scene.end() }
            scene.view.options.isSecureTextEntry = true
            try scene.pump("the loss of the focus") { !scene.driver.requests("unset_ic_focus").isEmpty }
            scene.probe.strike(Key.acute)
            scene.type("e")
            scene.probe.strike(Key.acute)
            try scene.type("q", expecting: "<é´q|>")
            #expect(scene.presses.isEmpty)
        }

        @Test("a character by its number", arguments: Server.allCases)
        func aCharacterIsTypedByItsNumber(_ server: Server) throws {
            let scene = try makeScene(server)
            defer { scene.end() }
            let probe = scene.probe
            func begin() { probe.strike(Key.u, holding: [.leftControl, .leftShift]) }
            begin()
            try scene.expect("<⟨u|⟩>", within: 5000)
            try scene.type("1F601", expecting: "<⟨u1f601|⟩>")
            probe.strike(.backspace)
            try scene.expect("<⟨u1f60|⟩>")
            try scene.type("0 ", expecting: "<😀|>")
            // Surrogates and values above 10FFFF are rejected, and Escape cancels.
            for typed in ["d800 ", "110000\n", " "] {
                begin()
                try scene.expect("<😀⟨u|⟩>")
                try scene.type(typed, expecting: "<😀|>")
            }
            begin()
            try scene.type("26", expecting: "<😀⟨u26|⟩>")
            probe.strike(.escape)
            try scene.expect("<😀|>")
            // Hold Control and Shift, with which the digit keys type symbols; releasing them ends the number.
            for key in [TestKey.leftControl, .leftShift] { probe.key(key.keycode, down: true) }
            probe.strike(Key.u)
            for digit in "263a" { probe.strike(TestKey(try #require(TestKey(typing: digit)).keycode)) }
            try scene.expect("<😀⟨u263a|⟩>")
            probe.key(TestKey.leftShift.keycode, down: false)
            probe.sync()
            try scene.expect("<😀☺|>")
            probe.key(TestKey.leftControl.keycode, down: false)
            try scene.type("a", expecting: "<😀☺a|>")
            // Another command key and a click cancel the number: none of its digits stays.
            begin()
            try scene.type("26", expecting: "<😀☺a⟨u26|⟩>")
            probe.strike(.home)
            try scene.expect("|<😀☺a>")
            probe.strike(.end)
            try scene.expect("<😀☺a>|")
            begin()
            try scene.type("2", expecting: "<😀☺a>⟨u2|⟩")
            scene.click(before: 0)
            try scene.expect("|<😀☺a>")
            // At several carets, the character is inserted by one undo step.
            scene.view.set("|a\nb")
            scene.view.perform(.addCaretBelow)
            begin()
            scene.type("e9\n")
            try scene.pump("the character at both carets") { scene.view.text == "éa\néb" }
            scene.view.perform(.undo)
            #expect(scene.view.text == "a\nb")
            // In a view that is not editable, the key has no effect.
            guard server != .stopped else { return }
            scene.view.set("|ab")
            scene.view.isEditable = false
            begin()
            scene.type("e9 ")
            try scene.waitUntilQuiet()
            #expect(CaretNotation(scene.view) == "|ab")
        }

        /// The server returns the key that begins the number, but would handle digits; so these must not be sent to
        /// it.
        @Test func aServerGetsNoDigitsOfANumber() throws {
            let scene = try makeScene(.givesKeysBack)
            defer { scene.end() }
            scene.probe.strike(Key.u, holding: [.leftControl, .leftShift])
            try scene.expect("<⟨u|⟩>")
            try scene.waitUntilQuiet()
            let count = scene.presses.count
            try scene.type("e9 ", expecting: "<é|>")
            #expect(scene.presses.count == count)
            try scene.type("x", expecting: "<éx|>")
            #expect(scene.presses.count == count + 1)
        }

        @Test func aSecureFieldTakesANumberAndShowsNone() throws {
            let scene = try makeScene(.givesKeysBack)
            defer { scene.end() }
            scene.view.options.isSecureTextEntry = true
            try scene.pump("the loss of the focus") { !scene.driver.requests("unset_ic_focus").isEmpty }
            scene.probe.strike(Key.u, holding: [.leftControl, .leftShift])
            try scene.type("e9 x", expecting: "<éx|>")
            #expect(scene.presses.isEmpty)
        }

        /// A common locale, which may not be installed on the test machine.
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
                try scene.type("e", expecting: "<é|>")
                scene.probe.strike(Key.compose)
                try scene.type("=e", expecting: "<é€|>")
                scene.probe.strike(Key.acute)
                try scene.type("q", expecting: "<é€´q|>")
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
            try scene.type("t", expecting: "<tschüß 👋🏽|>")
            scene.probe.strike(Key.acute)
            try scene.type("e", expecting: "<tschüß 👋🏽é|>")
            scene.view.perform(.undo)
            #expect(!scene.view.text.contains("é"))
        }

        /// libxkbcommon searches this folder first. Sequences that begin with plain letters exist only in this
        /// file.
        @Test func aUsersOwnFileIsFoundWhereTheConfigurationIs() throws {
            let directory = try TemporaryDirectory.make()
            defer { TemporaryDirectory.remove(directory) }
            try TextFiles.write("<j> <k> : \"→\"\n", to: directory + "/XCompose")
            let values: [String: String?] = ["XDG_CONFIG_HOME": directory, "XCOMPOSEFILE": nil]
            let before = values.map { name, _ in (name, getenv(name).map { String(cString: $0) }) }
            func set(_ name: String, _ value: String?) {
                if let value { setenv(name, value, 1) } else { unsetenv(name) }
            }
            for (name, value) in values { set(name, value) }
            defer { for (name, value) in before { set(name, value) } }
            let scene = try makeScene(.none)
            defer { scene.end() }
            try scene.type("ajkb", expecting: "<a→b|>")
        }
    }
}
