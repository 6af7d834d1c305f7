public import InkstoneInput

/// The notifications of input delegates about changes that the input system did not make: pairs of a “will change” and
/// a “did change” call to the same delegates. Pairs are never nested: a change made between the two calls of a pair,
/// even by a delegate, causes no pair of its own.
struct InputDelegatePairs {
    /// The parts of a session that a change affects.
    enum Change {
        /// The text, and possibly the selection.
        case text
        /// The selection, but not the text.
        case selection
    }

    private struct Listener {
        weak var delegate: (any TextInputDelegate)?
    }

    /// The delegate set by ``EditingSession/inputDelegate``. Not retained.
    weak var delegate: (any TextInputDelegate)?
    private var others: [Listener] = []
    /// The number of changes in progress: begun, but not ended.
    private var open = 0
    private var openPair: OpenPair?

    /// The delegates that were notified of the beginning of a change, and must be notified of its end.
    struct OpenPair {
        let delegates: [any TextInputDelegate]
        let change: Change
        /// The text input that changes; nil for a session without a view. It is retained until the change ends.
        /// Delegates can then be notified of the end even if everyone else releases it.
        let textInput: (any TextInput)?
    }

    mutating func add(_ delegate: any TextInputDelegate) {
        remove(delegate)
        others.append(Listener(delegate: delegate))
    }

    mutating func remove(_ delegate: any TextInputDelegate) {
        others.removeAll { $0.delegate == nil || $0.delegate === delegate }
    }

    /// Begins a change. Returns the delegates to notify of its beginning. Nil if there are no delegates, or if an
    /// outer change has already begun, which then includes this one.
    mutating func begin(_ change: Change, of textInput: @autoclosure () -> (any TextInput)?) -> OpenPair? {
        open += 1
        guard open == 1 else { return nil }
        let delegates = (delegate.map { [$0] } ?? []) + others.compactMap(\.delegate).filter { $0 !== delegate }
        if !delegates.isEmpty { openPair = OpenPair(delegates: delegates, change: change, textInput: textInput()) }
        return openPair
    }

    /// Ends a change. Returns the delegates to notify of the end. Nil if there are no delegates, or if an outer
    /// change has not ended yet.
    ///
    /// Has no effect if no change has begun: a session that was created during a change of its store receives only the
    /// end of that change.
    mutating func end() -> OpenPair? {
        guard open > 0 else { return nil }
        open -= 1
        guard open == 0 else { return nil }
        defer { openPair = nil }
        return openPair
    }
}

extension EditingSession {
    /// The delegate that is notified before and after changes that the input system did not make itself, in
    /// addition to those of ``addInputDelegate(_:)``. It receives the view that presents the session, or nil
    /// without one.
    public var inputDelegate: (any TextInputDelegate)? {
        get { pairs.delegate }
        set { pairs.delegate = newValue }
    }

    /// Adds a delegate for changes that the input system did not make itself, in addition to ``inputDelegate`` and the
    /// delegates added before. The delegate is not retained.
    public func addInputDelegate(_ delegate: any TextInputDelegate) { pairs.add(delegate) }

    /// Removes a delegate that was added by ``addInputDelegate(_:)``. If a change is in progress, the delegate is still
    /// notified of its end.
    public func removeInputDelegate(_ delegate: any TextInputDelegate) { pairs.remove(delegate) }

    /// Notifies the delegates that a change begins that the input system does not make.
    func changeWillBegin(_ change: InputDelegatePairs.Change) {
        guard let openPair = pairs.begin(change, of: textInput) else { return }
        for delegate in openPair.delegates {
            switch change {
            case .text: delegate.textWillChange(openPair.textInput)
            case .selection: delegate.selectionWillChange(openPair.textInput)
            }
        }
    }

    /// Notifies the same delegates that the change has ended.
    func changeDidEnd() {
        guard let openPair = pairs.end() else { return }
        for delegate in openPair.delegates {
            switch openPair.change {
            case .text: delegate.textDidChange(openPair.textInput)
            case .selection: delegate.selectionDidChange(openPair.textInput)
            }
        }
    }
}
