public import InkstoneBase
public import InkstoneInput
public import InkstoneText

/// Typing, composing, pasting, and edits by the program.
extension EditingSession {
    // MARK: Input

    /// Inserts what is typed, or what an input method has finished; see ``EditorState/InsertionTarget``. A composition that it does not go
    /// to ends first, with its text kept.
    public func insert(_ text: String, over target: EditorState.InsertionTarget = .selection) {
        // Where nothing is composed, a key is one dispatch.
        let target = markedText == nil ? target : endComposition(before: target, by: typingOwner)
        let made = dispatch(state.inserting(text, over: target))
        if text == " ", made != nil { dispatch(state.makingTypedList() ?? state.linkingAddressBeforeSpace()) }
        if case .selection = target { forgetLostComposition() }
    }

    /// Marks text in place of what it says, and selects a part of it, counted from its start.
    public func mark(_ text: InputText, over target: EditorState.InsertionTarget = .composed, selected: UTF16Range) {
        let target = endComposition(before: target, by: inputContext?.owner ?? .inputMethod)
        dispatch(state.marking(text, over: target, selected: selected))
        forgetLostComposition()
    }

    /// Ends a composition that a text does not go to, with its text kept. Returns where the text goes then.
    ///
    /// - Parameter owner: who inserts or marks the text; nil for the owner of the composition.
    private func endComposition(
        before target: EditorState.InsertionTarget, by owner: CompositionOwner? = nil
    ) -> EditorState.InsertionTarget {
        dispatch(state.ending(before: target, by: owner)).map { target.mapped(through: $0.changes.changeMap) } ?? target
    }

    /// The input method where a keyboard in another process composes, whose text nobody else replaces; nil for the owner of the composition.
    private var typingOwner: CompositionOwner? {
        guard case .proxy? = state.composition?.owner else { return nil }
        return inputContext?.owner ?? .inputMethod
    }

    /// Ends the composition; its text stays. ``endComposition()`` has the input method forget it as well.
    public func unmark() { dispatch(state.ending(.keeping)) }

    /// A composition begins: what is edited from now on is one step of undo, until it ends; once for several calls.
    public func compositionDidBegin() {
        dispatch(state.beginningComposition(by: inputContext?.owner ?? .inputMethod))
    }

    /// The composition is over: what is edited from now on is another step of undo.
    public func compositionDidEnd() { dispatch(state.endingComposition()) }

    /// Deletes the selection, or what was typed last before the caret: ``EditorState/deletingBackward()``.
    public func deleteBackward() {
        if markedText != nil, typingOwner != nil { endComposition() }
        dispatch(state.deletingBackward())
        forgetLostComposition()
    }

    /// Ends a composition from this side: the text stays, and the input method has to forget it.
    public func endComposition() {
        guard markedText != nil else { return }
        let group = state.composition?.undoGroup
        inputContext?.discardMarkedText()
        // Without an input context, or with one whose client is gone, nobody else ends it. Another composition may have begun.
        if markedText != nil, state.composition?.undoGroup == group { dispatch(state.ending(.keeping)) }
    }

    /// If the input method composes what is not marked any more, it has to forget that.
    func forgetLostComposition() {
        if markedText == nil, let inputContext, inputContext.hasShownText { inputContext.discardMarkedText() }
    }

    // MARK: Clipboard

    /// Puts text from outside over the selection, as one undo step. Line ends become those of the text. A composition ends
    /// first, with its text kept.
    public func paste(_ copied: CopiedText) {
        endComposition()
        dispatch(state.pasting(copied))
    }

    /// The same for text without attributes.
    public func paste(_ text: String) { paste(CopiedText(text)) }

    /// Remembers where a text is to go that has been asked for: over a range, in UTF-16 units of the present text, or with nil
    /// over the selection. ``paste(_:for:)-(CopiedText,_)`` puts it there, ``cancelPaste(_:)`` gives it up.
    ///
    /// What is typed meanwhile, also in place of the selection, stays behind what is pasted.
    public func deferPaste(over range: Range<UTF16Offset>? = nil) -> DeferredEdit.ID {
        let edit =
            range.map { DeferredEdit(replacing: [$0.clamped(into: textRange)], with: nil, origin: .paste) }
            ?? state.pasteToCome()
        change(.deferring(edit))
        return edit.id
    }

    /// Puts a text where it was asked for; the user's selection keeps its text, and a caret that stands there goes behind it. A
    /// composition ends first, with its text kept.
    public func paste(_ copied: CopiedText, for paste: DeferredEdit.ID) {
        endComposition()
        guard let edit = release(paste) else { return }
        dispatch(state.paste(state.answering(edit, with: copied)))
    }

    /// The same for text without attributes.
    public func paste(_ text: String, for paste: DeferredEdit.ID) { self.paste(CopiedText(text), for: paste) }

    /// Whether a text is still to come that ``deferPaste(over:)`` has made room for, or the user has pasted.
    public var awaitsText: Bool { state.awaitsText }

    /// A text that was asked for does not come.
    public func cancelPaste(_ paste: DeferredEdit.ID) { change(.releasing(paste)) }

    /// Takes out an edit that waits; nil if it is none that does.
    private func release(_ id: DeferredEdit.ID) -> DeferredEdit? {
        guard let edit = state.deferredEdit(id) else { return nil }
        change(.releasing(id))
        return edit
    }

    // MARK: Dragging

    /// Begins to drag what is selected; nil if that is nothing, or secret. Ends with ``endDragging(_:deleting:)``.
    public func beginDragging() -> (dragged: DeferredEdit.ID, copied: CopiedText)? {
        endComposition()
        guard let copied = state.selectedCopy, let dragged = state.draggedText() else { return nil }
        change(.deferring(dragged))
        store.dragGroup = UndoGroupID()
        return (dragged.id, copied)
    }

    /// A drag is over. What was dragged goes from the text if it was moved out of the view; within it, it has gone already.
    public func endDragging(_ dragged: DeferredEdit.ID, deleting: Bool) {
        guard let edit = release(dragged) else { return }
        defer { store.dragGroup = nil }
        guard deleting, options.isEditable else { return }
        endComposition()
        dispatch(joiningDrag(state.removing(edit)))
    }

    /// A transaction as part of the drag that has begun in a view of this text.
    private func joiningDrag(_ transaction: consuming Transaction?) -> Transaction? {
        if let group = store.dragGroup { transaction?.undo = .group(group) }
        return transaction
    }

    /// Keeps the place of a drop whose text is still to come. ``drop(_:for:)`` puts it there, ``cancelPaste(_:)`` gives it up.
    public func deferDrop(at offset: UTF16Offset) -> DeferredEdit.ID {
        endComposition()
        let edit = state.dropToCome(at: offset)
        change(.deferring(edit))
        return edit.id
    }

    /// Takes in what was dropped, as one step of undo, and selects it. Returns whether it did, perhaps without what a filter or the delegate has
    /// left out.
    @discardableResult
    public func drop(_ copied: CopiedText, for drop: DeferredEdit.ID) -> Bool { take(copied, for: drop) != .nothing }

    /// Takes in what was dropped, as ``drop(_:for:)`` does. Returns how much of it.
    package func take(_ copied: CopiedText, for drop: DeferredEdit.ID) -> DropResult {
        endComposition()
        guard let edit = release(drop), options.isEditable, let transaction = state.dropping(copied, for: edit)
        else { return .nothing }
        let wanted = transaction.changes
        guard let made = dispatch(joiningDrag(transaction)) else { return .nothing }
        // A character that stands for a picture is none of it.
        let isBare =
            copied.isStyled && !options.takesStyles && copied.text.unicodeScalars.contains(TextAttachment.character)
        return made.changes.inserts(the: wanted) && !isBare ? .everything : .part
    }

    /// Moves what is dragged within the text, as one step of undo, and selects it: all of it, or nothing. Returns whether it did.
    @discardableResult
    public func moveDragged(_ dragged: DeferredEdit.ID, to offset: UTF16Offset) -> Bool {
        endComposition()
        guard options.isEditable, let edit = state.deferredEdit(dragged), let move = state.moving(edit, to: offset)
        else { return false }
        // Where the text goes from its place and only a part of it comes to the other one, the rest would be nowhere.
        return dispatchWhole(move)
    }

    // MARK: Attributes

    /// Gives the selected text a value of a key as one step of undo, or with nil takes the key away; at a caret, what is typed next.
    /// A composition ends first, with its text kept.
    public func setAttribute<Key: AttributeKey>(_ value: Key.Value?, of key: Key.Type) {
        endComposition()
        dispatch(state.styling(value, of: key))
    }

    /// Takes a value of a key away if all selected text has it, or what is typed next at a caret would; else gives it. A composition
    /// ends first, with its text kept.
    public func toggleAttribute<Key: AttributeKey>(_ value: Key.Value, of key: Key.Type) {
        endComposition()
        dispatch(state.togglingStyle(value, of: key))
    }

    // MARK: Edits by the program

    /// The whole text. Setting it is one step of undo that leaves the caret at the start; during a composition it waits
    /// until that ends, and is dropped if it only echoes what was told last.
    public var text: String {
        get { store.text.string(in: store.text.byteRange) }
        set { if changes.shouldAccept(newValue) { replaceAllText(with: newValue) } }
    }

    /// Replaces a range as the program's edit, as one step of undo; the user's selection keeps its text. No option of the session
    /// limits it.
    ///
    /// During a composition an edit apart from the marked text is made at once, and the composition moves along; one that
    /// touches it, one that replaces all text, and all that come after such a one wait until the composition ends, in
    /// order and moved along with the text. `forcing` makes it at once: the composition ends first, with its text kept as
    /// text, and what waited is made before it. The range is in UTF-16 units and is clamped.
    public func replaceText(in range: Range<UTF16Offset>, with text: String, forcing: Bool = false) {
        if forcing { endComposition() }
        apply(DeferredEdit(replacing: [range.clamped(into: textRange)], with: text, origin: .program))
    }

    /// Replaces all text as the program's edit, whatever the text is when its turn comes; the selection goes to the start. See
    /// ``replaceText(in:with:forcing:)``.
    public func replaceAllText(with text: String, forcing: Bool = false) {
        if forcing { endComposition() }
        apply(DeferredEdit(replacing: [textRange], with: text, origin: .program, replacesAll: true))
    }

    /// Adds text at the end as the program's edit, which looks as the text before it; a caret that stands there stays before it. During a
    /// composition at the end it waits, as ``replaceText(in:with:forcing:)`` does, and several come in their order.
    ///
    /// - Parameter recordsUndo: whether it is a step of undo. Without, nothing is kept of it: for a log, which nobody takes back.
    public func append(_ text: String, recordsUndo: Bool = false) {
        append(CopiedText(text), recordsUndo)
    }

    /// The same for text with attributes.
    public func append(_ text: StyledText, recordsUndo: Bool = false) {
        append(CopiedText(text), recordsUndo)
    }

    private func append(_ text: CopiedText, _ recordsUndo: Bool) {
        let undo: UndoJoining = recordsUndo ? .step : .notRecorded
        apply(DeferredEdit(text, replacesAll: false, of: store.text, undo: undo))
    }

    /// Begins with another text, as a field does whose text was sent: a composition ends, the text replaces all, and no step of undo is left.
    public func reset(to text: String = "") {
        endComposition()
        apply(DeferredEdit(CopiedText(text), replacesAll: true, of: store.text, undo: .notRecorded))
        store.removeAllUndo()
    }

    private func apply(_ edit: DeferredEdit) {
        var transaction = state.programEdit(edit)
        switch state.prepare(&transaction) {
        case .accept: make(transaction)
        case .wait: put(off: edit)
        case .refuse: break
        }
    }

    /// Has an edit of the program wait for the end of the composition.
    func put(off edit: DeferredEdit) {
        var edit = edit
        edit.generation = store.generation
        change(.deferring(edit))
    }
}

/// How much of a text that was dropped has come into another one.
package enum DropResult {
    /// None: the place is gone, the text is read-only, a filter or the delegate has refused it.
    case nothing
    /// Not all: a filter or the delegate has left out or changed a part, or a picture has come without its attribute. The source is to keep it.
    case part
    /// All of it, perhaps with other line ends or attributes: the source of a move may delete it.
    case everything
}

extension TextChangeSet {
    /// Whether it inserts the same texts as another one, in the same order. O(n) in the texts.
    fileprivate func inserts(the other: TextChangeSet) -> Bool {
        count == other.count && (0..<count).allSatisfy { insertedText($0) == other.insertedText($0) }
    }
}
