import InkstoneBase

/// A state that a document's text was in: it grows by one with each edit, undo and redo included.
@frozen
public struct TextVersion: Hashable, Comparable, Sendable {
    /// Number of edits since the document was made.
    public let value: Int

    /// A state by its number of edits.
    public init(_ value: Int) { self.value = value }

    /// Earlier states come first.
    public static func < (a: Self, b: Self) -> Bool { a.value < b.value }

    /// The state one edit later.
    var next: Self { Self(value + 1) }
}

/// One section of an ``AppliedTransaction`` with its texts: a range of the old text and what took its place.
///
/// The range starts and ends between scalars, and not between CR and LF, in the old and in the new text. Where an edit
/// makes parts join at its ends (CR and LF, bytes that together become a scalar), it is widened to hold them: so the
/// lengths of ``removed`` and ``inserted`` are in every unit exactly what the text loses and gains.
public struct TextEdit: Sendable {
    /// What was replaced, in bytes of the old text; empty for an insertion.
    public let range: Range<ByteOffset>
    /// What was replaced, in UTF-16 units of the old text.
    public let utf16Range: Range<UTF16Offset>
    /// The paragraphs of the old text that the range touches: at least one.
    public let paragraphs: Range<ParagraphIndex>
    /// The text that was there.
    public let removed: Rope
    /// The text that took its place.
    public let inserted: Rope

    init(at start: TextPoint, removed: Rope, inserted: Rope) {
        let end = start + TextPoint(removed.metrics)
        range = ByteOffset(start.bytes)..<ByteOffset(end.bytes)
        utf16Range = UTF16Offset(start.utf16)..<UTF16Offset(end.utf16)
        paragraphs = ParagraphIndex(start.newlines)..<ParagraphIndex(end.newlines + 1)
        self.removed = removed
        self.inserted = inserted
    }

    /// What the text gained in each unit; negative where it lost.
    public var delta: TextMetrics { inserted.metrics - removed.metrics }

    /// Where the inserted text is, in bytes of the new text.
    public var insertedRange: Range<ByteOffset> {
        range.lowerBound..<(range.lowerBound + inserted.metrics.bytes)
    }

    /// Where the inserted text is, in UTF-16 units of the new text.
    public var insertedUTF16Range: Range<UTF16Offset> {
        utf16Range.lowerBound..<(utf16Range.lowerBound + inserted.metrics.utf16)
    }

    /// The paragraphs of the new text that took the place of ``paragraphs``: at least one.
    public var insertedParagraphs: Range<ParagraphIndex> {
        paragraphs.lowerBound..<(paragraphs.lowerBound + inserted.metrics.newlines + 1)
    }
}
