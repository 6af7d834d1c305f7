import CX11
import Glibc
import InkstoneBase

/// The pointer shapes of a display: the user's theme's, else the server's.
///
/// `XCreateFontCursor` looks into the theme by itself wherever libXcursor is installed; what has to be said is which theme, because
/// settings may change and libXcursor reads the resource database once.
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

    /// The X cursor of a shape.
    func xid(_ cursor: Window.Cursor) -> UInt {
        if let known = shapes[cursor] { return known }
        let xid = XCreateFontCursor(display.connection, cursor.rawValue)
        shapes[cursor] = xid
        return xid
    }

    /// Whether a shape has been loaded.
    func knows(_ cursor: Window.Cursor) -> Bool { shapes[cursor] != nil }

    /// The X cursor that is not seen. Of one pixel, because XFixes would hide the pointer on the whole screen.
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

    /// Takes over the theme and size that are set now. Returns whether they are others.
    func settingsDidChange() -> Bool {
        let new = display.preferences.cursors
        guard new != settings else { return false }
        settings = new
        XcursorLibrary.shared?.set(settings, for: display.connection)
        // Windows keep what they show until they are given another.
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

/// The two functions of libXcursor that tell it of a theme. Loaded by name, as libX11 does, so that it need not be installed.
private struct XcursorLibrary: @unchecked Sendable {  // Two addresses of code.
    /// Nil if it is not installed.
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
    /// Sets the pointer's shape over it.
    public func setCursor(_ new: Cursor) {
        guard new != cursor else { return }
        cursor = new
        // Looking for a theme takes round trips, which nothing that is to be seen waits for.
        guard !display.knowsShape(new) else { return defineCursor() }
        display.performAfterPainting { [weak self] in self?.defineCursor() }
    }

    /// Takes the pointer out of sight while it is over the window, or shows it again.
    public func setPointerHidden(_ hides: Bool) {
        guard hides != hidesPointer else { return }
        hidesPointer = hides
        defineCursor()
    }

    func defineCursor() {
        guard !isClosed, !display.isLost, hidesPointer || cursor != nil else {
            // Without a shape of its own it has its parent's.
            if !isClosed, !display.isLost { XUndefineCursor(display.connection, id.xid) }
            return
        }
        display.needsTurn()
        let shapes = display.cursorShapes
        XDefineCursor(display.connection, id.xid, hidesPointer ? shapes.hidden : cursor.map(shapes.xid) ?? 0)
    }
}
