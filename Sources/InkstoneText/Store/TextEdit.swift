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

extension EditKind {
    /// The kind of an edit from somewhere.
    init(_ origin: Origin) {
        self =
            switch origin {
            case .typing: .typing
            case .deletion: .deleting
            case .load: .load
            case .undo: .undo
            case .redo: .redo
            default: .other
            }
    }

    var origin: Origin {
        switch self {
        case .typing: .typing
        case .deleting: .deletion
        case .other: .program
        case .load: .load
        case .undo: .undo
        case .redo: .redo
        }
    }

    /// How such an edit is taken back.
    var joining: UndoJoining {
        switch self {
        case .typing: .typing
        case .deleting: .deleting
        case .other, .undo, .redo: .step
        case .load: .notRecorded
        }
    }
}

/// One change of a document's text, as a value: a range of the old text and what took its place.
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
    /// The version of the old text.
    public let before: TextVersion
    /// The version of the new text: the next one.
    public let after: TextVersion
    /// What kind of edit it was.
    public let kind: EditKind

    /// An edit of one section, or of nothing at a place.
    init(at start: TextPoint, removed: Rope, inserted: Rope, _ applied: AppliedTransaction) {
        self.init(
            at: start, removed: removed, inserted: inserted, EditKind(applied.origin), applied.before, applied.after)
    }

    init(
        at start: TextPoint, removed: Rope, inserted: Rope, _ kind: EditKind, _ before: TextVersion,
        _ after: TextVersion
    ) {
        let end = start + TextPoint(removed.metrics)
        range = ByteOffset(start.bytes)..<ByteOffset(end.bytes)
        utf16Range = UTF16Offset(start.utf16)..<UTF16Offset(end.utf16)
        paragraphs = ParagraphIndex(start.newlines)..<ParagraphIndex(end.newlines + 1)
        self.removed = removed
        self.inserted = inserted
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
        let start = utf16Range.lowerBound
        let end = utf16Range.upperBound
        if offset < start { return offset }
        if offset > end { return offset + delta.utf16 }
        if start < end {
            // The ends of a replaced range stay ends, whichever way they lean.
            if offset == start { return start }
            if offset == end { return insertedUTF16Range.upperBound }
        }
        return affinity == .downstream ? insertedUTF16Range.upperBound : start
    }
}
