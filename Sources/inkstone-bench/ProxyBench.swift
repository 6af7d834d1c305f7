import ArgumentParser
import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneProxy
import InkstoneTesting

/// A benchmark of a keyboard in another process. Compares the time until its text is visible with the time for a
/// typed key. Also measures the time for which a misbehaving keyboard blocks the editor's window.
///
/// It starts an X server, a bus and the editor. This program is the keyboard, and runs itself again as the
/// misbehaving ones.
struct ProxyBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy", abstract: "Measure text that a keyboard in another process types.",
        discussion: "“scripts/bench proxy” builds the editor and runs this.")

    @Option(help: "How many keys are struck, and how many texts inserted by turns with them.") var keys = 300

    @Option(help: "How long each peer that misbehaves is looked at, in seconds.") var seconds = 5.0

    @Option(help: "How long nothing must have changed before the next key, in milliseconds.") var pause = 12.0

    func run() throws {
        let session = try DesktopSession(width: 1280, height: 1024)
        defer { session.end() }
        try session.startBus()
        guard let probe = WindowProbe(display: session.server.display) else {
            throw TimedOut(what: "a display with XTEST and DAMAGE", milliseconds: 0)
        }
        let itself = try path(of: "/proc/self/exe")
        let answer = try session.run(Products.path(of: "inkstone"), ["proxy", "allow", itself])
        guard answer.status == .exited(0) else { throw ValidationError("The editor allows no keyboard: \(answer)") }
        let text = String(decoding: Sample.log(bytes: 100_000), as: UTF8.self)
        let editor = try EditorProcess(
            in: session, text: text, geometry: "1000x700+0+0", options: ["--goto", "50%"])
        defer { editor.end() }
        probe.waitUntilIdle(500)
        try measureLatency(probe, session)
        for kind in HostilePeer.Kind.allCases { try measure(kind, itself, editor) }
    }

    private func path(of link: String) throws -> String {
        guard let path = realpath(link, nil) else { throw ValidationError("This program has no path.") }
        defer { free(path) }
        return String(cString: path)
    }

    /// Measures the time from a key, or from an insertion through the proxy, until the line with the caret changes
    /// on the screen.
    private func measureLatency(_ probe: WindowProbe, _ session: DesktopSession) throws {
        let keyboard = InputController(
            name: "inkstone-bench", busAddress: session.environment["DBUS_SESSION_BUS_ADDRESS"])
        defer { keyboard.close() }
        keyboard.start()
        let proxy = try waitFor(
            "the text with the focus", within: 10_000, watching: [keyboard.descriptor], instead: { session.logText }
        ) {
            keyboard.processEvents()
            return keyboard.textDocumentProxy.flatMap { $0.hasContext ? $0 : nil }
        }
        var (struck, inserted) = ([Double](), [Double]())
        for i in -20..<keys {
            let key = try probe.answer(to: WindowProbe.letterKey, pause: pause, Self.isTyped)
            let start = Deadline.now
            var status: TextEditStatus?
            proxy.perform(then: { status = $0 }) { $0.insertText("a") }
            let seen = try change(of: probe, since: start)
            try waitUntil("the answer", watching: [keyboard.descriptor]) {
                keyboard.processEvents()
                return status != nil
            }
            guard status == .applied else {
                throw ValidationError("The editor does not take the text: \(status as Any)")
            }
            probe.waitUntilIdle(pause)
            guard i >= 0 else { continue }
            struck.append(key)
            inserted.append(seen)
        }
        Spread(struck).show("proxy.key")
        Spread(inserted).show("proxy.insert")
        Figure.show("proxy.insert.times-key", Spread(inserted).median / Spread(struck).median, "x")
    }

    /// Returns whether a change is in a line of text, rather than that of the caret or of the bars around the text.
    private static func isTyped(_ change: WindowProbe.Change) -> Bool { change.width > 12 && change.y < 600 }

    private func change(of probe: WindowProbe, since start: Double) throws -> Double {
        while let change = probe.nextChange(within: 3000) {
            if Self.isTyped(change) { return change.moment - start }
        }
        throw TimedOut(what: "the window to show what was inserted", milliseconds: 3000)
    }

    /// Measures the longest time for which the window does not respond while a peer misbehaves, and the memory
    /// afterwards.
    private func measure(_ kind: HostilePeer.Kind, _ itself: String, _ editor: EditorProcess) throws {
        let session = editor.session
        var program = itself
        if kind == .refused {
            // Use a copy of the program: `proxy allow` gave access to the program itself only.
            program = session.home + "/refused"
            try TextFiles.write(TextFiles.bytes(itself), to: program)
            chmod(program, 0o755)
        }
        let before = editor.process.proportionalMemory
        var peer = try session.start(program, ["proxy-peer", kind.rawValue, "\(editor.process.pid)"])
        defer { peer.end() }
        var (longest, peak, deaths) = (0.0, before, 0)
        let end = Deadline.now + seconds * 1000
        while Deadline.now < end {
            longest = max(longest, try editor.stall { try session.probe.ping(editor.window.id) })
            peak = max(peak, editor.process.proportionalMemory)
            if kind == .stopped { peer.send(SIGSTOP) }
            guard !peer.isRunning else { continue }
            guard kind == .dying else { throw TimedOut(what: "\(kind.rawValue): \(session.logText)", milliseconds: 0) }
            deaths += 1
            peer = try session.start(program, ["proxy-peer", kind.rawValue, "\(editor.process.pid)"])
        }
        let name = "proxy.peer.\(kind.rawValue)"
        Figure.show("\(name).longest-stall", longest, "ms")
        Figure.show("\(name).memory.growth", Double(max(0, peak - before)) / 1024, "MB")
        if kind == .dying { Figure.show("\(name).deaths", Double(deaths), "") }
    }
}
