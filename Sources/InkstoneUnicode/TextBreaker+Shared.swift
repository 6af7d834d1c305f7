import Synchronization

extension TextBreaker {
    // Breakers that are not in use. A breaker may be used by one thread at a time; the lock ensures that each is
    // handed to one thread only.
    private struct Pool: @unchecked Sendable {
        var idle: [Kind: [TextBreaker]] = [:]
    }

    private static let pool = Mutex(Pool())

    /// Calls `body` with a shared breaker that follows the root locale's rules. Any thread; calls may be nested.
    package static func withShared<Result>(_ kind: Kind, _ body: (TextBreaker) throws -> Result) rethrows -> Result {
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
