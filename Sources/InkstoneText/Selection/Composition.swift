import InkstoneBase

/// The text that an input method is composing, as the view holds it: where it is and how its clauses are styled.
public struct MarkedText: Hashable, Sendable {
    /// Where it is in the document, in UTF-16 code units; never empty.
    public var range: Range<UTF16Offset>
    /// Its styled stretches in order; ranges count from the start of the marked text. May be empty: all raw.
    public var clauses: [MarkedClause]

    /// Marked text by place and clauses.
    public init(range: Range<UTF16Offset>, clauses: [MarkedClause]) {
        self.range = range
        self.clauses = clauses
    }

    /// The stretches to underline, in document offsets, without gaps: what no clause covers is raw.
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

    /// The marked text after a change beside it; nil if the change took any of it or went into it.
    public func mapped(through changes: TextChangeMap) -> MarkedText? {
        changes.overlaps(range) ? nil : MarkedText(range: changes.map(range), clauses: clauses)
    }

    /// The marked text without a part of it, in document offsets; nil if nothing is left. Clauses shrink with their text.
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

/// The source of composed text.
public enum CompositionOwner: Hashable, Sendable {
    /// The input method of the window.
    case inputMethod
    /// A character that is typed by its code.
    case characterCode
    /// Another program or part of this one, such as a keyboard on the screen.
    case proxy(DocumentID)
}

/// What an input method is composing in a view. Its edits are one step of undo, by its identity.
public struct Composition: Hashable, Sendable {
    /// The source of its text. Another owner that begins to compose ends it; its text stays.
    public let owner: CompositionOwner
    /// What its edits are joined by in the undo history.
    public let undoGroup: UndoGroupID
    /// The text that is marked; nil before the first draw, and after one that took all away.
    public var markedText: MarkedText?
    /// Whether the input method wants no caret shown.
    public var isCaretHidden = false
    /// The text that it began with, by its version.
    public let firstVersion: TextVersion
    /// What was selected then: to be selected again when all of it is taken back.
    public let selectionBefore: Selection?

    /// A composition that begins: nothing is marked yet.
    public init(in version: TextVersion, selection: Selection?, owner: CompositionOwner = .inputMethod) {
        self.owner = owner
        undoGroup = UndoGroupID()
        firstVersion = version
        selectionBefore = selection
    }

    /// The composition after a change by others; nil if the change took any marked text or went into it, which ends it.
    public func mapped(through changes: TextChangeMap) -> Composition? {
        guard let markedText else { return self }
        guard let moved = markedText.mapped(through: changes) else { return nil }
        var result = self
        result.markedText = moved
        return result
    }
}
