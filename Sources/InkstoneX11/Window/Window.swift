import CX11
import Glibc
import InkstoneBase

/// An X window that is painted through a back pixmap: a top-level window, or a child of any client's window.
///
/// Nothing flashes: the server never paints a background, exposures are answered from the pixmap, and each loop turn
/// paints at most once. A window lives until it is closed, even without other references to it.
public final class Window {
    /// The properties of a new window for the window manager.
    public struct Properties {
        /// The title.
        public var title = ""
        /// The program's name as `WM_CLASS` instance.
        public var instanceName = "inkstone"
        /// The program's class as `WM_CLASS` class.
        public var className = "Inkstone"
        /// The minimum size in pixels.
        public var minimumSize = Size(width: 1, height: 1)
        /// The position that the user asked for, in root pixels; nil leaves it to the window manager.
        public var origin: RootPoint?

        /// Whether the window only shows something for a while, beside those that are worked in: tiling managers let it float.
        package var isDialog = false

        /// Creates properties with default values.
        public init(title: String = "") { self.title = title }
    }

    /// The role of a window for the server and for window managers.
    enum Kind: Hashable {
        /// A window of its own, which a manager frames and focuses.
        case topLevel
        /// A part of another window, possibly a host's, that receives keys itself.
        case child
        /// A part of another window that leaves all keys to that window.
        case keylessChild
        /// A window that fills one of another program, which may forward its keys.
        case plug
        /// A window above all others, without a frame and never with the focus.
        case popup
        /// A window at an edge of the screen, kept free of other windows, and never with the focus.
        case dock

        /// Whether the window lies on the root window itself, or in a manager's frame.
        var isOnRoot: Bool { self == .topLevel || self == .popup || self == .dock }
    }

    /// The shapes of the pointer.
    public enum Cursor: UInt32, Hashable, Sendable {
        /// The default arrow.
        case arrow = 68
        /// The shape over text.
        case text = 152
        /// The shape over a link.
        case hand = 60
        /// The shape during work.
        case busy = 150
    }

    /// The connection of the window.
    public let display: Display
    /// The X identifier of the window, by which input methods and hosts know it.
    public let id: WindowID
    /// Whether the window is a child of a given window, not a top-level window.
    public var isChild: Bool { !kind.isOnRoot }
    /// The receiver of the window's events.
    public weak var delegate: (any WindowDelegate)? {
        didSet { if !repaint.damage.isEmpty { enqueue() } }
    }
    /// Whether a button press in the window takes the X focus: for child windows of hosts that do not set it themselves.
    public var takesFocusOnPress: Bool
    /// The extent of the window in pixels, at least 1 × 1.
    @exclusivity(unchecked) public internal(set) var size: Size
    /// The position of the top left corner, in root pixels. Kept up to date without round trips.
    public internal(set) var rootOrigin = RootPoint(x: 0, y: 0)
    /// Whether the window receives keys. Without a window manager, true from the first key on.
    public internal(set) var isFocused = false
    /// Whether the window has been shown and not hidden since.
    @exclusivity(unchecked) public private(set) var isShown = false
    /// Whether the window has been closed or destroyed.
    @exclusivity(unchecked) public internal(set) var isClosed = false

    let kind: Kind
    /// The state of a plug; nil for any other window.
    var plug: Plug?
    @exclusivity(unchecked) var surface: BackSurface
    /// The parts of the window that are out of date.
    @exclusivity(unchecked) var repaint = Repaint()
    /// The magnifier of this window; nil for none.
    weak var magnifier: Magnifier?
    var ancestors: [Ancestor] = []
    /// Whether the ancestors may have changed, and are to be queried after painting.
    var isWalkDue = false
    var isFocusImplied = false
    /// Whether the window keeps receiving keys although the pointer leaves, if no window has the focus: while one of its menus is open.
    public var keepsImpliedFocus = false
    @exclusivity(unchecked) var pendingMotion: PendingMotion?
    /// The state shared with the window manager.
    @exclusivity(unchecked) var managed = ManagedState()
    /// The number of child windows that are shown and scroll with the contents.
    package var coveringParts = 0
    /// The pointer's shape over the window; nil for its parent's.
    public internal(set) var cursor: Cursor?
    /// Whether the pointer is hidden over the window.
    public internal(set) var hidesPointer = false

    /// Creates a top-level window of an extent in pixels; not yet shown.
    public convenience init(_ display: Display, size: Size, properties: Properties = Properties()) throws(X11Error) {
        try self.init(
            display, .topLevel, parent: WindowID(xid: XDefaultRootWindow(display.connection)),
            frame: WindowRect(
                x: properties.origin?.x ?? 0, y: properties.origin?.y ?? 0, width: size.width, height: size.height))
        setProperties(properties)
        DragAndDrop.announce(id.xid, on: display)
    }

    /// Creates a child of a window of any client of the same server; `frame` is in pixels of that window. Not yet shown.
    /// Throws if there is no such window.
    ///
    /// - Parameter takesKeys: whether the window receives the keys typed while the pointer is over it; if not, its parent does.
    public convenience init(
        _ display: Display, parent: WindowID, frame: WindowRect, takesKeys: Bool = true
    ) throws(X11Error) {
        try self.init(display, takesKeys ? .child : .keylessChild, parent: parent, frame: frame)
    }

    /// Creates a window above all others that no manager frames and that never gets the focus, for panels and lists that belong
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
        // With a parent of another depth or visual, the inherited border would not match.
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
            // Set before the next request: a host that sees the window without this property assumes that it does not support XEmbed.
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

    /// Closes and destroys the window. Its delegate is not called any more. If an input method still uses the window, it is unmapped now
    /// and destroyed when the method has released it.
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
            // The window may have been destroyed with its parent, with the notice still in transit.
            display.tolerating { _ = XDestroyWindow(display.connection, xid) }
            return
        }
        display.knownInputMethod?.whenRemoved(id) { [unowned display] in
            guard !display.isLost else { return }
            // The window may have been destroyed with its parent meanwhile.
            display.tolerating { _ = XDestroyWindow(display.connection, xid) }
            display.needsTurn()
        }
    }

    /// Shows the window.
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

    /// Takes the window off the screen.
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

    /// Requests another extent in pixels (a window manager may decide otherwise); it is clamped to 1…32767.
    public func resize(to newSize: Size) {
        guard !isClosed, !display.isLost else { return }
        display.needsTurn()
        let clamped = Self.clamped(newSize)
        XResizeWindow(display.connection, id.xid, UInt32(clamped.width), UInt32(clamped.height))
    }

    /// Moves and resizes a child window, in its parent's pixels, or a popup or a dock, in root pixels.
    public func setFrame(_ frame: WindowRect) {
        guard !isClosed, !display.isLost else { return }
        display.needsTurn()
        let clamped = Self.clamped(frame.size)
        XMoveResizeWindow(
            display.connection, id.xid, Self.coordinate(frame.minX), Self.coordinate(frame.minY),
            UInt32(clamped.width), UInt32(clamped.height))
        if kind == .dock { reserveEdge(for: frame) }
    }

    /// Moves a child window into another window of the same server, at its upper left corner. Its visibility does not change.
    package func reparent(into parent: WindowID) {
        guard !isClosed, !display.isLost else { return }
        display.needsTurn()
        display.tolerating { _ = XReparentWindow(display.connection, id.xid, parent.xid, 0, 0) }
    }

    /// Takes the X focus; a plug in a host that supports XEmbed asks the host for its focus. `timestamp` is that of the user's event behind
    /// it, in the server's milliseconds.
    public func focus(timestamp: UInt32) {
        guard !isClosed, !display.isLost else { return }
        if let embedder = plug?.embedder {
            if !isFocused { send(.requestFocus, to: embedder, timestamp: timestamp) }
            return
        }
        display.needsTurn()
        // The server refuses an unmapped window with an error that names no resource.
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

    /// Releases everything but the X window itself.
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

    /// Returns an extent clamped to the limits of X.
    static func clamped(_ size: Size) -> Size {
        func clamp(_ value: Double) -> Double { value.isNaN ? 1 : min(max(1, value.rounded()), 32767) }
        return Size(width: clamp(size.width), height: clamp(size.height))
    }

    /// Returns a position clamped to the limits of X.
    static func coordinate(_ value: Double) -> Int32 {
        value.isNaN ? 0 : Int32(min(max(-32768, value.rounded()), 32767))
    }
}
