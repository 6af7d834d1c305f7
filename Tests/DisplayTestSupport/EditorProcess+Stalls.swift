import Glibc
import InkstoneTesting

/// How long the window leaves a person without an answer.
extension EditorProcess {
    /// How long the window may leave anything unanswered, in milliseconds that count (see ``WaitingTime``).
    ///
    /// This is no bound on the clock between programs, which a busy machine would break: time in which the editor, the X server
    /// or the test were ready and others had the processors is taken off. What is left is the editor's own.
    package static let stallLimit = 50.0

    /// How many milliseconds count of the time that `step` takes: one that does something to the window and waits for its answer.
    package func stall(of step: () throws -> Void) rethrows -> Double {
        let waiting = WaitingTime(of: [process.pid, session.server.pid, WaitingTime.thisThread])
        try step()
        return waiting.milliseconds
    }

    /// The least of the longest stalls of up to three runs; one within the limit is enough.
    ///
    /// A machine adds to a stall and never takes from it, and a virtual one does not always tell what its host gave to others. What
    /// the editor itself leaves unanswered is there in each run.
    package static func leastStall(of run: () throws -> Double) rethrows -> Double {
        var least = Double.infinity
        for _ in 0..<3 where least > stallLimit { least = min(least, try run()) }
        return least
    }
}
