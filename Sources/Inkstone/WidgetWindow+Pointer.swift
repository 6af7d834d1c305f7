import InkstoneBase
import InkstoneInput
import InkstoneView
import InkstoneX11

/// The pointer and fingers over the window, whose events go to its parts.
extension WidgetWindow {
    /// Passes a pointer event to the open menu or to the drag in progress. Without these, passes it to the part
    /// under the pointer or, while a button is down, to the part on which the button was pressed.
    public func window(_ window: Window, didReceivePointer event: PointerEvent) {
        guard !hasSuccessor else { return }
        var isPress = false
        if case .press = event.kind { isPress = true }
        afterWaitingKeys(startsWaiting: isPress) { [weak self] in self?.take(event) }
    }

    private func take(_ event: PointerEvent) {
        if menuTakes(event) { return }
        if dragTakes(event) { return }
        let target: (any WindowContent)?
        switch event.kind {
        case .press(let button):
            target = pressed.content ?? pressTarget(at: event.location, isAsked: button != .secondary)
            pressed.content = target
        case .release:
            target = pressed.content
            pressed.content = nil
        default:
            target = pressed.content ?? content(at: event.location)
        }
        if event.kind == .leave {
            window.setPointerHidden(false)
        } else if event.kind != .enter || !window.hidesPointer {
            // Do not show a hidden pointer on an enter event: the window may have appeared under a pointer that does
            // not move.
            window.setPointerHidden(false)
            window.setCursor(target?.cursor(at: event.location) ?? .arrow)
        }
        if event.kind == .motion || event.kind == .leave {
            let hovered = event.kind == .leave ? nil : target
            if let old = pressed.hovered, old !== hovered {
                var leaving = event
                leaving.kind = .leave
                old.handlePointer(leaving)
            }
            pressed.hovered = hovered
        }
        guard let target else { return }
        perform(event, on: target)
    }

    /// Passes a touch event to the part where the finger came down.
    public func window(_ window: Window, didReceiveTouch event: TouchEvent) {
        guard !hasSuccessor else { return }
        afterWaitingKeys(startsWaiting: event.phase == .began) { [weak self] in self?.take(event) }
    }

    private func take(_ event: TouchEvent) {
        if event.phase == .began {
            // If this is the first finger of a gesture, forget the earlier fingers, whose end must have been
            // missed.
            if event.isPointer { pressed.touches = [:] }
            pressed.touches[event.id] = pressTarget(at: event.location)
        }
        let target = pressed.touches[event.id]
        if event.phase == .ended || event.phase == .cancelled { pressed.touches[event.id] = nil }
        if isMenuOpen || drag != nil {
            if let pointer = event.pointerEvent { take(pointer) }
            return
        }
        guard let target else { return }
        if session.isWaiting {
            session.perform(.edit, endsComposition: false) { target.handleTouch(event) }
        } else {
            target.handleTouch(event)
        }
        afterInput()
    }

    /// Performs a pointer event after the keys before it were answered.
    private func perform(_ event: PointerEvent, on target: any WindowContent) {
        if case .press = event.kind {
            let end = target.compositionEnd(of: event)
            session.perform(.press, endsComposition: end != .none, inWork: end == .byContent) {
                target.handlePointer(event)
            }
        } else if session.isWaiting {
            session.perform(.edit, endsComposition: false) { target.handlePointer(event) }
        } else {
            target.handlePointer(event)
        }
        afterInput()
    }
}
