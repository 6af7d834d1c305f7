import CX11
import Glibc
import InkstoneBase

/// A connection to an X server with its windows, keyboard, selections, timers and event loop.
///
/// It belongs to the thread that made it: use it there only (checked in debug builds). Other threads reach it through
/// ``poster``. A host lends its loop in one of three ways: ``run()``; or ``fileDescriptor`` in its own `poll` with
/// ``processEvents()``; or, with a display of its own (``init(adopting:)``), ``handle(event:)`` for each event it reads,
/// and ``fileDescriptor`` with ``processEvents()`` for everything else.
public final class Display {
    /// Xlib's `Display *`.
    public let connection: OpaquePointer
    /// The name by which another connection to the same server is opened, such as `:0`.
    public let name: String
    /// Whether the connection belongs to a host that reads its events.
    public let isAdopted: Bool
    /// Runs closures on this display's thread; may be handed to any thread.
    public let poster: EventPoster
    /// Called once when the connection is lost, to save what there is: on the loop's turn and outside of Xlib if the
    /// connection is our own; from within Xlib's handler, before the host's handler ends the process, if it is adopted.
    public var onLost: (() -> Void)?
    /// Whether keys, buttons and motions count that another client has sent (`XSendEvent`) instead of the user's hands. Any
    /// client of the server can send them, into windows that it does not own as well: so they are ignored, as terminals do,
    /// unless the user or the host wants them.
    @exclusivity(unchecked) public var acceptsSyntheticInput = false
    /// Hears of each X error that was tolerated, such as of a window that another client has destroyed.
    public var onToleratedError: ((X11Error) -> Void)?
    /// Called when the desktop's settings have changed: see ``settings`` and ``fontSettings``.
    public var onSettingsChange: (() -> Void)?
    /// Who hears of ``Change``s.
    var observers: [ChangeObserver] = []
    /// Whether the connection is lost; nothing is sent any more then.
    @exclusivity(unchecked) public internal(set) var isLost = false

    let atoms: Atoms
    let loop: LoopState
    var sinks: [UInt: [SinkReference]] = [:]
    /// Open windows, which live until they are closed.
    @exclusivity(unchecked) var windows: [UInt: Window] = [:]
    @exclusivity(unchecked) var dirtyWindows: [Window] = []
    var trapped: X11Error?
    @exclusivity(unchecked) var isTrapping = false
    var toleratedSerials: [ClosedRange<UInt>] = []
    /// Every resource that was ever ours: an error about one may come long after its end.
    var ownResources: Set<UInt> = []
    @exclusivity(unchecked) var pendingErrors: [X11Error] = []
    var isLossReported = false
    /// Whether a turn of the loop is under way, after which everything is painted and sent.
    @exclusivity(unchecked) var isTurning = false
    /// What is to be done once the turn has painted.
    @exclusivity(unchecked) var followUps: [() -> Void] = []
    @exclusivity(unchecked) var motionWindow: Window?
    var internedAtoms: [String: Atom] = [:]
    private let thread = pthread_self()

    /// Translates keys with the server's keyboard layout.
    public private(set) lazy var keyboard = Keyboard(self)
    /// The selection that copy and paste use.
    public private(set) lazy var clipboard = Clipboard(self, selection: atoms["CLIPBOARD"])
    /// The selection that selecting sets and the middle button pastes.
    public private(set) lazy var primary = Clipboard(self, selection: PredefinedAtom.primary)
    /// What the connection to the input method is made with: the value of `XMODIFIERS` (nil: the environment's) and how long
    /// it waits for what, in milliseconds. Tests set it before the first window.
    package var inputMethodSetup: (modifiers: String?, timing: InputTiming) = (nil, InputTiming())
    /// The connection to the input method that `XMODIFIERS` names, shared by the display's windows.
    public var inputMethod: InputMethodRouter {
        if let inputMethodRouter { return inputMethodRouter }
        let router = InputMethodRouter(self)
        inputMethodRouter = router
        return router
    }
    private var inputMethodRouter: InputMethodRouter?
    private var companions: [ObjectIdentifier: AnyObject] = [:]
    /// The one object of a type that modules above keep for a display; made when it is first asked for.
    package func companion<Companion: AnyObject>(_ make: () -> Companion) -> Companion {
        let key = ObjectIdentifier(Companion.self)
        if let known = companions[key] as? Companion { return known }
        let new = make()
        companions[key] = new
        return new
    }
    /// The same, if any window has used it.
    var knownInputMethod: InputMethodRouter? { inputMethodRouter }
    private(set) lazy var transfers: SelectionTransfers = {
        hasTransfers = true
        return SelectionTransfers(self)
    }()
    lazy var desktop = DesktopSettings(self)
    /// The pointer's devices, if the server tells of them and the connection is our own.
    private(set) lazy var pointerDevices = PointerDevices(self)
    private(set) lazy var fonts: FontCache = {
        hasFonts = true
        return FontCache(self)
    }()
    private(set) lazy var cursorShapes: CursorShapes = {
        hasCursors = true
        return CursorShapes(self)
    }()
    private var hasCursors = false
    private var hasTransfers = false
    private var hasFonts = false

    /// Connects to the X server called `name`, or to `$DISPLAY`.
    public convenience init(name: String? = nil) throws(X11Error) {
        // Before libX11 1.8.1 its locks, which the input method's thread relies on, have to be asked for.
        XInitThreads()
        guard let connection = cx11_open_display(name) else {
            throw .cannotOpenDisplay(name: name ?? getenv("DISPLAY").map { String(cString: $0) })
        }
        cx11_close_on_exec(XConnectionNumber(connection))
        try self.init(connection, isAdopted: false)
    }

    /// Uses a host's own connection, a `Display *`, whose queue is never read here: the host passes each event it reads
    /// to ``handle(event:)``. The connection must outlive this object. With libX11 older than 1.8.1 the host must have
    /// called `XInitThreads` first.
    public convenience init(adopting connection: OpaquePointer) throws(X11Error) {
        try self.init(connection, isAdopted: true)
    }

    private init(_ connection: OpaquePointer, isAdopted: Bool) throws(X11Error) {
        self.connection = connection
        self.isAdopted = isAdopted
        name = XDisplayString(connection).map { String(cString: $0) } ?? ""
        do {
            poster = try EventPoster()
            loop = try LoopState(connection: isAdopted ? nil : XConnectionNumber(connection), poster: poster)
        } catch {
            if !isAdopted { cx11_handlers_close(connection) }
            throw error
        }
        atoms = Atoms(connection)
        var eventBase: Int32 = 0
        var errorBase: Int32 = 0
        guard XRenderQueryExtension(connection, &eventBase, &errorBase) != 0 else {
            let name = self.name
            let isLost = cx11_handlers_is_lost(connection)
            loop.close()
            if !isAdopted { cx11_handlers_close(connection) }
            throw isLost ? .cannotOpenDisplay(name: name) : .missingExtension(name: "RENDER", display: name)
        }
        installHandlers()
    }

    /// Closes its windows, and the connection if it is our own.
    public func close() {
        guard !loop.isClosed else { return }
        checkThread()
        inputMethodRouter?.close()
        for window in windows.values { window.close() }
        if isAdopted { releaseResources() }
        loop.close()
        if isAdopted { cx11_handlers_remove(connection) } else { cx11_handlers_close(connection) }
    }

    deinit { assert(loop.isClosed, "Display.close() was not called") }

    /// The default screen's extent in pixels.
    public var screenSize: Size {
        let screen = XDefaultScreen(connection)
        return Size(
            width: Double(XDisplayWidth(connection, screen)), height: Double(XDisplayHeight(connection, screen)))
    }

    /// Its windows that have been made and not closed, in no order.
    public var openWindows: [Window] { Array(windows.values) }

    /// The default screen's root window.
    public var rootWindow: WindowID { WindowID(xid: XDefaultRootWindow(connection)) }

    /// The time of the latest user event or property notice, in the server's milliseconds; 0 before the first.
    public internal(set) var latestTimestamp: UInt32 = 0

    /// Frees what the server would keep for us while a host's connection lives on.
    private func releaseResources() {
        guard !isLost else { return }
        if hasFonts { fonts.close() }
        if hasCursors { cursorShapes.close() }
        if hasTransfers { XDestroyWindow(connection, transfers.window) }
        cx11_flush(connection)
    }

    /// Gives the windows their shapes anew if the user has chosen others.
    func updateCursors() {
        guard hasCursors, cursorShapes.settingsDidChange() else { return }
        for window in windows.values where window.cursor != nil { window.defineCursor() }
    }

    /// Sees to it that a turn of the loop follows, to paint and to send what is buffered. Nothing to do within one.
    func needsTurn() {
        if !isTurning { poster.wake() }
    }

    @inline(__always)
    func checkThread() {
        assert(pthread_equal(thread, pthread_self()) != 0, "A Display is used on another thread than its own")
    }
}
