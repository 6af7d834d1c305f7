/// The order of two positions in a document. The counterpart of Foundation's `ComparisonResult`, since this package
/// does not use Foundation.
public enum TextComparison: Int, Hashable, Sendable {
    /// The first position comes before the second.
    case orderedAscending = -1
    /// Both positions are the same.
    case orderedSame = 0
    /// The first position comes after the second.
    case orderedDescending = 1
}

/// The base direction of a paragraph. The counterpart of Apple's `NSWritingDirection`.
public enum WritingDirection: Int, Hashable, Sendable, CaseIterable {
    /// The direction of the first strong character (UAX #9, P2 and P3).
    case natural = -1
    /// Left to right.
    case leftToRight = 0
    /// Right to left.
    case rightToLeft = 1
}
