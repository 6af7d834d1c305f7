public import InkstoneBase
public import InkstoneInput
public import InkstoneLayout
public import InkstoneText

/// A user's editing of a text: the ``state``, the `TextStore`, and ``dispatch(_:)``, the only path of transactions from the state to the store.
///
/// All editing for the user goes through a session: keys, commands, input methods, keyboards in other processes, writing tools. It needs no view
/// and no display; a view presents it. Several sessions may share a store: each has a state of its own, and follows the changes of the others.
///
/// ```swift
/// let session = EditingSession(TextStore("ab"))
/// let observation = session.observe { update in print(update.changes) }
/// session.insert("c")
/// session.undo()
/// ```
///
/// Offsets are UTF-16 code units unless a type says otherwise. Bound to one thread, like its store.
public final class EditingSession {
    /// The text, its versions and its undo history.
    public let store: TextStore
    /// The state, of which all editing is a function. Changes by ``dispatch(_:)``.
    public private(set) var state: EditorState
    /// The changes of finished text for readers with a pace of their own: ``ViewUpdate/textChange`` of each turn, in order.
    public let changes: TextChanges
    /// The delegate, which may refuse edits by the user.
    public weak var delegate: (any EditingSessionDelegate)?
    /// The text killed or copied last, for yanking. Each session has a buffer of its own unless another is set.
    public var killBuffer = KillBuffer()
    /// The input context of the text; nil without one. A composition ended from the view's side is ended through it, so that the input method
    /// discards it. Belongs to the view that presents the session: it exists as long as the view does.
    public package(set) var inputContext: TextInputContext?
    /// The text input passed to delegates.
    package weak var textInput: (any TextInput)?
    /// The presenter of the session. It sets this to nil before it goes; an unowned reference makes reading cheap.
    package unowned(unsafe) var presenter: (any EditingPresenter)?
    /// Observers of the turns.
    let delivery = ViewDelivery()
    /// Notified before and after changes that the input system did not make itself.
    var pairs = InputDelegatePairs()

    /// Creates a session on a text, with the caret at its start.
    ///
    /// - Parameters:
    ///   - store: the text; the session follows edits that others make to it.
    ///   - isCopy: whether the text is a copy of a document kept elsewhere: it may not be edited here.
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
    /// The range of the whole text.
    public var textRange: Range<UTF16Offset> { store.text.utf16Range }
    /// The selected ranges; nil if nothing is selected and there is no caret. Changes through ``select(_:scrolling:)``.
    ///
    /// Without a selection nothing can be typed, and commands that start from one are refused; a click, ``select(_:scrolling:)``
    /// and selecting all make one again; undo and redo do not.
    public var selection: Selection? { state.selection }
    /// The text being composed; nil if there is none.
    public var markedText: MarkedText? { state.markedText }
    /// The selected text, for the clipboard and others; nil for a caret and in a secure view.
    public var selectedText: String? { state.selectedText }
    /// The attributes of text typed next at the primary range of the selection.
    public var typingAttributes: TextAttributes { state.typingAttributes }

    // MARK: Settings

    /// The options: permitted edits, and the style of an empty view.
    public var options: TextInputOptions {
        get { state.options }
        set { change(.options(newValue)) }
    }
    /// The rules for edits here: those of the ``options``, and those that a program adds.
    public var filters: [TransactionFilter] {
        get { state.filters }
        set { change(.filters(newValue)) }
    }
    /// The line end that Return types, and to which those of pasted text are converted: `"\n"`, `"\r\n"` or `"\r"`.
    public var newline: String {
        get { state.newline }
        set { change(.newline(newValue)) }
    }
    /// Whether typed text replaces the text behind the caret, up to the end of its paragraph. Pasted text does not.
    public var isOverwriting: Bool {
        get { state.isOverwriting }
        set { change(.overwriting(newValue)) }
    }

    // MARK: Transactions

    /// Applies the filters and the delegate to a transaction, and makes the result: the only path from the session into the store. Returns the
    /// applied transaction; nil if none was made, if no text is replaced, and if the edit waits.
    ///
    /// An edit by the user that has to wait ends the composition. One by the program waits until the composition ends, as that of
    /// ``replaceText(in:with:forcing:)`` does.
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

    /// Makes a transaction completely, as ``dispatch(_:)`` does, or not at all if a filter or the delegate refuses a part of it. Returns whether it
    /// was made.
    ///
    /// - Parameter isApproved: whether the delegate has approved it, by ``approvesWhole(_:in:)``.
    package func dispatchWhole(_ transaction: consuming Transaction, isApproved: Bool = false) -> Bool {
        var transaction = transaction
        let verdict =
            isApproved ? state.prepare(&transaction, isWhole: true) : prepare(&transaction, in: state, isWhole: true)
        guard case .accept = verdict else { return false }
        make(transaction)
        return true
    }

    /// Whether ``dispatchWhole(_:isApproved:)`` would make a transaction on a future state, such as that after the end of a composition. Calls the
    /// delegate.
    package func approvesWhole(_ transaction: consuming Transaction, in state: EditorState) -> Bool {
        var transaction = transaction
        guard case .accept = prepare(&transaction, in: state, isWhole: true) else { return false }
        return true
    }

    /// - Parameter state: a copy, because the delegate may edit, and its calls refer to the copy.
    private func prepare(
        _ transaction: inout Transaction, in state: EditorState, hasWaited: Bool = false, isWhole: Bool = false
    ) -> FilterVerdict {
        guard let delegate else { return state.prepare(&transaction, hasWaited: hasWaited, isWhole: isWhole) }
        return state.prepare(&transaction, hasWaited: hasWaited, isWhole: isWhole) {
            delegate.session(self, shouldChangeTextIn: $0, replacementText: $1)
        }
    }

    /// Makes a transaction that has passed all filters.
    @discardableResult
    func make(_ transaction: Transaction) -> AppliedTransaction? { store.make(transaction) { adopt($0) } }

    /// Changes the state by an effect alone.
    package func change(_ effect: StateEffect) { adopt(state.changing(effect)) }

    /// Selects as an action of the user, or with nil removes the selection; input delegates are notified. Ends outside the text are clamped.
    ///
    /// - Parameter scrolling: whether to scroll the primary range's moving end into sight.
    public func select(_ new: Selection?, scrolling: Bool = true) { adopt(state.selecting(new, reveal: scrolling)) }

    // MARK: Commands

    /// Whether a command would do anything now, by ``EditorState/canPerform(_:)`` and the undo history. Pasting from a clipboard and scrolling need
    /// a view.
    public func canPerform(_ command: EditCommand) -> Bool {
        guard state.canPerform(command), presenter != nil || !command.needsPresenter else { return false }
        switch command {
        case .undo: return store.canUndo || markedText != nil
        case .redo: return store.canRedo
        case .yank: return !killBuffer.isEmpty
        default: return true
        }
    }

    /// Performs a command, whether or not it ``canPerform(_:)``. Returns whether it is a command of the text that can be carried out: without a
    /// view, pasting from a clipboard and scrolling cannot.
    ///
    /// A composition ends first, with its text kept, unless the command changes nothing.
    ///
    /// - Parameter geometry: returns the laid-out text; called after the composition has ended.
    @discardableResult
    public func perform(_ command: EditCommand, in geometry: () -> TextGeometry) -> Bool {
        guard presenter != nil || !command.needsPresenter else { return false }
        if !command.keepsComposition { endComposition() }
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
        // Text that filters and the delegate keep is not cut, so the clipboard must not change before they are applied.
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

    /// Undoes the last step; a composition in progress ends first, with its text kept, and is that step.
    public func undo() {
        endComposition()
        dispatch(store.undoing(in: id))
    }

    /// Redoes the step undone last.
    public func redo() {
        endComposition()
        dispatch(store.redoing(in: id))
    }
}

extension EditCommand {
    /// Whether a presenter carries out the command: it pastes from a clipboard, or scrolls.
    fileprivate var needsPresenter: Bool {
        switch self {
        case .paste, .pasteAsPlainText, .pasteSelection, .centerSelectionInVisibleArea, .scrollLineUp, .scrollLineDown,
            .scrollPageUp, .scrollPageDown, .scrollToBeginningOfDocument, .scrollToEndOfDocument:
            true
        default: false
        }
    }
}

// Consequences of each transaction, whichever session made it.
extension EditingSession: TextStoreFollower {
    /// Adopts a transaction of this session that replaces no text: another selection, the start or the end of a composition, effects.
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
        // Observers are not notified of a composition that has marked nothing yet.
        if case .mapped = transaction.selection, transaction.typing == nil { return state.adopt(transaction) }
        let isTold = !transaction.origin.isFromInputSystem && changesSelection(transaction)
        if isTold { changeWillBegin(.selection) }
        let old = Places(state)
        state.adopt(transaction)
        if selection != old.selection { noteSelection() }
        let hasScrolled = presenter?.sessionDidAdopt(from: old, reveals: transaction.reveal) ?? false
        var update = turn(
            hasScrolled ? .scrolling : [], from: old, transaction.origin,
            isFromInputSystem: transaction.origin.isFromInputSystem)
        update.endsChange = isTold
        deliver(update)
        presenter?.sessionDidAct()
    }

    private func changesSelection(_ transaction: Transaction) -> Bool {
        transaction.selection.resolved(after: transaction.changes.changeMap, from: selection) != selection
    }

    /// Follows the effects of a transaction, given the options and the mode before it.
    private func effectsDidApply(_ effects: [any TransactionEffect], _ old: TextInputOptions, _ wasOverwriting: Bool) {
        for case let effect as StateEffect in effects {
            if case .options = effect { optionsDidChange(from: old) }
            guard case .overwriting(let new) = effect, new != wasOverwriting else { continue }
            store.breakUndoCoalescing()
            presenter?.sessionModeDidChange()
            report(.mode)
        }
    }

    /// Scrolls the caret of a revealing transaction into sight if its options have moved the caret by laying out all lines again. Returns whether
    /// anything has scrolled.
    private func revealAgain(after transaction: Transaction) -> Bool {
        guard transaction.reveal, let presenter else { return false }
        let setsOptions = transaction.effects.contains {
            if case .options? = $0 as? StateEffect { true } else { false }
        }
        return setsOptions && presenter.bringCaretIntoSight()
    }

    /// Notifies the input system of changed options. May call code outside, which may edit the text.
    private func inputOptionsDidChange() {
        if !(inputContext?.acceptsInputMethod ?? (options.isEditable && !options.isSecureTextEntry)) {
            endComposition()
        }
        inputContext?.session?.clientTraitsDidChange()
        presenter?.sessionDidAct()
    }

    /// Applies changed options to store and presenter.
    private func optionsDidChange(from old: TextInputOptions) {
        // Set also for a later display of the text: it remains secret.
        if options.isSecureTextEntry { store.isConfidential = true }
        presenter?.sessionOptionsDidChange(from: old)
        report(.geometry)
    }

    /// Notes the selection in the store, which restores it when edits of others are undone.
    private func noteSelection() { store.noteSelection(selection, of: id) }

    /// Notifies the input system, unless it makes the transaction itself in this session.
    package func storeWillApply(by view: ViewID?, isInputSystem: Bool) {
        if view != id || !isInputSystem { changeWillBegin(.text) }
    }

    /// Balances `storeWillApply` for a transaction that changed nothing.
    package func storeDidNotApply(by view: ViewID?, isInputSystem: Bool) {
        if view != id || !isInputSystem { changeDidEnd() }
    }

    /// Updates the state, and then the presenter.
    package func storeDidApply(_ applied: AppliedTransaction) {
        let isOwn = applied.view == id
        let old = Places(state)
        let effects = isOwn ? applied.transaction.effects : []
        let before = effects.isEmpty ? nil : (options: options, isOverwriting: isOverwriting)
        state.apply(applied)
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

    /// Notifies observers of the transaction; they may edit.
    package func storeDidDeliver(_ applied: AppliedTransaction) {
        deliverNext(applied)
        let isOwn = applied.view == id
        for case let effect as StateEffect in isOwn ? applied.transaction.effects : [] {
            if case .options = effect { inputOptionsDidChange() }
        }
        if isOwn { presenter?.sessionDidAct() }
        if !(isOwn && applied.origin.isFromInputSystem) { changeDidEnd() }
        // Another transaction may have removed the composition.
        if !isOwn || applied.transaction.composition == .mapped { forgetLostComposition() }
    }

    /// Notifies observers of a turn of this session alone; they may edit.
    package func storeDidReachTurn() {
        if let update = deliverNext(nil), update.endsChange { changeDidEnd() }
    }

    /// Makes the next waiting edit by the program once no text is marked. Returns whether there was one.
    package func storeDidSettle() -> Bool {
        guard let edit = state.nextDeferred else { return false }
        change(.releasing(edit.id))
        store.resume(at: edit.generation) { make(edit) }
        return true
    }

    /// Makes a deferred edit whose turn has come.
    private func make(_ edit: DeferredEdit) {
        let waited = state.programEdit(edit)
        // The edit is too old to be moved along: the store reports that to the program.
        guard var transaction = store.current(waited) else { return _ = make(waited) }
        if case .accept = state.filter(&transaction, hasWaited: true) { making(edit) { make(transaction) } }
    }
}

// Observation of turns.
extension EditingSession {
    /// Calls `body` once for each later turn of the session and of its presenter, on its thread, in the order in which observers registered. Drop
    /// the token to end; it may be dropped within a call, and no further call follows.
    ///
    /// `body` may edit, select and scroll. Each such change is made at once, as a turn of its own, which observers are notified of after this one;
    /// a chain of more than ``TextStore/roundLimit`` such changes is cut. No observer retains the session: `body` should refer to the owner of the
    /// token as `unowned`.
    ///
    ///     observation = session.observe { [unowned self] update in
    ///         if update.textChange != nil { textDidChange() }
    ///     }
    public func observe(_ body: @escaping (ViewUpdate) -> Void) -> TextObservation { delivery.observe(body) }

    /// Reports a turn without a transaction: the presenter has moved, or has another style or the focus.
    package func report(_ changes: ViewUpdate.Changes) {
        deliver(turn(changes, from: Places(state), nil, isFromInputSystem: false))
    }

    /// Creates a turn in which text, selection or composition may have changed.
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
