/// What selections have under way, counted: how much each transfer has moved and until when it may go on. A value without a
/// display, so that what a hostile peer does to it can be tested by itself.
///
/// Other clients decide how much they send, how slowly, how often they ask, and whether they ever take what they asked for.
/// Times are milliseconds of any one clock that only goes forward.
struct SelectionLedger: Hashable, Sendable {
    /// How much is too much.
    struct Limits: Hashable, Sendable {
        /// Bytes of one answer, whole or in pieces.
        var incomingBytes = 512 << 20
        /// Bytes that all answers together have brought, as long as they are under way.
        var allIncomingBytes = 1 << 30
        /// Bytes that all transfers together have still to send.
        var outgoingBytes = 1 << 30
        /// Transfers in pieces at once.
        var outgoingTransfers = 64
        /// Targets in one request for several.
        var pairs = 64
        /// Bytes that an owner sends in a second of waiting, or its answer is given up: what waits for a paste would wait too long.
        var leastRate = 16 << 10
        /// From a transfer's beginning to its end, however steadily it goes on.
        var wholeTime: Int64 = 600_000

        /// The limits that suit people.
        init() {}
    }

    /// A property of a requestor's window, by which a transfer to it is known.
    struct Address: Hashable, Sendable {
        var requestor: UInt
        var property: UInt
    }

    /// What became of a piece that came.
    enum Receipt: Hashable, Sendable {
        /// More may come, until then.
        case more(until: Int64)
        /// It was empty, and so the last.
        case last
        /// With it there is more than anybody pastes.
        case tooLarge
        /// It took longer than anybody waits.
        case tooLong
    }

    private struct Transfer: Hashable {
        /// Bytes received, or still to be sent.
        var bytes: Int
        var began: Int64
        /// Between two pieces.
        var idle: Int64
        /// Time of the last piece, and the time that pieces were waited for, at most `idle` for each: this program may be late itself.
        var latest: Int64 = 0
        var waited: Int64 = 0
    }

    let limits: Limits
    private var incoming: [UInt: Transfer] = [:]
    private var outgoing: [Address: Transfer] = [:]

    init(limits: Limits = Limits()) { self.limits = limits }

    // MARK: Receiving

    /// The requests that wait for an answer or for more of it.
    var incomingCount: Int { incoming.count }

    /// Something was asked for, to come in the property `slot`. Returns until when its first piece may come.
    mutating func ask(_ slot: UInt, idle: Int64, at now: Int64) -> Int64 {
        incoming[slot] = Transfer(bytes: 0, began: now, idle: idle, latest: now)
        return now + idle
    }

    /// How many bytes more may come in a slot; 0 if nothing was asked for.
    func room(in slot: UInt) -> Int {
        guard let transfer = incoming[slot] else { return 0 }
        let all = incoming.values.reduce(0) { $0 + $1.bytes }
        return min(limits.incomingBytes - transfer.bytes, limits.allIncomingBytes - all)
    }

    /// The owner will send in pieces, or is asked for something else in the same slot. Returns until when the next may come.
    func continues(_ slot: UInt, at now: Int64) -> Int64 { incoming[slot].map { due($0, at: now) } ?? now }

    /// A piece has come.
    mutating func receive(_ count: Int, in slot: UInt, at now: Int64) -> Receipt {
        guard var transfer = incoming[slot], count > 0 else { return .last }
        guard count <= room(in: slot) else { return .tooLarge }
        guard now < transfer.began + limits.wholeTime else { return .tooLong }
        transfer.bytes += count
        transfer.waited += min(now - transfer.latest, transfer.idle)
        transfer.latest = now
        // Two waits are granted, since an owner may need one to begin.
        let rest = 2 * transfer.idle + Int64(transfer.bytes) * 1000 / Int64(limits.leastRate) - transfer.waited
        guard rest > 0 else { return .tooLong }
        incoming[slot] = transfer
        return .more(until: min(now + rest, due(transfer, at: now)))
    }

    /// Nothing more is expected in a slot.
    mutating func forget(_ slot: UInt) { incoming[slot] = nil }

    // MARK: Sending

    /// The transfers under way.
    var outgoingCount: Int { outgoing.count }
    /// What they have still to send, in bytes.
    var outgoingBytes: Int { outgoing.values.reduce(0) { $0 + $1.bytes } }

    /// Whether ``send(_:to:idle:at:)`` would take contents of `count` bytes, so that none need be made that it does not.
    func admits(_ count: Int, to address: Address) -> Bool {
        let (others, bytes) =
            outgoing[address].map { (outgoing.count - 1, outgoingBytes - $0.bytes) } ?? (
                outgoing.count, outgoingBytes
            )
        return others < limits.outgoingTransfers && count <= limits.outgoingBytes - bytes
    }

    /// Contents of `count` bytes are to be sent in pieces. Returns until when the first is to be taken; nil if there is too
    /// much under way, and the request is to be refused. Another transfer to the same address is superseded.
    mutating func send(_ count: Int, to address: Address, idle: Int64, at now: Int64) -> Int64? {
        let isAdmitted = admits(count, to: address)
        outgoing[address] = nil
        guard isAdmitted else { return nil }
        outgoing[address] = Transfer(bytes: count, began: now, idle: idle)
        return now + idle
    }

    /// The requestor has taken what was there: how many bytes are to follow, at most `limit`, 0 being the end, and until when
    /// they are to be taken. Nil if no such transfer is under way, or none any more that has taken so long.
    mutating func next(_ address: Address, limit: Int, at now: Int64) -> (count: Int, until: Int64)? {
        guard var transfer = outgoing[address] else { return nil }
        guard now < transfer.began + limits.wholeTime else {
            outgoing[address] = nil
            return nil
        }
        let count = min(transfer.bytes, limit)
        transfer.bytes -= count
        outgoing[address] = count == 0 ? nil : transfer
        return (count, due(transfer, at: now))
    }

    /// A transfer has ended, or its requestor has.
    mutating func forget(_ address: Address) { outgoing[address] = nil }

    /// Whether a request for several targets, a list of `count` atoms, is to be answered.
    func admits(pairsIn count: Int) -> Bool { count > 0 && count.isMultiple(of: 2) && count / 2 <= limits.pairs }

    private func due(_ transfer: Transfer, at now: Int64) -> Int64 {
        min(now + transfer.idle, transfer.began + limits.wholeTime)
    }
}
