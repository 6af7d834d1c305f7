import InkstoneBase
import Synchronization

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

/// Which document a position belongs to; unique in the process.
@frozen
public struct DocumentID: Hashable, Sendable {
    /// The number that sets it apart.
    public let rawValue: UInt64

    private static let last = Atomic<UInt64>(0)

    /// An identity that no other document has.
    public init() {
        rawValue = Self.last.wrappingAdd(1, ordering: .relaxed).newValue
    }
}

/// Which of its two neighbours a place between characters belongs to: where lines wrap or directions change, and
/// where an insertion happens just there.
public enum TextAffinity: Hashable, Sendable {
    /// The character before: the end of the line above; stays in front of text inserted there.
    case upstream
    /// The character after: the start of the line below; moves behind text inserted there.
    case downstream
}

/// A place in a document's text as it was at one version.
///
/// Its document gives it meaning: ``TextStore/offset(of:)`` maps it through the edits made since.
public struct TextPosition: Hashable, Sendable {
    /// The document it belongs to.
    public var document: DocumentID
    /// The version of the text that the offset counts in.
    public var version: TextVersion
    /// UTF-16 units from the start of the text of that version.
    public var offset: UTF16Offset
    /// Which neighbour it belongs to.
    public var affinity: TextAffinity

    /// A position by its parts; nothing is checked before its document is asked about it.
    public init(document: DocumentID, version: TextVersion, offset: UTF16Offset, affinity: TextAffinity = .downstream) {
        self.document = document
        self.version = version
        self.offset = offset
        self.affinity = affinity
    }
}

/// Two places in one document, the first not behind the second. It may be empty.
public struct TextRange: Hashable, Sendable {
    /// The first place.
    public var start: TextPosition
    /// The place where it ends.
    public var end: TextPosition

    /// A range between two places of one document and version, given in either order.
    public init(start: TextPosition, end: TextPosition) {
        let ordered = start.offset <= end.offset
        self.start = ordered ? start : end
        self.end = ordered ? end : start
    }

    /// Whether there is no text in it.
    public var isEmpty: Bool { start.offset == end.offset }
}
