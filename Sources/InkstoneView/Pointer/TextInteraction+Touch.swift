import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Handling of touch, and of the handles that move the ends of a selection.
extension TextInteraction {
    // MARK: Events

    /// Handles an event of a finger.
    ///
    /// - Parameter point: position of the finger, in view pixels.
    public func handle(_ event: TouchEvent, at point: ViewPoint) {
        guard let text else { return }
        let actions: [TouchGesture.Action]
        switch event.phase {
        case .began:
            gesture.cancel()
            touch.began(
                event.id, isFirst: event.isPointer, at: point, time: event.timestamp, at: clock(),
                stopsScrolling: stopKinetics(), settings
            ) { touchTarget(at: point, in: text) }
            actions = []
        case .moved: actions = touch.moved(event.id, to: point, time: event.timestamp, settings)
        case .ended: actions = touch.ended(event.id, time: event.timestamp, settings)
        case .cancelled:
            touch.cancelled(event.id)
            actions = []
        }
        perform(actions, text, event.pointerEvent)
        followPointer()
        onDeadlineChange?()
    }

    private func touchTarget(at point: ViewPoint, in text: PointedText) -> TouchGesture.Target {
        TouchGesture.Target(
            handle: handle(at: point), isSelected: text.isSelected(at: point),
            opensLink: !isEditable && hasLink(at: point, in: text))
    }

    func perform(_ actions: [TouchGesture.Action], _ text: PointedText, _ event: PointerEvent?) {
        for action in actions {
            switch action {
            case .text(let action):
                guard performUnlessRefused(action, text, event) else { return touch.refuse() }
                switch action {
                case .select, .longPress: showHandles(for: text)
                default: break
                }
            case .hold(let handle, at: let point):
                guard begins(.extending, at: point) else { return touch.refuse() }
                take(handle, at: point, text)
            case .scroll(by: let distance):
                (textInput as? any ScrollableTextInput)?.scroll(by: distance.dy, dx: distance.dx)
            case .fling(let velocity): scrollOn(velocity)
            }
        }
    }

    // MARK: Handles

    /// The handles that are shown, in view pixels. They are at the ends of a selection made by touch or, in text
    /// that can be edited, at a caret placed by touch. Handles out of view are left out, except one that is held.
    /// Empty once a key or a mouse button was used.
    public var handles: [TextSelectionHandle] {
        guard let touched, let text, let selection = text.selection, selection.count == 1, selection.range == touched
        else { return [] }
        let area = (textInput as? any ScrollableTextInput)?.autoscrollArea.rect
        let held = drag?.hold?.role
        let roles: [TextSelectionHandle.Role] =
            selection.isCaret ? (isEditable ? [.caret] : []) : [.start, .end]
        return roles.compactMap { role in
            guard var handle = text.handle(role, of: selection.primary) else { return nil }
            handle.isHeld = role == held
            guard let area, !handle.isHeld else { return handle }
            return handle.edge.intersects(area) ? handle : nil
        }
    }

    /// Hides the handles, when a key or a mouse button was used.
    public func hideHandles() {
        guard touched != nil else { return }
        touched = nil
        onHandlesChange?()
    }

    /// Handles the press of a key: hides the handles and stops kinetic scrolling.
    public func keyWasPressed() {
        hideHandles()
        if stopKinetics() { onDeadlineChange?() }
    }

    /// Returns the handle whose knob is nearest to a point. Nil if no knob is within the reach of a finger at that
    /// point.
    func handle(at point: ViewPoint) -> TextSelectionHandle? {
        let reach = settings.handleReach
        func distance(_ handle: TextSelectionHandle) -> Double {
            let knob = handle.knob(reach: reach)
            return max(abs(point.x - knob.x), abs(point.y - knob.y))
        }
        // Accept only points at or below the last quarter of the line: otherwise the handles of a short word would
        // cover the whole word.
        return handles.filter { point.y >= $0.edge.maxY - $0.edge.height / 4 && distance($0) <= reach }
            .min { distance($0) < distance($1) }
    }

    func showHandles(for text: PointedText) {
        touched = text.selection?.range
        onHandlesChange?()
    }

    /// Starts to move the end of the selection that belongs to a handle. The end keeps its present distance from
    /// the finger.
    private func take(_ handle: TextSelectionHandle, at point: ViewPoint, _ text: PointedText) {
        guard let range = text.selection?.primary else { return }
        text.willSelect()
        let place = handle.place
        let fixed = handle.role == .start ? range.range.upperBound : range.range.lowerBound
        drag = SelectionDrag(
            origin: fixed..<fixed, granularity: .character,
            hold: HandleHold(role: handle.role, offset: Vector(dx: place.x - point.x, dy: place.y - point.y)))
        onHandlesChange?()
        host?.textInteraction(self, didTakeHandleAt: point)
    }

    /// Moves the held end of the selection to a point. It stops one character before the other end: the selection
    /// is never empty. A held caret is moved anywhere.
    func move(_ hold: HandleHold, fixed: UTF16Offset, to point: ViewPoint, in text: PointedText) {
        let target = ViewPoint(x: point.x + hold.offset.dx, y: point.y + hold.offset.dy)
        guard let place = text.place(closestTo: target) else { return }
        let limit: UTF16Offset? =
            switch hold.role {
            case .caret: nil
            case .start: text.character(at: fixed, .backward)?.lowerBound
            case .end: text.character(at: fixed, .forward)?.upperBound
            }
        guard hold.role != .caret else {
            return select(Selection(caret: place.offset, affinity: place.affinity), in: text)
        }
        // At the start or end of the text there may be no character beyond the fixed end. The held end cannot move
        // then.
        guard let limit else { return }
        let isPast = hold.role == .start ? place.offset > limit : place.offset < limit
        let head = isPast ? CaretPlace(limit) : place
        select(Selection(anchor: fixed, head: head.offset, affinity: head.affinity), in: text)
    }

    // MARK: Kinetic scrolling

    /// Records a turn of a wheel or touchpad, in clicks; the view has already scrolled by it. A turn of zero means
    /// that the fingers have left the touchpad, and starts kinetic scrolling. A turn with Ctrl only stops kinetic
    /// scrolling.
    func turn(_ clicks: Vector, _ event: PointerEvent) {
        stopKinetics()
        guard !event.modifiers.contains(.control), let scrollable = textInput as? any ScrollableTextInput else {
            return turned = VelocityTracker()
        }
        guard clicks == Vector(dx: 0, dy: 0) else {
            let click = 3 * scrollable.autoscrollArea.lineHeight
            return turned.add(Vector(dx: clicks.dx * click, dy: clicks.dy * click), at: event.timestamp)
        }
        scrollOn(turned.velocity(at: event.timestamp))
        turned = VelocityTracker()
    }

    /// Starts kinetic scrolling at a speed in pixels per second.
    func scrollOn(_ velocity: Vector) {
        guard textInput is any ScrollableTextInput else { return }
        kinetics = KineticScroll(velocity, at: clock())
    }

    /// Stops kinetic scrolling. Returns whether there was any.
    @discardableResult
    func stopKinetics() -> Bool {
        defer { kinetics = nil }
        return kinetics != nil
    }

    /// Performs a step of kinetic scrolling if it is due.
    func stepKinetics(at now: Int64) {
        guard let deadline = kinetics?.deadline, now >= deadline else { return }
        guard let distance = kinetics?.step(at: now), let scrollable = textInput as? any ScrollableTextInput else {
            kinetics = nil
            return
        }
        if distance != Vector(dx: 0, dy: 0) { scrollable.scroll(by: distance.dy, dx: distance.dx) }
    }
}
