import CBus
import Glibc
import Synchronization

/// A report of the thread to the owner, in the order of the wire.
enum BusEvent: Sendable {
    case state(BusState)
    case reply(Int, Result<[BusValue], BusFailure>)
    case call(Int, BusCall)
    case signal([Int], BusMessage)
    case owner(of: String, String?)
    case name(String, BusNameState)
    case peer(Int, Result<BusPeer, BusFailure>)
}

/// The state that a newer event replaces while it waits.
enum BusEventKey: Hashable, Sendable {
    case owner(String)
    case signal([Int], sender: String, path: String, member: String)
}

/// The way from the thread to the owner, with a descriptor that is readable while something waits. Bounded by weight.
final class BusOutbox: Sendable {
    private struct Contents {
        var events = BusQueue<BusEvent, BusEventKey>()
        var dropped = 0
        var isClosed = false
        var hasEnded = false
        var isSignalled = false
    }

    let descriptor: Int32
    private let limit: Int
    private let contents = Mutex(Contents())

    /// - Parameter limit: the weight of calls and signals that may wait.
    init(limit: Int) {
        self.limit = limit
        descriptor = cbus_signal_create()
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    /// Queues an event, in place of a waiting one with the same key but behind all others. False if there is no room.
    ///
    /// - Parameter isForced: whether the limit does not count: for what the owner waits for, of which there is a bounded number.
    @discardableResult
    func post(_ event: BusEvent, weight: Int, key: BusEventKey? = nil, isForced: Bool = false) -> Bool {
        contents.withLock { contents in
            guard !contents.isClosed else { return true }
            guard contents.events.append(event, weight: weight, key: key, limit: isForced ? .max : limit) else {
                contents.dropped += 1
                return false
            }
            signal(&contents)
            return true
        }
    }

    /// Takes the oldest event with its weight; nil if none waits, and the descriptor is unreadable then. The owner's thread.
    func take() -> (event: BusEvent, weight: Int)? {
        contents.withLock { contents in
            if let (event, weight) = contents.events.take() { return (event, weight) }
            if contents.isSignalled {
                var count: UInt64 = 0
                _ = read(descriptor, &count, 8)
                contents.isSignalled = false
            }
            return nil
        }
    }

    /// Drops what waits and what is still to come. The owner's thread.
    func close() {
        contents.withLock { contents in
            contents.isClosed = true
            contents.events = BusQueue()
        }
    }

    /// Makes the descriptor readable.
    func wake() { contents.withLock { signal(&$0) } }

    /// The thread's last word.
    func end() {
        contents.withLock { contents in
            contents.hasEnded = true
            signal(&contents)
        }
    }

    /// Whether the thread and its connection are gone.
    var hasEnded: Bool { contents.withLock { $0.hasEnded } }
    /// The number of calls and signals that found no room.
    var dropped: Int { contents.withLock { $0.dropped } }
    /// The weight of what waits.
    var weight: Int { contents.withLock { $0.events.weight } }

    private func signal(_ contents: inout Contents) {
        guard !contents.isSignalled else { return }
        contents.isSignalled = true
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }
}
