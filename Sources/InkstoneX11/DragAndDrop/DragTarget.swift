/// The target's side of drags over one window (XDND 5): a state machine without a display. Its inputs are messages and the fate of the
/// data; its outputs are ``Effect``s.
///
/// Every Position is answered at once, from what is known, and every Drop ends with a Finished: sources wait for both.
struct DragTarget: Hashable, Sendable {
    /// An effect for the drop site to perform.
    enum Effect: Hashable, Sendable {
        case send(DragMessage, to: UInt)
        /// A drag entered, with types that are atoms; nil if they are in the source's list.
        case begin(source: UInt, types: [UInt]?)
        /// The drag left without a drop.
        case leave
        /// Fetch the data with a time of the server, and perform the action with it.
        case fetch(DragAction, source: UInt, time: UInt32)
        /// Ask the source to delete its data.
        case askDeletion(source: UInt)
    }

    private enum Phase: Hashable {
        case idle
        case over(source: UInt, accepted: DragAction?)
        case fetching(source: UInt, DragAction)
        case deleting(source: UInt)
    }

    private var phase = Phase.idle

    init() {}

    /// The source whose drag is over the window, not yet dropped.
    var hovering: UInt? { if case .over(let source, _) = phase { source } else { nil } }
    /// The source whose drop is in progress.
    var dropping: UInt? {
        switch phase {
        case .fetching(let source, _), .deleting(let source): source
        case .idle, .over: nil
        }
    }

    // MARK: Messages

    /// Handles an Enter. An unsupported version is ignored.
    mutating func enter(from source: UInt, version: Int, types: [UInt], isListElsewhere: Bool) -> [Effect] {
        guard (3...5).contains(version) else { return [] }
        let effects = close()
        phase = .over(source: source, accepted: nil)
        return effects + [.begin(source: source, types: isListElsewhere ? nil : types)]
    }

    /// Handles a Position.
    ///
    /// - Parameter verdict: returns the action of a drop there; nil for none. Called only if that source's drag has entered.
    mutating func position(from source: UInt, _ verdict: () -> DragAction?) -> [Effect] {
        guard hovering == source else { return [.send(.status(nil), to: source)] }
        let accepted = verdict()
        phase = .over(source: source, accepted: accepted)
        return [.send(.status(accepted), to: source)]
    }

    /// Handles a Leave.
    mutating func leave(from source: UInt) -> [Effect] {
        guard hovering == source else { return [] }
        phase = .idle
        return [.leave]
    }

    /// Handles a Drop, including one without an Enter and one that was refused.
    mutating func drop(from source: UInt, time: UInt32) -> [Effect] {
        guard case .over(source, let accepted) = phase else {
            // A drop in progress sends its own Finished.
            return dropping == source ? [] : [.send(.finished(nil), to: source)]
        }
        guard let accepted else {
            phase = .idle
            return [.leave, .send(.finished(nil), to: source)]
        }
        phase = .fetching(source: source, accepted)
        return [.fetch(accepted, source: source, time: time)]
    }

    // MARK: What became of it

    /// Handles the end of the fetch: the data was used for this action; nil if it did not arrive or was unusable.
    ///
    /// - Parameter isDeleted: whether the data is already deleted at its source, or the source will delete it when it is notified.
    mutating func didUse(_ action: DragAction?, isDeleted: Bool) -> [Effect] {
        guard case .fetching(let source, _) = phase else { return [] }
        if action == .move, !isDeleted {
            phase = .deleting(source: source)
            return [.askDeletion(source: source)]
        }
        phase = .idle
        return [.send(.finished(action), to: source)]
    }

    /// Handles the source's answer to the deletion request; a source may instead delete when it gets the Finished.
    mutating func deletionAnswered() -> [Effect] {
        guard case .deleting(let source) = phase else { return [] }
        phase = .idle
        return [.send(.finished(.move), to: source)]
    }

    /// Handles the end of the source's window.
    mutating func sourceDied(_ source: UInt) -> [Effect] {
        guard hovering == source || dropping == source else { return [] }
        let wasOver = hovering != nil
        phase = .idle
        return wasOver ? [.leave] : []
    }

    /// Ends the current drag because the window closes or another drag enters.
    mutating func close() -> [Effect] {
        defer { phase = .idle }
        switch phase {
        case .idle: return []
        case .over: return [.leave]
        case .fetching(let source, _): return [.send(.finished(nil), to: source)]
        case .deleting(let source): return [.send(.finished(.move), to: source)]
        }
    }
}
