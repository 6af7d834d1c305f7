public import InkstoneBase
public import InkstoneInput
public import InkstoneLayout
public import InkstoneText

/// A user at work on a text: the ``state``, the `TextStore`, and the one way from transactions of the one to the other, ``dispatch(_:)``.
///
/// Whoever edits for the user talks to it: keys, commands, input methods, keyboards in other processes, writing tools. It needs no view
/// and no display; a view presents it. Several sessions may share a store: each has a state of its own, and hears of what the others do.
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
    /// The state that all editing is a function of. Changes by ``dispatch(_:)``.
    public private(set) var state: EditorState
    /// The changes of finished text for those who read them at a pace of their own: ``ViewUpdate/textChange`` of each turn, in order.
    public let changes: TextChanges
    /// The delegate, which may refuse edits by the user.
    public weak var delegate: (any EditingSessionDelegate)?
    /// The text that was cut off or copied last, to be yanked. Each session has one of its own unless it is given another.
    public var killBuffer = KillBuffer()
    /// The input context of what is typed into; nil without one. A composition that ends from this side is ended through it, so that the
    /// input method forgets it. Belongs to the view that presents the session, which makes it and takes it along when it goes.
    public package(set) var inputContext: TextInputContext?
    /// The text input that delegates are told about.
    package weak var textInput: (any TextInput)?
    /// Shows the session. It takes itself off when it goes; so reading it costs nothing.
    package unowned(unsafe) var presenter: (any EditingPresenter)?
    /// Observers of the turns.
    let delivery = ViewDelivery()
    /// Told before and after changes that the input system did not make itself.
    var pairs = InputDelegatePairs()

    /// A session on a text, with the caret at its start.
    ///
    /// - Parameters:
    ///   - store: the text; edits that others make to it are taken in.
    ///   - isCopy: whether the text is a copy of a document that somebody else keeps: nobody may edit it here.
    public init(_ store: TextStore, isCopy: Bool = false) {
        TextStyle.registerKeys()
        self.store = store
        state = EditorState(of: store, view: ViewID(), isCopy: isCopy)
        changes = TextChanges { store.text }
        store.addFollower(self)
        noteSelection()
    }

    // MARK: Reading

    /// Tells it from other sessions on the same text.
    public var id: ViewID { state.view }
    /// All offsets of the text.
    public var textRange: Range<UTF16Offset> { store.text.utf16Range }
    /// The selected ranges; nil if nothing is selected and there is no caret. Changes through ``select(_:scrolling:)``.
    ///
    /// Without a selection nothing can be typed, and commands that start from one are refused; a click, ``select(_:scrolling:)``
    /// and selecting all make one again; undo and redo do not.
    public var selection: Selection? { state.selection }
    /// The text that is being composed; nil if there is none.
    public var markedText: MarkedText? { state.markedText }
    /// The text that is selected, for the clipboard and others; nil for a caret and in a secure view.
    public var selectedText: String? { state.selectedText }
    /// The attributes of text that is typed next at the primary range of the selection.
    public var typingAttributes: TextAttributes { state.typingAttributes }

    // MARK: Settings

    /// The options: permitted edits, and the look of an empty view.
    public var options: TextInputOptions {
        get { state.options }
        set { change(.options(newValue)) }
    }
    /// The rules for what is done to the text here: those that the ``options`` say, and what a program adds.
    public var filters: [TransactionFilter] {
        get { state.filters }
        set { change(.filters(newValue)) }
    }
    /// The line end that Return types and pasted text gets: `"\n"`, `"\r\n"` or `"\r"`.
    public var newline: String {
        get { state.newline }
        set { change(.newline(newValue)) }
    }
    /// Whether what is typed replaces what stands behind the caret, as far as its paragraph goes. What is pasted does not.
    public var isOverwriting: Bool {
        get { state.isOverwriting }
        set { change(.overwriting(newValue)) }
    }

    // MARK: Transactions

    /// Sends a transaction through the filters and the delegate, and makes what is left of it: the one way from here into the store.
    /// Returns what was made; nil for nothing, where no text is replaced, and for what waits.
    ///
    /// An edit that has to wait ends the composition if the user makes it. One by the program waits until the composition ends, as that of
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

    /// Makes a transaction whole, as ``dispatch(_:)`` does, or nothing of it: where a filter or the delegate refuses a part of it. Returns whether it
    /// was made.
    ///
    /// - Parameter isApproved: whether the delegate has been asked, by ``approvesWhole(_:in:)``.
    package func dispatchWhole(_ transaction: consuming Transaction, isApproved: Bool = false) -> Bool {
        var transaction = transaction
        let verdict =
            isApproved ? state.prepare(&transaction, isWhole: true) : prepare(&transaction, in: state, isWhole: true)
        guard case .accept = verdict else { return false }
        make(transaction)
        return true
    }

    /// Whether ``dispatchWhole(_:isApproved:)`` would make a transaction on a state that is still to come, as when a composition has ended. Asks
    /// the delegate.
    package func approvesWhole(_ transaction: consuming Transaction, in state: EditorState) -> Bool {
        var transaction = transaction
        guard case .accept = prepare(&transaction, in: state, isWhole: true) else { return false }
        return true
    }

    /// - Parameter state: a copy, because the delegate may edit: what it is asked about is of that.
    private func prepare(
        _ transaction: inout Transaction, in state: EditorState, hasWaited: Bool = false, isWhole: Bool = false
    ) -> FilterVerdict {
        guard let delegate else { return state.prepare(&transaction, hasWaited: hasWaited, isWhole: isWhole) }
        return state.prepare(&transaction, hasWaited: hasWaited, isWhole: isWhole) {
            delegate.session(self, shouldChangeTextIn: $0, replacementText: $1)
        }
    }

    /// Makes what has passed all filters.
    @discardableResult
    func make(_ transaction: Transaction) -> AppliedTransaction? { store.make(transaction) { adopt($0) } }

    /// Changes the state by nothing but effects.
    package func change(_ effect: StateEffect) { adopt(state.changing(effect)) }

    /// Moves the user to a place, or with nil to none; input delegates are told. Ends outside the text are clamped.
    ///
    /// - Parameter scrolling: whether the primary range's moving end is brought into sight.
    public func select(_ new: Selection?, scrolling: Bool = true) { adopt(state.selecting(new, reveal: scrolling)) }

    // MARK: Commands

    /// Whether a command would do anything now: what ``EditorState/canPerform(_:)`` says, and no undoing where there is nothing to undo.
    /// Pasting from a clipboard and scrolling need a view.
    public func canPerform(_ command: EditCommand) -> Bool {
        guard state.canPerform(command), presenter != nil || !command.needsPresenter else { return false }
        switch command {
        case .undo: return store.canUndo || markedText != nil
        case .redo: return store.canRedo
        case .yank: return !killBuffer.isEmpty
        default: return true
        }
    }

    /// Does what a command names, whether or not it ``canPerform(_:)``. Returns whether it is one of the text's, and nobody is missing to
    /// carry it out: without a view nothing is pasted from a clipboard and nothing scrolls.
    ///
    /// A composition ends first, with its text kept, unless the command changes nothing.
    ///
    /// - Parameter geometry: the text as it is laid out, which is asked for once the composition has ended.
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
        // What filters and the delegate leave in the text is not cut: until they are asked, the clipboard stays as it is.
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

    /// Takes the last step back; a composition that is going on ends first, with its text kept, and is that step.
    public func undo() {
        endComposition()
        dispatch(store.undoing(in: id))
    }

    /// Does again what was taken back.
    public func redo() {
        endComposition()
        dispatch(store.redoing(in: id))
    }
}

extension EditCommand {
    /// Whether a presenter carries it out: it takes from a clipboard, or moves the part of the text in sight.
    fileprivate var needsPresenter: Bool {
        switch self {
        case .paste, .pasteAsPlainText, .pasteSelection, .centerSelectionInVisibleArea, .scrollLineUp, .scrollLineDown,
            .scrollPageUp, .scrollPageDown, .scrollToBeginningOfDocument, .scrollToEndOfDocument:
            true
        default: false
        }
    }
}

// What follows from each transaction, whoever made it.
extension EditingSession: TextStoreFollower {
    /// Takes in a transaction of this session that replaces no text: another selection, the start or the end of a composition, effects.
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
        // Nobody hears of a composition that has marked nothing yet.
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

    /// Brings the caret into sight that a transaction reveals and its options have moved: they lay all lines out anew. Returns whether
    /// anything has scrolled.
    private func revealAgain(after transaction: Transaction) -> Bool {
        guard transaction.reveal, let presenter else { return false }
        let setsOptions = transaction.effects.contains {
            if case .options? = $0 as? StateEffect { true } else { false }
        }
        return setsOptions && presenter.bringCaretIntoSight()
    }

    /// Has the input system follow the options. Others may be called, and the text edited.
    private func inputOptionsDidChange() {
        if !(inputContext?.acceptsInputMethod ?? (options.isEditable && !options.isSecureTextEntry)) {
            endComposition()
        }
        inputContext?.session?.clientTraitsDidChange()
        presenter?.sessionDidAct()
    }

    /// Has store and presenter follow the options.
    private func optionsDidChange(from old: TextInputOptions) {
        // Also when the text is shown later on: it is a secret all the same.
        if options.isSecureTextEntry { store.isConfidential = true }
        presenter?.sessionOptionsDidChange(from: old)
        report(.geometry)
    }

    /// Says to the store where the user is: to be selected again when what others do is taken back.
    private func noteSelection() { store.noteSelection(selection, of: id) }

    /// Tells the input system, unless it makes the transaction itself, here.
    package func storeWillApply(by view: ViewID?, isInputSystem: Bool) {
        if view != id || !isInputSystem { changeWillBegin(.text) }
    }

    /// Nothing was changed.
    package func storeDidNotApply(by view: ViewID?, isInputSystem: Bool) {
        if view != id || !isInputSystem { changeDidEnd() }
    }

    /// In order: state, and what the presenter shows of it.
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

    /// Others hear of the transaction, and may edit.
    package func storeDidDeliver(_ applied: AppliedTransaction) {
        deliverNext(applied)
        let isOwn = applied.view == id
        for case let effect as StateEffect in isOwn ? applied.transaction.effects : [] {
            if case .options = effect { inputOptionsDidChange() }
        }
        if isOwn { presenter?.sessionDidAct() }
        if !(isOwn && applied.origin.isFromInputSystem) { changeDidEnd() }
        // A composition that others took away.
        if !isOwn || applied.transaction.composition == .mapped { forgetLostComposition() }
    }

    /// Others hear of a turn of this session alone, and may edit.
    package func storeDidReachTurn() {
        if let update = deliverNext(nil), update.endsChange { changeDidEnd() }
    }

    /// Once nothing is marked the program's waiting edits are made, in order.
    package func storeDidSettle() -> Bool {
        guard let edit = state.nextDeferred else { return false }
        change(.releasing(edit.id))
        store.resume(at: edit.generation) { make(edit) }
        return true
    }

    /// Makes an edit whose turn has come.
    private func make(_ edit: DeferredEdit) {
        let waited = state.programEdit(edit)
        // Too old to be moved along: the store says so to the program.
        guard var transaction = store.current(waited) else { return _ = make(waited) }
        if case .accept = state.filter(&transaction, hasWaited: true) { make(transaction) }
    }
}

// Observers.
extension EditingSession {
    /// Calls `body` once for each turn of the session, and of what presents it, from the next one on, on its thread, in the order in which
    /// observers registered. Drop the token to end; it may be dropped within a call, and nothing more is heard then.
    ///
    /// `body` may edit, select and scroll. That happens at once, and is a turn of its own, which all hear of after this one; a chain of more
    /// than ``TextStore/roundLimit`` such answers is cut. The session is held by nobody: `body` should refer to what owns the token
    /// `unowned`.
    ///
    ///     observation = session.observe { [unowned self] update in
    ///         if update.textChange != nil { textDidChange() }
    ///     }
    public func observe(_ body: @escaping (ViewUpdate) -> Void) -> TextObservation { delivery.observe(body) }

    /// A turn without a transaction is over: the presenter has moved, or has another look or the focus.
    package func report(_ changes: ViewUpdate.Changes) {
        deliver(turn(changes, from: Places(state), nil, isFromInputSystem: false))
    }

    /// A turn in which text, selection or composition may be others than before.
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
