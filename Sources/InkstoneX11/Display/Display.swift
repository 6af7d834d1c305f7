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
    public var onToleratedError: ((X11Error) -> Void)? {
        get { errors.onTolerated }
        set { errors.onTolerated = newValue }
    }
    /// Called when the desktop's settings have changed: see ``settings`` and ``fontSettings``.
    public var onSettingsChange: (() -> Void)?
    /// Who hears of ``Change``s.
    var observers: [ChangeObserver] = []
    /// Whether the connection is lost; nothing is sent any more then.
    @exclusivity(unchecked) public internal(set) var isLost = false

    var atoms: Atoms
    let loop: LoopState
    var watched = WatchedWindows()
    /// Open windows, which live until they are closed.
    @exclusivity(unchecked) var windows: [UInt: Window] = [:]
    /// The resources that are ours, and those that were lately: an error or an event about one may come after its end.
    var ownResources = OwnResources()
    /// What the server has complained of.
    @exclusivity(unchecked) var errors = ErrorRecord()
    /// What the present turn of the loop, or else the next, has to do.
    @exclusivity(unchecked) var turnWork = TurnWork()
    /// What is made when it is first asked for.
    @exclusivity(unchecked) private var parts = DisplayParts()
    /// What the server is still to be asked once a window is seen.
    var lateQuestions = LateQuestions()
    /// Whether held keys repeat without releases.
    private(set) var repeatsDetectably = false
    private let thread = pthread_self()

    /// What the connection to the input method is made with. Tests set it before the first window.
    package var inputMethodSetup = InputMethodSetup()

    /// Connects to the X server called `name`, or to `$DISPLAY`.
    public convenience init(name: String? = nil) throws(X11Error) {
        // Before libX11 1.8.1 its locks, which the input method's thread relies on, have to be asked for.
        XInitThreads()
        var opened: OpaquePointer?
        let atoms = Atoms { opened = cx11_open_display(name, $0, $1, $2) }
        guard let connection = opened else {
            throw .cannotOpenDisplay(name: name ?? getenv("DISPLAY").map { String(cString: $0) })
        }
        cx11_close_on_exec(XConnectionNumber(connection))
        try self.init(connection, isAdopted: false, atoms)
        takeUpDesktop()
    }

    /// Uses a host's own connection, a `Display *`, whose queue is never read here: the host passes each event it reads
    /// to ``handle(event:)``. The connection must outlive this object. With libX11 older than 1.8.1 the host must have
    /// called `XInitThreads` first.
    public convenience init(adopting connection: OpaquePointer) throws(X11Error) {
        try self.init(connection, isAdopted: true, Atoms { XInternAtoms(connection, $0, $1, 0, $2) })
    }

    private init(_ connection: OpaquePointer, isAdopted: Bool, _ atoms: Atoms) throws(X11Error) {
        self.connection = connection
        self.isAdopted = isAdopted
        name = XDisplayString(connection).map { String(cString: $0) } ?? ""
        // A host reads settings of its own from its connection's.
        if let text = XResourceManagerString(connection) { DesktopSettings.reduce(text, keepingOthers: isAdopted) }
        do {
            poster = try EventPoster()
            loop = try LoopState(connection: isAdopted ? nil : XConnectionNumber(connection), poster: poster)
        } catch {
            if !isAdopted { cx11_handlers_close(connection) }
            throw error
        }
        self.atoms = atoms
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
        knownInputMethod?.close()
        for window in windows.values { window.close() }
        if !isLost {
            parts.fonts?.close()
            parts.images?.close()
        }
        // The caches hold the display.
        (parts.fonts, parts.images) = (nil, nil)
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

    /// The bytes of the largest request that the server takes.
    var largestRequest: Int { max(XMaxRequestSize(connection), XExtendedMaxRequestSize(connection)) * 4 }

    /// Its windows that have been made and not closed, in no order.
    public var openWindows: [Window] { Array(windows.values) }

    /// The default screen's root window.
    public var rootWindow: WindowID { WindowID(xid: XDefaultRootWindow(connection)) }

    /// The time of the latest user event or property notice, in the server's milliseconds; 0 before the first.
    public internal(set) var latestTimestamp: UInt32 = 0

    /// Frees what the server would keep for us while a host's connection lives on.
    private func releaseResources() {
        guard !isLost else { return }
        parts.cursorShapes?.close()
        if let transfers = parts.transfers { XDestroyWindow(connection, transfers.window) }
        cx11_flush(connection)
    }

    /// Gives the windows their shapes anew if the user has chosen others.
    func updateCursors() {
        guard let shapes = parts.cursorShapes, shapes.settingsDidChange() else { return }
        for window in windows.values where window.cursor != nil { window.defineCursor() }
    }

    /// Sees to it that a turn of the loop follows, to paint and to send what is buffered. Nothing to do within one.
    func needsTurn() {
        if !turnWork.isUnderWay { poster.wake() }
    }

    @inline(__always)
    func checkThread() {
        assert(pthread_equal(thread, pthread_self()) != 0, "A Display is used on another thread than its own")
    }
}

/// What a display makes when it is first asked for.
private struct DisplayParts {
    var keyboard: Keyboard?
    var clipboard: Clipboard?
    var primary: Clipboard?
    var inputMethod: InputMethodRouter?
    var transfers: SelectionTransfers?
    var desktop: DesktopSettings?
    /// Inside: nil if the server has none to tell of.
    var pointerDevices: PointerDevices??
    var fonts: FontCache?
    var images: ImagePictures?
    var cursorShapes: CursorShapes?
    var hasCounters: Bool?
    var companions: [ObjectIdentifier: AnyObject] = [:]
}

extension Display {
    /// Translates keys with the server's keyboard layout.
    public var keyboard: Keyboard { parts.keyboard ?? keep(Keyboard(self), \.keyboard) }
    /// The selection that copy and paste use.
    public var clipboard: Clipboard {
        parts.clipboard ?? keep(Clipboard(self, selection: atoms["CLIPBOARD"]), \.clipboard)
    }
    /// The selection that selecting sets and the middle button pastes.
    public var primary: Clipboard {
        parts.primary ?? keep(Clipboard(self, selection: PredefinedAtom.primary), \.primary)
    }
    /// The connection to the input method that `XMODIFIERS` names, shared by the display's windows.
    public var inputMethod: InputMethodRouter { parts.inputMethod ?? keep(InputMethodRouter(self), \.inputMethod) }
    /// The same, if any window has used it.
    var knownInputMethod: InputMethodRouter? { parts.inputMethod }
    var transfers: SelectionTransfers { parts.transfers ?? keep(SelectionTransfers(self), \.transfers) }
    var desktop: DesktopSettings { parts.desktop ?? keep(DesktopSettings(self), \.desktop) }
    /// The pointer's devices, if the server tells of them and the connection is our own; nil before ``findPointerDevices()``.
    var pointerDevices: PointerDevices? { parts.pointerDevices ?? nil }
    var fonts: FontCache { parts.fonts ?? keep(FontCache(self), \.fonts) }
    var images: ImagePictures { parts.images ?? keep(ImagePictures(self), \.images) }
    var cursorShapes: CursorShapes { parts.cursorShapes ?? keep(CursorShapes(self), \.cursorShapes) }

    /// Whether a pointer shape has been loaded.
    func knowsShape(_ cursor: Window.Cursor) -> Bool { parts.cursorShapes?.knows(cursor) ?? false }

    /// Reads what the desktop has set, and asks the server with it what a first window needs. One round trip, and another where the desktop
    /// has a manager of its settings.
    private func takeUpDesktop() { _ = desktop }

    /// Has libXrender ask for the formats of pictures, which it keeps, and on a connection of our own held keys repeat without releases. One
    /// round trip.
    ///
    /// - Returns: the window of the settings' manager; 0 for none.
    func askForFirstWindow() -> UInt {
        // A host's connection is left as it is: there a repetition is told by its release at the same time.
        guard !isAdopted else { return cx11_first_ask(connection, settingsSelection, nil) }
        return cx11_first_ask(connection, settingsSelection, &repeatsDetectably)
    }

    /// The pointer's devices, which the server is asked about the first time: five round trips. All windows hear of them from then on.
    func findPointerDevices() -> PointerDevices? {
        if let known = parts.pointerDevices { return known }
        guard let devices = keep(PointerDevices(self), \.pointerDevices) else { return nil }
        for window in windows.values { devices.select(on: window.id.xid) }
        devices.learnAxes()
        return devices
    }

    /// Whether the server has the counters of the SYNC extension. Two round trips the first time.
    var hasCounters: Bool {
        if let known = parts.hasCounters { return known }
        var (event, error, major, minor): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        return keep(
            XSyncQueryExtension(connection, &event, &error) != 0 && XSyncInitialize(connection, &major, &minor) != 0,
            \.hasCounters)
    }

    private func keep<Part>(_ new: Part, _ place: WritableKeyPath<DisplayParts, Part?>) -> Part {
        parts[keyPath: place] = new
        return new
    }

    /// The one object of a type that modules above keep for a display; made when it is first asked for.
    package func companion<Companion: AnyObject>(_ make: () -> Companion) -> Companion {
        let key = ObjectIdentifier(Companion.self)
        if let known = parts.companions[key] as? Companion { return known }
        let new = make()
        parts.companions[key] = new
        return new
    }
}
