public import InkstoneBase
public import InkstoneInput
public import InkstoneText

/// The contracts for a field that keeps an ``EditableText``: only geometry is left to write.
///
/// A field of one's own drawing implements ``content``, ``TextInputClient/textInputViewOrigin``,
/// ``TextInput/caretRect(for:)``, ``TextInput/selectionRects(for:)`` and ``TextInput/closestPosition(to:)``, and draws.
public protocol EditableTextInput: TextInput, TextInputClient, AnchoredTextInput {
    /// The text, its selection and what is marked of it.
    var content: EditableText { get }
}

extension EditableTextInput {
    /// The content, on its way to be edited: that of a secure field is confidential from the first edit on.
    private var edited: EditableText {
        if isSecureTextEntry { content.store.isConfidential = true }
        return content
    }

    /// Whether the user may edit: the content's options say it.
    public var isEditable: Bool { content.options.isEditable }
    /// Whether the text is hidden from everyone: the content's options say it, and the field draws it so.
    public var isSecureTextEntry: Bool { content.options.isSecureTextEntry }

    /// Sets the whole text as the program does, whatever the options say: a composition ends, the input system is told, the caret goes to the
    /// end, and no step of undo is left.
    public func reset(to text: String = "") {
        inputDelegate?.textWillChange(self)
        content.reset(to: text)
        inputDelegate?.textDidChange(self)
    }

    // MARK: KeyInput

    /// Types in place of the selection.
    public func insertText(_ text: String) { edited.insert(text) }
    /// Deletes the selection or what was typed last before the caret.
    public func deleteBackward() { content.deleteBackward() }

    // MARK: TextInput

    /// The text in a range; nil in a secure field.
    public func text(in range: TextRange) -> String? {
        isSecureTextEntry ? nil : content.string(in: content.range(of: range))
    }
    /// Replaces a range.
    public func replace(_ range: TextRange, withText text: String) {
        edited.replace(content.range(of: range), with: text)
    }
    /// The selection.
    public var selectedTextRange: TextRange? {
        get { content.selection.map(content.textRange) }
        set { content.selection = newValue.map(content.range) }
    }
    /// The marked text.
    public var markedTextRange: TextRange? { content.marked.map(content.textRange) }
    /// How marked text looks.
    public var markedTextStyle: MarkedTextStyle? {
        get { content.markedTextStyle }
        set { content.markedTextStyle = newValue }
    }
    /// Marks text in place of the marked text or the selection.
    public func setAttributedMarkedText(_ markedText: InputText?, selectedRange: UTF16Range) {
        edited.mark(markedText ?? "", selected: selectedRange)
    }
    /// Marks text in place of a range, the marked text or the selection.
    public func setMarkedText(_ string: InputText, selectedRange: UTF16Range, replacementRange: UTF16Range) {
        edited.mark(string, selected: selectedRange, replacing: replacementRange)
    }
    /// Inserts finished text.
    public func insertText(_ string: String, replacementRange: UTF16Range) {
        edited.insert(string, replacing: replacementRange)
    }
    /// Ends the composition; the text stays.
    public func unmarkText() { content.unmark() }
    /// Before the first character.
    public var beginningOfDocument: TextPosition { content.store.position(at: 0) }
    /// After the last character.
    public var endOfDocument: TextPosition { content.store.position(at: UTF16Offset(content.length)) }

    /// The position some UTF-16 units away; nil beyond the ends.
    public func position(from position: TextPosition, offset: Int) -> TextPosition? {
        let (at, overflow) = content.offset(of: position).value.addingReportingOverflow(offset)
        guard !overflow, at >= 0, at <= content.length else { return nil }
        return content.store.position(at: UTF16Offset(at))
    }

    /// Clusters to the left and right in left-to-right text of one line; nil up and down.
    public func position(
        from position: TextPosition, in direction: TextLayoutDirection, offset: Int
    ) -> TextPosition? {
        guard direction == .left || direction == .right else { return nil }
        var at = content.offset(of: position)
        let isForward = (direction == .right) == (offset >= 0)
        for _ in 0..<min(offset.magnitude, UInt(content.length) + 1) {
            let rope = content.store.text
            let next = isForward ? rope.graphemeBoundary(after: at) : rope.graphemeBoundary(before: at)
            guard next != at else { return nil }
            at = next
        }
        return content.store.position(at: at)
    }

    /// UTF-16 units between two positions.
    public func offset(from: TextPosition, to toPosition: TextPosition) -> Int {
        content.offset(of: toPosition) - content.offset(of: from)
    }
    /// Told of changes that the field makes by itself.
    public var inputDelegate: (any TextInputDelegate)? {
        get { content.inputDelegate }
        set { content.inputDelegate = newValue }
    }
    /// Unicode's units.
    public var tokenizer: any TextInputTokenizer { content.tokenizer(for: self) }

    // MARK: TextInputClient

    /// Standard commands with undo.
    @discardableResult
    public func doCommand(by command: EditCommand) -> Bool { content.perform(command, on: self) }
    /// A composition is one step of undo.
    public func compositionDidBegin() { content.beginComposition() }
    /// A composition is one step of undo.
    public func compositionDidEnd() { content.endComposition() }

    // MARK: AnchoredTextInput

    /// An anchor over a range.
    public func makeInputAnchor(for range: UTF16Range) -> any InputAnchor { content.makeAnchor(range) }
    /// Replaces what an anchor covers.
    public func replaceText(at anchor: any InputAnchor, with text: String) {
        edited.replace(at: anchor, with: text)
    }
}
