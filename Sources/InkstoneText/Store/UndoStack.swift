import InkstoneBase

/// A change that can be taken back: bytes from `start` on, what was there and what took its place.
struct UndoChange {
    var start: Int
    var removed: Rope
    var inserted: Rope

    init(_ edit: TextEdit) {
        start = edit.range.lowerBound.value
        removed = edit.removed
        inserted = edit.inserted
    }

    var isNothing: Bool { removed == inserted }

    /// What it costs to keep, in bytes.
    var cost: Int { 256 + removed.metrics.bytes + inserted.metrics.bytes }

    /// Takes in a change that was made after this one and touches what this one inserted; false if it does not.
    mutating func merge(_ next: UndoChange) -> Bool {
        let length = inserted.metrics.bytes
        let low = next.start - start
        let high = low + next.removed.metrics.bytes
        guard low <= length, high >= 0 else { return false }
        if low < 0 { removed.replace(0..<0, with: next.removed.slice(0..<ByteOffset(-low))) }
        if high > length {
            let end = removed.byteRange.upperBound
            let rest = ByteOffset(length - low)..<next.removed.byteRange.upperBound
            removed.replace(end..<end, with: next.removed.slice(rest))
        }
        inserted.replace(ByteOffset(max(0, low))..<ByteOffset(min(length, high)), with: next.inserted)
        start = min(start, next.start)
        return true
    }
}

/// One step of undo.
struct UndoStep {
    private(set) var changes: [UndoChange] = []
    var kind: EditKind
    /// When the last change was made, in milliseconds.
    var time: Int64
    /// What was selected before, in UTF-16 units.
    var selectionBefore: Range<UTF16Offset>?
    /// What is to be selected after, in UTF-16 units.
    var selectionAfter: Range<UTF16Offset>?
    /// The states of the text before and after, as ``UndoStack`` numbers them.
    var stateBefore: UInt64
    var stateAfter: UInt64

    /// What it costs to keep, in bytes. Kept beside the changes, of which a replacement of everything makes many.
    private(set) var cost = 128

    /// Takes in a change that was made after the others.
    mutating func append(_ change: UndoChange) {
        let last = changes.count - 1
        if last >= 0 {
            cost -= changes[last].cost
            let isMerged = changes[last].merge(change)
            cost += changes[last].cost
            if isMerged { return }
        }
        changes.append(change)
        cost += change.cost
    }
}

/// What can be taken back and made again, and which state of the text is the saved one.
struct UndoStack {
    /// Most bytes that the steps may take; the oldest are dropped whole, but never the newest.
    var byteLimit = 64 << 20
    /// A pause of this many milliseconds ends a typed run.
    var pause: Int64 = 2000

    private(set) var undoable: [UndoStep] = []
    private(set) var redoable: [UndoStep] = []
    private var cost = 0

    /// Open groups, one inside the other.
    private(set) var depth = 0
    private var groupStart = 0
    private var redoableBeforeGroup: [UndoStep] = []
    /// Whether the next edit must not join the last step.
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

    mutating func beginGroup() {
        if depth == 0 {
            isClosed = true
            groupStart = undoable.count
            redoableBeforeGroup = redoable
        }
        depth += 1
    }

    mutating func endGroup() {
        precondition(depth > 0, "an undo group ends that was not begun")
        depth -= 1
        guard depth == 0 else { return }
        isClosed = true
        // A group that came to nothing, such as a composition given up, leaves no trace.
        if undoable.count > groupStart, let step = undoable.last, step.changes.allSatisfy(\.isNothing) {
            undoable.removeLast()
            cost -= step.cost
            state = step.stateBefore
            redoable = redoableBeforeGroup
        }
        redoableBeforeGroup = []
        trim()
    }

    /// Takes in an edit that was just made.
    mutating func record(_ edit: TextEdit, at time: Int64, selection: Range<UTF16Offset>?) {
        let change = UndoChange(edit)
        redoable = []
        lastState += 1
        let after = edit.insertedUTF16Range.upperBound
        if let last = undoable.indices.last, joins(undoable[last], edit, change, time) {
            let old = undoable[last].cost
            undoable[last].append(change)
            undoable[last].time = time
            undoable[last].stateAfter = lastState
            undoable[last].selectionAfter = after..<after
            cost += undoable[last].cost - old
        } else {
            var step = UndoStep(
                kind: edit.kind, time: time, selectionBefore: selection, selectionAfter: after..<after,
                stateBefore: state, stateAfter: lastState)
            step.append(change)
            undoable.append(step)
            cost += step.cost
        }
        state = lastState
        isClosed = false
        if depth == 0 { trim() }
    }

    private func joins(_ last: UndoStep, _ edit: TextEdit, _ change: UndoChange, _ time: Int64) -> Bool {
        if depth > 0 { return undoable.count > groupStart }
        guard !isClosed, last.kind == edit.kind, time - last.time < pause, let previous = last.changes.last,
            last.changes.count == 1
        else { return false }
        let end = previous.start + previous.inserted.metrics.bytes
        switch edit.kind {
        case .typing:
            // One that overwrites as it goes is a run as well.
            guard change.start == end, change.removed.isEmpty || !previous.removed.isEmpty else { return false }
            // A new word, and a new paragraph, begin a step of their own.
            let startsWord = !Self.isSpace(change.inserted, atEnd: false)
            return !change.inserted.isNewline && !(startsWord && Self.isSpace(previous.inserted, atEnd: true))
        case .deleting:
            guard previous.inserted.isEmpty, change.inserted.isEmpty else { return false }
            // Backspace ends where the last one started, delete starts there.
            return change.start + change.removed.metrics.bytes == previous.start || change.start == previous.start
        default: return false
        }
    }

    private static func isSpace(_ text: Rope, atEnd: Bool) -> Bool {
        guard !text.isEmpty else { return false }
        let byte = text.byte(at: atEnd ? text.byteRange.upperBound - 1 : 0)
        return byte == 0x20 || (0x09...0x0d).contains(byte)
    }

    /// Takes the newest step off to take it back; nil if there is none or a group is open.
    mutating func popUndo() -> UndoStep? {
        guard depth == 0, let step = undoable.popLast() else { return nil }
        cost -= step.cost
        redoable.append(step)
        state = step.stateBefore
        isClosed = true
        return step
    }

    /// Takes the step off that is to be made again; nil if there is none or a group is open.
    mutating func popRedo() -> UndoStep? {
        guard depth == 0, let step = redoable.popLast() else { return nil }
        undoable.append(step)
        cost += step.cost
        state = step.stateAfter
        isClosed = true
        return step
    }

    mutating func removeAll() {
        undoable = []
        redoable = []
        cost = 0
        isClosed = true
    }

    private mutating func trim() {
        var drop = 0
        while cost > byteLimit, drop < undoable.count - 1 {
            cost -= undoable[drop].cost
            drop += 1
        }
        // Many short ones go at once, because the first cannot be taken off without moving all others.
        if drop > 0 {
            while drop < undoable.count / 16 {
                cost -= undoable[drop].cost
                drop += 1
            }
        }
        undoable.removeFirst(drop)
    }
}

extension Rope {
    /// Whether it is nothing but one newline.
    fileprivate var isNewline: Bool {
        metrics.newlines == 1 && metrics.scalars - metrics.newlines <= 1 && metrics.bytes <= 3
    }
}
