import Inkstone

/// A value that follows the undo history of a text: undo and redo restore the value before or after an edit that changed it.
final class UndoableValue<Value: Equatable> {
    /// A change of the value by an edit: the states of the text before and after.
    private struct Change {
        var (from, to): (Value, Value)
        var (before, after): (UInt64, UInt64)
    }

    private let store: TextStore
    /// The present value. Setting it directly belongs to no edit.
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

    /// The present value and those that undo and redo may restore.
    var all: [Value] { [value] + changes.flatMap { [$0.from, $0.to] } }

    /// Starts over with a value for a new text.
    func reset(to value: Value) {
        self.value = value
        changes = []
    }

    /// Changes the value, by the edit since a state of the text (``TextStore/historyState``).
    func set(_ new: Value, from before: UInt64) {
        let old = value
        value = new
        guard store.historyState != before, new != old else { return }
        changes.append(Change(from: old, to: new, before: before, after: store.historyState))
    }

    /// Changes a part of the value that belongs to no edit, in all states of the history.
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
