import InkstoneBase

/// The identity of a view among those of the same text; unique in the process.
public struct ViewID: Hashable, Sendable {
    private let number = DocumentID()

    /// Creates an identity that no other view has.
    public init() {}
}

/// The composition after a transaction, in the view that makes the transaction.
public enum CompositionAfter: Hashable, Sendable {
    /// The composition is mapped through the changes. It ends if a change deletes marked text or inserts into it.
    case mapped
    /// The composition is set: in offsets of the new text, or nil if the composition has ended.
    case set(Composition?)
}

/// A change of a document's text as a value, with its effects on selection, composition and undo. The text of a
/// ``TextStore`` changes only by transactions.
///
/// A transaction is made for one version of one document. If the text has changed by the time the transaction is
/// applied, the transaction is rebased.
public struct Transaction: Sendable {
    /// The document whose text the transaction changes.
    public var document: DocumentID
    /// The version of the text that ``changes`` apply to.
    public var version: TextVersion
    /// The replacements of text and the changes of attributes.
    public var changes: TextChangeSet
    /// The selection afterwards in the view that makes the transaction.
    public var selection: SelectionAfter
    /// The composition afterwards in the view that makes the transaction.
    public var composition = CompositionAfter.mapped
    /// The attributes of inserted text. If nil, inserted text inherits attributes from the text around it; see
    /// ``StyledText/typingAttributes(replacing:)``.
    public var insertedAttributes: TextAttributes?
    /// The user's typing attributes: they override the inherited attributes of inserted text, and stay in effect in
    /// the view that makes the transaction. If they are nil, the earlier typing attributes of that view stay in
    /// effect only if ``selection`` is mapped.
    package var typing: AttributeOverrides?
    /// The user's typing attributes before the transaction, restored when it is undone; nil for none.
    package var typingBefore: AttributeOverrides?
    /// Changes of attributes, in UTF-16 units of the new text; nil for none.
    public var restyling: Restyling?
    /// The source of the change.
    public var origin: Origin
    /// The way in which the change joins the undo history.
    public var undo: UndoJoining
    /// The selection in the old text, restored by undo. If nil, the selection last recorded by ``view``; without a
    /// view, by the view that the user is in. A view that the user is not in has to set it, because its selection
    /// is not recorded.
    public var selectionBefore: Selection?
    /// The view that makes the transaction.
    public var view: ViewID?
    /// Whether the view scrolls to the caret afterwards.
    public var reveal: Bool
    /// Changes of further state of ``view``, such as remembered positions. Their offsets are in the new text.
    public var effects: [any TransactionEffect] = []

    /// Whether the transaction changes text or attributes, or undoes or redoes a step. If not, it only sets the
    /// selection, the composition and the typing attributes, or has effects.
    package var edits: Bool { !changes.isEmpty || restyling?.isEmpty == false || undo == .history }

    /// Resolves the effect on attributes, so that ``changes`` hold the final attributes: those that inserted text
    /// inherits or is given, those that edits remove from other text, and those of whole paragraphs.
    public mutating func resolve(in text: StyledText) {
        if changes.hasStyles, restyling == nil, insertedAttributes == nil { return }
        var text = text
        changes = text.apply(self)
        (restyling, insertedAttributes) = (nil, nil)
    }

    /// Creates a transaction on the present text of a store.
    public init(
        on store: TextStore, _ changes: TextChangeSet, origin: Origin = .program, undo: UndoJoining = .step,
        selection: SelectionAfter = .mapped, selectionBefore: Selection? = nil, view: ViewID? = nil,
        reveal: Bool = false, insertedAttributes: TextAttributes? = nil, restyling: Restyling? = nil
    ) {
        self.init(
            on: store.id, store.version, changes, origin: origin, undo: undo, selection: selection,
            selectionBefore: selectionBefore, view: view, reveal: reveal)
        self.insertedAttributes = insertedAttributes
        self.restyling = restyling
    }

    /// Creates a transaction on a version of a document's text.
    public init(
        on document: DocumentID, _ version: TextVersion, _ changes: TextChangeSet, origin: Origin = .program,
        undo: UndoJoining = .step, selection: SelectionAfter = .mapped, selectionBefore: Selection? = nil,
        view: ViewID? = nil, reveal: Bool = false
    ) {
        self.document = document
        self.version = version
        self.changes = changes
        self.selection = selection
        self.origin = origin
        self.undo = undo
        self.selectionBefore = selectionBefore
        self.view = view
        self.reveal = reveal
    }
}

extension StyledText {
    /// Applies a transaction that was made for exactly this text. Returns the transaction's changes with their effect
    /// on attributes.
    @discardableResult
    package mutating func apply(_ transaction: Transaction) -> TextChangeSet {
        // Text read from a file inherits no attributes from the text before it.
        let inserted = transaction.insertedAttributes ?? (transaction.origin.isWithin(.load) ? TextAttributes() : nil)
        // Resolved changes already include the typing attributes, and a step of the history has the attributes of
        // its text.
        let overrides = transaction.changes.hasStyles || transaction.undo == .history ? nil : transaction.typing
        return apply(
            transaction.changes, insertedAttributes: inserted, overrides: overrides ?? AttributeOverrides(),
            restyling: transaction.restyling)
    }
}
