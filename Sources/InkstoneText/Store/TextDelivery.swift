import InkstoneBase

/// An object that follows each transaction of a text before observers do, and keeps state derived from the text: a
/// view, a journal.
package protocol TextStoreFollower: AnyObject {
    /// Called before a transaction is applied, with the view that makes the transaction, or nil. The text may be
    /// edited here.
    ///
    /// - Parameter isInputSystem: whether the input system of `view` makes the transaction.
    func storeWillApply(by view: ViewID?, isInputSystem: Bool)
    /// Called in place of ``storeDidApply(_:)``, after `storeWillApply`, if the transaction was refused or changed
    /// nothing.
    func storeDidNotApply(by view: ViewID?, isInputSystem: Bool)
    /// Called after the text changed, to update the state derived from the text. Must not call other code unless
    /// the update needs it; edits that such code requests are deferred until all followers have been called.
    func storeDidApply(_ applied: AppliedTransaction)
    /// Called after all followers have followed a transaction and all observers were notified of it: other code may
    /// be called, and the text edited. Not called for a transaction made before the object became a follower.
    func storeDidDeliver(_ applied: AppliedTransaction)
    /// Called for a delivery that the follower has requested by ``TextStore/deliverTurn(of:)``. Other code may be
    /// called, and the text edited.
    func storeDidReachTurn()
    /// Called when no notification is pending or under way, to let the follower make an edit that it has deferred:
    /// at most one in each call. Returns whether an edit was made; then all followers are called again.
    func storeDidBecomeIdle() -> Bool
}

extension TextStoreFollower {
    /// Does nothing: the default for followers that need no notice beforehand.
    package func storeWillApply(by view: ViewID?, isInputSystem: Bool) {}
    /// Does nothing: the default for followers that need no notice beforehand.
    package func storeDidNotApply(by view: ViewID?, isInputSystem: Bool) {}
    /// Does nothing: the default for followers that need no notice afterwards.
    package func storeDidDeliver(_ applied: AppliedTransaction) {}
    /// Does nothing: the default for followers that request no deliveries of their own.
    package func storeDidReachTurn() {}
    /// Returns false: the default for followers without deferred edits.
    package func storeDidBecomeIdle() -> Bool { false }
}

/// The reason why a transaction was refused.
public enum TextRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The transaction is for a version that the edit log no longer reaches.
    case expired
    /// Observers answer edits with edits without end. Further edits are refused until the pending notifications
    /// have ended.
    case endlessAnswers

    /// A sentence for the user.
    public var description: String {
        switch self {
        case .expired:
            "An edit was refused: it was made for a version of the text that is too old. Make it again for the present text."
        case .endlessAnswers:
            "Observers of a text have answered \(TextStore.roundLimit) edits by another edit, and further edits were refused. Let them edit only if the text needs it."
        }
    }
}

/// The observers and followers of a store, and the queue of pending notifications. The queue makes all observers
/// receive notifications in the same order.
///
/// A class, because the observers that it calls call back into it.
final class TextDelivery {
    /// An observer; cancelling it sets its body to nil.
    final class Observer {
        var body: ((AppliedTransaction) -> Void)?
        /// The first version whose transactions the observer is notified of.
        let since: TextVersion

        init(since: TextVersion, _ body: @escaping (AppliedTransaction) -> Void) {
            self.since = since
            self.body = body
        }
    }

    /// A weak reference to a follower. A class, because copying a struct with a weak reference creates another weak
    /// reference.
    private final class Follower {
        weak var object: (any TextStoreFollower)?
        /// The first version whose transactions the follower is notified of. Pending notifications of earlier
        /// transactions are skipped: their changes are already in the text that the follower started with.
        let since: TextVersion

        init(_ object: any TextStoreFollower, since: TextVersion) {
            self.object = object
            self.since = since
        }
    }

    private struct Delivery {
        /// The content of a delivery: a notification, a call of a follower, or a deferred edit.
        enum Subject {
            /// A notification: observers and followers are notified of this transaction.
            case transaction(AppliedTransaction)
            /// A call of a follower's `storeDidReachTurn`, which the follower has requested.
            case turn(any TextStoreFollower)
            /// An edit that was requested while followers were called, to be made now.
            case edit(() -> Void)
        }
        var subject: Subject
        /// Length of the chain of edits and followers' calls, each in answer to the one before, that led to this
        /// delivery.
        var generation: Int
    }

    private var observers: [Observer] = []
    private var followers: [Follower] = []
    /// The pending notifications and the edits deferred until after them, in the order in which they arose.
    private var queue: [Delivery] = []
    private var isDelivering = false
    private var isPerformingDeferred = false
    private var hasReportedOverrun = false
    /// Whether followers are being called: edits are deferred.
    private(set) var isFollowing = false
    /// The generation of the delivery or resumed edit under way; 0 if there is none.
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

    /// Returns whether an overlong chain of answers is still to be reported. Counts it as reported from then on, so
    /// that each chain is reported once.
    func shouldReportOverrun() -> Bool {
        defer { hasReportedOverrun = true }
        return !hasReportedOverrun
    }

    /// The source of a transaction, as passed to followers.
    struct TransactionSource {
        var view: ViewID?
        var isInputSystem = false
    }

    func announce(_ source: TransactionSource) {
        forEachFollower { $0.storeWillApply(by: source.view, isInputSystem: source.isInputSystem) }
    }

    /// Notifies followers that a transaction announced by `storeWillApply` was not applied.
    func withdraw(_ source: TransactionSource) {
        forEachFollower { $0.storeDidNotApply(by: source.view, isInputSystem: source.isInputSystem) }
    }

    /// Makes followers apply deferred edits, one after the other. Does nothing during a delivery, whose end calls
    /// this method again, nor while followers are called.
    func performDeferred() {
        guard !isDelivering, !isFollowing, !isPerformingDeferred else { return }
        isPerformingDeferred = true
        defer {
            isPerformingDeferred = false
            hasReportedOverrun = false
        }
        var again = true
        while again {
            again = false
            forEachFollower { if $0.storeDidBecomeIdle() { again = true } }
        }
    }

    /// Applies an edit that was deferred during a delivery of `generation`, as part of the same chain of answers.
    func resume(at generation: Int, _ edit: () -> Void) {
        let present = self.generation
        self.generation = max(present, generation)
        edit()
        self.generation = present
    }

    /// Makes followers follow a transaction, then notifies observers and followers of it: at once, or after the
    /// pending notifications.
    func deliver(_ applied: AppliedTransaction) {
        if observers.isEmpty, followers.isEmpty { return }
        // Append the transaction first: deliveries and edits that are requested while followers follow come after
        // it.
        append(.transaction(applied))
        isFollowing = true
        forEachFollower { $0.storeDidApply(applied) }
        isFollowing = false
        deliverQueue()
    }

    /// Calls a follower's `storeDidReachTurn`: at once, or after the pending notifications. Returns false without a
    /// call if the chain of answers is too long.
    func deliverTurn(of follower: any TextStoreFollower) -> Bool {
        guard generation < TextStore.roundLimit else { return false }
        append(.turn(follower))
        deliverQueue()
        return true
    }

    /// Defers an edit requested while followers are called, until all were notified of the transaction that they
    /// follow.
    func wait(_ edit: @escaping () -> Void) { append(.edit(edit)) }

    private func append(_ subject: Delivery.Subject) {
        queue.append(Delivery(subject: subject, generation: generation + 1))
    }

    /// Delivers the queue and everything that is added to it meanwhile. Does nothing during a delivery or while
    /// followers are called.
    private func deliverQueue() {
        guard !isDelivering, !isFollowing else { return }
        isDelivering = true
        var next = 0
        while next < queue.count {
            let delivery = queue[next]
            next += 1
            generation = delivery.generation
            switch delivery.subject {
            case .transaction(let applied): notify(applied)
            case .turn(let follower): follower.storeDidReachTurn()
            case .edit(let make): make()
            }
        }
        queue.removeAll(keepingCapacity: true)
        generation = 0
        hasReportedOverrun = false
        isDelivering = false
        performDeferred()
    }

    private func notify(_ applied: AppliedTransaction) {
        for observer in observers where observer.since <= applied.before { observer.body?(applied) }
        for follower in followers where follower.since <= applied.before { follower.object?.storeDidDeliver(applied) }
    }

    /// Calls `body` with each present follower that is still alive when its turn comes.
    @inline(__always)
    private func forEachFollower(_ body: (any TextStoreFollower) -> Void) {
        for follower in followers { if let object = follower.object { body(object) } }
    }
}
