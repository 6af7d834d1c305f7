import CHostX11
import Glibc

/// The host: a plain Xlib program with a connection, a window and error handlers of its own. It knows nothing of Inkstone.
final class HostWindow {
    let connection: OpaquePointer
    let window: UInt
    private(set) var isOpen = true
    private let deleteWindow: Atom

    init() {
        // The host's handlers are strict: any X error or lost connection that reaches them ends the program.
        XSetErrorHandler { _, event in
            fail("X error \(event?.pointee.error_code ?? 0)", status: 3)
        }
        XSetIOErrorHandler { _ in
            fail("connection lost", status: 4)
        }
        guard let connection = XOpenDisplay(nil) else {
            fail("no display", status: 1)
        }
        self.connection = connection
        window = XCreateSimpleWindow(connection, XDefaultRootWindow(connection), 120, 90, 480, 320, 0, 0, 0xd0d7de)
        XSelectInput(connection, window, ExposureMask | StructureNotifyMask)
        XStoreName(connection, window, "Host")
        deleteWindow = XInternAtom(connection, "WM_DELETE_WINDOW", 0)
        var protocols = [deleteWindow]
        XSetWMProtocols(connection, window, &protocols, 1)
        XMapWindow(connection, window)
        XFlush(connection)
    }

    var descriptor: CInt { XConnectionNumber(connection) }

    /// Takes every event that has come; hands each to `other` first.
    func handleEvents(_ other: (inout XEvent) -> Bool = { _ in false }) {
        var event = XEvent()
        while XPending(connection) > 0 {
            XNextEvent(connection, &event)
            if other(&event) { continue }
            switch event.type {
            case Expose where event.xexpose.window == window: paint()
            case ClientMessage where Atom(bitPattern: event.xclient.data.l.0) == deleteWindow: isOpen = false
            default: break
            }
        }
    }

    private func paint() {
        let text = "The host's own part; the text view is below."
        let context = XDefaultGC(connection, XDefaultScreen(connection))
        XDrawString(connection, window, context, 12, 24, text, CInt(text.utf8.count))
        XFlush(connection)
    }
}

/// Says what is wrong and ends the host.
private func fail(_ message: String, status: CInt) -> Never {
    var line = "host: \(message)\n"
    line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    exit(status)
}
