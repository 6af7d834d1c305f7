import Glibc
import InkstoneTesting

extension RealInputMethod {
    /// A session in which this input method serves, with the engine loaded, shared by all tests of the process that only type:
    /// starting one costs more than most of what is typed into it.
    ///
    /// The test gives the session back with ``DesktopSession/giveBack()``. It must not stop, kill or set up the server
    /// differently; a test that does starts one of its own. A server that does not answer any more, because an earlier test
    /// failed, is replaced.
    package func borrow() throws -> (session: DesktopSession, running: RunningInputMethod) {
        let running = try SharedInputMethods.ready(self)
        running.session.lend()
        return (running.session, running)
    }
}

/// The sessions that are lent, until the process ends.
enum SharedInputMethods {
    // Nothing guards it: tests that use a display run one after the other.
    nonisolated(unsafe) private static var known: [RealInputMethod: RunningInputMethod] = [:]

    static func ready(_ method: RealInputMethod) throws -> RunningInputMethod {
        if let running = known[method] {
            if running.isServing, (try? running.waitUntilReady()) != nil, (try? running.waitUntilIdle()) != nil {
                return running
            }
            known[method] = nil
            running.session.end()
        }
        if known.isEmpty { atexit { SharedInputMethods.end() } }
        let session = try DesktopSession()
        do {
            let running = try method.start(in: session)
            known[method] = running
            return running
        } catch {
            session.end()
            throw error
        }
    }

    private static func end() {
        for running in known.values { running.session.end() }
        known = [:]
    }
}

extension DesktopSession {
    /// Records the session's environment and processes, to distinguish what a test adds.
    func lend() {
        truncate(log, 0)
        lent = Lent(environment: environment, processes: processes.count)
    }

    /// Ends what the test has started in a borrowed session, and takes its files, its environment and its keys back.
    package func giveBack() {
        guard let lent else { return }
        self.lent = nil
        for process in processes[lent.processes...].reversed() { process.end() }
        processes.removeSubrange(lent.processes...)
        environment = lent.environment
        for name in TemporaryDirectory.names(in: home) where !name.hasPrefix(".") && !Self.ownNames.contains(name) {
            let path = "\(home)/\(name)"
            if unlink(path) != 0 { TemporaryDirectory.remove(path) }
        }
        for kept in [".config", ".cache", ".local/state"] { TemporaryDirectory.remove("\(home)/\(kept)/inkstone") }
        probe.releaseAll()
        probe.movePointer(x: probe.width / 2, y: probe.height / 2)
        probe.sync()
    }

    /// The names that the session and its services keep in the home: a runtime directory, a log, locales, accounts.
    private static let ownNames: Set<String> = ["run", "session.log", "locales", "passwd"]
}

extension RunningInputMethod {
    /// Waits until nothing is left on the screen of what was composed before.
    func waitUntilIdle() throws {
        let probe = session.probe
        try waitUntil("the candidates of \(method) to be gone", watching: [probe.descriptor]) {
            probe.drainEvents()
            return !probe.windows().contains { $0.isViewable && method.ownsCandidateWindow($0) }
        }
    }
}
