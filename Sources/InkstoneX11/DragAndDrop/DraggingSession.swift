import CX11
import InkstoneBase

/// A drag that began in one of our windows, from the button press to the target's final answer. Created by
/// ``Display/beginDragging(_:from:allowsMove:event:source:)``.
///
/// While the button is down, pass it all pointer events and all changes of the modifiers. X sends these events to the
/// window in which the button was pressed. A session never blocks to wait for a target.
public final class DraggingSession {
    /// The outcome of a drag.
    public enum Outcome: Hashable, Sendable {
        /// No target accepted the drop, or the user cancelled the drag.
        case cancelled
        /// The drop succeeded with this action.
        case dropped(DragAction)
        /// The data was dropped, and the target failed or stopped answering.
        case failed
    }

    /// The object from which the drag began, for targets in the same process; nil if there is none. Not retained.
    public weak var source: AnyObject?
    /// Called when the target has the data and the source must delete its own. Called at most once, on the
    /// display's thread.
    public var onDelete: (() -> Void)?
    /// Called after each motion, after each change of the modifiers, and after each answer of the target, with the
    /// point in root pixels and the action that the target accepts. The action is nil if there is no target, or if
    /// it refuses.
    public var onMove: ((RootPoint, DragAction?) -> Void)?
    /// Called on the display's thread when the drag has ended.
    public var onEnd: ((Outcome) -> Void)?
    /// The dragged data in its types.
    public let item: PasteboardItem
    /// Whether the data may be moved, that is, deleted at the source.
    public let allowsMove: Bool
    /// Whether the button is still down and the drag was not cancelled.
    public var isDragging: Bool { state.isDragging }

    private unowned let owner: DragAndDrop
    private var state: DragSource
    private var timer: TimerID?
    private var last: (point: RootPoint, modifiers: KeyModifiers, time: UInt32)
    /// The drop targets found so far, by window. Nil for a window that accepts no drops. Kept for the duration of
    /// the drag.
    private var known: [UInt: DragSource.Target?] = [:]
    private var display: Display { owner.display }

    init(_ owner: DragAndDrop, _ item: PasteboardItem, allowsMove: Bool, at event: PointerEvent, in window: Window) {
        self.owner = owner
        self.item = item
        self.allowsMove = allowsMove
        last = (Self.root(event.location, in: window), event.modifiers, event.timestamp)
        let display = owner.display
        let types = display.transfers.types(of: item)
        state = DragSource(types: types, timing: owner.timing)
        display.transfers.write(
            types, type: PredefinedAtom.atom, to: display.transfers.window, display.atoms["XdndTypeList"])
    }

    /// Claims the selection, and sends the first messages if the pointer is over a target.
    func begin() {
        owner.selection.own(
            Clipboard.Contents(
                time: last.time, owner: self, item: item, onLost: { [weak self] in self?.cancel() },
                delete: allowsMove ? { [weak self] in self?.deletionRequested() ?? false } : nil,
                onRequest: { [weak self] in self?.requestCame() }))
        update()
    }

    // MARK: User actions

    /// Handles a pointer event. The pointer may be anywhere on the screen.
    public func handle(_ event: PointerEvent, in window: Window) {
        guard state.isDragging else { return }
        last = (Self.root(event.location, in: window), event.modifiers, event.timestamp)
        update()
        if case .release = event.kind {
            perform(state.release(time: event.timestamp, at: now))
        }
    }

    /// Handles a change of the modifiers. Control requests copying, Shift moving.
    public func modifiersDidChange(to modifiers: KeyModifiers) {
        guard state.isDragging, modifiers != last.modifiers else { return }
        last.modifiers = modifiers
        update()
    }

    /// Cancels the drag, at the user's request or because the pointer grab was lost. Has no effect after the drop.
    public func cancel() { perform(state.cancel()) }

    /// Ends the session at any stage, because another drag begins.
    func abandon() { perform(state.abandon()) }

    /// Records that the dragged data was already deleted at the source.
    func noteDeleted() { state.noteDeleted() }

    private func update() {
        let target = target(at: last.point)
        let position = DragPosition(
            x: Int(last.point.x), y: Int(last.point.y), time: last.time, action: action(over: target))
        perform(state.move(to: position, over: target, at: now))
        onMove?(last.point, state.accepted)
    }

    private func action(over target: DragSource.Target?) -> DragAction {
        if !allowsMove || last.modifiers.contains(.control) { return .copy }
        if last.modifiers.contains(.shift) { return .move }
        // Propose moving only to targets in this program. For other programs, the default is copying: users may not
        // expect that dropped text disappears from its source.
        return target.map { display.windows[$0.window] != nil } == true ? .move : .copy
    }

    // MARK: Messages and requests of other clients

    func receive(_ message: DragMessage, from target: UInt) {
        switch message {
        case .status(let action):
            perform(state.status(action, from: target, at: now))
            onMove?(last.point, state.accepted)
        case .finished(let action): perform(state.finished(action, from: target))
        case .enter, .position, .leave, .drop: break
        }
    }

    private func requestCame() {
        state.requestCame(at: now)
        schedule()
    }

    private func deletionRequested() -> Bool {
        guard let effects = state.deletionRequested() else { return false }
        perform(effects)
        return true
    }

    // MARK: Performing effects

    /// The present time for `state`, in milliseconds of the monotonic clock.
    private var now: Int64 { MonotonicClock.milliseconds }

    private func perform(_ effects: [DragSource.Effect]) {
        for effect in effects {
            switch effect {
            case .send(let message, let target):
                owner.send(
                    message, from: display.transfers.window, to: target.receiver, naming: target.window)
            case .delete: onDelete?()
            case .end(let outcome): end(outcome)
            }
        }
        display.needsTurn()
        schedule()
    }

    private func schedule() {
        display.cancel(timer)
        timer = state.deadline.map { due in
            display.schedule(afterMilliseconds: Int(max(0, due - now))) { [weak self] in
                guard let self else { return }
                timer = nil
                perform(state.tick(at: now))
            }
        }
    }

    private func end(_ outcome: DragSource.Outcome) {
        if owner.session === self { owner.session = nil }
        // Release the selection only if this session owns it: a later session may have claimed it.
        if owner.selection.contents?.owner === self { owner.selection.disown() }
        let result: Outcome =
            switch outcome {
            case .cancelled: .cancelled
            case .dropped(let action): .dropped(action)
            case .failed: .failed
            }
        onEnd?(result)
        (onDelete, onMove, onEnd) = (nil, nil, nil)
    }

    // MARK: Finding targets

    private static func root(_ point: WindowPoint, in window: Window) -> RootPoint {
        RootPoint(x: window.rootOrigin.x + point.x, y: window.rootOrigin.y + point.y)
    }

    /// Returns the topmost window at a point that accepts drops; nil if there is none. Searches from the root
    /// window downwards, until a window announces that it accepts drops. One round trip for each level, and up to
    /// three more for a window that this drag has not met before.
    private func target(at point: RootPoint) -> DragSource.Target? {
        let root = XDefaultRootWindow(display.connection)
        return display.tolerating {
            var window = root
            for _ in 0..<64 {
                var (x, y): (Int32, Int32) = (0, 0)
                var child: UInt = 0
                guard
                    XTranslateCoordinates(
                        display.connection, root, window, Int32(point.x), Int32(point.y), &x, &y, &child) != 0,
                    child != 0
                else { return nil }
                window = child
                if let target = aware(window) { return target }
            }
            return nil
        }
    }

    private func aware(_ window: UInt) -> DragSource.Target? {
        if let target = known[window] { return target }
        var receiver = window
        // Use a proxy only if a property of the proxy names the proxy itself. If it does not, the proxy was left
        // behind by a program that has ended.
        if let proxy = word(display.atoms["XdndProxy"], of: window), proxy != 0,
            word(display.atoms["XdndProxy"], of: proxy) == proxy
        {
            receiver = proxy
        }
        let version = word(display.atoms["XdndAware"], of: receiver).map { Int(clamping: $0) } ?? 0
        let target =
            version >= 3 ? DragSource.Target(window: window, receiver: receiver, version: min(5, version)) : nil
        known[window] = .some(target)
        return target
    }

    private func word(_ property: Atom, of window: UInt) -> UInt? {
        guard let value = display.transfers.property(property, of: window, delete: false, limit: 16), value.format == 32
        else { return nil }
        return value.bytes.withUnsafeBytes { $0.count >= 8 ? $0.loadUnaligned(as: UInt.self) : nil }
    }
}

extension Display {
    /// Begins to drag data from a window in which a button is down. Nil if another drag is in progress, if the
    /// selection for drags cannot be claimed, or if the window is closed. Pass all pointer events and changes of the
    /// modifiers to the session until ``DraggingSession/isDragging`` is false.
    ///
    /// - Parameters:
    ///   - item: the dragged data in its types.
    ///   - allowsMove: whether the data may be moved, that is, deleted at the source.
    ///   - event: the latest pointer event: the press or a later one.
    ///   - source: the object from which the drag begins; see ``DraggingSession/source``.
    public func beginDragging(
        _ item: PasteboardItem, from window: Window, allowsMove: Bool, event: PointerEvent, source: AnyObject? = nil
    ) -> DraggingSession? {
        guard !isLost, !window.isClosed, dragAndDrop.session?.isDragging != true else { return nil }
        dragAndDrop.session?.abandon()
        let session = DraggingSession(dragAndDrop, item, allowsMove: allowsMove, at: event, in: window)
        session.source = source
        dragAndDrop.session = session
        session.begin()
        // The session has ended already if another client has claimed the selection with a later time than the
        // event's.
        return session.isDragging ? session : nil
    }

    /// The drag that began in this process, until its target has finished; nil without one.
    public var draggingSession: DraggingSession? { dragAndDrop.session }
}

extension Window {
    /// Makes a popup window the image that follows the pointer in a drag. Pointer events go to the windows below
    /// it. Its window type tells window managers its purpose.
    public func becomeDragPicture() {
        guard !isClosed, !display.isLost else { return }
        let connection = display.connection
        var type = display.atoms["_NET_WM_WINDOW_TYPE_DND"]
        withUnsafeBytes(of: &type) {
            _ = XChangeProperty(
                connection, id.xid, display.atoms["_NET_WM_WINDOW_TYPE"], PredefinedAtom.atom, 32, PropModeReplace,
                $0.assumingMemoryBound(to: UInt8.self).baseAddress, 1)
        }
        letPointerThrough()
    }
}
