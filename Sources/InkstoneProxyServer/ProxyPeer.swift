import InkstoneBus
import InkstoneProxy
import InkstoneText

/// A keyboard's connection to the bus, as the server knows it.
final class ProxyPeer {
    /// The unique name of the connection on the bus.
    let name: String
    /// The identifier of the keyboard for a ``ProxiedView``.
    let id = DocumentID()
    /// The program of the connection. Nil until the bus has reported its process, and if the program of that
    /// process cannot be determined.
    var program: ProxyProgram?
    var access = ProxyAccess.asked
    /// The user's answer to the question whether this process may type, if the answer was not stored as a
    /// permission of the program. Nil if there is no such answer.
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
        /// The time, on the server's clock, from which the batch must not be applied: the caller no longer waits
        /// for the answer, or the bus has answered in the server's place.
        let expiry: Int64
    }

    /// The batches that wait in the input queue, by number.
    private(set) var waiting: [Int: Waiting] = [:]
    private var lastNumber = 0
    /// The serial number of the last batch and the answer to it; nil before the first batch. A batch without a
    /// higher number is a repetition.
    var last: (serial: UInt64, answer: ProxyAnswer)?
    /// The tokens left for calls of the keyboard, and the time, in milliseconds, at which tokens were last added.
    private var bucket = (tokens: ProxyLimits.burst, time: Int64(0))

    // MARK: Notices of changes

    var watched: ProxyChanges = []
    private var unheard: (changes: ProxyChanges, causes: ProxyCauses) = ([], [])
    /// Whether a notice was sent, and the keyboard has not since made a request whose answer contains the new state.
    private var isNoticeOut = false

    init(_ name: String) { self.name = name }

    /// Takes a token from the bucket that limits how many calls the keyboard may make. Returns false if none is
    /// left; the call must be rejected then.
    func takeToken(at now: Int64) -> Bool {
        bucket.tokens = min(ProxyLimits.burst, bucket.tokens + Double(now - bucket.time) / 1000 * ProxyLimits.rate)
        bucket.time = now
        guard bucket.tokens >= 1 else { return false }
        bucket.tokens -= 1
        return true
    }

    /// Stores a batch until its turn, and returns its number. Removes the batches whose time is over. Nil if still too
    /// many are waiting.
    func wait(_ next: Waiting, now: Int64) -> Int? {
        waiting = waiting.filter { now < $0.value.expiry }
        guard waiting.count < ProxyLimits.waiting else { return nil }
        lastNumber += 1
        waiting[lastNumber] = next
        return lastNumber
    }

    /// Removes and returns a batch whose turn has come. Nil if it was removed before: it has been answered, or its
    /// time is over.
    func takeWaiting(_ number: Int) -> Waiting? { waiting.removeValue(forKey: number) }

    /// Removes all waiting batches, and returns the calls that brought them.
    func takeAllWaiting() -> [BusCall] {
        defer { waiting = [:] }
        return waiting.keys.sorted().compactMap { waiting[$0]?.call }
    }

    /// Records a change. Returns the content of a notice to send now. Nil if the keyboard does not watch what has
    /// changed, or has not yet reacted to the notice before.
    func note(_ changes: ProxyChanges, _ causes: ProxyCauses) -> (changes: ProxyChanges, causes: ProxyCauses)? {
        unheard.changes.formUnion(changes)
        unheard.causes.formUnion(causes)
        guard !isNoticeOut, !unheard.changes.isDisjoint(with: watched) else { return nil }
        isNoticeOut = true
        defer { unheard = ([], []) }
        return unheard
    }

    /// Discards the changes that were not sent in a notice. Call when the keyboard learns the new state in another
    /// way, such as by the answer to its request.
    func didAsk() {
        (unheard, isNoticeOut) = (([], []), false)
    }
}

/// The limits for keyboards.
enum ProxyLimits {
    /// The maximum number of connections of keyboards. For a further one, another connection is ended; if none can be,
    /// the further one gets an error. Also the maximum number of programs about which the user is asked within a
    /// ``questionPause``; further questions wait.
    static let peers = 16
    /// The maximum number of bus names that the server tries to own, one after another, if other processes have the
    /// names before. After the last one it has no name, and keyboards do not find it.
    static let names = 16
    /// The number of calls for the context, for edits and for giving up the focus that a keyboard may make in a second.
    /// Further calls are refused.
    static let rate = 200.0
    /// The number of calls, of those that ``rate`` limits, that a keyboard may make at once.
    static let burst = 50.0
    /// The maximum number of a keyboard's batches that wait in the input queue. A further batch is answered with
    /// `busy`.
    static let waiting = 4
    /// The minimum time between two questions about the same executable, in milliseconds.
    static let questionPause: Int64 = 60_000
}
