/// The accounts of the transfers in progress: the bytes moved and the deadline of each. A value without a display, so that its
/// defence against hostile peers can be tested by itself.
///
/// Other clients decide how much they send, how slowly, how often they ask, and whether they ever read what they requested.
/// Times are milliseconds of any one monotonic clock.
struct SelectionLedger: Hashable, Sendable {
    /// The limits of transfers.
    struct Limits: Hashable, Sendable {
        /// The bytes of one answer, whole or in pieces.
        var incomingBytes = 512 << 20
        /// The bytes received for all pending answers together.
        var allIncomingBytes = 1 << 30
        /// The bytes that all transfers together have still to send.
        var outgoingBytes = 1 << 30
        /// The number of simultaneous transfers in pieces.
        var outgoingTransfers = 64
        /// The number of targets in one request for several.
        var pairs = 64
        /// The minimum bytes per second of waiting, below which an answer is given up: a slow owner must not delay a paste for long.
        var leastRate = 16 << 10
        /// The duration of a whole transfer, however steady.
        var wholeTime: Int64 = 600_000

        /// Creates the default limits, which suit interactive use.
        init() {}
    }

    /// A property of a requestor's window, which identifies a transfer to it.
    struct Address: Hashable, Sendable {
        var requestor: UInt
        var property: UInt
    }

    /// The result of receiving a piece.
    enum Receipt: Hashable, Sendable {
        /// More pieces may come, until the given time.
        case more(until: Int64)
        /// The piece was empty, and so the last.
        case last
        /// The transfer exceeded the size limit.
        case tooLarge
        /// The transfer exceeded the time limit.
        case tooLong
    }

    private struct Transfer: Hashable {
        /// The bytes received, or still to be sent.
        var bytes: Int
        var began: Int64
        /// The maximum time between two pieces.
        var idle: Int64
        /// The time of the last piece, and the total wait for pieces, at most `idle` for each: this program may be late itself.
        var latest: Int64 = 0
        var waited: Int64 = 0
    }

    let limits: Limits
    private var incoming: [UInt: Transfer] = [:]
    private var outgoing: [Address: Transfer] = [:]

    init(limits: Limits = Limits()) { self.limits = limits }

    // MARK: Receiving

    /// The number of requests that wait for an answer or for more of it.
    var incomingCount: Int { incoming.count }

    /// Records a request, to be answered in the property `slot`. Returns the deadline of the first piece.
    mutating func ask(_ slot: UInt, idle: Int64, at now: Int64) -> Int64 {
        incoming[slot] = Transfer(bytes: 0, began: now, idle: idle, latest: now)
        return now + idle
    }

    /// Returns the number of bytes that may still come in a slot; 0 if no request is pending there.
    func room(in slot: UInt) -> Int {
        guard let transfer = incoming[slot] else { return 0 }
        let all = incoming.values.reduce(0) { $0 + $1.bytes }
        return min(limits.incomingBytes - transfer.bytes, limits.allIncomingBytes - all)
    }

    /// Returns the deadline of the next piece, after the owner announced pieces or was asked for another target in the same slot.
    func continues(_ slot: UInt, at now: Int64) -> Int64 { incoming[slot].map { due($0, at: now) } ?? now }

    /// Records a piece.
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

    /// Ends the request of a slot.
    mutating func forget(_ slot: UInt) { incoming[slot] = nil }

    // MARK: Sending

    /// The number of outgoing transfers in progress.
    var outgoingCount: Int { outgoing.count }
    /// The total of bytes still to be sent.
    var outgoingBytes: Int { outgoing.values.reduce(0) { $0 + $1.bytes } }

    /// Whether ``send(_:to:idle:at:)`` would accept contents of `count` bytes, so that contents it refuses need not be made.
    func admits(_ count: Int, to address: Address) -> Bool {
        let (others, bytes) =
            outgoing[address].map { (outgoing.count - 1, outgoingBytes - $0.bytes) } ?? (
                outgoing.count, outgoingBytes
            )
        return others < limits.outgoingTransfers && count <= limits.outgoingBytes - bytes
    }

    /// Records contents of `count` bytes to be sent in pieces. Returns the deadline by which the first is to be read; nil if the limits
    /// are exceeded, and the request is to be refused. Supersedes another transfer to the same address.
    mutating func send(_ count: Int, to address: Address, idle: Int64, at now: Int64) -> Int64? {
        let isAdmitted = admits(count, to: address)
        outgoing[address] = nil
        guard isAdmitted else { return nil }
        outgoing[address] = Transfer(bytes: count, began: now, idle: idle)
        return now + idle
    }

    /// Handles the requestor's reading of a piece. Returns the size of the next piece, at most `limit`, 0 being the end, and the deadline by
    /// which it is to be read. Nil if no such transfer is in progress, or it has exceeded the time limit.
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

    /// Ends a transfer, also because its requestor is gone.
    mutating func forget(_ address: Address) { outgoing[address] = nil }

    /// Whether a request for several targets, a list of `count` atoms, is to be answered.
    func admits(pairsIn count: Int) -> Bool { count > 0 && count.isMultiple(of: 2) && count / 2 <= limits.pairs }

    private func due(_ transfer: Transfer, at now: Int64) -> Int64 {
        min(now + transfer.idle, transfer.began + limits.wholeTime)
    }
}
