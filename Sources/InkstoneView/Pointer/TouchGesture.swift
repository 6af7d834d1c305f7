import InkstoneBase
import InkstoneText

/// What fingers are at: a plain value that is fed with what they do and says what each comes to, as ``PointerGesture`` is for a pointer.
/// What both can do they say in the same words.
///
/// A tap puts the caret, a second one selects the word; moving scrolls; holding still selects the word, and moving then selects on by
/// words. A handle is moved by holding it. A second finger ends what the first one selects. Points are view pixels.
public struct TouchGesture: Hashable, Sendable {
    /// What lies under a finger that comes down.
    public struct Target: Hashable, Sendable {
        /// The handle there.
        public var handle: TextSelectionHandle?
        /// Whether it is text that is selected.
        public var isSelected: Bool
        /// Whether it is a link that a tap opens.
        public var opensLink: Bool

        /// What lies under a finger by its parts.
        public init(handle: TextSelectionHandle? = nil, isSelected: Bool = false, opensLink: Bool = false) {
            self.handle = handle
            self.isSelected = isSelected
            self.opensLink = opensLink
        }
    }

    /// What an event comes to.
    public enum Action: Hashable, Sendable {
        /// What a pointer can do as well.
        case text(PointerGesture.Action)
        /// Takes hold of a handle, with the finger at a point.
        case hold(TextSelectionHandle, at: ViewPoint)
        /// Scrolls by whole pixels, down and to the right if positive.
        case scroll(by: Vector)
        /// Scrolls on at a speed, in pixels a second.
        case fling(Vector)
    }

    /// The finger that counts.
    private struct Finger: Hashable {
        var id: UInt32
        var start: ViewPoint
        var startTime: UInt32
        var target: Target
        /// Ordinal of the tap that it may become.
        var count: Int
        /// When it becomes a long press; nil if it came down to stop what scrolled on.
        var deadline: Int64?
    }

    /// A finger that scrolls.
    private struct Pan: Hashable {
        var last: ViewPoint
        var tracker = VelocityTracker()
        var rest = ScrollRemainder()

        /// How far to scroll so that the text stays under the finger.
        mutating func move(to point: ViewPoint, at time: UInt32) -> Vector {
            let distance = Vector(dx: last.x - point.x, dy: last.y - point.y)
            last = point
            tracker.add(distance, at: time)
            return rest.take(distance)
        }
    }

    private enum State: Hashable {
        case idle
        case waiting(Finger)
        case scrolling(id: UInt32, Pan)
        /// The selection or a handle follows the finger.
        case selecting(id: UInt32)
        /// Nothing comes of the fingers that are down.
        case ignoring
    }

    private var state = State.idle
    private var fingers: Set<UInt32> = []
    private var taps = ClickCounter()

    /// No finger is down.
    public init() {}

    /// Whether a finger is down whose gesture goes on.
    public var isActive: Bool { state != .idle }
    /// Whether the selection or a handle follows the finger.
    public var isSelecting: Bool { if case .selecting = state { true } else { false } }
    /// When ``deadlinePassed(at:)`` wants to be called, in milliseconds of the view's clock; nil for never.
    public var deadline: Int64? { if case .waiting(let finger) = state { finger.deadline } else { nil } }

    // MARK: Events

    /// A finger came down.
    ///
    /// - Parameters:
    ///   - isFirst: whether it is the first of those that are down; whatever was down before is gone then.
    ///   - now: the view's clock, in milliseconds.
    ///   - stopsScrolling: whether the text scrolled on by itself: then it stops, and no tap comes of the finger.
    ///   - target: what lies there.
    public mutating func began(
        _ id: UInt32, isFirst: Bool = true, at location: ViewPoint, time: UInt32, at now: Int64 = 0,
        stopsScrolling: Bool = false, _ settings: PointerSettings, target: () -> Target
    ) {
        if isFirst { (fingers, state) = ([], .idle) }
        fingers.insert(id)
        guard case .idle = state, fingers.count == 1 else {
            // Scrolling goes on with the first finger.
            if case .scrolling = state { return }
            taps.reset()
            state = .ignoring
            return
        }
        var near = settings
        near.doubleClickDistance = settings.touchTapDistance
        let count = taps.press(at: location, time: time, near)
        if stopsScrolling { taps.reset() }
        state = .waiting(
            Finger(
                id: id, start: location, startTime: time, target: target(), count: stopsScrolling ? 0 : count,
                deadline: stopsScrolling ? nil : now + settings.touchPressInterval))
    }

    /// A finger moved.
    public mutating func moved(
        _ id: UInt32, to location: ViewPoint, time: UInt32, _ settings: PointerSettings
    ) -> [Action] {
        switch state {
        case .waiting(let finger) where finger.id == id:
            guard location.isBeyond(settings.dragThreshold, from: finger.start) else { return [] }
            taps.reset()
            if let handle = finger.target.handle {
                state = .selecting(id: id)
                return [.hold(handle, at: finger.start), .text(.drag(to: location))]
            }
            var pan = Pan(last: finger.start)
            let distance = pan.move(to: location, at: time)
            state = .scrolling(id: id, pan)
            return [.scroll(by: distance)]
        case .scrolling(id, var pan):
            let distance = pan.move(to: location, at: time)
            state = .scrolling(id: id, pan)
            return distance == Vector(dx: 0, dy: 0) ? [] : [.scroll(by: distance)]
        case .selecting(id): return [.text(.drag(to: location))]
        default: return []
        }
    }

    /// A finger was lifted.
    public mutating func ended(_ id: UInt32, time: UInt32, _ settings: PointerSettings) -> [Action] {
        guard fingers.remove(id) != nil else { return [] }
        let old = state
        switch old {
        case .waiting(let finger) where finger.id == id:
            state = .idle
            return tapped(finger, at: time, settings)
        case .scrolling(id, let pan):
            state = .idle
            let velocity = pan.tracker.velocity(at: time)
            return velocity == Vector(dx: 0, dy: 0) ? [] : [.fling(velocity)]
        case .selecting(id):
            state = .idle
            return [.text(.finish)]
        default:
            if fingers.isEmpty { state = .idle }
            return []
        }
    }

    private mutating func tapped(_ finger: Finger, at time: UInt32, _ settings: PointerSettings) -> [Action] {
        guard finger.count > 0 else { return [] }
        let handle = finger.target.handle
        if Int64(time &- finger.startTime) >= settings.touchPressInterval {
            // It was held long enough, although the timer has not come.
            taps.reset()
            return handle == nil ? [.text(.longPress(at: finger.start)), .text(.finish)] : []
        }
        // A second tap may well be on the handle that the first one has brought.
        let place = handle?.place ?? finger.start
        if let handle, handle.role != .caret { return [] }
        if finger.count == 2 { return [.text(.select(.word, at: place)), .text(.finish)] }
        if handle != nil || finger.target.isSelected { return [.text(.openMenu(at: place))] }
        if finger.target.opensLink { return [.text(.openLink(at: place))] }
        return [.text(.select(.character, at: place)), .text(.finish)]
    }

    /// What a finger was over is not seen any more: nothing comes of it.
    public mutating func cancelled(_ id: UInt32) {
        fingers.remove(id)
        cancel()
    }

    /// A deadline has passed, at a time of the view's clock.
    public mutating func deadlinePassed(at now: Int64) -> [Action] {
        guard case .waiting(let finger) = state, let deadline = finger.deadline, now >= deadline else { return [] }
        taps.reset()
        state = .selecting(id: finger.id)
        return [finger.target.handle.map { .hold($0, at: finger.start) } ?? .text(.longPress(at: finger.start))]
    }

    // MARK: Ends

    /// What was to begin has been refused: nothing more comes of the fingers until they are lifted.
    public mutating func refuse() { state = fingers.isEmpty ? .idle : .ignoring }

    /// Nothing more comes of the fingers that are down.
    public mutating func cancel() {
        refuse()
        taps.reset()
    }
}

extension ViewPoint {
    /// Whether it lies farther away than a threshold on either axis.
    func isBeyond(_ threshold: Double, from other: ViewPoint) -> Bool {
        abs(x - other.x) > threshold || abs(y - other.y) > threshold
    }
}
