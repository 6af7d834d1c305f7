import Inkstone

/// The line ends that are typed into a text. Where all of its line ends were made others, undo and redo lead back to what was typed then.
final class LineEnds {
    /// One time that all line ends were made others: the states of the text around it.
    private struct Conversion {
        var (from, to): (Newline, Newline)
        var (before, after): (UInt64, UInt64)
    }

    private let store: TextStore
    /// What Return types.
    private(set) var newline = Newline.lf
    /// Undo or redo has led to a text with other line ends.
    var onChange: (() -> Void)?
    private var conversions: [Conversion] = []
    private var observation: TextObservation?

    init(of store: TextStore) {
        self.store = store
        observation = store.observeTransactions { [weak self] applied in
            if applied.origin == .undo || applied.origin == .redo { self?.follow() }
        }
    }

    /// Another text has come, with such line ends.
    func reset(to newline: Newline) {
        self.newline = newline
        conversions = []
    }

    /// Makes all line ends those of a kind, as one step of undo, and types such from now on.
    func convert(to newline: Newline) {
        let (old, before) = (self.newline, store.historyState)
        self.newline = newline
        guard let changes = newline.conversion(of: store.text) else { return }
        store.apply(Transaction(on: store, changes))
        guard store.historyState != before else { return }
        conversions.append(Conversion(from: old, to: newline, before: before, after: store.historyState))
    }

    private func follow() {
        let state = store.historyState
        guard let last = conversions.last(where: { $0.before == state || $0.after == state }) else { return }
        let now = last.after == state ? last.to : last.from
        guard now != newline else { return }
        newline = now
        onChange?()
    }
}
