/// A time or duration in milliseconds. As a time it is on the monotonic clock; only differences of times have a
/// meaning.
public typealias Milliseconds = Double

/// The waiting times in the processing of keys by an input method: one table for the user-interface thread and the
/// input-method thread. Tests make some of them shorter.
package struct InputTiming: Hashable, Sendable {
    // MARK: One key

    /// Time without a message from the server after which the preedit spot may be set, and deferred user actions
    /// other than typing may be performed. A key that the server returns before any other message is held for the
    /// same time, in case a composition follows.
    package var quiet: Milliseconds = 20
    /// Time without a message after an answer to the last key, at the end of which the server is queried, to learn
    /// whether more messages are coming.
    package var rest: Milliseconds = 50
    /// Longest time for which a press, a focus change, a reset or the end of a composition waits for pending
    /// answers.
    package var limit: Milliseconds = 50
    /// Time for which a key that the server returned during a composition is held for the end of that composition.
    package var deferral: Milliseconds = 100
    /// Longest time for which an asynchronous client may handle a key; then the key counts as handled.
    package var handling: Milliseconds = 500
    /// Time for which a cleared preedit stays on the screen, because the commit of the same text may follow.
    package var clearing: Milliseconds = 8
    /// Time after the reply to a reset for which text that the server sent before the reset is still expected. If
    /// no key was sent since the reset, that time is ``response``.
    package var late: Milliseconds = 250

    /// Time without a message that has to pass before a call that waits for the server, if every press has been
    /// answered. A deferred call is checked again at this interval.
    package var lull: Milliseconds = 5

    // MARK: The server's life

    /// Age of a key without an answer at which the server is queried, to learn whether the key needs no answer or
    /// the server hangs. Some engines need 400 ms for their first key.
    package var doubt: Milliseconds = 500
    /// Longest age of the server's last message at which a call that waits for the server may be made without a
    /// query first.
    package var trust: Milliseconds = 250
    /// Time without a reply after which a server counts as hung. Also the time after which the answer to a reset is
    /// no longer expected.
    package var response: Milliseconds = 2000

    /// Longest wait for the server to stop sending, from the time at which a key was last answered. The wait has to
    /// be limited, because a server may send without end.
    package var patience: Milliseconds = 10_000

    // MARK: Connections

    /// Time for which keys are held while the connection is being made.
    package var connecting: Milliseconds = 300
    /// Wait before another connection is made after the first failed one. The wait doubles with each failure.
    package var retry: Milliseconds = 100
    /// Longest wait between two connections.
    package var longestRetry: Milliseconds = 10_000
    /// Lifetime below which a connection counts as failed if the server dies before it has answered a key. A
    /// connection that lasted longer does not count as failed, and is replaced at once.
    package var trial: Milliseconds = 1000
    /// Lifetime of a connection above which the server's earlier protocol faults no longer count. A connection with
    /// a shorter lifetime counts as failed if the server hangs, even if the server has answered keys.
    package var faultMemory: Milliseconds = 30_000
    /// Time for which the closing display waits for the server to release the windows. A live server takes 30 ms.
    package var goodbye: Milliseconds = 100

    /// Times for people and real servers.
    package init() {}

    /// Longest time without a message from the input method for which an action waits that must follow all earlier
    /// keys, such as saving.
    ///
    /// A server that hangs is queried after ``doubt`` and disconnected after a further ``response``; then the
    /// client types the server's keys. The limit is longer than the sum of these two times, because otherwise a
    /// window would close without those keys.
    package var saveLimit: Milliseconds { response + 2 * doubt }

    /// Returns the wait before the next connection, after a number of failed connections.
    package func pause(after failures: Int) -> Milliseconds {
        min(retry * Milliseconds(1 << min(max(failures, 0), 16)), longestRetry)
    }
}
