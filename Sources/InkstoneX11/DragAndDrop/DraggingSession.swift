import CX11
import InkstoneBase

/// A drag that began in one of our windows, from the press to what its target says. Made by ``Display/beginDragging(_:from:allowsMove:event:source:)``.
///
/// While the button is down it has to be told what the pointer and the keys do: X gives all of that to the window that was pressed.
/// It never waits for a target.
public final class DraggingSession {
    /// How a drag ended.
    public enum Outcome: Hashable, Sendable {
        /// Nobody took it, or the user took it back.
        case cancelled
        /// It was dropped, and this was done.
        case dropped(DragAction)
        /// It was dropped, and the target has failed or is silent.
        case failed
    }

    /// What it was begun from, for targets in the same process.
    public weak var source: AnyObject?
    /// Takes what is dragged from its place: the target has it. At most once.
    public var onDelete: (() -> Void)?
    /// The pointer is elsewhere, in root pixels, and over a target that would do this; nil over none.
    public var onMove: ((RootPoint, DragAction?) -> Void)?
    /// It is over.
    public var onEnd: ((Outcome) -> Void)?
    /// What is dragged.
    public let item: PasteboardItem
    /// Whether it may be taken from its place.
    public let allowsMove: Bool
    /// Whether the button is still down.
    public var isDragging: Bool { state.isDragging }

    private unowned let owner: DragAndDrop
    private var state: DragSource
    private var timer: TimerID?
    private var last: (point: RootPoint, modifiers: KeyModifiers, time: UInt32)
    /// What is known of other clients' windows, for the time of the drag.
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

    /// Owns the selection, and shows the first target that it is there.
    func begin() {
        owner.selection.own(
            Clipboard.Contents(
                time: last.time, owner: self, item: item, onLost: { [weak self] in self?.cancel() },
                delete: allowsMove ? { [weak self] in self?.deletionRequested() ?? false } : nil,
                onRequest: { [weak self] in self?.requestCame() }))
        update()
    }

    // MARK: What the user does

    /// The pointer does something, wherever it is.
    public func handle(_ event: PointerEvent, in window: Window) {
        guard state.isDragging else { return }
        last = (Self.root(event.location, in: window), event.modifiers, event.timestamp)
        update()
        if case .release = event.kind {
            perform(state.release(time: event.timestamp, at: now))
        }
    }

    /// Other modifiers are down: Control copies, Shift moves.
    public func modifiersDidChange(to modifiers: KeyModifiers) {
        guard state.isDragging, modifiers != last.modifiers else { return }
        last.modifiers = modifiers
        update()
    }

    /// The user takes it back, or the pointer is someone else's now. Nothing after the drop.
    public func cancel() { perform(state.cancel()) }

    /// Ends it, whatever it is at: another drag begins.
    func abandon() { perform(state.abandon()) }

    /// What is dragged is gone from its place already.
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
        // Another program may not expect that what is dropped in it goes from here.
        return target.map { display.windows[$0.window] != nil } == true ? .move : .copy
    }

    // MARK: What others do

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

    // MARK: Effects

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
        // Owned by a later session, it is that one's.
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

    // MARK: Windows under the pointer

    private static func root(_ point: WindowPoint, in window: Window) -> RootPoint {
        RootPoint(x: window.rootOrigin.x + point.x, y: window.rootOrigin.y + point.y)
    }

    /// The topmost window at a point that takes drops: from the root down to the first that says so. A round trip a level.
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
        // A proxy that does not name itself is left over from a program that has ended.
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
    /// Begins to drag something out of a window in which a button is down; nil if a drag is going on already. What the pointer and
    /// the keys do until ``DraggingSession/isDragging`` is false goes to the session.
    ///
    /// - Parameters:
    ///   - item: what is dragged, in its types.
    ///   - allowsMove: whether it may be taken from its place.
    ///   - event: what the pointer did last, with the press or behind it.
    ///   - source: what it is begun from; see ``DraggingSession/source``.
    public func beginDragging(
        _ item: PasteboardItem, from window: Window, allowsMove: Bool, event: PointerEvent, source: AnyObject? = nil
    ) -> DraggingSession? {
        guard !isLost, !window.isClosed, dragAndDrop.session?.isDragging != true else { return nil }
        dragAndDrop.session?.abandon()
        let session = DraggingSession(dragAndDrop, item, allowsMove: allowsMove, at: event, in: window)
        session.source = source
        dragAndDrop.session = session
        session.begin()
        // An event that is older than another drag's owns nothing.
        return session.isDragging ? session : nil
    }

    /// The drag that began here, until its target is done with it; nil for none.
    public var draggingSession: DraggingSession? { dragAndDrop.session }
}

extension Window {
    /// Makes a popup a picture that follows the pointer: nothing finds it there, and window managers know what it is.
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
