import InkstoneBase

/// The text that an input method is composing, as a view stores it: its range in the document and the styles of its
/// clauses.
public struct MarkedText: Hashable, Sendable {
    /// The range of the marked text in the document, in UTF-16 code units; never empty.
    public var range: Range<UTF16Offset>
    /// The styled clauses in order; their ranges count from the start of the marked text. If empty, all of the text
    /// is raw.
    public var clauses: [MarkedClause]

    /// Creates marked text with the given range and clauses.
    public init(range: Range<UTF16Offset>, clauses: [MarkedClause]) {
        self.range = range
        self.clauses = clauses
    }

    /// The ranges to underline with their clause kinds, in document offsets. They cover all of the marked text:
    /// text outside of all clauses is raw.
    public var segments: [MarkedClause] {
        var result: [MarkedClause] = []
        var end = range.lowerBound
        for clause in clauses {
            let low = max(end, min(range.lowerBound + clause.range.lowerBound.value, range.upperBound))
            let high = max(low, min(range.lowerBound + clause.range.upperBound.value, range.upperBound))
            if end < low { result.append(MarkedClause(range: end..<low, kind: .raw)) }
            if low < high { result.append(MarkedClause(range: low..<high, kind: clause.kind)) }
            end = high
        }
        if end < range.upperBound { result.append(MarkedClause(range: end..<range.upperBound, kind: .raw)) }
        return result
    }

    /// Returns the marked text after a change of the document; nil if the change deletes marked text or inserts
    /// into it.
    package func mapped(through changes: TextChangeMap) -> MarkedText? {
        changes.overlaps(range) ? nil : MarkedText(range: changes.map(range), clauses: clauses)
    }

    /// Returns the marked text without a part of it, which is given in document offsets; nil if no text is left.
    /// Clauses shrink with their text.
    package func removing(_ part: Range<UTF16Offset>) -> MarkedText? {
        let part = part.clamped(into: range)
        let gone = part.length()
        guard gone < range.length() else { return nil }
        let start = UTF16Offset(part.lowerBound - range.lowerBound)
        func moved(_ offset: UTF16Offset) -> UTF16Offset { offset <= start ? offset : max(start, offset - gone) }
        let clauses = clauses.map {
            MarkedClause(range: moved($0.range.lowerBound)..<moved($0.range.upperBound), kind: $0.kind)
        }
        return MarkedText(
            range: range.lowerBound..<(range.upperBound - gone), clauses: clauses.filter { !$0.range.isEmpty })
    }
}

/// The source of a composition's text.
public enum CompositionOwner: Hashable, Sendable {
    /// The window's input method.
    case inputMethod
    /// The typing of a character by its code.
    case characterCode
    /// Another program, or another part of this program, such as an on-screen keyboard.
    case proxy(DocumentID)
}

/// A composition in a view: the state of the text that an input method is composing. All edits of a composition
/// form one step of undo.
public struct Composition: Hashable, Sendable {
    /// The source of the composed text. If another owner begins to compose, this composition ends and its text
    /// stays.
    public let owner: CompositionOwner
    /// The undo group of the composition's edits.
    package let undoGroup: UndoGroupID
    /// The marked text; nil before the input method has drawn any, and after it has deleted all of it.
    public var markedText: MarkedText?
    /// Whether the input method has hidden the caret.
    package var isCaretHidden = false
    /// The version of the document's text when the composition began.
    package let firstVersion: TextVersion
    /// The selection when the composition began. Restored when all of the composition is undone.
    package let selectionBefore: Selection?

    /// Creates a composition that begins now: no text is marked yet.
    package init(in version: TextVersion, selection: Selection?, owner: CompositionOwner = .inputMethod) {
        self.owner = owner
        undoGroup = UndoGroupID()
        firstVersion = version
        selectionBefore = selection
    }

    /// Returns the composition after a change by others. Nil if the change deletes marked text or inserts into it,
    /// which ends the composition.
    package func mapped(through changes: TextChangeMap) -> Composition? {
        guard let markedText else { return self }
        guard let moved = markedText.mapped(through: changes) else { return nil }
        var result = self
        result.markedText = moved
        return result
    }
}
