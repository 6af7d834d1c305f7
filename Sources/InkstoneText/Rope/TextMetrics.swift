/// The length of a text, in every unit that the store converts between.
@frozen
public struct TextMetrics: Hashable, Sendable {
    /// Bytes as stored: UTF-8, or invalid bytes kept unchanged.
    public var bytes: Int
    /// Unicode scalars; each maximal part that is not valid UTF-8 counts as one.
    public var scalars: Int
    /// UTF-16 code units; each maximal part that is not valid UTF-8 counts as one (U+FFFD).
    public var utf16: Int
    /// Newlines: LF, CR LF (one) and CR.
    public var newlines: Int
    /// Maximal parts that are not valid UTF-8.
    public var invalidParts: Int

    /// The length of an empty text.
    @inlinable
    package static var zero: Self { Self(bytes: 0, scalars: 0, utf16: 0, newlines: 0, invalidParts: 0) }

    /// A length by its parts.
    @inlinable
    package init(bytes: Int, scalars: Int, utf16: Int, newlines: Int, invalidParts: Int) {
        self.bytes = bytes
        self.scalars = scalars
        self.utf16 = utf16
        self.newlines = newlines
        self.invalidParts = invalidParts
    }

    /// Whether each byte is one scalar and one UTF-16 unit, so that offsets need no conversion.
    @inlinable
    var isUniform: Bool { bytes == utf16 }

    /// Returns the length of two texts concatenated, if no parts join at the seam.
    @inlinable
    package static func + (a: Self, b: Self) -> Self {
        Self(
            bytes: a.bytes &+ b.bytes, scalars: a.scalars &+ b.scalars, utf16: a.utf16 &+ b.utf16,
            newlines: a.newlines &+ b.newlines, invalidParts: a.invalidParts &+ b.invalidParts)
    }

    /// Returns the length of `a` without a part of length `b`.
    @inlinable
    package static func - (a: Self, b: Self) -> Self {
        Self(
            bytes: a.bytes &- b.bytes, scalars: a.scalars &- b.scalars, utf16: a.utf16 &- b.utf16,
            newlines: a.newlines &- b.newlines, invalidParts: a.invalidParts &- b.invalidParts)
    }

    /// Adds a length.
    @inlinable
    package static func += (a: inout Self, b: Self) { a = a + b }

    /// Subtracts a length.
    @inlinable
    package static func -= (a: inout Self, b: Self) { a = a - b }
}
