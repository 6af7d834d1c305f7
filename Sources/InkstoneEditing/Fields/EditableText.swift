public import InkstoneBase
public import InkstoneInput
public import InkstoneText

/// The text of a small field with all that the contracts need to know of it: selection, marked text, undo.
///
/// A field of one's own drawing keeps one and adopts ``EditableTextInput``; what is left to it is geometry. It is an
/// ``EditingSession`` without a view, so that it edits, composes and undoes as every view does.
public final class EditableText {
    /// The session, through which everything edits.
    public let session: EditingSession
    /// How marked text looks; nil for the field's own way.
    public var markedTextStyle: MarkedTextStyle?
    /// Decides whether the user may replace a range, in UTF-16 units, by a text; nil permits all. Not asked about text that is composed still.
    /// It may edit. It takes the place of the delegate of the ``session``.
    public var shouldChange: ((Range<UTF16Offset>, String) -> Bool)? {
        didSet {
            asked = shouldChange.map(Asked.init)
            session.delegate = asked
        }
    }
    private var asked: Asked?
    /// Called after every change of text, selection, marked text or options: redraw.
    public var onChange: (() -> Void)?
    private var observation: TextObservation?
    private var tokenizer: TextInputStringTokenizer?

    /// A text with the caret at its end.
    public init(_ text: String = "", isSingleLine: Bool = true) {
        session = EditingSession(TextStore(Rope(isSingleLine ? Self.onOneLine(text) : text)))
        session.select(Selection(caret: session.textRange.upperBound))
        self.isSingleLine = isSingleLine
        observation = session.observe { [unowned self] in
            // Without a view nothing but other options is reported as geometry.
            if !$0.changes.isDisjoint(with: [.text, .selection, .markedText, .geometry]) { onChange?() }
        }
    }

    /// What the user may do with the text: edit it at all, what of it is taken, how long it gets; and what the field is to show where it is
    /// empty. Text that is hidden is the field's to hide.
    public var options: TextInputOptions {
        get { session.options }
        set { session.options = newValue }
    }
    /// Whether the lines of what is inserted become one, as a single-line field wants it.
    public var isSingleLine: Bool {
        get { session.options.isSingleLine }
        set { session.options.isSingleLine = newValue }
    }
    /// How many grapheme clusters the user may make the text; nil for any number.
    public var maximumLength: Int? {
        get { session.options.maximumLength }
        set { session.options.maximumLength = newValue }
    }

    private static func onOneLine(_ text: String) -> String {
        text.contains(where: \.isNewline) ? String(text.map { $0.isNewline ? " " : $0 }) : text
    }

    // MARK: Reading

    /// The document.
    public var store: TextStore { session.store }
    /// The text, the selection and what is being composed.
    public var state: EditorState { session.state }
    /// The selection, in UTF-16 units, at cluster starts; nil for none. Setting it clamps.
    public var selection: Range<UTF16Offset>? {
        get { session.selection?.range }
        set {
            store.breakUndoCoalescing()
            session.selectByInput(newValue.map { ($0.clamped(into: session.textRange), .downstream) })
        }
    }
    /// The marked text, in UTF-16 units; nil if there is none.
    public var marked: Range<UTF16Offset>? { session.markedText?.range }
    /// The marked text with its clauses; nil if there is none.
    public var markedText: MarkedText? { session.markedText }

    /// The text.
    public var string: String { session.text }
    /// Number of UTF-16 units.
    public var length: Int { session.textRange.length() }

    /// The UTF-16 offset of a position, mapped from older versions. Traps on a position of another document.
    public func offset(of position: TextPosition) -> UTF16Offset { store.offset(of: position) }
    /// The range of two positions.
    public func range(of range: TextRange) -> Range<UTF16Offset> { session.offsets(range) }
    /// The positions of a range.
    public func textRange(_ range: Range<UTF16Offset>) -> TextRange { session.range(range) }
    /// The text of a range; an end between surrogates counts as the pair's start.
    public func string(in range: Range<UTF16Offset>) -> String { state.string(in: range) }

    // MARK: Editing

    /// Begins with another text by the program, whatever the options say: the composition ends, the caret goes to the end, and no step of undo
    /// is left. Input delegates hear of one change, also where the text stays as it is.
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

    /// Replaces a range, clamped; an end between surrogates counts as the pair's start. The caret goes after the new text
    /// if it was in the range, and moves along otherwise.
    public func replace(_ range: Range<UTF16Offset>, with text: String) { session.insert(text, over: .beside(range)) }

    /// Performs a command of ``StandardCommands``, with undo, and with one end of the selection as its anchor when it is
    /// extended. In a single line new lines and Tab are not performed: they go up the responder chain.
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
        // For whoever has the field: Return is its action, Tab leaves it.
        case .insertNewline, .insertLineBreak, .insertParagraphSeparator, .insertNewlineIgnoringFieldEditor, .insertTab:
            if isSingleLine { return false }
            if command == .insertTab, options.tabBehavior == .movesFocus { return false }
        default: break
        }
        let (before, version) = (session.selection, store.version)
        // Who has moved begins another step of undo.
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

/// A closure as the delegate of a session.
private final class Asked: EditingSessionDelegate {
    private let answer: (Range<UTF16Offset>, String) -> Bool

    init(_ answer: @escaping (Range<UTF16Offset>, String) -> Bool) { self.answer = answer }

    func session(
        _ session: EditingSession, shouldChangeTextIn range: Range<UTF16Offset>, replacementText text: String
    ) -> Bool { answer(range, text) }
}
