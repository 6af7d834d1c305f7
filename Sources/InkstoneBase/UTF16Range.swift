/// A range of UTF-16 code units in the form of the NSRange-style client API: a location and a length, or *not
/// found*.
///
/// Unlike `Range<UTF16Offset>`, it can have any numbers that a caller passes: negative ones, ones that overflow, or
/// ones beyond the text. No member traps. Only ``clamped(to:)`` converts it to a usable range.
public struct UTF16Range: Hashable, Sendable, CustomStringConvertible {
    /// The start of the range, in UTF-16 units from the start of the text; ``notFoundLocation`` for no range.
    public var location: Int
    /// Number of code units of the range.
    public var length: Int

    /// The location that stands for "no range" (`NSNotFound`).
    public static let notFoundLocation = Int.max
    /// The client API's value for no range.
    public static let notFound = UTF16Range(location: notFoundLocation, length: 0)

    /// Creates a range from any numbers, which are not checked. See ``clamped(to:)``.
    public init(location: Int, length: Int) {
        self.location = location
        self.length = length
    }

    /// Creates the location and length of a valid range.
    public init(_ range: Range<UTF16Offset>) {
        self.init(location: range.lowerBound.value, length: range.upperBound - range.lowerBound)
    }

    /// Whether this is the client API's value for no range.
    public var isNotFound: Bool { location == Self.notFoundLocation }

    /// Returns the code units of the range that lie in `bounds`; nil for ``notFound``.
    ///
    /// A location outside of `bounds` moves to the nearer end. A negative length counts as 0. An end beyond
    /// `Int.max` counts as beyond the text.
    public func clamped(to bounds: Range<UTF16Offset>) -> Range<UTF16Offset>? {
        guard !isNotFound else { return nil }
        let (end, overflow) = location.addingReportingOverflow(max(0, length))
        let low = min(max(location, bounds.lowerBound.value), bounds.upperBound.value)
        let high = min(max(overflow ? Int.max : end, low), bounds.upperBound.value)
        return UTF16Offset(low)..<UTF16Offset(high)
    }

    /// The range as `[location, end)`, or `not found`.
    public var description: String {
        isNotFound ? "not found" : "[\(location), \(location &+ length))"
    }
}
