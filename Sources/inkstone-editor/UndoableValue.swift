import Inkstone

/// A value that follows the undo history of a text: undo and redo of an edit that changed the value also restore
/// the value.
final class UndoableValue<Value: Equatable> {
    /// A change of the value by an edit: the values, and the text's history states, before and after the edit.
    private struct Change {
        var (from, to): (Value, Value)
        var (before, after): (UInt64, UInt64)
    }

    private let store: TextStore
    /// The present value. A value that is set here directly is not part of an undo step.
    var value: Value
    /// Called when undo or redo has changed the value.
    var onChange: (() -> Void)?
    private var changes: [Change] = []
    private var observation: TextObservation?

    init(_ value: Value, of store: TextStore) {
        (self.store, self.value) = (store, value)
        observation = store.observeTransactions { [weak self] applied in
            if applied.origin == .undo || applied.origin == .redo { self?.follow() }
        }
    }

    /// The present value, and the values that undo and redo may restore.
    var all: [Value] { [value] + changes.flatMap { [$0.from, $0.to] } }

    /// Sets the value for a new text, and forgets the values of earlier edits.
    func reset(to value: Value) {
        self.value = value
        changes = []
    }

    /// Sets the value as a part of the edit since `before`, which is a former ``TextStore/historyState`` of the text.
    /// If there was no edit since, the change is not undoable.
    func set(_ new: Value, from before: UInt64) {
        let old = value
        value = new
        guard store.historyState != before, new != old else { return }
        changes.append(Change(from: old, to: new, before: before, after: store.historyState))
    }

    /// Applies a change to the present value and to those that undo and redo may restore.
    func revise(_ change: (inout Value) -> Void) {
        change(&value)
        for index in changes.indices {
            change(&changes[index].from)
            change(&changes[index].to)
        }
    }

    private func follow() {
        let state = store.historyState
        guard let last = changes.last(where: { $0.before == state || $0.after == state }) else { return }
        let now = last.after == state ? last.to : last.from
        guard now != value else { return }
        value = now
        onChange?()
    }
}
