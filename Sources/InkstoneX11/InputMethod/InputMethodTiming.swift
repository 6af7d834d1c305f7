import InkstoneBase

/// How long the connection to an input method waits for what, in milliseconds. Tests make it shorter.
public struct InputMethodTiming: Hashable, Sendable {
    /// No traffic either way for this long is a quiet moment, in which the spot may be set. Trap “held-back callbacks”.
    public var quiet: Int64 = 20
    /// A key that has drawn no answer for this long needs none: the spot may be set after all.
    public var unanswered: Int64 = 500
    /// A key that has drawn no answer for this long makes us ask whether the server lives.
    public var doubt: Int64 = 500
    /// A sign of life this old does not vouch for the next call that waits for the server: ask first.
    public var trust: Int64 = 250
    /// A server that has not answered for this long counts as hung.
    public var response: Int64 = 2000
    /// Keys typed while the connection is being made wait this long for it.
    public var patience: Int64 = 300
    /// Before focus is taken away, a reset or an end, answers on their way are waited for: at most this long.
    public var drain: Int64 = 50
    /// The first wait before another connection is made after one that failed early; it doubles each time.
    public var retry: Int64 = 100

    /// The times that suit people and real servers.
    public init() {}

    /// Milliseconds of `CLOCK_MONOTONIC`.
    package static var now: Int64 { MonotonicClock.milliseconds }
}
