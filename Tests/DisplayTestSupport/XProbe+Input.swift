internal import CXTest
import Glibc
import InkstoneTesting

/// Keys and pointer events injected by the XTEST extension: the server does not distinguish them from a person's.
extension XProbe {
    /// Presses or releases the key with this keycode.
    package func key(_ keycode: UInt8, down: Bool) {
        fake(down ? XCB_KEY_PRESS : XCB_KEY_RELEASE, keycode, 0, 0)
    }

    /// Strikes one key: modifiers down, key down and up, modifiers up. Returns at once; nothing is waited for.
    ///
    /// - Parameter pause: how long the hand takes to it, in milliseconds, which the X server counts from what it did last for
    ///   this client. It is part of what is tested (a person's speed), not a wait for something.
    package func strike(_ key: TestKey, holding modifiers: [TestKey] = [], after pause: Int = 0) {
        let held = modifiers + (key.shift ? [.leftShift] : [])
        var pause = pause
        for modifier in held {
            fake(XCB_KEY_PRESS, modifier.keycode, 0, 0, after: pause)
            pause = 0
        }
        fake(XCB_KEY_PRESS, key.keycode, 0, 0, after: pause)
        self.key(key.keycode, down: false)
        for modifier in held.reversed() { self.key(modifier.keycode, down: false) }
        xcb_flush(connection)
    }

    /// Strikes Control with the key of a character.
    package func control(_ character: Character, shift: Bool = false) {
        guard let key = TestKey(typing: character) else { return }
        strike(key, holding: [.leftControl] + (shift ? [.leftShift] : []))
    }

    /// Strikes Alt with the key of a character.
    package func alt(_ character: Character) {
        guard let key = TestKey(typing: character) else { return }
        strike(key, holding: [.leftAlt])
    }

    /// Types `text` (characters an American keyboard has; traps on others), with this much time from key to key. Returns when
    /// the last key has been struck if there is any; see ``strike(_:holding:after:)``.
    package func type(_ text: String, pause milliseconds: Int = 0) {
        for character in text {
            guard let key = TestKey(typing: character) else {
                preconditionFailure("no key types \(character) on the fixed layout")
            }
            strike(key, after: milliseconds)
        }
        if milliseconds > 0 { sync() }
    }

    /// Moves the pointer to a point in root pixels.
    package func movePointer(x: Int, y: Int) {
        fake(XCB_MOTION_NOTIFY, 0, Int16(clamping: x), Int16(clamping: y))
        xcb_flush(connection)
    }

    /// Presses or releases a pointer button: 1 left, 2 middle, 3 right, 4 and 5 the wheel up and down; some milliseconds
    /// after what was done last.
    package func button(_ number: UInt8, down: Bool, after pause: Int = 0) {
        fake(down ? XCB_BUTTON_PRESS : XCB_BUTTON_RELEASE, number, 0, 0, after: pause)
        xcb_flush(connection)
    }

    /// Moves the pointer to a point in root pixels and clicks there `count` times.
    package func click(x: Int, y: Int, button number: UInt8 = 1, count: Int = 1) {
        movePointer(x: x, y: y)
        for _ in 0..<count {
            button(number, down: true)
            button(number, down: false)
        }
    }

    /// Releases every key and button that is down, as a test that failed may have left them.
    package func releaseAll() {
        if let reply = xcb_query_keymap_reply(connection, xcb_query_keymap(connection), nil) {
            defer { free(reply) }
            withUnsafeBytes(of: reply.pointee.keys) { keys in
                for code in UInt8(8)...255 where keys[Int(code) / 8] & 1 << (code % 8) != 0 { key(code, down: false) }
            }
        }
        for number in heldButtons { button(number, down: false) }
    }

    /// Waits until no button is down, for then every click has been sent where it goes. A window manager that raises what is clicked has
    /// the server hold the pointer, but no keys, until it passes the click on: keys that are struck before that come first.
    package func waitForClicks() throws {
        try waitUntil("the clicks to be passed on") { heldButtons.isEmpty }
    }

    /// The buttons that are down by what the server has let through.
    private var heldButtons: [UInt8] {
        guard let reply = xcb_query_pointer_reply(connection, xcb_query_pointer(connection, root), nil) else {
            return []
        }
        defer { free(reply) }
        return (1...5).filter { reply.pointee.mask & 1 << ($0 + 7) != 0 }
    }

    /// Gives a window the X focus, as a window manager or a host would.
    package func focus(_ window: UInt32) {
        xcb_set_input_focus(connection, UInt8(XCB_INPUT_FOCUS_PARENT.rawValue), window, 0)
        sync()
    }

    /// Takes the focus from every window.
    package func focusNothing() {
        xcb_set_input_focus(connection, UInt8(XCB_INPUT_FOCUS_NONE.rawValue), 0, 0)
        sync()
    }

    /// The window with the X focus: 0 none, 1 the one under the pointer.
    package var focusedWindow: UInt32 {
        let reply = xcb_get_input_focus_reply(connection, xcb_get_input_focus(connection), nil)
        defer { free(reply) }
        return reply?.pointee.focus ?? 0
    }

    private func fake(_ type: CInt, _ detail: UInt8, _ x: Int16, _ y: Int16, after pause: Int = 0) {
        xcb_test_fake_input(connection, UInt8(type), detail, UInt32(pause), root, x, y, 0)
    }
}
