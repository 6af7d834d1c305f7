import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// A server whose messages are randomly damaged must neither end nor silence the editor, nor make its memory
    /// grow.
    ///
    /// Each round uses a server with a seed of its own (`inkstone-xim-server --fuzz`). An editor goes through
    /// several rounds, the first at its start. `INKSTONE_SEED` with the run's seed repeats a failed round.
    @Suite struct InputMethodFuzzTests {
        static var rounds: Int {
            if let given = getenv("INKSTONE_FUZZ_ROUNDS").flatMap({ Int(String(cString: $0)) }) { return given }
            return getenv("INKSTONE_LONG_TESTS") == nil ? 5 : 60
        }
        /// The maximum number of rounds for one editor.
        static let life = 20
        /// The number of rounds before the first measurement of memory, so that one-time allocations and caches are
        /// included in it.
        static let warming = 3
        /// The allowed growth of an editor in kilobytes: in total, plus per round. Xlib leaks some memory for a
        /// connection lost during a call; 100 per round were measured.
        static let growthLimit = (once: 2048, everyRound: 256)

        @Test func damagedMessagesBreakNothing() throws {
            let session = try DesktopSession()
            defer { session.end() }
            session.environment["XMODIFIERS"] = "@im=inkstone"
            var random = SeededGenerator()
            var broken: [String] = []
            var editor: FuzzedEditor?
            defer { editor?.end() }
            print("fuzz|seed of the run \(random.seed)")
            for number in 0..<Self.rounds {
                let round = FuzzRound(
                    number: number, seed: random.next() % 1_000_000_000,
                    oneIn: [3, 5, 10].randomElement(using: &random)!,
                    keys: (0..<30).map { _ in FuzzRound.keyboard.randomElement(using: &random)! })
                var outcome = try round.run(&editor, in: session)
                editor?.rounds += 1
                if outcome == nil { outcome = editor?.growth(after: Self.warming, within: Self.growthLimit) }
                print("fuzz|\(round.name)|\(outcome ?? "well")|\(editor?.memory ?? 0) KB")
                if let outcome { broken.append("\(round.name): \(outcome)") }
                guard outcome != nil || editor?.rounds == Self.life else { continue }
                editor?.end()
                editor = nil
            }
            #expect(broken.isEmpty, "\(broken.count) of \(Self.rounds) rounds broke the editor")
        }
    }
}

/// An editor, and the number of rounds that it has survived.
private struct FuzzedEditor {
    let process: EditorProcess
    var rounds = 0
    /// The memory after the first rounds, in kilobytes.
    private var before: Int?

    init(process: EditorProcess) { self.process = process }

    /// The private dirty memory in kilobytes. (The share of common pages would grow when another editor ends.)
    var memory: Int {
        let text = (try? TextFiles.read("/proc/\(process.process.pid)/smaps_rollup")) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("Private_Dirty:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    func end() { process.end() }

    /// Describes excessive growth of the memory; nil if there is none.
    mutating func growth(after warming: Int, within limit: (once: Int, everyRound: Int)) -> String? {
        // A sanitizer keeps freed memory.
        guard rounds >= warming, getenv("INKSTONE_SANITIZED") == nil else { return nil }
        guard let before else {
            before = memory
            return nil
        }
        let grown = memory - before
        guard grown > limit.once + (rounds - warming) * limit.everyRound else { return nil }
        return "it has grown by \(grown) KB in \(rounds - warming) rounds"
    }
}

/// A round: an editor with a damaged server, then without a server, then with a good one.
private struct FuzzRound {
    static let keyboard =
        "aiueokkssttnhmr  \n".compactMap(TestKey.init(typing:)) + [.backspace, .escape, .left, .right]
    let number: Int
    let seed: UInt64
    let oneIn: Int
    let keys: [TestKey]

    var name: String { "--fuzz \(seed):\(oneIn)" }
    /// A word typed while there is no server; no other round types the same.
    private var word: String { "q\(number)z" }

    /// Runs the round, and describes what failed; nil if nothing did. Starts the editor if none is running.
    func run(_ known: inout FuzzedEditor?, in session: DesktopSession) throws -> String? {
        let bad = server(options: ["--fuzz", "\(seed):\(oneIn)"], session)
        defer { bad.end() }
        let states = known?.process.records("state").count
        try bad.start()
        let editor = try known?.process ?? EditorProcess(in: session, named: "fuzz\(number).txt")
        if let states {
            _ = try? waitUntil("the server to be noticed", within: 5000) { editor.records("state").count > states }
        } else {
            known = FuzzedEditor(process: editor)
        }
        for key in keys { session.probe.strike(key, after: 15) }
        session.probe.sync()
        bad.kill()
        guard editor.process.isRunning else { return ended(editor) }
        // A key that the server invented may have selected old text, but never the text typed now.
        session.probe.type(word, pause: 15)
        guard saves(editor, word, session) else {
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
        good.end()
        do {
            try waitUntil("the good server to be missed", within: 5000) {
                editor.records("state").last?["phase"]?.text != "ready" || !editor.process.isRunning
            }
        } catch {
            return "it never notices the end of a server"
        }
        return editor.process.isRunning ? nil : ended(editor)
    }

    private func server(options: [String], _ session: DesktopSession) -> InputMethodServerDriver {
        InputMethodServerDriver(
            program: InputMethodBench.serverProgram, options: options, log: "\(session.home)/fuzz.log",
            environment: session.environment)
    }

    /// Whether a typed text reaches the file. The editor may show a bar, because the server has invented keys.
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
