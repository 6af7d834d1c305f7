import CX11
import Glibc
import InkstoneBase

/// An X window that is painted through a back pixmap. It is a top-level window, or a child of any client's window.
///
/// Painting does not flicker: the server never paints a background, exposures are repaired from the pixmap, and
/// marked parts are collected and painted after the events of a turn of the loop. A window exists until it is
/// closed, even without other references to it.
public final class Window {
    /// The properties of a new window that window managers use.
    public struct Properties {
        /// The text in the title bar.
        public var title = ""
        /// The program's name, for the instance part of `WM_CLASS`.
        public var instanceName = "inkstone"
        /// The program's class, for the class part of `WM_CLASS`.
        public var className = "Inkstone"
        /// The smallest size of the window, in pixels, which window managers respect.
        public var minimumSize = Size(width: 1, height: 1)
        /// The position that the user requested, in root pixels; nil to leave it to the window manager.
        public var origin: RootPoint?

        /// Whether ``origin`` is the position of the window without its frame. The window manager then places the
        /// frame around it; otherwise the frame's corner is at that position.
        package var isOriginOfContents = false
        /// Whether the window is a dialog that appears for a while beside other windows. Tiling window managers let
        /// a dialog float.
        package var isDialog = false

        /// Creates properties with default values.
        public init(title: String = "") { self.title = title }
    }

    /// The role of a window for the server and window managers.
    enum Kind: Hashable {
        /// A window that window managers frame and focus.
        case topLevel
        /// A part of another window, possibly of a host's. It receives keys itself.
        case child
        /// A part of another window. It receives no keys; the other window receives them.
        case keylessChild
        /// A window that fills a window of another program, which may forward keys.
        case plug
        /// A window above all others, without a frame, that never has the focus.
        case popup
        /// A window at an edge of the screen. It never has the focus, and other windows do not cover it.
        case dock

        /// Whether windows of this kind are children of the root window, apart from frames of window managers. False
        /// for all plugs, also for one without a host.
        var isOnRoot: Bool { self == .topLevel || self == .popup || self == .dock }
    }

    /// The shapes of the pointer.
    public enum Cursor: UInt32, Hashable, Sendable {
        /// The default arrow.
        case arrow = 68
        /// The shape over text: an I-beam.
        case text = 152
        /// The shape over a link: a hand.
        case hand = 60
        /// The shape while the program is busy.
        case busy = 150
    }

    /// The display of the window.
    public let display: Display
    /// The X identifier of the window, which input methods and hosts use.
    public let id: WindowID
    /// Whether the window was created as a child of another window, or is a plug.
    public var isChild: Bool { !kind.isOnRoot }
    /// The receiver of the window's events; nil for none. Not retained.
    public weak var delegate: (any WindowDelegate)? {
        didSet { if !repaint.damage.isEmpty { enqueue() } }
    }
    /// Whether a button press or the beginning of a touch in the window takes the X focus. This is needed for child
    /// windows in hosts that do not set the focus themselves.
    public var takesFocusOnPress: Bool
    /// The size of the window in pixels, at least 1 × 1.
    @exclusivity(unchecked) public internal(set) var size: Size
    /// The position of the window's top left corner, in root pixels. Events keep it up to date, without round
    /// trips.
    public internal(set) var rootOrigin = RootPoint(x: 0, y: 0)
    /// Whether the window receives keys. Without a window manager, this becomes true at the first key.
    public internal(set) var isFocused = false
    /// Whether the window was shown and not hidden since.
    @exclusivity(unchecked) public private(set) var isShown = false
    /// Whether the window was closed or destroyed.
    @exclusivity(unchecked) public internal(set) var isClosed = false

    let kind: Kind
    /// The state of a plug; nil if the window is not a plug.
    var plug: Plug?
    @exclusivity(unchecked) var surface: BackSurface
    /// The parts of the window that must be painted.
    @exclusivity(unchecked) var repaint = Repaint()
    /// The magnifier of this window; nil if it has none.
    weak var magnifier: Magnifier?
    var ancestors: [Ancestor] = []
    /// Whether the ancestors must be queried after the next painting, because they may have changed.
    var isWalkDue = false
    var isFocusImplied = false
    /// Whether the window keeps receiving keys when the pointer leaves it, if no window has the X focus. Set while
    /// a menu of the window is open.
    public var keepsImpliedFocus = false
    @exclusivity(unchecked) var pendingMotion: PendingMotion?
    /// The state that concerns the window manager.
    @exclusivity(unchecked) var managed = ManagedState()
    /// The number of visible child windows that cover a part of the contents and scroll together with them.
    package var coveringParts = 0
    /// The pointer shape over the window; nil for the parent's shape.
    public internal(set) var cursor: Cursor?
    /// Whether the pointer is hidden over the window.
    public internal(set) var hidesPointer = false

    /// Creates a top-level window of a size in pixels, not yet shown.
    public convenience init(_ display: Display, size: Size, properties: Properties = Properties()) throws(X11Error) {
        try self.init(
            display, .topLevel, parent: WindowID(xid: XDefaultRootWindow(display.connection)),
            frame: WindowRect(
                x: properties.origin?.x ?? 0, y: properties.origin?.y ?? 0, width: size.width, height: size.height))
        setProperties(properties)
        DragAndDrop.announce(id.xid, on: display)
    }

    /// Creates a child of any client's window on the same server, not yet shown. Throws if there is no such window,
    /// or if it cannot have children.
    ///
    /// - Parameters:
    ///   - frame: the frame of the child, in pixels of the parent.
    ///   - takesKeys: whether the window receives the keys typed while the pointer is over it. If false, its parent
    ///     receives them.
    public convenience init(
        _ display: Display, parent: WindowID, frame: WindowRect, takesKeys: Bool = true
    ) throws(X11Error) {
        try self.init(display, takesKeys ? .child : .keylessChild, parent: parent, frame: frame)
    }

    /// Creates a window for panels and lists that belong to `owner`, not yet shown. The window is above all others,
    /// has no frame and never has the focus. `frame` is in root pixels.
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
        // Set a border pixel and a colormap. If they were inherited from a parent with another depth or visual, the
        // server would report an error.
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
            // Set the property before the next request. A host that sees the window without the property assumes
            // that the window does not support XEmbed.
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

    /// Closes and destroys the window. Its delegate is not called any more. If an input method still uses the
    /// window, the window is unmapped now, and destroyed after the input method has released it.
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
            // Tolerate an error: the server may have destroyed the window with its parent, and the event that
            // reports this may still be on its way.
            display.tolerating { _ = XDestroyWindow(display.connection, xid) }
            return
        }
        display.knownInputMethod?.whenRemoved(id) { [unowned display] in
            guard !display.isLost else { return }
            // Tolerate an error: the server may have destroyed the window with its parent in the meantime.
            display.tolerating { _ = XDestroyWindow(display.connection, xid) }
            display.needsTurn()
        }
    }

    /// Maps the window on the screen. A plug without a host is mapped later, when it gets a host.
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

    /// Unmaps the window, and closes its magnifier.
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

    /// Requests another size in pixels, clamped to 1…32767. A window manager may choose another one.
    public func resize(to newSize: Size) {
        guard !isClosed, !display.isLost else { return }
        display.needsTurn()
        let clamped = Self.clamped(newSize)
        XResizeWindow(display.connection, id.xid, UInt32(clamped.width), UInt32(clamped.height))
    }

    /// Moves and resizes a child window, in pixels of its parent; or a popup or dock, in root pixels.
    public func setFrame(_ frame: WindowRect) {
        guard !isClosed, !display.isLost else { return }
        display.needsTurn()
        let clamped = Self.clamped(frame.size)
        XMoveResizeWindow(
            display.connection, id.xid, Self.coordinate(frame.minX), Self.coordinate(frame.minY),
            UInt32(clamped.width), UInt32(clamped.height))
        if kind == .dock { reserveEdge(for: frame) }
    }

    /// Moves a child window to the upper left corner of another window on the same server. Its visibility does not
    /// change.
    package func reparent(into parent: WindowID) {
        guard !isClosed, !display.isLost else { return }
        display.needsTurn()
        display.tolerating { _ = XReparentWindow(display.connection, id.xid, parent.xid, 0, 0) }
    }

    /// Takes the X focus. A plug in an XEmbed host asks the host for the focus. `timestamp` is that of the user's
    /// event, in the server's milliseconds.
    public func focus(timestamp: UInt32) {
        guard !isClosed, !display.isLost else { return }
        if let embedder = plug?.embedder {
            if !isFocused { send(.requestFocus, to: embedder, timestamp: timestamp) }
            return
        }
        display.needsTurn()
        // Tolerate any error: for an unmapped window, the server sends an error that names no resource.
        display.tolerating { _ = XSetInputFocus(display.connection, id.xid, RevertToParent, UInt(timestamp)) }
    }

    /// Handles a key event that a host has received in another of its windows, such as its top-level window. It is
    /// handled as if this window had received it. `event` points to an `XEvent`; other events are ignored.
    public func receiveKey(_ event: UnsafeRawPointer) {
        let copy = event.loadUnaligned(as: XEvent.self)
        guard !isClosed, copy.type == KeyPress || copy.type == KeyRelease else { return }
        var key = copy.xkey
        key.window = id.xid
        handleKey(key, isHosted: true)
        display.needsTurn()
    }

    /// Releases everything except the X window.
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

    /// Returns a size rounded and clamped to the limits of X.
    static func clamped(_ size: Size) -> Size {
        func clamp(_ value: Double) -> Double { value.isNaN ? 1 : min(max(1, value.rounded()), 32767) }
        return Size(width: clamp(size.width), height: clamp(size.height))
    }

    /// Returns a coordinate rounded and clamped to the limits of X.
    static func coordinate(_ value: Double) -> Int32 {
        value.isNaN ? 0 : Int32(min(max(-32768, value.rounded()), 32767))
    }
}
