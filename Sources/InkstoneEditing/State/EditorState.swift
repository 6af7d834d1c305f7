public import InkstoneBase
public import InkstoneInput
public import InkstoneText

/// The state of a user's editing: a text, the selection, the composition, and the rules for edits. A plain value.
///
/// The state changes only by transactions. Everything but the text, the selection, the composition and the typing
/// styles changes by their effects (`StateEffect`). Programs and filters of transactions read the state; edits and
/// commands are those of an ``EditingSession``, which also works without a view. The session asks functions of the
/// state for transactions, which change nothing by themselves: `outcome(of:in:)` for a command,
/// `marking(_:over:selected:)` and others for a composition, `inserting(_:over:)`, `deletingBackward()`. Then
/// `prepare(_:hasWaited:isWhole:asking:)` decides whether the user may make the transaction, a `TextStore` applies it,
/// and each view of the store follows by `apply(_:)`.
///
/// Offsets are in UTF-16 units of ``text``.
public struct EditorState: Sendable {
    /// A kill by the last command: the text's entry in the kill buffer, and the version and selection after the
    /// command. If the next command kills too, its text is added to this entry.
    struct Kill {
        /// The identifier of the kill buffer's contents after the command.
        var entry: KillBuffer.Entry
        var version: TextVersion
        var selection: Selection?
    }

    /// The identity of the document whose text this is.
    public let document: DocumentID
    /// The identity of the view whose state this is. It distinguishes the view's own transactions from others.
    public let view: ViewID
    /// The version of ``text``, by which transactions and positions refer to it.
    public private(set) var version: TextVersion
    /// The text with its attributes. A store and its states share the memory of common parts.
    public private(set) var styledText: StyledText
    /// The selection; nil if nothing is selected and there is no caret.
    public internal(set) var selection: Selection?
    /// The composition in progress; nil for none.
    public internal(set) var composition: Composition?
    /// The attributes chosen for text typed next, in addition to those inherited from the text. Forgotten when the
    /// selection moves.
    package private(set) var typing = AttributeOverrides()
    /// The options: the edits that the user may make, and the meaning of keys.
    public internal(set) var options = TextInputOptions()
    /// The rules for transactions of this view, in the order in which they are applied.
    public internal(set) var filters = TransactionFilter.standard
    /// Whether the text is a copy of a document that is stored elsewhere. A copy cannot be edited here, not even by
    /// the program.
    package let isCopy: Bool
    /// The line end that Return types. The line ends of pasted text are converted to it.
    public internal(set) var newline = "\n"
    /// The identity of the decoding that the text came from: of the file, and of the encoding in which its bytes were
    /// read. Nil if there is only one. A text that was copied from another decoding loses its invalid bytes when it is
    /// pasted.
    package internal(set) var decoding: DocumentID?
    /// Whether typed text replaces the text after the caret.
    public internal(set) var isOverwriting = false
    /// The offset that the command Set Mark has remembered, for commands that select or delete up to it; nil if
    /// there is none.
    public internal(set) var mark: UTF16Offset?
    /// The text killed by the last command; nil if that command was not a kill.
    var lastKill: Kill?
    /// The bare address that the last edit has changed; nil once the selection has moved.
    var addressEdit: AddressEdit?
    /// The edits that wait for the end of a composition, or for their text, in order of arrival.
    package internal(set) var deferred: [DeferredEdit] = []
    /// The number of grapheme clusters of the text. Nil if there is no maximum length: the number is not needed
    /// then.
    var clusterCount: Int?

    /// Creates the state of a view that shows a store's text.
    public init(
        of store: TextStore, view: ViewID, selection: Selection? = Selection(caret: 0), isCopy: Bool = false
    ) {
        document = store.id
        self.view = view
        version = store.version
        styledText = store.styledText
        self.selection = selection
        self.isCopy = isCopy
        options.isEditable = !isCopy
    }

    /// Creates a state with a text of its own, for editing without a store.
    public init(_ text: StyledText, selection: Selection? = Selection(caret: 0)) {
        document = DocumentID()
        view = ViewID()
        version = TextVersion(0)
        styledText = text
        self.selection = selection
        isCopy = false
    }

    /// Creates a state with a text of its own that has no attributes.
    public init(_ text: Rope, selection: Selection? = Selection(caret: 0)) {
        self.init(StyledText(text), selection: selection)
    }

    // MARK: Reading

    /// The text without its attributes.
    public var text: Rope { styledText.rope }

    /// The range of the whole text, in UTF-16 units.
    public var textRange: Range<UTF16Offset> { text.utf16Range }

    /// The primary range of the selection; without a selection, a caret at the start. Commands that need a
    /// selection are refused before they use this value.
    public var primary: SelectionRange { selection?.primary ?? SelectionRange(caret: 0) }

    /// The marked text; nil for none.
    public var markedText: MarkedText? { composition?.markedText }

    /// Returns the text of a range, which is clamped to the text.
    public func string(in range: Range<UTF16Offset>) -> String { text.string(in: range.clamped(into: textRange)) }

    // MARK: Changing

    /// Applies a transaction of the store, whichever view has made it: sets the new text, and maps all offsets.
    package mutating func apply(_ applied: AppliedTransaction) {
        let changes = applied.changes.changeMap
        let isOwn = applied.view == view
        updateClusterCount(with: applied)
        styledText = applied.styledText
        version = applied.after
        if isOwn, selection != nil || !applied.origin.isWithin(.history) {
            selection = applied.selection.resolved(after: changes, from: selection)
        } else {
            // Undo creates no selection if there is none. While a file is being read, its text is inserted after the
            // caret, so the caret stays before that text.
            let bias: TextAffinity = applied.origin.isWithin(.load) ? .upstream : .downstream
            selection = selection?.mapped(caret: bias) { changes.map($0, bias: $1) }
        }
        if isOwn, case .set(let new) = applied.transaction.composition {
            composition = new
        } else if composition != nil {
            composition = composition?.mapped(through: changes)
        }
        mark = mark.map { changes.map($0, bias: .downstream) }
        for index in deferred.indices { deferred[index].map(through: changes) }
        addressEdit = isOwn ? nil : addressEdit?.mapped(through: changes)
        guard isOwn else { return }
        note(applied.transaction.typing, hasMoved: applied.selection != .mapped)
        lastKill = nil
        take(applied.transaction.effects)
    }

    /// Adopts a transaction of this view that replaces no text.
    package mutating func adopt(_ transaction: Transaction) {
        let old = selection
        if transaction.selection != .mapped {
            selection = transaction.selection.resolved(after: transaction.changes.changeMap, from: selection)
        }
        if case .set(let new) = transaction.composition { composition = new }
        note(transaction.typing, hasMoved: selection != old)
        if selection != old { (lastKill, addressEdit) = (nil, nil) }
        take(transaction.effects)
    }

    private mutating func note(_ new: AttributeOverrides?, hasMoved: Bool) {
        if let new { typing = new } else if hasMoved { typing = AttributeOverrides() }
    }

    /// Performs a transaction on a state without a store. Traps on a transaction for another version of the text.
    package mutating func perform(_ transaction: Transaction) {
        var transaction = transaction
        finish(&transaction)
        guard transaction.edits else { return adopt(transaction) }
        precondition(
            transaction.document == document && transaction.version == version, "a transaction of another text")
        var after = styledText
        let changes = after.apply(transaction)
        guard !changes.isEmpty else { return adopt(transaction) }
        apply(
            AppliedTransaction(
                transaction, as: changes, to: after, from: version,
                after: TextVersion(version.value + 1)))
    }

    /// The identifier of the kill to which a further kill is added; nil if the command immediately before was not a
    /// kill.
    package var continuedKill: KillBuffer.Entry? {
        lastKill.flatMap { $0.version == version && $0.selection == selection ? $0.entry : nil }
    }
}
