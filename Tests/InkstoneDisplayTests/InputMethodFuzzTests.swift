import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// A server whose messages are damaged at random neither ends nor silences the editor.
    ///
    /// Each round is a server with a seed of its own (`inkstone-xim-server --fuzz`). A round that fails can be had again with
    /// the run's seed in `INKSTONE_SEED`.
    @Suite struct InputMethodFuzzTests {
        static var rounds: Int {
            if let given = getenv("INKSTONE_FUZZ_ROUNDS").flatMap({ Int(String(cString: $0)) }) { return given }
            return getenv("INKSTONE_LONG_TESTS") == nil ? 5 : 60
        }

        @Test func damagedMessagesBreakNothing() throws {
            let session = try DesktopSession()
            defer { session.end() }
            session.environment["XMODIFIERS"] = "@im=inkstone"
            var random = SeededGenerator()
            var broken: [String] = []
            print("fuzz|seed of the run \(random.seed)")
            for number in 0..<Self.rounds {
                let round = FuzzRound(
                    number: number, seed: random.next() % 1_000_000_000,
                    oneIn: [3, 5, 10].randomElement(using: &random)!,
                    keys: (0..<30).map { _ in FuzzRound.keyboard.randomElement(using: &random)! })
                let outcome = try round.run(in: session)
                print("fuzz|\(round.name)|\(outcome ?? "well")")
                if let outcome { broken.append("\(round.name): \(outcome)") }
            }
            #expect(broken.isEmpty, "\(broken.count) of \(Self.rounds) rounds broke the editor")
        }
    }
}

/// One editor with a damaging server, then none, then a good one.
private struct FuzzRound {
    static let keyboard =
        "aiueokkssttnhmr  \n".compactMap(TestKey.init(typing:)) + [.backspace, .escape, .left, .right]
    let number: Int
    let seed: UInt64
    let oneIn: Int
    let keys: [TestKey]

    var name: String { "--fuzz \(seed):\(oneIn)" }

    /// What went wrong; nil if nothing did.
    func run(in session: DesktopSession) throws -> String? {
        let bad = server(options: ["--fuzz", "\(seed):\(oneIn)"], session)
        defer { bad.end() }
        try bad.start()
        let editor = try EditorProcess(in: session, named: "fuzz\(number).txt")
        defer { editor.end() }
        for key in keys { session.probe.strike(key, after: 15) }
        session.probe.sync()
        bad.kill()
        guard editor.process.isRunning else { return ended(editor) }
        // A key that the server made up may have selected what is there, never what is typed now.
        session.probe.type("qxz", pause: 15)
        guard saves(editor, "qxz", session) else {
            return editor.process.isRunning ? "it never types again" : ended(editor)
        }
        let good = server(options: [], session)
        defer { good.end() }
        try good.start()
        do {
            try waitUntil("the good server to be used", within: 15_000) {
                editor.records("state").last?["phase"]?.text == "ready" || !editor.process.isRunning
            }
            session.probe.type("ka", pause: 15)
            try waitUntil("the composition", within: 5000) {
                editor.markedText == "さあ" || !editor.process.isRunning
            }
        } catch {
            return "it never composes again"
        }
        return editor.process.isRunning ? nil : ended(editor)
    }

    private func server(options: [String], _ session: DesktopSession) -> InputMethodServerDriver {
        InputMethodServerDriver(
            program: InputMethodBench.serverProgram, options: options, log: "\(session.home)/fuzz.log",
            environment: session.environment)
    }

    /// Whether a text is typed and reaches the file. What the server made of the keys before may have opened a bar.
    private func saves(_ editor: EditorProcess, _ text: String, _ session: DesktopSession) -> Bool {
        var next = 0.0
        let saved: ()? = try? waitUntil("“\(text)” in the file", within: 10_000, watching: []) {
            if Deadline.now >= next {
                session.probe.control("s")
                next = Deadline.now + 200
            }
            return (try? TextFiles.read(editor.file))?.contains(text) == true || !editor.process.isRunning
        }
        return saved != nil && editor.process.isRunning
    }

    private func ended(_ editor: EditorProcess) -> String {
        "it ended: \(editor.process.status.map { "\($0)" } ?? "?")"
    }
}
