/// The kind of a clause of marked text, which decides its style.
public enum MarkedClauseKind: String, Hashable, Sendable, CaseIterable {
    /// Text as typed, not converted; by default with a thin underline.
    case raw
    /// A clause converted earlier or to be converted later; by default with a thin underline that does not touch the
    /// next clause's.
    case converted
    /// The clause being converted, at which the candidate window is shown; by default with a heavier underline than
    /// all others.
    case target
}

/// A run of marked text that the input method treats as a unit.
public struct MarkedClause: Hashable, Sendable {
    /// The clause's range, in UTF-16 units from the start of the marked text. Never empty.
    public var range: Range<UTF16Offset>
    /// The clause's kind.
    public var kind: MarkedClauseKind

    /// Creates a clause with the given range and kind.
    public init(range: Range<UTF16Offset>, kind: MarkedClauseKind) {
        self.range = range
        self.kind = kind
    }
}
