import InkstoneBase

/// Hears of each transaction of a text before observers do, and keeps what is derived from the text: a view, a journal.
package protocol TextStoreFollower: AnyObject {
    /// A transaction is about to be made by a view, or by nobody in particular. The text may be edited here.
    ///
    /// - Parameter isInputSystem: whether that view's input system makes it.
    func storeWillApply(by view: ViewID?, isInputSystem: Bool)
    /// What was about to be made came to nothing.
    func storeDidNotApply(by view: ViewID?, isInputSystem: Bool)
    /// The text has changed. Nobody outside is to be called, but for what is needed to follow, until all followers have heard: what is
    /// edited meanwhile waits for that.
    func storeDidApply(_ applied: AppliedTransaction)
    /// All followers and observers have heard of a transaction: others may be called, and the text edited. Not called of one that
    /// was made before this became a follower.
    func storeDidDeliver(_ applied: AppliedTransaction)
    /// A turn of the follower's own is due: see ``TextStore/deliverTurn(of:)``. Others may be called, and the text edited.
    func storeDidReachTurn()
    /// Nobody is being told of anything any more: edits that wait for that may be made, one at each call. Returns whether
    /// one was made: then all are asked again.
    func storeDidSettle() -> Bool
}

extension TextStoreFollower {
    /// Nothing to do.
    package func storeWillApply(by view: ViewID?, isInputSystem: Bool) {}
    /// Nothing to do.
    package func storeDidNotApply(by view: ViewID?, isInputSystem: Bool) {}
    /// Nothing to do.
    package func storeDidDeliver(_ applied: AppliedTransaction) {}
    /// Does nothing: the default for followers without turns of their own.
    package func storeDidReachTurn() {}
    /// False: the default for followers with which nothing waits.
    package func storeDidSettle() -> Bool { false }
}

/// Why a transaction was not made.
public enum TextRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// It is for a version that the edit log does not reach back to.
    case expired
    /// Observers edit in answer to edits, which does not end. What they edit is refused until they return.
    case endlessAnswers

    /// One sentence for a person.
    public var description: String {
        switch self {
        case .expired: "An edit was made for a text that has changed too often since. It was left out."
        case .endlessAnswers:
            "Observers of a text answer each edit by another, without end. Their edits were left out after \(TextStore.roundLimit)."
        }
    }
}

/// Who hears of transactions, and those that are still to be told: a queue, so that all hear of them in the same order.
///
/// A class, because those who are called come back to it.
final class TextDelivery {
    /// An observer; its body goes when it is cancelled.
    final class Observer {
        var body: ((AppliedTransaction) -> Void)?
        /// It hears of transactions on this version and later ones.
        let since: TextVersion

        init(since: TextVersion, _ body: @escaping (AppliedTransaction) -> Void) {
            self.since = since
            self.body = body
        }
    }

    /// An object: a struct with a weak reference makes another one with each copy.
    private final class Follower {
        weak var object: (any TextStoreFollower)?
        /// It hears of transactions on this version and later ones, as an ``Observer`` does: what is still to be told of an earlier one
        /// is in the text already that it began with.
        let since: TextVersion

        init(_ object: any TextStoreFollower, since: TextVersion) {
            self.object = object
            self.since = since
        }
    }

    private struct Delivery {
        /// Subject of a delivery.
        enum Subject {
            /// A transaction that all followers have followed, or are following.
            case transaction(AppliedTransaction)
            /// A turn of one follower's own.
            case turn(any TextStoreFollower)
            /// An edit that was asked for while followers were called.
            case edit(() -> Void)
        }
        var subject: Subject
        /// Number of edits and turns, each in answer to the one before, that led to it.
        var generation: Int
    }

    private var observers: [Observer] = []
    private var followers: [Follower] = []
    /// All that has happened and is still to be told, and the edits that wait for that, in the order in which they happened.
    private var queue: [Delivery] = []
    private var isDelivering = false
    private var isSettling = false
    private var hasReportedOverrun = false
    /// Whether followers are being called: edits wait.
    private(set) var isFollowing = false
    /// The generation of the delivery that is being made, or of the edit that was put off; 0 if none is.
    private(set) var generation = 0

    func addObserver(since: TextVersion, _ body: @escaping (AppliedTransaction) -> Void) -> Observer {
        observers.removeAll { $0.body == nil }
        let observer = Observer(since: since, body)
        observers.append(observer)
        return observer
    }

    func add(_ follower: any TextStoreFollower, since: TextVersion, isFirst: Bool) {
        followers.removeAll { $0.object == nil }
        followers.insert(Follower(follower, since: since), at: isFirst ? 0 : followers.count)
    }

    func remove(_ follower: any TextStoreFollower) { followers.removeAll { $0.object === follower } }

    /// Whether the end of a chain of answers is still to be reported: once each.
    func shouldReportOverrun() -> Bool {
        defer { hasReportedOverrun = true }
        return !hasReportedOverrun
    }

    /// Who makes a transaction.
    struct Teller {
        var view: ViewID?
        var isInputSystem = false
    }

    func announce(_ teller: Teller) {
        forEachFollower { $0.storeWillApply(by: teller.view, isInputSystem: teller.isInputSystem) }
    }

    /// Tells those who were told of a transaction that it came to nothing.
    func withdraw(_ teller: Teller) {
        forEachFollower { $0.storeDidNotApply(by: teller.view, isInputSystem: teller.isInputSystem) }
    }

    /// Has followers make the edits that wait, one after the other, unless somebody is being told of an edit: then it
    /// happens after that.
    func settle() {
        guard !isDelivering, !isFollowing, !isSettling else { return }
        isSettling = true
        defer {
            isSettling = false
            hasReportedOverrun = false
        }
        var again = true
        while again {
            again = false
            forEachFollower { if $0.storeDidSettle() { again = true } }
        }
    }

    /// Makes an edit that was put off in a generation as one of the next.
    func resume(at generation: Int, _ edit: () -> Void) {
        let present = self.generation
        self.generation = max(present, generation)
        edit()
        self.generation = present
    }

    /// Has followers follow, and all hear: at once, or when those before it have been told.
    func deliver(_ applied: AppliedTransaction) {
        if observers.isEmpty, followers.isEmpty { return }
        // First, since the turns and edits that come of following are told and made after it.
        append(.transaction(applied))
        isFollowing = true
        forEachFollower { $0.storeDidApply(applied) }
        isFollowing = false
        deliverQueue()
    }

    /// Has a follower deliver a turn of its own: at once, or when those before it have been told. False at the end of a chain of answers:
    /// then nobody hears of it.
    func deliverTurn(of follower: any TextStoreFollower) -> Bool {
        guard generation < TextStore.roundLimit else { return false }
        append(.turn(follower))
        deliverQueue()
        return true
    }

    /// Makes an edit that was asked for while followers were called, once all have heard of what they follow.
    func wait(_ edit: @escaping () -> Void) { append(.edit(edit)) }

    private func append(_ subject: Delivery.Subject) {
        queue.append(Delivery(subject: subject, generation: generation + 1))
    }

    /// Delivers the queue, with what is added meanwhile; nothing if that is going on, or followers are being called.
    private func deliverQueue() {
        guard !isDelivering, !isFollowing else { return }
        isDelivering = true
        var next = 0
        while next < queue.count {
            let delivery = queue[next]
            next += 1
            generation = delivery.generation
            switch delivery.subject {
            case .transaction(let applied): tell(applied)
            case .turn(let follower): follower.storeDidReachTurn()
            case .edit(let make): make()
            }
        }
        queue.removeAll(keepingCapacity: true)
        generation = 0
        hasReportedOverrun = false
        isDelivering = false
        settle()
    }

    private func tell(_ applied: AppliedTransaction) {
        for observer in observers where observer.since <= applied.before { observer.body?(applied) }
        for follower in followers where follower.since <= applied.before { follower.object?.storeDidDeliver(applied) }
    }

    /// Calls `body` with those that are followers now, and are still there when their turn comes.
    @inline(__always)
    private func forEachFollower(_ body: (any TextStoreFollower) -> Void) {
        for follower in followers { if let object = follower.object { body(object) } }
    }
}
