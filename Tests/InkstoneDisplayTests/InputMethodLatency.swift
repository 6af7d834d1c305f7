import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// How long a key takes to be seen as composed text, and how much of that is the server's. Run by
    /// `scripts/test-input-methods --latency`, in a release build; the Performance page has the figures.
    @Suite struct InputMethodLatency {
        /// What to type over and over: each key changes the composition, and the last ends it.
        struct Typist: CustomStringConvertible, Sendable {
            let method: RealInputMethod
            let keys: String
            let ending: TestKey
            var description: String { method.description }

            static let all = [
                Typist(method: RealInputMethod(.ibus, .anthy), keys: "kakikuke", ending: .escape),
                Typist(method: RealInputMethod(.ibus, .hangul), keys: "gksrmf", ending: .space),
                Typist(method: RealInputMethod(.fcitx5, .anthy), keys: "kakikuke", ending: .escape),
                Typist(method: RealInputMethod(.fcitx5, .pinyin), keys: "zhongwen", ending: .escape),
                Typist(method: RealInputMethod(.uim, .anthy), keys: "kakikuke", ending: .escape),
                Typist(method: RealInputMethod(.nabi, .hangul), keys: "gksrmf", ending: .space),
            ]
        }

        @Test(.enabled(if: getenv("INKSTONE_LONG_TESTS") != nil), arguments: Typist.all)
        func keysAreSeenComposed(_ typist: Typist) throws {
            let session = try DesktopSession()
            defer { session.end() }
            try typist.method.start(in: session)
            let editor = try EditorProcess(in: session)
            try editor.waitForInputMethod(typist.method)
            let probe = session.probe
            if let modifier = typist.method.switchOnModifier { probe.strike(.space, holding: [modifier]) }
            poll(nil, 0, 300)
            var moments: [(sent: Double, seen: Double)] = []
            for round in 0..<26 {
                probe.watchPixels(of: editor.window.id)
                for character in typist.keys {
                    guard let key = TestKey(typing: character) else { continue }
                    let known = editor.calls("setMarkedText").count
                    let sent = Deadline.now
                    probe.key(key.keycode, down: true)
                    probe.sync()
                    let seen = try probe.waitForPixels("the composed text")
                    probe.key(key.keycode, down: false)
                    probe.sync()
                    try editor.waitForCall("setMarkedText", after: known)
                    // The first round loads dictionaries and glyphs.
                    if round > 0 { moments.append((sent, seen)) }
                    poll(nil, 0, 40)
                }
                probe.strike(typist.ending)
                try waitUntil("the composition to end", instead: { editor.report() }) { editor.markedText == nil }
                poll(nil, 0, 60)
            }
            let figures = Self.figures(of: moments, editor)
            try #require(figures.whole.count > 100)
            print(
                "latency|\(typist)|key → pixels \(Self.summary(figures.whole)) ms|of which the method "
                    + "\(Self.summary(figures.method)) ms|the rest \(Self.summary(figures.rest)) ms")
            // What is ours, with room for a machine that is busy with other things.
            #expect(figures.rest[figures.rest.count / 2] < 10)
        }

        /// For each key: from the press to the pixels; from the editor's having it to the answer in its trace; the rest.
        private static func figures(of moments: [(sent: Double, seen: Double)], _ editor: EditorProcess)
            -> (whole: [Double], method: [Double], rest: [Double])
        {
            let presses = editor.records("key").filter { $0["phase"]?.text == "down" }.map(\.time)
            let draws = editor.records("im").filter { $0["event"]?.text == "draw" }.map(\.time)
            var result: (whole: [Double], method: [Double], rest: [Double]) = ([], [], [])
            for (sent, seen) in moments {
                guard let pressed = presses.first(where: { $0 >= sent }), pressed <= seen,
                    let drawn = draws.first(where: { $0 >= pressed }), drawn <= seen
                else { continue }
                result.whole.append(seen - sent)
                result.method.append(drawn - pressed)
                result.rest.append(seen - sent - (drawn - pressed))
            }
            return (result.whole.sorted(), result.method.sorted(), result.rest.sorted())
        }

        /// Median and 99th percentile.
        private static func summary(_ sorted: [Double]) -> String {
            func rounded(_ value: Double) -> String { String((value * 100).rounded() / 100) }
            return "\(rounded(sorted[sorted.count / 2])) (\(rounded(sorted[sorted.count * 99 / 100])))"
        }
    }
}
