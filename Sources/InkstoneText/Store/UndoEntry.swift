import InkstoneBase

/// Memory used by an undo entry.
struct UndoLoad {
    /// Bytes of memory, without those of ``contents``.
    var bytes = 0
    /// The sizes in bytes of attachments' contents, by the identity of the contents object: other entries may hold
    /// the same object.
    private(set) var contents: [ObjectIdentifier: Int] = [:]

    mutating func add(_ changes: TextChangeSet) {
        bytes += changes.costWithoutContents
        contents.merge(changes.heldContents) { size, _ in size }
    }
}

/// Memory used by several entries, with shared contents counted once.
struct UndoLoads {
    private(set) var bytes = 0
    /// The number of entries that hold each contents object.
    private var uses: [ObjectIdentifier: Int] = [:]

    mutating func add(_ load: UndoLoad) {
        bytes += load.bytes
        for (identity, size) in load.contents {
            let before = uses[identity] ?? 0
            if before == 0 { bytes += size }
            uses[identity] = before + 1
        }
    }

    mutating func remove(_ load: UndoLoad) {
        bytes -= load.bytes
        for (identity, size) in load.contents {
            let after = (uses[identity] ?? 0) - 1
            if after == 0 { bytes -= size }
            uses[identity] = after > 0 ? after : nil
        }
    }
}

/// A step of undo or redo.
struct UndoEntry {
    /// The changes by which the step was last made, undone or redone. Their inverse undoes or redoes the step next.
    var changes: TextChangeSet
    var joining: UndoJoining
    /// The view that made the step.
    var view: ViewID?
    /// The view in which the recorded selections may be restored: for a step of the program, the view that the user
    /// was in. Nil if they may be restored in any view.
    var owner: ViewID?
    /// Time of the last change, in milliseconds.
    var time: Int64
    /// The composition that made the step or a part of it; nil if none did.
    var composition: ComposedStep?
    /// The selection to restore by undo, in the text after the undo.
    var selectionBefore: Selection?
    /// The attributes chosen for typing, to restore by undo.
    var typingBefore: AttributeOverrides?
    /// The selection to restore by redo, in the text after the redo.
    var selectionAfter: Selection?
    /// The state of the text before the step, as ``UndoHistory`` numbers states.
    var stateBefore: UInt64
    /// The state of the text after the step.
    var stateAfter: UInt64
    /// Unrecorded changes made after this entry and before the next one.
    var unrecorded = UnrecordedChanges()

    /// The composition that made an entry or a part of it.
    struct ComposedStep {
        /// Start time of the composition, in milliseconds.
        var start: Int64
        /// Whether the composition may join the typed text before it in one step.
        var mayJoin: Bool
        /// Whether the composition may still grow, because no other user step has followed it.
        var isOpen: Bool
    }

    /// Memory used by the entry.
    var load: UndoLoad {
        var load = unrecorded.load
        load.add(changes)
        load.bytes += 256
        return load
    }

    /// Whether a change types or deletes at the carets that this step has left, and so continues the step.
    func continues(at next: TextChangeMap, _ joining: UndoJoining) -> Bool {
        let made = changes.changeMap
        guard let first = made.first, let section = next.first else { return false }
        let isAlone = made.count == 1 && next.count == 1 && selectionAfter?.count ?? 1 == 1
        switch joining {
        case .typing:
            // Typing that overwrites text continues only a step that overwrote text as well.
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
            // The new deletion must end (Backspace) or start (Delete key) where the last deletion was.
            if isAlone {
                return section.oldEnd.bytes == first.newStart.bytes || section.oldStart.bytes == first.newStart.bytes
            }
            guard let carets else { return false }
            let places = Set(carets)
            return next.allSatisfy {
                places.contains($0.oldRange.lowerBound) || places.contains($0.oldRange.upperBound)
            }
        case .step, .group, .notRecorded, .history: return false
        }
    }

    /// The carets after the step; nil if the step has left text selected.
    private var carets: [UTF16Offset]? {
        guard let ranges = selectionAfter?.ranges, ranges.allSatisfy(\.isCaret) else { return nil }
        return ranges.map(\.head)
    }
}

extension UndoEntry {
    /// Undoes or redoes this entry. Returns the entry for the other stack (of redo or undo), the step to apply to
    /// `text`, and the unrecorded changes made since this entry. The step and the entry are rebased on these changes;
    /// the changes are rebased as if the entry had never been made.
    func restored(
        in text: StyledText, isUndo: Bool
    ) -> (entry: UndoEntry, step: UndoHistory.Step, others: TextChangeSet?) {
        var entry = self
        entry.unrecorded = UnrecordedChanges()
        entry.changes = changes.inverted.extended(by: unrecorded.appended)
        var moved: TextChangeSet?
        if let others = unrecorded.changes { moved = entry.move(over: others, in: text, isUndo: isUndo) }
        let selection = isUndo ? entry.selectionBefore : entry.selectionAfter
        let typing = isUndo ? typingBefore : nil
        let step = UndoHistory.Step(changes: entry.changes, selection: selection, typing: typing, owner: owner)
        return (entry, step, moved)
    }
}

extension UndoEntry {
    /// Rebases the entry, whose ``changes`` are still to be applied, on changes made since. Returns the changes
    /// made since, rebased as if the entry had been applied first.
    ///
    /// - Parameters:
    ///   - others: the changes made since.
    ///   - text: the text after `others`.
    ///   - isUndo: whether the entry is to be undone, so that ``selectionBefore`` is the selection that it
    ///     restores.
    mutating func move(over others: TextChangeSet, in text: StyledText, isUndo: Bool) -> TextChangeSet {
        var old = text
        old.apply(others.inverted)
        old.apply(changes)
        let beside = others.mapped(over: changes, in: old, isFirst: true)
        changes = text.resolved(changes.mapped(over: others, in: text, isFirst: false))
        selectionBefore = selectionBefore?.mapped(through: isUndo ? beside : others)
        selectionAfter = selectionAfter?.mapped(through: isUndo ? others : beside)
        return beside
    }
}

extension Selection {
    /// Maps the selection through others' changes: carets stay before text inserted at them.
    func mapped(through changes: TextChangeSet) -> Selection {
        mapped(caret: .upstream) { changes.map($0, bias: $1) }
    }
}

/// Changes without an undo step that were made after an entry of the history: the entry has to be rebased on these
/// changes when it is undone or redone.
///
/// They are composed to few changes as they arrive. Composition is balanced: each of n changes takes part in O(log
/// n) compositions.
struct UnrecordedChanges {
    /// Successive changes composed to one, and their number.
    private struct Run {
        var changes: TextChangeSet
        var count: Int
    }

    /// The length of text appended to the document's end, which counts as appended before all other changes.
    private(set) var appended = TextPoint.zero
    /// The changes other than ``appended`` text, in order. Each run combines more changes than the run after it.
    private var runs: [Run] = []

    var isAppend: Bool { runs.isEmpty }

    /// Memory used by the changes. O(log n) for n of them.
    var load: UndoLoad { runs.reduce(into: UndoLoad()) { $0.add($1.changes) } }

    /// The changes other than appending, composed to one; nil for none. O(n) for n sections.
    var changes: TextChangeSet? {
        guard var whole = runs.last?.changes else { return nil }
        for run in runs.dropLast().reversed() { whole = run.changes.composed(with: whole) }
        return whole
    }

    mutating func add(_ new: TextChangeSet) {
        if runs.isEmpty, new.isAppend {
            appended += new.changeMap.delta
            return
        }
        var run = Run(changes: new, count: 1)
        while let before = runs.last, before.count <= run.count {
            runs.removeLast()
            run = Run(changes: before.changes.composed(with: run.changes), count: before.count + run.count)
        }
        runs.append(run)
    }

    mutating func add(appended length: TextPoint) {
        // The end of the text lies behind all other changes. The result is therefore the same if the text was
        // appended before them.
        appended += length
        for index in runs.indices { runs[index].changes = runs[index].changes.extended(by: length) }
    }
}
