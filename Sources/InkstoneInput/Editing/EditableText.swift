public import InkstoneBase
public import InkstoneText

/// The text of a small field with all that the contracts need to know of it: selection, marked text, undo.
///
/// A field of one's own drawing keeps one and adopts ``EditableTextInput``; what is left to it is geometry. Built on a
/// `TextStore`, so positions, anchors and undo are those of every other view. Whoever edits the store directly moves
/// selection and marked text along.
public final class EditableText {
    /// The document.
    public let store: TextStore
    /// The selection, in UTF-16 units, at cluster starts; nil for none. Setting it clamps.
    public var selection: Range<UTF16Offset>? {
        get { storedSelection }
        set {
            storedSelection = newValue.map(snapped)
            selectionHead = nil
            store.breakUndoCoalescing()
            noteSelection()
            changed()
        }
    }
    /// The marked text, in UTF-16 units; nil if there is none.
    public private(set) var marked: Range<UTF16Offset>?
    /// The marked text with its clauses, as it came.
    public private(set) var markedText: InputText?
    /// How marked text looks; nil for the field's own way.
    public var markedTextStyle: MarkedTextStyle?
    /// Whether newlines are left out, as a single-line field wants it.
    public var isSingleLine: Bool
    /// Told of changes that the field makes by itself.
    public weak var inputDelegate: (any TextInputDelegate)?
    /// Called after every change of text, selection or marked text: redraw.
    public var onChange: (() -> Void)?

    private var storedSelection: Range<UTF16Offset>? = 0..<0
    /// The end that moves when the selection is extended; the other is the anchor.
    private var selectionHead: UTF16Offset?
    private var tokenizer: TextInputStringTokenizer?
    /// Own operations that are going on: what they set themselves is not moved, and told of at their end.
    private var operations = 0

    /// A text with the caret at its end.
    public init(_ text: String = "", isSingleLine: Bool = true) {
        store = TextStore(Rope(text))
        self.isSingleLine = isSingleLine
        storedSelection = store.text.utf16Range.upperBound..<store.text.utf16Range.upperBound
        store.addFollower(self)
        noteSelection()
    }

    /// Which of the views of the store it is.
    private let view = ViewID()
    /// What edits of the composition that is going on are joined by in the undo history.
    private var composition: UndoGroupID?

    /// A composition begins: what is edited until it ends is one step of undo.
    public func beginComposition() {
        guard composition == nil else { return }
        composition = UndoGroupID()
        selectionAtComposition = (store.version, storedSelection ?? 0..<0)
    }
    /// What was selected when it began, in UTF-16 units of the text of a version.
    private var selectionAtComposition: (version: TextVersion, range: Range<UTF16Offset>)?

    /// The composition is over.
    public func endComposition() {
        composition = nil
        selectionAtComposition = nil
    }

    private func noteSelection() { store.noteSelection(storedSelection ?? 0..<0, of: view) }

    /// The one way from here into the store.
    @discardableResult
    private func edit(_ range: Range<UTF16Offset>, _ text: String, _ kind: EditKind) -> TextEdit {
        var selectionBefore = storedSelection ?? 0..<0
        // Where a composition began, also if the input method selected something else before its first edit.
        if let start = selectionAtComposition, start.version == store.version { selectionBefore = start.range }
        return store.replace(
            range, with: text, kind: kind, undo: composition.map { .group($0) },
            selectionBefore: selectionBefore,
            view: view)
    }

    // MARK: Reading

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
    public func string(in range: Range<UTF16Offset>) -> String {
        store.text.string(in: store.text.byteRange(of: range.clamped(into: store.text.utf16Range)))
    }

    // MARK: Editing

    /// Replaces a range, clamped; an end between surrogates counts as the pair's start. The caret goes after the new text
    /// if it was in the range, and moves along otherwise.
    public func replace(_ range: Range<UTF16Offset>, with text: String, kind: EditKind = .other) {
        let range = range.clamped(into: store.text.utf16Range)
        let caret = storedSelection
        let isInside = caret.map { $0.lowerBound >= range.lowerBound && $0.upperBound <= range.upperBound } ?? false
        operation {
            let edit = self.edit(range, filtered(text), kind)
            if isInside { setCaret(edit.insertedUTF16Range.upperBound) }
        }
    }

    /// Types text in place of the selection; what was marked becomes ordinary text.
    public func insert(_ text: String) {
        guard let selection else { return }
        operation {
            replace(selection, with: text, kind: .typing)
            unmark()
        }
    }

    /// Inserts finished text in place of `range`, or the marked text, or the selection, and ends the composition.
    public func insert(_ text: String, replacing range: UTF16Range) {
        guard let target = range.clamped(to: store.text.utf16Range) ?? marked ?? selection else { return }
        operation {
            let edit = self.edit(target, filtered(text), .typing)
            setCaret(edit.insertedUTF16Range.upperBound)
            unmark()
        }
    }

    /// Deletes the selection or the cluster before the caret; of one that marked text shares with the letter before it
    /// only the marked part.
    public func deleteBackward() {
        guard let selection else { return }
        var start = selection.lowerBound
        if selection.isEmpty {
            start = store.text.graphemeBoundary(before: start)
            if let marked, marked.lowerBound < selection.lowerBound { start = max(start, marked.lowerBound) }
        }
        guard start < selection.upperBound else { return }
        replace(start..<selection.upperBound, with: "", kind: .deleting)
    }

    /// Marks text in place of `range`, or the marked text, or the selection. `selected` counts from its start.
    public func mark(_ text: InputText, selected: UTF16Range, replacing range: UTF16Range = .notFound) {
        let string = filtered(text.string)
        guard let target = range.clamped(to: store.text.utf16Range) ?? marked ?? (string.isEmpty ? nil : selection)
        else { return }
        operation { place(string, text, in: target, selected) }
    }

    private func place(
        _ string: String, _ text: InputText, in target: Range<UTF16Offset>, _ selected: UTF16Range
    ) {
        // The same text again: only clauses and selection may differ.
        if !string.utf8.elementsEqual(self.string(in: target).utf8) || target != marked {
            marked = edit(target, string, .typing).insertedUTF16Range
        }
        guard let placed = marked, !placed.isEmpty else {
            setCaret(marked?.lowerBound ?? target.lowerBound)
            return unmark()
        }
        markedText = text
        let end = UTF16Offset(placed.length())
        let relative = selected.clamped(to: 0..<end) ?? end..<end
        func stop(_ offset: UTF16Offset) -> UTF16Offset {
            max(placed.lowerBound, store.text.roundedDown(toGrapheme: placed.lowerBound + offset.value))
        }
        storedSelection = stop(relative.lowerBound)..<stop(relative.upperBound)
        selectionHead = nil
        noteSelection()
    }

    /// Ends the composition; the text stays.
    public func unmark() {
        guard marked != nil || markedText != nil else { return }
        operation {
            marked = nil
            markedText = nil
        }
    }

    /// Replaces what an anchor covers; see ``AnchoredTextInput``.
    public func replace(at anchor: any InputAnchor, with text: String) {
        guard let range = anchor.range.clamped(to: store.text.utf16Range) else { return }
        let old = storedSelection
        operations += 1
        let edit = self.edit(range, filtered(text), .typing)
        operations -= 1
        let delta = edit.delta.utf16
        func moved(_ offset: UTF16Offset) -> UTF16Offset {
            if offset >= range.upperBound { return offset + delta }
            return offset <= range.lowerBound ? offset : edit.insertedUTF16Range.upperBound
        }
        storedSelection = old.map { moved($0.lowerBound)..<moved($0.upperBound) }
        noteSelection()
        (anchor as? RangeAnchor)?.cover(edit.insertedUTF16Range)
        changed()
    }

    /// An anchor over a range; `notFound` means the selection.
    public func makeAnchor(_ range: UTF16Range) -> any InputAnchor {
        RangeAnchor(store, range.clamped(to: store.text.utf16Range) ?? selection ?? 0..<0)
    }

    // MARK: Selecting

    /// Performs a command of ``StandardCommands``, with undo, and with one end of the selection as its anchor when it is
    /// extended.
    public func perform(_ command: EditCommand, on input: any TextInput) -> Bool {
        switch command {
        case .undo: return restore(input, store.canUndo) { store.undo(in: view) }
        case .redo: return restore(input, store.canRedo) { store.redo(in: view) }
        default: break
        }
        guard let move = command.moveWithoutModifyingSelection, let selection = storedSelection else {
            return StandardCommands.perform(command, on: input)
        }
        let head = selectionHead ?? selection.upperBound
        let anchor = head == selection.lowerBound ? selection.upperBound : selection.lowerBound
        guard let target = StandardCommands.target(of: move, from: store.position(at: head), on: input) else {
            return move.move != nil
        }
        let new = offset(of: target)
        guard new != head else { return true }
        inputDelegate?.selectionWillChange(input)
        self.selection = min(anchor, new)..<max(anchor, new)
        selectionHead = new
        inputDelegate?.selectionDidChange(input)
        return true
    }

    private func restore(
        _ input: any TextInput, _ isPossible: Bool, _ step: () -> Range<UTF16Offset>?
    ) -> Bool {
        guard isPossible else { return false }
        let told = inputDelegate
        told?.textWillChange(input)
        if let selection = step() { self.selection = selection }
        told?.textDidChange(input)
        return true
    }

    func tokenizer(for input: any TextInput) -> TextInputStringTokenizer {
        if let tokenizer, tokenizer.textInput === input { return tokenizer }
        let new = TextInputStringTokenizer(textInput: input)
        tokenizer = new
        return new
    }

    private func setCaret(_ offset: UTF16Offset) {
        storedSelection = offset..<offset
        selectionHead = nil
        noteSelection()
    }

    private func changed() {
        if operations == 0 { onChange?() }
    }

    /// One change as seen from outside, however many steps it takes.
    private func operation(_ work: () -> Void) {
        operations += 1
        work()
        operations -= 1
        changed()
    }

    private func snapped(_ range: Range<UTF16Offset>) -> Range<UTF16Offset> {
        let cut = range.clamped(into: store.text.utf16Range)
        return store.text.roundedDown(toGrapheme: cut.lowerBound)..<store.text.roundedDown(toGrapheme: cut.upperBound)
    }

    private func filtered(_ text: String) -> String {
        isSingleLine ? String(String.UnicodeScalarView(text.unicodeScalars.filter { !$0.isNewline })) : text
    }

    /// Every edit, also one past this object, moves selection and marked text.
    private func follow(_ edit: TextEdit) {
        func moved(_ range: Range<UTF16Offset>) -> Range<UTF16Offset> {
            func move(_ offset: UTF16Offset, _ leansForward: Bool) -> UTF16Offset {
                if offset < edit.utf16Range.lowerBound || offset == edit.utf16Range.lowerBound && !leansForward {
                    return offset
                }
                if offset >= edit.utf16Range.upperBound { return offset + edit.delta.utf16 }
                return edit.insertedUTF16Range.upperBound
            }
            let start = move(range.lowerBound, !range.isEmpty || edit.utf16Range.upperBound <= range.lowerBound)
            return start..<max(start, move(range.upperBound, range.isEmpty))
        }
        storedSelection = storedSelection.map(moved)
        marked = marked.map(moved).flatMap { $0.isEmpty ? nil : $0 }
        if marked == nil { markedText = nil }
    }
}

extension EditableText: TextStoreFollower {
    /// Moves selection and marked text.
    package func storeDidApply(_ applied: AppliedTransaction) {
        for edit in applied.edits { follow(edit) }
        if store.isLastSelected(view) { noteSelection() }
    }

    /// Has the field drawn anew.
    package func storeDidDeliver(_ applied: AppliedTransaction) { changed() }
}

extension Unicode.Scalar {
    var isNewline: Bool {
        self == "\n" || self == "\r" || self == "\u{2028}" || self == "\u{2029}"
    }
}

/// A range of a `TextStore`'s text that moves with edits: what others insert at its ends stays outside. One that is empty,
/// or whose text is gone, is a place that stays before what is inserted there.
public final class RangeAnchor: InputAnchor {
    private let store: TextStore
    private var start: TextAnchor
    private var end: TextAnchor

    /// An anchor over a range of a store's present text, clamped to it.
    public init(_ store: TextStore, _ range: Range<UTF16Offset>) {
        self.store = store
        let isEmpty = range.isEmpty
        start = store.makeAnchor(at: range.lowerBound, gravity: isEmpty ? .upstream : .downstream)
        end = store.makeAnchor(at: range.upperBound, gravity: .upstream)
    }

    /// Where it is now, in UTF-16 units.
    public var range: UTF16Range {
        UTF16Range(location: min(start.offset, end.offset).value, length: max(0, end.offset - start.offset))
    }

    /// Moves it over another range, such as the text that replaced it.
    public func cover(_ range: Range<UTF16Offset>) {
        start = store.makeAnchor(at: range.lowerBound, gravity: range.isEmpty ? .upstream : .downstream)
        end = store.makeAnchor(at: range.upperBound, gravity: .upstream)
    }
}
