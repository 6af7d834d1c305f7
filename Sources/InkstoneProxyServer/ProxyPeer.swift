import InkstoneBus
import InkstoneProxy
import InkstoneText

/// A keyboard's connection to the bus, as the server knows it.
final class ProxyPeer {
    /// The unique name of the connection on the bus.
    let name: String
    /// The identifier of the keyboard for a ``ProxiedView``.
    let id = DocumentID()
    /// The program of the connection; nil until the bus has reported its process.
    var program: ProxyProgram?
    var access = ProxyAccess.asked
    /// Whether the user lets this process type, by an answer that was not stored as a permission of its program;
    /// nil if there is no such answer.
    var decision: Bool?
    var isQuestionOpen = false
    var ownerWatch: Bus.Registration?

    // MARK: Batches

    /// A batch that waits in the input queue for its turn.
    struct Waiting {
        let call: BusCall
        /// The epoch of the view that the batch is for.
        let view: UInt64
        let batch: ProxyBatch
        /// The time of the server's clock at which the caller stops waiting for the answer, or the bus answers in
        /// the server's place.
        let expiry: Int64
    }

    /// The batches that wait in the input queue, by number.
    private(set) var waiting: [Int: Waiting] = [:]
    private var lastNumber = 0
    /// The serial number of the last batch and its answer. A batch without a higher number is a repetition.
    var last: (serial: UInt64, answer: ProxyAnswer)?
    private var bucket = (tokens: ProxyLimits.burst, time: Int64(0))

    // MARK: Notices

    var watched: ProxyChanges = []
    private var unheard: (changes: ProxyChanges, causes: ProxyCauses) = ([], [])
    /// Whether a notice was sent to which the keyboard has not reacted yet by a request.
    private var isNoticeOut = false

    init(_ name: String) { self.name = name }

    /// Takes a token from the bucket that limits the requests of the keyboard. Returns false if none is left, so
    /// that the request must be rejected.
    func takeToken(at now: Int64) -> Bool {
        bucket.tokens = min(ProxyLimits.burst, bucket.tokens + Double(now - bucket.time) / 1000 * ProxyLimits.rate)
        bucket.time = now
        guard bucket.tokens >= 1 else { return false }
        bucket.tokens -= 1
        return true
    }

    /// Stores a batch until its turn, and returns its number; nil if too many batches are waiting.
    func wait(_ next: Waiting, now: Int64) -> Int? {
        waiting = waiting.filter { now < $0.value.expiry }
        guard waiting.count < ProxyLimits.waiting else { return nil }
        lastNumber += 1
        waiting[lastNumber] = next
        return lastNumber
    }

    /// Removes and returns a batch whose turn has come; nil if it has been answered already.
    func takeWaiting(_ number: Int) -> Waiting? { waiting.removeValue(forKey: number) }

    /// Removes all waiting batches, and returns their calls.
    func takeAllWaiting() -> [BusCall] {
        defer { waiting = [:] }
        return waiting.keys.sorted().compactMap { waiting[$0]?.call }
    }

    /// Records a change. Returns the content of a notice if one is to be sent now, else nil.
    func note(_ changes: ProxyChanges, _ causes: ProxyCauses) -> (changes: ProxyChanges, causes: ProxyCauses)? {
        unheard.changes.formUnion(changes)
        unheard.causes.formUnion(causes)
        guard !isNoticeOut, !unheard.changes.isDisjoint(with: watched) else { return nil }
        isNoticeOut = true
        defer { unheard = ([], []) }
        return unheard
    }

    /// Called when the keyboard has made a request: the answer to the request includes all changes so far.
    func didAsk() {
        (unheard, isNoticeOut) = (([], []), false)
    }
}

/// The limits for keyboards.
enum ProxyLimits {
    static let peers = 16
    /// The maximum number of bus names that the server tries to own, one after another.
    static let names = 16
    /// The number of calls that a keyboard may make in a second, and in a burst.
    static let rate = 200.0
    static let burst = 50.0
    /// The maximum number of a keyboard's batches that wait in the input queue.
    static let waiting = 4
    /// The minimum time between two questions about an executable, in milliseconds.
    static let questionPause: Int64 = 60_000
}
