import InkstoneBase

/// One step of undo or redo.
struct UndoEntry {
    /// What was done last: its inverse takes it back.
    var changes: TextChangeSet
    var joining: UndoJoining
    /// The view that made it.
    var view: ViewID?
    /// The view whose selections are kept here: for a step of the program the one that the user was in. Nil for any view.
    var owner: ViewID?
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

    /// Whether a change types or deletes on, right where this step has left each of its carets.
    func continues(at next: TextChangeMap, _ joining: UndoJoining) -> Bool {
        let made = changes.changeMap
        guard let first = made.first, let section = next.first else { return false }
        let isAlone = made.count == 1 && next.count == 1 && selectionAfter?.count ?? 1 == 1
        switch joining {
        case .typing:
            // One that overwrites as it goes is a run as well.
            guard next.allSatisfy({ $0.removed.bytes == 0 }) || made.contains(where: { $0.removed.bytes > 0 }) else {
                return false
            }
            if isAlone { return section.oldStart.bytes == first.newEnd.bytes }
            guard let carets, carets.count == next.count else { return false }
            return zip(next, carets).allSatisfy { $0.oldRange.lowerBound == $1 }
        case .deleting:
            guard made.allSatisfy({ $0.inserted.bytes == 0 }), next.allSatisfy({ $0.inserted.bytes == 0 }) else {
                return false
            }
            // Backspace ends where the last one started, delete starts there.
            if isAlone {
                return section.oldEnd.bytes == first.newStart.bytes || section.oldStart.bytes == first.newStart.bytes
            }
            guard let carets else { return false }
            let places = Set(carets)
            return next.allSatisfy {
                places.contains($0.oldRange.lowerBound) || places.contains($0.oldRange.upperBound)
            }
        case .step, .group, .notRecorded: return false
        }
    }

    /// Where the step has left carets; nil if it has left text selected.
    private var carets: [UTF16Offset]? {
        guard let ranges = selectionAfter?.ranges, ranges.allSatisfy(\.isCaret) else { return nil }
        return ranges.map(\.head)
    }
}

extension UndoEntry {
    /// What it comes to now, moved along with all that was changed since, the entry as it is to lie on the other stack, and those
    /// changes as if it had not been made.
    func restored(
        in text: StyledText, isUndo: Bool
    ) -> (entry: UndoEntry, step: UndoHistory.Step, others: TextChangeSet?) {
        var entry = self
        entry.unrecorded = UnrecordedChanges()
        entry.changes = changes.inverted.extended(by: unrecorded.appended)
        var moved: TextChangeSet?
        if let others = unrecorded.changes {
            var old = text
            old.apply(others.inverted)
            old.apply(entry.changes)
            let beside = others.mapped(over: entry.changes, in: old, isFirst: true)
            entry.changes = text.resolved(entry.changes.mapped(over: others, in: text, isFirst: false))
            entry.selectionBefore = selectionBefore?.mapped(through: isUndo ? beside : others)
            entry.selectionAfter = selectionAfter?.mapped(through: isUndo ? others : beside)
            moved = beside
        }
        let selection = isUndo ? entry.selectionBefore : entry.selectionAfter
        return (entry, UndoHistory.Step(changes: entry.changes, selection: selection, owner: owner), moved)
    }
}

extension Selection {
    /// Where it lies after changes by others: carets stay before what they insert there.
    fileprivate func mapped(through changes: TextChangeSet) -> Selection {
        mapped(caret: .upstream) { changes.map($0, bias: $1) }
    }
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
