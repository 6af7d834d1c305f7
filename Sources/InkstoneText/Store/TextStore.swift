import InkstoneBase

#if canImport(Glibc)
    import Glibc
#endif

/// A document's text with its history: the present text as a ``Rope``, versions, positions and anchors that survive
/// edits, observers, undo and redo, and whether it is saved.
///
/// Bound to one thread; ``text`` is a value that may go to others. An edit costs O(log n + m) for m bytes of new text,
/// O(a) for a anchors, and what the observers do.
public final class TextStore {
    /// Which document this is; positions carry it.
    public let id = DocumentID()
    /// The present text. Taking a copy is O(1).
    public private(set) var text: Rope
    /// The version of the present text.
    public private(set) var version = TextVersion(0)

    /// Says what is selected, in UTF-16 units of the present text: asked before a step of undo begins.
    public var selectionProvider: (() -> Range<UTF16Offset>)?
    /// Called when a position is older than the edit log reaches, and was clamped instead of mapped.
    public var expiredPositionHandler: ((TextPosition) -> Void)?
    /// The clock that typed runs are timed by, in milliseconds; tests put their own.
    public var clock: () -> Int64 = { MonotonicClock.milliseconds }

    /// Whether the text is a secret, such as a password: nothing of it is to be written to disk unless the user saves it.
    ///
    /// A recovery journal of a confidential text records nothing; one that exists when this is set is removed at once.
    public var isConfidential = false {
        didSet {
            if isConfidential, !oldValue { onConfidential?() }
        }
    }
    /// Called when the text becomes confidential.
    package var onConfidential: (() -> Void)?

    private var log: EditLog
    private var anchors = AnchorList()
    private var undoStack = UndoStack()
    private var selectionAtGroupStart: (version: TextVersion, range: Range<UTF16Offset>)?
    private var observers: [(id: Int, willEdit: (() -> Void)?, body: (TextEdit) -> Void)] = []
    private var lastObserver = 0
    private var isNotifying = false

    /// A document with a text, unmodified. Positions of up to `editLogLimit` edits ago can be mapped.
    public init(_ text: Rope = Rope(), editLogLimit: Int = 4096) {
        self.text = text
        log = EditLog(limit: max(1, editLogLimit))
    }

    // MARK: Editing

    /// Replaces a range of bytes, clamped to the text; an end inside a scalar means its start. The observers hear of
    /// it before it returns. Traps if an observer calls it.
    @discardableResult
    public func replace(_ range: Range<ByteOffset>, with new: Rope, kind: EditKind = .other) -> TextEdit {
        let recorded = kind != .load && kind != .undo && kind != .redo
        announce()
        let selection = recorded ? selectionBeforeEdit() : nil
        let edit = apply(range, new, kind)
        if recorded { undoStack.record(edit, at: clock(), selection: selection) }
        notify(edit)
        return edit
    }

    /// Replaces a range of bytes by a string.
    @discardableResult
    public func replace(_ range: Range<ByteOffset>, with string: String, kind: EditKind = .other) -> TextEdit {
        replace(range, with: Rope(string), kind: kind)
    }

    /// Replaces a range of UTF-16 units.
    @discardableResult
    public func replace(_ range: Range<UTF16Offset>, with new: Rope, kind: EditKind = .other) -> TextEdit {
        replace(text.byteRange(of: range), with: new, kind: kind)
    }

    /// Replaces a range of UTF-16 units by a string.
    @discardableResult
    public func replace(_ range: Range<UTF16Offset>, with string: String, kind: EditKind = .other) -> TextEdit {
        replace(text.byteRange(of: range), with: Rope(string), kind: kind)
    }

    private func apply(_ range: Range<ByteOffset>, _ new: Rope, _ kind: EditKind) -> TextEdit {
        let changes = TextChangeSet(replacing: range, with: new, in: text)
        let place =
            changes.isEmpty ? TextPoint(text.metrics(before: range.clamped(into: text.byteRange).lowerBound)) : .zero
        let edit = TextEdit(changes, at: place, before: version, after: version.next, kind: kind)
        text.apply(changes)
        version = edit.after
        log.append(changes.changeMap)
        anchors.apply(changes.changeMap)
        return edit
    }

    // MARK: Positions

    /// The position of an offset of the present text, clamped to it.
    public func position(at offset: UTF16Offset, affinity: TextAffinity = .downstream) -> TextPosition {
        TextPosition(document: id, version: version, offset: offset.clamped(in: text.utf16Range), affinity: affinity)
    }

    /// Where a position lies in the present text, in UTF-16 units: mapped through the edits since, clamped to the text.
    ///
    /// Beyond the edit log it is only clamped, and ``expiredPositionHandler`` told. Traps on another document's
    /// position and on a version yet to come. O(k) for k edits since.
    public func offset(of position: TextPosition) -> UTF16Offset {
        precondition(position.document == id, "a position of another document")
        precondition(position.version <= version, "a position of a version that is yet to come")
        var offset = position.offset
        if position.version < log.firstVersion {
            expiredPositionHandler?(position)
        } else if position.version < version {
            offset = log.map(offset, position.affinity, from: position.version)
        }
        return offset.clamped(in: text.utf16Range)
    }

    /// Whether the edit log still reaches back to a position, so that it is mapped exactly.
    public func canMap(_ position: TextPosition) -> Bool {
        position.document == id && position.version <= version && position.version >= log.firstVersion
    }

    /// Makes a place that moves with the text; it is released by dropping it.
    public func makeAnchor(at offset: UTF16Offset, gravity: TextAffinity = .downstream) -> TextAnchor {
        let anchor = TextAnchor(offset: offset.clamped(in: text.utf16Range), gravity: gravity)
        anchors.append(anchor)
        return anchor
    }

    // MARK: Observers

    /// Calls `body` with each edit, right after it, in the order in which observers registered. Drop the token to end.
    ///
    /// `willEdit` is called right before each edit, on the old text. Neither may edit this document.
    public func observe(
        willEdit: (() -> Void)? = nil, _ body: @escaping (TextEdit) -> Void
    ) -> TextObservation {
        lastObserver += 1
        observers.append((lastObserver, willEdit, body))
        return TextObservation(store: self, id: lastObserver)
    }

    func removeObserver(_ id: Int) {
        observers.removeAll { $0.id == id }
    }

    private func announce() {
        precondition(!isNotifying, "an observer of a text may not edit it; do so after it returned")
        isNotifying = true
        defer { isNotifying = false }
        for observer in observers { observer.willEdit?() }
    }

    private func notify(_ edit: TextEdit) {
        isNotifying = true
        defer { isNotifying = false }
        for observer in observers { observer.body(edit) }
    }

    // MARK: Undo

    /// What a step that begins now is to select when it is taken back.
    private func selectionBeforeEdit() -> Range<UTF16Offset>? {
        if undoStack.depth > 0, let start = selectionAtGroupStart, start.version == version { return start.range }
        return selectionProvider?()
    }

    /// Begins a step of undo that lasts until ``endUndoGroup()``: a composition, a replace-all. Groups may nest.
    ///
    /// While one is open nothing can be undone. A group that changes nothing in the end leaves no step, and what could
    /// be redone before it can be again.
    /// What is selected now is selected again when the step is taken back, also if that changes before the first edit.
    public func beginUndoGroup() {
        if undoStack.depth == 0 { selectionAtGroupStart = selectionProvider.map { (version, $0()) } }
        undoStack.beginGroup()
    }

    /// Ends the group that was begun last. Traps if there is none.
    public func endUndoGroup() { undoStack.endGroup() }

    /// Makes the next edit begin a new step: for a moved caret, a lost focus.
    public func breakUndoCoalescing() { undoStack.close() }

    /// Whether there is a step to take back now.
    public var canUndo: Bool { undoStack.depth == 0 && !undoStack.undoable.isEmpty }
    /// Whether there is a step to make again now.
    public var canRedo: Bool { undoStack.depth == 0 && !undoStack.redoable.isEmpty }

    /// Takes the last step back; returns what was selected before it, in UTF-16 units. Nil if there is nothing to undo.
    @discardableResult
    public func undo() -> Range<UTF16Offset>? {
        guard let step = undoStack.popUndo() else { return nil }
        var last: TextEdit?
        for change in step.changes.reversed() {
            let start = ByteOffset(change.start)
            last = replace(start..<(start + change.inserted.metrics.bytes), with: change.removed, kind: .undo)
        }
        let selection = step.selectionBefore ?? last.map { $0.insertedUTF16Range }
        return selection?.clamped(into: text.utf16Range)
    }

    /// Makes the step again that was taken back last; returns where the caret was after it, in UTF-16 units.
    @discardableResult
    public func redo() -> Range<UTF16Offset>? {
        guard let step = undoStack.popRedo() else { return nil }
        for change in step.changes {
            let start = ByteOffset(change.start)
            replace(start..<(start + change.removed.metrics.bytes), with: change.inserted, kind: .redo)
        }
        return step.selectionAfter?.clamped(into: text.utf16Range)
    }

    /// Most bytes that steps of undo may take: the oldest are dropped whole, the newest never. 64 MiB at first.
    public var undoByteLimit: Int {
        get { undoStack.byteLimit }
        set { undoStack.byteLimit = newValue }
    }

    /// A pause of this many milliseconds ends a typed run. 2000 at first.
    public var undoPause: Int64 {
        get { undoStack.pause }
        set { undoStack.pause = newValue }
    }

    /// Forgets all steps.
    public func removeAllUndo() { undoStack.removeAll() }

    // MARK: Saved or not

    /// Whether the text is another than the saved one. Off again when one undoes back to it.
    public var isModified: Bool { undoStack.savedState != undoStack.state }

    /// Says that the present text is what is saved.
    public func markSaved() { undoStack.markSaved() }

    /// The present text, to be saved elsewhere while one types on; ``markSaved(_:)`` says that it was. O(1).
    ///
    /// It ends a typed run, so that one can undo back to just this text.
    public func makeSavePoint() -> SavePoint {
        undoStack.close()
        return SavePoint(text: text, version: version, document: id, state: undoStack.state)
    }

    /// Says that the text of a save point is what is saved, whatever was typed since. Traps on another document's.
    public func markSaved(_ point: SavePoint) {
        precondition(point.document == id, "a save point of another document")
        undoStack.markSaved(point.state)
    }

    /// Says that no text that can be undone to is what is saved: after a recovery, or when the file is gone.
    public func markUnsaved() { undoStack.markUnsaved() }
}

/// A document's text at a moment, to be saved: what it was, and which of the states that undo leads to.
public struct SavePoint: Sendable {
    /// The text.
    public let text: Rope
    /// Its version.
    public let version: TextVersion
    let document: DocumentID
    let state: UInt64
}
