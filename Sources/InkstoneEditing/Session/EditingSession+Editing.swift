public import InkstoneBase
public import InkstoneInput
public import InkstoneText

/// Typing, composing, pasting, dragging, and edits by the program.
extension EditingSession {
    // MARK: Input

    /// Inserts typed text, or the final text of an input method, in place of a target: see
    /// ``EditorState/InsertionTarget``. A composition that the text does not belong to ends first, with its text
    /// kept. If the text is a space or a mark of Markdown, may then make a list, a block, a link or a style of the
    /// text before the caret.
    public func insert(_ text: String, over target: EditorState.InsertionTarget = .selection) {
        // Without a composition, a key causes a single dispatch. This is the fast path.
        let target = markedText == nil ? target : endComposition(before: target, by: typingOwner)
        let made = dispatch(state.inserting(text, over: target))
        if text == " ", made != nil {
            dispatch(state.makingTypedList() ?? state.makingTypedBlock() ?? state.linkingAddressBeforeSpace())
        } else if made != nil, ["*", "_", "`", "~"].contains(text), dispatch(state.makingTypedStyle()) != nil {
            typedStyle = (store.version, selection)
        }
        if case .selection = target { forgetLostComposition() }
    }

    /// Marks a text in place of the target, and selects a part of it, in UTF-16 units from its start. A composition
    /// that the text does not belong to ends first, with its text kept. In a read-only view, no text is marked.
    public func mark(_ text: InputText, over target: EditorState.InsertionTarget = .composed, selected: UTF16Range) {
        let target = endComposition(before: target, by: inputContext?.owner ?? .inputMethod)
        dispatch(state.marking(text, over: target, selected: selected))
        forgetLostComposition()
    }

    /// Ends the composition if a new text does not belong to it, and keeps the composed text. Returns the target of
    /// the new text, mapped to the text after the end of the composition.
    ///
    /// - Parameter owner: the owner that inserts or marks the new text; nil for the owner of the composition.
    private func endComposition(
        before target: EditorState.InsertionTarget, by owner: CompositionOwner? = nil
    ) -> EditorState.InsertionTarget {
        dispatch(state.ending(before: target, by: owner)).map { target.mapped(through: $0.changes.changeMap) } ?? target
    }

    /// The owner of typed text while a keyboard in another process is composing: the input method, because typed text
    /// must not replace that keyboard's marked text. Nil at other times: typed text then belongs to the owner of the
    /// composition.
    private var typingOwner: CompositionOwner? {
        guard case .proxy? = state.composition?.owner else { return nil }
        return inputContext?.owner ?? .inputMethod
    }

    /// Ends the composition and keeps its text. The input method is not notified: call ``endComposition()`` if it
    /// must discard its composition too.
    public func unmark() { dispatch(state.ending(.keeping)) }

    /// Begins a composition. The edits until its end are one undo step. Further calls have no effect.
    public func compositionDidBegin() {
        dispatch(state.beginningComposition(by: inputContext?.owner ?? .inputMethod))
    }

    /// Ends the undo step of a composition, if no text is marked. The edits that follow belong to another undo
    /// step.
    public func compositionDidEnd() { dispatch(state.endingComposition()) }

    /// Deletes the selection, or the last typed character before the caret, which may be a part of a cluster.
    public func deleteBackward() {
        if markedText != nil, typingOwner != nil { endComposition() }
        dispatch(state.deletingBackward())
        forgetLostComposition()
    }

    /// Ends a composition, keeps its text, and makes the input method discard it. Call this if the input method
    /// does not end the composition itself, for example at a click.
    public func endComposition() {
        guard markedText != nil else { return }
        let group = state.composition?.undoGroup
        inputContext?.discardMarkedText()
        // Without an input context, or if the context's client no longer exists, the composition has not ended. End it
        // here, unless another composition has begun meanwhile.
        if markedText != nil, state.composition?.undoGroup == group { dispatch(state.ending(.keeping)) }
    }

    /// Makes the input method discard a composition whose text is no longer marked.
    func forgetLostComposition() {
        if markedText == nil, let inputContext, inputContext.hasShownText { inputContext.discardMarkedText() }
    }

    // MARK: Clipboard

    /// Pastes text from outside over the selection, as one undo step. The line ends of the pasted text are
    /// converted to those of the document. A composition ends first, with its text kept.
    public func paste(_ copied: CopiedText) {
        endComposition()
        dispatch(state.pasting(copied))
    }

    /// Pastes text without attributes over the selection.
    public func paste(_ text: String) { paste(CopiedText(text)) }

    /// Reserves the position of a requested text: a range, in UTF-16 units of the present text, or the selection if
    /// nil. ``paste(_:for:)-(CopiedText,_)`` pastes the text there, and ``cancelPaste(_:)`` releases the position.
    ///
    /// Text that is typed meanwhile stays after the pasted text, even if it replaces the selection.
    public func deferPaste(over range: Range<UTF16Offset>? = nil) -> DeferredEdit.ID {
        let edit =
            range.map { DeferredEdit(replacing: [$0.clamped(into: textRange)], with: nil, origin: .paste) }
            ?? state.pasteToCome()
        change(.deferring(edit))
        return edit.id
    }

    /// Pastes a text at its reserved position, or does nothing if no position is reserved under this identity. The
    /// user's selection keeps its text, and a caret at the position moves after the pasted text. A composition ends
    /// first, with its text kept.
    public func paste(_ copied: CopiedText, for paste: DeferredEdit.ID) {
        endComposition()
        guard let edit = release(paste) else { return }
        dispatch(state.paste(state.answering(edit, with: copied)))
    }

    /// Pastes text without attributes at its reserved position.
    public func paste(_ text: String, for paste: DeferredEdit.ID) { self.paste(CopiedText(text), for: paste) }

    /// Whether the text of a paste or a drop is pending, for which a position was reserved.
    public var awaitsText: Bool { state.awaitsText }

    /// Releases the position of a requested text that will not arrive.
    public func cancelPaste(_ paste: DeferredEdit.ID) { change(.releasing(paste)) }

    /// Releases the positions of all pastes and drops whose text is pending, and returns their identities. Texts that
    /// arrive later are ignored.
    package func cancelAwaitedText() -> [DeferredEdit.ID] {
        let awaited = state.awaited
        for id in awaited { change(.releasing(id)) }
        return awaited
    }

    /// Removes a deferred edit and returns it; nil if no deferred edit has this identity.
    private func release(_ id: DeferredEdit.ID) -> DeferredEdit? {
        guard let edit = state.deferredEdit(id) else { return nil }
        change(.releasing(id))
        return edit
    }

    // MARK: Dragging

    /// Begins to drag the selected text. Nil without selected text, or in a secure view. A composition ends first,
    /// with its text kept. If the result is not nil, the caller must call ``endDragging(_:deleting:)`` in the end.
    public func beginDragging() -> (dragged: DeferredEdit.ID, copied: CopiedText)? {
        endComposition()
        guard let copied = state.selectedCopy, let dragged = state.draggedText() else { return nil }
        change(.deferring(dragged))
        store.dragGroup = UndoGroupID()
        return (dragged.id, copied)
    }

    /// Ends a drag. If `deleting` is true, deletes the dragged text, which was moved out of the view, unless the
    /// text has become read-only; a composition ends first. Text moved within the view was already deleted by the
    /// move.
    public func endDragging(_ dragged: DeferredEdit.ID, deleting: Bool) {
        guard let edit = release(dragged) else { return }
        defer { store.dragGroup = nil }
        guard deleting, options.isEditable else { return }
        endComposition()
        dispatch(joiningDrag(state.removing(edit)))
    }

    /// Returns a transaction as a part of the undo step of the drag that is in progress in a view of this text, if
    /// there is one.
    private func joiningDrag(_ transaction: consuming Transaction?) -> Transaction? {
        if let group = store.dragGroup { transaction?.undo = .group(group) }
        return transaction
    }

    /// Reserves the position of a drop whose text is pending. ``drop(_:for:)`` inserts the text there, and
    /// ``cancelPaste(_:)`` releases the position. A composition ends first, with its text kept.
    public func deferDrop(at offset: UTF16Offset) -> DeferredEdit.ID {
        endComposition()
        let edit = state.dropToCome(at: offset)
        change(.deferring(edit))
        return edit.id
    }

    /// Inserts dropped text, as one undo step, and selects it. A filter or the delegate may remove a part of it. A
    /// composition ends first, with its text kept. Returns whether any text was inserted. False if no position is
    /// reserved under this identity, if the dropped text is empty, if the text cannot be edited, or if a filter or the
    /// delegate refuses all of it.
    @discardableResult
    public func drop(_ copied: CopiedText, for drop: DeferredEdit.ID) -> Bool { take(copied, for: drop) != .nothing }

    /// Inserts dropped text, as ``drop(_:for:)`` does. Returns how much of it was inserted.
    package func take(_ copied: CopiedText, for drop: DeferredEdit.ID) -> DropResult {
        endComposition()
        guard let edit = release(drop), options.isEditable, let transaction = state.dropping(copied, for: edit)
        else { return .nothing }
        let wanted = transaction.changes
        guard let made = dispatch(joiningDrag(transaction)) else { return .nothing }
        // If the view does not accept styles, a dropped picture becomes a bare attachment character, which shows
        // nothing. Such a drop counts as partial.
        let isBare =
            copied.isStyled && !options.takesStyles && copied.text.unicodeScalars.contains(TextAttachment.character)
        return made.changes.inserts(the: wanted) && !isBare ? .everything : .part
    }

    /// Moves dragged text within the text, as one undo step, and selects it. Moves all of it or nothing. A
    /// composition ends first, with its text kept. Returns whether it was moved. False if no text is being dragged
    /// under this identity, if the text cannot be edited, if the move would change nothing, or if a filter or the
    /// delegate refuses a part of it.
    @discardableResult
    public func moveDragged(_ dragged: DeferredEdit.ID, to offset: UTF16Offset) -> Bool {
        endComposition()
        guard options.isEditable, let edit = state.deferredEdit(dragged), let move = state.moving(edit, to: offset)
        else { return false }
        // Refuse a partial move, which would delete text and insert only a part of it.
        return dispatchWhole(move)
    }

    // MARK: Attributes

    /// Sets the value of a key for the selected text as one undo step; nil removes the value. At a caret, sets it
    /// for the text typed next. A composition ends first, with its text kept.
    public func setAttribute<Key: AttributeKey>(_ value: Key.Value?, of key: Key.Type) {
        endComposition()
        dispatch(state.styling(value, of: key))
    }

    /// Removes a value of a key if all selected text has it or, at a caret, if text typed next would have it;
    /// otherwise sets the value. Spaces and line ends are ignored unless nothing else is selected. A composition
    /// ends first, with its text kept.
    public func toggleAttribute<Key: AttributeKey>(_ value: Key.Value, of key: Key.Type) {
        endComposition()
        dispatch(state.togglingStyle(value, of: key))
    }

    // MARK: Edits by the program

    /// The whole text. Setting it is one undo step and moves the caret to the start. During a composition, the new text
    /// is set when the composition ends, or is ignored if it only repeats the text that was reported last.
    public var text: String {
        get { store.text.string(in: store.text.byteRange) }
        set { if changes.shouldAccept(newValue) { replaceAllText(with: newValue) } }
    }

    /// Replaces a range as an edit by the program, as one undo step. The user's selection keeps its text. The
    /// session's options do not limit the edit.
    ///
    /// During a composition, an edit apart from the marked text is made at once, and the composition is mapped
    /// through it. An edit that removes marked text, inserts text between marked characters, or replaces all text
    /// has to wait until the composition ends, and so do all later edits. Waiting edits are made in order and
    /// mapped through the changes meanwhile. If `forcing` is true, the edit is made at once: the composition ends
    /// first, with its text kept, and waiting edits are made before this one. The range is in UTF-16 units and is
    /// clamped to the text.
    public func replaceText(in range: Range<UTF16Offset>, with text: String, forcing: Bool = false) {
        if forcing { endComposition() }
        apply(DeferredEdit(replacing: [range.clamped(into: textRange)], with: text, origin: .program))
    }

    /// Replaces the whole text as an edit by the program, whatever the text is when the edit is made. The selection
    /// moves to the start. See ``replaceText(in:with:forcing:)``.
    public func replaceAllText(with text: String, forcing: Bool = false) {
        if forcing { endComposition() }
        apply(DeferredEdit(replacing: [textRange], with: text, origin: .program, replacesAll: true))
    }

    /// Appends text as an edit by the program, in the style of the text before it and with its line ends unchanged.
    /// A caret at the end moves to the new end, and a view that shows the end scrolls so that the new end is visible.
    /// During a composition, the text is appended at once, even directly after marked text. But if an
    /// earlier edit waits, as in ``replaceText(in:with:forcing:)``, this edit waits too; edits are made in order.
    ///
    /// - Parameter recordsUndo: whether the edit is an undo step. If not, the edit itself cannot be undone and
    ///   takes no memory for undo, which suits a view that shows a growing log; earlier steps stay.
    public func append(_ text: String, recordsUndo: Bool = false) {
        append(CopiedText(text), recordsUndo)
    }

    /// Appends text with attributes of its own, as an edit by the program.
    public func append(_ text: StyledText, recordsUndo: Bool = false) {
        append(CopiedText(text), recordsUndo)
    }

    private func append(_ text: CopiedText, _ recordsUndo: Bool) {
        let undo: UndoJoining = recordsUndo ? .step : .notRecorded
        apply(DeferredEdit(text, replacesAll: false, of: store.text, undo: undo))
    }

    /// Replaces the whole text and removes the undo history, as for a field whose text was sent. The caret moves to
    /// the start. A composition ends first.
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

    /// Calls `make`, which makes an edit by the program. If the edit appends text, the presenter keeps the end of
    /// the text visible, provided that it was visible before.
    func making(_ edit: DeferredEdit, _ make: () -> Void) {
        if edit.appends, let presenter { presenter.keepEndInSight(during: make) } else { make() }
    }

    /// Defers an edit by the program: adds it to the edits that are made when the composition ends.
    func put(off edit: DeferredEdit) {
        var edit = edit
        edit.generation = store.generation
        change(.deferring(edit))
    }
}

/// The part of a dropped text that was inserted.
package enum DropResult {
    /// No text was inserted: the position no longer exists, the dropped text is empty, the view's text is
    /// read-only, or a filter or the delegate has refused the drop.
    case nothing
    /// A filter or the delegate has removed or changed a part, or a picture has lost its attribute. The source of
    /// the drop should keep the text.
    case part
    /// The whole text was inserted, possibly with other line ends or attributes. The source of a move may delete
    /// it.
    case everything
}

extension TextChangeSet {
    /// Whether the change set inserts the same texts in the same order as another one. O(n) in the texts.
    fileprivate func inserts(the other: TextChangeSet) -> Bool {
        count == other.count && (0..<count).allSatisfy { insertedText($0) == other.insertedText($0) }
    }
}
