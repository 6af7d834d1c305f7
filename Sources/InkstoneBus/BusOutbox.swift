import CBus
import Glibc
import Synchronization

/// An event that the bus thread reports to the owner. Events are queued in the order in which the messages arrived.
enum BusEvent: Sendable {
    case state(BusState)
    case reply(Int, Result<[BusValue], BusFailure>)
    case call(Int, BusCall)
    case signal([Int], BusMessage)
    case owner(of: String, String?)
    case name(String, BusNameState)
    case peer(Int, Result<BusPeer, BusFailure>)
}

/// The name of the state that an event reports. A newer event with the same key replaces the queued one.
enum BusEventKey: Hashable, Sendable {
    case owner(String)
    case signal([Int], sender: String, path: String, member: String)
}

/// The queue from the bus thread to the owner. The descriptor is readable while events are queued. The total weight
/// of the events is limited.
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

    /// Creates an empty queue.
    ///
    /// - Parameter limit: the largest total weight of the queued events. Events that are forced may exceed it.
    init(limit: Int) {
        self.limit = limit
        descriptor = cbus_signal_create()
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    /// Queues an event at the end, and removes the queued event with the same key. Returns false if the queue has
    /// no room. After ``close()`` the event is discarded, and the result is true.
    ///
    /// - Parameter isForced: whether to ignore the limit. For events that the owner is waiting for, whose number is
    ///   bounded by other means.
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

    /// Removes and returns the oldest event and its weight. If the queue is empty, makes the descriptor unreadable
    /// and returns nil. Call on the owner's thread.
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

    /// Discards all queued events and those posted from now on. Call on the owner's thread.
    func close() {
        contents.withLock { contents in
            contents.isClosed = true
            contents.events = BusQueue()
        }
    }

    /// Makes the descriptor readable.
    func wake() { contents.withLock { signal(&$0) } }

    /// Records that the thread has ended. The thread's last call.
    func end() {
        contents.withLock { contents in
            contents.hasEnded = true
            signal(&contents)
        }
    }

    /// Whether the thread has ended and closed its connection.
    var hasEnded: Bool { contents.withLock { $0.hasEnded } }
    /// The number of calls and signals dropped because the queue had no room.
    var dropped: Int { contents.withLock { $0.dropped } }
    /// The total weight of the queued events.
    var weight: Int { contents.withLock { $0.events.weight } }

    private func signal(_ contents: inout Contents) {
        guard !contents.isSignalled else { return }
        contents.isSignalled = true
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }
}
