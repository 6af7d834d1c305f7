import InkstoneBase
import InkstoneInput
import InkstoneText

// Who changes the view, and who is told of it.
extension EditorView {
    /// What a change touches, for the delegate.
    enum Changed {
        /// The text, and perhaps the selection with it.
        case text
        /// The selection alone.
        case selection
    }

    /// Runs what the input system does: its delegate knows of that and is not told.
    func asInputSystem(_ work: () -> Void) {
        settle()
        inputSystemDepth += 1
        work()
        inputSystemDepth -= 1
        settle()
    }

    /// Runs what the input system does not do: its delegate is told once before and once after all of it.
    ///
    /// Within another change nobody is told again: pairs do not nest.
    func asOutsideChange(of changed: Changed, _ work: () -> Void) {
        guard inputSystemDepth == 0, !isTellingDelegate else { return work() }
        let told = inputDelegate
        isTellingDelegate = true
        switch changed {
        case .text: told?.textWillChange(self)
        case .selection: told?.selectionWillChange(self)
        }
        work()
        isTellingDelegate = false
        switch changed {
        case .text: told?.textDidChange(self)
        case .selection: told?.selectionDidChange(self)
        }
        settle()
    }

    /// Does what waited for the end of a change: the input method forgets a composition that an edit by others took away,
    /// ``changes`` tells, and once nothing is marked the program's waiting edits are made, in order.
    func settle() {
        guard inputSystemDepth == 0, !isTellingDelegate, !isWithinStoreEdit, !isSettling else { return }
        isSettling = true
        defer { isSettling = false }
        if hasLostComposition {
            hasLostComposition = false
            if markedText == nil, inputContext.isComposing { inputContext.discardMarkedText() }
        }
        tellEdits()
        guard markedText == nil else { return }
        changes.markingDidChange(false)
        while markedText == nil, let edit = pendingEdits.next(textLength: textRange.upperBound.value) {
            make(edit)
            tellEdits()
        }
    }

    /// Tells ``changes`` of edits since the last call, also of those that its listeners make.
    private func tellEdits() {
        while !untoldEdits.isEmpty {
            let edits = untoldEdits
            untoldEdits = []
            for edit in edits { changes.textDidChange(edit) }
        }
    }

    /// Tells ``changes`` of edits since the last call. The view does it after its own edits, its host once a turn for
    /// those that others make to the store.
    public func tellChanges() { settle() }

    // MARK: Edits by the program

    /// The whole text. Setting it is one step of undo that leaves the caret at the start; during a composition it waits
    /// until that ends, and is dropped if it only echoes what was told last.
    public var text: String {
        get { store.text.string(in: store.text.byteRange) }
        set {
            guard changes.shouldAccept(newValue) else { return }
            apply(PendingEdits.Edit(range: textRange, text: newValue, replacesAll: true))
        }
    }

    /// Makes an edit by the program, as one step of undo; the user's selection keeps its text, but goes to the start if all
    /// text is replaced. No option of the view limits it.
    ///
    /// During a composition an edit apart from the marked text is made at once, and the composition moves along; one that
    /// touches it, one that replaces all text, and all that come after such a one wait until the composition ends, in
    /// order and moved along with the text. `forcing` makes it at once: the composition ends first, with its text kept as
    /// text, and what waited is made before it. The range is in UTF-16 units and is clamped.
    public func apply(_ edit: PendingEdits.Edit, forcing: Bool = false) {
        if forcing { endComposition() }
        var edit = edit
        edit.range = edit.range.clamped(into: textRange)
        if pendingEdits.submit(edit, marked: markedText?.range) == .apply { make(edit) }
    }

    /// Replaces a range as the program's edit; see ``apply(_:forcing:)``.
    public func replaceText(in range: Range<UTF16Offset>, with text: String, forcing: Bool = false) {
        apply(PendingEdits.Edit(range: range, text: text), forcing: forcing)
    }

    private func make(_ edit: PendingEdits.Edit) {
        asOutsideChange(of: .text) {
            let range = edit.replacesAll ? textRange : edit.range.clamped(into: textRange)
            store.replace(range, with: edit.text, selectionBefore: primary.range)
            if edit.replacesAll { select(Selection(caret: 0)) }
        }
    }
}
