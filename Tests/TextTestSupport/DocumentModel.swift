/// A model of a store with views: UTF-16 units with or without weight, a selection for each view, and all texts
/// reachable by undo and redo.
package struct DocumentModel {
    /// A UTF-16 unit with one attribute.
    package struct Unit: Equatable {
        package var letter: UInt16
        package var weight: Int?

        package init(_ letter: UInt16, weight: Int? = nil) { (self.letter, self.weight) = (letter, weight) }
    }

    /// The selection after an edit, in the view that edits.
    package enum After: Sendable {
        case mapped, grown, afterInserted, selectInserted
        case set(CursorModel)
    }

    /// The way in which a step is merged with the one before it.
    package enum Joining: Equatable, Sendable {
        case step, typing, deleting
        case group(Int)
    }

    fileprivate struct Step {
        var before: [Unit]
        var after: [Unit]
        var change: ChangeSectionsModel
        var joining: Joining
        /// The view that made the step, whose selection is kept with it.
        var maker: Int?
        var view: Int
        /// Nil if nobody said what was selected.
        var cursorBefore: CursorModel?
        var cursorAfter: CursorModel?
    }

    package private(set) var units: [Unit]
    /// The selection of each view.
    package var cursors: [CursorModel]
    /// The view that the user was in last.
    package var active: Int
    private var undoable: [Step] = []
    private var redoable: [Step] = []
    private var heldRedoable: [Step]?
    private var dropped: (joining: Joining, cursor: CursorModel?)?
    private var isClosed = true

    package init(_ text: String, views: Int) {
        units = text.utf16.map { Unit($0) }
        cursors = Array(repeating: CursorModel(caret: 0), count: views)
        active = views - 1
    }

    package var text: String { String(decoding: units.map(\.letter), as: UTF16.self) }
    package var canUndo: Bool { !undoable.isEmpty }
    package var canRedo: Bool { !redoable.isEmpty }

    /// A single replacement.
    package struct Replacement {
        package var low: Int
        package var high: Int
        package var text: String

        package init(_ low: Int, _ high: Int, _ text: String) { (self.low, self.high, self.text) = (low, high, text) }
    }

    /// Replaces several ranges, by a view or (with nil) by the program.
    package mutating func replace(
        _ replacements: [Replacement], by view: Int?, _ joining: Joining, then after: After, weight: Int?? = nil,
        recordsSelection: Bool = true
    ) {
        let replacements = replacements.filter { $0.low < $0.high || !$0.text.isEmpty }
        guard !replacements.isEmpty else { return }
        var new = units
        for part in replacements.reversed() {
            let taken = weight ?? inherited(part.low, part.high)
            new.replaceSubrange(part.low..<part.high, with: part.text.utf16.map { Unit($0, weight: taken) })
        }
        let change = ChangeSectionsModel(
            replacements.map { .init(low: $0.low, high: $0.high, inserted: $0.text.utf16.count) })
        make(new, change, by: view, joining, then: after, recordsSelection: recordsSelection)
    }

    /// Sets the weight of a range.
    package mutating func weigh(_ low: Int, _ high: Int, _ weight: Int?, by view: Int?) {
        var new = units
        for index in low..<high { new[index].weight = weight }
        if new != units { make(new, ChangeSectionsModel([]), by: view, .step, then: .mapped, recordsSelection: false) }
    }

    /// Appends text of a file: plain, and without an undo step.
    package mutating func load(_ text: String) {
        let change = ChangeSectionsModel([.init(low: units.count, high: units.count, inserted: text.utf16.count)])
        let new = text.utf16.map { Unit($0) }
        units += new
        for index in undoable.indices { undoable[index].load(new) }
        for index in redoable.indices { redoable[index].load(new) }
        for index in (heldRedoable ?? []).indices { heldRedoable?[index].load(new) }
        for index in cursors.indices { cursors[index] = cursors[index].mapped(change, caretsStay: true) }
    }

    private func inherited(_ low: Int, _ high: Int) -> Int? {
        if low < high || low == 0 { return units.indices.contains(low) ? units[low].weight : nil }
        return units[low - 1].weight
    }

    private mutating func make(
        _ new: [Unit], _ change: ChangeSectionsModel, by view: Int?, _ joining: Joining, then after: After,
        recordsSelection: Bool
    ) {
        let old = units
        // The program's steps are those of the view that the user is in. A view that the user is not in has to say where it is.
        let owner = view ?? active
        let before = owner == active || recordsSelection ? cursors[owner] : nil
        units = new
        move(through: change, by: view, then: after)
        var cursorAfter = before.map { _ in cursors[owner] }
        let carets = change.newRanges.map { CursorModel.Range($0.upperBound, $0.upperBound) }
        switch after {
        case .mapped: if let last = carets.last { cursorAfter = CursorModel([last], primary: 0) }
        case .afterInserted: if before == nil { cursorAfter = CursorModel(carets, primary: carets.count - 1) }
        case .set, .selectInserted: cursorAfter = cursors[owner]
        case .grown: break
        }
        record(
            Step(
                before: old, after: new, change: change, joining: joining, maker: view, view: owner,
                cursorBefore: before, cursorAfter: cursorAfter))
    }

    private mutating func move(through change: ChangeSectionsModel, by view: Int?, then after: After) {
        for index in cursors.indices {
            guard index == view else {
                cursors[index] = cursors[index].mapped(change)
                continue
            }
            switch after {
            case .mapped: cursors[index] = cursors[index].mapped(change)
            case .grown: cursors[index] = cursors[index].grown(change)
            case .afterInserted: cursors[index] = cursors[index].afterInserted(change)
            case .selectInserted:
                guard let first = change.newRanges.first, let last = change.newRanges.last else { break }
                cursors[index] = CursorModel([.init(first.lowerBound, last.upperBound)], primary: 0)
            case .set(let cursor): cursors[index] = cursor
            }
        }
        if let view { active = view }
    }

    // MARK: Undo

    private mutating func record(_ new: Step) {
        guard let last = undoable.last, joins(new, last) else {
            var new = new
            if let dropped, dropped.joining == new.joining { new.cursorBefore = dropped.cursor }
            dropped = nil
            if case .group = new.joining { heldRedoable = redoable } else { heldRedoable = nil }
            undoable.append(new)
            redoable = []
            isClosed = false
            return
        }
        redoable = []
        isClosed = false
        var whole = last
        whole.after = new.after
        whole.change = last.change.followed(by: new.change)
        whole.cursorAfter = new.cursorAfter
        undoable[undoable.count - 1] = whole
        // A group that comes to nothing leaves no trace.
        guard case .group = new.joining, whole.isNothing else { return }
        undoable.removeLast()
        dropped = (whole.joining, whole.cursorBefore)
        redoable = heldRedoable ?? []
        heldRedoable = nil
        isClosed = true
    }

    private func joins(_ new: Step, _ last: Step) -> Bool {
        guard new.joining == last.joining else { return false }
        if case .group = new.joining { return true }
        guard let carets = last.cursorAfter?.ranges else { return false }
        guard new.joining != .step, !isClosed, new.maker == last.maker, carets.allSatisfy(\.isCaret) else {
            return false
        }
        let places = carets.map(\.head)
        let parts = new.change.sections
        if new.joining == .typing {
            // What overwrites goes on to do so.
            let overwrites = last.change.sections.contains { $0.low < $0.high }
            return !startsAnew(new, last) && parts.map(\.low) == places
                && (overwrites || parts.allSatisfy { $0.low == $0.high })
        }
        return parts.allSatisfy { $0.inserted == 0 && (places.contains($0.low) || places.contains($0.high)) }
            && last.change.sections.allSatisfy { $0.inserted == 0 }
    }

    /// Whether a new word or a new line begins with what is typed.
    private func startsAnew(_ new: Step, _ last: Step) -> Bool {
        let (typed, before) = (new.inserted, last.inserted)
        guard let first = typed.first else { return false }
        let isBlank = { (letter: UInt16) in letter == 0x20 || (0x09...0x0d).contains(letter) }
        return typed == [0x0a] || !isBlank(first) && before.last.map(isBlank) == true
    }

    /// Ends the current step, because the user has moved the caret.
    package mutating func close() { isClosed = true }

    /// Takes the last step back, in a view.
    package mutating func undo(by view: Int) {
        guard let step = undoable.popLast() else { return }
        redoable.append(step)
        units = step.before
        move(
            through: step.change.inverted, by: view,
            then: After(step.view == view ? step.cursorBefore : nil))
        isClosed = true
        heldRedoable = nil
    }

    /// Makes the step again that was taken back last, in a view.
    package mutating func redo(by view: Int) {
        guard let step = redoable.popLast() else { return }
        undoable.append(step)
        units = step.after
        move(through: step.change, by: view, then: After(step.view == view ? step.cursorAfter : nil))
        isClosed = true
        heldRedoable = nil
    }
}

extension DocumentModel.After {
    /// The known selection after a step; without one, the inserted text.
    fileprivate init(_ cursor: CursorModel?) { self = cursor.map { .set($0) } ?? .selectInserted }
}

extension DocumentModel.Step {
    /// Adds text of a file, as if it had been there before the step.
    fileprivate mutating func load(_ new: [DocumentModel.Unit]) {
        before += new
        after += new
    }

    /// The text inserted at the first range.
    fileprivate var inserted: [UInt16] { change.newRanges.first.map { after[$0].map(\.letter) } ?? [] }

    /// Whether it replaces everything by the same.
    fileprivate var isNothing: Bool {
        zip(change.sections, change.newRanges).allSatisfy {
            Array(before[$0.low..<$0.high]) == Array(after[$1])
        }
    }
}
