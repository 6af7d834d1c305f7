import Glibc
import InkstoneBase
import Testing

@testable import InkstoneX11

/// The state shared with the input method's thread.
@Suite(.timeLimit(.minutes(5))) struct WorkerTests {
    private func worker() -> InputMethodWorker {
        InputMethodWorker(
            serverName: "none", displayName: nil, timing: InputTiming(), outbox: InputMethodOutbox(),
            startsAfterHang: false)
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

    /// A server that fails right after connecting is tried at growing intervals; one that has served is tried at
    /// once.
    @Test func aServerThatFailsAtOnceIsTriedMoreAndMoreRarely() {
        let timing = InputTiming()
        var failures = InputMethodFailures()
        var now: Milliseconds = 0
        func end(_ reason: InputMethodEnd, after age: Milliseconds, served: Bool = false) -> InputMethodFailures.Next {
            failures.begin(at: now)
            now += age
            return failures.ended(reason, hasServed: served, at: now, timing)
        }
        #expect(end(.died, after: timing.trial) == .connect(afterHang: false))
        #expect(end(.hung, after: 1) == .connect(afterHang: true), "the first time")
        for pause in [2 * timing.retry, 4 * timing.retry, 8 * timing.retry] {
            let next = end(.died, after: 1)
            #expect(next == .wait(until: now + pause))
        }
        #expect(end(.died, after: 1, served: true) == .connect(afterHang: false))
        #expect(timing.pause(after: 100) == timing.longestRetry)
        // A hang delays keys for seconds, so it counts as a failure unless the server has served for long.
        #expect(end(.hung, after: 3 * timing.trial, served: true) == .connect(afterHang: true))
        for pause in [2, 4, 8, 16, 16, 16].map({ $0 * timing.retry }) {
            let next = end(.hung, after: timing.faultMemory - 1, served: true)
            #expect(next == .wait(until: now + pause))
        }
        #expect(end(.hung, after: timing.faultMemory, served: true) == .connect(afterHang: true))
        #expect(end(.hung, after: timing.faultMemory) == .connect(afterHang: true))
        let next = end(.hung, after: timing.faultMemory)
        #expect(next == .wait(until: now + 2 * timing.retry), "it answers no key")
    }

    /// A server that sends invalid data is avoided for a while; other servers are not.
    @Test func onlyTheFaultyServerIsAvoided() {
        let timing = InputTiming()
        var failures = InputMethodFailures()
        for count in 1...3 {
            failures.begin(at: 0)
            #expect(
                failures.ended(.faulty(owner: 7), hasServed: false, at: 10, timing)
                    == .avoid(owner: 7, until: 10 + timing.pause(after: count)))
        }
        failures.begin(at: 0)
        let first = timing.faultMemory + timing.pause(after: 1)
        let next = failures.ended(.faulty(owner: 7), hasServed: false, at: timing.faultMemory, timing)
        #expect(next == .avoid(owner: 7, until: first))
    }

    /// A faulty server that reappears with a new window after each fault is still the same one, also if it dies in
    /// between.
    @Test func aFaultyServerWithANewWindowIsTriedMoreAndMoreRarely() {
        let timing = InputTiming()
        var failures = InputMethodFailures()
        for count in 1...4 {
            failures.begin(at: 0)
            let owner = UInt(count)
            let due = 10 + timing.pause(after: count)
            let next = failures.ended(.faulty(owner: owner), hasServed: false, at: 10, timing)
            #expect(next == (count == 1 ? .avoid(owner: owner, until: due) : .wait(until: due)))
            failures.begin(at: 0)
            #expect(failures.ended(.died, hasServed: true, at: 10, timing) == .connect(afterHang: false))
        }
        // A connection that has lasted shows that this is a different server.
        failures.begin(at: 0)
        _ = failures.ended(.died, hasServed: true, at: timing.faultMemory, timing)
        failures.begin(at: 0)
        let due = 10 + timing.pause(after: 1)
        #expect(failures.ended(.faulty(owner: 9), hasServed: false, at: 10, timing) == .avoid(owner: 9, until: due))
    }

    /// A hang may be detected while a packet is being read; the incomplete packet is then no fault of the server.
    @Test func aConnectionThatWasShedIsNotFaulty() {
        func end(gone: Bool = false, shed: Bool = false, refused: Bool = false) -> InputMethodEnd {
            .lost(isServerGone: gone, isShed: shed, isRefused: refused, owner: 7)
        }
        #expect(end(shed: true, refused: true) == .hung && end(shed: true) == .hung)
        #expect(end(refused: true) == .faulty(owner: 7) && end() == .lostDisplay)
        #expect(end(gone: true, shed: true, refused: true) == .died)
    }

    /// A server that sends without end must not keep the main thread busy; events are neither lost nor reordered.
    @Test func muchIsTakenATurnAtATime() {
        let outbox = InputMethodOutbox()
        let window = WindowID(rawValue: 7)
        var input = pollfd(fd: outbox.descriptor, events: Int16(POLLIN), revents: 0)
        var posted = 0
        func post(_ count: Int, of size: Int) {
            let filling = String(repeating: "x", count: size)
            outbox.post((posted..<posted + count).map { .event(.commit("\($0)|" + filling), window) })
            posted += count
        }
        let room = outbox.room
        post(2000, of: 1)
        post(10, of: 64_000)
        #expect(outbox.room < room - 640_000)
        var received: [Int] = []
        while outbox.hasMore {
            #expect(poll(&input, 1, 0) == 1)
            let outputs = outbox.take()
            let weight = outputs.reduce(0) { $0 + $1.weight }
            #expect(!outputs.isEmpty && outputs.count <= 512 && weight < 200_000)
            for case .event(.commit(let text), _) in outputs { received.append(Int(text.prefix { $0 != "|" }) ?? -1) }
            if received.count == 512 { post(3, of: 1) }
        }
        #expect(received == Array(0..<posted))
        #expect(poll(&input, 1, 0) == 0 && outbox.room == room && outbox.take().isEmpty)
    }

    /// Messages posted while no descriptor was available are signalled by the descriptor created later.
    @Test func anOutboxSignalsAnswersPostedBeforeItsDescriptorWasMade() {
        var before = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
        var none = before
        none.rlim_cur = 0
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
        let outbox = InputMethodOutbox()
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &before)
        #expect(outbox.descriptor < 0)
        outbox.post([.event(.commit("a"), WindowID(rawValue: 7))])
        let isNew = outbox.makeDescriptor()
        #expect(isNew)
        var input = pollfd(fd: outbox.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&input, 1, 0) == 1 && outbox.take().count == 1 && poll(&input, 1, 0) == 0)
        let isNewAgain = outbox.makeDescriptor()
        #expect(!isNewAgain)
    }

    /// A call is nudged more and more rarely, and ended after two seconds.
    @Test func aCallIsNudgedAndThenEnded() {
        let timing = InputTiming()
        var call = InputMethodCallWatch()
        #expect(call.endsAt(100, timing) == 100 + timing.response)
        var nudged: [Milliseconds] = []
        for now in stride(from: 100, to: 100 + 8 * timing.probeDelay, by: 10)
        where call.nudges(since: 100, at: now, timing).0 {
            nudged.append(now - 100)
        }
        #expect(nudged == [timing.probeDelay, 2 * timing.probeDelay, 4 * timing.probeDelay])
        let isNudged = call.nudges(since: 200, at: 200 + timing.probeDelay, timing).0
        #expect(isNudged, "the next call")
    }

    @Test func postedAnswersWakeTheMainThreadUntilTheyAreTaken() {
        let outbox = InputMethodOutbox()
        var input = pollfd(fd: outbox.descriptor, events: Int16(POLLIN), revents: 0)
        let window = WindowID(rawValue: 7)
        outbox.post([])
        #expect(poll(&input, 1, 0) == 0)
        outbox.post([.event(.stamp(AnswerStamp(key: nil)), window), .event(.commit("a"), window)])
        #expect(poll(&input, 1, 0) == 1)
        #expect(outbox.take().count == 2)
        #expect(poll(&input, 1, 0) == 0)
    }
}
