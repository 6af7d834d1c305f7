public import InkstoneInput

/// The pairs of calls that bracket what the input system did not do: one *will* and one *did*, to the same delegates, never
/// nested. What is changed within a pair, in answer to it or to what it is about, is part of it.
struct InputDelegatePairs {
    /// What a change touches.
    enum Change {
        /// The text, and perhaps the selection with it.
        case text
        /// The selection alone.
        case selection
    }

    private struct Listener {
        weak var delegate: (any TextInputDelegate)?
    }

    /// A delegate that is told; held weakly.
    weak var delegate: (any TextInputDelegate)?
    private var others: [Listener] = []
    /// The changes that have begun and are not over.
    private var open = 0
    private var told: Told?

    /// The delegates that are told of a change, at its beginning and at its end.
    struct Told {
        let delegates: [any TextInputDelegate]
        let change: Change
        /// The text input that changes; nil for a session without a view. Held until the change is over: delegates hear of both ends, also if
        /// everybody else lets go of it in between.
        let textInput: (any TextInput)?
    }

    mutating func add(_ delegate: any TextInputDelegate) {
        remove(delegate)
        others.append(Listener(delegate: delegate))
    }

    mutating func remove(_ delegate: any TextInputDelegate) {
        others.removeAll { $0.delegate == nil || $0.delegate === delegate }
    }

    /// A change begins. Returns who is to be told of it now; nil for nobody, and if it is part of another.
    mutating func begin(_ change: Change, of textInput: @autoclosure () -> (any TextInput)?) -> Told? {
        open += 1
        guard open == 1 else { return nil }
        let delegates = (delegate.map { [$0] } ?? []) + others.compactMap(\.delegate).filter { $0 !== delegate }
        if !delegates.isEmpty { told = Told(delegates: delegates, change: change, textInput: textInput()) }
        return told
    }

    /// A change is over. Returns who is to be told of it now, if it is part of no other.
    ///
    /// A view that was made within a change hears of its end but not of its beginning: that is nothing.
    mutating func end() -> Told? {
        guard open > 0 else { return nil }
        open -= 1
        guard open == 0 else { return nil }
        defer { told = nil }
        return told
    }
}

extension EditingSession {
    /// Told before and after changes that the input system did not make itself, besides the delegates of ``addInputDelegate(_:)``.
    /// They are given the view that presents the session; nil without one.
    public var inputDelegate: (any TextInputDelegate)? {
        get { pairs.delegate }
        set { pairs.delegate = newValue }
    }

    /// Has a delegate hear of what the input system does not do itself, besides ``inputDelegate`` and others. It is held weakly.
    public func addInputDelegate(_ delegate: any TextInputDelegate) { pairs.add(delegate) }

    /// Ends what ``addInputDelegate(_:)`` began, from the next change on.
    public func removeInputDelegate(_ delegate: any TextInputDelegate) { pairs.remove(delegate) }

    /// The input system's delegates hear that a change begins that the input system does not make.
    func changeWillBegin(_ change: InputDelegatePairs.Change) {
        guard let told = pairs.begin(change, of: textInput) else { return }
        for delegate in told.delegates {
            switch change {
            case .text: delegate.textWillChange(told.textInput)
            case .selection: delegate.selectionWillChange(told.textInput)
            }
        }
    }

    /// The same delegates hear that it is over.
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
