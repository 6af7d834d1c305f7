import Glibc
import InkstoneTesting

/// The times in which the editor's window does not respond.
extension EditorProcess {
    /// The maximum time without a response, in milliseconds that count (see ``WaitingTime``).
    ///
    /// Wall-clock time would fail on a busy machine: time in which the editor, the X server or the test were ready
    /// to run while other programs had the processors is subtracted. The rest is the editor's own.
    package static let stallLimit = 50.0

    /// Returns the milliseconds that count of the time of `step`, which sends something to the window and waits for
    /// its answer.
    package func stall(of step: () throws -> Void) rethrows -> Double {
        let waiting = WaitingTime(of: [process.pid, session.server.pid, WaitingTime.thisThread])
        try step()
        return waiting.milliseconds
    }

    /// Returns the least of the longest stalls of up to three runs; stops at one within the limit.
    ///
    /// A busy machine can only make a stall longer, and a virtual one does not always report what its host gave to
    /// others. A stall of the editor itself occurs in each run.
    package static func leastStall(of run: () throws -> Double) rethrows -> Double {
        var least = Double.infinity
        for _ in 0..<3 where least > stallLimit { least = min(least, try run()) }
        return least
    }
}
