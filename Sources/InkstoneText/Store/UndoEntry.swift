import InkstoneBase

/// Memory that an entry takes.
struct UndoLoad {
    /// Bytes of all but ``contents``.
    var bytes = 0
    /// Contents of attachments by their identities, with their bytes: other entries may hold the same.
    private(set) var contents: [ObjectIdentifier: Int] = [:]

    mutating func add(_ changes: TextChangeSet) {
        bytes += changes.costWithoutContents
        contents.merge(changes.heldContents) { size, _ in size }
    }
}

/// Memory that several entries take together, which counts what they share once.
struct UndoLoads {
    private(set) var bytes = 0
    /// The number of entries that hold contents of attachments.
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
    /// The composition that made it or a part of it; nil if none did.
    var composition: ComposedStep?
    /// What to select when it is taken back, in the text then.
    var selectionBefore: Selection?
    /// Attributes to type with when it is taken back.
    var typingBefore: AttributeOverrides?
    /// What to select when it is made again, in the text then.
    var selectionAfter: Selection?
    /// The states of the text before and after, as ``UndoHistory`` numbers them.
    var stateBefore: UInt64
    var stateAfter: UInt64
    /// What was changed since, and before the next entry, that is not kept.
    var unrecorded = UnrecordedChanges()

    /// Composition that made an entry or a part of it.
    struct ComposedStep {
        /// Time at which it began, in milliseconds.
        var start: Int64
        /// Whether it may go on with what was typed before it.
        var mayJoin: Bool
        /// Whether more of it may come: its group has not been followed by another step of the user's.
        var isOpen: Bool
    }

    /// Memory that it takes.
    var load: UndoLoad {
        var load = unrecorded.load
        load.add(changes)
        load.bytes += 256
        return load
    }

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
        case .step, .group, .notRecorded, .history: return false
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
        if let others = unrecorded.changes { moved = entry.move(over: others, in: text, isUndo: isUndo) }
        let selection = isUndo ? entry.selectionBefore : entry.selectionAfter
        let typing = isUndo ? typingBefore : nil
        let step = UndoHistory.Step(changes: entry.changes, selection: selection, typing: typing, owner: owner)
        return (entry, step, moved)
    }
}

extension UndoEntry {
    /// Moves the entry, whose ``changes`` are what is to be done, along with changes made since. Returns those as if the entry had been
    /// done before them.
    ///
    /// - Parameters:
    ///   - others: the changes since.
    ///   - text: the text after them.
    ///   - isUndo: whether doing it takes the step back, so that what it selects then is ``selectionBefore``.
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
    /// Where it lies after changes by others: carets stay before what they insert there.
    func mapped(through changes: TextChangeSet) -> Selection {
        mapped(caret: .upstream) { changes.map($0, bias: $1) }
    }
}

/// Changes that are not taken back: what is kept in the history has to be moved along with them.
///
/// They are composed by halves, as they come: each is composed O(log n) times among n, however many there are before a step is needed.
struct UnrecordedChanges {
    /// Successive changes as one, and how many they were.
    private struct Run {
        var changes: TextChangeSet
        var count: Int
    }

    /// The length of what was added at the end, which counts as added first.
    private(set) var appended = TextPoint.zero
    /// The changes since then, in order; each run counts more changes than the one after it.
    private var runs: [Run] = []

    var isAppend: Bool { runs.isEmpty }

    /// Memory that the changes take. O(log n) for n of them.
    var load: UndoLoad { runs.reduce(into: UndoLoad()) { $0.add($1.changes) } }

    /// The changes after the addition at the end, as one; nil for nothing. O(n) for n sections.
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
        // The end of the text is behind all that was changed: the two may change places.
        appended += length
        for index in runs.indices { runs[index].changes = runs[index].changes.extended(by: length) }
    }
}
