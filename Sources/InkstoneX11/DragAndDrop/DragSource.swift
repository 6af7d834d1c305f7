/// The source's side of a drag (XDND 5), as a state machine without a display. Its inputs are pointer events,
/// messages of targets, and times in milliseconds of any one clock. Its outputs are ``Effect``s.
///
/// While a Position message is not answered, no other is sent; only the newest position is kept. While the pointer
/// is still, the Position is sent repeatedly. Some targets refuse the first Position and accept the second, and
/// some scroll only when they get further ones.
struct DragSource: Hashable, Sendable {
    /// A window that accepts drops.
    struct Target: Hashable, Sendable {
        /// The window that accepts the drop. Messages name it, whichever window they are sent to.
        var window: UInt
        /// The window that messages are sent to: `window` itself, or the proxy that it names (`XdndProxy`).
        var receiver: UInt
        /// The XDND version to use: the lower of the target's and ours.
        var version: Int
    }

    /// The outcome of a drag.
    enum Outcome: Hashable, Sendable {
        /// No target accepted the drop, or the user cancelled the drag.
        case cancelled
        /// The target performed this action.
        case dropped(DragAction)
        /// The target failed or no longer answered.
        case failed
    }

    /// An action for the session to perform.
    enum Effect: Hashable, Sendable {
        case send(DragMessage, Target)
        /// Delete the dragged data at the source. Returned at most once.
        case delete
        /// End the session; always the last effect.
        case end(Outcome)
    }

    private enum Phase: Hashable {
        case dragging
        /// The button was released before the target answered a Position message (by a Status message).
        case releasing(time: UInt32)
        case dropped
        case ended
    }

    /// The longest wait for a Status message, in milliseconds. After it, the target counts as refusing a drop.
    static let statusTimeout: Int64 = 2000
    /// The interval between Position messages while the pointer is still, in milliseconds.
    static let repetitionInterval: Int64 = 400
    /// The longest time after a drop without any message of the target, in milliseconds. After it, the drag has failed.
    static let finishTimeout: Int64 = 10_000

    /// The waiting times of a drag, in milliseconds.
    struct Timing: Hashable, Sendable {
        /// The longest wait for a Status message; see ``DragSource/statusTimeout``.
        var status = DragSource.statusTimeout
        /// The interval between Position messages while the pointer is still.
        var repetition = DragSource.repetitionInterval
        /// The longest wait for the Finished message, counted from the target's last message or request; see
        /// ``DragSource/finishTimeout``.
        var finish = DragSource.finishTimeout
    }

    private let types: [UInt]
    private let timing: Timing
    private var phase = Phase.dragging
    private var target: Target?
    private var position: DragPosition?
    /// Whether the current pointer position still has to be sent to the target.
    private var isNews = false
    /// The number of Position messages sent to the present target.
    private var positionsSent = 0
    /// The times at which the waits of ``Timing`` are over; nil for a wait that is not in progress.
    private var statusDue: Int64?
    private var repetitionDue: Int64?
    private var finishDue: Int64?
    private var hasDeleted = false
    /// The action that the target has accepted or, after the drop, was asked to perform. Nil if the target has
    /// refused a drop, or has not answered yet.
    private(set) var accepted: DragAction?

    /// Creates a drag of data in these types (atoms), best first.
    init(types: [UInt], timing: Timing = Timing()) {
        self.types = types
        self.timing = timing
    }

    /// Whether the button is still down and the drag was not cancelled.
    var isDragging: Bool { phase == .dragging }
    /// Whether the drag has ended.
    var isOver: Bool { phase == .ended }
    /// The time at which ``tick(at:)`` must be called; nil if no time-out is running.
    var deadline: Int64? { [statusDue, repetitionDue, finishDue].compactMap { $0 }.min() }

    // MARK: User actions

    /// Handles a pointer motion, or a change of the action that is proposed to the target. `newTarget` is the
    /// target under the pointer.
    mutating func move(to new: DragPosition, over newTarget: Target?, at now: Int64) -> [Effect] {
        guard phase == .dragging else { return [] }
        var effects: [Effect] = []
        if newTarget != target {
            effects += leave()
            target = newTarget
            if let target {
                effects.append(
                    .send(
                        .enter(version: target.version, types: types, isListElsewhere: types.count > 3), target))
            }
        }
        position = new
        isNews = true
        return effects + sendPosition(at: now)
    }

    /// Handles the release of the button with which the user drags.
    mutating func release(time: UInt32, at now: Int64) -> [Effect] {
        guard phase == .dragging else { return [] }
        phase = .releasing(time: time)
        guard target != nil else { return end(.cancelled) }
        if accepted == nil, positionsSent == 1, statusDue == nil {
            // Send a second Position if the only one so far was refused, because GTK 4 always refuses the first.
            isNews = true
        }
        let effects = sendPosition(at: now)
        return statusDue == nil ? effects + conclude(at: now) : effects
    }

    /// Handles a cancellation by the user or the loss of the pointer grab.
    mutating func cancel() -> [Effect] {
        switch phase {
        case .dragging, .releasing: leave() + end(.cancelled)
        case .dropped, .ended: []
        }
    }

    /// Ends this drag because another begins. A drop in progress counts as failed.
    mutating func abandon() -> [Effect] {
        switch phase {
        case .dragging, .releasing: cancel()
        case .dropped: end(.failed)
        case .ended: []
        }
    }

    // MARK: Messages of the target

    /// Handles a Status message; ignored from another window than the target. `action` is nil if the target refuses
    /// a drop.
    mutating func status(_ action: DragAction?, from window: UInt, at now: Int64) -> [Effect] {
        guard let target, window == target.window, phase != .dropped, phase != .ended else { return [] }
        accepted = action.map(permitted)
        statusDue = nil
        repetitionDue = now + timing.repetition
        return carryOn(at: now)
    }

    /// Handles a Finished message; ignored from another window than the target, and before the drop. `action` is
    /// nil if the drop failed.
    mutating func finished(_ action: DragAction?, from window: UInt) -> [Effect] {
        guard let target, window == target.window, phase == .dropped else { return [] }
        // Before version 5, the Finished message does not contain the action: assume the action that the target has
        // accepted.
        guard let done = target.version >= 5 ? action.map(permitted) : accepted else { return end(.failed) }
        return delete(done == .move) + end(.dropped(done))
    }

    /// Returns the action to perform for an answer of the target. The target may copy data that it was asked to move.
    /// It may not move data that it was asked to copy: that counts as copying (XDND, *XdndStatus*).
    private func permitted(_ action: DragAction) -> DragAction { position?.action == .move ? action : .copy }

    /// Restarts the time-out of a drop, because the target has requested the data.
    mutating func requestCame(at now: Int64) {
        if phase == .dropped { finishDue = now + timing.finish }
    }

    /// Handles a request of the target to delete the data (`DELETE`). Returns nil if the request is refused.
    mutating func deletionRequested() -> [Effect]? {
        guard phase == .dropped, accepted == .move else { return nil }
        return delete(true)
    }

    /// Records that the dragged data was already deleted at the source.
    mutating func noteDeleted() { hasDeleted = true }

    // MARK: Time-outs

    /// Handles the time-outs that have expired by `now`.
    mutating func tick(at now: Int64) -> [Effect] {
        if let finishDue, now >= finishDue { return end(.failed) }
        if let statusDue, now >= statusDue {
            self.statusDue = nil
            accepted = nil
            // Treat a Position without a Status as refused, and send it again if the button is still down.
            isNews = isNews || phase == .dragging
            return carryOn(at: now)
        }
        if let repetitionDue, now >= repetitionDue, phase == .dragging {
            isNews = true
            return sendPosition(at: now)
        }
        return []
    }

    // MARK: State transitions

    private mutating func carryOn(at now: Int64) -> [Effect] {
        if case .releasing = phase, !isNews {
            guard accepted == nil, positionsSent == 1 else { return conclude(at: now) }
            isNews = true
        }
        return sendPosition(at: now)
    }

    private mutating func sendPosition(at now: Int64) -> [Effect] {
        guard let target, let position, isNews, statusDue == nil else { return [] }
        isNews = false
        positionsSent += 1
        statusDue = now + timing.status
        repetitionDue = nil
        return [.send(.position(position), target)]
    }

    private mutating func conclude(at now: Int64) -> [Effect] {
        guard case .releasing(let time) = phase else { return [] }
        guard let target, accepted != nil else { return leave() + end(.cancelled) }
        phase = .dropped
        repetitionDue = nil
        finishDue = now + timing.finish
        return [.send(.drop(time: time), target)]
    }

    private mutating func leave() -> [Effect] {
        defer {
            target = nil
            accepted = nil
            positionsSent = 0
            statusDue = nil
            repetitionDue = nil
        }
        return target.map { [.send(.leave, $0)] } ?? []
    }

    private mutating func delete(_ isMove: Bool) -> [Effect] {
        guard isMove, !hasDeleted else { return [] }
        hasDeleted = true
        return [.delete]
    }

    private mutating func end(_ outcome: Outcome) -> [Effect] {
        phase = .ended
        statusDue = nil
        repetitionDue = nil
        finishDue = nil
        return [.end(outcome)]
    }
}
