import Synchronization

extension TextBreaker {
    // A breaker serves one thread at a time; the lock makes sure that each is lent to one thread only.
    private struct Pool: @unchecked Sendable {
        var idle: [Kind: [TextBreaker]] = [:]
    }

    private static let pool = Mutex(Pool())

    /// Lends a breaker with the root locale's rules for a call. Any thread; may be nested.
    public static func withShared<Result>(_ kind: Kind, _ body: (TextBreaker) throws -> Result) rethrows -> Result {
        nonisolated(unsafe) let breaker = take(kind) ?? TextBreaker(kind)
        defer {
            breaker.shrink()
            pool.withLock { $0.idle[kind, default: []].append(breaker) }
        }
        return try body(breaker)
    }

    private static func take(_ kind: Kind) -> TextBreaker? {
        nonisolated(unsafe) var found: TextBreaker?
        pool.withLock { found = $0.idle[kind]?.popLast() }
        return found
    }
}
