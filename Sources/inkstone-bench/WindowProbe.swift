internal import CXTest
import Glibc
import InkstoneTesting

/// An observer of the editor's window, as another X client. It reports each damaged rectangle with the time of the
/// report.
///
/// It is separate from `XProbe` of the tests, which answers selection requests and reads pictures: here nothing may
/// delay reading the clock after an event.
final class WindowProbe {
    /// A rectangle that has changed, in window pixels, and the time of its report, in milliseconds of the monotonic
    /// clock.
    struct Change {
        var moment: Double
        var x: Int
        var y: Int
        var width: Int
        var height: Int
    }

    /// Keycodes of an American keyboard: the letter A, Down, and Page Down.
    static let (letterKey, downKey, pageDownKey) = (UInt8(38), UInt8(116), UInt8(117))

    private let connection: OpaquePointer
    private let root: UInt32
    private let damageEvent: UInt8
    private(set) var window: UInt32 = 0
    private var damage: UInt32 = 0

    /// Creates a probe that is connected to a display; nil if the display refuses the connection or lacks an extension.
    init?(display: String) {
        guard let connection = xcb_connect(display, nil), xcb_connection_has_error(connection) == 0 else { return nil }
        self.connection = connection
        root = xcb_setup_roots_iterator(xcb_get_setup(connection)).data.pointee.root
        free(xcb_damage_query_version_reply(connection, xcb_damage_query_version(connection, 1, 1), nil))
        free(xcb_test_get_version_reply(connection, xcb_test_get_version(connection, 2, 2), nil))
        let reply = xcb_query_extension_reply(connection, xcb_query_extension(connection, 6, "DAMAGE"), nil)
        defer { free(reply) }
        guard let reply, reply.pointee.present != 0 else { return nil }
        damageEvent = reply.pointee.first_event
        var events = XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY.rawValue
        xcb_change_window_attributes(connection, root, XCB_CW_EVENT_MASK.rawValue, &events)
        sync()
    }

    deinit { xcb_disconnect(connection) }

    /// Waits until the server has handled all requests.
    func sync() { free(xcb_get_input_focus_reply(connection, xcb_get_input_focus(connection), nil)) }

    /// Stops watching the present window. The next window that is created will be watched.
    func forgetWindow() {
        if damage != 0 { xcb_damage_destroy(connection, damage) }
        damage = 0
        window = 0
        sync()
        while let event = xcb_poll_for_event(connection) { free(event) }
    }

    /// Returns the next change of the window; nil if none is reported in time.
    ///
    /// Watches the first window that is more than 50 pixels wide when it is created or mapped.
    func nextChange(within milliseconds: Double) -> Change? {
        let deadline = Deadline.now + milliseconds
        while true {
            while let event = xcb_poll_for_event(connection) {
                defer { free(event) }
                let moment = Deadline.now
                switch event.pointee.response_type & 0x7f {
                case UInt8(XCB_CREATE_NOTIFY): noteWindow(UnsafeRawPointer(event))
                case UInt8(XCB_MAP_NOTIFY): noteMapping(UnsafeRawPointer(event))
                case damageEvent:
                    let change = UnsafeRawPointer(event).assumingMemoryBound(to: xcb_damage_notify_event_t.self).pointee
                    return Change(
                        moment: moment, x: Int(change.area.x), y: Int(change.area.y), width: Int(change.area.width),
                        height: Int(change.area.height))
                default: break
                }
            }
            let left = deadline - Deadline.now
            guard left > 0 else { return nil }
            var polled = pollfd(fd: xcb_get_file_descriptor(connection), events: Int16(POLLIN), revents: 0)
            poll(&polled, 1, CInt(left.rounded(.up)))
        }
    }

    /// Waits until the window has not changed for `quiet` milliseconds.
    func waitUntilIdle(_ quiet: Double) { while nextChange(within: quiet) != nil {} }

    private func noteWindow(_ event: UnsafeRawPointer) {
        let created = event.assumingMemoryBound(to: xcb_create_notify_event_t.self).pointee
        if created.width > 50, created.override_redirect == 0 { watch(created.window) }
    }

    /// Watches a window when it is mapped, because some toolkits create their windows one pixel wide.
    private func noteMapping(_ event: UnsafeRawPointer) {
        let mapped = event.assumingMemoryBound(to: xcb_map_notify_event_t.self).pointee
        guard window == 0, mapped.override_redirect == 0 else { return }
        let reply = xcb_get_geometry_reply(connection, xcb_get_geometry(connection, mapped.window), nil)
        defer { free(reply) }
        if let reply, reply.pointee.width > 50 { watch(mapped.window) }
    }

    private func watch(_ found: UInt32) {
        guard window == 0 else { return }
        window = found
        damage = xcb_generate_id(connection)
        xcb_damage_create(connection, damage, window, UInt8(XCB_DAMAGE_REPORT_LEVEL_RAW_RECTANGLES.rawValue))
        xcb_flush(connection)
    }

    /// Returns whether a part of the window shows text: whether enough of its pixels differ from its last pixel.
    /// The part must be visible and within the window.
    func isWritten(x: Int, y: Int, width: Int, height: Int) -> Bool {
        let cookie = xcb_get_image(
            connection, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), window, Int16(x), Int16(y), UInt16(width),
            UInt16(height), ~0)
        guard let reply = xcb_get_image_reply(connection, cookie, nil), let data = xcb_get_image_data(reply) else {
            return false
        }
        defer { free(reply) }
        let bytes = UnsafeBufferPointer(start: data, count: Int(xcb_get_image_data_length(reply)))
        // Require several pixels of other colours, because a caret may be in the part as well.
        var others = 0
        for i in stride(from: 0, to: bytes.count - 3, by: 4) where bytes[i] != bytes[bytes.count - 4] { others += 1 }
        return others > 60
    }

    /// Gives the focus to the window, or to no window.
    func focus(_ focused: Bool) {
        xcb_set_input_focus(connection, UInt8(XCB_INPUT_FOCUS_PARENT.rawValue), focused ? window : 0, 0)
        sync()
    }

    /// Presses and releases a key of an American keyboard, while others are held. Returns the time of sending, in
    /// milliseconds.
    @discardableResult
    func strike(_ keycode: UInt8, holding: [UInt8] = []) -> Double {
        for key in holding { fake(XCB_KEY_PRESS, key) }
        let moment = Deadline.now
        fake(XCB_KEY_PRESS, keycode)
        fake(XCB_KEY_RELEASE, keycode)
        for key in holding.reversed() { fake(XCB_KEY_RELEASE, key) }
        xcb_flush(connection)
        return moment
    }

    /// Sends many presses of a key at once. Returns the time until the window's last change, in milliseconds. The
    /// last change is the one after which there is none for 300 milliseconds, which is less than the blink interval
    /// of a caret.
    func timeOfBurst(_ keycode: UInt8, _ count: Int) -> Double {
        let start = Deadline.now
        for _ in 0..<count {
            fake(XCB_KEY_PRESS, keycode)
            fake(XCB_KEY_RELEASE, keycode)
        }
        xcb_flush(connection)
        var last = start
        while let change = nextChange(within: 300) { last = change.moment }
        return last - start
    }

    /// Moves the pointer to a point in root pixels, and clicks the primary button.
    func click(x: Int16, y: Int16) {
        xcb_test_fake_input(connection, UInt8(XCB_MOTION_NOTIFY), 0, 0, root, x, y, 0)
        fake(XCB_BUTTON_PRESS, 1)
        fake(XCB_BUTTON_RELEASE, 1)
        sync()
    }

    private func fake(_ type: CInt, _ detail: UInt8) {
        xcb_test_fake_input(connection, UInt8(type), detail, 0, root, 0, 0, 0)
    }
}
