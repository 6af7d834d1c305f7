import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Transactions on their way: ``state`` says what a key, a paste or the program's edit comes to, its filters and the delegate
/// what of it is made, the store makes it, and what follows is in `EditorView+Following`.
extension EditorView {
    /// The one way from here into the store. Returns what was made; nil for nothing, and where no text is replaced.
    @discardableResult
    func dispatch(_ transaction: consuming Transaction?) -> AppliedTransaction? {
        guard var transaction = transaction else { return nil }
        switch prepare(&transaction) {
        case .accept: return perform(transaction)
        case .refuse: return nil
        case .wait:
            endComposition()
            guard var late = store.current(transaction), case .accept = prepare(&late, hasWaited: true) else {
                return nil
            }
            return perform(late)
        }
    }

    private func prepare(_ transaction: inout Transaction, hasWaited: Bool = false) -> FilterVerdict {
        guard let delegate else { return state.prepare(&transaction, hasWaited: hasWaited) }
        // The delegate may edit: what it was asked about is of this state.
        let state = state
        return state.prepare(&transaction, hasWaited: hasWaited) {
            delegate.editorView(self, shouldChangeTextIn: $0, replacementText: $1)
        }
    }

    /// Makes what has passed all filters.
    @discardableResult
    func perform(_ transaction: Transaction) -> AppliedTransaction? {
        store.make(transaction) { adopt($0) }
    }

    /// Changes the state by nothing but effects.
    func change(_ effect: StateEffect) { adopt(state.changing(effect)) }

    /// Takes out an edit that waits; nil if it is none that does.
    func release(_ id: DeferredEdit.ID) -> DeferredEdit? {
        guard let edit = state.deferredEdit(id) else { return nil }
        change(.releasing(id))
        return edit
    }

    // MARK: Keys

    /// Types text over the selection, also one inside marked text; what was marked around it becomes ordinary text.
    public func insertText(_ text: String) {
        guard isEditable, selection != nil else { return }
        insert(text, over: .selection)
        forgetLostComposition()
    }

    /// Inserts what the input system says; a composition that it does not go to ends first, with its text kept.
    func insert(_ text: String, over target: EditorState.InsertionTarget) {
        let target = endComposition(before: target)
        dispatch(state.inserting(text, over: target))
    }

    /// Ends a composition that a text does not go to, with its text kept. Returns where the text goes then.
    ///
    /// - Parameter owner: who inserts or marks the text; nil for the owner of the composition.
    func endComposition(
        before target: EditorState.InsertionTarget, by owner: CompositionOwner? = nil
    ) -> EditorState.InsertionTarget {
        dispatch(state.ending(before: target, by: owner)).map { target.mapped(through: $0.changes.changeMap) } ?? target
    }

    /// Deletes the selection, or one grapheme cluster before the caret: ``EditorState/deletingBackward()``.
    public func deleteBackward() {
        dispatch(state.deletingBackward())
        forgetLostComposition()
    }

    /// Ends a composition from this side: the text stays, and the input method has to forget it.
    func endComposition() {
        if markedText != nil { inputContext.discardMarkedText() }
    }

    /// If the input method composes what is not marked any more, it has to forget that.
    func forgetLostComposition() {
        if markedText == nil, inputContext.hasShownText { inputContext.discardMarkedText() }
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

    /// The text that is selected, for the clipboard and others; nil for a caret and in a secure view.
    public var selectedText: String? { state.selectedText }

    // MARK: Attributes

    /// What is typed next gets at the primary range of the selection.
    public var typingAttributes: TextAttributes { state.typingAttributes }

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

    // MARK: Edits by the program

    /// The whole text. Setting it is one step of undo that leaves the caret at the start; during a composition it waits
    /// until that ends, and is dropped if it only echoes what was told last.
    public var text: String {
        get { store.text.string(in: store.text.byteRange) }
        set { if changes.shouldAccept(newValue) { replaceAllText(with: newValue) } }
    }

    /// Replaces a range as the program's edit, as one step of undo; the user's selection keeps its text. No option of the view
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

    private func apply(_ edit: DeferredEdit) {
        var transaction = state.programEdit(edit)
        switch state.prepare(&transaction) {
        case .accept: perform(transaction)
        case .wait: change(.deferring(edit))
        case .refuse: break
        }
    }
}
