import InkstoneBase

/// Tells a view of a text from others of the same text; unique in the process.
public struct ViewID: Hashable, Sendable {
    private let number = DocumentID()

    /// An identity that no other view has.
    public init() {}
}

/// What is being composed after a transaction, in the view that makes it.
public enum CompositionAfter: Hashable, Sendable {
    /// The composition moves along with the text, and ends if its text is touched.
    case mapped
    /// This, in the new text; nil if it is over.
    case set(Composition?)
}

/// A change of a document's text as a value, with all that follows from it: the only way into a ``TextStore``.
///
/// It is made for one version of one document. If the text has changed when its turn comes, it is moved along.
public struct Transaction: Sendable {
    /// The document it is for.
    public var document: DocumentID
    /// The version of the text that ``changes`` are of.
    public var version: TextVersion
    /// What is replaced.
    public var changes: TextChangeSet
    /// What is selected afterwards in the view that makes it.
    public var selection: SelectionAfter
    /// What is being composed afterwards in the view that makes it.
    public var composition = CompositionAfter.mapped
    /// What inserted text gets. Nil for what it takes over from the text around it; see
    /// ``StyledText/typingAttributes(replacing:)``.
    public var insertedAttributes: TextAttributes?
    /// What the user has chosen to type with: inserted text gets it in place of what it takes over, and the view that makes the
    /// transaction goes on with it. Nil for nothing; what was chosen then lasts only if the selection moves along.
    public var typing: AttributeOverrides?
    /// Attributes that the user had chosen to type with before, to be chosen again when it is taken back; nil for none.
    public var typingBefore: AttributeOverrides?
    /// Changes of attributes, in UTF-16 units of the new text; nil for none.
    public var restyling: Restyling?
    /// Where it comes from.
    public var origin: Origin
    /// How it can be taken back.
    public var undo: UndoJoining
    /// What was selected before, in the old text: to be selected again when it is taken back. Nil for what ``view`` has selected, or
    /// if that is nil the view that the user is in; a view that the user is not in has to say it.
    public var selectionBefore: Selection?
    /// The view that makes it.
    public var view: ViewID?
    /// Whether the view brings the caret into sight.
    public var reveal: Bool
    /// Changes of what else that view keeps, with offsets in the new text.
    public var effects: [any TransactionEffect] = []

    /// Whether it does more than to select and to say what is composed and typed next.
    package var edits: Bool { !changes.isEmpty || restyling?.isEmpty == false || undo == .history }

    /// Works out what it does to attributes, so that ``changes`` say what all text has afterwards: what inserted text takes over, what
    /// was chosen for it, what depends on other text and what paragraphs have.
    public mutating func resolve(in text: StyledText) {
        if changes.hasStyles, restyling == nil, insertedAttributes == nil { return }
        var text = text
        changes = text.apply(self)
        (restyling, insertedAttributes) = (nil, nil)
    }

    /// A transaction on the present text of a store.
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

    /// A transaction on a version of a document's text.
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
    /// Makes a transaction's changes, which are of this text; returns them with what they did to attributes.
    @discardableResult
    package mutating func apply(_ transaction: Transaction) -> TextChangeSet {
        // What is read from a file has no attributes, whatever stands before it.
        let inserted = transaction.insertedAttributes ?? (transaction.origin.isWithin(.load) ? TextAttributes() : nil)
        // Resolved changes have what was chosen to type with, and a step of the history has what its text had.
        let overrides = transaction.changes.hasStyles || transaction.undo == .history ? nil : transaction.typing
        return apply(
            transaction.changes, insertedAttributes: inserted, overrides: overrides ?? AttributeOverrides(),
            restyling: transaction.restyling)
    }
}
