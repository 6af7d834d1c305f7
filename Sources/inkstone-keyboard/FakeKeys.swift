import CKeys
import Glibc
import Inkstone

/// Simulated key events by XTEST, for windows of programs that do not support text proxies. Also finds out whether
/// the pointer's button is down.
///
/// If no key of the user's layout has a character, the character is mapped to an unused key code, together with
/// characters that are likely to follow. The mapping stays while the keyboard runs, because a program that reads the
/// keyboard map late must still find the character, and there is no sign of when it has.
final class FakeKeys {
    private let display: Display
    private let connection: OpaquePointer
    private let root: UInt32
    private let lent: LentKeys
    /// The texts that are likely to be typed, the likeliest first.
    var likely: [String] = []

    /// Creates the value with a connection to the server of a display; nil if the server has no XTEST or no XKB.
    init?(_ display: Display) {
        guard let connection = xcb_connect(display.name, nil) else { return nil }
        _ = fcntl(xcb_get_file_descriptor(connection), F_SETFD, FD_CLOEXEC)
        let version = xcb_test_get_version_reply(connection, xcb_test_get_version(connection, 2, 2), nil)
        defer { free(version) }
        guard xcb_connection_has_error(connection) == 0, version != nil, let map = KeyMap(connection) else {
            xcb_disconnect(connection)
            return nil
        }
        (self.display, self.connection) = (display, connection)
        root = display.rootWindow.rawValue
        lent = LentKeys(connection, map, root: root)
    }

    /// Unmaps the borrowed key codes, and closes the connection.
    func close() {
        lent.giveBack()
        waitForServer()
        xcb_disconnect(connection)
    }

    /// Whether the pointer's primary button is down, whichever client gets its events. One round trip.
    var isButtonDown: Bool { heldMask & UInt32(XCB_BUTTON_MASK_1.rawValue) != 0 }

    /// The mask of the modifiers and buttons that are down or locked. One round trip.
    private var heldMask: UInt32 {
        let reply = xcb_query_pointer_reply(connection, xcb_query_pointer(connection, root), nil)
        defer { free(reply) }
        return UInt32(reply?.pointee.mask ?? 0)
    }

    /// Waits until the server has sent the simulated keys to their windows. Makes two round trips, because the server
    /// may write its first reply before it sends the keys.
    func waitForDelivery() { for _ in 0..<2 { waitForServer() } }

    private func waitForServer() {
        xcb_get_input_focus_reply(connection, xcb_get_input_focus(connection), nil).map { free($0) }
    }

    /// Performs an action in the window that has the X focus, by the key events that a person would cause. Does
    /// nothing for `mark` and `unmark`: marked text cannot be shown there.
    func perform(_ deed: Deed) {
        switch deed {
        case .insert(let text):
            // Turn Caps Lock off meanwhile: it would change the case of letters, also of those on borrowed key codes.
            let lock = heldMask & UInt32(XCB_MOD_MASK_LOCK.rawValue) != 0 ? keycode(of: 0xffe5) : nil
            if let lock { for type in [XCB_KEY_PRESS, XCB_KEY_RELEASE] { fake(type, lock) } }
            for scalar in text.unicodeScalars { type(scalar) }
            if let lock { for type in [XCB_KEY_PRESS, XCB_KEY_RELEASE] { fake(type, lock) } }
        case .deleteBackward: strike(0xff08)
        case .deleteForward: strike(0xffff)
        case .replaceBlank(let mark):
            strike(0xff08)
            for scalar in mark.unicodeScalars { type(scalar) }
        case .move(let count): for _ in 0..<count.magnitude { strike(count < 0 ? 0xff51 : 0xff53) }
        case .strike(let keysym, let modifiers):
            let held = modifiers.compactMap { keycode(of: $0.keysym) }
            for code in held { fake(XCB_KEY_PRESS, code) }
            strike(keysym)
            for code in held.reversed() { fake(XCB_KEY_RELEASE, code) }
        case .mark, .unmark: break
        }
        xcb_flush(connection)
    }

    /// Maps key codes to characters that will probably be typed: to the first missing one of `texts`, and to as
    /// many of the texts in ``likely`` as there is room for. Changes the keyboard map once. Does nothing if all
    /// characters of `texts` can be typed already.
    func prepare(for texts: [String]) {
        let layout = UserLayout(display.keyboard, except: lent.loans.keys)
        let missing = symbols(of: texts, missingOn: layout).filter { lent.loans.place(of: $0) == nil }
        guard let first = missing.first else { return }
        _ = lent.lend(first, likely: symbols(of: likely, missingOn: layout), isStruck: false)
    }

    /// Returns the keysyms of the texts' characters that no key of the user's layout has.
    private func symbols(of texts: [String], missingOn layout: UserLayout) -> [Keysym] {
        texts.flatMap(\.unicodeScalars).map(Self.keysym).filter { layout.place(of: $0) == nil }
    }

    private func type(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\n": strike(0xff0d)
        case "\t": strike(0xff09)
        default: strike(Self.keysym(of: scalar))
        }
    }

    private static func keysym(of scalar: Unicode.Scalar) -> Keysym {
        Keysym(rawValue: scalar.value < 0x100 ? scalar.value : 0x0100_0000 + scalar.value)
    }

    /// Sends the key events for a keysym, or for another keysym that types the same text. Sends none if no key code
    /// is left for it, or if it needs Shift and there is no Shift key.
    private func strike(_ keysym: Keysym) {
        let layout = UserLayout(display.keyboard, except: lent.loans.keys)
        let found = layout.place(of: keysym) ?? lent.place(of: keysym)
        guard let place = found ?? lent.lend(keysym, likely: symbols(of: likely, missingOn: layout)) else { return }
        let shift = place.needsShift ? layout.shift : nil
        guard shift != nil || !place.needsShift else { return }
        if let shift { fake(XCB_KEY_PRESS, shift) }
        fake(XCB_KEY_PRESS, place.keycode)
        fake(XCB_KEY_RELEASE, place.keycode)
        if let shift { fake(XCB_KEY_RELEASE, shift) }
    }

    /// Returns the key code whose first keysym is a given one; nil if there is none.
    private func keycode(of keysym: Keysym) -> UInt8? {
        (UInt8(8)...255).first { display.keyboard.symbols(of: $0).first == keysym }
    }

    private func fake(_ type: CInt, _ keycode: UInt8) {
        xcb_test_fake_input(connection, UInt8(type), keycode, 0, 0, 0, 0, 0)
    }
}

/// The keysyms on the keys of the user's layout, without the borrowed key codes.
private struct UserLayout {
    /// The key code of Shift; nil if there is none.
    private(set) var shift: UInt8?
    private var places: [Keysym: KeyLoans.Place] = [:]
    /// The keys by the text that they type. Some texts have two keysyms.
    private var placesOfTexts: [String: KeyLoans.Place] = [:]

    init(_ keyboard: Keyboard, except lent: [UInt8: [Keysym]]) {
        let keys = (UInt8(8)...255).filter { lent[$0] == nil }.map { ($0, keyboard.symbols(of: $0).prefix(2)) }
        shift = keys.first { $0.1.first == 0xffe1 }?.0
        // Begin with the level without Shift, so that keys that need no Shift are preferred.
        for level in shift == nil ? 0...0 : 0...1 {
            for (keycode, symbols) in keys where symbols.count > level {
                let place = KeyLoans.Place(keycode: keycode, needsShift: level == 1)
                if places[symbols[level]] == nil { places[symbols[level]] = place }
                let text = Keyboard.characters(for: symbols[level])
                if !text.isEmpty, placesOfTexts[text] == nil { placesOfTexts[text] = place }
            }
        }
    }

    /// Returns the key for a keysym, or for another keysym that types the same text; nil if there is none.
    func place(of keysym: Keysym) -> KeyLoans.Place? {
        places[keysym] ?? placesOfTexts[Keyboard.characters(for: keysym)]
    }
}
