import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// The connection with real input methods.
    @Suite struct InputMethodRealTests {
        /// The keys that compose and that end the composition, and the resulting text.
        private func keys(_ method: RealInputMethod) -> (composing: String, ending: String, text: String) {
            switch method.engine {
            case .anthy: ("nihongo", " \n", "日本語")
            case .pinyin: ("nihao", " ", "你好")
            case .hangul: ("gksrmf", " ", "한글 ")
            case .mozc: ("nihongo", "\n", "にほんご")
            case .latex: ("\\alpha", " ", "α")
            case .telex: ("tieengs", " ", "tiếng ")
            }
        }

        @Test(arguments: RealInputMethod.all)
        func composesAndCommits(_ method: RealInputMethod) throws {
            let (session, running) = try method.borrow()
            defer { session.giveBack() }
            let bench = try InputMethodBench(display: session.server.display, modifiers: "@im=\(method.serverName)")
            defer { bench.end() }
            try bench.begin()
            try running.waitUntilEngineIsOn()
            let (composing, ending, text) = keys(method)
            for pause in [0, 10, 60] {
                bench.field.text = ""
                for character in composing + ending {
                    // If Return arrives before ibus-anthy has begun the conversion, it commits nothing.
                    if character == "\n", ending.count > 1, method.onTheSpot {
                        try bench.wait("the conversion") {
                            bench.draws.last?.feedback.contains { $0 != .underline } ?? false
                        }
                    }
                    bench.type(String(character))
                    let caret = bench.caret(at: pause + bench.events.count)
                    bench.connection.setSpot(caret, in: bench.window, rootOrigin: .init(x: 10, y: 20))
                    // The pause of a typist before the next key.
                    try TypistPace.pause(pause, watching: [bench.connection.descriptor]) { bench.turn() }
                }
                try bench.wait("the text at \(pause) ms") {
                    bench.field.text == text && bench.field.preedit.isEmpty
                }
            }
            #expect((bench.connection.state.style?.preedit == .callbacks) == method.onTheSpot)
            #expect((bench.connection.state.diagnosis == nil) == method.onTheSpot)
            #expect(bench.field.keys.allSatisfy { $0 != nil })
        }

        @Test(arguments: RealInputMethod.all.filter(\.onTheSpot))
        func noKeyIsLostAroundFocusChangesAndResets(_ method: RealInputMethod) throws {
            let (session, _) = try method.borrow()
            defer { session.giveBack() }
            let bench = try InputMethodBench(display: session.server.display, modifiers: "@im=\(method.serverName)")
            defer { bench.end() }
            try bench.begin()
            let letter = String(keys(method).composing.prefix(1))
            for round in 0..<6 {
                bench.field = .init()
                bench.type(letter)
                try bench.wait("the preedit of round \(round)") { !bench.field.preedit.isEmpty }
                if round % 2 == 0 {
                    bench.connection.focusOut(bench.window)
                    bench.connection.focusIn(bench.window)
                } else {
                    bench.connection.reset(bench.window)
                    try bench.wait("the reply") { bench.field.resets.count == 1 }
                }
                // The server may react late; wait until it has, before the next round.
                try bench.waitUntilIdle()
            }
            // A returned press would have bypassed the engine: fcitx5 commits the letter itself.
            let presses = bench.events.filter { if case .key(let key, _) = $0 { key.phase == .down } else { false } }
            #expect(presses.isEmpty)
        }

        @Test(arguments: [RealInputMethod(.ibus, .anthy), RealInputMethod(.fcitx5, .anthy)])
        func aStoppedServerIsLetGoAndFoundAgain(_ method: RealInputMethod) throws {
            let session = try DesktopSession(width: 640, height: 480)
            defer { session.end() }
            let running = try method.start(in: session)
            let bench = try InputMethodBench(display: session.server.display, modifiers: "@im=\(method.serverName)")
            defer { bench.end() }
            try bench.begin()
            bench.type("ka")
            try bench.wait("the preedit") { bench.field.preedit.text == "か" }
            running.signalServer(SIGSTOP)
            bench.type("xyz")
            try bench.waitForKeys { bench.field.text == "かxyz" }
            running.signalServer(SIGCONT)
            try bench.wait("the next connection") { bench.connection.state.phase == .ready }
            bench.type("ki")
            try bench.wait("composing again") { bench.field.preedit.text == "き" }
            #expect(bench.field.text == "かxyz")
            #expect(bench.longestStall < InputMethodBench.stallLimit)
        }

        /// fcitx5 loads pinyin when a window first gets the focus, and does not answer meanwhile: on a busy machine
        /// for so long that it counts as hung.
        @Test func keysTypedWhileAnEngineIsLoadedArriveOnce() throws {
            let method = RealInputMethod(.fcitx5, .pinyin)
            let session = try DesktopSession(width: 640, height: 480)
            defer { session.end() }
            try method.start(in: session, loadsEngine: false)
            let bench = try InputMethodBench(display: session.server.display, modifiers: "@im=\(method.serverName)")
            defer { bench.end() }
            try bench.begin()
            bench.type("nihao")
            try bench.wait("the letters, plain or composed", within: 10_000) {
                let letters = (bench.field.text + bench.field.preedit.text).filter { $0 != " " }
                return letters == "nihao" || letters == "你好"
            }
            #expect(bench.longestStall < InputMethodBench.stallLimit)
        }

        @Test func aKilledServerIsUsedAgainWhenItIsRestarted() throws {
            let method = RealInputMethod(.fcitx5, .anthy)
            let session = try DesktopSession(width: 640, height: 480)
            defer { session.end() }
            let running = try method.start(in: session)
            let bench = try InputMethodBench(display: session.server.display, modifiers: "@im=\(method.serverName)")
            defer { bench.end() }
            try bench.begin()
            bench.type("ka")
            try bench.wait("the preedit") { bench.field.preedit.text == "か" }
            running.process.send(SIGKILL)
            try bench.wait("the news") { bench.connection.state.phase == .notRunning }
            bench.type("xyz")
            try bench.wait("the keys") { bench.field.text == "かxyz" }
            try method.start(in: session)
            try bench.wait("the next connection") { bench.connection.state.phase == .ready }
            bench.type("ki")
            try bench.wait("composing again") { bench.field.preedit.text == "き" }
        }
    }
}
