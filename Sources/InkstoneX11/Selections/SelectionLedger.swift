/// The byte counts and deadlines of the selection transfers in progress. They limit the memory and time that hostile
/// clients can use up. This value has no display, so it can be tested separately.
///
/// Other clients decide how much they send, how slowly, how often they make requests, and whether they read the
/// answers. Times are milliseconds of any one monotonic clock.
struct SelectionLedger: Hashable, Sendable {
    /// The limits of transfers.
    struct Limits: Hashable, Sendable {
        /// The maximum number of bytes of one answer, whole or in pieces. A request with a larger answer fails.
        var incomingBytes = 512 << 20
        /// The maximum number of bytes received for all pending answers together. The request that exceeds it fails.
        var allIncomingBytes = 1 << 30
        /// The maximum number of bytes that all transfers together have still to send. Requests that exceed it are
        /// refused.
        var outgoingBytes = 1 << 30
        /// The greatest number of simultaneous transfers in pieces. Requests for more are refused.
        var outgoingTransfers = 64
        /// The greatest number of targets in one MULTIPLE request. A request with more is refused.
        var pairs = 64
        /// The lowest rate of an answer, in bytes per second of waiting. A request whose answer is slower fails, so
        /// a slow owner does not delay a paste for long.
        var leastRate = 16 << 10
        /// The longest duration of a transfer in milliseconds. After it, the transfer ends, even if it proceeds
        /// steadily.
        var wholeTime: Int64 = 600_000

        /// Creates the default limits, which suit interactive programs.
        init() {}
    }

    /// A property of a requestor's window; it identifies a transfer to that requestor.
    struct Address: Hashable, Sendable {
        var requestor: UInt
        var property: UInt
    }

    /// The result of receiving a piece of an answer.
    enum Receipt: Hashable, Sendable {
        /// More pieces may follow, the next by the given time.
        case more(until: Int64)
        /// The piece was empty, which means that the answer is complete.
        case last
        /// The transfer exceeded the size limit.
        case tooLarge
        /// The transfer exceeded the time limit.
        case tooLong
    }

    private struct Transfer: Hashable {
        /// The number of bytes received so far, or still to be sent.
        var bytes: Int
        /// The time at which the transfer began, in milliseconds.
        var began: Int64
        /// The longest allowed time between two pieces, in milliseconds. After it, the transfer fails.
        var idle: Int64
        /// The time of the request or of the last received piece, in milliseconds; unused for sending.
        var latest: Int64 = 0
        /// The total time waited for received pieces, in milliseconds. At most `idle` is counted for each piece,
        /// because this program itself may have been slow.
        var waited: Int64 = 0
    }

    let limits: Limits
    private var incoming: [UInt: Transfer] = [:]
    private var outgoing: [Address: Transfer] = [:]

    init(limits: Limits = Limits()) { self.limits = limits }

    // MARK: Receiving

    /// The number of requests whose answer is not complete.
    var incomingCount: Int { incoming.count }

    /// Records a request whose answer will be in the property `slot`. Returns the deadline of the first piece.
    mutating func ask(_ slot: UInt, idle: Int64, at now: Int64) -> Int64 {
        incoming[slot] = Transfer(bytes: 0, began: now, idle: idle, latest: now)
        return now + idle
    }

    /// Returns the number of bytes that may still be received in a slot. 0 if no request is pending there.
    func room(in slot: UInt) -> Int {
        guard let transfer = incoming[slot] else { return 0 }
        let all = incoming.values.reduce(0) { $0 + $1.bytes }
        return min(limits.incomingBytes - transfer.bytes, limits.allIncomingBytes - all)
    }

    /// Returns the deadline of the next piece. Call when the owner has announced pieces, or when the next target
    /// was requested in the same slot.
    func continues(_ slot: UInt, at now: Int64) -> Int64 { incoming[slot].map { due($0, at: now) } ?? now }

    /// Records the receipt of a piece of `count` bytes.
    mutating func receive(_ count: Int, in slot: UInt, at now: Int64) -> Receipt {
        guard var transfer = incoming[slot], count > 0 else { return .last }
        guard count <= room(in: slot) else { return .tooLarge }
        guard now < transfer.began + limits.wholeTime else { return .tooLong }
        transfer.bytes += count
        transfer.waited += min(now - transfer.latest, transfer.idle)
        transfer.latest = now
        // Allow two more waits of `idle`, because an owner may be slow to begin.
        let rest = 2 * transfer.idle + Int64(transfer.bytes) * 1000 / Int64(limits.leastRate) - transfer.waited
        guard rest > 0 else { return .tooLong }
        incoming[slot] = transfer
        return .more(until: min(now + rest, due(transfer, at: now)))
    }

    /// Ends the request whose answer is awaited in a slot.
    mutating func forget(_ slot: UInt) { incoming[slot] = nil }

    // MARK: Sending

    /// The number of outgoing transfers in progress.
    var outgoingCount: Int { outgoing.count }
    /// The number of bytes that all transfers have still to send.
    var outgoingBytes: Int { outgoing.values.reduce(0) { $0 + $1.bytes } }

    /// Whether ``send(_:to:idle:at:)`` would accept contents of `count` bytes. If not, do not create them.
    func admits(_ count: Int, to address: Address) -> Bool {
        let (others, bytes) =
            outgoing[address].map { (outgoing.count - 1, outgoingBytes - $0.bytes) } ?? (
                outgoing.count, outgoingBytes
            )
        return others < limits.outgoingTransfers && count <= limits.outgoingBytes - bytes
    }

    /// Records a transfer of `count` bytes in pieces, in place of another transfer to the same address. Returns the
    /// deadline by which the requestor must read the first piece. Nil if the limits are exceeded; refuse the
    /// request then.
    mutating func send(_ count: Int, to address: Address, idle: Int64, at now: Int64) -> Int64? {
        let isAdmitted = admits(count, to: address)
        outgoing[address] = nil
        guard isAdmitted else { return nil }
        outgoing[address] = Transfer(bytes: count, began: now, idle: idle)
        return now + idle
    }

    /// Records that the requestor has read a piece. Returns the size of the next piece, and the deadline by which
    /// that piece must be read. The size is at most `limit`, and 0 at the end. Nil if there is no such transfer, or
    /// if it took too long.
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

    /// Ends a transfer, for example because its requestor is gone.
    mutating func forget(_ address: Address) { outgoing[address] = nil }

    /// Whether to answer a MULTIPLE request whose list has `count` atoms.
    func admits(pairsIn count: Int) -> Bool { count > 0 && count.isMultiple(of: 2) && count / 2 <= limits.pairs }

    private func due(_ transfer: Transfer, at now: Int64) -> Int64 {
        min(now + transfer.idle, transfer.began + limits.wholeTime)
    }
}
