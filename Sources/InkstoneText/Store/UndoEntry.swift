import InkstoneBase

/// One step of undo or redo.
struct UndoEntry {
    /// What was done last: its inverse takes it back.
    var changes: TextChangeSet
    var joining: UndoJoining
    /// The view that made it.
    var view: ViewID?
    /// When the last change was made, in milliseconds.
    var time: Int64
    /// What to select when it is taken back, in the text then.
    var selectionBefore: Selection?
    /// What to select when it is made again, in the text then.
    var selectionAfter: Selection?
    /// The states of the text before and after, as ``UndoHistory`` numbers them.
    var stateBefore: UInt64
    var stateAfter: UInt64
    /// What was changed since, and before the next entry, that is not kept.
    var unrecorded = UnrecordedChanges()

    /// What it costs to keep, in bytes.
    var cost: Int { 256 + changes.cost }
}

/// Changes that are not taken back: what is kept in the history has to be moved along with them.
struct UnrecordedChanges {
    /// What was added at the end: first, and only by its length.
    private(set) var appended = TextPoint.zero
    /// What was changed then.
    private(set) var changes: TextChangeSet?

    var isAppend: Bool { changes == nil }

    mutating func add(_ new: TextChangeSet) {
        if changes == nil {
            if new.isAppend { appended += new.changeMap.delta } else { changes = new }
        } else {
            changes?.append(new)
        }
    }

    mutating func add(appended length: TextPoint) {
        // The end of the text is behind all that was changed: the two may change places.
        appended += length
        changes = changes?.extended(by: length)
    }
}
