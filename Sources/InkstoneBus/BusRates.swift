/// The rate limits of senders. Each sender has two token buckets, one of messages and one of weight.
struct BusRates {
    enum Verdict: Hashable {
        case admitted
        /// The sender has just exceeded its rate: answer this message with an error. The sender's next messages are
        /// ignored for ``BusTiming/muting``.
        case refused
        /// The sender is muted because it has exceeded its rate: ignore the message.
        case muted
    }

    private struct Sender {
        /// The numbers of tokens left in the two buckets: for messages, and for weight.
        var messages: Double
        var weight: Double
        /// The time at which the buckets were last filled, in milliseconds.
        var updated: Int64
        /// The time until which messages of the sender are ignored.
        var mutedUntil: Int64 = 0
    }

    private let limits: BusLimits
    private let muting: Int64
    private var senders: [String: Sender] = [:]

    init(_ limits: BusLimits, muting: Int64) {
        self.limits = limits
        self.muting = muting
    }

    /// Counts a message of a sender, at a time in milliseconds, and returns whether to handle the message.
    mutating func count(_ name: String, at now: Int64) -> Verdict {
        if senders[name] == nil, senders.count >= limits.senders,
            let oldest = senders.min(by: { $0.value.updated < $1.value.updated })?.key
        {
            senders[oldest] = nil
        }
        var sender =
            senders[name] ?? Sender(messages: limits.burst, weight: limits.weightBurst, updated: now)
        defer { senders[name] = sender }
        let seconds = Double(now - sender.updated) / 1000
        sender.messages = min(limits.burst, sender.messages + seconds * limits.rate)
        sender.weight = min(limits.weightBurst, sender.weight + seconds * limits.weightRate)
        sender.updated = now
        guard now >= sender.mutedUntil else { return .muted }
        guard sender.messages >= 1, sender.weight > 0 else {
            sender.mutedUntil = now + muting
            return .refused
        }
        sender.messages -= 1
        return .admitted
    }

    /// Charges the weight of a message to its sender.
    mutating func charge(_ name: String, weight: Int) { senders[name]?.weight -= Double(weight) }
}
