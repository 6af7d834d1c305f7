import CBus
import Glibc
import InkstoneBase
import Synchronization

/// A change of what the owner wants of the thread.
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

/// An object of ours, or a tree of them.
struct BusObject: Hashable, Sendable {
    let path: String
    /// Whether it answers for all paths below it that have no object of their own.
    let isTree: Bool
    /// `interface` elements of the introspection format; may be empty.
    let interfaces: String
}

/// A method call of ours.
struct BusRequest: Hashable, Sendable {
    let destination: String
    let path: String
    let interface: String
    let member: String
    let body: [BusValue]
    var startsService = false
}

/// A signal of ours.
struct BusSignal: Hashable, Sendable {
    let path: String
    let interface: String
    let member: String
    let body: [BusValue]
    /// Nil for all who listen.
    let destination: String?
}

/// A message that waits to be sent.
enum BusPost: Sendable {
    case call(Int, BusRequest, deadline: Int64)
    case signal(BusSignal)
    case reply(BusReplyAddress, Result<[BusValue], BusError>)
}

/// The names by which a signal of newer state finds the one that it replaces.
struct BusSignalKey: Hashable, Sendable {
    let path: String
    let interface: String
    let member: String
    let destination: String?
    /// Tells states apart that the same signal reports.
    let detail: String
}

/// The way from the owner to the thread, with a descriptor that is readable while something waits. Bounded by weight.
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

    /// - Parameter limit: the weight that may wait.
    init(limit: Int) {
        self.limit = limit
        descriptor = cbus_signal_create()
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    /// Any thread.
    func send(_ control: BusControl) {
        contents.withLock { contents in
            guard !contents.isClosed else { return }
            contents.controls.append(control)
            signal(&contents)
        }
    }

    /// Queues a message, in place of a waiting one with the same key but behind all others. False if there is no room. Any thread.
    ///
    /// - Parameter isForced: whether the limit does not count, for small messages that must not be lost.
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

    /// Has the thread end. Any thread.
    func close() {
        contents.withLock { contents in
            contents.isClosed = true
            signal(&contents)
        }
    }

    /// Takes the changes that wait, and says whether the owner has closed. The thread.
    ///
    /// - Parameter clearing: whether the descriptor becomes unreadable.
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

    /// Takes the oldest message; nil if none waits, or if changes do, which may have been made before it. The thread.
    func takePost() -> BusPost? {
        contents.withLock { contents in
            contents.controls.isEmpty ? contents.posts.take()?.element : nil
        }
    }

    /// Takes out the calls whose time is up, and gives their numbers, with the time at which the next one's is. The thread.
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
