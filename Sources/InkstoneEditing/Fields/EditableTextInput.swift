import InkstoneBase
public import InkstoneInput
public import InkstoneText

/// The contracts for a field that keeps an ``EditableText``: only geometry is left to write.
///
/// A field of one's own drawing implements ``content``, ``TextInputClient/textInputViewOrigin``,
/// ``TextInput/caretRect(for:)``, ``TextInput/selectionRects(for:)`` and ``TextInput/closestPosition(to:)``, and draws.
public protocol EditableTextInput: SessionTextInput {
    /// The text, its selection and what is marked of it.
    var content: EditableText { get }
}

extension EditableTextInput {
    /// The session of the ``content``. The text of a secure field is confidential from the first edit on.
    public var session: EditingSession {
        if isSecureTextEntry { content.store.isConfidential = true }
        return content.session
    }

    /// Whether the user may edit: the content's options say it.
    public var isEditable: Bool { content.options.isEditable }
    /// Whether the text is hidden from everyone: the content's options say it, and the field draws it so.
    public var isSecureTextEntry: Bool { content.options.isSecureTextEntry }
    /// Whether the user may edit. ``EditableText/shouldChange`` is asked with each edit, so that a command does not ask it twice.
    public func shouldChangeText(in range: TextRange, replacementText text: String) -> Bool { isEditable }

    /// Sets the whole text as the program does, whatever the options say: a composition ends, the input system is told, the caret goes to the
    /// end, and no step of undo is left.
    public func reset(to text: String = "") {
        content.session.textInput = self
        content.reset(to: text)
    }

    /// How marked text looks.
    public var markedTextStyle: MarkedTextStyle? {
        get { content.markedTextStyle }
        set { content.markedTextStyle = newValue }
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

    /// Unicode's units.
    public var tokenizer: any TextInputTokenizer { content.tokenizer(for: self) }

    /// Standard commands with undo.
    @discardableResult
    public func doCommand(by command: EditCommand) -> Bool { content.perform(command, on: self) }
}
