import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// The time from a key press until the composed text is visible, and the server's part of it. Run by
    /// `scripts/test-input-methods --latency` in a release build; the Performance page has the results.
    ///
    /// The server's part is measured on a connection without an editor, with the same keys in the same session.
    @Suite struct InputMethodLatency {
        /// The keys to type repeatedly: each one changes the composition, and the last one ends it.
        struct Typist: CustomStringConvertible, Sendable {
            let method: RealInputMethod
            let keys: String
            let ending: TestKey
            var description: String { method.description }

            static let everyone = [
                Typist(method: RealInputMethod(.ibus, .anthy), keys: "kakikuke", ending: .escape),
                Typist(method: RealInputMethod(.ibus, .hangul), keys: "gksrmf", ending: .space),
                Typist(method: RealInputMethod(.fcitx5, .anthy), keys: "kakikuke", ending: .escape),
                Typist(method: RealInputMethod(.fcitx5, .pinyin), keys: "zhongwen", ending: .escape),
                Typist(method: RealInputMethod(.uim, .anthy), keys: "kakikuke", ending: .escape),
                Typist(method: RealInputMethod(.nabi, .hangul), keys: "gksrmf", ending: .space),
            ]

            /// All methods; `INKSTONE_INPUT_METHODS` selects those whose names contain its value.
            static var all: [Typist] {
                let part = JourneyInputMethods.setting("INKSTONE_INPUT_METHODS")
                return everyone.filter { part.map($0.description.contains) ?? true }
            }
        }

        /// The number of measured rounds. One round before them loads dictionaries and glyphs.
        private static let rounds = 20

        @Test(.enabled(if: getenv("INKSTONE_LONG_TESTS") != nil), arguments: Typist.all)
        func keysAreSeenComposed(_ typist: Typist) throws {
            let session = try DesktopSession()
            defer { session.end() }
            let running = try typist.method.start(in: session)
            let answers = try timesOfAnswers(typist, session, running).sorted()
            let pixels = try timesOfPixels(typist, session, running).sorted()
            let rest = pixels[pixels.count / 2] - answers[answers.count / 2]
            print(
                "latency|\(typist)|key → pixels \(Self.summary(pixels)) ms|key → answer of the method "
                    + "\(Self.summary(answers)) ms|the rest \(Self.rounded(rest)) ms")
            // The editor's own part, with some tolerance for a busy machine.
            #expect(rest < 10)
        }

        /// Measures the server's time: from sending a key to the first change or commit that answers it, on a
        /// connection without an editor.
        private func timesOfAnswers(_ typist: Typist, _ session: DesktopSession, _ running: RunningInputMethod) throws
            -> [Double]
        {
            let bench = try InputMethodBench(
                display: session.server.display, modifiers: "@im=\(typist.method.serverName)")
            defer { bench.end() }
            try bench.begin()
            try running.waitUntilEngineIsOn()
            if typist.method.switchOnModifier != nil {
                for isPress in [true, false] { bench.send(.space, isPress: isPress, state: 1) }
                try bench.waitUntilIdle()
            }
            var times: [Double] = []
            for round in 0...Self.rounds {
                for character in typist.keys {
                    guard let key = TestKey(typing: character) else { continue }
                    let known = bench.answers.count
                    let sent = Deadline.now
                    bench.send(key, characters: String(character), isPress: true)
                    try bench.wait("the answer to \(character)") {
                        bench.answers.dropFirst(known).contains(where: Self.shows)
                    }
                    if round > 0 { times.append(Deadline.now - sent) }
                    bench.send(key, characters: String(character), isPress: false)
                    try bench.waitUntilIdle()
                }
                bench.strike(typist.ending)
                try bench.wait("the composition to end") { bench.field.preedit.isEmpty }
                try bench.waitUntilIdle()
            }
            return times
        }

        /// Measures from a key press to the visible pixels of the composed text, in the editor.
        private func timesOfPixels(_ typist: Typist, _ session: DesktopSession, _ running: RunningInputMethod) throws
            -> [Double]
        {
            let editor = try EditorProcess(in: session)
            try editor.waitForInputMethod(typist.method)
            let probe = session.probe
            try running.waitUntilEngineIsOn()
            if let modifier = typist.method.switchOnModifier { probe.strike(.space, holding: [modifier]) }
            var times: [Double] = []
            for round in 0...Self.rounds {
                for character in typist.keys {
                    guard let key = TestKey(typing: character) else { continue }
                    let known = editor.calls("setMarkedText").count
                    probe.watchPixels(of: editor.window.id)
                    let sent = Deadline.now
                    probe.key(key.keycode, down: true)
                    probe.sync()
                    var seen = try probe.waitForPixels("the composed text")
                    try editor.waitForCall("setMarkedText", after: known)
                    // Ignore earlier changes of pixels, such as a blinking caret.
                    let called = editor.calls("setMarkedText")[known].time
                    while seen < called { seen = try probe.waitForPixels("the composed text") }
                    probe.key(key.keycode, down: false)
                    probe.sync()
                    if round > 0 { times.append(seen - sent) }
                    try rest(editor)
                }
                probe.strike(typist.ending)
                try waitUntil("the composition to end", instead: { editor.report() }) { editor.markedText == nil }
                try rest(editor)
            }
            return times
        }

        /// Waits until the editor is idle after a key.
        private func rest(_ editor: EditorProcess) throws {
            try waitUntilQuiet("the editor", for: 30) { editor.records("im").count }
        }

        /// Whether an answer changes or ends the composition.
        private static func shows(_ answer: InputMethodAnswer) -> Bool {
            guard case .event(let event, _) = answer else { return false }
            switch event {
            case .preeditDraw, .commit: return true
            default: return false
            }
        }

        private static func rounded(_ value: Double) -> String { String((value * 100).rounded() / 100) }

        /// The median and the 99th percentile.
        private static func summary(_ sorted: [Double]) -> String {
            "\(rounded(sorted[sorted.count / 2])) (\(rounded(sorted[sorted.count * 99 / 100])))"
        }
    }
}
