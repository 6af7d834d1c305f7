import InkstoneBase
import InkstoneInput
import InkstoneText

extension EditorView {
    /// Replaces text as the user's own edit and puts the caret after it. The range is clamped.
    func userReplace(_ range: Range<UTF16Offset>, with text: String, kind: EditKind) {
        guard isEditable else { return }
        let range = range.clamped(into: textRange)
        guard !(range.isEmpty && text.isEmpty) else { return }
        if let marked = markedText, range != marked.range { endComposition() }
        let edit = replace(range, with: text, kind: kind)
        select(EditorSelection(caret: edit.map(range.upperBound, leaning: .downstream)))
        tellChanges()
    }

    /// The one way from this view into the store: an edit whose selection the caller sets afterwards.
    @discardableResult
    func replace(_ range: Range<UTF16Offset>, with text: String, kind: EditKind) -> TextEdit {
        isWithinOwnEdit = true
        defer { isWithinOwnEdit = false }
        return store.replace(range, with: text, kind: kind)
    }

    /// Types text over the selection, also one inside marked text; what was marked around it becomes ordinary text.
    public func insertText(_ text: String) {
        guard isEditable else { return }
        asInputSystem {
            if markedText != nil {
                finishComposition(with: text, replacing: selection.range)
            } else {
                userReplace(selection.range, with: text, kind: .typing)
            }
        }
    }

    /// Deletes the selection, or one grapheme cluster before the caret.
    public func deleteBackward() {
        asInputSystem { delete(to: store.text.graphemeBoundary(before: selection.head)) }
    }

    /// Deletes the selection, or one grapheme cluster after the caret.
    public func deleteForward() {
        delete(to: store.text.graphemeBoundary(after: selection.head))
    }

    /// Deletes the selection, or what lies between the caret and `other`.
    func delete(to other: UTF16Offset) {
        let range = selection.isCaret ? min(selection.head, other)..<max(selection.head, other) : selection.range
        userReplace(range, with: "", kind: .deleting)
    }

    /// Puts text from outside over the selection, as one undo step. Line ends become those of the text.
    public func paste(_ text: String) {
        userReplace(selection.range, with: normalizingNewlines(of: text), kind: .other)
    }

    /// Text from outside with its line ends as ``newline``. O(n).
    func normalizingNewlines(of text: String) -> String {
        guard text.utf8.contains(0x0d) || newline != "\n" else { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var last: UInt8 = 0
        for byte in text.utf8 {
            switch byte {
            case 0x0a where last == 0x0d: break
            case 0x0a, 0x0d: bytes += newline.utf8
            default: bytes.append(byte)
            }
            last = byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Puts text from outside at a place, without touching what is selected elsewhere (middle click).
    public func paste(_ text: String, at offset: UTF16Offset) {
        userReplace(offset..<offset, with: normalizingNewlines(of: text), kind: .other)
    }

    /// Puts text from outside over what an anchor covers: where the user asked for it.
    public func paste(_ text: String, at anchor: any InputAnchor) {
        replaceText(at: anchor, with: normalizingNewlines(of: text))
    }

    /// The text that is selected; nil for a caret.
    public var selectedText: String? {
        selection.isCaret ? nil : string(in: selection.range)
    }

    /// The text of a range, which is clamped.
    func string(in range: Range<UTF16Offset>) -> String {
        store.text.string(in: range.clamped(into: textRange))
    }

    /// Takes the last step back; a composition that is going on ends first, with its text kept, and is that step.
    public func undo() {
        guard isEditable else { return }
        endComposition()
        guard let restored = store.undo() else { return }
        select(EditorSelection(anchor: restored.lowerBound, head: restored.upperBound))
        tellChanges()
    }

    /// Does again what was taken back.
    public func redo() {
        guard isEditable else { return }
        endComposition()
        guard let restored = store.redo() else { return }
        select(EditorSelection(anchor: restored.lowerBound, head: restored.upperBound))
        tellChanges()
    }

    // MARK: Composition

    /// Marks text: replaces `range`, selects inside it, and opens the composition's undo step.
    func mark(_ text: InputText, replacing range: Range<UTF16Offset>, selected: Range<Int>) {
        guard isEditable else { return }
        guard !text.string.isEmpty else {
            if markedText != nil {
                finishComposition(with: "", replacing: range)
            } else {
                userReplace(range, with: "", kind: .other)
            }
            return
        }
        let old = markedText
        tellChanges()
        changes.markingDidChange(true)
        compositionDidBegin()
        if string(in: range) != text.string { replace(range, with: text.string, kind: .other) }
        let new = range.lowerBound..<(range.lowerBound + text.string.utf16.count)
        markedText = MarkedText(range: new, clauses: text.clauses)
        if let old { setNeedsDisplay(offsets: old.range) }
        setNeedsDisplay(offsets: new)
        caretIsHidden = text.isCaretHidden
        select(
            EditorSelection(
                anchor: new.lowerBound + selected.lowerBound, head: new.lowerBound + selected.upperBound))
    }

    /// Ends the composition with its result in place of `range`.
    func finishComposition(with text: String, replacing range: Range<UTF16Offset>) {
        let old = markedText?.range ?? range
        markedText = nil
        caretIsHidden = false
        if string(in: range) != text { replace(range, with: text, kind: .other) }
        setNeedsDisplay(offsets: old)
        select(EditorSelection(caret: range.lowerBound + text.utf16.count))
        compositionDidSettle()
    }

    /// Ends the composition with its text as it is.
    func keepMarkedText() {
        guard let marked = markedText else { return }
        markedText = nil
        caretIsHidden = false
        setNeedsDisplay(offsets: marked.range)
        select(EditorSelection(caret: selection.isCaret ? selection.head : marked.range.upperBound))
        compositionDidSettle()
    }

    /// What waited for the end of the composition: its undo step is closed, changes are told, and the program's edits
    /// that touched the marked text are made.
    func compositionDidSettle() {
        compositionDidEnd()
        tellChanges()
        changes.markingDidChange(false)
        while markedText == nil, let edit = pendingEdits.next(textLength: textRange.upperBound.value) { apply(edit) }
    }

    // MARK: Edits by the program

    /// Replaces a range as the program's edit, as one step of undo; the user's selection keeps its text.
    ///
    /// During a composition an edit apart from the marked text is made at once; one that touches it waits until the
    /// composition ends, in order with others and moved along with the text. `forcing` makes it at once: the composition
    /// ends first, with its text kept. The range is in UTF-16 code units and is clamped.
    public func replaceText(in range: Range<UTF16Offset>, with text: String, forcing: Bool = false) {
        if forcing { endComposition() }
        submit(PendingEdits.Edit(range: range.clamped(into: textRange), text: text))
    }

    /// Makes an edit by the program now or when its turn comes.
    func submit(_ edit: PendingEdits.Edit) {
        if pendingEdits.submit(edit, marked: markedText?.range) == .apply { apply(edit) }
    }

    private func apply(_ edit: PendingEdits.Edit) {
        store.replace(edit.range, with: edit.text)
        if edit.replacesAll { select(EditorSelection(caret: 0)) }
        tellChanges()
    }

    /// Opens the undo step of a composition; once for several calls.
    public func compositionDidBegin() {
        guard !compositionIsGrouped else { return }
        compositionIsGrouped = true
        store.beginUndoGroup()
    }

    /// Closes the undo step of a composition.
    public func compositionDidEnd() {
        guard compositionIsGrouped else { return }
        compositionIsGrouped = false
        store.endUndoGroup()
    }
}
