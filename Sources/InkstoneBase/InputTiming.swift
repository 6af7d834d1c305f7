/// A time or duration in milliseconds. As a time it is on the monotonic clock; only differences of times have a
/// meaning.
public typealias Milliseconds = Double

/// The waiting times in the processing of keys by an input method. The user-interface thread and the input-method
/// thread use the same table. Tests make some of the times shorter.
package struct InputTiming: Hashable, Sendable {
    // MARK: Waits for the answers to a key

    /// Time without a message from the server after which the preedit spot may be set, and after which deferred
    /// user actions other than typing may be performed. Also the time for which a key that the server returns is
    /// held, in case a composition follows.
    package var quiet: Milliseconds = 20
    /// Time without a message after an answer to the last key. At its end the server is queried, to learn whether
    /// more messages are coming.
    package var quiescence: Milliseconds = 50
    /// Time for which the following wait for pending answers: a key after a reset, a press of a pointer button, a
    /// focus change, a reset, and the end of a composition. Before the server is sent a reset or the loss of the
    /// focus, the wait is longer while it sends messages, up to ``probeDelay``, and until it has read the keys.
    package var pressWait: Milliseconds = 50
    /// Time for which a key that the server returned during a composition is held for the end of that composition.
    package var deferral: Milliseconds = 100
    /// Longest time that an asynchronous client may take for a key. After it, the key counts as handled.
    package var handling: Milliseconds = 500
    /// Time for which a cleared preedit stays on the screen. The commit of the same text may follow.
    package var clearing: Milliseconds = 8
    /// Time after a reset, or after the reply to it, for which text that the server sent before the reset is still
    /// expected. If the server may still commit the composition that the reset has ended, the time is longer:
    /// ``response``, or without end as long as no key was sent since the reset.
    package var lateTextWindow: Milliseconds = 250

    /// Time without a message from the server that has to pass before it is sent a reset or the loss of the focus, if
    /// every press was answered. Deferred commands are tried again at this interval.
    package var pollInterval: Milliseconds = 5

    // MARK: A silent or hung server

    /// Age of an unanswered key at which the server is queried, to learn whether it hangs or the key needs no
    /// answer. Some engines need 400 ms for their first key.
    package var probeDelay: Milliseconds = 500
    /// Longest time since the server's last message at which a call that waits for the server may be made without a
    /// query before it.
    package var livenessAge: Milliseconds = 250
    /// Time without a reply after which a server counts as hung. Also the time after which the reply to a reset is
    /// no longer expected.
    package var response: Milliseconds = 2000

    /// Longest wait for the server to stop sending, counted from the time at which a key was last answered. Without
    /// this limit, a server that sends without end would be waited for without end.
    package var maximumAnswerWait: Milliseconds = 10_000

    // MARK: Connections

    /// Time for which keys are held while the connection is being made.
    package var connecting: Milliseconds = 300
    /// Shortest wait before another attempt, if attempts to connect fail one after another. The wait doubles with
    /// each failure.
    package var retry: Milliseconds = 100
    /// Longest wait between two attempts to connect.
    package var longestRetry: Milliseconds = 10_000
    /// Lifetime below which a connection counts as failed if the server dies before it has answered a key. Any
    /// other connection whose server dies is replaced at once.
    package var trial: Milliseconds = 1000
    /// Lifetime of a connection above which earlier protocol faults of the server no longer count. If a connection
    /// lasts less and the server then hangs, the connection counts as failed even if the server has answered keys.
    package var faultMemory: Milliseconds = 30_000
    /// Time for which the closing display waits for the server to release the windows. A live server takes 30 ms.
    package var goodbye: Milliseconds = 100

    /// Creates the default times, which suit people and real servers.
    package init() {}

    /// Longest time without a message from the input method for which an action waits that must follow all earlier
    /// keys, such as saving.
    ///
    /// A server that hangs is queried after ``probeDelay``, and disconnected after a further ``response``; then the
    /// client types the keys of that server. The limit must be longer than the sum of these two times. Otherwise a
    /// window would close without those keys.
    package var saveLimit: Milliseconds { response + 2 * probeDelay }

    /// Returns the wait before the next attempt to connect: ``retry``, doubled `failures` times, but at most
    /// ``longestRetry``.
    package func pause(after failures: Int) -> Milliseconds {
        min(retry * Milliseconds(1 << min(max(failures, 0), 16)), longestRetry)
    }
}
