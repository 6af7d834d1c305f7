import InkstoneBase
public import InkstoneInput
public import InkstoneText

/// The input contracts for a field that keeps an ``EditableText``: only geometry is left to write.
///
/// A field that draws itself implements ``content``, ``TextInputClient/textInputViewOrigin``,
/// ``TextInput/caretRect(for:)``, ``TextInput/selectionRects(for:)`` and ``TextInput/closestPosition(to:)``, and draws.
public protocol EditableTextInput: SessionTextInput {
    /// The text, with its selection and marked text.
    var content: EditableText { get }
}

extension EditableTextInput {
    /// The session of the ``content``. The text of a secure field is confidential from the first edit on.
    public var session: EditingSession {
        if isSecureTextEntry { content.store.isConfidential = true }
        return content.session
    }

    /// Whether the user may edit, by the content's options.
    public var isEditable: Bool { content.options.isEditable }
    /// Whether the text is secret, by the content's options; the field draws it accordingly.
    public var isSecureTextEntry: Bool { content.options.isSecureTextEntry }
    /// Whether the user may edit. ``EditableText/shouldChange`` is called with each edit, so that a command does not call it twice.
    public func shouldChangeText(in range: TextRange, replacementText text: String) -> Bool { isEditable }

    /// Sets the whole text as the program's edit, whatever the options: a composition ends, the input system is notified, the caret goes to the
    /// end, and no undo step is left.
    public func reset(to text: String = "") {
        content.session.textInput = self
        content.reset(to: text)
    }

    /// The style of marked text.
    public var markedTextStyle: MarkedTextStyle? {
        get { content.markedTextStyle }
        set { content.markedTextStyle = newValue }
    }

    /// Returns the position a number of clusters to the left or right in left-to-right text of one line; nil up and down.
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

    /// A tokenizer with Unicode's units.
    public var tokenizer: any TextInputTokenizer { content.tokenizer(for: self) }

    /// Performs standard commands, with undo.
    @discardableResult
    public func doCommand(by command: EditCommand) -> Bool { content.perform(command, on: self) }
}
