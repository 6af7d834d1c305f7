import Synchronization

extension TextBreaker {
    // The breakers that are not in use. Only one thread at a time may use a breaker, so a lock protects the pool.
    private struct Pool: @unchecked Sendable {
        var idle: [Kind: [TextBreaker]] = [:]
    }

    private static let pool = Mutex(Pool())

    /// Calls `body` with a shared breaker that follows the root locale's rules. Callable on any thread; calls may be
    /// nested.
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
