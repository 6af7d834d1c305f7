/// The target's side of drags over one window (XDND 5), as a state machine without a display. Its inputs are the
/// source's messages, and the results of fetching and using the data. Its outputs are ``Effect``s.
///
/// A source waits for the answer to each Position and each Drop message. So a Position is answered immediately, even if
/// the result may still change. Each Drop is answered by a Finished message.
struct DragTarget: Hashable, Sendable {
    /// An action for the drop site to perform.
    enum Effect: Hashable, Sendable {
        case send(DragMessage, to: UInt)
        /// A drag has entered the window. `types` are the atoms of the offered types; nil if they must be read from
        /// the source's property.
        case begin(source: UInt, types: [UInt]?)
        /// The drag left without a drop.
        case leave
        /// Fetch the dropped data, and then perform the action with it. `time` is that of the drop.
        case fetch(DragAction, source: UInt, time: UInt32)
        /// Ask the source to delete its data.
        case askDeletion(source: UInt)
    }

    /// The progress of a drag over the window: none; over the window, with the action accepted at the last position;
    /// dropped, while the data is fetched; dropped, while the source deletes the data.
    private enum Phase: Hashable {
        case idle
        case over(source: UInt, accepted: DragAction?)
        case fetching(source: UInt, DragAction)
        case deleting(source: UInt)
    }

    private var phase = Phase.idle

    init() {}

    /// The source whose drag is over the window. Nil without one, and after a drop.
    var hovering: UInt? { if case .over(let source, _) = phase { source } else { nil } }
    /// The source whose drop is in progress; nil without one.
    var dropping: UInt? {
        switch phase {
        case .fetching(let source, _), .deleting(let source): source
        case .idle, .over: nil
        }
    }

    // MARK: Messages

    /// Handles an Enter message; ignored if its version is not supported.
    mutating func enter(from source: UInt, version: Int, types: [UInt], isListElsewhere: Bool) -> [Effect] {
        guard (3...5).contains(version) else { return [] }
        let effects = close()
        phase = .over(source: source, accepted: nil)
        return effects + [.begin(source: source, types: isListElsewhere ? nil : types)]
    }

    /// Handles a Position message.
    ///
    /// - Parameter verdict: returns the action that a drop at the position would have; nil to refuse it. Called
    ///   only if the drag of this source is over the window.
    mutating func position(from source: UInt, _ verdict: () -> DragAction?) -> [Effect] {
        guard hovering == source else { return [.send(.status(nil), to: source)] }
        let accepted = verdict()
        phase = .over(source: source, accepted: accepted)
        return [.send(.status(accepted), to: source)]
    }

    /// Handles a Leave message; ignored unless the drag of this source is over the window.
    mutating func leave(from source: UInt) -> [Effect] {
        guard hovering == source else { return [] }
        phase = .idle
        return [.leave]
    }

    /// Handles a Drop message. It may have come without an Enter message, or after the position was refused.
    mutating func drop(from source: UInt, time: UInt32) -> [Effect] {
        guard case .over(source, let accepted) = phase else {
            // If a drop of this source is already in progress, the Finished message is sent when that drop ends.
            return dropping == source ? [] : [.send(.finished(nil), to: source)]
        }
        guard let accepted else {
            phase = .idle
            return [.leave, .send(.finished(nil), to: source)]
        }
        phase = .fetching(source: source, accepted)
        return [.fetch(accepted, source: source, time: time)]
    }

    // MARK: End of a drop

    /// Handles the end of a drop: the dropped data was fetched and used. `action` is the one performed with the data;
    /// nil if the data did not arrive, or could not be used.
    ///
    /// - Parameter isDeleted: whether the source need not be asked to delete the data: it is deleted already, or
    ///   will be when the source gets the Finished message.
    mutating func didUse(_ action: DragAction?, isDeleted: Bool) -> [Effect] {
        guard case .fetching(let source, _) = phase else { return [] }
        if action == .move, !isDeleted {
            phase = .deleting(source: source)
            return [.askDeletion(source: source)]
        }
        phase = .idle
        return [.send(.finished(action), to: source)]
    }

    /// Handles the source's answer to the deletion request. Some sources delete only when they get the Finished
    /// message.
    mutating func deletionAnswered() -> [Effect] {
        guard case .deleting(let source) = phase else { return [] }
        phase = .idle
        return [.send(.finished(.move), to: source)]
    }

    /// Handles the destruction of the source's window.
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
