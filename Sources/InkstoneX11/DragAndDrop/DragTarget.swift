/// The target's side of drags over one window (XDND 5). A value without a display, fed with messages and with what became of the
/// data.
///
/// Every Position is answered at once, from what is known, and every Drop ends with a Finished: sources wait for both.
struct DragTarget: Hashable, Sendable {
    /// What is to be done.
    enum Effect: Hashable, Sendable {
        case send(DragMessage, to: UInt)
        /// A drag has come in, with types that are atoms; or with `nil`, they are in the source's list.
        case begin(source: UInt, types: [UInt]?)
        /// It has gone without dropping anything.
        case leave
        /// What it has is to be fetched with a time of the server, and this done with it.
        case fetch(DragAction, source: UInt, time: UInt32)
        /// The source is to be asked to delete what it has.
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
    /// The source whose drop is under way.
    var dropping: UInt? {
        switch phase {
        case .fetching(let source, _), .deleting(let source): source
        case .idle, .over: nil
        }
    }

    // MARK: Messages

    /// An Enter came. One of a version that is not spoken is ignored.
    mutating func enter(from source: UInt, version: Int, types: [UInt], isListElsewhere: Bool) -> [Effect] {
        guard (3...5).contains(version) else { return [] }
        let effects = close()
        phase = .over(source: source, accepted: nil)
        return effects + [.begin(source: source, types: isListElsewhere ? nil : types)]
    }

    /// A Position came.
    ///
    /// - Parameter verdict: what a drop there would do; nil for nothing. Asked only of a drag that has come in.
    mutating func position(from source: UInt, _ verdict: () -> DragAction?) -> [Effect] {
        guard hovering == source else { return [.send(.status(nil), to: source)] }
        let accepted = verdict()
        phase = .over(source: source, accepted: accepted)
        return [.send(.status(accepted), to: source)]
    }

    /// A Leave came.
    mutating func leave(from source: UInt) -> [Effect] {
        guard hovering == source else { return [] }
        phase = .idle
        return [.leave]
    }

    /// A Drop came, also one without an Enter, and one that was refused.
    mutating func drop(from source: UInt, time: UInt32) -> [Effect] {
        guard case .over(source, let accepted) = phase else {
            // One that is under way ends by itself.
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

    /// The data has come and was used in this way; nil if it has not come, or was of no use.
    ///
    /// - Parameter isDeleted: whether it has been deleted at its source already, or the source is to do that when it hears of it.
    mutating func didUse(_ action: DragAction?, isDeleted: Bool) -> [Effect] {
        guard case .fetching(let source, _) = phase else { return [] }
        if action == .move, !isDeleted {
            phase = .deleting(source: source)
            return [.askDeletion(source: source)]
        }
        phase = .idle
        return [.send(.finished(action), to: source)]
    }

    /// The source has answered whether it deletes; it may as well do that when it hears that it is finished.
    mutating func deletionAnswered() -> [Effect] {
        guard case .deleting(let source) = phase else { return [] }
        phase = .idle
        return [.send(.finished(.move), to: source)]
    }

    /// The source's window is gone.
    mutating func sourceDied(_ source: UInt) -> [Effect] {
        guard hovering == source || dropping == source else { return [] }
        let wasOver = hovering != nil
        phase = .idle
        return wasOver ? [.leave] : []
    }

    /// The window goes, or another drag comes in.
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
