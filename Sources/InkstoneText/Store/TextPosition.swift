import InkstoneBase
import Synchronization

/// A version of a document's text: a number that grows by one with each edit, undo and redo included.
@frozen
public struct TextVersion: Hashable, Comparable, Sendable {
    /// Number of edits since the document was made.
    public let value: Int

    /// Creates a version with the given number of edits.
    public init(_ value: Int) { self.value = value }

    /// Whether a version is earlier than another.
    public static func < (a: Self, b: Self) -> Bool { a.value < b.value }

    /// The version one edit later.
    var next: Self { Self(value + 1) }
}

/// The identity of the document that a position belongs to; unique in the process.
@frozen
public struct DocumentID: Hashable, Sendable {
    /// The number that identifies the document.
    public let rawValue: UInt64

    private static let last = Atomic<UInt64>(0)

    /// Creates an identity that no other document has.
    public init() {
        rawValue = Self.last.wrappingAdd(1, ordering: .relaxed).newValue
    }
}

/// The character, before or after, that a position between two characters belongs to. It decides on which line a
/// caret at a line wrap is shown, and on which side of a change of writing direction. It also decides whether the
/// position moves when text is inserted at it.
public enum TextAffinity: Hashable, Sendable {
    /// The character before: at a line wrap, the end of the line above. The position stays before text inserted at
    /// it.
    case upstream
    /// The character after: at a line wrap, the start of the line below. The position moves after text inserted at
    /// it.
    case downstream
}

/// A position in one version of a document's text.
///
/// ``TextStore/offset(of:)`` maps the position through the edits made since that version.
public struct TextPosition: Hashable, Sendable {
    /// The document that the position is in.
    public var document: DocumentID
    /// The version of the text that the offset is in.
    public var version: TextVersion
    /// UTF-16 units from the start of the text of that version.
    public var offset: UTF16Offset
    /// The neighbouring character that the position belongs to.
    public var affinity: TextAffinity

    /// Creates a position with the given properties. Nothing is checked until the document maps the position.
    public init(document: DocumentID, version: TextVersion, offset: UTF16Offset, affinity: TextAffinity = .downstream) {
        self.document = document
        self.version = version
        self.offset = offset
        self.affinity = affinity
    }
}

/// Two positions in one document, the first not after the second. May be empty.
public struct TextRange: Hashable, Sendable {
    /// The position where the range starts.
    public var start: TextPosition
    /// The position where the range ends.
    public var end: TextPosition

    /// Creates a range between two positions of one document and version, given in either order.
    public init(start: TextPosition, end: TextPosition) {
        let ordered = start.offset <= end.offset
        self.start = ordered ? start : end
        self.end = ordered ? end : start
    }

    /// Whether the range holds no text.
    public var isEmpty: Bool { start.offset == end.offset }
}
