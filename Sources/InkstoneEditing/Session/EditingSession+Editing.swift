public import InkstoneBase
public import InkstoneInput
public import InkstoneText

/// Typing, composing, pasting, and edits by the program.
extension EditingSession {
    // MARK: Input

    /// Inserts typed text, or the final text of an input method; see ``EditorState/InsertionTarget``. A composition that the text does not belong
    /// to ends first, with its text kept.
    public func insert(_ text: String, over target: EditorState.InsertionTarget = .selection) {
        // Fast path: without a composition, a key is one dispatch.
        let target = markedText == nil ? target : endComposition(before: target, by: typingOwner)
        let made = dispatch(state.inserting(text, over: target))
        if text == " ", made != nil { dispatch(state.makingTypedList() ?? state.linkingAddressBeforeSpace()) }
        if case .selection = target { forgetLostComposition() }
    }

    /// Marks text in place of the target, and selects a part of it, counted from its start.
    public func mark(_ text: InputText, over target: EditorState.InsertionTarget = .composed, selected: UTF16Range) {
        let target = endComposition(before: target, by: inputContext?.owner ?? .inputMethod)
        dispatch(state.marking(text, over: target, selected: selected))
        forgetLostComposition()
    }

    /// Ends a composition that a text does not belong to, with its text kept. Returns the target of the text after that.
    ///
    /// - Parameter owner: the owner that inserts or marks the text; nil for the owner of the composition.
    private func endComposition(
        before target: EditorState.InsertionTarget, by owner: CompositionOwner? = nil
    ) -> EditorState.InsertionTarget {
        dispatch(state.ending(before: target, by: owner)).map { target.mapped(through: $0.changes.changeMap) } ?? target
    }

    /// The input method while a keyboard in another process composes, whose text no other owner may replace; nil for the owner of the composition.
    private var typingOwner: CompositionOwner? {
        guard case .proxy? = state.composition?.owner else { return nil }
        return inputContext?.owner ?? .inputMethod
    }

    /// Ends the composition and keeps its text. ``endComposition()`` has the input method discard it as well.
    public func unmark() { dispatch(state.ending(.keeping)) }

    /// Begins a composition: the following edits are one undo step, until it ends. Further calls have no effect.
    public func compositionDidBegin() {
        dispatch(state.beginningComposition(by: inputContext?.owner ?? .inputMethod))
    }

    /// Ends a composition's undo step: the following edits belong to another one.
    public func compositionDidEnd() { dispatch(state.endingComposition()) }

    /// Deletes the selection, or the text typed last before the caret: ``EditorState/deletingBackward()``.
    public func deleteBackward() {
        if markedText != nil, typingOwner != nil { endComposition() }
        dispatch(state.deletingBackward())
        forgetLostComposition()
    }

    /// Ends a composition from the view's side: the text stays, and the input method has to discard it.
    public func endComposition() {
        guard markedText != nil else { return }
        let group = state.composition?.undoGroup
        inputContext?.discardMarkedText()
        // Without an input context, or with one whose client is gone, end the composition here, unless another one has begun.
        if markedText != nil, state.composition?.undoGroup == group { dispatch(state.ending(.keeping)) }
    }

    /// Has the input method discard a composition that is no longer marked.
    func forgetLostComposition() {
        if markedText == nil, let inputContext, inputContext.hasShownText { inputContext.discardMarkedText() }
    }

    // MARK: Clipboard

    /// Pastes text from outside over the selection, as one undo step. Its line ends become those of the text. A composition ends first, with its
    /// text kept.
    public func paste(_ copied: CopiedText) {
        endComposition()
        dispatch(state.pasting(copied))
    }

    /// Pastes text without attributes over the selection.
    public func paste(_ text: String) { paste(CopiedText(text)) }

    /// Reserves the position of a requested text: a range, in UTF-16 units of the present text, or with nil the selection.
    /// ``paste(_:for:)-(CopiedText,_)`` pastes the text there, ``cancelPaste(_:)`` releases the position.
    ///
    /// Text typed meanwhile, even in place of the selection, stays behind the pasted text.
    public func deferPaste(over range: Range<UTF16Offset>? = nil) -> DeferredEdit.ID {
        let edit =
            range.map { DeferredEdit(replacing: [$0.clamped(into: textRange)], with: nil, origin: .paste) }
            ?? state.pasteToCome()
        change(.deferring(edit))
        return edit.id
    }

    /// Pastes a text at its reserved position; the user's selection keeps its text, and a caret at the position goes behind it. A composition ends
    /// first, with its text kept.
    public func paste(_ copied: CopiedText, for paste: DeferredEdit.ID) {
        endComposition()
        guard let edit = release(paste) else { return }
        dispatch(state.paste(state.answering(edit, with: copied)))
    }

    /// Pastes text without attributes at its reserved position.
    public func paste(_ text: String, for paste: DeferredEdit.ID) { self.paste(CopiedText(text), for: paste) }

    /// Whether a text is pending for which ``deferPaste(over:)`` has reserved a position, or which the user has pasted.
    public var awaitsText: Bool { state.awaitsText }

    /// Releases the position of a requested text that does not arrive.
    public func cancelPaste(_ paste: DeferredEdit.ID) { change(.releasing(paste)) }

    /// Removes a deferred edit and returns it; nil if there is none.
    private func release(_ id: DeferredEdit.ID) -> DeferredEdit? {
        guard let edit = state.deferredEdit(id) else { return nil }
        change(.releasing(id))
        return edit
    }

    // MARK: Dragging

    /// Begins to drag the selected text; nil without selected text and in a secure view. Ends with ``endDragging(_:deleting:)``.
    public func beginDragging() -> (dragged: DeferredEdit.ID, copied: CopiedText)? {
        endComposition()
        guard let copied = state.selectedCopy, let dragged = state.draggedText() else { return nil }
        change(.deferring(dragged))
        store.dragGroup = UndoGroupID()
        return (dragged.id, copied)
    }

    /// Ends a drag. Text moved out of the view is deleted; text moved within the view has been deleted already.
    public func endDragging(_ dragged: DeferredEdit.ID, deleting: Bool) {
        guard let edit = release(dragged) else { return }
        defer { store.dragGroup = nil }
        guard deleting, options.isEditable else { return }
        endComposition()
        dispatch(joiningDrag(state.removing(edit)))
    }

    /// Adds a transaction to the undo group of the drag that has begun in a view of this text.
    private func joiningDrag(_ transaction: consuming Transaction?) -> Transaction? {
        if let group = store.dragGroup { transaction?.undo = .group(group) }
        return transaction
    }

    /// Reserves the position of a drop whose text is pending. ``drop(_:for:)`` inserts the text there, ``cancelPaste(_:)`` releases the position.
    public func deferDrop(at offset: UTF16Offset) -> DeferredEdit.ID {
        endComposition()
        let edit = state.dropToCome(at: offset)
        change(.deferring(edit))
        return edit.id
    }

    /// Inserts dropped text, as one undo step, and selects it. Returns whether any was inserted: a filter or the delegate may have removed parts.
    @discardableResult
    public func drop(_ copied: CopiedText, for drop: DeferredEdit.ID) -> Bool { take(copied, for: drop) != .nothing }

    /// Inserts dropped text, as ``drop(_:for:)`` does. Returns how much of it was inserted.
    package func take(_ copied: CopiedText, for drop: DeferredEdit.ID) -> DropResult {
        endComposition()
        guard let edit = release(drop), options.isEditable, let transaction = state.dropping(copied, for: edit)
        else { return .nothing }
        let wanted = transaction.changes
        guard let made = dispatch(joiningDrag(transaction)) else { return .nothing }
        // A picture's character without its attribute is not the picture.
        let isBare =
            copied.isStyled && !options.takesStyles && copied.text.unicodeScalars.contains(TextAttachment.character)
        return made.changes.inserts(the: wanted) && !isBare ? .everything : .part
    }

    /// Moves dragged text within the text, as one undo step, and selects it: all of it, or nothing. Returns whether it was moved.
    @discardableResult
    public func moveDragged(_ dragged: DeferredEdit.ID, to offset: UTF16Offset) -> Bool {
        endComposition()
        guard options.isEditable, let edit = state.deferredEdit(dragged), let move = state.moving(edit, to: offset)
        else { return false }
        // A partial move would delete the text and lose the rest of it.
        return dispatchWhole(move)
    }

    // MARK: Attributes

    /// Sets the value of a key for the selected text as one undo step, or with nil removes it; at a caret, for the text typed next. A composition
    /// ends first, with its text kept.
    public func setAttribute<Key: AttributeKey>(_ value: Key.Value?, of key: Key.Type) {
        endComposition()
        dispatch(state.styling(value, of: key))
    }

    /// Removes the value of a key if all selected text has it, or text typed next at a caret would have it; else sets it. A composition ends first,
    /// with its text kept.
    public func toggleAttribute<Key: AttributeKey>(_ value: Key.Value, of key: Key.Type) {
        endComposition()
        dispatch(state.togglingStyle(value, of: key))
    }

    // MARK: Edits by the program

    /// The whole text. Setting it is one undo step that leaves the caret at the start; during a composition the new text waits until that ends, and
    /// is dropped if it only repeats the text reported last.
    public var text: String {
        get { store.text.string(in: store.text.byteRange) }
        set { if changes.shouldAccept(newValue) { replaceAllText(with: newValue) } }
    }

    /// Replaces a range as an edit by the program, as one undo step; the user's selection keeps its text. No option of the session limits the edit.
    ///
    /// During a composition, an edit apart from the marked text is made at once, and the composition moves along. An edit that touches marked text
    /// or replaces all text, and all later edits, wait until the composition ends, in order and moved along with the text. `forcing` makes the edit
    /// at once: the composition ends first, with its text kept, and waiting edits are made before this one. The range is in UTF-16 units and is
    /// clamped.
    public func replaceText(in range: Range<UTF16Offset>, with text: String, forcing: Bool = false) {
        if forcing { endComposition() }
        apply(DeferredEdit(replacing: [range.clamped(into: textRange)], with: text, origin: .program))
    }

    /// Replaces all text as an edit by the program, whatever the text is when the edit is made; the selection goes to the start. See
    /// ``replaceText(in:with:forcing:)``.
    public func replaceAllText(with text: String, forcing: Bool = false) {
        if forcing { endComposition() }
        apply(DeferredEdit(replacing: [textRange], with: text, origin: .program, replacesAll: true))
    }

    /// Appends text as an edit by the program, in the style of the text before it and with its line ends as they are. A caret at the end stays before
    /// it, and a view that shows the end continues to show it. While text at the end is marked, and while an earlier edit waits, the edit waits, as
    /// in ``replaceText(in:with:forcing:)``; all are made in order.
    ///
    /// - Parameter recordsUndo: whether the edit is an undo step. If not, no undo data is kept: for a log, which no user undoes.
    public func append(_ text: String, recordsUndo: Bool = false) {
        append(CopiedText(text), recordsUndo)
    }

    /// Appends text with attributes.
    public func append(_ text: StyledText, recordsUndo: Bool = false) {
        append(CopiedText(text), recordsUndo)
    }

    private func append(_ text: CopiedText, _ recordsUndo: Bool) {
        let undo: UndoJoining = recordsUndo ? .step : .notRecorded
        apply(DeferredEdit(text, replacesAll: false, of: store.text, undo: undo))
    }

    /// Replaces everything by another text, as a field does whose text was sent: a composition ends, and no undo step is left.
    public func reset(to text: String = "") {
        endComposition()
        apply(DeferredEdit(CopiedText(text), replacesAll: true, of: store.text, undo: .notRecorded))
        store.removeAllUndo()
    }

    private func apply(_ edit: DeferredEdit) {
        var transaction = state.programEdit(edit)
        switch state.prepare(&transaction) {
        case .accept: making(edit) { make(transaction) }
        case .wait: put(off: edit)
        case .refuse: break
        }
    }

    /// Calls `make`, which makes an edit by the program.
    func making(_ edit: DeferredEdit, _ make: () -> Void) {
        if edit.appends, let presenter { presenter.keepEndInSight(during: make) } else { make() }
    }

    /// Makes an edit by the program wait for the end of the composition.
    func put(off edit: DeferredEdit) {
        var edit = edit
        edit.generation = store.generation
        change(.deferring(edit))
    }
}

/// The part of a dropped text that was inserted.
package enum DropResult {
    /// No text was inserted: the position is gone, the text is read-only, or a filter or the delegate has refused it.
    case nothing
    /// A filter or the delegate has removed or changed a part, or a picture has lost its attribute. The source should keep the text.
    case part
    /// The whole text was inserted, perhaps with other line ends or attributes: the source of a move may delete it.
    case everything
}

extension TextChangeSet {
    /// Whether the change set inserts the same texts as another one, in the same order. O(n) in the texts.
    fileprivate func inserts(the other: TextChangeSet) -> Bool {
        count == other.count && (0..<count).allSatisfy { insertedText($0) == other.insertedText($0) }
    }
}
