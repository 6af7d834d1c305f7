import InkstoneBase
import InkstoneInput
import InkstoneX11

/// A content of a window that takes drops.
public protocol DropDestination: WindowContent {
    /// Says what a drop at the drag's place would do, and shows it; nil for nothing. Called at each move, and again and again at rest.
    func judgeDrag(_ drag: IncomingDrag) -> DragAction?
    /// The drag is no longer over it.
    func dragDidLeave()
    /// Takes what was dropped, and says so by ``IncomingDrag/finish(_:isDeleted:)``, once.
    func takeDrop(_ drag: IncomingDrag)
}

/// The drag that a window's pointer and keys belong to.
struct WindowDrag {
    var session: DraggingSession
    var picture: DragPicture?
    var onEnd: (() -> Void)?
}

// Drags out of the window.
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

    /// Has something done when the drag that goes on is over, however it ends.
    func whenDragEnds(_ work: @escaping () -> Void) {
        if drag == nil { work() } else { drag?.onEnd = work }
    }

    private func dragDidEnd(_ session: DraggingSession) {
        guard let ended = drag, ended.session === session else { return }
        drag = nil
        ended.picture?.close()
        ended.onEnd?()
    }

    /// Hands the pointer to the drag that goes on. Returns whether one does.
    func dragTakes(_ event: PointerEvent) -> Bool {
        guard let drag, drag.session.isDragging else { return false }
        switch event.kind {
        case .motion: drag.session.handle(event, in: window)
        case .release(.primary):
            drag.session.handle(event, in: window)
            drag.picture?.close()
            // Whoever began the drag sees that the button is up.
            return false
        case .press, .release, .scroll, .enter, .leave: break
        }
        return true
    }

    /// Hands a key to the drag that goes on. Returns whether it goes no further: none types meanwhile.
    func dragTakes(_ key: KeyEvent) -> Bool {
        guard let drag, drag.session.isDragging else { return false }
        if key.keysym == 0xff1b, key.phase == .down {
            drag.picture?.close()
            drag.session.cancel()
        } else if key.keysym.isModifier {
            drag.session.modifiersDidChange(to: Self.modifiers(after: key))
            return false
        }
        // What was held before the drag has to come up for everybody.
        return key.phase != .up
    }
}

extension WidgetWindow {
    /// What is down once a key of Shift or Control has gone down or up.
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

// Drags over the window.
extension WidgetWindow {
    /// What lies there judges.
    public func window(_ window: Window, judges drag: IncomingDrag) -> DragAction? {
        let target = contents.last { $0.frame.contains(drag.location) }
            .flatMap { takes($0) ? $0 as? any DropDestination : nil }
        if dropDestination !== target { dropDestination?.dragDidLeave() }
        dropDestination = target
        return target?.judgeDrag(drag)
    }

    /// What it was over is told.
    public func windowDragDidLeave(_ window: Window) {
        dropDestination?.dragDidLeave()
        dropDestination = nil
    }

    /// What it was over takes it, after all keys before it.
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
