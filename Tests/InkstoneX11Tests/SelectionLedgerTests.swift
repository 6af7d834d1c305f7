import Testing

@testable import InkstoneX11

/// The limits on hostile selection peers, as numbers.
@Suite(.timeLimit(.minutes(5))) struct SelectionLedgerTests {
    private static var limits: SelectionLedger.Limits {
        var limits = SelectionLedger.Limits()
        limits.incomingBytes = 1000
        limits.allIncomingBytes = 2500
        limits.outgoingBytes = 10_000
        limits.outgoingTransfers = 4
        limits.pairs = 3
        limits.wholeTime = 60_000
        limits.leastRate = 10
        return limits
    }

    private var ledger = SelectionLedger(limits: Self.limits)

    @Test mutating func anAnswerInPiecesEndsWithAnEmptyOne() {
        #expect(ledger.ask(1, idle: 5000, at: 100) == 5100)
        #expect(ledger.receive(400, in: 1, at: 200) == .more(until: 5200))
        #expect(ledger.receive(600, in: 1, at: 300) == .more(until: 5300))
        #expect(ledger.room(in: 1) == 0)
        #expect(ledger.receive(0, in: 1, at: 400) == .last)
        ledger.forget(1)
        #expect(ledger.incomingCount == 0)
    }

    @Test mutating func anOwnerThatNeverStopsIsStoppedAtTheLimit() {
        _ = ledger.ask(1, idle: 5000, at: 0)
        var taken = 0
        while case .more = ledger.receive(90, in: 1, at: 0) { taken += 90 }
        #expect(taken == 990)
        #expect(ledger.receive(90, in: 1, at: 0) == .tooLarge)
        #expect(ledger.receive(.max, in: 1, at: 0) == .tooLarge)
    }

    @Test mutating func manyAnswersTogetherAreStoppedAtALimitOfTheirOwn() {
        var taken = 0
        for slot in 1...20 as ClosedRange<UInt> {
            _ = ledger.ask(slot, idle: 5000, at: 0)
            while case .more = ledger.receive(100, in: slot, at: 0) { taken += 100 }
        }
        #expect(taken == 2500 && ledger.room(in: 20) == 0)
        ledger.forget(1)
        #expect(ledger.room(in: 20) == 1000)
    }

    @Test mutating func anOwnerThatSendsSlowlyIsStoppedInTheEnd() {
        _ = ledger.ask(1, idle: 5000, at: 0)
        var now: Int64 = 0
        while case .more(let due) = ledger.receive(50, in: 1, at: now) {
            #expect(due <= 60_000, "no piece is waited for beyond the whole time")
            now += 4000
        }
        #expect(now == 60_000)
        #expect(ledger.receive(1, in: 1, at: now) == .tooLong)
    }

    /// An owner that sends slowly: otherwise each piece would be waited for anew.
    @Test mutating func anOwnerThatTricklesIsStoppedAfterTwoWaits() {
        _ = ledger.ask(1, idle: 5000, at: 0)
        #expect(ledger.receive(1, in: 1, at: 4000) == .more(until: 9000))
        #expect(ledger.receive(1, in: 1, at: 8000) == .more(until: 10_200))
        #expect(ledger.receive(1, in: 1, at: 10_300) == .tooLong)
    }

    /// The pieces had arrived, but this program was stopped or busy, so the owner is not at fault.
    @Test mutating func ownDelayIsNoTimeoutOfTheOwner() {
        _ = ledger.ask(1, idle: 5000, at: 0)
        #expect(ledger.receive(10, in: 1, at: 30_000) == .more(until: 35_000))
        #expect(ledger.receive(10, in: 1, at: 30_100) == .more(until: 35_100))
    }

    @Test mutating func unrequestedDataHasNoRoom() {
        #expect(ledger.room(in: 7) == 0)
        #expect(ledger.receive(5, in: 7, at: 0) == .last)
    }

    @Test mutating func aTransferIsSentToItsEnd() {
        let address = SelectionLedger.Address(requestor: 1, property: 2)
        #expect(ledger.send(250, to: address, idle: 5000, at: 0) == 5000)
        #expect(ledger.next(address, limit: 100, at: 10)?.count == 100)
        #expect(ledger.next(address, limit: 100, at: 20)?.count == 100)
        #expect(ledger.outgoingBytes == 50)
        #expect(ledger.next(address, limit: 100, at: 30)?.count == 50)
        #expect(ledger.next(address, limit: 100, at: 40)?.count == 0)
        #expect(ledger.next(address, limit: 100, at: 50) == nil)
        #expect(ledger.outgoingCount == 0)
    }

    @Test mutating func requestorsThatNeverReadTakeNoMoreThanTheirShare() {
        var served = 0
        for requestor in 1...100 {
            let address = SelectionLedger.Address(requestor: UInt(requestor), property: 2)
            if ledger.send(3000, to: address, idle: 5000, at: 0) != nil { served += 1 }
        }
        // Three times 3,000 bytes is all that 10,000 hold; four would be too many for the fourth.
        #expect(served == 3)
        #expect(ledger.outgoingBytes == 9000)
        for requestor in 1...100 { ledger.forget(.init(requestor: UInt(requestor), property: 2)) }
        for requestor in 1...100 {
            _ = ledger.send(10, to: .init(requestor: UInt(requestor), property: 2), idle: 5000, at: 0)
        }
        #expect(ledger.outgoingCount == 4)
    }

    @Test mutating func theSameAddressAgainTakesTheOldOnesPlace() {
        let address = SelectionLedger.Address(requestor: 1, property: 2)
        for _ in 0..<50 { #expect(ledger.send(4000, to: address, idle: 5000, at: 0) != nil) }
        #expect(ledger.outgoingCount == 1 && ledger.outgoingBytes == 4000)
        #expect(ledger.send(20_000, to: address, idle: 5000, at: 0) == nil)
        #expect(ledger.outgoingCount == 0)
    }

    @Test mutating func dataThatWouldNotBeSentIsNotMade() {
        let address = SelectionLedger.Address(requestor: 1, property: 2)
        _ = ledger.send(9000, to: address, idle: 5000, at: 0)
        #expect(ledger.admits(10_000, to: address), "it would take the present one's place")
        #expect(!ledger.admits(10_001, to: address))
        let other = SelectionLedger.Address(requestor: 1, property: 3)
        #expect(ledger.admits(1000, to: other) && !ledger.admits(1001, to: other))
        for property in UInt(3)...5 {
            _ = ledger.send(10, to: .init(requestor: 1, property: property), idle: 5000, at: 0)
        }
        #expect(!ledger.admits(1, to: .init(requestor: 1, property: 6)) && ledger.admits(1, to: other))
        #expect(ledger.outgoingCount == 4 && ledger.outgoingBytes == 9030)
    }

    /// Covers INT 43 of the checklist for interaction.
    @Test mutating func aRequestorThatTakesAPieceAMinuteIsLeft() {
        let address = SelectionLedger.Address(requestor: 1, property: 2)
        _ = ledger.send(5000, to: address, idle: 5000, at: 0)
        #expect(ledger.next(address, limit: 10, at: 59_000)?.until == 60_000)
        #expect(ledger.next(address, limit: 10, at: 60_000) == nil)
        #expect(ledger.outgoingBytes == 0)
    }

    /// INT 50. A manager that takes nothing is left after a while, one that takes a byte now and then in the end.
    @Test func waitForASlowManagerEndsAtALimit() {
        /// Returns the end of the wait for a manager that has fetched bytes at these times, and nothing later.
        func end(_ taken: [(served: Int, at: Int64)]) -> Int64 {
            var timeout = SavingTimeout(idle: 300, served: 7, at: 1000)
            for (served, time) in taken where timeout.isOver(served: served, at: time) { return time }
            var now = taken.last?.at ?? 1000
            while !timeout.isOver(served: taken.last?.served ?? 7, at: now) { now += 1 }
            return now
        }
        #expect(end([]) == 1300)
        #expect(end([(7, 1200)]) == 1300)
        #expect(end([(8, 1290)]) == 1590)
        #expect(end((1...100).map { (7 + $0, 1000 + 100 * Int64($0)) }) == 4000)
        #expect(end((1...29).map { (7 + $0, 1000 + 100 * Int64($0)) }) == 4000)
    }

    @Test func listsOfTargetsAreShort() {
        #expect(ledger.admits(pairsIn: 2) && ledger.admits(pairsIn: 6))
        #expect(!ledger.admits(pairsIn: 0) && !ledger.admits(pairsIn: 3) && !ledger.admits(pairsIn: 8))
        #expect(!ledger.admits(pairsIn: .max))
    }
}
