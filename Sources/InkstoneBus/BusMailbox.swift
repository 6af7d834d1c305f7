import CBus
import Glibc
import InkstoneBase
import Synchronization

/// A change of the owner's registrations, or another request of the owner to the bus thread.
enum BusControl: Sendable {
    case register(Int, BusObject)
    case unregister(Int)
    case match(Int, BusMatch, isState: Bool)
    case unmatch(Int)
    case watch(String)
    case unwatch(String)
    case own(String, flags: UInt32)
    case release(String)
    case credentials(Int, String)
    case wake(at: Int64)
}

/// An object of this program, or a tree of objects.
struct BusObject: Hashable, Sendable {
    let path: String
    /// Whether the object also answers for all paths below its own that are not registered themselves.
    let isTree: Bool
    /// The `interface` elements of the introspection format; may be empty.
    let interfaces: String
}

/// A method call that this program makes.
struct BusRequest: Hashable, Sendable {
    let destination: String
    let path: String
    let interface: String
    let member: String
    let body: [BusValue]
    var startsService = false
}

/// A signal that this program sends.
struct BusSignal: Hashable, Sendable {
    let path: String
    let interface: String
    let member: String
    let body: [BusValue]
    /// The connection that receives the signal; nil for all listeners.
    let destination: String?
}

/// A message queued for sending.
enum BusPost: Sendable {
    case call(Int, BusRequest, deadline: Int64)
    case signal(BusSignal)
    case reply(BusReplyAddress, Result<[BusValue], BusError>)
}

/// The key of a signal that reports a state. A newer signal replaces the queued one with the same key.
struct BusSignalKey: Hashable, Sendable {
    let path: String
    let interface: String
    let member: String
    let destination: String?
    /// The name of the reported state, which distinguishes signals with the same header.
    let detail: String
}

/// The queue from the owner to the bus thread: messages to send, and other requests. The descriptor is readable while
/// anything is queued. The total weight of the messages is limited.
final class BusMailbox: Sendable {
    private struct Contents {
        var controls: [BusControl] = []
        var posts = BusQueue<BusPost, BusSignalKey>()
        var isClosed = false
        var isSignalled = false
    }

    let descriptor: Int32
    private let limit: Int
    private let contents = Mutex(Contents())

    /// Creates an empty queue.
    ///
    /// - Parameter limit: the largest total weight of the queued messages.
    init(limit: Int) {
        self.limit = limit
        descriptor = cbus_signal_create()
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    /// Queues a request for the thread. Callable from any thread.
    func send(_ control: BusControl) {
        contents.withLock { contents in
            guard !contents.isClosed else { return }
            contents.controls.append(control)
            signal(&contents)
        }
    }

    /// Queues a message at the end, and removes the queued message with the same key. Returns false, and changes
    /// nothing, if the queue has no room or is closed. Callable from any thread.
    ///
    /// - Parameter isForced: whether to ignore the limit, for small messages that must not be lost.
    func send(_ post: BusPost, weight: Int, key: BusSignalKey? = nil, isForced: Bool = false) -> Bool {
        contents.withLock { contents in
            guard !contents.isClosed else { return false }
            guard contents.posts.append(post, weight: weight, key: key, limit: isForced ? .max : limit) else {
                return false
            }
            signal(&contents)
            return true
        }
    }

    /// Requests the end of the bus thread, and refuses further messages. Callable from any thread.
    func close() {
        contents.withLock { contents in
            contents.isClosed = true
            signal(&contents)
        }
    }

    /// Removes and returns the queued requests, and returns whether the owner has closed the bus. Call on the bus
    /// thread.
    ///
    /// - Parameter clearing: whether to make the descriptor unreadable.
    func takeControls(clearing: Bool) -> (controls: [BusControl], isClosed: Bool) {
        contents.withLock { contents in
            if contents.isSignalled, clearing {
                var count: UInt64 = 0
                _ = read(descriptor, &count, 8)
                contents.isSignalled = false
            }
            defer { contents.controls = [] }
            return (contents.controls, contents.isClosed)
        }
    }

    /// Removes and returns the oldest message; nil if none is queued. Also returns nil while requests of the owner
    /// are queued. The thread must handle these first, since they may have been made before the message. Call on
    /// the bus thread.
    func takePost() -> BusPost? {
        contents.withLock { contents in
            contents.controls.isEmpty ? contents.posts.take()?.element : nil
        }
    }

    /// Removes the queued calls whose deadline has passed and returns their numbers. Also returns the earliest
    /// deadline of the calls that stay queued. Call on the bus thread.
    func takeExpired(_ now: Int64) -> (calls: [Int], next: Int64?) {
        contents.withLock { contents in
            var (expired, next): ([Int], Int64?) = ([], nil)
            contents.posts.removeAll { post in
                guard case .call(let id, _, let deadline) = post else { return false }
                if deadline > now { next = min(next ?? deadline, deadline) } else { expired.append(id) }
                return deadline <= now
            }
            return (expired, next)
        }
    }

    private func signal(_ contents: inout Contents) {
        guard !contents.isSignalled else { return }
        contents.isSignalled = true
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }
}
