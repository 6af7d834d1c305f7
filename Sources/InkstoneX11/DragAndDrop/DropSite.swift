import CX11
import InkstoneBase

/// A drag over one of our windows, or a drop on it, as a ``WindowDelegate`` sees it.
public final class IncomingDrag {
    /// The names of the offered types, best first: targets such as `UTF8_STRING` and `text/uri-list`.
    public let types: [String]
    /// The position of the pointer, in window pixels.
    public internal(set) var location = WindowPoint(x: 0, y: 0)
    /// The proposed action. In a drag that began in this process, it is copying if Control is down or the source
    /// does not allow moving, otherwise moving. In a drag from another program, it is moving if that program
    /// proposes moving and Shift is down, because some programs propose moving even without Shift; otherwise it is
    /// copying.
    public internal(set) var action = DragAction.copy
    /// The session of this drag; nil if the drag began in another process.
    public internal(set) weak var session: DraggingSession?

    fileprivate weak var site: DropSite?
    fileprivate var timestamp: UInt32 = 0

    fileprivate init(types: [String]) { self.types = types }

    /// The selection from which to request the dropped contents, as from a clipboard; nil if the window is gone. If
    /// the drag began in this process, they arrive immediately.
    public var contents: Clipboard? { site?.owner.selection }
    /// The server's time, in milliseconds, to pass when requesting the ``contents``.
    public var time: UInt32 { timestamp }

    /// Reports which action was performed with a drop; nil for none. Must be called once for each drop, because the
    /// source waits for it.
    ///
    /// - Parameter isDeleted: whether the moved data was already deleted at the source.
    public func finish(_ action: DragAction?, isDeleted: Bool = false) {
        if isDeleted { session?.noteDeleted() }
        site?.finish(self, action, isDeleted: isDeleted || session != nil)
    }
}

/// The drags over one window, and the drops on it. Owns the window's ``DragTarget`` and performs its effects.
final class DropSite: EventSink {
    fileprivate unowned let owner: DragAndDrop
    private weak var window: Window?
    private let xid: UInt
    /// The window that the source's messages are about: this site's window, or the host's window whose drops it
    /// receives.
    private var subject: UInt
    private var target = DragTarget()
    private var drag: IncomingDrag?
    /// The window of the drag's source, whose destruction is watched for. Nil while no drag of another program is
    /// handled.
    private var watched: UInt?

    init(_ window: Window, _ owner: DragAndDrop) {
        self.window = window
        self.owner = owner
        xid = window.id.xid
        subject = xid
    }

    private var display: Display { owner.display }

    func receive(_ message: DragMessage, from source: UInt, about subject: UInt) {
        self.subject = subject
        switch message {
        case .enter(let version, let types, let isListElsewhere):
            giveUpDrop()
            perform(
                target.enter(from: source, version: version, types: types, isListElsewhere: isListElsewhere))
        case .position(let position):
            perform(target.position(from: source) { judge(position) })
        case .leave: perform(target.leave(from: source))
        case .drop(let time): perform(target.drop(from: source, time: time))
        case .status, .finished: break
        }
    }

    private func judge(_ position: DragPosition) -> DragAction? {
        guard let window, let drag else { return nil }
        drag.location = WindowPoint(
            x: Double(position.x) - window.rootOrigin.x, y: Double(position.y) - window.rootOrigin.y)
        drag.action =
            drag.session != nil || position.action == .copy || isShiftDown ? position.action : .copy
        return window.delegate?.window(window, judges: drag)
    }

    /// Whether Shift is down, according to the server. A drag message does not include modifiers, and Qt proposes
    /// moving even without Shift.
    private var isShiftDown: Bool {
        var (root, child): (UInt, UInt) = (0, 0)
        var (x, y, rootX, rootY): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        var mask: UInt32 = 0
        XQueryPointer(display.connection, xid, &root, &child, &rootX, &rootY, &x, &y, &mask)
        return mask & UInt32(ShiftMask) != 0
    }

    func finish(_ drag: IncomingDrag, _ action: DragAction?, isDeleted: Bool) {
        guard drag === self.drag else { return }
        perform(target.didUse(action, isDeleted: isDeleted))
        display.needsTurn()
    }

    /// Stops waiting for the contents of a drop. Call when another drag enters, or when the window closes.
    private func giveUpDrop() {
        guard target.dropping != nil, let drag else { return }
        display.transfers.giveUp(owner.selection.selection, askedAt: drag.timestamp)
    }

    func close() {
        giveUpDrop()
        perform(target.close())
        end()
    }

    private func perform(_ effects: [DragTarget.Effect]) {
        for effect in effects { perform(effect) }
        if target.hovering == nil, target.dropping == nil { end() }
    }

    private func perform(_ effect: DragTarget.Effect) {
        switch effect {
        case .send(let message, to: let source):
            owner.send(message, from: subject, to: source, naming: source)
        case .begin(let source, let types):
            watch(source)
            let drag = IncomingDrag(types: owner.names(of: types ?? typeList(of: source)))
            drag.site = self
            drag.session = source == display.transfers.window ? owner.session : nil
            self.drag = drag
        case .leave:
            if let window { window.delegate?.windowDragDidLeave(window) }
        case .fetch(_, source: _, let time):
            guard let drag, let window, let delegate = window.delegate else {
                return perform(target.didUse(nil, isDeleted: false))
            }
            drag.timestamp = time
            delegate.window(window, takes: drag)
        case .askDeletion:
            // Send the Finished message after any answer, even a refusal: some sources delete the data only when they
            // get it.
            display.transfers.receive(
                owner.selection.selection, [display.atoms["DELETE"]], time: drag?.timestamp ?? 0,
                timeout: owner.selection.timeout
            ) { [weak self] _ in
                guard let self else { return }
                perform(target.deletionAnswered())
            }
        }
    }

    private func typeList(of source: UInt) -> [Atom] {
        guard
            let list = display.transfers.property(
                display.atoms["XdndTypeList"], of: source, delete: false, limit: 4096),
            list.format == 32
        else { return [] }
        return list.bytes.withUnsafeBytes { Array($0.bindMemory(to: Atom.self)) }
    }

    // MARK: Watching the source's window

    private func watch(_ source: UInt) {
        end()
        guard source != display.transfers.window else { return }
        watched = source
        display.register(self, for: source, selecting: StructureNotifyMask)
    }

    private func end() {
        drag = nil
        if let watched { display.unregister(self, for: watched) }
        watched = nil
    }

    func receive(_ event: inout XEvent) {
        if event.type == DestroyNotify { perform(target.sourceDied(event.xdestroywindow.window)) }
    }
}
