import InkstoneBase
public import InkstoneInput
public import InkstoneText

/// The input protocols for a field that keeps an ``EditableText``. The field only has to implement geometry.
///
/// A field that draws itself implements ``content``, ``TextInputClient/textInputViewOrigin``,
/// ``TextInput/caretRect(for:)``, ``TextInput/selectionRects(for:)`` and ``TextInput/closestPosition(to:)``, and
/// draws the text.
public protocol EditableTextInput: SessionTextInput {
    /// The text of the field, with its selection and marked text.
    var content: EditableText { get }
}

extension EditableTextInput {
    /// The session of the ``content``. If the field is secure, using this property makes the store confidential.
    public var session: EditingSession {
        if isSecureTextEntry { content.store.isConfidential = true }
        return content.session
    }

    /// Whether the user may edit, according to the content's options.
    public var isEditable: Bool { content.options.isEditable }
    /// Whether the text is secret, according to the content's options. If so, the field must draw it unreadably.
    public var isSecureTextEntry: Bool { content.options.isSecureTextEntry }
    /// Whether the user may edit. ``EditableText/shouldChange`` is called by the edit itself, so it is not called
    /// here: a command would call it twice.
    public func shouldChangeText(in range: TextRange, replacementText text: String) -> Bool { isEditable }

    /// Replaces the whole text by an edit of the program, regardless of the options. A composition ends, the input
    /// system is notified, the caret moves to the end, and the undo history is removed.
    public func reset(to text: String = "") {
        content.session.textInput = self
        content.reset(to: text)
    }

    /// The style of marked text; nil for the field's own style.
    public var markedTextStyle: MarkedTextStyle? {
        get { content.markedTextStyle }
        set { content.markedTextStyle = newValue }
    }

    /// Returns the position a number of clusters to the left or right, for left-to-right text of one line. Nil for
    /// up and down, and beyond the ends of the text.
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

    /// A tokenizer with the text units of Unicode.
    public var tokenizer: any TextInputTokenizer { content.tokenizer(for: self) }

    /// Performs the standard commands, including undo and redo.
    @discardableResult
    public func doCommand(by command: EditCommand) -> Bool { content.perform(command, on: self) }
}
