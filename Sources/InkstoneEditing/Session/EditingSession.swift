public import InkstoneBase
public import InkstoneInput
public import InkstoneLayout
public import InkstoneText

/// A user's editing of a text. It consists of the ``state``, the `TextStore`, and ``dispatch(_:)``, by which all
/// transactions are passed from the state to the store.
///
/// All editing by the user goes through a session: keys, commands, input methods, keyboards in other processes,
/// writing tools. A session needs no view and no display; a view presents it. Several sessions may share a store.
/// Each has a state of its own, and follows the changes made by the others.
///
/// ```swift
/// let session = EditingSession(TextStore("ab"))
/// let observation = session.observe { update in print(update.changes) }
/// session.insert("c")
/// session.undo()
/// ```
///
/// Offsets are in UTF-16 units unless a type says otherwise. Bound to one thread, like its store.
public final class EditingSession {
    /// The store of the text, with its versions and its undo history.
    public let store: TextStore
    /// The state, from which all edits are computed. It changes only by transactions, of this session or of others on
    /// the same text.
    public private(set) var state: EditorState
    /// The changes of finished text, for readers that process them at their own pace: ``ViewUpdate/textChange`` of
    /// each update, in order.
    public let changes: TextChanges
    /// The delegate that may refuse edits by the user.
    public weak var delegate: (any EditingSessionDelegate)?
    /// The buffer of killed or copied text for yanking. Each session has its own unless another one is set.
    public var killBuffer = KillBuffer()
    /// The input context of the text; nil without one. The session ends compositions through it, so that the input
    /// method discards them. It belongs to the view that presents the session, and exists as long as the view.
    public package(set) var inputContext: TextInputContext?
    /// The text input passed to delegates.
    package weak var textInput: (any TextInput)?
    /// The presenter of the session. The reference need not be weak: the presenter's view sets it to nil before the
    /// presenter is deallocated. An unowned reference is faster.
    package unowned(unsafe) var presenter: (any EditingPresenter)?
    /// The observers of the session's updates.
    let delivery = ViewDelivery()
    /// The input delegates, which are notified before and after changes that the input system did not make itself.
    var pairs = InputDelegatePairs()

    /// The version and the selection after a typed closing mark made a style; nil for none. Backspace then undoes
    /// that, unless there was another edit or the caret was moved.
    var typedStyle: (version: TextVersion, selection: Selection?)?

    /// Creates a session for a text, with the caret at the start.
    ///
    /// - Parameters:
    ///   - store: the store of the text. The session follows edits that others make to it.
    ///   - isCopy: whether the text is a copy of a document that is stored elsewhere. A copy cannot be edited.
    public init(_ store: TextStore, isCopy: Bool = false) {
        TextStyle.registerKeys()
        self.store = store
        state = EditorState(of: store, view: ViewID(), isCopy: isCopy)
        changes = TextChanges { store.text }
        store.addFollower(self)
        noteSelection()
    }

    // MARK: Reading

    /// The identity that distinguishes the session from others on the same text.
    public var id: ViewID { state.view }
    /// The range of the whole text, in UTF-16 units.
    public var textRange: Range<UTF16Offset> { store.text.utf16Range }
    /// The selected ranges; nil if nothing is selected and there is no caret. Change it by
    /// ``select(_:scrolling:)``.
    ///
    /// Without a selection, no text can be typed, and commands that start from the selection are refused. A click,
    /// ``select(_:scrolling:)`` and Select All create a selection; undo and redo do not.
    public var selection: Selection? { state.selection }
    /// The text being composed; nil if there is none.
    public var markedText: MarkedText? { state.markedText }
    /// The selected text; nil for a caret and in a secure view.
    public var selectedText: String? { state.selectedText }
    /// The attributes that text typed at the primary range would get.
    public var typingAttributes: TextAttributes { state.typingAttributes }

    // MARK: Settings

    /// The options: the edits that the user may make, the placeholder, and others.
    public var options: TextInputOptions {
        get { state.options }
        set { change(.options(newValue)) }
    }
    /// The rules for transactions of this session: those that apply the ``options``, and those that the program
    /// adds.
    public var filters: [TransactionFilter] {
        get { state.filters }
        set { change(.filters(newValue)) }
    }
    /// The line end that Return types: `"\n"`, `"\r\n"` or `"\r"`. The line ends of pasted text are converted to
    /// it.
    public var newline: String {
        get { state.newline }
        set { change(.newline(newValue)) }
    }
    /// The identity of the decoding that the text came from: see ``EditorState/decoding``.
    package var decoding: DocumentID? {
        get { state.decoding }
        set { if let newValue { change(.decoding(newValue)) } }
    }
    /// Whether typed text replaces as many characters after the caret, but none beyond the end of the paragraph. Pasted
    /// text does not.
    public var isOverwriting: Bool {
        get { state.isOverwriting }
        set { change(.overwriting(newValue)) }
    }

    // MARK: Transactions

    /// Applies the filters and the delegate to a transaction, and then makes the transaction as they have changed it.
    /// All edits of a session go through this method. Returns the applied transaction; nil if none was made, if it
    /// changes neither text nor attributes, or if it waits.
    ///
    /// An edit by the user does not wait: the composition ends, and the edit is made at once. An edit by the
    /// program waits until the composition ends, as that of ``replaceText(in:with:forcing:)`` does.
    @discardableResult
    public func dispatch(_ transaction: consuming Transaction?) -> AppliedTransaction? {
        guard var transaction = transaction else { return nil }
        switch prepare(&transaction, in: state) {
        case .accept: return make(transaction)
        case .refuse: return nil
        case .wait:
            guard transaction.origin.isUser else {
                put(off: DeferredEdit(transaction))
                return nil
            }
            endComposition()
            guard var late = store.current(transaction), case .accept = prepare(&late, in: state, hasWaited: true)
            else {
                return nil
            }
            return make(late)
        }
    }

    /// Makes a transaction as a whole, as ``dispatch(_:)`` does, or not at all if a filter or the delegate refuses
    /// a part of it, or if it would have to wait. Returns whether it was made.
    ///
    /// - Parameter isApproved: whether the delegate has already approved the transaction, by
    ///   ``approvesWhole(_:in:)``.
    package func dispatchWhole(_ transaction: consuming Transaction, isApproved: Bool = false) -> Bool {
        var transaction = transaction
        let verdict =
            isApproved ? state.prepare(&transaction, isWhole: true) : prepare(&transaction, in: state, isWhole: true)
        guard case .accept = verdict else { return false }
        make(transaction)
        return true
    }

    /// Returns whether ``dispatchWhole(_:isApproved:)`` would make a transaction in a given state, for example the
    /// state that the end of a composition will leave. Calls the delegate.
    package func approvesWhole(_ transaction: consuming Transaction, in state: EditorState) -> Bool {
        var transaction = transaction
        guard case .accept = prepare(&transaction, in: state, isWhole: true) else { return false }
        return true
    }

    /// Applies the filters and the delegate to a transaction.
    ///
    /// - Parameter state: a copy of the session's state. The delegate may edit and thereby change the session's
    ///   state, but the transaction refers to the copy.
    private func prepare(
        _ transaction: inout Transaction, in state: EditorState, hasWaited: Bool = false, isWhole: Bool = false
    ) -> FilterVerdict {
        guard let delegate else { return state.prepare(&transaction, hasWaited: hasWaited, isWhole: isWhole) }
        return state.prepare(&transaction, hasWaited: hasWaited, isWhole: isWhole) {
            delegate.session(self, shouldChangeTextIn: $0, replacementText: $1)
        }
    }

    /// Applies a transaction that all filters and the delegate have accepted.
    @discardableResult
    func make(_ transaction: Transaction) -> AppliedTransaction? { store.make(transaction) { adopt($0) } }

    /// Changes the state by one effect, such as new options or a deferred edit.
    package func change(_ effect: StateEffect) { adopt(state.changing(effect)) }

    /// Selects as an action of the user; nil removes the selection. Input delegates are notified. Offsets outside
    /// the text are clamped. A composition does not end.
    ///
    /// - Parameter scrolling: whether to scroll so that the moving end of the primary range is visible.
    public func select(_ new: Selection?, scrolling: Bool = true) { adopt(state.selecting(new, reveal: scrolling)) }

    // MARK: Commands

    /// Returns whether a command would have an effect now, according to the state, the undo
    /// history and the kill buffer. Pasting from a clipboard and scrolling need a presenter.
    public func canPerform(_ command: EditCommand) -> Bool {
        guard state.canPerform(command), presenter != nil || !command.needsPresenter else { return false }
        switch command {
        case .undo: return store.canUndo || markedText != nil
        case .redo: return store.canRedo
        case .yank: return !killBuffer.isEmpty
        default: return true
        }
    }

    /// Performs a command, whether or not ``canPerform(_:)`` is true for it. Returns whether the session can carry
    /// out the command; if so, true is returned even if the command has no effect. False for an unknown command,
    /// and without a presenter for pasting from a clipboard and for scrolling.
    ///
    /// The composition ends first, and its text is kept, unless the command may be performed during a composition.
    /// `deleteBackward` directly after typed marks became a style undoes that, and restores the marks.
    ///
    /// - Parameter geometry: returns the laid-out text. Called after the composition has ended.
    @discardableResult
    public func perform(_ command: EditCommand, in geometry: () -> TextGeometry) -> Bool {
        guard presenter != nil || !command.needsPresenter else { return false }
        if !command.keepsComposition { endComposition() }
        if command == .deleteBackward, let typedStyle, typedStyle == (store.version, selection),
            !state.typing.isEmpty
        {
            undo()
            return true
        }
        guard let outcome = state.outcome(of: command, in: geometry()) else { return false }
        if state.continuedKill != nil { change(.killing(nil)) }
        guard let transaction = outcome.transaction else {
            if let request = outcome.request { carryOut(request) }
            return true
        }
        guard !transaction.changes.isEmpty else {
            if let request = outcome.request { carryOut(request) }
            if transaction.selection != .mapped { store.breakUndoCoalescing() }
            let before = selection
            dispatch(transaction)
            if selection != before, selection?.isEmpty == false { presenter?.sessionDidSelectByCommand() }
            return true
        }
        // Copy to the clipboard only if a transaction was made: filters and the delegate may refuse to cut the
        // text.
        guard let made = dispatch(transaction) else { return true }
        if command == .insertNewline { dispatch(state.linkingAddress(beforeLineEndOf: made)) }
        guard let request = outcome.request else { return true }
        if case .keep(let killed, let side, let kill) = request {
            change(.killing(killBuffer.keep(killed, from: side, continuing: kill)))
        } else {
            carryOut(request)
        }
        return true
    }

    private func carryOut(_ request: EditRequest) {
        switch request {
        case .copy(let copied):
            presenter?.carryOut(request)
            killBuffer.keep(copied)
        case .keep: break
        case .paste(.killBuffer, let edit):
            dispatch(state.paste(state.answering(edit, with: killBuffer.contents)))
        case .paste(_, let edit):
            guard let presenter else { return }
            change(.deferring(edit))
            presenter.carryOut(request)
        case .scroll: presenter?.carryOut(request)
        case .undo: undo()
        case .redo: redo()
        }
    }

    // MARK: Undo

    /// Undoes the last step. A composition in progress ends first, with its text kept, and is then the last step.
    public func undo() {
        endComposition()
        dispatch(store.undoing(in: id))
    }

    /// Redoes the step undone last. A composition in progress ends first, with its text kept; then there is usually
    /// nothing to redo.
    public func redo() {
        endComposition()
        dispatch(store.redoing(in: id))
    }
}

extension EditCommand {
    /// Whether a presenter must carry out the command: it pastes from a clipboard, or scrolls.
    fileprivate var needsPresenter: Bool {
        switch self {
        case .paste, .pasteAsPlainText, .pasteSelection, .centerSelectionInVisibleArea, .scrollLineUp, .scrollLineDown,
            .scrollPageUp, .scrollPageDown, .scrollToBeginningOfDocument, .scrollToEndOfDocument:
            true
        default: false
        }
    }
}

// Following transactions, whichever session has made them.
extension EditingSession: TextStoreFollower {
    /// Adopts a transaction of this session that replaces no text: a selection, the beginning or end of a
    /// composition, or effects.
    func adopt(_ transaction: Transaction) {
        let before = transaction.effects.isEmpty ? nil : (options: options, isOverwriting: isOverwriting)
        defer {
            if let before {
                if options.isEditable != before.options.isEditable
                    || options.isSecureTextEntry != before.options.isSecureTextEntry
                {
                    inputOptionsDidChange()
                }
                effectsDidApply(transaction.effects, before.options, before.isOverwriting)
                if revealAgain(after: transaction) { report(.scrolling) }
            }
        }
        // Do not notify observers if neither the selection nor the typing styles are set, as at the beginning of a
        // composition before text is marked.
        if case .mapped = transaction.selection, transaction.typing == nil { return state.adopt(transaction) }
        let notifiesDelegates = !transaction.origin.isFromInputSystem && changesSelection(transaction)
        if notifiesDelegates { changeWillBegin(.selection) }
        let old = Places(state)
        state.adopt(transaction)
        if selection != old.selection { noteSelection() }
        let hasScrolled = presenter?.sessionDidAdopt(from: old, reveals: transaction.reveal) ?? false
        var update = turn(
            hasScrolled ? .scrolling : [], from: old, transaction.origin,
            isFromInputSystem: transaction.origin.isFromInputSystem)
        update.endsChange = notifiesDelegates
        deliver(update)
        presenter?.sessionDidAct()
    }

    private func changesSelection(_ transaction: Transaction) -> Bool {
        transaction.selection.resolved(after: transaction.changes.changeMap, from: selection) != selection
    }

    /// Applies the effects of a transaction to the store and the presenter, and notifies observers. `old` and
    /// `wasOverwriting` are the options and the overwriting mode before the transaction.
    private func effectsDidApply(_ effects: [any TransactionEffect], _ old: TextInputOptions, _ wasOverwriting: Bool) {
        for case let effect as StateEffect in effects {
            if case .options = effect { optionsDidChange(from: old) }
            guard case .overwriting(let new) = effect, new != wasOverwriting else { continue }
            store.breakUndoCoalescing()
            presenter?.sessionModeDidChange()
            report(.mode)
        }
    }

    /// If a transaction that reveals the caret also changes options, scrolls once more: the change of options lays
    /// out all lines again, and may have moved the caret. Returns whether anything has scrolled.
    private func revealAgain(after transaction: Transaction) -> Bool {
        guard transaction.reveal, let presenter else { return false }
        let setsOptions = transaction.effects.contains {
            if case .options? = $0 as? StateEffect { true } else { false }
        }
        return setsOptions && presenter.bringCaretIntoSight()
    }

    /// Notifies the input system that it must read the options again. Ends the composition if an input method may not
    /// be used any more. May call code of the program, which may edit the text.
    private func inputOptionsDidChange() {
        if !(inputContext?.acceptsInputMethod ?? (options.isEditable && !options.isSecureTextEntry)) {
            endComposition()
        }
        inputContext?.session?.clientTraitsDidChange()
        presenter?.sessionDidAct()
    }

    /// Applies changed options to the store and the presenter.
    private func optionsDidChange(from old: TextInputOptions) {
        // A store never ceases to be confidential, not even when the user makes the secret text visible.
        if options.isSecureTextEntry { store.isConfidential = true }
        presenter?.sessionOptionsDidChange(from: old)
        report(.geometry)
    }

    /// Records the selection in the store. The store restores it when an edit is undone that has no recorded
    /// selection of its own.
    private func noteSelection() { store.noteSelection(selection, of: id) }

    /// Notifies the input delegates, unless this session's input system makes the transaction itself.
    package func storeWillApply(by view: ViewID?, isInputSystem: Bool) {
        if view != id || !isInputSystem { changeWillBegin(.text) }
    }

    /// Ends the change that ``storeWillApply(by:isInputSystem:)`` has announced to the input delegates, if the
    /// transaction was refused or changed nothing.
    package func storeDidNotApply(by view: ViewID?, isInputSystem: Bool) {
        if view != id || !isInputSystem { changeDidEnd() }
    }

    /// Updates the state, and then the presenter.
    package func storeDidApply(_ applied: AppliedTransaction) {
        let isOwn = applied.view == id
        let old = Places(state)
        let effects = isOwn ? applied.transaction.effects : []
        let before = effects.isEmpty ? nil : (options: options, isOverwriting: isOverwriting)
        let composition = state.composition
        state.apply(applied)
        if let composition, composition.markedText != nil, state.composition == nil {
            addToUndoStep(of: applied, composition)
        }
        if isOwn || store.isLastSelected(id) { noteSelection() }
        var hasScrolled = presenter?.sessionDidApply(applied, from: old, isOwn: isOwn) ?? false
        if let before {
            effectsDidApply(effects, before.options, before.isOverwriting)
            if revealAgain(after: applied.transaction) { hasScrolled = true }
        }
        delivery.append(
            isTransaction: true,
            turn(
                hasScrolled ? [.text, .scrolling] : .text, from: old, applied.origin,
                isFromInputSystem: isOwn && applied.origin.isFromInputSystem))
    }

    /// Makes a composition a part of the undo step of a transaction that has ended the composition by deleting marked text.
    private func addToUndoStep(of applied: AppliedTransaction, _ composition: Composition) {
        if applied.view == id, case .set = applied.transaction.composition { return }
        guard let marked = composition.markedText?.range, applied.changes.changeMap.remains(of: marked).isEmpty
        else { return }
        switch applied.transaction.undo {
        case .history, .notRecorded: break
        case .step, .typing, .deleting, .group: store.addToNewestUndoStep(composition.undoGroup)
        }
    }

    /// Notifies observers of a transaction of the store. The observers may edit.
    package func storeDidDeliver(_ applied: AppliedTransaction) {
        deliverNext(applied)
        let isOwn = applied.view == id
        for case let effect as StateEffect in isOwn ? applied.transaction.effects : [] {
            if case .options = effect { inputOptionsDidChange() }
        }
        if isOwn { presenter?.sessionDidAct() }
        if !(isOwn && applied.origin.isFromInputSystem) { changeDidEnd() }
        // A transaction of another session, or one without a composition of its own, may have removed the marked
        // text.
        if !isOwn || applied.transaction.composition == .mapped { forgetLostComposition() }
    }

    /// Notifies observers of the next update that was not caused by a transaction of the store. The observers may edit.
    package func storeDidReachTurn() {
        if let update = deliverNext(nil), update.endsChange { changeDidEnd() }
    }

    /// Makes the next deferred edit by the program, if no text is marked any more. Returns whether there was one.
    package func storeDidBecomeIdle() -> Bool {
        guard let edit = state.nextDeferred else { return false }
        change(.releasing(edit.id))
        store.resume(at: edit.generation) { make(edit) }
        return true
    }

    /// Makes an edit by the program that has waited for the end of a composition.
    private func make(_ edit: DeferredEdit) {
        let waited = state.programEdit(edit)
        // A deferred edit may be too old to be mapped to the present text. Pass it on unchanged then: the store reports
        // the failure to the program.
        guard var transaction = store.current(waited) else { return _ = make(waited) }
        if case .accept = state.filter(&transaction, hasWaited: true) { making(edit) { make(transaction) } }
    }
}

// Observation of updates.
extension EditingSession {
    /// Calls `body` once for each later update of the session and its presenter, on the session's thread. Observers
    /// are called in the order in which they were added. Release the token to end the observation. The token may be
    /// released during a call; no further call follows.
    ///
    /// `body` may edit, select and scroll. Each such change is made at once and is an update of its own, of which
    /// observers are notified after this one. A chain of more than ``TextStore/roundLimit`` such changes is cut. `body`
    /// need not retain the session, and should refer to the owner of the token as `unowned`.
    ///
    ///     observation = session.observe { [unowned self] update in
    ///         if update.textChange != nil { textDidChange() }
    ///     }
    public func observe(_ body: @escaping (ViewUpdate) -> Void) -> TextObservation { delivery.observe(body) }

    /// Notifies observers of an update without a transaction, such as scrolling, or a change of options, style or
    /// focus.
    package func report(_ changes: ViewUpdate.Changes) {
        deliver(turn(changes, from: Places(state), nil, isFromInputSystem: false))
    }

    /// Creates an update in which text, selection or composition may have changed.
    private func turn(
        _ changes: ViewUpdate.Changes, from old: Places, _ origin: Origin?, isFromInputSystem: Bool
    ) -> ViewUpdate {
        var update = ViewUpdate(
            changes: changes, selectionBefore: old.selection, selection: selection, markedTextBefore: old.markedText,
            markedText: markedText, origin: origin, isFromInputSystem: isFromInputSystem)
        if old.selection != selection { update.changes.insert(.selection) }
        if old.markedText != markedText { update.changes.insert(.markedText) }
        return update
    }

    private func deliver(_ update: ViewUpdate) {
        if !update.changes.isEmpty {
            delivery.append(isTransaction: false, update)
            if store.deliverTurn(of: self) { return }
            delivery.removeLast()
        }
        if update.endsChange { changeDidEnd() }
    }

    @discardableResult
    private func deliverNext(_ applied: AppliedTransaction?) -> ViewUpdate? {
        delivery.deliver(isTransaction: applied != nil) { update in
            update.applied = applied
            guard applied != nil || update.changes.contains(.markedText) else { return }
            update.textChange = changes.textDidChange(
                applied?.changes, to: applied?.text ?? store.text, isComposing: update.markedText != nil)
        }
    }
}
