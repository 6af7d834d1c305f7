public import InkstoneInput

/// The pairs of calls around changes that the input system did not make: one *will* and one *did*, to the same delegates, never nested. Changes
/// made within a pair, in response to it or to its cause, belong to the pair.
struct InputDelegatePairs {
    /// The parts that a change affects.
    enum Change {
        /// The text, and perhaps the selection with it.
        case text
        /// The selection alone.
        case selection
    }

    private struct Listener {
        weak var delegate: (any TextInputDelegate)?
    }

    /// The view's delegate; held weakly.
    weak var delegate: (any TextInputDelegate)?
    private var others: [Listener] = []
    /// The number of changes that have begun and not ended.
    private var open = 0
    private var told: Told?

    /// The delegates notified of a change, at its beginning and at its end.
    struct Told {
        let delegates: [any TextInputDelegate]
        let change: Change
        /// The text input that changes; nil for a session without a view. Held until the change ends: delegates are notified of both ends, even if
        /// everybody else releases it in between.
        let textInput: (any TextInput)?
    }

    mutating func add(_ delegate: any TextInputDelegate) {
        remove(delegate)
        others.append(Listener(delegate: delegate))
    }

    mutating func remove(_ delegate: any TextInputDelegate) {
        others.removeAll { $0.delegate == nil || $0.delegate === delegate }
    }

    /// Begins a change. Returns the delegates to notify now; nil for none, and if the change is part of another.
    mutating func begin(_ change: Change, of textInput: @autoclosure () -> (any TextInput)?) -> Told? {
        open += 1
        guard open == 1 else { return nil }
        let delegates = (delegate.map { [$0] } ?? []) + others.compactMap(\.delegate).filter { $0 !== delegate }
        if !delegates.isEmpty { told = Told(delegates: delegates, change: change, textInput: textInput()) }
        return told
    }

    /// Ends a change. Returns the delegates to notify now, if the change was part of no other.
    ///
    /// A view made within a change calls only its end, which has no effect.
    mutating func end() -> Told? {
        guard open > 0 else { return nil }
        open -= 1
        guard open == 0 else { return nil }
        defer { told = nil }
        return told
    }
}

extension EditingSession {
    /// The delegate notified before and after changes that the input system did not make itself, besides those of ``addInputDelegate(_:)``. They
    /// receive the view that presents the session; nil without one.
    public var inputDelegate: (any TextInputDelegate)? {
        get { pairs.delegate }
        set { pairs.delegate = newValue }
    }

    /// Adds a delegate for changes that the input system does not make itself, besides ``inputDelegate`` and others. It is held weakly.
    public func addInputDelegate(_ delegate: any TextInputDelegate) { pairs.add(delegate) }

    /// Removes a delegate added by ``addInputDelegate(_:)``, from the next change on.
    public func removeInputDelegate(_ delegate: any TextInputDelegate) { pairs.remove(delegate) }

    /// Notifies the delegates of the beginning of a change that the input system does not make.
    func changeWillBegin(_ change: InputDelegatePairs.Change) {
        guard let told = pairs.begin(change, of: textInput) else { return }
        for delegate in told.delegates {
            switch change {
            case .text: delegate.textWillChange(told.textInput)
            case .selection: delegate.selectionWillChange(told.textInput)
            }
        }
    }

    /// Notifies the same delegates of the end of the change.
    func changeDidEnd() {
        guard let told = pairs.end() else { return }
        for delegate in told.delegates {
            switch told.change {
            case .text: delegate.textDidChange(told.textInput)
            case .selection: delegate.selectionDidChange(told.textInput)
            }
        }
    }
}
