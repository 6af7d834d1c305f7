import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneTesting
import Synchronization
import Testing

@testable import InkstoneX11

/// A clock that blocks the input method's thread on demand.
private final class StickyClock: Sendable {
    /// The test's own thread, whose reads of the clock are not counted.
    private let testThread = pthread_self()
    /// The number of reads by the other thread since ``stick()``; negative before.
    private let clockReads = Atomic<Int>(.min)
    private let stuck = Atomic<Bool>(false)
    private let ends: (read: Int32, write: Int32)

    var isStuck: Bool { stuck.load(ordering: .sequentiallyConsistent) }

    init() {
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        self.ends = (ends[0], ends[1])
    }

    deinit { close(ends.read) }

    /// Blocks the thread at its second read of the clock from now; the first happens when it wakes.
    func stick() { clockReads.store(0, ordering: .sequentiallyConsistent) }

    /// Releases the thread, and never blocks it again.
    func release() { close(ends.write) }

    func now() -> Milliseconds {
        if pthread_self() != testThread, clockReads.add(1, ordering: .sequentiallyConsistent).newValue == 2 {
            stuck.store(true, ordering: .sequentiallyConsistent)
            var byte: UInt8 = 0
            _ = read(ends.read, &byte, 1)
        }
        return MonotonicClock.now
    }
}

extension DisplayTests {
    /// The watchdog of the input method's thread covers all its code, not only calls known to wait.
    @Suite struct InputMethodStuckTests {
        @Test func aThreadThatIsStuckOutsideOfCallsIsShed() throws {
            let clock = StickyClock()
            let bench = try InputMethodBench(clock: { clock.now() })
            defer { bench.end() }
            try bench.begin()
            try bench.waitUntilIdle()
            let worker = try #require(bench.connection.worker)
            clock.stick()
            defer { if !worker.isShed { clock.release() } }
            // Wake the thread without a call to the server: this window has no context.
            bench.connection.setSpot(bench.caret(at: 7), in: bench.makeWindow(), rootOrigin: .init(x: 0, y: 0))
            try bench.wait("it to be stuck") { clock.isStuck }
            bench.type("x")
            try bench.wait("it to be shed") { worker.isShed }
            clock.release()
            try bench.waitForKeys { bench.field.text == "x" }
            #expect(bench.isInterrupted)
            #expect(bench.longestStall < InputMethodBench.stallLimit)
            try bench.wait("the next connection") { bench.connection.state.phase == .ready }
            bench.type("ka")
            try bench.wait("composing") { bench.field.preedit.text == "さあ" }
        }
    }
}
