import DisplayTestSupport
import Glibc
import InkstoneTesting

/// A program that runs under callgrind, with a text in its window, and has the focus.
final class CountedProgram {
    private let process: ChildProcess
    private let scene: WindowScene
    private let proxy: CountingProxy
    private let pause: Double
    private let output: String
    private var dumps = 0

    /// Creates the object: starts the program, and types some letters, so that the work of the first keys is not
    /// counted.
    ///
    /// - Parameters:
    ///   - pause: the time without a change before the next key, in milliseconds.
    ///   - hasCaches: whether to simulate the caches as well, which ``linesTouched(_:count:)`` needs. The program
    ///     then runs at half the speed.
    init(_ peer: Peer, _ text: [UInt8], _ scene: WindowScene, pause: Double, hasCaches: Bool) throws {
        self.scene = scene
        self.pause = pause
        output = "\(scene.home)/callgrind.\(peer.name)"
        proxy = try CountingProxy(to: scene.server)
        var valgrind = ["/usr/bin/env", "valgrind", "--tool=callgrind", "--quiet", "--callgrind-out-file=\(output)"]
        // Keep the symbol names as the linker uses them.
        valgrind.append("--demangle=no")
        // Simulate a last cache level with room for all data of one key, so that its misses are the number of different
        // cache lines.
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

    /// Counts the cost of `count` presses of a key. Some presses before are not counted, because the first ones create
    /// state that lasts.
    func count(_ keycode: UInt8, _ count: Int) throws -> (profile: Profile, traffic: CountingProxy.Counts) {
        try strike(keycode, 5)
        try waitUntilIdle()
        try control("--zero")
        let before = proxy.total
        try strike(keycode, count)
        try waitUntilIdle()
        return (try dump(), proxy.total - before)
    }

    /// Returns the number of different cache lines that a key touches: the average of some keys, each with empty
    /// caches at its start.
    func linesTouched(_ keycode: UInt8, count: Int) throws -> (code: Double, data: Double) {
        var (code, data) = (0, 0)
        for _ in 0..<count {
            // Empty the simulated caches by switching instrumentation off and on again.
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
            // Wait for later changes, which belong to the key as well: the first change may only be that of a caret.
            guard scene.probe.nextChange(within: 10_000) != nil else {
                throw TimedOut(what: "the window to change after key \(keycode)", milliseconds: 10_000)
            }
            scene.probe.waitUntilIdle(pause)
        }
    }

    /// Waits until the program has used less than a twentieth of a processor for some time, a limit that allows for a
    /// blinking caret.
    private func waitUntilIdle() throws {
        var quiet = 0
        try waitUntil("\(process.name) to become idle", within: 120_000) {
            let before = process.processorTime
            scene.probe.waitUntilIdle(pause)
            poll(nil, 0, 400)
            quiet = process.processorTime - before < 20_000_000 ? quiet + 1 : 0
            return quiet == 4
        }
    }

    private func dump() throws -> Profile {
        dumps += 1
        try control("--dump=count")
        let path = "\(output).\(dumps)"
        // Wait until the file is complete, with the totals in its last line: the command returns before.
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

/// A profile that callgrind has written (valgrind manual, "Callgrind Format Specification").
struct Profile {
    /// The allocation functions of the C library, which all other allocators of these programs call.
    static let allocators: Set = ["malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign"]

    /// The whole content of the profile's file.
    let text: String
    private let totals: [Substring: Int]

    /// Creates a profile from the content of its file; nil if that is incomplete, or if `text` is nil.
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
        // The file omits trailing events with a count of zero, which `zip` therefore leaves out.
        totals = Dictionary(uniqueKeysWithValues: zip(events, summary))
    }

    /// The number of executed instructions.
    var instructions: Int { totals["Ir"] ?? 0 }

    /// Returns the sum of the counts of some events.
    func total(of events: [Substring]) -> Int { events.reduce(0) { $0 + (totals[$1] ?? 0) } }

    /// Returns the number of calls of functions with the given names.
    ///
    /// In the file, a name is written in full only where it first occurs, as `(12) malloc`, and as the number
    /// afterwards.
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

    /// Returns the functions of a program that were called, by their names in the program's symbol table.
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
            // Leave out functions without a symbol, which are listed by their addresses.
            if parts[0] == "fn", isInside, let name = names[value[0]], !name.hasPrefix("0x") {
                result.insert(Self.plainName(name))
            }
        }
        return result
    }

    /// Removes callgrind's suffix for recursion (`'2`) and the linker's for versions (`@@GLIBC_2.2.5`).
    private static func plainName(_ name: Substring) -> String {
        String(name.prefix { $0 != "'" && $0 != "@" })
    }
}
