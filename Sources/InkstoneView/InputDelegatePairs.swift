import InkstoneInput

/// The pairs of calls that bracket what the input system did not do: one *will* and one *did*, to the same delegate, never
/// nested. What is changed within a pair, in answer to it or to what it is about, is part of it.
struct InputDelegatePairs {
    /// What a change touches.
    enum Change {
        /// The text, and perhaps the selection with it.
        case text
        /// The selection alone.
        case selection
    }

    /// Who is told; held weakly.
    weak var delegate: (any TextInputDelegate)?
    /// The changes that have begun and are not over.
    private var open = 0
    private var told: (delegate: any TextInputDelegate, change: Change)?

    /// A change begins. Returns who is to be told of it now; nil if it is part of another.
    mutating func begin(_ change: Change) -> (any TextInputDelegate)? {
        open += 1
        guard open == 1, let delegate else { return nil }
        told = (delegate, change)
        return delegate
    }

    /// A change is over. Returns who is to be told of it now, if it is part of no other.
    ///
    /// A view that was made within a change hears of its end but not of its beginning: that is nothing.
    mutating func end() -> (delegate: any TextInputDelegate, change: Change)? {
        guard open > 0 else { return nil }
        open -= 1
        guard open == 0 else { return nil }
        defer { told = nil }
        return told
    }
}

extension EditorView {
    /// The input system's delegate hears that a change begins that the input system does not make.
    func changeWillBegin(_ change: InputDelegatePairs.Change) {
        let told = pairs.begin(change)
        switch change {
        case .text: told?.textWillChange(self)
        case .selection: told?.selectionWillChange(self)
        }
    }

    /// The same delegate hears that it is over.
    func changeDidEnd() {
        guard let (told, change) = pairs.end() else { return }
        switch change {
        case .text: told.textDidChange(self)
        case .selection: told.selectionDidChange(self)
        }
    }
}
