internal import CXTest
import Glibc
import InkstoneTesting

/// A window as a test sees it; a snapshot.
package struct WindowInfo: Hashable, Sendable {
    /// The window's XID.
    package let id: UInt32
    /// The inner left edge in root pixels.
    package let x: Int
    /// The inner top edge in root pixels.
    package let y: Int
    /// The inner width in pixels.
    package let width: Int
    /// The inner height in pixels.
    package let height: Int
    /// Whether it and all its ancestors are mapped.
    package let isViewable: Bool
    /// Whether window managers leave it alone, as menus and candidate windows ask for.
    package let overrideRedirect: Bool
    /// Both parts of WM_CLASS, instance first, joined by a space; empty if there is none.
    package let wmClass: String
    /// `_NET_WM_NAME`, or WM_NAME; empty if there is none.
    package let title: String

    /// The first column to its right.
    package var right: Int { x + width }
    /// The first row below it.
    package var bottom: Int { y + height }
}

extension XProbe {
    /// Every window below the root, parents before their children.
    package func windows() -> [WindowInfo] {
        var found: [WindowInfo] = []
        var open = Array(children(of: root).reversed())
        while let id = open.popLast() {
            if let info = info(id) { found.append(info) }
            open += children(of: id).reversed()
        }
        return found
    }

    /// Information about a window; nil if it is destroyed.
    package func info(_ id: UInt32) -> WindowInfo? {
        let attributes = xcb_get_window_attributes_reply(
            connection, xcb_get_window_attributes(connection, id), nil)
        let geometry = xcb_get_geometry_reply(connection, xcb_get_geometry(connection, id), nil)
        let origin = xcb_translate_coordinates_reply(
            connection, xcb_translate_coordinates(connection, id, root, 0, 0), nil)
        defer {
            free(attributes)
            free(geometry)
            free(origin)
        }
        guard let attributes, let geometry, let origin else { return nil }
        let names = (property("WM_CLASS", of: id) ?? []).split(separator: 0)
        let title = property("_NET_WM_NAME", of: id) ?? property("WM_NAME", of: id) ?? []
        return WindowInfo(
            id: id, x: Int(origin.pointee.dst_x), y: Int(origin.pointee.dst_y),
            width: Int(geometry.pointee.width), height: Int(geometry.pointee.height),
            isViewable: attributes.pointee.map_state == UInt8(XCB_MAP_STATE_VIEWABLE.rawValue),
            overrideRedirect: attributes.pointee.override_redirect != 0,
            wmClass: names.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " "),
            title: String(decoding: title, as: UTF8.self))
    }

    /// Waits for a visible window that `matches`.
    package func waitForWindow(
        _ what: String, within milliseconds: Int = 5000, where matches: (WindowInfo) -> Bool
    ) throws -> WindowInfo {
        try waitFor(
            what, within: milliseconds, watching: [descriptor],
            instead: { self.windows().filter(\.isViewable).map { "\($0)" }.joined(separator: "\n") },
            {
                drainEvents()
                return windows().first { $0.isViewable && matches($0) }
            })
    }

    /// Opens the editor's menu and types the letters that choose in it: `d` and `e` for Encoding… of the submenu Document. With `entering`
    /// Return chooses after that, where several lines begin with the letter. Returns when the menu has gone, which has the keyboard until then.
    package func chooseInMenu(_ letters: String, entering: Bool = false) throws {
        strike(.f10)
        try chooseInOpenMenu(letters, entering: entering)
    }

    /// Waits for the menu that has been asked for, and chooses in it as ``chooseInMenu(_:entering:)`` does.
    package func chooseInOpenMenu(_ letters: String, entering: Bool = false) throws {
        _ = try waitForWindow("the menu") { $0.overrideRedirect }
        type(letters)
        if entering { strike(.enter) }
        try waitUntil("the menu to go", watching: [descriptor]) {
            drainEvents()
            return !windows().contains { $0.isViewable && $0.overrideRedirect }
        }
    }

    /// Moves a window's outer corner to a point of its parent, as a person without a window manager would.
    package func move(_ window: UInt32, x: Int, y: Int) {
        configure(window, XCB_CONFIG_WINDOW_X.rawValue | XCB_CONFIG_WINDOW_Y.rawValue, [x, y])
    }

    /// Gives a window another size.
    package func resize(_ window: UInt32, width: Int, height: Int) {
        configure(window, XCB_CONFIG_WINDOW_WIDTH.rawValue | XCB_CONFIG_WINDOW_HEIGHT.rawValue, [width, height])
    }

    /// Asks the program to close a window, as a window manager's close button does (WM_DELETE_WINDOW).
    package func askToClose(_ window: UInt32) { send("WM_DELETE_WINDOW", to: window) }

    /// Asks the program whether it handles events, as a window manager does (`_NET_WM_PING`), and waits for the answer.
    package func ping(_ window: UInt32) throws {
        let known = pongs
        send("_NET_WM_PING", to: window)
        try waitUntil("an answer to a ping", within: 10_000, watching: [descriptor], every: .max) {
            drainEvents()
            return pongs > known
        }
    }

    /// Asks the program whether it handles events, without waiting for the answer; see ``pongs``.
    package func sendPing(_ window: UInt32) { send("_NET_WM_PING", to: window) }

    private func send(_ message: String, to window: UInt32) {
        var event = xcb_client_message_event_t()
        event.response_type = UInt8(XCB_CLIENT_MESSAGE)
        event.format = 32
        event.window = window
        event.type = atom("WM_PROTOCOLS")
        event.data.data32.0 = atom(message)
        event.data.data32.2 = window
        withUnsafeBytes(of: &event) { bytes in
            _ = xcb_send_event(connection, 0, window, 0, bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
        }
        sync()
    }

    /// Waits until a window manager answers what it is asked. openbox says that it manages the screen before it does, and forgets what is
    /// asked of it meanwhile, windows to be shown among it: so it is asked again and again.
    package func waitForWindowManager() throws {
        let window = xcb_generate_id(connection)
        xcb_create_window(
            connection, 0, window, root, -10, -10, 1, 1, 0, UInt16(XCB_WINDOW_CLASS_INPUT_ONLY.rawValue), 0, 0, nil)
        defer { xcb_destroy_window(connection, window) }
        var event = xcb_client_message_event_t()
        event.response_type = UInt8(XCB_CLIENT_MESSAGE)
        event.format = 32
        event.window = window
        event.type = atom("_NET_REQUEST_FRAME_EXTENTS")
        let mask = XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY.rawValue | XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT.rawValue
        try waitUntil("the window manager to answer") {
            withUnsafeBytes(of: &event) { bytes in
                _ = xcb_send_event(
                    connection, 0, root, mask, bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
            }
            sync()
            return property("_NET_FRAME_EXTENTS", of: window) != nil
        }
    }

    /// Takes an answer to ``ping(_:)``, which programs send to the root window.
    func notePong(_ event: UnsafeMutablePointer<xcb_generic_event_t>) {
        event.withMemoryRebound(to: xcb_client_message_event_t.self, capacity: 1) {
            if $0.pointee.window == root, $0.pointee.data.data32.0 == atom("_NET_WM_PING") { pongs += 1 }
        }
    }

    /// Has the server cut the connection of the program that made a window, as a window manager does with one that hangs.
    package func killClient(of window: UInt32) {
        xcb_kill_client(connection, window)
        sync()
    }

    /// Destroys a window, as a host that is done with it would.
    package func destroy(_ window: UInt32) {
        xcb_destroy_window(connection, window)
        sync()
    }

    private func configure(_ window: UInt32, _ mask: UInt32, _ values: [Int]) {
        var values = values.map { UInt32(truncatingIfNeeded: $0) }
        xcb_configure_window(connection, window, UInt16(mask), &values)
        sync()
    }

    private func children(of window: UInt32) -> [UInt32] {
        guard let reply = xcb_query_tree_reply(connection, xcb_query_tree(connection, window), nil) else { return [] }
        defer { free(reply) }
        let count = Int(xcb_query_tree_children_length(reply))
        return Array(UnsafeBufferPointer(start: xcb_query_tree_children(reply), count: count))
    }
}

extension XProbe {
    /// A window's parent, its parent and so on up to the root, which is left out; empty once the window is gone.
    package func ancestors(of window: UInt32) -> [UInt32] {
        var found: [UInt32] = []
        var current = window
        while let reply = xcb_query_tree_reply(connection, xcb_query_tree(connection, current), nil) {
            current = reply.pointee.parent
            free(reply)
            if current == root || current == 0 { break }
            found.append(current)
        }
        return found
    }
}
