import CKeys
import Glibc
import Inkstone

/// Key codes that have a character for now, because no key of the user's layout has it.
///
/// The root window tells which they are and of whom, so that the next keyboard gives back those of one that was killed.
final class LentKeys {
    /// A key code and its symbol; the window is gone when its keyboard has.
    private struct Record: Hashable {
        var owner: UInt32
        var keycode: UInt8
        var keysym: UInt32
    }

    private let connection: OpaquePointer
    private let root: UInt32
    private let owner: UInt32
    private let property: UInt32
    /// Key codes of this keyboard, the one that was used last at the end.
    private(set) var keys: [(keycode: UInt8, keysym: Keysym)] = []

    /// Gives back the key codes of keyboards that have gone.
    init(_ connection: OpaquePointer, root: UInt32) {
        (self.connection, self.root) = (connection, root)
        let name = "_INKSTONE_KEYBOARD_KEYS"
        let atom = xcb_intern_atom_reply(connection, xcb_intern_atom(connection, 0, UInt16(name.utf8.count), name), nil)
        property = atom?.pointee.atom ?? 0
        free(atom)
        owner = xcb_generate_id(connection)
        // Of its own size, so that a number that another client has got is not taken for it.
        xcb_create_window(
            connection, 0, owner, root, -31, -37, 31, 37, 0, UInt16(XCB_WINDOW_CLASS_INPUT_ONLY.rawValue), 0, 0, nil)
        alone {
            let known = records()
            // The server may have given us the number of the one that has gone.
            let left = known.filter { $0.owner != owner && isAlive($0) }
            guard left != known else { return }
            for record in known where !left.contains(record) && isMapped(record) { map(record.keycode, to: 0) }
            write(left)
        }
    }

    /// Has the first key code that no other keyboard has lent mean a symbol. Returns which it is; nil for none.
    func lend(_ keycodes: [UInt8], to keysym: Keysym) -> UInt8? {
        alone {
            let others = records().filter { $0.owner != owner }
            guard let keycode = keycodes.first(where: { code in !others.contains { $0.keycode == code } }) else {
                return nil
            }
            keys.removeAll { $0.keycode == keycode }
            keys.append((keycode, keysym))
            // First, so that none is lent that nobody knows of.
            keep(beside: others)
            map(keycode, to: keysym.rawValue)
            return keycode
        }
    }

    func giveBack() {
        guard !keys.isEmpty else { return }
        alone {
            for (keycode, _) in keys { map(keycode, to: 0) }
            keys = []
            keep(beside: records().filter { $0.owner != owner })
        }
    }

    /// Does a work that reads what all keyboards have lent and writes it again, between which none may do the same.
    private func alone<Value>(_ work: () -> Value) -> Value {
        xcb_grab_server(connection)
        defer {
            xcb_ungrab_server(connection)
            xcb_flush(connection)
        }
        return work()
    }

    private func map(_ keycode: UInt8, to keysym: UInt32) {
        // The same with and without Shift: else it would have a capital.
        xcb_change_keyboard_mapping(connection, 1, keycode, 2, [keysym, keysym])
    }

    private func keep(beside others: [Record]) {
        write(others + keys.map { Record(owner: owner, keycode: $0.keycode, keysym: $0.keysym.rawValue) })
    }

    private func records() -> [Record] {
        let cookie = xcb_get_property(
            connection, 0, root, property, UInt32(XCB_ATOM_CARDINAL.rawValue), 0, 3 * 256)
        let reply = xcb_get_property_reply(connection, cookie, nil)
        defer { free(reply) }
        guard let reply, reply.pointee.format == 32, let data = xcb_get_property_value(reply) else { return [] }
        let words = UnsafeRawBufferPointer(start: data, count: Int(xcb_get_property_value_length(reply)))
        return stride(from: 0, to: words.count - 11, by: 12).compactMap { at in
            let numbers = (0..<3).map { words.loadUnaligned(fromByteOffset: at + 4 * $0, as: UInt32.self) }
            guard let keycode = UInt8(exactly: numbers[1]), keycode >= 8 else { return nil }
            return Record(owner: numbers[0], keycode: keycode, keysym: numbers[2])
        }
    }

    private func write(_ records: [Record]) {
        let words = records.flatMap { [$0.owner, UInt32($0.keycode), $0.keysym] }
        xcb_change_property(
            connection, UInt8(XCB_PROP_MODE_REPLACE.rawValue), root, property, UInt32(XCB_ATOM_CARDINAL.rawValue), 32,
            UInt32(words.count), words)
    }

    private func isAlive(_ record: Record) -> Bool {
        let reply = xcb_get_geometry_reply(connection, xcb_get_geometry(connection, record.owner), nil)
        defer { free(reply) }
        return reply.map { ($0.pointee.width, $0.pointee.height) == (31, 37) } ?? false
    }

    /// Whether a key code still means what it was lent to: the layout may be another one since.
    private func isMapped(_ record: Record) -> Bool {
        let cookie = xcb_get_keyboard_mapping(connection, record.keycode, 1)
        let reply = xcb_get_keyboard_mapping_reply(connection, cookie, nil)
        defer { free(reply) }
        guard let reply, let symbols = xcb_get_keyboard_mapping_keysyms(reply) else { return false }
        return xcb_get_keyboard_mapping_keysyms_length(reply) > 0 && symbols[0] == record.keysym
    }
}
