import Inkstone

/// A value that goes with the states of a text: where an edit has made it another, undo and redo lead back to what it was then.
final class UndoableValue<Value: Equatable> {
    /// An edit that has made it another one: the states of the text around it.
    private struct Change {
        var (from, to): (Value, Value)
        var (before, after): (UInt64, UInt64)
    }

    private let store: TextStore
    /// The present value. Setting it is no part of any edit.
    var value: Value
    /// Called when undo or redo has led to a text with another value.
    var onChange: (() -> Void)?
    private var changes: [Change] = []
    private var observation: TextObservation?

    init(_ value: Value, of store: TextStore) {
        (self.store, self.value) = (store, value)
        observation = store.observeTransactions { [weak self] applied in
            if applied.origin == .undo || applied.origin == .redo { self?.follow() }
        }
    }

    /// The values that there are to be gone back to, and the present one.
    var all: [Value] { [value] + changes.flatMap { [$0.from, $0.to] } }

    /// Another text has come, with such a value.
    func reset(to value: Value) {
        self.value = value
        changes = []
    }

    /// Makes it another one, by the edit that was made since the text was in a state (``TextStore/historyState``).
    func set(_ new: Value, from before: UInt64) {
        let old = value
        value = new
        guard store.historyState != before, new != old else { return }
        changes.append(Change(from: old, to: new, before: before, after: store.historyState))
    }

    /// Changes a part of the value that belongs to no edit, in all states that undo and redo lead to.
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
