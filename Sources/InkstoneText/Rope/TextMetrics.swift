/// The length of a text in every unit that a ``Rope`` converts between.
@frozen
public struct TextMetrics: Hashable, Sendable {
    /// Bytes as stored: UTF-8, or invalid bytes kept unchanged.
    public var bytes: Int
    /// Unicode scalars; each invalid sequence (a maximal subpart of an ill-formed sequence) counts as one.
    public var scalars: Int
    /// UTF-16 code units; each invalid sequence counts as one (U+FFFD).
    public var utf16: Int
    /// Newlines: LF, CR LF (one) and CR.
    public var newlines: Int
    /// Number of invalid sequences: maximal subparts of ill-formed UTF-8.
    public var invalidParts: Int

    /// The length of an empty text.
    @inlinable
    package static var zero: Self { Self(bytes: 0, scalars: 0, utf16: 0, newlines: 0, invalidParts: 0) }

    /// Creates the length of a text from its number in each unit.
    @inlinable
    package init(bytes: Int, scalars: Int, utf16: Int, newlines: Int, invalidParts: Int) {
        self.bytes = bytes
        self.scalars = scalars
        self.utf16 = utf16
        self.newlines = newlines
        self.invalidParts = invalidParts
    }

    /// Whether each byte is one scalar and one UTF-16 unit. Offsets then need no conversion.
    @inlinable
    var isUniform: Bool { bytes == utf16 }

    /// Returns the length of two texts concatenated. Wrong if bytes on both sides of the seam form one scalar or
    /// one CR LF.
    @inlinable
    package static func + (a: Self, b: Self) -> Self {
        Self(
            bytes: a.bytes &+ b.bytes, scalars: a.scalars &+ b.scalars, utf16: a.utf16 &+ b.utf16,
            newlines: a.newlines &+ b.newlines, invalidParts: a.invalidParts &+ b.invalidParts)
    }

    /// Returns the length of a text of length `a` without a part of length `b`.
    @inlinable
    package static func - (a: Self, b: Self) -> Self {
        Self(
            bytes: a.bytes &- b.bytes, scalars: a.scalars &- b.scalars, utf16: a.utf16 &- b.utf16,
            newlines: a.newlines &- b.newlines, invalidParts: a.invalidParts &- b.invalidParts)
    }

    /// Adds the length of another text, in every unit.
    @inlinable
    package static func += (a: inout Self, b: Self) { a = a + b }

    /// Subtracts the length of a part of the text, in every unit.
    @inlinable
    package static func -= (a: inout Self, b: Self) { a = a - b }
}
