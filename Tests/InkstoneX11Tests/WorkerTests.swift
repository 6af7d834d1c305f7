import Glibc
import Testing

@testable import InkstoneX11

/// What both sides touch of the input method's thread.
@Suite(.timeLimit(.minutes(5))) struct WorkerTests {
    private func worker() -> InputMethodWorker {
        InputMethodWorker(
            serverName: "none", displayName: nil, timing: InputMethodTiming(), outbox: InputMethodOutbox(),
            startsInDoubt: false)
    }

    @Test func aConnectionShedBeforeItsSocketIsKnownIsShutDownThen() {
        var ends: [Int32] = [-1, -1]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        defer { for end in ends { close(end) } }
        let worker = worker()
        worker.shed()
        worker.setSockets([ends[0]])
        var end = pollfd(fd: ends[1], events: Int16(POLLIN), revents: 0)
        #expect(poll(&end, 1, 0) == 1, "the other end would wait for ever")
        var byte: UInt8 = 0
        #expect(read(ends[1], &byte, 1) == 0)
        worker.setSockets([])
    }

    @Test func aConnectionShedLaterIsShutDownAtOnce() {
        var ends: [Int32] = [-1, -1]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        defer { for end in ends { close(end) } }
        let worker = worker()
        worker.setSockets([ends[0], -1])
        worker.shed()
        var end = pollfd(fd: ends[1], events: Int16(POLLIN), revents: 0)
        #expect(poll(&end, 1, 0) == 1)
        worker.setSockets([])
    }
}
