public import InkstoneBase
public import InkstoneInput
public import InkstoneText

/// The text of a small field with all that the contracts need to know of it: selection, marked text, undo.
///
/// A field of one's own drawing keeps one and adopts ``EditableTextInput``; what is left to it is geometry. It is an
/// ``EditorState`` on a `TextStore`, so that it edits, composes and undoes as every other view does. Whoever edits the store
/// directly moves selection and marked text along.
public final class EditableText {
    /// The document.
    public let store: TextStore
    /// The text, the selection and what is being composed.
    public private(set) var state: EditorState
    /// How marked text looks; nil for the field's own way.
    public var markedTextStyle: MarkedTextStyle?
    /// What the user may do with the text: edit it at all, what of it is taken, how long it gets; and what the field is to show where it is
    /// empty. Text that is hidden is the field's to hide.
    public var options: TextInputOptions {
        get { state.options }
        set {
            if !newValue.isEditable || newValue.isSecureTextEntry { unmark() }
            if newValue.isSecureTextEntry { store.isConfidential = true }
            state.adopt(state.changing(.options(newValue)))
            onChange?()
        }
    }
    /// Decides whether the user may replace a range, in UTF-16 units, by a text; nil permits all. Not asked about text that is composed still.
    /// It may edit.
    public var shouldChange: ((Range<UTF16Offset>, String) -> Bool)?
    /// Whether the lines of what is inserted become one, as a single-line field wants it.
    public var isSingleLine: Bool {
        get { state.options.isSingleLine }
        set { change { $0.isSingleLine = newValue } }
    }
    /// How many grapheme clusters the user may make the text; nil for any number.
    public var maximumLength: Int? {
        get { state.options.maximumLength }
        set { change { $0.maximumLength = newValue } }
    }
    /// Told of changes that the field makes by itself.
    public weak var inputDelegate: (any TextInputDelegate)?
    /// Called after every change of text, selection or marked text: redraw.
    public var onChange: (() -> Void)?

    private let view = ViewID()
    private var tokenizer: TextInputStringTokenizer?

    /// A text with the caret at its end.
    public init(_ text: String = "", isSingleLine: Bool = true) {
        store = TextStore(Rope(isSingleLine ? Self.onOneLine(text) : text))
        state = EditorState(of: store, view: view, selection: Selection(caret: store.text.utf16Range.upperBound))
        self.isSingleLine = isSingleLine
        store.addFollower(self)
        noteSelection()
    }

    private static func onOneLine(_ text: String) -> String {
        text.contains(where: \.isNewline) ? String(text.map { $0.isNewline ? " " : $0 }) : text
    }

    // MARK: Reading

    /// The selection, in UTF-16 units, at cluster starts; nil for none. Setting it clamps.
    public var selection: Range<UTF16Offset>? {
        get { state.selection?.range }
        set { select(newValue.map { Selection(anchor: $0.lowerBound, head: $0.upperBound) }) }
    }
    /// The marked text, in UTF-16 units; nil if there is none.
    public var marked: Range<UTF16Offset>? { state.markedText?.range }
    /// The marked text with its clauses; nil if there is none.
    public var markedText: MarkedText? { state.markedText }

    /// The text.
    public var string: String { store.text.string(in: store.text.byteRange) }
    /// Number of UTF-16 units.
    public var length: Int { store.text.utf16Range.length() }

    /// The UTF-16 offset of a position, mapped from older versions. Traps on a position of another document.
    public func offset(of position: TextPosition) -> UTF16Offset { store.offset(of: position) }
    /// The range of two positions.
    public func range(of range: TextRange) -> Range<UTF16Offset> {
        let start = offset(of: range.start)
        let end = offset(of: range.end)
        return min(start, end)..<max(start, end)
    }
    /// The positions of a range.
    public func textRange(_ range: Range<UTF16Offset>) -> TextRange {
        TextRange(start: store.position(at: range.lowerBound), end: store.position(at: range.upperBound))
    }
    /// The text of a range; an end between surrogates counts as the pair's start.
    public func string(in range: Range<UTF16Offset>) -> String { state.string(in: range) }

    // MARK: Editing

    /// The one way from here into the store, through the filters.
    @discardableResult
    private func dispatch(_ transaction: Transaction?) -> AppliedTransaction? {
        guard var transaction else { return nil }
        // Who is asked may edit: what they are asked about is of this state.
        let state = state
        guard case .accept = state.prepare(&transaction, asking: shouldChange) else { return nil }
        return store.make(transaction) {
            self.state.adopt($0)
            noteSelection()
            onChange?()
        }
    }

    private func change(_ change: (inout TextInputOptions) -> Void) {
        var options = state.options
        change(&options)
        state.adopt(state.changing(.options(options)))
    }

    /// Begins with another text by the program, whatever the options say: the composition ends, the caret goes to the end, and no step of undo
    /// is left. ``EditableTextInput/reset(to:)`` has the input system hear of it.
    func reset(to text: String) {
        unmark()
        let content = CopiedText(isSingleLine ? Self.onOneLine(text) : text)
        var transaction = state.programEdit(
            DeferredEdit(content, replacesAll: true, of: store.text, undo: .notRecorded))
        transaction.selection = .set(Selection(caret: UTF16Offset(content.content.rope.metrics.utf16)))
        dispatch(transaction)
        store.removeAllUndo()
    }

    /// Replaces a range, clamped; an end between surrogates counts as the pair's start. The caret goes after the new text
    /// if it was in the range, and moves along otherwise.
    public func replace(_ range: Range<UTF16Offset>, with text: String) { insert(text, over: .beside(range)) }

    /// Types text in place of the selection; what was marked becomes ordinary text.
    public func insert(_ text: String) {
        guard selection != nil else { return }
        insert(text, over: .selection)
    }

    /// Inserts finished text in place of `range`, or the marked text, or the selection, and ends the composition.
    public func insert(_ text: String, replacing range: UTF16Range) {
        insert(text, over: state.insertionTarget(range))
    }

    private func insert(_ text: String, over target: EditorState.InsertionTarget) {
        let target = endComposition(before: target)
        dispatch(state.inserting(text, over: target))
    }

    /// Ends a composition that a text does not go to, with its text kept. Returns where the text goes then.
    private func endComposition(before target: EditorState.InsertionTarget) -> EditorState.InsertionTarget {
        dispatch(state.ending(before: target)).map { target.mapped(through: $0.changes.changeMap) } ?? target
    }

    /// Deletes the selection or what was typed last before the caret: ``EditorState/deletingBackward()``.
    public func deleteBackward() { dispatch(state.deletingBackward()) }

    /// Marks text in place of `range`, or the marked text, or the selection. `selected` counts from its start.
    public func mark(_ text: InputText, selected: UTF16Range, replacing range: UTF16Range = .notFound) {
        let target = endComposition(before: state.insertionTarget(range))
        dispatch(state.marking(text, over: target, selected: selected))
    }

    /// Ends the composition; the text stays.
    public func unmark() { dispatch(state.ending(.keeping)) }

    /// A composition begins: what is edited until it ends is one step of undo.
    public func beginComposition() { dispatch(state.beginningComposition()) }

    /// The composition is over.
    public func endComposition() { dispatch(state.endingComposition()) }

    /// Replaces what an anchor covers; see ``AnchoredTextInput``.
    public func replace(at anchor: any InputAnchor, with text: String) {
        guard let range = anchor.range.clamped(to: store.text.utf16Range) else { return }
        guard let applied = dispatch(state.replacing(range, withLateText: text)),
            let new = applied.changes.changeMap.first?.newRange
        else { return }
        (anchor as? RangeAnchor)?.cover(store.presentRange(new, after: applied))
    }

    /// An anchor over a range; `notFound` means the selection.
    public func makeAnchor(_ range: UTF16Range) -> any InputAnchor {
        RangeAnchor(store, range.clamped(to: store.text.utf16Range) ?? selection ?? 0..<0)
    }

    // MARK: Selecting

    /// Performs a command of ``StandardCommands``, with undo, and with one end of the selection as its anchor when it is
    /// extended. In a single line new lines and Tab are not performed: they go up the responder chain.
    public func perform(_ command: EditCommand, on input: any TextInput) -> Bool {
        switch command {
        case .undo: return restore(store.undoing(in: view), on: input)
        case .redo: return restore(store.redoing(in: view), on: input)
        // For whoever has the field: Return is its action, Tab leaves it.
        case .insertNewline, .insertLineBreak, .insertParagraphSeparator, .insertNewlineIgnoringFieldEditor, .insertTab:
            if isSingleLine { return false }
            if command == .insertTab, options.tabBehavior == .movesFocus { return false }
        default: break
        }
        guard let move = command.moveWithoutModifyingSelection, let selection = state.selection else {
            return StandardCommands.perform(command, on: input)
        }
        guard
            let target = StandardCommands.target(of: move, from: store.position(at: selection.head), on: input)
        else { return move.move != nil }
        let new = offset(of: target)
        guard new != selection.head else { return true }
        inputDelegate?.selectionWillChange(input)
        select(Selection(anchor: selection.anchor, head: new))
        inputDelegate?.selectionDidChange(input)
        return true
    }

    private func restore(_ transaction: Transaction?, on input: any TextInput) -> Bool {
        guard let transaction else { return false }
        let told = inputDelegate
        told?.textWillChange(input)
        dispatch(transaction)
        told?.textDidChange(input)
        return true
    }

    func tokenizer(for input: any TextInput) -> TextInputStringTokenizer {
        if let tokenizer, tokenizer.textInput === input { return tokenizer }
        let new = TextInputStringTokenizer(textInput: input)
        tokenizer = new
        return new
    }

    private func select(_ new: Selection?) {
        let text = store.text
        let selection = new?.clamped(into: text.utf16Range).map {
            SelectionRange(
                anchor: text.roundedDown(toGrapheme: $0.anchor), head: text.roundedDown(toGrapheme: $0.head))
        }
        store.breakUndoCoalescing()
        dispatch(state.selecting(selection))
    }

    private func noteSelection() { store.noteSelection(state.selection, of: view) }
}

extension EditableText: TextStoreFollower {
    /// Every edit, also one past this object, moves selection and marked text.
    package func storeDidApply(_ applied: AppliedTransaction) {
        state.apply(applied)
        if applied.view == view || store.isLastSelected(view) { noteSelection() }
    }

    /// Has the field drawn anew.
    package func storeDidDeliver(_ applied: AppliedTransaction) { onChange?() }
}
