import CX11
import DisplayTestSupport
import InkstoneBase
import InkstoneTesting
import InkstoneX11
import Testing

/// A host program for a plug (XEmbed): a top-level window of 32 bits per pixel, with an inner window for the plug.
final class PlugHost {
    let connection: OpaquePointer
    let top: UInt
    /// The window for the plug, 20 pixels below the top-level window's upper edge.
    let inner: UInt
    private let message: Atom
    private(set) var received: [Int] = []
    private(set) var keys = 0

    var id: WindowID { WindowID(rawValue: UInt32(inner)) }

    /// - Parameters:
    ///   - name: the display's name.
    ///   - x: the top-level window's position on the root window, in pixels.
    ///   - y: likewise.
    init(_ name: String, x: Int32 = 60, y: Int32 = 40) throws {
        connection = try #require(XOpenDisplay(name))
        var visual = XVisualInfo()
        #expect(XMatchVisualInfo(connection, 0, 32, TrueColor, &visual) != 0)
        let root = XDefaultRootWindow(connection)
        var attributes = XSetWindowAttributes()
        attributes.colormap = XCreateColormap(connection, root, visual.visual, AllocNone)
        attributes.background_pixel = 0xff80_8080
        attributes.event_mask = KeyPressMask
        let mask = UInt(CWColormap | CWBackPixel | CWBorderPixel | CWEventMask)
        let host = connection
        func window(_ parent: UInt, _ x: Int32, _ y: Int32, _ width: UInt32, _ height: UInt32) -> UInt {
            let made = XCreateWindow(
                host, parent, x, y, width, height, 0, 32, UInt32(InputOutput), visual.visual, mask, &attributes)
            XMapWindow(host, made)
            return made
        }
        top = window(root, x, y, 320, 220)
        inner = window(top, 0, 20, 300, 180)
        message = XInternAtom(connection, "_XEMBED", 0)
        XSync(connection, 0)
    }

    /// Whether a client has selected key events on a window.
    func isTakingKeys(_ window: UInt32) -> Bool {
        var attributes = XWindowAttributes()
        return XGetWindowAttributes(connection, UInt(window), &attributes) != 0
            && attributes.all_event_masks & KeyPressMask != 0
    }

    /// Closes the connection, which destroys the host's windows and those within them.
    func close() { XCloseDisplay(connection) }

    /// Sends an XEmbed message to a plug.
    func send(_ number: Int, detail: Int = 0, embedder: UInt = 0, to plug: WindowID) {
        var event = XEvent()
        event.xclient.type = ClientMessage
        event.xclient.window = plug.xid
        event.xclient.message_type = message
        event.xclient.format = 32
        event.xclient.data.l = (0, number, detail, Int(embedder), 0)
        XSendEvent(connection, plug.xid, 0, 0, &event)
        XSync(connection, 0)
    }

    /// Sends a plug a press and a release of a key, as GTK forwards the keys that it receives.
    ///
    /// - Parameter time: the server's time, by which ibus distinguishes presses of one key.
    func send(_ key: TestKey, holding state: Int32 = 0, at time: UInt = 0, to plug: WindowID) {
        for type in [KeyPress, KeyRelease] {
            var event = XEvent()
            event.xkey.type = type
            event.xkey.window = plug.xid
            event.xkey.root = XDefaultRootWindow(connection)
            event.xkey.keycode = UInt32(key.keycode)
            event.xkey.state = UInt32(state)
            event.xkey.time = time
            event.xkey.same_screen = 1
            XSendEvent(connection, plug.xid, 0, 0, &event)
        }
        XSync(connection, 0)
    }

    /// Handles all events: appends the numbers of messages to ``received``, and records keys.
    func takeEvents() {
        XSync(connection, 0)
        while XPending(connection) > 0 {
            var event = XEvent()
            XNextEvent(connection, &event)
            if event.type == ClientMessage, event.xclient.message_type == message {
                received.append(event.xclient.data.l.1)
            } else if event.type == KeyPress {
                keys += 1
            }
        }
    }
}
