import InkstoneBase

/// Tells a view of a text from others of the same text; unique in the process.
public struct ViewID: Hashable, Sendable {
    private let number = DocumentID()

    /// An identity that no other view has.
    public init() {}
}

/// Where a change of a text comes from.
public enum Origin: Hashable, Sendable {
    /// Keys that type.
    case typing
    /// Backspace, Delete and other deletions by the user.
    case deletion
    /// The clipboard.
    case paste
    /// A drag that was dropped.
    case drop
    /// An input method's preedit or its result.
    case inputMethod
    /// A step taken back.
    case undo
    /// A step made again.
    case redo
    /// The program that the view is part of.
    case program
    /// A file that is still being read.
    case load
    /// A journal of what a process did not save.
    case recovery
    /// Another process that edits the same text.
    case otherProcess
    /// A service that rewrites text.
    case writingTool

    /// Whether the user does it, so that what limits the user applies.
    public var isUser: Bool {
        switch self {
        case .typing, .deletion, .paste, .drop, .inputMethod, .undo, .redo: true
        case .program, .load, .recovery, .otherProcess, .writingTool: false
        }
    }
}

/// Identifies what changes belong together in one step of undo.
public struct UndoGroupID: Hashable, Sendable {
    private let number = DocumentID()

    /// An identity that no other group has.
    public init() {}
}

/// How a change is kept in the undo history. There is nothing to open or close: changes join by what they say of themselves.
public enum UndoJoining: Hashable, Sendable {
    /// A step of its own.
    case step
    /// Part of the newest step if that was typed too, just before and right here, else a new one.
    case typing
    /// Part of the newest step if that deleted too, just before and right here, else a new one.
    case deleting
    /// Part of the newest step if that has the same identity, else a new one: a composition, a program's own grouping.
    ///
    /// A step of a group that comes to nothing is dropped, and what could be redone before it can be again.
    case group(UndoGroupID)
    /// Not kept, and not a modification; what is kept moves along.
    case notRecorded
}

/// What is selected after a transaction, in the view that makes it. Other views' selections move along.
public enum SelectionAfter: Hashable, Sendable {
    /// The selection moves along with the text.
    case mapped
    /// A caret behind the last inserted text.
    case afterInserted
    /// All from the first inserted text to the last.
    case selectInserted
    /// A range, in UTF-16 units of the new text.
    case set(Range<UTF16Offset>)

    /// What it is for a change, in UTF-16 units of the new text; nil for ``mapped``.
    public func range(after changes: TextChangeMap) -> Range<UTF16Offset>? {
        switch self {
        case .mapped: return nil
        case .set(let range): return range
        case .afterInserted:
            guard let end = changes.last?.newRange.upperBound else { return nil }
            return end..<end
        case .selectInserted:
            guard let first = changes.first, let last = changes.last else { return nil }
            return first.newRange.lowerBound..<last.newRange.upperBound
        }
    }
}

/// A change of a document's text as a value, with all that follows from it: the only way into a ``TextStore``.
///
/// It is made for one version of one document. If the text has changed when its turn comes, it is moved along.
public struct Transaction: Sendable {
    /// The document it is for.
    public var document: DocumentID
    /// The version of the text that ``changes`` are of.
    public var version: TextVersion
    /// What is replaced.
    public var changes: TextChangeSet
    /// What is selected afterwards in the view that makes it.
    public var selection: SelectionAfter
    /// Where it comes from.
    public var origin: Origin
    /// How it can be taken back.
    public var undo: UndoJoining
    /// What was selected before, in UTF-16 units of the old text: to be selected again when it is taken back. Nil for what
    /// the view that was active last has selected.
    public var selectionBefore: Range<UTF16Offset>?
    /// The view that makes it.
    public var view: ViewID?
    /// Whether the view brings the caret into sight.
    public var reveal: Bool

    /// A transaction on the present text of a store.
    public init(
        on store: TextStore, _ changes: TextChangeSet, origin: Origin = .program, undo: UndoJoining = .step,
        selection: SelectionAfter = .mapped, selectionBefore: Range<UTF16Offset>? = nil, view: ViewID? = nil,
        reveal: Bool = false
    ) {
        document = store.id
        version = store.version
        self.changes = changes
        self.selection = selection
        self.origin = origin
        self.undo = undo
        self.selectionBefore = selectionBefore
        self.view = view
        self.reveal = reveal
    }
}

/// A transaction that was made: what changed, with the text before and after.
public struct AppliedTransaction: Sendable {
    /// What was replaced: as it was made, so perhaps moved along from what was asked for.
    public let changes: TextChangeSet
    /// Where it came from.
    public let origin: Origin
    /// The version of the old text.
    public let before: TextVersion
    /// The version of the new text: the next one. The same as ``before`` if nothing was replaced.
    public let after: TextVersion
    /// The new text. The store's may be a later one, if an observer has edited since.
    public let text: Rope
    /// The view that made it.
    public let view: ViewID?
    /// What is selected afterwards in that view.
    public let selection: SelectionAfter
    /// Whether that view brings the caret into sight.
    public let reveal: Bool

    /// The old text. O(k log n) for k sections.
    public var textBefore: Rope {
        var text = text
        text.apply(changes.inverted)
        return text
    }

    /// The sections as edits, one after the other: each counts in a text in which those before it are made already.
    public var edits: [TextEdit] {
        changes.changeMap.enumerated().map { index, section in
            TextEdit(
                at: section.newStart, removed: changes.removedText(index), inserted: changes.insertedText(index), self)
        }
    }

    /// One edit that replaces all from the first section to the last, with the text between them; for no section, nothing at
    /// the start of the text. O(log n), with ``textBefore`` if there are several sections.
    public var coveringEdit: TextEdit {
        let map = changes.changeMap
        guard let first = map.first, let last = map.last else {
            return TextEdit(at: .zero, removed: Rope(), inserted: Rope(), self)
        }
        if map.count == 1 {
            return TextEdit(
                at: first.oldStart, removed: changes.removedText(0), inserted: changes.insertedText(0), self)
        }
        let start = ByteOffset(first.oldStart.bytes)
        return TextEdit(
            at: first.oldStart, removed: textBefore.slice(start..<ByteOffset(last.oldEnd.bytes)),
            inserted: text.slice(start..<ByteOffset(last.newEnd.bytes)), self)
    }
}
