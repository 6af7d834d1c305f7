import InkstoneBase

/// A position in a text, or a length of text, in the three units in which changes are tracked.
///
/// A position counts from the start of the text. It lies between scalars and not between CR and LF, so that the
/// lengths of neighbouring texts add up.
@frozen
public struct TextPoint: Hashable, Sendable {
    /// Bytes of the stored text.
    public var bytes: Int
    /// UTF-16 code units.
    public var utf16: Int
    /// Newlines: for a position, the ordinal of its paragraph.
    public var newlines: Int

    /// The start of a text, or the length of an empty text.
    @inlinable
    package static var zero: Self { Self(bytes: 0, utf16: 0, newlines: 0) }

    /// Creates a position or length from its numbers of bytes, UTF-16 units and newlines.
    @inlinable
    package init(bytes: Int, utf16: Int, newlines: Int) {
        self.bytes = bytes
        self.utf16 = utf16
        self.newlines = newlines
    }

    /// Creates the full length of a text, from its metrics.
    @inlinable
    package init(_ metrics: TextMetrics) {
        self.init(bytes: metrics.bytes, utf16: metrics.utf16, newlines: metrics.newlines)
    }

    /// Returns the position at a distance after another, or the sum of two lengths.
    @inlinable
    public static func + (a: Self, b: Self) -> Self {
        Self(bytes: a.bytes &+ b.bytes, utf16: a.utf16 &+ b.utf16, newlines: a.newlines &+ b.newlines)
    }

    /// Returns the length between two positions; negative in each unit if `a` is before `b`.
    @inlinable
    package static func - (a: Self, b: Self) -> Self {
        Self(bytes: a.bytes &- b.bytes, utf16: a.utf16 &- b.utf16, newlines: a.newlines &- b.newlines)
    }

    /// Adds a length to a position or a length.
    @inlinable
    package static func += (a: inout Self, b: Self) { a = a + b }

    /// Subtracts a length from a position or a length.
    @inlinable
    package static func -= (a: inout Self, b: Self) { a = a - b }
}

/// The units of ``TextPoint`` in which offsets are mapped.
enum TextPointUnit {
    case bytes
    case utf16
}

extension TextPoint {
    @inline(__always)
    subscript(unit: TextPointUnit) -> Int { unit == .bytes ? bytes : utf16 }
}
