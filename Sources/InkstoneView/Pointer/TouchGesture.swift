import InkstoneBase
import InkstoneText

/// The state of a touch gesture: a plain value that receives touch events and returns the actions that follow.
/// Actions that the pointer can cause as well are those of ``PointerGesture``.
///
/// A tap places the caret, and a second one selects the word. A tap on selected text, or on the handle of the
/// caret, opens the menu; a tap on a link opens the link if a plain click would. Moving the finger scrolls. Holding
/// it still selects the word, and moving it then extends the selection by words. Moving a handle moves an end of
/// the selection. A second finger ends the selection by the first. Points are in view pixels.
package struct TouchGesture: Hashable, Sendable {
    /// The content under a finger that comes down: a handle, selected text or a link.
    package struct Target: Hashable, Sendable {
        /// The handle under the finger; nil for none.
        package var handle: TextSelectionHandle?
        /// Whether the finger lies on selected text.
        package var isSelected: Bool
        /// Whether the finger lies on a link that a tap opens.
        package var opensLink: Bool

        /// Creates a target from its parts.
        package init(handle: TextSelectionHandle? = nil, isSelected: Bool = false, opensLink: Bool = false) {
            self.handle = handle
            self.isSelected = isSelected
            self.opensLink = opensLink
        }
    }

    /// An action that follows from an event.
    package enum Action: Hashable, Sendable {
        /// Performs an action that the pointer can cause too.
        case text(PointerGesture.Action)
        /// Starts to move a handle, with the finger at a point.
        case hold(TextSelectionHandle, at: ViewPoint)
        /// Scrolls by whole pixels, down and to the right if positive.
        case scroll(by: Vector)
        /// Starts kinetic scrolling at a speed, in pixels per second.
        case fling(Vector)
    }

    /// The finger whose touch may still become a tap, a long press or a motion.
    private struct Finger: Hashable {
        var id: UInt32
        var start: ViewPoint
        var startTime: UInt32
        var target: Target
        /// The number of the tap, in a series of quick taps, that the touch may become: 1 for a single tap; 0 if the
        /// touch has stopped kinetic scrolling and becomes no tap.
        var count: Int
        /// The time at which the touch becomes a long press; nil if the touch has stopped kinetic scrolling.
        var deadline: Int64?
    }

    /// A finger that scrolls.
    private struct Pan: Hashable {
        var last: ViewPoint
        var tracker = VelocityTracker()
        var rest = ScrollRemainder()

        /// Returns the distance to scroll so that the text moves with the finger.
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
        /// The fingers that are down are ignored.
        case ignoring
    }

    private var state = State.idle
    private var fingers: Set<UInt32> = []
    private var taps = ClickCounter()

    /// Creates a gesture without fingers.
    package init() {}

    /// Whether the gesture of a finger is in progress.
    package var isActive: Bool { state != .idle }
    /// Whether the selection or a handle follows the finger.
    package var isSelecting: Bool { if case .selecting = state { true } else { false } }
    /// The time for the next call of ``deadlinePassed(at:)``, in milliseconds of the view's clock; nil for never.
    package var deadline: Int64? { if case .waiting(let finger) = state { finger.deadline } else { nil } }

    // MARK: Events

    /// Handles a finger that came down.
    ///
    /// - Parameters:
    ///   - isFirst: whether no other finger is down. Fingers counted before are then forgotten.
    ///   - now: the time of the view's clock, in milliseconds.
    ///   - stopsScrolling: whether the touch has stopped kinetic scrolling. It then does not become a tap.
    ///   - target: returns what lies under the finger.
    package mutating func began(
        _ id: UInt32, isFirst: Bool = true, at location: ViewPoint, time: UInt32, at now: Int64 = 0,
        stopsScrolling: Bool = false, _ settings: PointerSettings, target: () -> Target
    ) {
        if isFirst { (fingers, state) = ([], .idle) }
        fingers.insert(id)
        guard case .idle = state, fingers.count == 1 else {
            // A second finger does not end the scrolling by the first.
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

    /// Handles the motion of a finger.
    package mutating func moved(
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

    /// Handles a finger that was lifted.
    package mutating func ended(_ id: UInt32, time: UInt32, _ settings: PointerSettings) -> [Action] {
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
            // The touch was a long press, although its deadline has not been handled yet.
            taps.reset()
            return handle == nil ? [.text(.longPress(at: finger.start)), .text(.finish)] : []
        }
        // The second tap of a double tap may hit the handle of the caret, which the first tap has shown. The word
        // at the handle's caret is selected then.
        let place = handle?.place ?? finger.start
        if let handle, handle.role != .caret { return [] }
        if finger.count == 2 { return [.text(.select(.word, at: place)), .text(.finish)] }
        if handle != nil || finger.target.isSelected { return [.text(.openMenu(at: place))] }
        if finger.target.opensLink { return [.text(.openLink(at: place))] }
        return [.text(.select(.character, at: place)), .text(.finish)]
    }

    /// Handles the cancellation of a touch: no action follows, and the other fingers that are down are ignored.
    package mutating func cancelled(_ id: UInt32) {
        fingers.remove(id)
        cancel()
    }

    /// Handles a deadline that has passed. The time is that of the view's clock.
    package mutating func deadlinePassed(at now: Int64) -> [Action] {
        guard case .waiting(let finger) = state, let deadline = finger.deadline, now >= deadline else { return [] }
        taps.reset()
        state = .selecting(id: finger.id)
        return [finger.target.handle.map { .hold($0, at: finger.start) } ?? .text(.longPress(at: finger.start))]
    }

    // MARK: Cancelling and refusing

    /// Refuses the last action: the fingers are ignored until they are lifted.
    package mutating func refuse() { state = fingers.isEmpty ? .idle : .ignoring }

    /// Ignores the fingers that are down.
    package mutating func cancel() {
        refuse()
        taps.reset()
    }
}

extension ViewPoint {
    /// Whether the point is farther away from another point than a threshold, on either axis.
    func isBeyond(_ threshold: Double, from other: ViewPoint) -> Bool {
        abs(x - other.x) > threshold || abs(y - other.y) > threshold
    }
}
