import DisplayTestSupport
import Glibc
import InkstoneTesting

/// Simulates a hostile user, other programs and a faulty machine: runs the editor on two files on a faulty disk,
/// and checks with ``HostileDocument`` that no text is lost.
final class HostileUser {
    /// A failure of the editor that the run has found.
    struct Finding: Error, CustomStringConvertible {
        var description: String
    }

    let session: DesktopSession
    let faults: DiskFaults
    var random: SeededGenerator
    var documents: [HostileDocument]
    /// The editor's process; nil while it is not running.
    private(set) var editor: ChildProcess?
    /// The current faults of the disk.
    private(set) var badDisk: DiskFaults.Kinds = []
    /// The time at which the disk last began to work.
    private var soundSince = 0.0
    /// The clipboard peer that is to be served.
    var peer: RawOwner?
    /// Whether the clipboard peer answers requests.
    var peerAnswers = true
    /// The actions so far, with their times in seconds.
    private(set) var log: [String] = []
    /// The durations of slow pings, in milliseconds.
    private(set) var stalls: [Int] = []
    private let began = Deadline.now
    /// The length of the session's log at the last finding, in characters.
    private var logLength = 0
    private var words = 0
    var steps = 0

    var probe: XProbe { session.probe }
    var now: Double { Deadline.now }
    var recovery: String { "\(session.home)/.local/state/inkstone/recovery" }

    init(seed: UInt64, library: String) throws {
        random = SeededGenerator(seed: seed)
        session = try DesktopSession(width: 1000, height: 800)
        try session.startWindowManager()
        let directory = "\(session.home)/texts"
        mkdir(directory, 0o755)
        documents = ["one.txt", "two.txt"].map { HostileDocument(named: $0, in: directory) }
        faults = try DiskFaults(
            library, switchedBy: "\(session.home)/faults", under: [directory, "\(session.home)/.local/state"])
        for document in documents { try TextFiles.write("", to: document.path) }
    }

    func note(_ text: String) {
        log.append("\(Int(Deadline.now - began) / 1000).\(Int(Deadline.now - began) % 1000) \(text)")
        if getenv("INKSTONE_HOSTILE_VERBOSE") != nil { print(log[log.count - 1]) }
    }

    func fail(_ what: String) -> Finding {
        let end = log.suffix(40).joined(separator: "\n  ")
        return Finding(description: "\(what)\n  \(end)\n\(evidence())")
    }

    /// The contents of files and journals, for the report of a finding.
    private func evidence() -> String {
        let journals = TemporaryDirectory.names(in: recovery).map { "\(recovery)/\($0)" }
        let kept = (documents.map(\.path) + journals).map { path in
            "\(path): \(KeptFile.write((try? TextFiles.bytes(path)) ?? [], as: String(path.split(separator: "/").last ?? "")))"
        }
        let log = session.logText.dropFirst(logLength)
        logLength += log.count
        return "files:\n  \(kept.joined(separator: "\n  "))\nlog of the session:\n\(log.prefix(3000))"
    }

    // MARK: The editor

    /// The editor's windows and the documents in them, found by title.
    func windows() -> [(window: WindowInfo, document: Int?)] {
        guard let editor else { return [] }
        return probe.windows().filter {
            $0.isViewable && probe.numbers("_NET_WM_PID", of: $0.id) == [UInt32(editor.pid)]
        }.map { info in (info, documents.firstIndex { info.title.hasPrefix($0.name) }) }
    }

    func window(of document: Int) -> WindowInfo? { windows().first { $0.document == document }?.window }

    func start() throws {
        setDisk([])
        for index in documents.indices where access(documents[index].path, F_OK) != 0 {
            // Another program has deleted the file.
            note("\(documents[index].name) is not there at the start")
        }
        note("start")
        let before = Set(TemporaryDirectory.names(in: recovery))
        try checkOwed(journals: before)
        let process = try session.start(
            Products.path(of: "inkstone"), documents.map(\.path), adding: faults.environment)
        editor = process
        try wait("the windows", within: 20_000) {
            Set(self.windows().compactMap { $0.document }).count == self.documents.count
        }
        for index in documents.indices { documents[index].isOpen = true }
        try recover(journals: before)
    }

    /// Returns those of the journals that belong to a document and wait for a decision.
    private func journals(of index: Int, in names: Set<String>) -> [String] {
        names.filter { $0.hasPrefix(documents[index].name) && $0.hasSuffix(".journal") }.sorted()
    }

    /// Returns the words that `inkstone recover` prints from a document's journals.
    private func printed(_ index: Int, from names: Set<String>) throws -> Set<String> {
        var words: Set<String> = []
        for name in journals(of: index, in: names) {
            let (status, text) = try session.run(
                Products.path(of: "inkstone"), ["recover", "--print", "\(recovery)/\(name)"], within: 20_000)
            if status != .exited(0) { note("\(name) cannot be printed: \(status)") }
            words.formUnion(HostileDocument.contents(of: text).words)
        }
        return words
    }

    /// Checks, before the editor starts again, that the owed words are in the files or the journals.
    private func checkOwed(journals names: Set<String>) throws {
        for index in documents.indices where !expected[index].isEmpty {
            let found = try printed(index, from: names).union(contents(of: index).words)
            let lost = expected[index].filter { !found.contains($0) }
            guard lost.isEmpty else {
                throw fail(
                    "\(documents[index].name): neither the file nor a journal has \(lost.count) of \(expected[index].count) words: \(lost.prefix(20))"
                )
            }
        }
    }

    /// Accepts what journals of an earlier run contain, and checks that the owed words are in the text.
    private func recover(journals before: Set<String>) throws {
        for index in documents.indices {
            // Two editor processes may have left a journal each.
            for _ in 0..<3 {
                let left = journals(of: index, in: before.intersection(TemporaryDirectory.names(in: recovery)))
                guard !left.isEmpty else { break }
                try focus(index)
                note("recover \(documents[index].name) from \(left)")
                var next = 0.0
                var turns = 0
                // The changes are applied as they are, or merged into a file that another program has changed.
                let isTaken = try waitUntilTrue(within: 8000) {
                    if self.now >= next {
                        self.probe.alt(turns % 2 == 0 ? "r" : "m")
                        turns += 1
                        next = self.now + 1000
                    }
                    return left.contains { access("\(self.recovery)/\($0)", F_OK) != 0 }
                }
                guard isTaken else {
                    // The journal does not fit the file as another program has changed it. Its words were found in
                    // it before.
                    guard documents[index].isChangedOutside else { throw fail("\(left) is not offered") }
                    note("not taken")
                    probe.alt("d")
                    try waitUntilIdle(index)
                    let present = Set(contents(of: index).words)
                    expected[index].removeAll { !present.contains($0) }
                    break
                }
            }
        }
        for index in documents.indices { try save(index, isAfterCrash: true) }
    }

    /// Returns the words that each document must keep after a crash at this moment.
    func owed() -> [[String]] { documents.map { $0.owed(at: now) } }

    /// Starts the editor again after it has ended as expected, and looks for the words that it must have kept.
    ///
    /// - Parameter isGraceful: whether the editor could react to its end, and had time for it.
    func restart(owing owed: [[String]]) throws {
        editor = nil
        peer?.close()
        peer = nil
        for index in documents.indices {
            documents[index].isOpen = false
            expected[index] = owed[index]
        }
        try start()
    }
    private var expected: [[String]] = [[], []]

    /// Kills the editor after a finding, to start with a clean state.
    func reset() {
        setDisk([])
        editor?.send(SIGCONT)
        editor?.send(SIGKILL)
        _ = try? editor?.waitForExit(within: 5000)
        editor = nil
        for name in TemporaryDirectory.names(in: recovery) { unlink("\(recovery)/\(name)") }
        expected = [[], []]
        for index in documents.indices {
            let path = documents[index].path
            unlink(path)
            try? TextFiles.write("", to: path)
            let (name, given) = (documents[index].name, documents[index].given)
            documents[index] = HostileDocument(named: name, in: "\(session.home)/texts")
            documents[index].given = given
        }
    }

    // MARK: Waiting

    /// Serves the peers for some milliseconds, or until the condition holds. Throws if the editor ends meanwhile.
    func waitUntilTrue(within milliseconds: Int, _ condition: () -> Bool) throws -> Bool {
        let deadline = Deadline(milliseconds: milliseconds)
        while true {
            probe.drainEvents()
            if peerAnswers { peer?.serve() }
            try checkThatItRuns()
            if condition() { return true }
            if deadline.hasPassed { return false }
            var polled = pollfd(fd: probe.descriptor, events: Int16(POLLIN), revents: 0)
            poll(&polled, 1, 10)
        }
    }

    func wait(_ what: String, within milliseconds: Int, _ condition: () -> Bool) throws {
        guard try waitUntilTrue(within: milliseconds, condition) else { throw fail("waited in vain for \(what)") }
    }

    /// Waits while peers are served.
    func pass(_ milliseconds: Int) throws { _ = try waitUntilTrue(within: milliseconds) { false } }

    func checkThatItRuns() throws {
        guard let editor, !editor.isRunning else { return }
        throw fail("the editor ended unasked: \(editor.status as Any)")
    }

    /// Waits until the editor has handled the earlier events of a document's window.
    func waitUntilIdle(_ document: Int) throws {
        guard let window = window(of: document) else { return }
        let start = now
        let known = probe.pongs
        probe.sendPing(window.id)
        guard try waitUntilTrue(within: 15_000, { self.probe.pongs > known }) else {
            throw fail("no answer to a ping for 15 seconds")
        }
        let time = Int(now - start)
        if time > 2000 {
            stalls.append(time)
            note("stall of \(time) ms\(badDisk.isEmpty ? "" : " on a bad disk")")
        }
    }

    // MARK: Deeds that others are made of

    func focus(_ document: Int) throws {
        guard let window = window(of: document) else { return }
        try wait("the focus", within: 10_000) {
            if self.probe.focusedWindow == window.id
                || self.probe.ancestors(of: self.probe.focusedWindow).contains(window.id)
            {
                return true
            }
            self.probe.focus(window.id)
            return false
        }
    }

    /// Types unique words, each on a line of its own.
    func type(_ count: Int, into index: Int, pause: Int = 0) throws {
        try focus(index)
        var new: [String] = []
        for _ in 0..<count {
            words += 1
            let digits = String(words)
            new.append("w" + String(repeating: "0", count: max(0, 5 - digits.count)) + digits)
        }
        note("type \(new[0])…\(new[count - 1]) into \(documents[index].name)")
        // A question that can be read takes the first Return for its answer; the first word would then join the line at
        // the caret, and not count as a word.
        if documents[index].mayBeAsked { probe.strike(.escape) }
        goToLineEnd()
        for word in new { probe.type("\n\(word)", pause: pause) }
        // End the line, so that later text begins a new one.
        probe.strike(.enter)
        try waitUntilIdle(index)
        let isSound = badDisk.isEmpty && now > soundSince + 3000
        documents[index].typed += new.map { .init(word: $0, moment: now, diskWasSound: isSound) }
    }

    /// Moves to the end of the paragraph, or of the next one. The End key is no use: it moves to the end of a
    /// visual line, which lies within a word if a pasted style makes each letter as wide as the window.
    func goToLineEnd() { probe.strike(.down, holding: [.leftControl]) }

    func setDisk(_ kinds: DiskFaults.Kinds, likelihood: UInt32 = 1000, delay: UInt32 = 0) {
        if !kinds.isEmpty {
            note("disk \(kinds.rawValue) in \(likelihood), \(delay) µs")
        } else if !badDisk.isEmpty {
            note("disk sound")
        }
        if kinds.isEmpty, !badDisk.isEmpty { soundSince = now }
        if !kinds.isEmpty { for index in documents.indices { documents[index].noteBadDisk(at: now) } }
        faults.set(kinds, likelihood: likelihood, delay: delay)
        badDisk = kinds
    }

    func contents(of index: Int) -> (words: [String], foreign: [String]) {
        HostileDocument.contents(of: (try? TextFiles.read(documents[index].path)) ?? "")
    }

    /// Saves, and compares the file with the typed words.
    ///
    /// - Parameter isAfterCrash: whether text typed in the last second, or on a faulty disk, may be missing.
    func save(_ index: Int, isAfterCrash: Bool = false) throws {
        guard badDisk.isEmpty, window(of: index) != nil else { return }
        try focus(index)
        probe.strike(.escape)
        let document = documents[index]
        let wanted = Set(isAfterCrash ? expected[index] : document.isUncertain ? [] : document.typed.map(\.word))
        note("save \(document.name)\(isAfterCrash ? " after a restart" : "")")
        var next = 0.0
        var turns = 0
        let isSaved = try waitUntilTrue(within: 20_000) {
            if self.now >= next {
                // Answer the question that appears if another program has changed or deleted the file.
                switch turns % 3 {
                case 0: self.probe.control("s")
                case 1: self.probe.alt("o")
                default: self.probe.alt("s")
                }
                turns += 1
                next = self.now + 700
            }
            guard turns > 1, let title = self.window(of: index)?.title, !title.contains("•") else { return false }
            return Set(self.contents(of: index).words).isSuperset(of: wanted)
        }
        let (words, others) = contents(of: index)
        let present = Set(words)
        if isAfterCrash { documents[index].noteFragments(others) }
        let foreign = others.filter(documents[index].isForeign)
        let lost = wanted.subtracting(present)
        if !lost.isEmpty {
            let title = window(of: index)?.title ?? "no window"
            throw fail(
                "\(document.name) (\(title)) lacks \(lost.count) of \(wanted.count) words\(isAfterCrash ? " after a restart" : ""): \(lost.sorted().prefix(20))"
            )
        }
        guard isSaved else {
            throw fail("\(document.name) could not be saved: \(window(of: index)?.title ?? "no window")")
        }
        if present.count != words.count {
            let counts = Dictionary(words.map { ($0, 1) }, uniquingKeysWith: +).filter { $0.value > 1 }
            throw fail("\(document.name) has words twice: \(counts.keys.sorted().prefix(20))")
        }
        if !foreign.isEmpty { throw fail("\(document.name) has lines that nobody typed: \(foreign.prefix(10))") }
        expected[index] = []
        documents[index].rebase(on: words)
        if words.count > 400 || (try? TextFiles.bytes(document.path).count) ?? 0 > 2_000_000 { try empty(index) }
    }

    /// Deletes the whole text, as the user intends.
    func empty(_ index: Int) throws {
        note("empty \(documents[index].name)")
        try focus(index)
        probe.strike(.escape)
        probe.control("a")
        probe.strike(.delete)
        try waitUntilIdle(index)
        documents[index].isUncertain = true
        try save(index)
    }

    /// Waits for the end of the editor's process.
    func waitForEnd(within milliseconds: Int = 10_000) throws -> ExitStatus {
        guard let editor else { return .exited(0) }
        let status: ExitStatus
        do { status = try editor.waitForExit(within: milliseconds) } catch { throw fail("the editor does not end") }
        note("ended: \(status)")
        if case .signalled(let signal) = status, [SIGSEGV, SIGILL, SIGABRT, SIGTRAP, SIGBUS, SIGFPE].contains(signal) {
            throw fail("the editor crashed: \(status)")
        }
        return status
    }

    func end() {
        peer?.close()
        editor?.send(SIGCONT)
        session.end()
    }
}
