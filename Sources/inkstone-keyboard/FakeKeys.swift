import CKeys
import Glibc
import Inkstone

/// Keys for windows of programs that know nothing of text proxies, struck by XTEST as if by hand; and whether the pointer's button is down.
///
/// A character that no key of the user's layout has is put on a key code that has nothing, and taken off again when it has rested.
final class FakeKeys {
    private let display: Display
    private let connection: OpaquePointer
    private let root: UInt32
    private let lent: LentKeys
    private let pause: Int
    private var rest: TimerID?

    /// Keys of a display; nil if its server has no XTEST.
    ///
    /// - Parameter pause: the milliseconds without a key after which key codes are given back.
    init?(_ display: Display, pause: Int = 2_000) {
        guard let connection = xcb_connect(display.name, nil) else { return nil }
        _ = fcntl(xcb_get_file_descriptor(connection), F_SETFD, FD_CLOEXEC)
        let version = xcb_test_get_version_reply(connection, xcb_test_get_version(connection, 2, 2), nil)
        defer { free(version) }
        guard xcb_connection_has_error(connection) == 0, version != nil else {
            xcb_disconnect(connection)
            return nil
        }
        (self.display, self.connection, self.pause) = (display, connection, pause)
        root = display.rootWindow.rawValue
        lent = LentKeys(connection, root: root)
    }

    /// Gives back the key codes that were lent, and ends.
    func close() {
        lent.giveBack()
        xcb_get_input_focus_reply(connection, xcb_get_input_focus(connection), nil).map { free($0) }
        xcb_disconnect(connection)
    }

    /// Whether the primary button is down, whoever hears of it. One round trip.
    var isButtonDown: Bool { heldMask & UInt32(XCB_BUTTON_MASK_1.rawValue) != 0 }

    /// The modifiers and buttons that are down or locked. One round trip.
    private var heldMask: UInt32 {
        let reply = xcb_query_pointer_reply(connection, xcb_query_pointer(connection, root), nil)
        defer { free(reply) }
        return UInt32(reply?.pointee.mask ?? 0)
    }

    /// Does to whatever window has the X focus what a person would do with keys. What is marked is not seen there.
    func perform(_ deed: Deed) {
        switch deed {
        case .insert(let text):
            // Caps Lock would have it in other letters, and a key code that is lent has no others: off, and on again.
            let lock = heldMask & UInt32(XCB_MOD_MASK_LOCK.rawValue) != 0 ? keycode(of: 0xffe5) : nil
            if let lock { strike(lock, holding: nil) }
            for scalar in text.unicodeScalars { type(scalar) }
            if let lock { strike(lock, holding: nil) }
        case .deleteBackward: strike(0xff08)
        case .deleteForward: strike(0xffff)
        case .move(let count): for _ in 0..<count.magnitude { strike(count < 0 ? 0xff51 : 0xff53) }
        case .mark, .unmark: break
        }
        xcb_flush(connection)
    }

    private func type(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\n": strike(0xff0d)
        case "\t": strike(0xff09)
        default:
            let text = String(scalar)
            strike(Keysym(rawValue: scalar.value < 0x100 ? scalar.value : 0x0100_0000 + scalar.value)) {
                Keyboard.characters(for: $0) == text
            }
        }
    }

    /// Strikes the key with a symbol, or with one that is as good.
    private func strike(_ keysym: Keysym, isAsGood: (Keysym) -> Bool = { _ in false }) {
        let keyboard = display.keyboard
        var shift: UInt8?
        var found: (keycode: UInt8, needsShift: Bool)?
        for keycode in UInt8(8)...255 where !lent.keys.contains(where: { $0.keycode == keycode }) {
            let symbols = keyboard.symbols(of: keycode)
            if symbols.first == 0xffe1 { shift = shift ?? keycode }
            for (index, symbol) in symbols.prefix(2).enumerated() where symbol == keysym || isAsGood(symbol) {
                if found == nil || found?.needsShift == true && index == 0 { found = (keycode, index == 1) }
            }
        }
        if let found, !found.needsShift || shift != nil {
            strike(found.keycode, holding: found.needsShift ? shift : nil)
        } else if let keycode = lend(keysym) {
            strike(keycode, holding: nil)
        }
    }

    /// The key with a symbol as it is; nil for none.
    private func keycode(of keysym: Keysym) -> UInt8? {
        (UInt8(8)...255).first { display.keyboard.symbols(of: $0).first == keysym }
    }

    private func strike(_ keycode: UInt8, holding shift: UInt8?) {
        if let shift { fake(XCB_KEY_PRESS, shift) }
        fake(XCB_KEY_PRESS, keycode)
        fake(XCB_KEY_RELEASE, keycode)
        if let shift { fake(XCB_KEY_RELEASE, shift) }
    }

    private func fake(_ type: CInt, _ keycode: UInt8) {
        xcb_test_fake_input(connection, UInt8(type), keycode, 0, 0, 0, 0, 0)
    }

    // MARK: Key codes that are lent

    /// The key code of a symbol that no key has. The one that was lent the longest time ago is used again only when all are in use: who
    /// reads its map late would take its new symbol for the old one.
    private func lend(_ keysym: Keysym) -> UInt8? {
        display.cancel(rest)
        rest = display.schedule(afterMilliseconds: pause) { [weak self] in self?.lent.giveBack() }
        if let known = lent.keys.first(where: { $0.keysym == keysym }) { return known.keycode }
        let free = (UInt8(8)...255).reversed().filter { code in
            display.keyboard.symbols(of: code).isEmpty && !lent.keys.contains { $0.keycode == code }
        }
        let oldest = lent.keys.prefix(1).map(\.keycode)
        return lent.lend(lent.keys.count < 10 ? free + oldest : oldest, to: keysym)
    }
}
