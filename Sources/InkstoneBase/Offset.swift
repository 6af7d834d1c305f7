/// A count of `Unit`s from the start of a text, typed by its unit.
///
/// Offsets of different units do not mix: converting between them is the text store's work and costs O(log n).
/// An offset that this package returns is at least 0; an offset from outside is clamped where it enters.
@frozen
public struct Offset<Unit>: Hashable, Comparable, Strideable, Sendable, ExpressibleByIntegerLiteral,
    CustomStringConvertible
{
    /// The count itself.
    public var value: Int

    /// Wraps a count.
    @inlinable
    public init(_ value: Int) { self.value = value }

    /// Wraps a literal count.
    @inlinable
    public init(integerLiteral value: Int) { self.value = value }

    /// Steps from this offset to `other`.
    @inlinable
    public func distance(to other: Self) -> Int { other.value - value }

    /// Returns the offset `n` units further on. Traps on overflow.
    @inlinable
    public func advanced(by n: Int) -> Self { Self(value + n) }

    /// Orders by count.
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

    /// Moves `a` on by `n` units.
    @inlinable
    public static func += (a: inout Self, n: Int) { a.value += n }

    /// Moves `a` back by `n` units.
    @inlinable
    public static func -= (a: inout Self, n: Int) { a.value -= n }

    /// The bare count.
    public var description: String { String(value) }
}

/// The unit of the store, of files and of HarfBuzz clusters: one byte of UTF-8 (or of invalid bytes kept in its stead).
public enum UTF8Unit {}
/// The unit of the NSRange-style client API: one UTF-16 code unit.
public enum UTF16Unit {}
/// The unit of XIM and AT-SPI: one Unicode scalar.
public enum ScalarUnit {}
/// The unit of vertical position in a document: one paragraph, the text between two newlines.
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

    /// Returns the range cut to `bounds`; empty at the nearer end if it lies outside.
    @inlinable
    public func clamped<Unit>(into bounds: Range<Offset<Unit>>) -> Range<Offset<Unit>>
    where Bound == Offset<Unit> {
        let low = Swift.min(Swift.max(lowerBound, bounds.lowerBound), bounds.upperBound)
        let high = Swift.min(Swift.max(upperBound, low), bounds.upperBound)
        return low..<high
    }
}

extension Range {
    /// Whether a range contains all of another one; an empty range may lie at an end.
    package func holds(_ other: Self) -> Bool { lowerBound <= other.lowerBound && other.upperBound <= upperBound }
}
