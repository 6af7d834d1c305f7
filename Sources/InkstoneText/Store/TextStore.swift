import InkstoneBase

#if canImport(Glibc)
    import Glibc
#endif

/// A document's text with its history: the present text as a ``Rope``, versions, positions and anchors that survive
/// edits, observers, undo and redo, and whether it is saved.
///
/// The one way in is ``apply(_:)``; the other members that edit make a ``Transaction`` for it. Who hears of one, in order:
/// 1. delegates of views, before it;
/// 2. the store: text, version, log, anchors and history are the new ones;
/// 3. followers (journal and views): after this, all that is derived from the text fits it. What somebody edits whom they ask
///    meanwhile, such as a delegate of layout, is made once all have heard of what they follow;
/// 4. observers in the order in which they registered, each once. One that edits does so at once; all hear of that right
///    after, in order. A chain of edits that answer edits is cut after ``roundLimit`` of them.
///
/// Bound to one thread; ``text`` is a value that may go to others. An edit costs O(log n + m) for m bytes of new text,
/// O(a) for a anchors, and what those who hear of it do.
public final class TextStore {
    /// Which document this is; positions carry it.
    public let id = DocumentID()
    /// The present text with its attributes. Taking a copy is O(1).
    public private(set) var styledText: StyledText
    /// The present text. Taking a copy is O(1).
    public var text: Rope { styledText.rope }
    /// The version of the present text.
    public private(set) var version = TextVersion(0)

    /// Called when a position is older than the edit log reaches, and was clamped instead of mapped.
    public var expiredPositionHandler: ((TextPosition) -> Void)?
    /// Called when a transaction is refused, with the reason.
    public var refusalHandler: ((TextRefusal) -> Void)?
    /// The clock that typed runs are timed by, in milliseconds; tests put their own.
    public var clock: () -> Int64 = { MonotonicClock.milliseconds }

    /// Whether the text is a secret, such as a password: nothing of it is to be written to disk unless the user saves it.
    ///
    /// A recovery journal of a confidential text records nothing; one that exists when this is set is removed at once.
    public var isConfidential = false {
        didSet {
            if isConfidential, !oldValue { onConfidential?() }
        }
    }
    /// Called when the text becomes confidential.
    package var onConfidential: (() -> Void)?

    /// Most edits, each in answer to the one before, that observers may make before the caller of the first gets on.
    public static let roundLimit = 100

    /// The step of undo of the drag that has begun in a view of this text: where its text is dropped in another view of it, what is
    /// inserted there and what is removed here are one. Nil between drags.
    package var dragGroup: UndoGroupID?

    private var log: EditLog
    private var anchors = AnchorList()
    private var history = UndoHistory()
    private var lastSelection: (view: ViewID?, selection: Selection)?
    private let delivery = TextDelivery()

    /// A document with a text, unmodified. Positions of up to `editLogLimit` edits ago can be mapped.
    public convenience init(_ text: Rope = Rope(), editLogLimit: Int = 4096) {
        self.init(StyledText(text), editLogLimit: editLogLimit)
    }

    /// A document with a text and its attributes, unmodified.
    public init(_ text: StyledText, editLogLimit: Int = 4096) {
        styledText = text
        log = EditLog(limit: max(1, editLogLimit))
    }

    // MARK: Editing

    /// Makes a transaction. Returns what was made of it: at once, also inside an observer, which others hear of afterwards.
    ///
    /// One that was made for an older version is moved along with the edits since. Nil, and a call of ``refusalHandler``, if
    /// the log does not reach back that far, or if observers answer each other without end. Nil as well, and no call, while
    /// followers are called: it is made right after. Traps on a transaction for another document or for a version that is yet to come.
    @discardableResult
    public func apply(_ transaction: consuming Transaction) -> AppliedTransaction? {
        var transaction = transaction
        precondition(transaction.document == id, "a transaction of another document")
        precondition(transaction.version <= version, "a transaction on a version that is yet to come")
        // Nobody is told of nothing.
        guard transaction.edits else {
            return applied(TextChangeSet(none: text), transaction, from: version)
        }
        if delivery.isFollowing {
            delivery.wait { [weak self, transaction] in self?.apply(transaction) }
            return nil
        }
        let teller = TextDelivery.Teller(view: transaction.view, isInputSystem: transaction.origin.isFromInputSystem)
        guard admit(teller) else { return nil }
        guard transaction.version >= log.firstVersion else {
            refusalHandler?(.expired)
            delivery.withdraw(teller)
            return nil
        }
        if transaction.undo == .history {
            // Those who were told of it may have edited: the step is that of the text as it is now.
            guard let step = history.pop(transaction.origin, styledText, in: transaction.view) else {
                delivery.withdraw(teller)
                return nil
            }
            transaction.take(step)
        } else if transaction.version < version {
            transaction.move(over: log.changes(since: transaction.version), to: styledText)
        }
        let (selection, owner) = selectionBefore(transaction)
        let before = version
        let changes = commit(transaction)
        let made = applied(changes, transaction, from: before)
        guard made.after > before else {
            delivery.withdraw(teller)
            return made
        }
        if made.transaction.undo != .history {
            history.record(made, selectionBefore: selection, of: owner, at: clock())
        }
        delivery.deliver(made)
        return made
    }

    /// A transaction that only selects, or ends a composition, moved along with the edits since it was made; nil if the log does not
    /// reach back that far, or if who made it is still to follow. For those who take it in without ``apply(_:)``.
    package func current(_ transaction: consuming Transaction) -> Transaction? {
        var transaction = transaction
        guard transaction.version < version else { return transaction }
        guard transaction.version >= log.firstVersion, !delivery.isFollowing else { return nil }
        transaction.move(over: log.changes(since: transaction.version), to: styledText)
        transaction.version = version
        return transaction
    }

    /// What was selected before a transaction, and in which view. The program's steps are those of the view that the user is in.
    private func selectionBefore(_ transaction: Transaction) -> (selection: Selection?, owner: ViewID?) {
        if let selection = transaction.selectionBefore { return (selection, transaction.view) }
        guard let lastSelection, transaction.view == nil || transaction.view == lastSelection.view else {
            return (nil, transaction.view)
        }
        return (lastSelection.selection, lastSelection.view)
    }

    private func applied(
        _ changes: TextChangeSet, _ transaction: Transaction, from before: TextVersion
    ) -> AppliedTransaction {
        AppliedTransaction(transaction, as: changes, to: styledText, from: before, after: version)
    }

    /// Whether an edit may be made now; those who want to know before it are told.
    private func admit(_ teller: TextDelivery.Teller) -> Bool {
        guard delivery.generation < Self.roundLimit else {
            if delivery.shouldReportOverrun() { refusalHandler?(.endlessAnswers) }
            return false
        }
        delivery.announce(teller)
        return true
    }

    /// Makes the change, unless it comes to nothing: the text and all that is kept beside it but the history. Returns it with what
    /// it did to attributes.
    private func commit(_ transaction: Transaction) -> TextChangeSet {
        let changes = styledText.apply(transaction)
        guard !changes.isEmpty else { return changes }
        version = version.next
        log.append(changes.changeMap)
        anchors.apply(changes.changeMap)
        return changes
    }

    /// Replaces a range of bytes, clamped to the text; an end inside a scalar means its start. A transaction of one section:
    /// see ``apply(_:)``. One that is refused, or made later, is returned as one of nothing.
    ///
    /// - Parameter undo: how it is taken back; nil for what is usual for its origin.
    @discardableResult
    public func replace(
        _ range: Range<ByteOffset>, with new: Rope, origin: Origin = .program, undo: UndoJoining? = nil,
        selectionBefore: Range<UTF16Offset>? = nil, view: ViewID? = nil
    ) -> AppliedTransaction {
        let transaction = Transaction(
            on: self, TextChangeSet(replacing: range, with: new, in: text), origin: origin,
            undo: undo ?? UndoJoining(usualFor: origin),
            selectionBefore: selectionBefore.map { Selection(anchor: $0.lowerBound, head: $0.upperBound) }, view: view)
        return apply(transaction) ?? applied(TextChangeSet(none: text), transaction, from: version)
    }

    /// Replaces a range of bytes by a string.
    @discardableResult
    public func replace(
        _ range: Range<ByteOffset>, with string: String, origin: Origin = .program, undo: UndoJoining? = nil,
        selectionBefore: Range<UTF16Offset>? = nil, view: ViewID? = nil
    ) -> AppliedTransaction {
        replace(range, with: Rope(string), origin: origin, undo: undo, selectionBefore: selectionBefore, view: view)
    }

    /// Replaces a range of UTF-16 units.
    @discardableResult
    public func replace(
        _ range: Range<UTF16Offset>, with new: Rope, origin: Origin = .program, undo: UndoJoining? = nil,
        selectionBefore: Range<UTF16Offset>? = nil, view: ViewID? = nil
    ) -> AppliedTransaction {
        replace(
            text.byteRange(of: range), with: new, origin: origin, undo: undo, selectionBefore: selectionBefore,
            view: view)
    }

    /// Replaces a range of UTF-16 units by a string.
    @discardableResult
    public func replace(
        _ range: Range<UTF16Offset>, with string: String, origin: Origin = .program, undo: UndoJoining? = nil,
        selectionBefore: Range<UTF16Offset>? = nil, view: ViewID? = nil
    ) -> AppliedTransaction {
        replace(
            text.byteRange(of: range), with: Rope(string), origin: origin, undo: undo,
            selectionBefore: selectionBefore, view: view)
    }

    /// Changes attributes: a transaction that replaces no text. See ``apply(_:)``.
    @discardableResult
    public func restyle(
        origin: Origin = .program, undo: UndoJoining = .step, view: ViewID? = nil, _ change: (inout Restyling) -> Void
    ) -> AppliedTransaction? {
        var restyling = Restyling()
        change(&restyling)
        return apply(
            Transaction(
                on: self, TextChangeSet(none: text), origin: origin, undo: undo, view: view, restyling: restyling))
    }

    /// Replaces a range of UTF-16 units by a text with attributes, clamped to the text: a transaction of one section.
    @discardableResult
    public func replace(
        _ range: Range<UTF16Offset>, with new: StyledText, origin: Origin = .program, undo: UndoJoining = .step,
        selection: SelectionAfter = .mapped, selectionBefore: Selection? = nil, view: ViewID? = nil
    ) -> AppliedTransaction? {
        let (changes, restyling) = styledText.replacing([(range, new)])
        return apply(
            Transaction(
                on: self, changes, origin: origin, undo: undo, selection: selection, selectionBefore: selectionBefore,
                view: view, restyling: restyling))
    }

    // MARK: Positions

    /// The position of an offset of the present text, clamped to it.
    public func position(at offset: UTF16Offset, affinity: TextAffinity = .downstream) -> TextPosition {
        TextPosition(document: id, version: version, offset: offset.clamped(in: text.utf16Range), affinity: affinity)
    }

    /// Where a position lies in the present text, in UTF-16 units: mapped through the edits since, clamped to the text.
    ///
    /// Beyond the edit log it is only clamped, and ``expiredPositionHandler`` told. Traps on another document's
    /// position and on a version yet to come. O(k) for k edits since.
    public func offset(of position: TextPosition) -> UTF16Offset {
        precondition(position.document == id, "a position of another document")
        precondition(position.version <= version, "a position of a version that is yet to come")
        var offset = position.offset
        if position.version < log.firstVersion {
            expiredPositionHandler?(position)
        } else if position.version < version {
            offset = log.map(offset, position.affinity, from: position.version)
        }
        return offset.clamped(in: text.utf16Range)
    }

    /// Where a range of the text after a transaction lies in the present text, which observers may have edited since: what they have
    /// inserted at its ends stays outside. In UTF-16 units.
    package func presentRange(_ range: Range<UTF16Offset>, after applied: AppliedTransaction) -> Range<UTF16Offset> {
        let version = max(applied.after, log.firstVersion)
        let low = log.map(range.lowerBound, .downstream, from: version)
        let high = log.map(range.upperBound, .upstream, from: version)
        return (low..<max(low, high)).clamped(into: text.utf16Range)
    }

    /// Whether the edit log still reaches back to a position, so that it is mapped exactly.
    public func canMap(_ position: TextPosition) -> Bool {
        position.document == id && position.version <= version && position.version >= log.firstVersion
    }

    /// Makes a place that moves with the text; it is released by dropping it.
    public func makeAnchor(at offset: UTF16Offset, gravity: TextAffinity = .downstream) -> TextAnchor {
        let anchor = TextAnchor(offset: offset.clamped(in: text.utf16Range), gravity: gravity)
        anchors.append(anchor)
        return anchor
    }

    // MARK: Observers

    /// Calls `body` with each transaction once, right after it, in the order in which observers registered. Drop the token to
    /// end. It may edit: see the head of this class.
    public func observeTransactions(_ body: @escaping (AppliedTransaction) -> Void) -> TextObservation {
        let observer = delivery.addObserver(since: version, body)
        return TextObservation { observer.body = nil }
    }

    /// Has an object follow each transaction before observers hear of it, until it goes or is taken off. It is held weakly.
    ///
    /// - Parameter isFirst: whether it comes before all others: what is on disk is to be right whatever the others do.
    package func addFollower(_ follower: any TextStoreFollower, isFirst: Bool = false) {
        delivery.add(follower, since: version, isFirst: isFirst)
    }

    /// Ends what ``addFollower(_:)`` began.
    package func removeFollower(_ follower: any TextStoreFollower) { delivery.remove(follower) }

    // MARK: Undo

    /// Has a follower deliver a turn of its own by ``TextStoreFollower/storeDidReachTurn()``, in order with the transactions: at once, or
    /// when all that was before it has been told. False, and a call of ``refusalHandler``, at the end of a chain of answers.
    package func deliverTurn(of follower: any TextStoreFollower) -> Bool {
        if delivery.deliverTurn(of: follower) { return true }
        if delivery.shouldReportOverrun() { refusalHandler?(.endlessAnswers) }
        return false
    }

    /// Number of edits and turns, each in answer to the one before, that led to what is being told now; 0 if nothing is. An edit that is
    /// put off keeps it for ``resume(at:_:)``.
    package var generation: Int { delivery.generation }

    /// Makes an edit that was put off, in ``TextStoreFollower/storeDidSettle()``, as the answer that it is: a chain of answers ends after
    /// ``roundLimit`` of them however long each has waited.
    package func resume(at generation: Int, _ edit: () -> Void) { delivery.resume(at: generation, edit) }

    /// Has followers do what waits for a moment in which nobody is being told of anything; nothing if that is still to come.
    package func settle() { delivery.settle() }

    /// Says what is selected in the present text in the view that the user is in. It is selected again when an edit that does
    /// not say better is taken back. Views say it whenever it changes; nothing asks them. With nil, that nothing is selected there any
    /// more: then no view is the one that the user is in.
    public func noteSelection(_ selection: Selection?, of view: ViewID) {
        if let selection { lastSelection = (view, selection) } else if isLastSelected(view) { lastSelection = nil }
    }

    /// Whether a view was the last to say what is selected.
    public func isLastSelected(_ view: ViewID) -> Bool { lastSelection?.view == view }

    /// Makes the next edit begin a new step: for a moved caret, a lost focus.
    public func breakUndoCoalescing() { history.close() }

    /// Number of steps that can be taken back or have been forgotten for their age, of those that have been forgotten, and of those that
    /// can be made again, now or once a composition is given up: what was deleted in a step is beyond undo when that has been forgotten.
    package var undoReach: (recorded: Int, forgotten: Int, redoable: Int) {
        (history.forgotten + history.undoable.count, history.forgotten, history.redoableReach)
    }

    /// Whether there is a step to take back now.
    public var canUndo: Bool { !history.undoable.isEmpty }
    /// Whether there is a step to make again now.
    public var canRedo: Bool { !history.redoable.isEmpty }

    /// The transaction that takes the last step back; nil if there is none. It selects what was selected before the step in the
    /// view that made it, or for a step of the program in the view that the user was in, and in another view what comes back.
    public func undoing(in view: ViewID? = nil) -> Transaction? { restoring(.undo, in: view) }

    /// The transaction that makes the step again that was taken back last; see ``undoing(in:)``.
    public func redoing(in view: ViewID? = nil) -> Transaction? { restoring(.redo, in: view) }

    private func restoring(_ origin: Origin, in view: ViewID?) -> Transaction? {
        history.transaction(origin, of: styledText, on: id, version, in: view)
    }

    /// Takes the last step back: makes ``undoing(in:)``. Returns what it selects, in UTF-16 units; nil if there is nothing to undo.
    @discardableResult
    public func undo(in view: ViewID? = nil) -> Range<UTF16Offset>? { restore(undoing(in: view)) }

    /// Makes the step again that was taken back last; returns what it selects, as ``undo(in:)`` does.
    @discardableResult
    public func redo(in view: ViewID? = nil) -> Range<UTF16Offset>? { restore(redoing(in: view)) }

    private func restore(_ transaction: Transaction?) -> Range<UTF16Offset>? {
        guard let transaction, let applied = apply(transaction),
            let range = applied.selection.resolved(after: applied.changes.changeMap, from: nil)?.range
        else { return nil }
        return presentRange(range, after: applied)
    }

    /// Most bytes that steps of undo may take: the oldest are dropped whole, the newest never. 64 MiB at first.
    public var undoByteLimit: Int {
        get { history.byteLimit }
        set { history.byteLimit = newValue }
    }

    /// A pause of this many milliseconds ends a typed run. 2000 at first.
    public var undoPause: Int64 {
        get { history.pause }
        set { history.pause = newValue }
    }

    /// Forgets all steps.
    public func removeAllUndo() { history.removeAll() }

    /// The texts that undo and redo lead to, so many on each side at most. O(k) edits for k steps.
    package func history(atMost count: Int) -> TextHistory {
        func texts(_ origin: Origin) -> [StyledText] {
            var (history, text) = (history, styledText)
            var texts: [StyledText] = []
            while texts.count < count, let step = history.pop(origin, text, in: nil) {
                text.apply(step.changes)
                texts.append(text)
            }
            return texts
        }
        return TextHistory(past: texts(.undo).reversed(), future: texts(.redo))
    }

    /// Has undo and redo lead to these texts, in place of the steps that there were. The text stays as it is, saved or not. Nobody hears of it.
    package func adopt(_ new: TextHistory) {
        let states = new.past + [styledText] + new.future
        let other = TextStore(states[0])
        for state in states.dropFirst() {
            let changes = TextChangeSet(from: other.text, to: state.rope)
            var restyling = Restyling()
            let runs = state.runs ?? AttributeRuns(length: state.rope.metrics.utf16, TextAttributes())
            if state.runs != nil || other.styledText.runs != nil { restyling.set(runs, in: state.rope.utf16Range) }
            // Where it was edited one goes on.
            let (before, after) = (
                changes.changeMap.last?.oldRange.upperBound, changes.changeMap.last?.newRange.upperBound
            )
            other.apply(
                Transaction(
                    on: other, changes, selection: after.map { .set(Selection(caret: $0)) } ?? .mapped,
                    selectionBefore: before.map { Selection(caret: $0) }, restyling: restyling))
        }
        for _ in new.future { other.undo() }
        let (wasModified, limit, pause) = (isModified, history.byteLimit, history.pause)
        history = other.history
        (history.byteLimit, history.pause) = (limit, pause)
        if wasModified { history.markUnsaved() } else { history.markSaved() }
    }

    // MARK: Saved or not

    /// Whether the text is another than the saved one. Off again when one undoes back to it.
    public var isModified: Bool { history.savedState != history.state }

    /// Says that the present text is what is saved.
    public func markSaved() { history.markSaved() }

    /// The present text, to be saved elsewhere while one types on; ``markSaved(_:)`` says that it was. O(1).
    ///
    /// It ends a typed run, so that one can undo back to just this text.
    public func makeSavePoint() -> SavePoint {
        history.close()
        return SavePoint(text: text, version: version, document: id, state: history.state)
    }

    /// Names the present text among those that undo and redo lead to: equal names mean equal texts.
    public var historyState: UInt64 { history.state }

    /// Says that the text of a save point is what is saved, whatever was typed since. Traps on another document's.
    public func markSaved(_ point: SavePoint) {
        precondition(point.document == id, "a save point of another document")
        history.markSaved(point.state)
    }

    /// Says that no text that can be undone to is what is saved: after a recovery, or when the file is gone.
    public func markUnsaved() { history.markUnsaved() }
}

/// The texts that undo and redo lead to from a present one, which is none of them.
package struct TextHistory: Sendable {
    /// Those before, the oldest first.
    package var past: [StyledText] = []
    /// Those that redo leads to, the nearest first.
    package var future: [StyledText] = []

    package init(past: [StyledText] = [], future: [StyledText] = []) { (self.past, self.future) = (past, future) }

    /// The history of a text that is made of each text, of which those are left out that are no other than their neighbour.
    ///
    /// - Parameter present: what is made of the present text.
    package func mapped(present: StyledText, _ make: (StyledText) -> StyledText?) -> TextHistory {
        func steps(_ texts: some Sequence<StyledText>) -> [StyledText] {
            var result: [StyledText] = []
            for text in texts {
                guard let new = make(text) else { break }
                if new != result.last ?? present { result.append(new) }
            }
            return result
        }
        return TextHistory(past: steps(past.reversed()).reversed(), future: steps(future))
    }
}

/// A document's text at a moment, to be saved: what it was, and which of the states that undo leads to.
public struct SavePoint: Sendable {
    /// The text.
    public let text: Rope
    /// Its version.
    public let version: TextVersion
    let document: DocumentID
    let state: UInt64
}
