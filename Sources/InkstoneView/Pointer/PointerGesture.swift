import InkstoneBase
import InkstoneText

/// The state of the pointer's gesture: a plain value that receives pointer events and returns the actions that
/// follow from each.
///
/// It knows about the text only what the ``Target`` of a press says. Points are in view pixels. Times of events are
/// in the X server's milliseconds, deadlines in those of the view's clock.
package struct PointerGesture: Hashable, Sendable {
    /// The content under a press of the primary button: selected text, a link or an attachment.
    package struct Target: Hashable, Sendable {
        /// Whether the press lies on selected text. The blank area beside a line does not count.
        package var isSelected: Bool
        /// Whether the press lies on a link.
        package var isLink: Bool
        /// Whether the view supports several selected ranges.
        package var takesSeveral: Bool
        /// Whether a plain click opens a link, as in text that cannot be edited; otherwise only a click with Ctrl
        /// does.
        package var opensLinks: Bool
        /// Whether the press lies on an attachment.
        package var isAttachment: Bool

        /// Creates a target from its parts.
        package init(
            isSelected: Bool = false, isLink: Bool = false, takesSeveral: Bool = true, opensLinks: Bool = false,
            isAttachment: Bool = false
        ) {
            self.isAttachment = isAttachment
            self.isSelected = isSelected
            self.isLink = isLink
            self.takesSeveral = takesSeveral
            self.opensLinks = opensLinks
        }
    }

    /// An action that follows from an event.
    package enum Action: Hashable, Sendable {
        /// Replaces the selection by the unit at a point: a caret, a word, a line or a paragraph. A drag may follow.
        case select(TextGranularity, at: ViewPoint)
        /// Moves the moving end of the selection to a point. Extends by the given unit, or by the unit by which the
        /// selection was begun, if that is larger. A drag may follow.
        case extend(to: ViewPoint, by: TextGranularity)
        /// Adds the unit at a point to the selection. A drag may follow.
        case add(TextGranularity, at: ViewPoint)
        /// Adds a caret at a point. If a selected range is there, removes this range instead, unless it is the only
        /// one.
        case toggleCaret(at: ViewPoint)
        /// Begins a rectangular selection at a point.
        case beginRectangle(at: ViewPoint)
        /// Extends the selection or rectangle that the press began, up to a point.
        case drag(to: ViewPoint)
        /// Drags the selected text away from the point of the press; `to` is the present position of the pointer.
        case dragSelection(from: ViewPoint, to: ViewPoint)
        /// Opens the link at a point.
        case openLink(at: ViewPoint)
        /// Opens the attachment at a point, after a double click.
        case openAttachment(at: ViewPoint)
        /// Pastes PRIMARY at a point.
        case paste(at: ViewPoint)
        /// Opens the context menu at a point.
        case openMenu(at: ViewPoint)
        /// Selects the word at a point, where the button was held still, and reports the long press. A drag may follow.
        case longPress(at: ViewPoint)
        /// Ends the selection when the button is released.
        case finish
    }

    /// A press whose gesture is not decided yet, or whose selection follows the pointer.
    private struct Press: Hashable, Sendable {
        var button: PointerButton
        var location: ViewPoint
        var target = Target()
        /// Whether Ctrl was held at the press.
        var isControl = false
        /// Whether this is the second click on an attachment, which opens the attachment.
        var opensAttachment = false
        /// Whether the pointer has moved beyond the threshold, or the press has become a long press.
        var hasMoved = false
        /// The time at which the press becomes a long press; nil if it has become one, or cannot.
        var deadline: Int64?
    }

    private enum State: Hashable, Sendable {
        case idle
        /// A button is down, and no action has followed yet.
        case waiting(Press)
        /// The selection follows the pointer.
        case selecting(Press)
        /// The pointer's motion is ignored until the button is released, for example because the host drags the
        /// selected text.
        case ignoring(PointerButton)
    }

    private var state = State.idle
    private var clicks = ClickCounter()

    /// Creates an idle gesture.
    package init() {}

    /// Whether a button is down.
    package var isActive: Bool { state != .idle }
    /// Whether the selection follows the pointer.
    package var isSelecting: Bool { if case .selecting = state { true } else { false } }
    /// Whether a button is down whose release would open the link under the press.
    package var opensLink: Bool {
        switch state {
        case .waiting(let press): press.target.isLink && (press.isControl || press.target.opensLinks)
        case .selecting(let press): press.target.isLink && press.target.opensLinks && !press.hasMoved
        case .idle, .ignoring: false
        }
    }
    /// The time for the next call of ``deadlinePassed(at:)``, in milliseconds of the view's clock; nil for never.
    package var deadline: Int64? {
        switch state {
        case .waiting(let press), .selecting(let press): press.deadline
        case .idle, .ignoring: nil
        }
    }

    // MARK: Events

    /// Handles the press of a button.
    ///
    /// - Parameters:
    ///   - target: returns what lies under the press; called only for the primary button.
    ///   - now: the time of the view's clock, in milliseconds.
    ///   - whole: the unit that even a single click selects, as for line numbers beside the text; nil for the usual
    ///     units.
    package mutating func press(
        _ button: PointerButton, at location: ViewPoint, modifiers: KeyModifiers = [], time: UInt32, at now: Int64 = 0,
        by whole: TextGranularity? = nil, _ settings: PointerSettings, target: () -> Target
    ) -> [Action] {
        if case .idle = state {
        } else if button != .primary || isHeld(by: .primary) {
            // Ignore another button during a gesture. A second press of the same button means that its release was
            // missed.
            guard isHeld(by: button) else { return [] }
        }
        let count = clicks.press(button, at: location, time: time, settings)
        var press = Press(button: button, location: location)
        switch button {
        case .primary: break
        case .middle:
            state = settings.pastesPrimary ? .waiting(press) : .ignoring(button)
            return []
        case .secondary:
            state = .ignoring(button)
            return [.openMenu(at: location)]
        default: return []
        }
        press.target = target()
        press.deadline = count == 1 && whole == nil ? settings.longPressInterval.map { now + $0 } : nil
        // A double click on an attachment selects the attachment alone, not the word around it.
        let isSecondOnAttachment = count == 2 && whole == nil && press.target.isAttachment
        let unit =
            isSecondOnAttachment
            ? .character
            : whole
                ?? (count >= 3
                    ? (settings.tripleClickSelectsLine ? .line : .paragraph) : count == 2 ? .word : .character)
        let isControl = modifiers.contains(.control)
        let isShift = modifiers.contains(.shift)
        // Ctrl+Shift is an alternative to Alt, because some window managers intercept drags with Alt.
        if press.target.takesSeveral, modifiers.contains(.alt) || isControl && isShift {
            state = .selecting(press)
            return [.beginRectangle(at: location)]
        }
        if isShift {
            state = .selecting(press)
            return [.extend(to: location, by: unit)]
        }
        press.isControl = isControl
        press.opensAttachment = isSecondOnAttachment && !isControl
        if count == 1, whole == nil, isControl || press.target.isSelected {
            state = .waiting(press)
            return []
        }
        state = .selecting(press)
        return [isControl && press.target.takesSeveral ? .add(unit, at: location) : .select(unit, at: location)]
    }

    /// Handles a motion of the pointer.
    ///
    /// - Parameter isHeld: whether the primary button is down according to the event. If not, its release was
    ///   missed.
    package mutating func move(
        to location: ViewPoint, isHeld: Bool = true, _ settings: PointerSettings
    ) -> [Action] {
        if !isHeld, self.isHeld(by: .primary) {
            cancel()
            return []
        }
        switch state {
        case .idle, .ignoring: return []
        case .waiting(var press):
            guard location.isBeyond(settings.dragThreshold, from: press.location) else { return [] }
            press.hasMoved = true
            press.deadline = nil
            guard press.button == .primary else {
                state = .ignoring(press.button)
                return []
            }
            if press.target.isSelected {
                state = .ignoring(press.button)
                return [.dragSelection(from: press.location, to: location)]
            }
            state = .selecting(press)
            return [
                press.target.takesSeveral
                    ? .add(.character, at: press.location) : .select(.character, at: press.location),
                .drag(to: location),
            ]
        case .selecting(var press):
            if location.isBeyond(settings.dragThreshold, from: press.location) {
                press.hasMoved = true
                press.deadline = nil
                state = .selecting(press)
            }
            return [.drag(to: location)]
        }
    }

    /// Handles a turn of the wheel, which has moved the text under the pointer.
    package mutating func scroll(at location: ViewPoint) -> [Action] {
        switch state {
        case .waiting(let press) where press.button == .middle:
            state = .ignoring(press.button)
            return []
        case .selecting: return [.drag(to: location)]
        default: return []
        }
    }

    package mutating func release(_ button: PointerButton) -> [Action] {
        guard isHeld(by: button) else { return [] }
        let (old, opens) = (state, opensLink)
        state = .idle
        switch old {
        case .idle, .ignoring: return []
        case .waiting(let press):
            if button == .middle { return [.paste(at: press.location)] }
            if opens { return [.openLink(at: press.location)] }
            if press.isControl, press.target.takesSeveral { return [.toggleCaret(at: press.location), .finish] }
            return [.select(.character, at: press.location), .finish]
        case .selecting(let press):
            if press.opensAttachment, !press.hasMoved { return [.finish, .openAttachment(at: press.location)] }
            return opens ? [.finish, .openLink(at: press.location)] : [.finish]
        }
    }

    /// Handles a deadline that has passed. The time is that of the view's clock.
    package mutating func deadlinePassed(at now: Int64) -> [Action] {
        guard let deadline, now >= deadline else { return [] }
        switch state {
        case .waiting(var press), .selecting(var press):
            press.deadline = nil
            // A press that was held counts as moved: its release opens no link.
            press.hasMoved = true
            guard press.button == .primary else { return [] }
            state = .selecting(press)
            return [.longPress(at: press.location)]
        case .idle, .ignoring: return []
        }
    }

    // MARK: Cancelling and refusing

    /// Cancels the gesture of the button that is down.
    package mutating func cancel() {
        state = .idle
        clicks.reset()
    }

    /// Makes the next press count as the first of a series.
    mutating func forgetPresses() { clicks.reset() }

    /// Refuses the last action: the button is ignored until it is released.
    package mutating func refuse() {
        switch state {
        case .waiting(let press), .selecting(let press): state = .ignoring(press.button)
        case .idle, .ignoring: break
        }
    }

    /// Selects text from the press on. For a drag of the selected text that the host does not perform.
    package mutating func selectInstead(from location: ViewPoint, to point: ViewPoint) -> [Action] {
        state = .selecting(Press(button: .primary, location: location, hasMoved: true))
        return [.select(.character, at: location), .drag(to: point)]
    }

    private func isHeld(by button: PointerButton) -> Bool {
        switch state {
        case .idle: false
        case .waiting(let press), .selecting(let press): press.button == button
        case .ignoring(let held): held == button
        }
    }
}
