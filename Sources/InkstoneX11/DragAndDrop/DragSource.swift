/// The source's side of a drag (XDND 5): what is sent to whom, and how it ends. A value without a display, fed with what the
/// pointer and the targets do and with times, in milliseconds of any one clock.
///
/// One Position is out at a time, and only the newest is kept meanwhile. At rest it is sent again and again: some targets refuse the
/// first and accept the second, and scroll only then.
struct DragSource: Hashable, Sendable {
    /// A window that takes drops.
    struct Target: Hashable, Sendable {
        /// What messages name.
        var window: UInt
        /// Where they are sent: the window, or its proxy.
        var receiver: UInt
        /// The lower one of its and our version.
        var version: Int
    }

    /// How a drag ended.
    enum Outcome: Hashable, Sendable {
        /// Nowhere: nobody took it, or the user took it back.
        case cancelled
        /// The target has done this.
        case dropped(DragAction)
        /// The target failed, or says nothing any more.
        case failed
    }

    /// What is to be done.
    enum Effect: Hashable, Sendable {
        case send(DragMessage, Target)
        /// What is dragged goes from where it was. At most once.
        case delete
        /// The last one.
        case end(Outcome)
    }

    private enum Phase: Hashable {
        case dragging
        /// The button is up, and a Status still out.
        case releasing(time: UInt32)
        case dropped
        case ended
    }

    /// How long a Status may be missing.
    static let statusTimeout: Int64 = 2000
    /// How long a Position counts at rest.
    static let restInterval: Int64 = 400
    /// How long a target may be silent after a drop.
    static let finishTimeout: Int64 = 10_000

    /// How long is waited for whom, in milliseconds.
    struct Timing: Hashable, Sendable {
        /// For a Status.
        var status = DragSource.statusTimeout
        /// At rest, for the next Position.
        var rest = DragSource.restInterval
        /// For a Finished, since the target was heard of last.
        var finish = DragSource.finishTimeout
    }

    private let types: [UInt]
    private let timing: Timing
    private var phase = Phase.dragging
    private var target: Target?
    private var position: DragPosition?
    /// Whether the position has not been sent.
    private var isNews = false
    private var positionsSent = 0
    private var statusDue: Int64?
    private var restDue: Int64?
    private var finishDue: Int64?
    private var hasDeleted = false
    /// What the target would do or has been told to do; nil if it takes nothing.
    private(set) var accepted: DragAction?

    /// A drag of something that there is in these types, which are atoms, the best first.
    init(types: [UInt], timing: Timing = Timing()) {
        self.types = types
        self.timing = timing
    }

    /// Whether the pointer is still followed.
    var isDragging: Bool { phase == .dragging }
    /// Whether it is over.
    var isOver: Bool { phase == .ended }
    /// When ``tick(at:)`` has something to do.
    var deadline: Int64? { [statusDue, restDue, finishDue].compactMap { $0 }.min() }

    // MARK: What the user does

    /// The pointer is somewhere, over a target or over none; or what is to be done has changed.
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

    /// The button came up.
    mutating func release(time: UInt32, at now: Int64) -> [Effect] {
        guard phase == .dragging else { return [] }
        phase = .releasing(time: time)
        guard target != nil else { return end(.cancelled) }
        if accepted == nil, positionsSent == 1, statusDue == nil {
            // GTK 4 refuses the first Position, whatever it is.
            isNews = true
        }
        let effects = sendPosition(at: now)
        return statusDue == nil ? effects + conclude(at: now) : effects
    }

    /// The user takes the drag back, or the pointer is no longer ours.
    mutating func cancel() -> [Effect] {
        switch phase {
        case .dragging, .releasing: leave() + end(.cancelled)
        case .dropped, .ended: []
        }
    }

    /// Another drag begins: what is still under way of this one has failed.
    mutating func abandon() -> [Effect] {
        switch phase {
        case .dragging, .releasing: cancel()
        case .dropped: end(.failed)
        case .ended: []
        }
    }

    // MARK: What the target does

    /// A Status came from a window.
    mutating func status(_ action: DragAction?, from window: UInt, at now: Int64) -> [Effect] {
        guard let target, window == target.window, phase != .dropped, phase != .ended else { return [] }
        accepted = action
        statusDue = nil
        restDue = now + timing.rest
        return carryOn(at: now)
    }

    /// A Finished came from a window.
    mutating func finished(_ action: DragAction?, from window: UInt) -> [Effect] {
        guard let target, window == target.window, phase == .dropped else { return [] }
        // Before version 5 it says nothing but that it is done.
        guard let done = target.version >= 5 ? action : accepted else { return end(.failed) }
        return delete(done == .move) + end(.dropped(done))
    }

    /// Someone asks for the selection: the target is alive.
    mutating func requestCame(at now: Int64) {
        if phase == .dropped { finishDue = now + timing.finish }
    }

    /// The target asks for `DELETE`. Returns nil if that is refused.
    mutating func deletionRequested() -> [Effect]? {
        guard phase == .dropped, accepted == .move else { return nil }
        return delete(true)
    }

    /// What was dragged has been taken from its place already.
    mutating func noteDeleted() { hasDeleted = true }

    // MARK: Time

    /// A time has come.
    mutating func tick(at now: Int64) -> [Effect] {
        if let finishDue, now >= finishDue { return end(.failed) }
        if let statusDue, now >= statusDue {
            self.statusDue = nil
            accepted = nil
            // It is asked again as if it were at rest, unless the button is up.
            isNews = isNews || phase == .dragging
            return carryOn(at: now)
        }
        if let restDue, now >= restDue, phase == .dragging {
            isNews = true
            return sendPosition(at: now)
        }
        return []
    }

    // MARK: Steps

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
        restDue = nil
        return [.send(.position(position), target)]
    }

    private mutating func conclude(at now: Int64) -> [Effect] {
        guard case .releasing(let time) = phase else { return [] }
        guard let target, accepted != nil else { return leave() + end(.cancelled) }
        phase = .dropped
        restDue = nil
        finishDue = now + timing.finish
        return [.send(.drop(time: time), target)]
    }

    private mutating func leave() -> [Effect] {
        defer {
            target = nil
            accepted = nil
            positionsSent = 0
            statusDue = nil
            restDue = nil
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
        restDue = nil
        finishDue = nil
        return [.end(outcome)]
    }
}
