import CX11
import Glibc
import InkstoneBase

/// The pointer shapes of a display, from the user's cursor theme or else from the server.
///
/// If libXcursor is installed, `XCreateFontCursor` uses the theme. Only the theme's name and size must be set here:
/// libXcursor reads the resource database only once, and settings may change.
final class CursorShapes {
    private unowned let display: Display
    private var settings = CursorSettings()
    private var shapes: [Window.Cursor: UInt] = [:]
    private var invisible: UInt?

    init(_ display: Display) {
        self.display = display
        settings = display.preferences.cursors
        XcursorLibrary.shared?.set(settings, for: display.connection)
    }

    /// Returns the X cursor of a shape.
    func xid(_ cursor: Window.Cursor) -> UInt {
        if let known = shapes[cursor] { return known }
        let xid = XCreateFontCursor(display.connection, cursor.rawValue)
        shapes[cursor] = xid
        return xid
    }

    /// Whether a shape was already loaded.
    func knows(_ cursor: Window.Cursor) -> Bool { shapes[cursor] != nil }

    /// An invisible X cursor: one transparent pixel. XFixes is not used for this, because it would hide the pointer
    /// on the whole screen.
    var hidden: UInt {
        if let invisible { return invisible }
        let connection = display.connection
        var nothing: CChar = 0
        let pixmap = XCreateBitmapFromData(connection, XDefaultRootWindow(connection), &nothing, 1, 1)
        var (front, back) = (XColor(), XColor())
        let xid = XCreatePixmapCursor(connection, pixmap, pixmap, &front, &back, 0, 0)
        XFreePixmap(connection, pixmap)
        invisible = xid
        return xid
    }

    /// Applies the user's present cursor theme and size. Returns whether they have changed.
    func settingsDidChange() -> Bool {
        let new = display.preferences.cursors
        guard new != settings else { return false }
        settings = new
        XcursorLibrary.shared?.set(settings, for: display.connection)
        // Free the old shapes at once: a window keeps using a freed cursor until it gets another one.
        for xid in shapes.values { XFreeCursor(display.connection, xid) }
        shapes = [:]
        return true
    }

    func close() {
        for xid in shapes.values { XFreeCursor(display.connection, xid) }
        if let invisible { XFreeCursor(display.connection, invisible) }
        (shapes, invisible) = ([:], nil)
    }
}

/// The two functions of libXcursor that set theme and size. They are loaded by name, as libX11 does. The library is
/// optional.
private struct XcursorLibrary: @unchecked Sendable {  // Two addresses of code.
    /// The library libXcursor; nil if it is not installed.
    static let shared: XcursorLibrary? = {
        guard let library = dlopen("libXcursor.so.1", RTLD_LAZY), let theme = dlsym(library, "XcursorSetTheme"),
            let size = dlsym(library, "XcursorSetDefaultSize")
        else { return nil }
        return XcursorLibrary(
            setTheme: unsafeBitCast(theme, to: SetTheme.self), setSize: unsafeBitCast(size, to: SetSize.self))
    }()

    private typealias SetTheme = @convention(c) (OpaquePointer, UnsafePointer<CChar>?) -> CInt
    private typealias SetSize = @convention(c) (OpaquePointer, CInt) -> CInt
    private let setTheme: SetTheme
    private let setSize: SetSize

    func set(_ settings: CursorSettings, for connection: OpaquePointer) {
        if let theme = settings.theme { _ = theme.withCString { setTheme(connection, $0) } }
        if let size = settings.size { _ = setSize(connection, CInt(clamping: size)) }
    }
}

extension Window {
    /// Sets the pointer's shape over the window.
    public func setCursor(_ new: Cursor) {
        guard new != cursor else { return }
        cursor = new
        // Set a loaded shape now. Postpone any other until after painting, because loading a shape of the theme takes
        // round trips.
        guard !display.knowsShape(new) else { return defineCursor() }
        display.performAfterPainting { [weak self] in self?.defineCursor() }
    }

    /// Hides the pointer while it is over the window, or shows it again.
    public func setPointerHidden(_ hides: Bool) {
        guard hides != hidesPointer else { return }
        hidesPointer = hides
        defineCursor()
    }

    func defineCursor() {
        guard !isClosed, !display.isLost, hidesPointer || cursor != nil else {
            // A window without a shape has its parent's.
            if !isClosed, !display.isLost { XUndefineCursor(display.connection, id.xid) }
            return
        }
        display.needsTurn()
        let shapes = display.cursorShapes
        XDefineCursor(display.connection, id.xid, hidesPointer ? shapes.hidden : cursor.map(shapes.xid) ?? 0)
    }
}
