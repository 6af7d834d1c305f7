/// A count of units from the start of a text. The type parameter is the unit.
///
/// Offsets of different units cannot be mixed. The text store converts between them; a conversion costs O(log n).
/// An offset returned by this package is at least 0. An offset from outside is clamped by the function that
/// receives it.
@frozen
public struct Offset<Unit>: Hashable, Comparable, Strideable, Sendable, ExpressibleByIntegerLiteral,
    CustomStringConvertible
{
    /// The number of units before this offset.
    public var value: Int

    /// Creates an offset of a number of units.
    @inlinable
    public init(_ value: Int) { self.value = value }

    /// Creates an offset of a literal number of units.
    @inlinable
    public init(integerLiteral value: Int) { self.value = value }

    /// Returns the number of units from this offset to another.
    @inlinable
    public func distance(to other: Self) -> Int { other.value - value }

    /// Returns the offset `n` units after this one. Traps on overflow.
    @inlinable
    public func advanced(by n: Int) -> Self { Self(value + n) }

    /// Whether one offset is smaller than another.
    @inlinable
    public static func < (a: Self, b: Self) -> Bool { a.value < b.value }

    /// Returns the offset `n` units after `a`.
    @inlinable
    public static func + (a: Self, n: Int) -> Self { Self(a.value + n) }

    /// Returns the offset `n` units before `a`.
    @inlinable
    public static func - (a: Self, n: Int) -> Self { Self(a.value - n) }

    /// Returns the number of units from `b` to `a`; negative if `a` comes first.
    @inlinable
    public static func - (a: Self, b: Self) -> Int { a.value - b.value }

    /// Increases an offset by `n` units.
    @inlinable
    public static func += (a: inout Self, n: Int) { a.value += n }

    /// Decreases an offset by `n` units.
    @inlinable
    public static func -= (a: inout Self, n: Int) { a.value -= n }

    /// The number without a unit.
    public var description: String { String(value) }
}

/// The unit of the store, of files and of HarfBuzz clusters: one byte of UTF-8, or of invalid bytes that are kept
/// unchanged.
public enum UTF8Unit {}
/// The unit of the client API, which is in the style of NSRange: one UTF-16 code unit.
public enum UTF16Unit {}
/// The unit of XIM and AT-SPI: one Unicode scalar.
public enum ScalarUnit {}
/// The unit of vertical position in a document: one paragraph, the text up to the next newline.
public enum ParagraphUnit {}

/// An offset in bytes of UTF-8.
public typealias ByteOffset = Offset<UTF8Unit>
/// An offset in UTF-16 code units.
public typealias UTF16Offset = Offset<UTF16Unit>
/// An offset in Unicode scalars.
public typealias ScalarOffset = Offset<ScalarUnit>
/// The index of a paragraph, counted from 0.
public typealias ParagraphIndex = Offset<ParagraphUnit>

extension Range {
    /// Returns the number of units in a range of offsets.
    @inlinable
    public func length<Unit>() -> Int where Bound == Offset<Unit> { upperBound - lowerBound }

    /// Returns the range cut to `bounds`. A range outside of `bounds` becomes an empty range at the nearer end of
    /// `bounds`.
    @inlinable
    public func clamped<Unit>(into bounds: Range<Offset<Unit>>) -> Range<Offset<Unit>>
    where Bound == Offset<Unit> {
        let low = Swift.min(Swift.max(lowerBound, bounds.lowerBound), bounds.upperBound)
        let high = Swift.min(Swift.max(upperBound, low), bounds.upperBound)
        return low..<high
    }
}

extension Range {
    /// Whether a range contains all of another range. An empty range at one of its ends counts as contained.
    package func holds(_ other: Self) -> Bool { lowerBound <= other.lowerBound && other.upperBound <= upperBound }
}
