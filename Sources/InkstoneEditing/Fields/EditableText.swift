public import InkstoneBase
public import InkstoneInput
public import InkstoneText

/// The text of a small field, with everything that the input protocols need: selection, marked text, undo.
///
/// A field that draws itself keeps an `EditableText` and adopts ``EditableTextInput``; it only has to implement
/// geometry. An `EditableText` wraps an ``EditingSession`` without a view. It edits, composes and undoes as views
/// do.
public final class EditableText {
    /// The session, which makes all edits.
    public let session: EditingSession
    /// The style of marked text; nil for the field's own style.
    public var markedTextStyle: MarkedTextStyle?
    /// Returns whether the user may replace a range, in UTF-16 units, by a text; nil permits all. Not called for
    /// text that is still being composed. The function may edit. Setting it replaces the delegate of the
    /// ``session``.
    public var shouldChange: ((Range<UTF16Offset>, String) -> Bool)? {
        didSet {
            asked = shouldChange.map(Asked.init)
            session.delegate = asked
        }
    }
    private var asked: Asked?
    /// Called after every change of the text, selection, marked text or options. The field should redraw itself.
    public var onChange: (() -> Void)?
    private var observation: TextObservation?
    private var tokenizer: TextInputStringTokenizer?

    /// Creates a text with the caret at the end.
    public init(_ text: String = "", isSingleLine: Bool = true) {
        session = EditingSession(TextStore(Rope(isSingleLine ? Self.onOneLine(text) : text)))
        session.select(Selection(caret: session.textRange.upperBound))
        self.isSingleLine = isSingleLine
        observation = session.observe { [unowned self] in
            // Changes of the options, for example of the placeholder, are reported as changes of the geometry.
            if !$0.changes.isDisjoint(with: [.text, .selection, .markedText, .geometry]) { onChange?() }
        }
    }

    /// The options of the field, such as the edits that the user may make, the maximum length and the placeholder. If
    /// the text is secret, the field itself must draw it unreadably, for example as dots.
    public var options: TextInputOptions {
        get { session.options }
        set { session.options = newValue }
    }
    /// Whether the field has a single line. If so, the lines of inserted text are joined into one.
    public var isSingleLine: Bool {
        get { session.options.isSingleLine }
        set { session.options.isSingleLine = newValue }
    }
    /// The maximum length of the text that the user can enter, in grapheme clusters; nil for no limit.
    public var maximumLength: Int? {
        get { session.options.maximumLength }
        set { session.options.maximumLength = newValue }
    }

    private static func onOneLine(_ text: String) -> String {
        text.contains(where: \.isNewline) ? String(text.map { $0.isNewline ? " " : $0 }) : text
    }

    // MARK: Reading

    /// The store of the text, with its versions and its undo history.
    public var store: TextStore { session.store }
    /// The state of the session: text, selection and composition.
    public var state: EditorState { session.state }
    /// The selected range, in UTF-16 units, with both ends at starts of clusters; nil for no selection. When set,
    /// the range is clamped to the text, and text typed next belongs to another undo step.
    public var selection: Range<UTF16Offset>? {
        get { session.selection?.range }
        set {
            store.breakUndoCoalescing()
            session.selectByInput(newValue.map { ($0.clamped(into: session.textRange), .downstream) })
        }
    }
    /// The range of the marked text, in UTF-16 units; nil if there is none.
    public var marked: Range<UTF16Offset>? { session.markedText?.range }
    /// The marked text with its clauses; nil if there is none.
    public var markedText: MarkedText? { session.markedText }

    /// The whole text as a string. O(n).
    public var string: String { session.text }
    /// The number of UTF-16 units of the text.
    public var length: Int { session.textRange.length() }

    /// Returns the UTF-16 offset of a position. A position in an older version is mapped through the changes since.
    /// Traps on a position of another document.
    public func offset(of position: TextPosition) -> UTF16Offset { store.offset(of: position) }
    /// Returns the range, in UTF-16 units, between two positions.
    public func range(of range: TextRange) -> Range<UTF16Offset> { session.offsets(range) }
    /// Returns the positions of a range of UTF-16 units.
    public func textRange(_ range: Range<UTF16Offset>) -> TextRange { session.range(range) }
    /// Returns the text of a range, which is clamped to the text. An end within a surrogate pair is moved to the
    /// pair's start.
    public func string(in range: Range<UTF16Offset>) -> String { state.string(in: range) }

    // MARK: Editing

    /// Replaces the whole text by an edit of the program, regardless of the options; in a single-line field, the
    /// lines of the new text are joined. The composition ends, the caret moves to the end, and the undo history is
    /// removed. Input delegates are notified of one change, even if the text stays the same.
    func reset(to text: String) {
        session.changeWillBegin(.text)
        session.endComposition()
        let content = CopiedText(isSingleLine ? Self.onOneLine(text) : text)
        var transaction = state.programEdit(
            DeferredEdit(content, replacesAll: true, of: store.text, undo: .notRecorded))
        transaction.selection = .set(Selection(caret: UTF16Offset(content.content.rope.metrics.utf16)))
        session.dispatch(transaction)
        store.removeAllUndo()
        session.changeDidEnd()
    }

    /// Replaces a range, which is clamped to the text, as an edit by the user: the options and ``shouldChange``
    /// limit it. An end within a surrogate pair is moved to the pair's start. A caret in the range moves after the
    /// new text; any other caret keeps its place in the text.
    public func replace(_ range: Range<UTF16Offset>, with text: String) { session.insert(text, over: .beside(range)) }

    /// Performs a command of ``StandardCommands``, or undo or redo. Returns whether the command was performed. When
    /// the selection is extended, its anchor stays. In a single-line field, newlines and Tab are not performed:
    /// they go up the responder chain. So does Tab in any field in which it moves the focus.
    public func perform(_ command: EditCommand, on input: any TextInput) -> Bool {
        session.textInput = input
        switch command {
        case .undo:
            guard session.canPerform(command) else { return false }
            session.undo()
            return true
        case .redo:
            guard session.canPerform(command) else { return false }
            session.redo()
            return true
        // The owner of the field handles these keys: Return performs the field's action, and Tab leaves the field.
        case .insertNewline, .insertLineBreak, .insertParagraphSeparator, .insertNewlineIgnoringFieldEditor, .insertTab:
            if isSingleLine { return false }
            if command == .insertTab, options.tabBehavior == .movesFocus { return false }
        default: break
        }
        let (before, version) = (session.selection, store.version)
        // Moving the caret ends the undo step.
        defer { if store.version == version, session.selection != before { store.breakUndoCoalescing() } }
        guard let move = command.moveWithoutModifyingSelection, let before else {
            return StandardCommands.perform(command, on: input)
        }
        guard let target = StandardCommands.target(of: move, from: store.position(at: before.head), on: input) else {
            return move.move != nil
        }
        let head = offset(of: target)
        if head != before.head { session.select(Selection(anchor: before.anchor, head: head)) }
        return true
    }

    func tokenizer(for input: any TextInput) -> TextInputStringTokenizer {
        if let tokenizer, tokenizer.textInput === input { return tokenizer }
        let new = TextInputStringTokenizer(textInput: input)
        tokenizer = new
        return new
    }
}

/// The session's delegate, which calls the closure ``EditableText/shouldChange``.
private final class Asked: EditingSessionDelegate {
    private let answer: (Range<UTF16Offset>, String) -> Bool

    init(_ answer: @escaping (Range<UTF16Offset>, String) -> Bool) { self.answer = answer }

    func session(
        _ session: EditingSession, shouldChangeTextIn range: Range<UTF16Offset>, replacementText text: String
    ) -> Bool { answer(range, text) }
}
