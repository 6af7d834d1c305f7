import InkstoneBase
import InkstoneUnicode

/// What can be taken back and made again, for all views of a text, and which state of the text is the saved one.
struct UndoHistory {
    /// Most bytes that the entries may take; the oldest are dropped whole, but never the newest.
    var byteLimit = 64 << 20
    /// A pause of this many milliseconds ends a typed run.
    var pause: Int64 = 2000

    private(set) var undoable: [UndoEntry] = []
    private(set) var redoable: [UndoEntry] = []
    /// Memory that `undoable` takes.
    private var loads = UndoLoads()
    /// Number of entries that were dropped for their age.
    private(set) var forgotten = 0
    /// What could be made again before the newest entry, if that may still come to nothing.
    private var heldRedoable: [UndoEntry]?
    /// Number of entries that can be made again, with those that can when the newest entry comes to nothing.
    var redoableReach: Int { redoable.count + (heldRedoable?.count ?? 0) }
    /// The group that came to nothing last, which may go on, and what was selected before it.
    private var dropped: (group: UndoJoining, selectionBefore: Selection?)?
    /// Groups that have an entry among `undoable`.
    private(set) var groups: Set<UndoGroupID> = []
    /// Whether the next change must not join a typed run.
    private var isClosed = true

    /// Names the present state of the text; equal names mean equal texts.
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

    // MARK: Recording

    /// Takes in a change that was just made.
    ///
    /// - Parameters:
    ///   - owner: the view whose selection is `selectionBefore`; nil if it is that of any view.
    mutating func record(
        _ applied: AppliedTransaction, selectionBefore: Selection?, of owner: ViewID?, at time: Int64
    ) {
        let (transaction, changes) = (applied.transaction, applied.changes)
        guard transaction.undo != .notRecorded else {
            note(changes)
            return
        }
        if transaction.followsComposition { closeComposition(before: transaction.undo, of: transaction.view) }
        resumeGroup(transaction.undo, before: changes, in: applied.styledText)
        lastState += 1
        let after: Selection?
        if case .mapped = transaction.selection {
            after = changes.changeMap.last.map { Selection(caret: $0.newRange.upperBound) } ?? selectionBefore
        } else {
            after = transaction.selection.resolved(after: changes.changeMap, from: selectionBefore)
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
        redoable = []
        state = lastState
        isClosed = false
        if !isFirst, case .group = transaction.undo { dropIfNothing() }
        trim()
    }

    /// Adds a change to the newest entry.
    private mutating func join(_ changes: TextChangeSet, _ after: Selection?, _ time: Int64) {
        let last = undoable.count - 1
        loads.remove(undoable[last].load)
        let appended = undoable[last].unrecorded.appended
        if appended != .zero {
            // As if it had been added before the entry.
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

    /// Puts the entry of a group that others' changes have interrupted on top, moved along with these, so that the group stays one
    /// step: what was composed before and after another's edit is never taken back in parts.
    ///
    /// - Parameters:
    ///   - changes: the change that goes on with the group.
    ///   - text: the text after it.
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
        // From the newest back, since only the present text is known.
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
        // The last one is the group's own.
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
                // A text that has never been there.
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

    /// A group that comes to nothing, such as a composition given up, leaves no trace.
    private mutating func dropIfNothing() {
        guard let last = undoable.last, last.changes.isIdentity else { return }
        undoable.removeLast()
        forgetGroup(of: last)
        dropped = (last.joining, last.selectionBefore)
        loads.remove(last.load)
        state = last.stateBefore
        redoable = heldRedoable ?? []
        heldRedoable = nil
        // What was given up does not end a run that it might have joined.
        isClosed = last.composition?.mayJoin != true
    }

    /// Takes the newest entry as typed text, if it was composed by a view and the composition is over, since another step of the user's
    /// comes: it joins the word before it, which may have been composed syllable by syllable.
    ///
    /// - Parameter joining: how the other step is kept: a composition that goes on with its own group is not over.
    private mutating func closeComposition(before joining: UndoJoining, of view: ViewID?) {
        // By index: an entry is large, and almost none is open.
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

    /// Takes the newest entry as what a view's undo takes back: its own composition is over, or with nil that of any view. What another view
    /// composes may go on: it is a step for itself.
    private mutating func closeNewestComposition(of view: ViewID?) {
        closeComposition(before: .history, of: view ?? undoable.last?.view)
    }

    /// Moves what is kept along with a change that is not.
    private mutating func note(_ changes: TextChangeSet) {
        if !undoable.isEmpty {
            leave(changes, above: undoable.count - 1)
            trim()
        }
        if !redoable.isEmpty { redoable[redoable.count - 1].unrecorded.add(changes) }
        // What could be redone is of a text without the newest entry.
        if !changes.isAppend {
            heldRedoable = nil
        } else if let count = heldRedoable?.count, count > 0 {
            heldRedoable?[count - 1].unrecorded.add(appended: changes.changeMap.delta)
        }
    }

    /// Adds a change that is not kept to an entry below it.
    private mutating func leave(_ changes: TextChangeSet, above index: Int) {
        loads.remove(undoable[index].load)
        undoable[index].unrecorded.add(changes)
        loads.add(undoable[index].load)
    }

    private mutating func forgetGroup(of entry: UndoEntry) {
        if case .group(let group) = entry.joining { groups.remove(group) }
    }

    private func joins(_ changes: TextChangeSet, _ transaction: Transaction, _ time: Int64) -> Bool {
        // By index: an entry is large, and a copy of it is made for nothing.
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

    /// Whether what is typed goes on with the word that an entry has typed: a new word, and a new paragraph, begin a step of their own.
    ///
    /// - Parameter byBoundaries: whether a boundary of words with no blank counts as well, as between words of Japanese and Chinese. What is
    ///   composed comes in pieces that mean something; a letter typed of a Thai word does not say yet where the word ends.
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

    // MARK: Back and forth

    /// What to do to take the newest entry back, or make it again, and what to select then.
    struct Step {
        var changes: TextChangeSet
        /// In the text after it; nil if nothing was recorded.
        var selection: Selection?
        /// Attributes to type with after it; nil for none.
        var typing: AttributeOverrides?
        /// The view whose selection that was; nil if it is that of any view.
        var owner: ViewID?
    }

    /// The transaction that takes the newest entry back, or makes it again: a function of the history and of the text. Nil if there is
    /// none.
    ///
    /// - Parameter origin: ``Origin/undo`` or ``Origin/redo``.
    func transaction(
        _ origin: Origin, of text: StyledText, on document: DocumentID, _ version: TextVersion, in view: ViewID?
    ) -> Transaction? {
        let isUndo = origin == .undo
        // It may come to nothing: the history itself is changed when it is made.
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

    /// Puts the newest entry on the other stack: it is undone or redone by a view. Nil if there is none.
    mutating func pop(_ origin: Origin, _ text: StyledText, in view: ViewID?) -> Step? {
        let isUndo = origin == .undo
        if isUndo {
            closeNewestComposition(of: view)
            if let last = undoable.last { loads.remove(last.load) }
        }
        guard let last = isUndo ? undoable.popLast() : redoable.popLast() else { return nil }
        let (entry, step, others) = last.restored(in: text, isUndo: isUndo)
        // The entry below is moved along when its turn comes.
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
        loads = UndoLoads()
        isClosed = true
    }

    private mutating func trim() {
        var drop = 0
        while loads.bytes > byteLimit, drop < undoable.count - 1 {
            loads.remove(undoable[drop].load)
            drop += 1
        }
        // Many short ones go at once, because the first cannot be taken off without moving all others.
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
    /// Whether it is a step of a composition.
    fileprivate var isComposed: Bool {
        if case .group = undo { return origin.isWithin(.inputMethod) }
        return false
    }

    /// Whether it comes after any composition that it is no step of: a step of the user's own. What an input method sends late is none, and
    /// the program may edit beside a composition.
    fileprivate var followsComposition: Bool { origin.isUser && (!origin.isWithin(.inputMethod) || isComposed) }
}

extension Rope {
    /// Whether there is no boundary of words between the end of a text and this one behind it, or none that this one begins a word at.
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

    /// Whether it begins with a newline: a key that ends a line, with the indentation of the new one.
    fileprivate var startsLine: Bool {
        guard let first = string(in: 0..<Swift.min(3, byteRange.upperBound)).unicodeScalars.first else { return false }
        return first == "\n" || first == "\r" || first == "\u{2028}" || first == "\u{2029}"
    }
}
