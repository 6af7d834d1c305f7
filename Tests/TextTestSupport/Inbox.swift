import Glibc
import Synchronization

/// An event loop of the test: closures posted from any thread run on the thread that calls ``run(until:)``.
package final class Inbox: Sendable {
    private let queue = Mutex<[@Sendable () -> Void]>([])
    private let ends: [Int32] = {
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        return ends
    }()

    package func post(_ body: @escaping @Sendable () -> Void) {
        queue.withLock { $0.append(body) }
        var one: UInt8 = 1
        write(ends[1], &one, 1)
    }

    /// Runs what is posted until `isDone`, at most 20 seconds.
    package func run(until isDone: () -> Bool) {
        while !isDone() {
            var descriptor = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
            guard poll(&descriptor, 1, 20_000) > 0 else { return }
            var byte: UInt8 = 0
            read(ends[0], &byte, 1)
            let bodies = queue.withLock { queue in
                defer { queue = [] }
                return queue
            }
            for body in bodies { body() }
        }
    }

    package init() {}

    /// Waits until something is posted, which is left there; at most 20 seconds.
    package func wait() {
        var descriptor = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
        poll(&descriptor, 1, 20_000)
    }

    deinit { ends.forEach { close($0) } }
}
