import InkstoneBase
import InkstoneUnicode

/// The steps of undo and redo for all views of a text, and the identities of the present and of the saved text.
struct UndoHistory {
    /// The largest number of bytes that the entries may use. If they use more, the oldest entries are dropped; the
    /// newest entry is always kept.
    var byteLimit = 64 << 20
    /// The pause in milliseconds that ends a typed run.
    var pause: Int64 = 2000

    private(set) var undoable: [UndoEntry] = []
    private(set) var redoable: [UndoEntry] = []
    /// Memory used by the steps that can be undone (`undoable`).
    private var loads = UndoLoads()
    /// The most memory that `undoable` has used since a change was last recorded. Steps that were undone since then
    /// are in `redoable`, and still use their memory.
    private var most = 0
    /// The memory used by `undoable` and `redoable`. With entries in `redoable`, an upper bound.
    var bytes: Int { max(most, loads.bytes) }
    /// Number of entries that were dropped, for their age or by ``removeAll()``.
    private(set) var forgotten = 0
    /// The entries that could be redone before the newest entry was made. They are kept as long as the changes of
    /// the newest entry may still cancel out.
    private var heldRedoable: [UndoEntry]?
    /// Number of redoable entries, including those that become redoable if the newest entry's changes cancel out.
    var redoableReach: Int { redoable.count + (heldRedoable?.count ?? 0) }
    /// The last group whose changes cancelled out, with the selection before it, in case more changes of the group
    /// follow.
    private var dropped: (group: UndoJoining, selectionBefore: Selection?)?
    /// Groups that have an entry among `undoable`.
    private(set) var groups: Set<UndoGroupID> = []
    /// Whether the next change must not join a typed run.
    private var isClosed = true

    /// Whether an entry may hold whole texts: see ``forgetTexts()``.
    private var mayKnowTexts = true

    /// The identity of the present text; equal numbers mean equal texts, apart from unrecorded changes.
    private(set) var state: UInt64 = 0
    private var lastState: UInt64 = 0
    private(set) var savedState: UInt64? = 0

    mutating func markSaved() {
        savedState = state
        isClosed = true
    }

    mutating func markSaved(_ state: UInt64) { savedState = state }

    mutating func markUnsaved() {
        savedState = nil
        isClosed = true
    }

    mutating func close() { isClosed = true }

    // MARK: Recording changes

    /// Records a change that was just made.
    ///
    /// - Parameters:
    ///   - owner: the view in which `selectionBefore` may be restored; nil for any view.
    mutating func record(
        _ applied: AppliedTransaction, selectionBefore: Selection?, of owner: ViewID?, at time: Int64
    ) {
        let (transaction, changes) = (applied.transaction, applied.changes)
        forgetTexts()
        if changes.knowsTexts { mayKnowTexts = true }
        guard transaction.undo != .notRecorded else {
            note(changes)
            return
        }
        if transaction.followsComposition { closeComposition(before: transaction.undo, of: transaction.view) }
        resumeGroup(transaction.undo, before: changes, in: applied.styledText)
        lastState += 1
        var after: Selection?
        if case .mapped = transaction.selection {
            after = changes.changeMap.last.map { Selection(caret: $0.newRange.upperBound) } ?? selectionBefore
        } else {
            after = transaction.selection.resolved(after: changes.changeMap, from: selectionBefore)
        }
        // A selection inside marked text belongs to the input method, so record a caret after the marked text
        // instead. That is where the caret is after a commit of the same text, which replaces nothing and so is not
        // recorded itself.
        if case .set(let composition?) = transaction.composition, let marked = composition.markedText?.range {
            after = after?.map { marked.holds($0.range) ? SelectionRange(caret: marked.upperBound) : $0 }
        }
        let isFirst: Bool
        if joins(changes, transaction, time) {
            isFirst = false
            join(changes, after, time)
        } else {
            isFirst = true
            var selectionBefore = selectionBefore
            if let dropped, dropped.group == transaction.undo { selectionBefore = dropped.selectionBefore }
            dropped = nil
            var composition: UndoEntry.ComposedStep?
            if transaction.isComposed { composition = .init(start: time, mayJoin: !isClosed, isOpen: true) }
            let entry = UndoEntry(
                changes: changes, joining: transaction.undo, view: transaction.view, owner: owner, time: time,
                composition: composition,
                selectionBefore: selectionBefore, typingBefore: transaction.typingBefore, selectionAfter: after,
                stateBefore: state, stateAfter: lastState)
            heldRedoable = nil
            if case .group(let group) = transaction.undo {
                heldRedoable = redoable
                groups.insert(group)
            }
            undoable.append(entry)
            loads.add(entry.load)
        }
        (redoable, most) = ([], 0)
        state = lastState
        isClosed = false
        if !isFirst, case .group = transaction.undo { dropIfNothing() }
        trim()
    }

    /// Drops the whole texts that entries keep, which are of no use once the text is edited again: undoing that edit
    /// makes other nodes than those of the kept text. Among the entries to undo, only the newest can have whole texts,
    /// because the others lost theirs when the entry above them was recorded. O(1). After a change with whole texts was
    /// recorded, O(n) in the entries to redo.
    private mutating func forgetTexts() {
        guard mayKnowTexts else { return }
        mayKnowTexts = false
        // Access the entry by index: it is large, and copying it would be wasted.
        let last = undoable.count - 1
        if last >= 0 { undoable[last].changes.forgetTexts() }
        for index in redoable.indices { redoable[index].changes.forgetTexts() }
    }

    /// Adds a change to the newest entry.
    private mutating func join(_ changes: TextChangeSet, _ after: Selection?, _ time: Int64) {
        let last = undoable.count - 1
        loads.remove(undoable[last].load)
        let appended = undoable[last].unrecorded.appended
        if appended != .zero {
            // Text appended to the document after the entry is counted as appended before the entry. The new change
            // can then join the entry.
            undoable[last].unrecorded = UnrecordedChanges()
            undoable[last].changes = undoable[last].changes.extended(by: appended)
            if last > 0 { undoable[last - 1].unrecorded.add(appended: appended) }
        }
        undoable[last].changes.append(changes)
        undoable[last].time = time
        undoable[last].stateAfter = lastState
        undoable[last].selectionAfter = after
        loads.add(undoable[last].load)
    }

    /// Moves the entry of a group to the top if others' changes have interrupted the group. The entry is rebased on
    /// those changes, so that the group stays one step: text composed before and after another's edit is never
    /// undone in parts.
    ///
    /// - Parameters:
    ///   - changes: the change that continues the group.
    ///   - text: the text after that change.
    /// - Complexity: O(k) moves for k entries recorded in between.
    private mutating func resumeGroup(_ joining: UndoJoining, before changes: TextChangeSet, in text: StyledText) {
        guard case .group(let group) = joining, groups.contains(group),
            let index = undoable.lastIndex(where: { $0.joining == joining }),
            index < undoable.count - 1 || !undoable[index].unrecorded.isAppend
        else { return }
        enum Step {
            case append(TextPoint)
            case unrecorded(TextChangeSet, after: StyledText)
            case entry(after: StyledText)
        }
        // Go from the newest entry to the oldest, since only the present text is known.
        var steps: [Step] = []
        var present = text
        present.apply(changes.inverted)
        for other in undoable[index...].reversed() {
            if let changes = other.unrecorded.changes {
                steps.append(.unrecorded(changes, after: present))
                present.apply(changes.inverted)
            }
            let appended = other.unrecorded.appended
            if appended != .zero {
                steps.append(.append(appended))
                let end = present.rope.byteRange.upperBound
                present.apply(TextChangeSet(replacing: (end - appended.bytes)..<end, with: Rope(), in: present.rope))
            }
            steps.append(.entry(after: present))
            present.apply(other.changes.inverted)
        }
        // Drop the last step, which is the group's own entry.
        steps.removeLast()
        var entry = undoable.remove(at: index)
        loads.remove(entry.load)
        heldRedoable = nil
        entry.unrecorded = UnrecordedChanges()
        entry.changes = entry.changes.inverted
        var next = index
        for step in steps.reversed() {
            switch step {
            case .append(let length):
                entry.changes = entry.changes.extended(by: length)
                if next > 0 { undoable[next - 1].unrecorded.add(appended: length) }
            case .unrecorded(let changes, let text):
                let beside = entry.move(over: changes, in: text, isUndo: true)
                if next > 0 { leave(beside, above: next - 1) }
            case .entry(let text):
                let inverse = entry.changes
                let selectionBefore = undoable[next].selectionBefore
                loads.remove(undoable[next].load)
                undoable[next].changes = entry.move(over: undoable[next].changes, in: text, isUndo: true)
                undoable[next].selectionBefore = selectionBefore?.mapped(through: inverse)
                undoable[next].selectionAfter = undoable[next].selectionAfter?.mapped(through: entry.changes)
                undoable[next].unrecorded = UnrecordedChanges()
                loads.add(undoable[next].load)
                // The text between these two entries has never existed before: give it a new number.
                lastState += 1
                undoable[next].stateBefore = entry.stateBefore
                undoable[next].stateAfter = lastState
                entry.stateBefore = lastState
                next += 1
            }
        }
        entry.changes = entry.changes.inverted
        entry.stateAfter = state
        undoable.append(entry)
        loads.add(entry.load)
    }

    /// Makes a group a part of the newest entry, whose change has deleted text that the group had marked. Undoing that
    /// change alone would bring back text that was never committed, and that no view marks any more.
    ///
    /// - Parameter text: the present text.
    mutating func addToNewest(_ group: UndoGroupID, in text: StyledText) {
        guard groups.contains(group), var newest = undoable.last, newest.joining != .group(group) else { return }
        undoable.removeLast()
        loads.remove(newest.load)
        resumeGroup(.group(group), before: newest.changes, in: text)
        if let own = undoable.last, own.joining == .group(group), own.unrecorded.isAppend {
            undoable.removeLast()
            loads.remove(own.load)
            forgetGroup(of: own)
            let appended = own.unrecorded.appended
            if appended != .zero, let below = undoable.indices.last {
                undoable[below].unrecorded.add(appended: appended)
            }
            var changes = own.changes.extended(by: appended)
            newest.selectionBefore = newest.selectionBefore?.mapped(through: changes.inverted)
            changes.append(newest.changes)
            newest.changes = changes
            newest.stateBefore = own.stateBefore
        }
        undoable.append(newest)
        loads.add(newest.load)
        dropIfNothing()
    }

    /// Drops the newest entry if it is of a group whose changes cancelled out, such as a cancelled composition.
    private mutating func dropIfNothing() {
        guard let last = undoable.last, last.changes.isIdentity else { return }
        undoable.removeLast()
        forgetGroup(of: last)
        // Only a group can go on; any other edit has its own selection.
        if case .group = last.joining { dropped = (last.joining, last.selectionBefore) } else { dropped = nil }
        loads.remove(last.load)
        state = last.stateBefore
        redoable = heldRedoable ?? []
        heldRedoable = nil
        // A cancelled composition does not end a typed run that it might have joined.
        isClosed = last.composition?.mayJoin != true
    }

    /// Turns the newest entry into typed text if a view composed it and the composition has ended, because another
    /// user step follows. The entry then joins the typed word before it, which may have been composed syllable by
    /// syllable.
    ///
    /// - Parameter joining: how the next step joins the history: a composition that continues its own group has not
    ///   ended.
    private mutating func closeComposition(before joining: UndoJoining, of view: ViewID?) {
        // Access the entry by index: it is large, and copying it would be wasted, as almost no composition is open.
        let index = undoable.count - 1
        guard index >= 0, let composed = undoable[index].composition, composed.isOpen,
            undoable[index].joining != joining, undoable[index].view == view
        else { return }
        let last = undoable[index]
        forgetGroup(of: last)
        heldRedoable = nil
        undoable[index].joining = .typing
        undoable[index].composition?.isOpen = false
        guard index > 0, composed.mayJoin else { return }
        let before = undoable[index - 1]
        guard before.joining == .typing, before.view == view, before.unrecorded.isAppend,
            composed.start - before.time < pause, last.changes.count == 1,
            before.continues(at: last.changes.changeMap, .typing),
            joinsWord(last.changes, to: before, byBoundaries: true)
        else { return }
        undoable.removeLast()
        loads.remove(last.load)
        let newest = lastState
        lastState = last.stateAfter
        join(last.changes, last.selectionAfter, last.time)
        lastState = newest
        loads.remove(undoable[index - 1].load)
        undoable[index - 1].unrecorded = last.unrecorded
        undoable[index - 1].composition = .init(start: composed.start, mayJoin: false, isOpen: false)
        loads.add(undoable[index - 1].load)
    }

    /// Closes the newest composition before an undo in a view; if `view` is nil, of whichever view. Otherwise only
    /// a composition of that view is closed: another view's composition is a step of its own and may continue.
    private mutating func closeNewestComposition(of view: ViewID?) {
        closeComposition(before: .history, of: view ?? undoable.last?.view)
    }

    /// Adds an unrecorded change to the newest entry of each stack. The entry is rebased on the change when the
    /// entry is undone or redone.
    private mutating func note(_ changes: TextChangeSet) {
        if !undoable.isEmpty {
            leave(changes, above: undoable.count - 1)
            trim()
        }
        if !redoable.isEmpty { redoable[redoable.count - 1].unrecorded.add(changes) }
        // The held redoable entries apply to a text without the newest entry. Only appended text can therefore be
        // added to them: after any other change, drop them.
        if !changes.isAppend {
            heldRedoable = nil
        } else if let count = heldRedoable?.count, count > 0 {
            heldRedoable?[count - 1].unrecorded.add(appended: changes.changeMap.delta)
        }
    }

    /// Adds an unrecorded change to the undoable entry after which the change was made, given by its index.
    private mutating func leave(_ changes: TextChangeSet, above index: Int) {
        loads.remove(undoable[index].load)
        undoable[index].unrecorded.add(changes)
        loads.add(undoable[index].load)
    }

    private mutating func forgetGroup(of entry: UndoEntry) {
        if case .group(let group) = entry.joining { groups.remove(group) }
    }

    private func joins(_ changes: TextChangeSet, _ transaction: Transaction, _ time: Int64) -> Bool {
        // Access the entry by index: it is large, and copying it would be wasted.
        let last = undoable.count - 1
        guard last >= 0, undoable[last].joining == transaction.undo, undoable[last].unrecorded.isAppend else {
            return false
        }
        if case .group = transaction.undo { return true }
        guard !isClosed, undoable[last].view == transaction.view, time - undoable[last].time < pause,
            undoable[last].continues(at: changes.changeMap, transaction.undo)
        else { return false }
        guard transaction.undo == .typing else { return true }
        return joinsWord(changes, to: undoable[last], byBoundaries: undoable[last].composition != nil)
    }

    /// Whether typed text continues the word at the end of an entry's text. A new word and a new paragraph begin a
    /// step of their own.
    ///
    /// - Parameter byBoundaries: whether a word boundary without a blank also counts, as between words of Japanese
    ///   and Chinese. Set for composed text only: a composed piece is a whole unit, but a single typed letter of a
    ///   Thai word does not show yet where the word ends.
    private func joinsWord(_ changes: TextChangeSet, to entry: UndoEntry, byBoundaries: Bool) -> Bool {
        let (old, new) = (entry.changes.insertedText(0), changes.insertedText(0))
        if new.startsLine || !Self.isSpace(new, atEnd: false) && Self.isSpace(old, atEnd: true) { return false }
        return !byBoundaries || new.goesOn(with: old)
    }

    private static func isSpace(_ text: Rope, atEnd: Bool) -> Bool {
        guard !text.isEmpty else { return false }
        let byte = text.byte(at: atEnd ? text.byteRange.upperBound - 1 : 0)
        return byte == 0x20 || (0x09...0x0d).contains(byte)
    }

    // MARK: Undoing and redoing

    /// The changes that undo or redo the newest entry, with the selection afterwards.
    struct Step {
        var changes: TextChangeSet
        /// The selection after the step, in the new text; nil if none was recorded.
        var selection: Selection?
        /// The typing attributes after the step; nil for none.
        var typing: AttributeOverrides?
        /// The view in which the selection may be restored; nil for any view.
        var owner: ViewID?
    }

    /// Returns the transaction that undoes or redoes the newest entry, without changing the history. Nil if there
    /// is no entry.
    ///
    /// - Parameter origin: ``Origin/undo`` or ``Origin/redo``.
    func transaction(
        _ origin: Origin, of text: StyledText, on document: DocumentID, _ version: TextVersion, in view: ViewID?
    ) -> Transaction? {
        let isUndo = origin == .undo
        // Work on a copy: the transaction may never be applied, and applying it changes the history itself.
        var history = self
        if isUndo { history.closeNewestComposition(of: view) }
        let newest = isUndo ? history.undoable.last : history.redoable.last
        guard let step = newest?.restored(in: text, isUndo: isUndo).step else {
            return nil
        }
        var result = Transaction(
            on: document, version, step.changes, origin: origin, undo: .history, view: view, reveal: true)
        result.take(step)
        return result
    }

    /// Undoes or redoes the newest entry for a view: moves the entry from one stack, `undoable` or `redoable`, to
    /// the other, and returns its step. Nil if there is no entry.
    mutating func pop(_ origin: Origin, _ text: StyledText, in view: ViewID?) -> Step? {
        let isUndo = origin == .undo
        most = max(most, loads.bytes)
        if isUndo {
            closeNewestComposition(of: view)
            if let last = undoable.last { loads.remove(last.load) }
        }
        guard let last = isUndo ? undoable.popLast() : redoable.popLast() else { return nil }
        let (entry, step, others) = last.restored(in: text, isUndo: isUndo)
        // Adds the unrecorded changes that were made after the moved entry to the entry that was below it in its
        // stack. That entry is rebased on them when it is undone or redone itself.
        func note(_ below: inout UndoEntry) {
            below.unrecorded.add(appended: last.unrecorded.appended)
            if let others { below.unrecorded.add(others) }
        }
        if isUndo {
            forgetGroup(of: entry)
            if let below = undoable.indices.last {
                loads.remove(undoable[below].load)
                note(&undoable[below])
                loads.add(undoable[below].load)
            }
            redoable.append(entry)
            state = entry.stateBefore
        } else {
            if !redoable.isEmpty { note(&redoable[redoable.count - 1]) }
            undoable.append(entry)
            if case .group(let group) = entry.joining { groups.insert(group) }
            loads.add(entry.load)
            state = entry.stateAfter
        }
        isClosed = true
        heldRedoable = nil
        return step
    }

    mutating func removeAll() {
        forgotten += undoable.count
        undoable = []
        redoable = []
        heldRedoable = nil
        groups = []
        dropped = nil
        (loads, most) = (UndoLoads(), 0)
        isClosed = true
    }

    private mutating func trim() {
        var drop = 0
        while loads.bytes > byteLimit, drop < undoable.count - 1 {
            loads.remove(undoable[drop].load)
            drop += 1
        }
        // Drop many short entries at once, because removing the first moves all others.
        if drop > 0 {
            while drop < undoable.count / 16 {
                loads.remove(undoable[drop].load)
                drop += 1
            }
            for entry in undoable.prefix(drop) { forgetGroup(of: entry) }
            undoable.removeFirst(drop)
            forgotten += drop
        }
    }
}

extension Transaction {
    /// Whether the transaction is a change by an input method that belongs to an undo group: a composition.
    fileprivate var isComposed: Bool {
        if case .group = undo { return origin.isWithin(.inputMethod) }
        return false
    }

    /// Whether the transaction is a user step that ends every composition but its own. Text that an input method
    /// commits late is no such step, and neither is the program's edit beside a composition.
    fileprivate var followsComposition: Bool { origin.isUser && (!origin.isWithin(.inputMethod) || isComposed) }
}

extension Rope {
    /// Whether this text continues the word at the end of `text`: either no word boundary lies between the two, or
    /// this text does not begin with a letter or digit.
    fileprivate func goesOn(with text: Rope) -> Bool {
        let before = text.string(
            in: text.roundedDown(toScalar: Swift.max(0, text.byteRange.upperBound - 64))..<text.byteRange.upperBound)
        let after = string(in: 0..<roundedDown(toScalar: Swift.min(64, byteRange.upperBound)))
        guard let first = after.first, first.isLetter || first.isNumber else { return true }
        return TextBreaker.withShared(.word) { breaker in
            breaker.setText(Array((before + after).utf16))
            return !breaker.isBoundary(before.utf16.count)
        }
    }

    /// Whether the text begins with a newline, as the text typed by Return does, or with Unicode's line or
    /// paragraph separator.
    fileprivate var startsLine: Bool {
        guard let first = string(in: 0..<Swift.min(3, byteRange.upperBound)).unicodeScalars.first else { return false }
        return first == "\n" || first == "\r" || first == "\u{2028}" || first == "\u{2029}"
    }
}
