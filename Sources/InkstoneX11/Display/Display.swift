import CX11
import Glibc
import InkstoneBase

/// A connection to an X server with its windows, keyboard, selections, timers and event loop.
///
/// A display belongs to the thread that created it, and may be used only there (checked in debug builds). Other
/// threads use ``poster``. Several displays may belong to several threads, unless the program itself calls Xft.
///
/// A host runs the display in one of three ways. It can call ``run()``. It can watch ``fileDescriptor`` in its own
/// `poll`, and call ``processEvents()``. Or it can share its own connection (``init(adopting:)``): it passes each
/// event that it reads to ``handle(event:)``, and watches ``fileDescriptor`` for everything else.
public final class Display {
    /// Xlib's `Display *`.
    public let connection: OpaquePointer
    /// The name with which another connection to the same server can be opened, such as `:0`.
    public let name: String
    /// Whether the connection belongs to a host program. The host then reads the connection's events itself.
    public let isAdopted: Bool
    /// A queue of closures to run on this display's thread. Any thread may use it.
    public let poster: EventPoster
    /// Called once when the connection is lost; save unsaved data then. On our own connection it is called from the
    /// loop, outside of Xlib. On a host program's connection it is called within Xlib's handler, before the host's
    /// handler ends the process.
    public var onLost: (() -> Void)?
    /// Whether keys, buttons and motions that other clients send (`XSendEvent`) are accepted as user input. Any
    /// client of the server can send them to any window. So they are ignored by default, as in terminals, unless
    /// the user or the host wants them.
    @exclusivity(unchecked) public var acceptsSyntheticInput = false
    /// Called on this display's thread for each X error that was tolerated, for example an error about a window
    /// that another client has destroyed.
    public var onToleratedError: ((X11Error) -> Void)? {
        get { errors.onTolerated }
        set { errors.onTolerated = newValue }
    }
    /// Called when the desktop's settings have changed; see `settings` and ``fontSettings``.
    public var onSettingsChange: (() -> Void)?
    /// The observers of ``Change``s.
    var observers: [ChangeObserver] = []
    /// Whether the connection is lost. No requests are sent then.
    @exclusivity(unchecked) public internal(set) var isLost = false

    var atoms: Atoms
    let loop: LoopState
    var watched = WatchedWindows()
    /// The open windows by identifier. A display retains them until they are closed.
    @exclusivity(unchecked) var windows: [UInt: Window] = [:]
    /// Our current X resources, and those freed recently. An error or event about a resource may arrive after it
    /// was freed.
    var ownResources = OwnResources()
    /// The X errors received, and the requests whose errors are expected.
    @exclusivity(unchecked) var errors = ErrorRecord()
    /// The work for the end of the current turn of the loop, or of the next if none is running.
    @exclusivity(unchecked) var turnWork = TurnWork()
    /// The parts of the display that are created on first use.
    @exclusivity(unchecked) private var parts = DisplayParts()
    /// The queries that wait until a window is visible.
    var lateQuestions = LateQuestions()
    /// Whether a held key repeats without key releases in between (XKB's detectable auto-repeat).
    private(set) var repeatsDetectably = false
    /// The major opcode of the XKB extension; 0 if the server has none, and on a host program's connection.
    private var xkbOpcode: Int32 = 0
    private let thread = pthread_self()

    /// The options of the connection to the input method. Tests change them before the first window is created.
    package var inputMethodSetup = InputMethodSetup()

    /// Creates a display that is connected to the X server called `name`, or to `$DISPLAY`.
    public convenience init(name: String? = nil) throws(X11Error) {
        // Enable Xlib's locks, which the input method's thread needs. libX11 before 1.8.1 does not enable them by
        // itself.
        XInitThreads()
        var opened: OpaquePointer?
        var xkbOpcode: Int32 = 0
        let atoms = Atoms { opened = cx11_open_display(name, $0, $1, $2, &xkbOpcode) }
        guard let connection = opened else {
            // Xlib uses $DISPLAY in place of an empty name. An empty $DISPLAY names no server.
            let names = [name, getenv("DISPLAY").map { String(cString: $0) }]
            throw .cannotOpenDisplay(name: names.lazy.compactMap(\.self).first { !$0.isEmpty })
        }
        cx11_close_on_exec(XConnectionNumber(connection))
        try self.init(connection, isAdopted: false, atoms)
        self.xkbOpcode = xkbOpcode
        takeUpDesktop()
    }

    /// Creates a display on a connection that a host has opened, a `Display *`. Its events are not read here: the host
    /// passes each event to ``handle(event:)``. The connection must outlive this object. With libX11 older than 1.8.1,
    /// the host must have called `XInitThreads` first.
    public convenience init(adopting connection: OpaquePointer) throws(X11Error) {
        try self.init(connection, isAdopted: true, Atoms { XInternAtoms(connection, $0, $1, 0, $2) })
    }

    private init(_ connection: OpaquePointer, isAdopted: Bool, _ atoms: Atoms) throws(X11Error) {
        self.connection = connection
        self.isAdopted = isAdopted
        name = XDisplayString(connection).map { String(cString: $0) } ?? ""
        // Keep the lines of other settings too: a host reads its own settings from its connection's resource
        // database.
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

    /// Closes all windows, and the connection if it is our own.
    public func close() {
        guard !loop.isClosed else { return }
        checkThread()
        knownInputMethod?.close()
        for window in windows.values { window.close() }
        if !isLost {
            parts.fonts?.close()
            parts.images?.close()
        }
        // Drop the caches, which retain the display.
        (parts.fonts, parts.images) = (nil, nil)
        if isAdopted { releaseResources() }
        loop.close()
        if isAdopted { cx11_handlers_remove(connection) } else { cx11_handlers_close(connection) }
    }

    deinit { assert(loop.isClosed, "Display.close() was not called") }

    /// The size of the default screen in pixels.
    public var screenSize: Size {
        let screen = XDefaultScreen(connection)
        return Size(
            width: Double(XDisplayWidth(connection, screen)), height: Double(XDisplayHeight(connection, screen)))
    }

    /// The size of the largest request that the server accepts, in bytes.
    var largestRequest: Int { max(XMaxRequestSize(connection), XExtendedMaxRequestSize(connection)) * 4 }

    /// All windows that were created and not closed, in no order.
    public var openWindows: [Window] { Array(windows.values) }

    /// The default screen's root window.
    public var rootWindow: WindowID { WindowID(xid: XDefaultRootWindow(connection)) }

    /// The time of the latest user event or property change, in the server's milliseconds; 0 before the first.
    public internal(set) var latestTimestamp: UInt32 = 0

    /// Frees our resources in the server, which would otherwise stay as long as a host's connection is open.
    private func releaseResources() {
        guard !isLost else { return }
        parts.cursorShapes?.close()
        if let transfers = parts.transfers { XDestroyWindow(connection, transfers.window) }
        cx11_flush(connection)
    }

    /// Updates the windows' pointer shapes if the user has changed the cursor theme or size.
    func updateCursors() {
        guard let shapes = parts.cursorShapes, shapes.settingsDidChange() else { return }
        for window in windows.values where window.cursor != nil { window.defineCursor() }
    }

    /// Makes sure that a turn of the loop follows, in which windows are painted and requests flushed. Has no effect
    /// during a turn.
    func needsTurn() {
        if !turnWork.isUnderWay { poster.wake() }
    }

    @inline(__always)
    func checkThread() {
        assert(pthread_equal(thread, pthread_self()) != 0, "A Display is used on another thread than its own")
    }
}

/// The parts of a display that are created on first use.
private struct DisplayParts {
    var keyboard: Keyboard?
    var clipboard: Clipboard?
    var primary: Clipboard?
    var inputMethod: InputMethodRouter?
    var transfers: SelectionTransfers?
    var desktop: DesktopSettings?
    /// The pointer devices. The outer optional is nil before the query; the inner one is nil if the server reports
    /// none.
    var pointerDevices: PointerDevices??
    var fonts: FontCache?
    var images: ImagePictures?
    var cursorShapes: CursorShapes?
    var hasCounters: Bool?
    var companions: [ObjectIdentifier: AnyObject] = [:]
}

extension Display {
    /// The translator of keys with the server's keyboard layout.
    public var keyboard: Keyboard { parts.keyboard ?? keep(Keyboard(self), \.keyboard) }
    /// The CLIPBOARD selection, used by copy and paste.
    public var clipboard: Clipboard {
        parts.clipboard ?? keep(Clipboard(self, selection: atoms["CLIPBOARD"]), \.clipboard)
    }
    /// The PRIMARY selection, set by selecting text and pasted by the middle button.
    public var primary: Clipboard {
        parts.primary ?? keep(Clipboard(self, selection: PredefinedAtom.primary), \.primary)
    }
    /// The connection to the input method that `XMODIFIERS` names. All windows of the display share it.
    package var inputMethod: InputMethodRouter { parts.inputMethod ?? keep(InputMethodRouter(self), \.inputMethod) }
    /// The connection to the input method; nil if no window has used it.
    var knownInputMethod: InputMethodRouter? { parts.inputMethod }
    var transfers: SelectionTransfers { parts.transfers ?? keep(SelectionTransfers(self), \.transfers) }
    var desktop: DesktopSettings { parts.desktop ?? keep(DesktopSettings(self), \.desktop) }
    /// The pointer devices. Nil before ``findPointerDevices()``, on a host program's connection, and if the server
    /// reports none.
    var pointerDevices: PointerDevices? { parts.pointerDevices ?? nil }
    var fonts: FontCache { parts.fonts ?? keep(FontCache(self), \.fonts) }
    var images: ImagePictures { parts.images ?? keep(ImagePictures(self), \.images) }
    var cursorShapes: CursorShapes { parts.cursorShapes ?? keep(CursorShapes(self), \.cursorShapes) }

    /// Whether a pointer shape was already loaded.
    func knowsShape(_ cursor: Window.Cursor) -> Bool { parts.cursorShapes?.knows(cursor) ?? false }

    /// Reads the desktop's settings, and in the same round trip makes the queries that a first window needs. Takes one
    /// more round trip if the desktop has a settings manager.
    private func takeUpDesktop() { _ = desktop }

    /// Makes libXrender fetch and cache its picture formats. On our own connection, also turns on detectable
    /// auto-repeat. One round trip.
    ///
    /// - Returns: the window of the settings manager; 0 if there is none.
    func askForFirstWindow() -> UInt {
        // On a host program's connection, leave detectable auto-repeat unchanged. A repetition there is recognized
        // by a release with the same time.
        cx11_first_ask(connection, settingsSelection, xkbOpcode, &repeatsDetectably)
    }

    /// Returns the pointer devices; nil without XInput 2, and on a host program's connection. The first call
    /// queries the server (five round trips) and makes all windows receive the devices' events.
    func findPointerDevices() -> PointerDevices? {
        if let known = parts.pointerDevices { return known }
        guard let devices = keep(PointerDevices(self), \.pointerDevices) else { return nil }
        for window in windows.values { devices.select(on: window.id.xid) }
        devices.learnAxes()
        return devices
    }

    /// Whether the server has the SYNC extension's counters. The first call takes two round trips.
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

    /// Returns the display's single object of a type that a higher module defines, created by `make` on first use.
    package func companion<Companion: AnyObject>(_ make: () -> Companion) -> Companion {
        let key = ObjectIdentifier(Companion.self)
        if let known = parts.companions[key] as? Companion { return known }
        let new = make()
        parts.companions[key] = new
        return new
    }
}
