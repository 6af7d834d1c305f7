import InkstoneBase
import InkstoneInput
import InkstoneX11

/// A content of a window that accepts drops.
public protocol DropDestination: WindowContent {
    /// Returns the action of a drop at the drag's position, and shows that position; nil to refuse the drop. Called at
    /// each move, and repeatedly while the pointer is still.
    func judgeDrag(_ drag: IncomingDrag) -> DragAction?
    /// Called when the drag has left the content.
    func dragDidLeave()
    /// Receives a drop. Call ``IncomingDrag/finish(_:isDeleted:)`` once to report the result.
    func takeDrop(_ drag: IncomingDrag)
}

/// The drag that receives a window's pointer and key events.
struct WindowDrag {
    var session: DraggingSession
    var picture: DragPicture?
    var onEnd: (() -> Void)?
}

// Drags that start in the window.
extension WidgetWindow {
    func beginDragging(
        _ item: PasteboardItem, allowsMove: Bool, event: PointerEvent, source: AnyObject, picture: DragPicture?
    ) -> DraggingSession? {
        guard
            let session = display.beginDragging(
                item, from: window, allowsMove: allowsMove, event: event, source: source)
        else { return nil }
        drag = WindowDrag(session: session, picture: picture)
        let root = RootPoint(x: window.rootOrigin.x + event.location.x, y: window.rootOrigin.y + event.location.y)
        picture?.show(at: root, in: self)
        session.onMove = { [weak self] point, _ in
            guard let self, drag?.session === session, session.isDragging else { return }
            picture?.show(at: point, in: self)
        }
        session.onEnd = { [weak self] _ in self?.dragDidEnd(session) }
        return session
    }

    /// Calls a closure when the drag in progress has ended, for whatever reason; immediately if no drag is in
    /// progress. Replaces the closure of an earlier call.
    func whenDragEnds(_ work: @escaping () -> Void) {
        if drag == nil { work() } else { drag?.onEnd = work }
    }

    private func dragDidEnd(_ session: DraggingSession) {
        guard let ended = drag, ended.session === session else { return }
        drag = nil
        ended.picture?.close()
        ended.onEnd?()
    }

    /// Passes a pointer event to the drag in progress. Returns true if the drag consumes the event: it consumes all
    /// events except the release of the primary button.
    func dragTakes(_ event: PointerEvent) -> Bool {
        guard let drag, drag.session.isDragging else { return false }
        switch event.kind {
        case .motion: drag.session.handle(event, in: window)
        case .release(.primary):
            drag.session.handle(event, in: window)
            drag.picture?.close()
            // Do not consume the release: the view where the drag started must see it.
            return false
        case .press, .release, .scroll, .enter, .leave: break
        }
        return true
    }

    /// Passes a key to the drag in progress; Escape cancels the drag. Returns true if the drag consumes the key: it
    /// consumes each press of a key that is no modifier. Modifiers and releases are not consumed.
    func dragTakes(_ key: KeyEvent) -> Bool {
        guard let drag, drag.session.isDragging else { return false }
        if key.keysym == 0xff1b, key.phase == .down {
            drag.picture?.close()
            drag.session.cancel()
        } else if key.keysym.isModifier {
            drag.session.modifiersDidChange(to: Self.modifiers(after: key))
            return false
        }
        // Do not consume the release of a key that was pressed before the drag.
        return key.phase != .up
    }
}

extension WidgetWindow {
    /// Returns the modifiers that are down after a Shift or Control key was pressed or released.
    private static func modifiers(after key: KeyEvent) -> KeyModifiers {
        let changed: KeyModifiers =
            switch key.keysym.rawValue {
            case 0xffe1, 0xffe2: .shift
            case 0xffe3, 0xffe4: .control
            default: []
            }
        return key.phase == .up ? key.modifiers.subtracting(changed) : key.modifiers.union(changed)
    }
}

// Drags from any program over the window.
extension WidgetWindow {
    /// Returns the action that a drop on the content under the drag would have; nil if the content refuses it.
    public func window(_ window: Window, judges drag: IncomingDrag) -> DragAction? {
        let target = contents.last { $0.frame.contains(drag.location) }
            .flatMap { takes($0) ? $0 as? any DropDestination : nil }
        if dropDestination !== target { dropDestination?.dragDidLeave() }
        dropDestination = target
        return target?.judgeDrag(drag)
    }

    /// Notifies the content under the drag that the drag has left.
    public func windowDragDidLeave(_ window: Window) {
        dropDestination?.dragDidLeave()
        dropDestination = nil
    }

    /// Passes the drop to the content under the pointer, after all keys struck before the drop. A composition ends
    /// first. If no content accepts the drop, the source is notified of the refusal.
    public func window(_ window: Window, takes drag: IncomingDrag) {
        guard let target = dropDestination, takes(target) else {
            windowDragDidLeave(window)
            return drag.finish(nil)
        }
        dropDestination = nil
        afterWaitingKeys { [weak self] in
            self?.session.perform(.press, endsComposition: true) { target.takeDrop(drag) }
            self?.afterInput()
        }
    }
}
