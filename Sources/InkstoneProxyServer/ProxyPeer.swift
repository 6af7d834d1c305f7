import InkstoneBus
import InkstoneProxy
import InkstoneText

/// A connection of a keyboard, as the server knows it.
final class ProxyPeer {
    /// The unique name on the bus.
    let name: String
    /// Names it to texts.
    let id = DocumentID()
    /// Nil until the bus has said whose connection it is.
    var program: ProxyProgram?
    var access = ProxyAccess.asked
    /// The person's answer for this process alone; nil for none.
    var decision: Bool?
    var isQuestionOpen = false
    var ownerWatch: Bus.Registration?

    // MARK: Batches

    /// A batch that waits in the input queue.
    struct Waiting {
        let call: BusCall
        /// The view that it is for.
        let view: UInt64
        let batch: ProxyBatch
        /// The time of the server's clock from which on nobody waits for its answer, or the bus is about to give one.
        let expiry: Int64
    }

    /// The batches that wait in the input queue, by their numbers.
    private(set) var waiting: [Int: Waiting] = [:]
    private var lastNumber = 0
    /// The answer to the last batch, whose serial grows.
    var last: (serial: UInt64, answer: ProxyAnswer)?
    private var bucket = (tokens: ProxyLimits.burst, time: Int64(0))

    // MARK: Notices

    var watched: ProxyChanges = []
    private var unheard: (changes: ProxyChanges, causes: ProxyCauses) = ([], [])
    /// Whether a notice is out that the keyboard has not answered by asking for anything.
    private var isNoticeOut = false

    init(_ name: String) { self.name = name }

    /// Takes one of what may be asked for in a second; returns false if none is left.
    func takeToken(at now: Int64) -> Bool {
        bucket.tokens = min(ProxyLimits.burst, bucket.tokens + Double(now - bucket.time) / 1000 * ProxyLimits.rate)
        bucket.time = now
        guard bucket.tokens >= 1 else { return false }
        bucket.tokens -= 1
        return true
    }

    /// Keeps a batch until its turn; nil if too many wait.
    func wait(_ next: Waiting, now: Int64) -> Int? {
        waiting = waiting.filter { now < $0.value.expiry }
        guard waiting.count < ProxyLimits.waiting else { return nil }
        lastNumber += 1
        waiting[lastNumber] = next
        return lastNumber
    }

    /// Takes out a batch whose turn has come; nil if it was answered before that.
    func takeWaiting(_ number: Int) -> Waiting? { waiting.removeValue(forKey: number) }

    /// Takes out all batches that wait.
    func takeAllWaiting() -> [BusCall] {
        defer { waiting = [:] }
        return waiting.keys.sorted().compactMap { waiting[$0]?.call }
    }

    /// Notes a change. Returns the bits of a notice, if one is to be sent now.
    func note(_ changes: ProxyChanges, _ causes: ProxyCauses) -> (changes: ProxyChanges, causes: ProxyCauses)? {
        unheard.changes.formUnion(changes)
        unheard.causes.formUnion(causes)
        guard !isNoticeOut, !unheard.changes.isDisjoint(with: watched) else { return nil }
        isNoticeOut = true
        defer { unheard = ([], []) }
        return unheard
    }

    /// The keyboard has asked for something, and the answer has all changes so far.
    func didAsk() {
        (unheard, isNoticeOut) = (([], []), false)
    }
}

/// The bounds for each keyboard.
enum ProxyLimits {
    static let peers = 16
    /// Names on the bus that are tried.
    static let names = 16
    /// Calls a second, and how many may come at once.
    static let rate = 200.0
    static let burst = 50.0
    /// Batches in the input queue.
    static let waiting = 4
    /// Milliseconds between two questions about an executable.
    static let questionPause: Int64 = 60_000
}
