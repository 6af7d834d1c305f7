import DisplayTestSupport
import Glibc
import InkstoneTesting

/// A program under callgrind, with a text in its window, focused and idle.
final class CountedProgram {
    private let process: ChildProcess
    private let scene: WindowScene
    private let proxy: CountingProxy
    private let pause: Double
    private let output: String
    private var dumps = 0

    /// Starts it and strikes some keys, so that what happens with the first ones is over.
    ///
    /// - Parameters:
    ///   - pause: how long nothing must have changed before the next key, in milliseconds.
    ///   - hasCaches: whether ``linesTouched(_:count:)`` will be asked for, which makes the program half as fast.
    init(_ peer: Peer, _ text: [UInt8], _ scene: WindowScene, pause: Double, hasCaches: Bool) throws {
        self.scene = scene
        self.pause = pause
        output = "\(scene.home)/callgrind.\(peer.name)"
        proxy = try CountingProxy(to: scene.server)
        var valgrind = ["/usr/bin/env", "valgrind", "--tool=callgrind", "--quiet", "--callgrind-out-file=\(output)"]
        // Names as the linker knows them.
        valgrind.append("--demangle=no")
        // The last level is so large that it keeps what one key touches: its misses are the distinct lines.
        if hasCaches { valgrind += ["--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64"] }
        do {
            (process, _) = try scene.start(
                valgrind + peer.words(try scene.file(text), percent: 50), showing: "text", display: proxy.display,
                timeout: 120_000)
        } catch {
            proxy.end()
            throw error
        }
        scene.probe.focus(true)
        try waitUntilIdle()
        try strike(WindowProbe.letterKey, 20)
        try waitUntilIdle()
    }

    func end() {
        process.end()
        proxy.end()
    }

    /// What so many strokes of a key cost, after some that are not counted: the first of a kind makes what lasts.
    func count(_ keycode: UInt8, _ count: Int) throws -> (profile: Profile, traffic: CountingProxy.Counts) {
        try strike(keycode, 5)
        try waitUntilIdle()
        try control("--zero")
        let before = proxy.total
        try strike(keycode, count)
        try waitUntilIdle()
        return (try dump(), proxy.total - before)
    }

    /// The distinct cache lines that a stroke touches, the mean of some, each begun with empty caches.
    func linesTouched(_ keycode: UInt8, count: Int) throws -> (code: Double, data: Double) {
        var (code, data) = (0, 0)
        for _ in 0..<count {
            // Switching it off and on again empties the simulated caches.
            try control("--instr=off")
            try control("--instr=on")
            try control("--zero")
            try strike(keycode, 1)
            try waitUntilIdle()
            let profile = try dump()
            code += profile.total(of: ["ILmr"])
            data += profile.total(of: ["DLmr", "DLmw"])
        }
        return (Double(code) / Double(count), Double(data) / Double(count))
    }

    private func strike(_ keycode: UInt8, _ count: Int) throws {
        for _ in 0..<count {
            scene.probe.strike(keycode)
            // The first change may be a caret's; what follows belongs to the key as well.
            guard scene.probe.nextChange(within: 10_000) != nil else {
                throw TimedOut(what: "the window to change after key \(keycode)", milliseconds: 10_000)
            }
            scene.probe.settle(pause)
        }
    }

    /// Returns when it has used less than a twentieth of a processor for some time: a blinking caret is no work.
    private func waitUntilIdle() throws {
        var quiet = 0
        try waitUntil("\(process.name) to become idle", within: 120_000) {
            let before = process.processorTime
            scene.probe.settle(pause)
            poll(nil, 0, 400)
            quiet = process.processorTime - before < 20_000_000 ? quiet + 1 : 0
            return quiet == 4
        }
    }

    private func dump() throws -> Profile {
        dumps += 1
        try control("--dump=count")
        let path = "\(output).\(dumps)"
        // The command returns before the file is whole; its last line is that of the totals.
        return try waitFor("callgrind to write \(path)", within: 60_000) { Profile(try? TextFiles.read(path)) }
    }

    private func control(_ command: String) throws {
        let environment = ["PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": scene.home]
        let control = try ChildProcess(
            "callgrind_control", [command, "\(process.pid)"], environment: environment, output: .null, errors: .null)
        guard try control.waitForExit(within: 60_000) == .exited(0) else {
            throw TimedOut(what: "callgrind_control \(command)", milliseconds: 0, instead: "\(control.status as Any)")
        }
    }
}

/// A file that callgrind has written (valgrind manual, "Callgrind Format Specification").
struct Profile {
    /// Functions of the C library that give memory; everything else in these programs comes to them.
    static let allocators: Set = ["malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign"]

    /// All of it.
    let text: String
    private let totals: [Substring: Int]

    /// Nil for a file that is not whole.
    init?(_ text: String?) {
        guard let text else { return nil }
        var events: [Substring] = []
        var summary: [Int] = []
        var isWhole = false
        for line in text.split(separator: "\n") {
            if line.hasPrefix("events: ") { events = line.split(separator: " ").dropFirst().map { $0 } }
            if line.hasPrefix("summary: ") { summary = line.split(separator: " ").dropFirst().compactMap { Int($0) } }
            if line.hasPrefix("totals: ") { isWhole = text.hasSuffix("\n") }
        }
        guard isWhole, !events.isEmpty else { return nil }
        self.text = text
        // Events at the end that were not seen at all are left out.
        totals = Dictionary(uniqueKeysWithValues: zip(events, summary))
    }

    /// Instructions carried out.
    var instructions: Int { totals["Ir"] ?? 0 }

    /// The sum of some events.
    func total(of events: [Substring]) -> Int { events.reduce(0) { $0 + (totals[$1] ?? 0) } }

    /// How often functions of these names were called.
    ///
    /// A name is written out where it comes for the first time, `(12) malloc`, and is only a number then.
    func calls(to names: Set<String>) -> Int {
        var wanted: Set<Substring> = []
        var isWanted = false
        var sum = 0
        for line in text.split(separator: "\n") {
            if line.hasPrefix("fn=") || line.hasPrefix("cfn=") {
                let parts = line.split(separator: "=", maxSplits: 1)[1].split(separator: " ", maxSplits: 1)
                if parts.count == 2, names.contains(Self.plainName(parts[1])) { wanted.insert(parts[0]) }
                isWanted = wanted.contains(parts[0])
            } else if isWanted, line.hasPrefix("calls=") {
                sum += Int(line.dropFirst(6).split(separator: " ")[0]) ?? 0
            }
        }
        return sum
    }

    /// The functions of a program that were called, as its table of symbols names them.
    func functions(of program: String) -> Set<String> {
        var objects: [Substring: Substring] = [:]
        var names: [Substring: Substring] = [:]
        var result: Set<String> = []
        var isInside = false
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, ["ob", "cob", "fn", "cfn"].contains(parts[0]) else { continue }
            let isFunction = parts[0].hasSuffix("fn")
            let value = parts[1].split(separator: " ", maxSplits: 1)
            if value.count == 2 {
                if isFunction { names[value[0]] = value[1] } else { objects[value[0]] = value[1] }
            }
            if parts[0] == "ob" { isInside = objects[value[0]].map { $0 == program } ?? false }
            // A function without a symbol is given as its address.
            if parts[0] == "fn", isInside, let name = names[value[0]], !name.hasPrefix("0x") {
                result.insert(Self.plainName(name))
            }
        }
        return result
    }

    /// Without what callgrind adds for recursion (`'2`) and the linker for versions (`@@GLIBC_2.2.5`).
    private static func plainName(_ name: Substring) -> String {
        String(name.prefix { $0 != "'" && $0 != "@" })
    }
}
