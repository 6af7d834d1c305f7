import Glibc
import InkstoneTesting
import Testing

@testable import InkstoneBus

/// The queues between owner and thread, and the rates of senders.
@Suite(.timeLimit(.minutes(5))) struct BusQueueTests {
    private func signal(_ number: Int32) -> BusPost {
        .signal(BusSignal(path: "/", interface: "a.b", member: "C", body: [.int32(number)], destination: nil))
    }

    private func number(_ post: BusPost?) -> Int32? {
        guard case .signal(let signal)? = post, case .int32(let number)? = signal.body.first else { return nil }
        return number
    }

    private let key = BusSignalKey(path: "/", interface: "a.b", member: "C", destination: nil, detail: "x")

    @Test func aStateRemovesTheOneThatWaitsAndOvertakesNothing() {
        let mailbox = BusMailbox(limit: 1000)
        for round in 0..<200 as Range<Int32> {
            #expect(mailbox.send(signal(-1), weight: 10, key: key))
            #expect(mailbox.send(signal(round), weight: 10))
            #expect(mailbox.send(signal(1000 + round), weight: 20, key: key))
            #expect(number(mailbox.takePost()) == round)
            #expect(number(mailbox.takePost()) == 1000 + round)
            #expect(mailbox.takePost() == nil)
        }
        #expect(mailbox.send(signal(-1), weight: 10))
        for state in 0..<10_000 as Range<Int32> { #expect(mailbox.send(signal(state), weight: 10, key: key)) }
        #expect(number(mailbox.takePost()) == -1)
        #expect(number(mailbox.takePost()) == 9_999)
        #expect(mailbox.takePost() == nil)
    }

    @Test func noMoreMessagesWaitThanTheLimit() {
        let mailbox = BusMailbox(limit: 100)
        #expect(mailbox.send(signal(1), weight: 60, key: key))
        #expect(!mailbox.send(signal(2), weight: 50))
        #expect(!mailbox.send(signal(3), weight: 101, key: key))
        #expect(mailbox.send(signal(4), weight: 40))
        #expect(mailbox.send(signal(5), weight: 200, isForced: true))
        #expect([1, 4, 5] == (0..<3).map { _ in number(mailbox.takePost()) })
        #expect(mailbox.send(signal(6), weight: 100))
        mailbox.close()
        #expect(!mailbox.send(signal(7), weight: 0))
    }

    @Test func noMessageOvertakesAChange() {
        let mailbox = BusMailbox(limit: 1000)
        mailbox.send(.watch("a.b"))
        _ = mailbox.send(signal(1), weight: 10)
        #expect(mailbox.takePost() == nil)
        #expect(mailbox.takeControls(clearing: false).controls.count == 1)
        var ready = pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&ready, 1, 0) == 1, "the thread turns once more")
        #expect(number(mailbox.takePost()) == 1)
    }

    @Test func waitingCallsTimeOut() {
        let mailbox = BusMailbox(limit: 1000)
        let request = BusRequest(destination: "a.b", path: "/", interface: "a.b", member: "C", body: [])
        for (id, deadline) in [(1, 30), (2, 10), (3, 20)] as [(Int, Int64)] {
            _ = mailbox.send(.call(id, request, deadline: deadline), weight: 100)
        }
        let (expired, next) = mailbox.takeExpired(20)
        #expect(expired == [2, 3])
        #expect(next == 30)
        guard case .call(1, _, _)? = mailbox.takePost() else { return #expect(Bool(false), "the other is kept") }
        #expect(mailbox.takePost() == nil)
    }

    @Test func theDescriptorIsReadableWhileEventsWait() {
        let outbox = BusOutbox(limit: 100)
        var ready = pollfd(fd: outbox.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&ready, 1, 0) == 0)
        #expect(outbox.post(.owner(of: "a.b", "x"), weight: 60, key: .owner("a.b")))
        #expect(outbox.post(.owner(of: "a.b", nil), weight: 60, key: .owner("a.b")))
        #expect(!outbox.post(.state(.connecting), weight: 60))
        #expect(outbox.dropped == 1 && outbox.weight == 60)
        #expect(poll(&ready, 1, 0) == 1)
        #expect(!outbox.post(.owner(of: "a.b", "y"), weight: 101, key: .owner("a.b")), "a newer state has a limit too")
        #expect(outbox.post(.reply(1, .success([])), weight: 60, isForced: true))
        #expect(outbox.post(.owner(of: "a.b", nil), weight: 20, key: .owner("a.b")))
        #expect(outbox.weight == 80)
        guard case .reply? = outbox.take()?.event else { return #expect(Bool(false), "no state overtakes an answer") }
        guard case .owner("a.b", nil)? = outbox.take()?.event else { return #expect(Bool(false), "the newer one") }
        #expect(outbox.take() == nil && outbox.weight == 0)
        #expect(poll(&ready, 1, 0) == 0)
    }

    @Test func pausesGrowUntilAConnectionLasts() {
        var timing = BusTiming()
        (timing.retry, timing.longestRetry) = (10, 60)
        var pauses = BusPauses(timing)
        #expect([0, 0, 20, 5, 60, 61, 11].map { pauses.next(after: $0) } == [10, 20, 40, 60, 60, 10, 10])
    }

    @Test func aSenderAboveItsRateIsRefusedOnceAndThenMuted() {
        var limits = BusLimits()
        (limits.rate, limits.burst, limits.weightRate, limits.weightBurst, limits.senders) = (10, 5, 1000, 1000, 2)
        var rates = BusRates(limits, muting: 1000)
        #expect(
            (0..<7).map { _ in rates.count("a", at: 0) } == Array(repeating: .admitted, count: 5) + [.refused, .muted])
        #expect(rates.count("b", at: 0) == .admitted)
        #expect(rates.count("a", at: 999) == .muted)
        #expect(rates.count("a", at: 1000) == .admitted)
        rates.charge("b", weight: 2000)
        #expect(rates.count("b", at: 500) == .refused)
        #expect(rates.count("b", at: 1500) == .admitted)
        // A new one is remembered in place of the oldest.
        #expect(rates.count("c", at: 2000) == .admitted)
        #expect(rates.count("b", at: 2000) == .admitted)
    }
}
