/// Milliseconds on the monotonic clock; only differences mean anything.
public typealias Milliseconds = Double

/// How long the path of a key waits for what: the one table for both of its threads. Tests make some of it shorter.
public struct InputTiming: Hashable, Sendable {
    // MARK: One key

    /// Nothing heard for this long is a quiet moment, in which the spot may be set and what the user does
    /// besides typing may be done. A key that comes back before anything else was heard waits as long for a composition.
    public var quiet: Milliseconds = 20
    /// Nothing heard for this long since an answer that came after the last key: the server is asked whether that was all.
    public var rest: Milliseconds = 50
    /// A press, a change of the focus, a reset or an end waits no longer than this for answers on their way.
    public var limit: Milliseconds = 50
    /// A key that comes back in the middle of a composition which it followed waits this long for the end of that.
    public var deferral: Milliseconds = 100
    /// An asynchronous client has this long for a key; then it counts as handled.
    public var handling: Milliseconds = 500
    /// A preedit that is cleared stays on the screen for this long, since a commit of it may follow.
    public var clearing: Milliseconds = 8
    /// Time after a reset's reply within which text may still come from before it; without a key since, ``response``.
    public var late: Milliseconds = 250

    /// With every press answered, this much silence is enough before a call that waits for the server; one that has to wait is looked
    /// at again as often.
    public var lull: Milliseconds = 5

    // MARK: The server's life

    /// A key that has drawn no answer for this long needs none, or the server is in doubt: it is asked. Some engines take 400 ms for
    /// their first key.
    public var doubt: Milliseconds = 500
    /// A sign of life this old does not vouch for the next call that waits for the server: ask first.
    public var trust: Milliseconds = 250
    /// A server that has not answered for this long counts as hung, and a reset as one that will not be answered.
    public var response: Milliseconds = 2000

    /// What waits for the server to have said all waits no longer than this since a key was last answered: one can go on talking for ever.
    public var patience: Milliseconds = 10_000

    // MARK: Connections

    /// Keys typed while the connection is being made wait this long for it.
    public var connecting: Milliseconds = 300
    /// The first wait before another connection is made after one that failed; it doubles each time.
    public var retry: Milliseconds = 100
    /// It grows no longer than this.
    public var longestRetry: Milliseconds = 10_000
    /// A connection whose server dies within this time without having answered a key has failed; otherwise it is replaced at once.
    public var trial: Milliseconds = 1000
    /// A server that sends what it must not after this long is one that has not done so before. One that has answered keys and hangs
    /// within this time has failed.
    public var faultMemory: Milliseconds = 30_000
    /// When the display closes, the server is given this long to let go of the windows. One that lives takes 30.
    public var goodbye: Milliseconds = 100

    /// The times that suit people and real servers.
    public init() {}

    /// What has to come after every key before it, such as saving, waits no longer than this without any word from the method. A server
    /// that hangs is asked after ``doubt`` and let go after ``response`` more, which gives its keys back: that is to come first, or a
    /// window would close without them.
    public var saveLimit: Milliseconds { response + 2 * doubt }

    /// The wait before the next try after so many that failed.
    package func pause(after failures: Int) -> Milliseconds {
        min(retry * Milliseconds(1 << min(max(failures, 0), 16)), longestRetry)
    }
}
