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

/// What an edit was, which decides how it is undone.
public enum EditKind: Hashable, Sendable {
    /// Typed text: adjoining edits become one step of undo until a pause or a new word.
    case typing
    /// Backspace or delete: adjoining edits become one step of undo until a pause.
    case deleting
    /// Anything else (paste, replace, programs): a step of its own.
    case other
    /// The rest of a file that is still being read: not undone, and not a modification.
    case load
    /// An edit taken back.
    case undo
    /// An edit made again.
    case redo
}

/// One change of a document's text, as a value: a range of the old text and what took its place.
///
/// The range starts and ends between scalars, and not between CR and LF, in the old and in the new text. Where an edit
/// makes parts join at its ends (CR and LF, bytes that together become a scalar), it is widened to hold them: so the
/// lengths of ``removed`` and ``inserted`` are in every unit exactly what the text loses and gains.
public struct TextEdit: Sendable {
    /// The change as a set of one section; empty if nothing was replaced by nothing.
    public let changes: TextChangeSet
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
    /// The version of the old text.
    public let before: TextVersion
    /// The version of the new text: the next one.
    public let after: TextVersion
    /// What kind of edit it was.
    public let kind: EditKind

    /// An edit that makes a change of one section at most; of none, at the place where nothing was to be replaced.
    init(
        _ changes: TextChangeSet, at place: TextPoint, before: TextVersion, after: TextVersion, kind: EditKind
    ) {
        self.changes = changes
        let section = changes.changeMap.first
        let start = section?.oldStart ?? place
        let end = section?.oldEnd ?? place
        range = ByteOffset(start.bytes)..<ByteOffset(end.bytes)
        utf16Range = UTF16Offset(start.utf16)..<UTF16Offset(end.utf16)
        paragraphs = ParagraphIndex(start.newlines)..<ParagraphIndex(end.newlines + 1)
        removed = section == nil ? Rope() : changes.removedText(0)
        inserted = section == nil ? Rope() : changes.insertedText(0)
        self.before = before
        self.after = after
        self.kind = kind
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

extension TextEdit {
    /// Where an offset of the old text lies in the new text, in UTF-16 units.
    ///
    /// An offset inside what was replaced, or at an insertion, goes to the end of the inserted text if it leans
    /// `downstream`, else to its start.
    public func map(_ offset: UTF16Offset, leaning affinity: TextAffinity) -> UTF16Offset {
        changes.map(offset, bias: affinity)
    }
}
