/// Milliseconds on the monotonic clock; only differences mean anything.
public typealias Milliseconds = Double

/// The waiting times on the path of a key: the one table for both of its threads. Tests make some of them shorter.
public struct InputTiming: Hashable, Sendable {
    // MARK: One key

    /// Silence of the server after which the spot may be set and deferred user actions other than typing may be performed.
    /// A key that comes back before any other message waits as long for a composition.
    public var quiet: Milliseconds = 20
    /// Silence after an answer that followed the last key; then the server is queried whether more is coming.
    package var rest: Milliseconds = 50
    /// Longest wait of a press, a focus change, a reset or an end of composition for answers on their way.
    public var limit: Milliseconds = 50
    /// Wait of a key that comes back during the composition that it followed, for the end of that composition.
    package var deferral: Milliseconds = 100
    /// Time that an asynchronous client has for a key; then the key counts as handled.
    public var handling: Milliseconds = 500
    /// Time that a cleared preedit stays on the screen, since a commit of it may follow.
    package var clearing: Milliseconds = 8
    /// Time after a reset's reply within which text sent before the reset may still arrive; without a key since, ``response``.
    package var late: Milliseconds = 250

    /// Silence that is required before a call that waits for the server, when every press is answered. A deferred call is
    /// checked again at this interval.
    package var lull: Milliseconds = 5

    // MARK: The server's life

    /// Age of a key without an answer at which the server is queried: the key needs no answer, or the server hangs. Some engines need 400 ms for
    /// their first key.
    package var doubt: Milliseconds = 500
    /// Age at which a sign of life no longer suffices for the next call that waits for the server: query first.
    package var trust: Milliseconds = 250
    /// Time without a reply after which a server counts as hung, and a reset as one that will not be answered.
    package var response: Milliseconds = 2000

    /// Longest wait for the server to fall silent, since a key was last answered: a server may send without end.
    package var patience: Milliseconds = 10_000

    // MARK: Connections

    /// Wait of keys typed while the connection is being made.
    public var connecting: Milliseconds = 300
    /// First wait before another connection is made after a failed one; it doubles each time.
    package var retry: Milliseconds = 100
    /// Longest wait between two connections.
    package var longestRetry: Milliseconds = 10_000
    /// Lifetime below which a connection whose server dies without having answered a key has failed; otherwise it is replaced at once.
    package var trial: Milliseconds = 1000
    /// Time after which a protocol fault of the server counts as its first again. A server that has answered keys and hangs
    /// within this time has failed.
    package var faultMemory: Milliseconds = 30_000
    /// Time that the server is given to release the windows when the display closes. A live server takes 30 ms.
    package var goodbye: Milliseconds = 100

    /// The times for people and real servers.
    package init() {}

    /// Longest wait without any message from the method, of an action that must follow every key before it, such as saving. A server
    /// that hangs is queried after ``doubt`` and disconnected after ``response`` more, which gives its keys back. The wait is longer than both
    /// together: otherwise a window would close without those keys.
    package var saveLimit: Milliseconds { response + 2 * doubt }

    /// Returns the wait before the next connection after a number of failed ones.
    package func pause(after failures: Int) -> Milliseconds {
        min(retry * Milliseconds(1 << min(max(failures, 0), 16)), longestRetry)
    }
}
