import InkstoneBase

#if canImport(Glibc)
    import Glibc
#endif

/// A document's text with its history: the present text as a ``Rope``, versions, positions and anchors that survive
/// edits, observers, undo and redo, and whether the text is saved.
///
/// Only ``apply(_:)`` changes the text; the other editing members make a ``Transaction`` for it. A transaction is
/// processed in this order:
/// 1. followers (the journal and the views) are notified that an edit follows; views notify their input delegates;
/// 2. the store's text, version, log, anchors and history become the new ones;
/// 3. followers update the state that they derive from the text. Code that a follower calls, such as a delegate of
/// layout, may request an edit: it is deferred until all followers are done;
/// 4. observers are notified in the order in which they registered, each once. An observer's own edit is applied at
/// once, and all observers are notified of it after the present transaction. A chain of edits, each made in answer
/// to the one before, is cut after ``roundLimit`` edits.
///
/// The store is bound to one thread; ``text`` is a value that may go to other threads. An edit costs O(log n + m)
/// for m bytes of new text, O(a) for a anchors, and the time of followers and observers.
public final class TextStore {
    /// The identity of this document; positions carry it.
    public let id = DocumentID()
    /// The present text with its attributes. A copy is O(1).
    public private(set) var styledText: StyledText
    /// The present text. A copy is O(1).
    public var text: Rope { styledText.rope }
    /// The version of the present text.
    public private(set) var version = TextVersion(0)

    /// Called when a position is older than the edit log reaches, and was clamped instead of mapped.
    public var expiredPositionHandler: ((TextPosition) -> Void)?
    /// Called with the reason when a transaction is refused; for an endless chain of answers, only at the first refusal.
    public var refusalHandler: ((TextRefusal) -> Void)?
    /// The clock by which typing pauses are measured, in milliseconds; tests replace it.
    public var clock: () -> Int64 = { MonotonicClock.milliseconds }

    /// Whether the text is a secret, such as a password: none of it is written to disk unless the user saves it.
    ///
    /// A recovery journal of a confidential text records nothing; one that exists when this is set is removed at once.
    public var isConfidential = false {
        didSet {
            if isConfidential, !oldValue { onConfidential?() }
        }
    }
    /// Called when the text becomes confidential.
    package var onConfidential: (() -> Void)?

    /// The largest length of a chain in which observers answer each edit by another edit. The next edit of the chain
    /// is refused: see ``apply(_:)``.
    public static let roundLimit = 100

    /// The undo group of a drag that began in a view of this document. If the dragged text is dropped in another
    /// view of this document, its removal and its insertion form one step of undo. Nil between drags.
    package var dragGroup: UndoGroupID?

    private var log: EditLog
    private var anchors = AnchorList()
    private var history = UndoHistory()
    private var lastSelection: (view: ViewID?, selection: Selection)?
    private let delivery = TextDelivery()

    /// Creates a document with a text, unmodified. Positions of up to `editLogLimit` edits ago can be mapped.
    public convenience init(_ text: Rope = Rope(), editLogLimit: Int = 4096) {
        self.init(StyledText(text), editLogLimit: editLogLimit)
    }

    /// Creates a document with a text and its attributes, unmodified.
    public init(_ text: StyledText, editLogLimit: Int = 4096) {
        styledText = text
        log = EditLog(limit: max(1, editLogLimit))
    }

    // MARK: Editing

    /// Applies a transaction and returns it as applied. The text has changed when this returns, also in a call by
    /// an observer; other observers are notified afterwards. If the transaction changes neither text nor
    /// attributes, it is returned with the present version as ``AppliedTransaction/after``, and observers are not
    /// notified.
    ///
    /// A transaction made for an older version is rebased on the edits since. It is refused if the log does not reach
    /// back that far, or if observers answer each other without end: the result is nil, and ``refusalHandler`` is
    /// called, in the second case once for each chain of answers. Returns nil for an undo or redo if there is no step
    /// left. While followers are called, the transaction is deferred and nil returned. Traps on a transaction for
    /// another document or for a future version.
    @discardableResult
    public func apply(_ transaction: consuming Transaction) -> AppliedTransaction? {
        var transaction = transaction
        precondition(transaction.document == id, "a transaction of another document")
        precondition(transaction.version <= version, "a transaction on a version that is yet to come")
        // If the transaction makes no edit, return without notifying observers.
        guard transaction.edits else {
            return applied(TextChangeSet(none: text), transaction, from: version)
        }
        if delivery.isFollowing {
            delivery.wait { [weak self, transaction] in self?.apply(transaction) }
            return nil
        }
        let source = TextDelivery.TransactionSource(
            view: transaction.view, isInputSystem: transaction.origin.isFromInputSystem)
        guard admit(source) else { return nil }
        guard transaction.version >= log.firstVersion else {
            refusalHandler?(.expired)
            delivery.withdraw(source)
            return nil
        }
        if transaction.undo == .history {
            // Compute the undo step for the present text: `storeWillApply` may have edited the text.
            guard let step = history.pop(transaction.origin, styledText, in: transaction.view) else {
                delivery.withdraw(source)
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
            delivery.withdraw(source)
            return made
        }
        if made.transaction.undo != .history {
            history.record(made, selectionBefore: selection, of: owner, at: clock())
        }
        delivery.deliver(made)
        return made
    }

    /// Returns the transaction rebased on the edits since it was made. Nil if the log does not reach back that far.
    /// Also nil if the transaction needs rebasing while followers are called. For code that filters the transaction
    /// once more before it is applied.
    package func current(_ transaction: consuming Transaction) -> Transaction? {
        var transaction = transaction
        guard transaction.version < version else { return transaction }
        guard transaction.version >= log.firstVersion, !delivery.isFollowing else { return nil }
        transaction.move(over: log.changes(since: transaction.version), to: styledText)
        transaction.version = version
        return transaction
    }

    /// Returns the selection that undo has to restore for a transaction, and the view of that selection. If the
    /// transaction has neither a selection nor a view, these are the selection recorded last and its view.
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

    /// Announces an edit to the followers, and returns true. An edit after a chain of ``roundLimit`` edits and
    /// notifications, each in answer to the one before, is refused: returns false, and reports this once for each
    /// chain.
    private func admit(_ source: TextDelivery.TransactionSource) -> Bool {
        guard delivery.generation < Self.roundLimit else {
            if delivery.shouldReportOverrun() { refusalHandler?(.endlessAnswers) }
            return false
        }
        delivery.announce(source)
        return true
    }

    /// Applies a transaction's changes to the text and to all state but the undo history, unless they change
    /// nothing. Returns the changes with their effect on attributes.
    private func commit(_ transaction: Transaction) -> TextChangeSet {
        let changes = styledText.apply(transaction)
        guard !changes.isEmpty else { return changes }
        version = version.next
        log.append(changes.changeMap)
        anchors.apply(changes.changeMap)
        return changes
    }

    /// Replaces a range of bytes, clamped to the text; an end inside a scalar means the scalar's start. The edit is
    /// a transaction of one section: see ``apply(_:)``. If it is refused or deferred, the returned transaction has
    /// no changes.
    ///
    /// - Parameter undo: how the change joins the undo history; nil for the usual way of its origin.
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

    /// Replaces a range of UTF-16 units, clamped to the document's text, by a text with attributes: a transaction
    /// of one section.
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

    /// Returns the position of an offset of the present text. The offset is clamped to the text.
    public func position(at offset: UTF16Offset, affinity: TextAffinity = .downstream) -> TextPosition {
        TextPosition(document: id, version: version, offset: offset.clamped(in: text.utf16Range), affinity: affinity)
    }

    /// Returns the offset of a position in the present text, in UTF-16 units: mapped through the edits since, and
    /// clamped to the text.
    ///
    /// A position older than the edit log reaches is only clamped, and ``expiredPositionHandler`` is called. Traps
    /// on a position of another document or of a future version. O(k log s) for k edits since, of s sections each.
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

    /// Maps a range from the text after a transaction to the present text. Text that observers have inserted at the
    /// ends of the range since stays outside. In UTF-16 units.
    package func presentRange(_ range: Range<UTF16Offset>, after applied: AppliedTransaction) -> Range<UTF16Offset> {
        let version = max(applied.after, log.firstVersion)
        let low = log.map(range.lowerBound, .downstream, from: version)
        let high = log.map(range.upperBound, .upstream, from: version)
        return (low..<max(low, high)).clamped(into: text.utf16Range)
    }

    /// Whether the edit log still reaches back to a position. The position is then mapped exactly. False for a
    /// position of another document or of a future version.
    public func canMap(_ position: TextPosition) -> Bool {
        position.document == id && position.version <= version && position.version >= log.firstVersion
    }

    /// Makes an anchor: an offset that moves with the text around it, for as long as the anchor object is
    /// referenced.
    public func makeAnchor(at offset: UTF16Offset, gravity: TextAffinity = .downstream) -> TextAnchor {
        let anchor = TextAnchor(offset: offset.clamped(in: text.utf16Range), gravity: gravity)
        anchors.append(anchor)
        return anchor
    }

    // MARK: Observers

    /// Calls `body` once for each transaction that has changed text or attributes, right after it was applied, in
    /// the order in which observers registered. The observation ends when the returned token is dropped. `body` may
    /// edit the text: see ``TextStore``.
    public func observeTransactions(_ body: @escaping (AppliedTransaction) -> Void) -> TextObservation {
        let observer = delivery.addObserver(since: version, body)
        return TextObservation { observer.body = nil }
    }

    /// Adds an object that follows each transaction before observers are notified, until it is released or removed.
    /// The store holds the object weakly.
    ///
    /// - Parameter isFirst: whether the object is called before all other followers: the journal on disk must be
    ///   right whatever the other followers do.
    package func addFollower(_ follower: any TextStoreFollower, isFirst: Bool = false) {
        delivery.add(follower, since: version, isFirst: isFirst)
    }

    /// Removes a follower added by ``addFollower(_:)``.
    package func removeFollower(_ follower: any TextStoreFollower) { delivery.remove(follower) }

    // MARK: Followers' deferred edits

    /// Queues a call of a follower's ``TextStoreFollower/storeDidReachTurn()``, in order with the notifications of
    /// transactions: made at once, or after the pending notifications. If the chain of answers is too long, returns
    /// false and calls ``refusalHandler``, once for each chain.
    package func deliverTurn(of follower: any TextStoreFollower) -> Bool {
        if delivery.deliverTurn(of: follower) { return true }
        if delivery.shouldReportOverrun() { refusalHandler?(.endlessAnswers) }
        return false
    }

    /// Length of the chain of edits and of followers' calls, each in answer to the one before, that led to the
    /// delivery under way; 0 outside of a delivery. A follower stores this number with an edit that it defers, for
    /// ``resume(at:_:)``.
    package var generation: Int { delivery.generation }

    /// Applies a deferred edit, in ``TextStoreFollower/storeDidBecomeIdle()``, as part of the chain of answers in which
    /// it was deferred. Thus a chain ends after ``roundLimit`` edits even if each was deferred.
    package func resume(at generation: Int, _ edit: () -> Void) { delivery.resume(at: generation, edit) }

    /// Makes followers apply their deferred edits. Does nothing while notifications are pending: the store calls
    /// this again after the last of them.
    package func performDeferred() { delivery.performDeferred() }

    // MARK: Undo

    /// Records a view's selection in the present text. If a transaction states no selection before it
    /// (``Transaction/selectionBefore``), undoing it restores the selection recorded last. Views call this whenever
    /// their selection changes, because the store does not query them.
    ///
    /// Nil means that the view has no selection any more: the recorded selection is dropped if it was this view's.
    public func noteSelection(_ selection: Selection?, of view: ViewID) {
        if let selection { lastSelection = (view, selection) } else if isLastSelected(view) { lastSelection = nil }
    }

    /// Whether a view was the last to record its selection.
    public func isLastSelected(_ view: ViewID) -> Bool { lastSelection?.view == view }

    /// Makes the next edit begin a new step of undo, unless it belongs to a group that has a step already. Call
    /// this when the user moved the caret, or when the view lost the focus.
    public func breakUndoCoalescing() { history.close() }

    /// Makes a group of edits a part of the newest step of undo, which has deleted text of a composition of that group.
    package func addToNewestUndoStep(_ group: UndoGroupID) { history.addToNewest(group, in: styledText) }

    /// Numbers of steps. `recorded` counts those that can be undone or were dropped, for their age or by
    /// ``removeAllUndo()``; `forgotten` counts the dropped ones. `redoable` counts those that can be redone now or
    /// after a composition is cancelled. Text deleted in a step cannot be restored once the step was dropped.
    package var undoReach: (recorded: Int, forgotten: Int, redoable: Int) {
        (history.forgotten + history.undoable.count, history.forgotten, history.redoableReach)
    }

    /// Whether there is a step to undo now.
    public var canUndo: Bool { !history.undoable.isEmpty }
    /// Whether there is a step to redo now.
    public var canRedo: Bool { !history.redoable.isEmpty }

    /// Returns the transaction that undoes the last step; nil if there is none. In the view that made the step, it
    /// restores the selection before the step; in any other view, it selects the restored text. If the program made
    /// the step, the view that the user was in counts as the view that made it.
    public func undoing(in view: ViewID? = nil) -> Transaction? { restoring(.undo, in: view) }

    /// Returns the transaction that redoes the step undone last; nil if there is none. The transaction selects as that
    /// of ``undoing(in:)`` does.
    public func redoing(in view: ViewID? = nil) -> Transaction? { restoring(.redo, in: view) }

    private func restoring(_ origin: Origin, in view: ViewID?) -> Transaction? {
        history.transaction(origin, of: styledText, on: id, version, in: view)
    }

    /// Undoes the last step by applying ``undoing(in:)``. Returns the restored selection, in UTF-16 units; nil if
    /// there is nothing to undo, or if the edit was refused or deferred.
    @discardableResult
    public func undo(in view: ViewID? = nil) -> Range<UTF16Offset>? { restore(undoing(in: view)) }

    /// Redoes the step undone last. Returns the restored selection, in UTF-16 units; nil if there is nothing to
    /// redo, or if the edit was refused or deferred.
    @discardableResult
    public func redo(in view: ViewID? = nil) -> Range<UTF16Offset>? { restore(redoing(in: view)) }

    private func restore(_ transaction: Transaction?) -> Range<UTF16Offset>? {
        guard let transaction, let applied = apply(transaction),
            let range = applied.selection.resolved(after: applied.changes.changeMap, from: nil)?.range
        else { return nil }
        return presentRange(range, after: applied)
    }

    /// The largest number of bytes that steps of undo may use. If they use more, the oldest steps are dropped when
    /// the next edit is recorded; the newest step is always kept. Initially 64 MiB. The limit does not count the
    /// whole text that a replacement of thousands of matches keeps until the next edit.
    public var undoByteLimit: Int {
        get { history.byteLimit }
        set { history.byteLimit = newValue }
    }

    /// The bytes that steps of undo and redo use. While there are steps to redo, an upper bound: the most that the
    /// steps of undo have used since the last step was recorded.
    package var undoBytes: Int { history.bytes }

    /// Whether a change is small enough that undo still keeps its step after the next, usually small, edit was
    /// recorded. The step of a larger change is dropped then, because both together exceed ``undoByteLimit``.
    package func keepsStep(of changes: TextChangeSet) -> Bool {
        // Leave room for the next edit: 64 KiB, or half of the limit if that is less.
        changes.cost <= undoByteLimit - min(undoByteLimit / 2, 64 << 10)
    }

    /// The pause in milliseconds that ends a typed run. Initially 2000.
    public var undoPause: Int64 {
        get { history.pause }
        set { history.pause = newValue }
    }

    /// Drops all steps of undo and redo.
    public func removeAllUndo() { history.removeAll() }

    /// Returns the texts that undo and redo lead to, at most `count` on each side. O(k) edits for k steps.
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

    /// Replaces the undo history by a prepared one; does nothing if that was made for a text other than the present
    /// one. The text and ``isModified`` stay unchanged. No notification is sent. O(n).
    package func adopt(_ new: PreparedHistory) {
        guard let made = new.history, new.text == styledText else { return }
        let (wasModified, limit, pause) = (isModified, history.byteLimit, history.pause)
        history = made
        (history.byteLimit, history.pause) = (limit, pause)
        if wasModified { history.markUnsaved() } else { history.markSaved() }
    }

    fileprivate var preparedHistory: UndoHistory { history }

    // MARK: Saved and unsaved texts

    /// Whether the text was edited since it was saved. Edits that are not recorded for undo do not count. False
    /// again when the user undoes back to the saved text. Text that became equal to the saved one by other edits
    /// still counts as modified.
    public var isModified: Bool { history.savedState != history.state }

    /// Marks the present text as the saved one. The next edit begins a new step of undo, unless it belongs to a
    /// group that has a step already.
    public func markSaved() { history.markSaved() }

    /// Returns the present text, to be saved while the user types on; call ``markSaved(_:)`` after it was saved. O(1).
    ///
    /// Ends a typed run, so that undo can return to exactly this text.
    public func makeSavePoint() -> SavePoint {
        history.close()
        return SavePoint(text: text, version: version, document: id, state: history.state)
    }

    /// The identity of the present text among those that undo and redo lead to. Equal numbers mean equal texts, apart
    /// from changes that are not recorded for undo.
    public var historyState: UInt64 { history.state }

    /// Marks the text of a save point as the saved one, whatever was typed since. Traps on a save point of another
    /// document.
    public func markSaved(_ point: SavePoint) {
        precondition(point.document == id, "a save point of another document")
        history.markSaved(point.state)
    }

    /// Marks the present text, and each text that undo and redo lead to, as unsaved: after a recovery, or when the file
    /// is gone.
    public func markUnsaved() { history.markUnsaved() }
}

/// The texts that undo and redo lead to from a present text, which is not included.
package struct TextHistory: Sendable {
    /// The texts that undo leads to, oldest first.
    package var past: [StyledText] = []
    /// The texts that redo leads to, nearest first.
    package var future: [StyledText] = []

    package init(past: [StyledText] = [], future: [StyledText] = []) { (self.past, self.future) = (past, future) }

    /// Returns a history of the texts that `make` returns for the texts of this one. A result equal to its
    /// neighbour is left out; a nil result ends its side of the history.
    ///
    /// - Parameter present: the result for the present text.
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

    /// Makes the steps of undo and redo that lead between these texts and the present one. Computes the difference
    /// of each two neighbouring texts: call on a background thread.
    package func prepared(for present: StyledText) -> PreparedHistory {
        let states = past + [present] + future
        let store = TextStore(states[0])
        for state in states.dropFirst() {
            let changes = TextChangeSet(from: store.text, to: state.rope)
            var restyling = Restyling()
            let runs = state.runs ?? AttributeRuns(length: state.rope.metrics.utf16, TextAttributes())
            if state.runs != nil || store.styledText.runs != nil { restyling.set(runs, in: state.rope.utf16Range) }
            // The caret of an undo step goes to the end of its last edit.
            let (before, after) = (
                changes.changeMap.last?.oldRange.upperBound, changes.changeMap.last?.newRange.upperBound
            )
            store.apply(
                Transaction(
                    on: store, changes, selection: after.map { .set(Selection(caret: $0)) } ?? .mapped,
                    selectionBefore: before.map { Selection(caret: $0) }, restyling: restyling))
        }
        for _ in future { store.undo() }
        // If two neighbouring texts were equal, a step is missing and the history does not fit the text.
        return PreparedHistory(text: present, history: store.styledText == present ? store.preparedHistory : nil)
    }
}

/// The steps of undo and redo for a text, to be adopted by a store with the same text.
package struct PreparedHistory: Sendable {
    fileprivate let text: StyledText
    fileprivate let history: UndoHistory?
}

/// A document's text at a moment, to be saved, with its state in the undo history.
public struct SavePoint: Sendable {
    /// The text to be saved.
    public let text: Rope
    /// The version of the text to be saved.
    public let version: TextVersion
    let document: DocumentID
    let state: UInt64
}
