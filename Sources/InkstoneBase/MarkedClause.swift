/// What a clause of marked text is, by which it is styled.
public enum MarkedClauseKind: String, Hashable, Sendable, CaseIterable {
    /// Text as typed, not converted: a thin underline.
    case raw
    /// A clause converted earlier or to be converted later: an underline of its own.
    case converted
    /// The clause being converted, which the candidate window belongs to: heavier than all others.
    case target
}

/// A run of marked text that the input method treats as one.
public struct MarkedClause: Hashable, Sendable {
    /// What it covers, in UTF-16 units from the start of the marked text. Never empty.
    public var range: Range<UTF16Offset>
    /// What it is.
    public var kind: MarkedClauseKind

    /// A clause by its parts.
    public init(range: Range<UTF16Offset>, kind: MarkedClauseKind) {
        self.range = range
        self.kind = kind
    }
}
