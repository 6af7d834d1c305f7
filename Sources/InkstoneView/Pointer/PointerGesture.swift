import InkstoneBase
import InkstoneText

/// What the pointer is at: a plain value that is fed with the pointer's events and says what each comes to.
///
/// It knows times, distances, buttons and modifiers, and of the text only what ``Target`` says of the place of a press. Points are
/// view pixels; times of events are the X server's milliseconds, deadlines those of the view's clock.
public struct PointerGesture: Hashable, Sendable {
    /// What lies under a press of the primary button.
    public struct Target: Hashable, Sendable {
        /// Whether it is text that is selected; the blank beside a line is not.
        public var isSelected: Bool
        /// Whether it is a link.
        public var isLink: Bool
        /// Whether the view may have several ranges selected.
        public var takesSeveral: Bool
        /// Whether a plain click opens a link, as where text cannot be edited; else Ctrl has to be held.
        public var opensLinks: Bool
        /// Whether it is an attachment.
        public var isAttachment: Bool

        /// What lies under a press by its parts.
        public init(
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

    /// What an event comes to.
    public enum Action: Hashable, Sendable {
        /// Selects the unit at a point instead of what is selected: a caret, a word or a paragraph. A drag may follow.
        case select(TextGranularity, at: ViewPoint)
        /// Moves the selection's moving end to a point, by units at least so large. A drag may follow.
        case extend(to: ViewPoint, by: TextGranularity)
        /// Selects the unit at a point beside what is selected. A drag may follow.
        case add(TextGranularity, at: ViewPoint)
        /// Adds a caret at a point, or takes away the range that is there, unless it is the last.
        case toggleCaret(at: ViewPoint)
        /// A rectangle begins at a point.
        case beginRectangle(at: ViewPoint)
        /// What began by any of these goes on to a point.
        case drag(to: ViewPoint)
        /// The selected text is dragged away from where it was pressed, and has come to a point.
        case dragSelection(from: ViewPoint, to: ViewPoint)
        /// Opens the link at a point.
        case openLink(at: ViewPoint)
        /// Opens the attachment at a point: it was clicked twice.
        case openAttachment(at: ViewPoint)
        /// Pastes PRIMARY at a point.
        case paste(at: ViewPoint)
        /// Opens the context menu at a point.
        case openMenu(at: ViewPoint)
        /// The button was held still at a point.
        case longPress(at: ViewPoint)
        /// The selection is what the user wanted: the button came up.
        case finish
    }

    /// A press that may still become one thing or another.
    private struct Press: Hashable, Sendable {
        var button: PointerButton
        var location: ViewPoint
        var target = Target()
        /// Whether Ctrl was held.
        var isControl = false
        /// Whether it is the second click on an attachment.
        var opensAttachment = false
        /// Whether it has been moved beyond the threshold.
        var hasMoved = false
        /// When it becomes a long press.
        var deadline: Int64?
    }

    private enum State: Hashable, Sendable {
        case idle
        /// Nothing has followed from the press yet.
        case waiting(Press)
        /// The selection follows the pointer.
        case selecting(Press)
        /// What goes on is another's business, until the button comes up.
        case ignoring(PointerButton)
    }

    private var state = State.idle
    private var clicks = ClickCounter()

    /// A pointer that does nothing.
    public init() {}

    /// Whether a button is down whose gesture goes on.
    public var isActive: Bool { state != .idle }
    /// Whether the selection follows the pointer.
    public var isSelecting: Bool { if case .selecting = state { true } else { false } }
    /// When ``deadlinePassed(at:)`` wants to be called, in milliseconds of the view's clock; nil for never.
    public var deadline: Int64? {
        switch state {
        case .waiting(let press), .selecting(let press): press.deadline
        case .idle, .ignoring: nil
        }
    }

    // MARK: Events

    /// A button went down.
    ///
    /// - Parameters:
    ///   - target: what lies there; only asked for the primary button.
    ///   - now: the view's clock, in milliseconds.
    ///   - whole: what is selected at the first click already, as beside the text; nil for the usual.
    public mutating func press(
        _ button: PointerButton, at location: ViewPoint, modifiers: KeyModifiers = [], time: UInt32, at now: Int64 = 0,
        by whole: TextGranularity? = nil, _ settings: PointerSettings, target: () -> Target
    ) -> [Action] {
        if case .idle = state {
        } else if button != .primary || isHeld(by: .primary) {
            // Another button in the middle of a gesture means nothing; a second press of the same was never released.
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
        // An attachment is no word, whatever stands around it.
        let isSecondOnAttachment = count == 2 && whole == nil && press.target.isAttachment
        let unit =
            isSecondOnAttachment
            ? .character
            : whole
                ?? (count >= 3
                    ? (settings.tripleClickSelectsLine ? .line : .paragraph) : count == 2 ? .word : .character)
        let isControl = modifiers.contains(.control)
        let isShift = modifiers.contains(.shift)
        // Window managers take Alt and a drag away, hence a second way to it.
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

    /// The pointer moved.
    ///
    /// - Parameter isHeld: whether the primary button is down by what the event says. If not, its release was never heard of.
    public mutating func move(
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

    /// A wheel turned: the text has moved under the pointer.
    public mutating func scroll(at location: ViewPoint) -> [Action] {
        switch state {
        case .waiting(let press) where press.button == .middle:
            state = .ignoring(press.button)
            return []
        case .selecting: return [.drag(to: location)]
        default: return []
        }
    }

    /// A button came up.
    public mutating func release(_ button: PointerButton) -> [Action] {
        guard isHeld(by: button) else { return [] }
        let old = state
        state = .idle
        switch old {
        case .idle, .ignoring: return []
        case .waiting(let press):
            if button == .middle { return [.paste(at: press.location)] }
            if press.target.isLink, press.isControl || press.target.opensLinks {
                return [.openLink(at: press.location)]
            }
            if press.isControl, press.target.takesSeveral { return [.toggleCaret(at: press.location), .finish] }
            return [.select(.character, at: press.location), .finish]
        case .selecting(let press):
            if press.opensAttachment, !press.hasMoved { return [.finish, .openAttachment(at: press.location)] }
            let opens = press.target.isLink && press.target.opensLinks && !press.hasMoved
            return opens ? [.finish, .openLink(at: press.location)] : [.finish]
        }
    }

    /// A deadline has passed, at a time of the view's clock.
    public mutating func deadlinePassed(at now: Int64) -> [Action] {
        guard let deadline, now >= deadline else { return [] }
        switch state {
        case .waiting(var press), .selecting(var press):
            press.deadline = nil
            // It opens no link any more.
            press.hasMoved = true
            guard press.button == .primary else { return [] }
            state = .selecting(press)
            return [.longPress(at: press.location)]
        case .idle, .ignoring: return []
        }
    }

    // MARK: Ends

    /// Nothing more comes of the button that is down.
    public mutating func cancel() {
        state = .idle
        clicks.reset()
    }

    /// The next press is the first of its series, whenever it comes.
    mutating func forgetPresses() { clicks.reset() }

    /// What the last press or motion came to has been refused: nothing more comes of the button until it is released.
    public mutating func refuse() {
        switch state {
        case .waiting(let press), .selecting(let press): state = .ignoring(press.button)
        case .idle, .ignoring: break
        }
    }

    /// Nobody takes the selected text: what was to be a drag of it selects from the press on.
    public mutating func selectInstead(from location: ViewPoint, to point: ViewPoint) -> [Action] {
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
