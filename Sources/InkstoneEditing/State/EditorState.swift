public import InkstoneBase
public import InkstoneInput
public import InkstoneText

/// What a user works on: a text, where the user is in it, what is being composed, and what may be done. A plain value.
///
/// All of it changes by transactions only; what is no text, selection or composition by their effects (``StateEffect``). Its functions
/// (``outcome(of:in:)`` for a command, ``marking(_:over:selected:)`` and the others of a composition, ``inserting(_:over:)``,
/// ``deletingBackward()``) make one without changing anything; ``prepare(_:hasWaited:isWhole:asking:)`` says whether
/// the user may make it; a `TextStore` applies it, and each view of the store takes it in with ``apply(_:)``. So all of editing can be
/// tested without a view:
///
/// ```swift
/// var state = EditorState("ab", selection: Selection(caret: 2))
/// if let transaction = state.inserting("c") { state.perform(transaction) }
/// ```
///
/// Offsets are UTF-16 code units of ``text``.
public struct EditorState: Sendable {
    /// What the last command cut off, and the state that it left: a command right after it adds to that.
    struct Kill {
        /// What the kill buffer held then.
        var entry: KillBuffer.Entry
        var version: TextVersion
        var selection: Selection?
    }

    /// The document that the text is of.
    public let document: DocumentID
    /// The view whose state this is: tells its own transactions from others'.
    public let view: ViewID
    /// The version of ``text``.
    public private(set) var version: TextVersion
    /// The text with its attributes. A value of its own: a store and all states of it share what they have in common.
    public private(set) var styledText: StyledText
    /// Where the user is; nil if nothing is selected and there is no caret.
    public internal(set) var selection: Selection?
    /// What an input method is composing; nil if nothing.
    public internal(set) var composition: Composition?
    /// What was chosen for text that is typed next, beside what it takes over from the text. Forgotten when the selection moves.
    public private(set) var typing = AttributeOverrides()
    /// What the user may do, and what keys mean.
    public internal(set) var options = TextInputOptions()
    /// The rules for transactions of this view, in the order in which they are asked.
    public internal(set) var filters = TransactionFilter.standard
    /// Whether the text is a copy of a document that somebody else keeps: nobody may edit it here, the program neither.
    public let isCopy: Bool
    /// What Return types, and what the line ends of pasted text become.
    public internal(set) var newline = "\n"
    /// Whether what is typed replaces what stands behind the caret.
    public internal(set) var isOverwriting = false
    /// The place that commands remember and select from; nil before the first.
    public internal(set) var mark: UTF16Offset?
    /// What the last command cut off; nil if it did not.
    var lastKill: Kill?
    /// Edits that wait: for the end of a composition, or for their text. First come first.
    public internal(set) var deferred: [DeferredEdit] = []
    /// Number of grapheme clusters of the text; nil without a maximum length, which alone asks for it.
    var clusterCount: Int?

    /// The state of a view that shows a store's text.
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

    /// A state with a text of its own, for editing without a store.
    public init(_ text: StyledText, selection: Selection? = Selection(caret: 0)) {
        document = DocumentID()
        view = ViewID()
        version = TextVersion(0)
        styledText = text
        self.selection = selection
        isCopy = false
    }

    /// A state with a text of its own that has no attributes.
    public init(_ text: Rope, selection: Selection? = Selection(caret: 0)) {
        self.init(StyledText(text), selection: selection)
    }

    // MARK: Reading

    /// The text without its attributes.
    public var text: Rope { styledText.rope }

    /// All offsets of the text.
    public var textRange: Range<UTF16Offset> { text.utf16Range }

    /// The primary range of the selection; without any a caret at the start. Commands that need a selection are refused before
    /// they ask.
    public var primary: SelectionRange { selection?.primary ?? SelectionRange(caret: 0) }

    /// The text that is marked; nil if none is.
    public var markedText: MarkedText? { composition?.markedText }

    /// The text of a range, which is clamped.
    public func string(in range: Range<UTF16Offset>) -> String { text.string(in: range.clamped(into: textRange)) }

    // MARK: Changing

    /// Takes in a transaction of the store, whoever made it: the text is the new one, and all places move along.
    public mutating func apply(_ applied: AppliedTransaction) {
        let changes = applied.changes.changeMap
        let isOwn = applied.view == view
        updateClusterCount(with: applied)
        styledText = applied.styledText
        version = applied.after
        if isOwn, selection != nil || !applied.origin.isWithin(.history) {
            selection = applied.selection.resolved(after: changes, from: selection)
        } else {
            // Where nothing is selected, undo selects nothing either.
            // A file's text comes in behind the caret, not before it.
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
        guard isOwn else { return }
        note(applied.transaction.typing, hasMoved: applied.selection != .mapped)
        lastKill = nil
        take(applied.transaction.effects)
    }

    /// Takes in a transaction of this view that replaces no text.
    public mutating func adopt(_ transaction: Transaction) {
        let old = selection
        if transaction.selection != .mapped {
            selection = transaction.selection.resolved(after: transaction.changes.changeMap, from: selection)
        }
        if case .set(let new) = transaction.composition { composition = new }
        note(transaction.typing, hasMoved: selection != old)
        if selection != old { lastKill = nil }
        take(transaction.effects)
    }

    private mutating func note(_ new: AttributeOverrides?, hasMoved: Bool) {
        if let new { typing = new } else if hasMoved { typing = AttributeOverrides() }
    }

    /// Makes a transaction on a text that no store has. Traps on one for another version.
    public mutating func perform(_ transaction: Transaction) {
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

    /// What a command that cuts off adds to: what the one right before it cut off; nil if that was another command.
    package var continuedKill: KillBuffer.Entry? {
        lastKill.flatMap { $0.version == version && $0.selection == selection ? $0.entry : nil }
    }
}
