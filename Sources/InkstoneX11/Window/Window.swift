import CX11
import Glibc
import InkstoneBase

/// An X window that is painted through a back pixmap: a top-level window, or a child of any client's window.
///
/// Nothing flashes: the server never paints a background, exposures are answered from the pixmap, and each loop turn
/// paints at most once. It lives until it is closed, also if nobody else holds it.
public final class Window {
    /// What a new window looks like to the window manager.
    public struct Properties {
        /// The title.
        public var title = ""
        /// The program's name as `WM_CLASS` instance.
        public var instanceName = "inkstone"
        /// The program's class as `WM_CLASS` class.
        public var className = "Inkstone"
        /// The smallest extent in pixels that the user may give it.
        public var minimumSize = Size(width: 1, height: 1)
        /// Where the user asked for it in root pixels; nil leaves it to the window manager.
        public var origin: RootPoint?

        /// Properties with their defaults.
        public init(title: String = "") { self.title = title }
    }

    /// What a window is to the server and to window managers.
    enum Kind: Hashable {
        /// A window of its own, which a manager frames and gives the focus.
        case topLevel
        /// A part of another window, that of a host perhaps, with keys of its own.
        case child
        /// A part of another window that leaves all keys to it.
        case keylessChild
        /// Fills a window of another program, which may hand on its keys.
        case plug
        /// Above all else, without a frame and never with the focus.
        case popup
        /// At an edge of the screen, kept free of other windows, and never with the focus.
        case dock

        /// Whether it lies on the root window itself, or in a manager's frame.
        var isOnRoot: Bool { self == .topLevel || self == .popup || self == .dock }
    }

    /// Pointer shapes.
    public enum Cursor: UInt32, Hashable, Sendable {
        /// The usual arrow.
        case arrow = 68
        /// Over text.
        case text = 152
        /// Over a link.
        case hand = 60
        /// While work is done.
        case busy = 150
    }

    /// The connection that it lives on.
    public let display: Display
    /// Its X number; what input methods and hosts know it by.
    public let id: WindowID
    /// Whether it is a child of a window that was given, not a top-level window.
    public var isChild: Bool { !kind.isOnRoot }
    /// What hears of it.
    public weak var delegate: (any WindowDelegate)? {
        didSet { if !repaint.damage.isEmpty { enqueue() } }
    }
    /// Whether a press of a button in it takes the X focus: for child windows of hosts that do not set it themselves.
    public var takesFocusOnPress: Bool
    /// Its extent in pixels, at least 1 × 1.
    @exclusivity(unchecked) public internal(set) var size: Size
    /// Where its top left corner lies on the root window. Kept up to date with no round trip.
    public internal(set) var rootOrigin = RootPoint(x: 0, y: 0)
    /// Whether keys come to it. Without a window manager that is so from the first key on.
    public internal(set) var isFocused = false
    /// Whether it has been shown and not hidden.
    @exclusivity(unchecked) public private(set) var isShown = false
    /// Whether it has been closed or destroyed.
    @exclusivity(unchecked) public internal(set) var isClosed = false

    let kind: Kind
    /// The state of a plug; nil for any other window.
    var plug: Plug?
    @exclusivity(unchecked) var surface: BackSurface
    /// What of it is out of date.
    @exclusivity(unchecked) var repaint = Repaint()
    /// What shows a part of it magnified; nil for nothing.
    weak var magnifier: Magnifier?
    var ancestors: [Ancestor] = []
    /// Whether they are others than these, and are to be found once all is painted.
    var isWalkDue = false
    var isFocusImplied = false
    /// Whether keys go on coming here although the pointer leaves, where no window has the focus: while a menu of it is open.
    public var keepsImpliedFocus = false
    @exclusivity(unchecked) var pendingMotion: PendingMotion?
    /// What the window manager has been told, and asks for.
    @exclusivity(unchecked) var managed = ManagedState()
    /// Number of windows that are shown inside of it and scroll with what it shows.
    package var coveringParts = 0
    /// The pointer's shape over it; nil for its parent's.
    public internal(set) var cursor: Cursor?
    /// Whether the pointer is not seen over it.
    public internal(set) var hidesPointer = false

    /// A top-level window of an extent in pixels; not yet shown.
    public convenience init(_ display: Display, size: Size, properties: Properties = Properties()) throws(X11Error) {
        try self.init(
            display, .topLevel, parent: WindowID(xid: XDefaultRootWindow(display.connection)),
            frame: WindowRect(
                x: properties.origin?.x ?? 0, y: properties.origin?.y ?? 0, width: size.width, height: size.height))
        setProperties(properties)
        DragAndDrop.announce(id.xid, on: display)
    }

    /// A child of a window of any client of the same server; `frame` is in pixels of that window. Not yet shown.
    /// Throws if there is no such window.
    ///
    /// - Parameter takesKeys: whether keys struck while the pointer is over it are its own; if not, they are its parent's.
    public convenience init(
        _ display: Display, parent: WindowID, frame: WindowRect, takesKeys: Bool = true
    ) throws(X11Error) {
        try self.init(display, takesKeys ? .child : .keylessChild, parent: parent, frame: frame)
    }

    /// A window above all others that no manager frames and that never gets the focus, for panels and lists that belong
    /// to `owner`; `frame` is in root pixels. Not yet shown.
    public convenience init(popup display: Display, owner: WindowID, frame: RootRect) throws(X11Error) {
        try self.init(
            display, .popup, parent: WindowID(xid: XDefaultRootWindow(display.connection)),
            frame: WindowRect(x: frame.minX, y: frame.minY, width: frame.width, height: frame.height))
        XSetTransientForHint(display.connection, id.xid, owner.xid)
    }

    init(_ display: Display, _ kind: Kind, parent: WindowID, frame: WindowRect) throws(X11Error) {
        display.checkThread()
        self.kind = kind
        self.display = display
        takesFocusOnPress = kind == .child || kind == .plug
        size = Self.clamped(frame.size)
        let connection = display.connection
        let screen = XDefaultScreen(connection)
        // A parent of another depth or visual would hand down a border that does not match.
        var attributes = XSetWindowAttributes()
        attributes.background_pixmap = 0
        attributes.border_pixel = 0
        attributes.bit_gravity = NorthWestGravity
        attributes.colormap = XDefaultColormap(connection, screen)
        attributes.event_mask = [.keylessChild, .plug, .dock].contains(kind) ? Self.keylessEventMask : Self.eventMask
        attributes.override_redirect = kind == .popup ? 1 : 0
        attributes.save_under = kind == .popup ? 1 : 0
        let mask = UInt(
            CWBackPixmap | CWBorderPixel | CWBitGravity | CWColormap | CWEventMask | CWOverrideRedirect | CWSaveUnder)
        let frameSize = size
        func create() -> UInt {
            let xid = XCreateWindow(
                connection, parent.xid, Self.coordinate(frame.minX), Self.coordinate(frame.minY),
                UInt32(frameSize.width), UInt32(frameSize.height), 0, XDefaultDepth(connection, screen),
                UInt32(InputOutput), XDefaultVisual(connection, screen), mask, &attributes)
            // In one go: a host that is told of the window before it has this takes it for one that knows nothing of XEmbed.
            if kind == .plug { Self.setPlugInfo(isMapped: false, of: xid, on: display) }
            return xid
        }
        let xid: UInt
        if !kind.isOnRoot {
            do { xid = try display.trap(create) } catch {
                switch error {
                case .requestFailed(_, 3, _, _, _): throw .noSuchWindow(parent)
                case .requestFailed(_, 8, _, _, _): throw .cannotHoldWindows(parent)
                default: throw error
                }
            }
        } else {
            xid = create()
        }
        id = WindowID(xid: xid)
        display.pointerDevices?.select(on: xid)
        display.ownResources.insert(xid)
        surface = BackSurface(display, window: xid, size: size)
        surface.owner = self
        display.windows[xid] = self
        display.register(self, for: xid)
        if kind == .plug { plug = Plug() }
        if kind.isOnRoot {
            lieOnRoot(at: frame.origin)
        } else {
            walkAncestors()
            findHost()
        }
    }

    /// Destroys it. It does nothing any more and its delegate hears nothing. Where an input method still uses it, it goes from the
    /// screen now and is destroyed when that has let go of it.
    public func close() {
        guard !isClosed else { return }
        display.checkThread()
        let xid = id.xid
        let isUsed = display.knownInputMethod?.isLeaving(id) ?? false
        if isUsed { hide() }
        detach()
        guard !display.isLost else { return }
        display.needsTurn()
        guard isUsed else {
            // With its parent it may be gone already, and the notice of that on its way.
            display.tolerating { _ = XDestroyWindow(display.connection, xid) }
            return
        }
        display.knownInputMethod?.whenRemoved(id) { [unowned display] in
            guard !display.isLost else { return }
            // Whoever owns its parent may have been faster.
            display.tolerating { _ = XDestroyWindow(display.connection, xid) }
            display.needsTurn()
        }
    }

    /// Makes it seen.
    public func show() {
        guard !isClosed, !display.isLost else { return }
        display.needsTurn()
        isShown = true
        setNeedsDisplay()
        if plug != nil { Self.setPlugInfo(isMapped: true, of: id.xid, on: display) }
        if kind == .popup {
            XMapRaised(display.connection, id.xid)
        } else if !isUnplugged {
            XMapWindow(display.connection, id.xid)
        }
        if kind == .topLevel || kind == .dock { startupDidFinish() }
    }

    /// Takes it off the screen.
    public func hide() {
        guard !isClosed, !display.isLost else { return }
        display.needsTurn()
        isShown = false
        magnifier?.close()
        if plug != nil { Self.setPlugInfo(isMapped: false, of: id.xid, on: display) }
        if kind != .topLevel, kind != .dock {
            XUnmapWindow(display.connection, id.xid)
        } else {
            XWithdrawWindow(display.connection, id.xid, XDefaultScreen(display.connection))
        }
    }

    /// Asks for another extent in pixels (a window manager may decide otherwise); it is clamped to 1…32767.
    public func resize(to newSize: Size) {
        guard !isClosed, !display.isLost else { return }
        display.needsTurn()
        let clamped = Self.clamped(newSize)
        XResizeWindow(display.connection, id.xid, UInt32(clamped.width), UInt32(clamped.height))
    }

    /// Moves and resizes a child window within its parent, in the parent's pixels; a popup or a dock in root pixels.
    public func setFrame(_ frame: WindowRect) {
        guard !isClosed, !display.isLost else { return }
        display.needsTurn()
        let clamped = Self.clamped(frame.size)
        XMoveResizeWindow(
            display.connection, id.xid, Self.coordinate(frame.minX), Self.coordinate(frame.minY),
            UInt32(clamped.width), UInt32(clamped.height))
        if kind == .dock { reserveEdge(for: frame) }
    }

    /// Puts a child window into another window of the same server, at its upper left corner. Whether it is shown stays.
    package func reparent(into parent: WindowID) {
        guard !isClosed, !display.isLost else { return }
        display.needsTurn()
        display.tolerating { _ = XReparentWindow(display.connection, id.xid, parent.xid, 0, 0) }
    }

    /// Takes the X focus; a plug in a host that speaks XEmbed asks that for its focus. `timestamp` is that of the user's event behind it, in
    /// the server's milliseconds.
    public func focus(timestamp: UInt32) {
        guard !isClosed, !display.isLost else { return }
        if let embedder = plug?.embedder {
            if !isFocused { send(.requestFocus, to: embedder, timestamp: timestamp) }
            return
        }
        display.needsTurn()
        // An unmapped window is refused with an error that names no resource.
        display.tolerating { _ = XSetInputFocus(display.connection, id.xid, RevertToParent, UInt(timestamp)) }
    }

    /// Treats a key event that a host got for another window of its own, such as its top-level window, as this window's;
    /// `event` points to an `XEvent`. Other events are ignored.
    public func receiveKey(_ event: UnsafeRawPointer) {
        let copy = event.loadUnaligned(as: XEvent.self)
        guard !isClosed, copy.type == KeyPress || copy.type == KeyRelease else { return }
        var key = copy.xkey
        key.window = id.xid
        handleKey(key, isHosted: true)
        display.needsTurn()
    }

    /// Lets go of everything but the X window itself.
    func detach() {
        guard !isClosed else { return }
        isClosed = true
        magnifier?.close()
        if kind != .keylessChild, kind != .popup { display.dragAndDrop.windowWillClose(self) }
        unwatchAncestors()
        display.unregister(self, for: id.xid)
        display.turnWork.dirtyWindows.waiting.removeAll { $0 === self }
        display.windows[id.xid] = nil
        display.ownResources.free(id.xid)
        if display.turnWork.motionWindow === self { display.turnWork.motionWindow = nil }
        display.cancel(managed.userTime.timer)
        if !display.isLost { managed.sync?.destroy(display) }
        surface.destroy()
    }

    static let eventMask =
        KeyPressMask | KeyReleaseMask | ButtonPressMask | ButtonReleaseMask | PointerMotionMask | EnterWindowMask
        | LeaveWindowMask | FocusChangeMask | ExposureMask | StructureNotifyMask | PropertyChangeMask
    static let keylessEventMask = eventMask & ~(KeyPressMask | KeyReleaseMask)

    /// An extent that X can have.
    static func clamped(_ size: Size) -> Size {
        func clamp(_ value: Double) -> Double { value.isNaN ? 1 : min(max(1, value.rounded()), 32767) }
        return Size(width: clamp(size.width), height: clamp(size.height))
    }

    /// A position that X can have.
    static func coordinate(_ value: Double) -> Int32 {
        value.isNaN ? 0 : Int32(min(max(-32768, value.rounded()), 32767))
    }
}
