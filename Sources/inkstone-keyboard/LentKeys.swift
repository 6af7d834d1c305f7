import CKeys
import Glibc
import Inkstone

/// The key codes that the keyboard has borrowed. They are mapped to characters that no key of the user's layout
/// has.
///
/// A property of the root window lists them with their owners, so that the next keyboard can unmap the key codes of one
/// that was killed.
final class LentKeys {
    /// A borrowed key code, its keysym, and the window of the keyboard that has borrowed it. If that keyboard has
    /// ended, the window does not exist any more.
    private struct Record: Hashable {
        var owner: UInt32
        var keycode: UInt8
        var keysym: UInt32
    }

    private let connection: OpaquePointer
    private let map: KeyMap
    private let root: UInt32
    private let owner: UInt32
    private let property: UInt32
    private(set) var loans = KeyLoans()

    /// Creates an object without borrowed key codes. Unmaps those of keyboards that have ended.
    init(_ connection: OpaquePointer, _ map: KeyMap, root: UInt32) {
        (self.connection, self.map, self.root) = (connection, map, root)
        let name = "_INKSTONE_KEYBOARD_KEYS"
        let atom = xcb_intern_atom_reply(connection, xcb_intern_atom(connection, 0, UInt16(name.utf8.count), name), nil)
        property = atom?.pointee.atom ?? 0
        free(atom)
        owner = xcb_generate_id(connection)
        // Give the window an unusual size, by which it is distinguished from a later window of another client with the
        // same identifier.
        xcb_create_window(
            connection, 0, owner, root, -31, -37, 31, 37, 0, UInt16(XCB_WINDOW_CLASS_INPUT_ONLY.rawValue), 0, 0, nil)
        alone {
            let known = records()
            // Drop also records with this keyboard's own identifier: the server may have given it the identifier of a
            // keyboard that has ended.
            let left = known.filter { $0.owner != owner && isAlive($0) }
            guard left != known, var contents = map.read() else { return }
            let gone = known.filter { record in
                !left.contains(record) && contents.symbol(record.keycode, 0)?.rawValue == record.keysym
            }
            if !gone.isEmpty {
                contents.set(Dictionary(gone.map { ($0.keycode, []) }, uniquingKeysWith: { first, _ in first }))
                // Keep the records if the key codes cannot be unmapped, so that the next keyboard tries again.
                guard map.write(contents) else { return }
            }
            write(left)
        }
    }

    /// Maps a keysym, and as many of the likely ones as there is room for, to free key codes: those that no key and
    /// no other keyboard uses. Changes the map once. Returns the level of the first keysym. Nil if there is no
    /// room, or if the map cannot be read or changed.
    ///
    /// - Parameters:
    ///   - likely: the keysyms that may follow.
    ///   - isStruck: whether the first keysym will be typed next. If not, it is only as likely as the others.
    func lend(_ keysym: Keysym, likely: [Keysym], isStruck: Bool = true) -> KeyLoans.Place? {
        alone {
            guard var contents = map.read() else { return nil }
            let others = records().filter { $0.owner != owner }
            let old = loans
            let before = old.keys
            // Give up borrowed key codes that have another meaning since a change of the layout.
            let own = before.filter { isMapped($0.key, $0.value, in: contents) }.map(\.key)
            let free = contents.free.filter { code in !others.contains { $0.keycode == code } }
            let codes = (Set(free).union(own)).sorted(by: >)
            var next = old
            next.take([keysym], on: codes)
            if isStruck { next.strike(keysym) }
            // Keep two key codes free, for unforeseen characters and for other keyboards.
            next.take([keysym] + likely, on: Array(codes.dropLast(2)) + codes.suffix(2).filter(next.keys.keys.contains))
            guard let place = next.place(of: keysym) else { return nil }
            loans = next
            let keys = next.keys
            // Store the records before the map is changed, so that every borrowed key code is on record even if this
            // program is killed now.
            keep(beside: others)
            contents.set(keys)
            contents.set(before.filter { keys[$0.key] == nil && own.contains($0.key) }.mapValues { _ in [] })
            guard map.write(contents) else {
                loans = old
                keep(beside: others)
                return nil
            }
            return place
        }
    }

    /// Returns the level of a keysym that is mapped already, and records the keysym as typed. Nil if there is none,
    /// or if its key code has another meaning by now. One round trip.
    func place(of keysym: Keysym) -> KeyLoans.Place? {
        guard let place = loans.place(of: keysym),
            symbols(of: place.keycode).dropFirst(place.needsShift ? 1 : 0).first == keysym
        else { return nil }
        loans.strike(keysym)
        return place
    }

    func giveBack() {
        let keys = loans.keys
        guard !keys.isEmpty else { return }
        alone {
            if var contents = map.read() {
                contents.set(keys.filter { isMapped($0.key, $0.value, in: contents) }.mapValues { _ in [] })
                // Keep the records if the key codes cannot be unmapped, so that the next keyboard tries again.
                guard map.write(contents) else { return }
            }
            loans = KeyLoans()
            keep(beside: records().filter { $0.owner != owner })
        }
    }

    private func isMapped(_ keycode: UInt8, _ symbols: [Keysym], in contents: KeyMap.Contents) -> Bool {
        symbols.indices.allSatisfy { contents.symbol(keycode, $0) == symbols[$0] }
    }

    /// Runs work that reads the records of all keyboards and writes them again. Grabs the server, so that no other
    /// keyboard does the same in between.
    private func alone<Value>(_ work: () -> Value) -> Value {
        xcb_grab_server(connection)
        defer {
            xcb_ungrab_server(connection)
            xcb_flush(connection)
        }
        return work()
    }

    private func keep(beside others: [Record]) {
        write(
            others + loans.keys.map { Record(owner: owner, keycode: $0.key, keysym: $0.value.first?.rawValue ?? 0) })
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

    /// Returns the keysyms of a key code, read by the core protocol; empty if the server sends no valid reply. The
    /// first two are the levels of the first group.
    private func symbols(of keycode: UInt8) -> [Keysym] {
        let cookie = xcb_get_keyboard_mapping(connection, keycode, 1)
        let reply = xcb_get_keyboard_mapping_reply(connection, cookie, nil)
        defer { free(reply) }
        guard let reply, let symbols = xcb_get_keyboard_mapping_keysyms(reply) else { return [] }
        let count = Int(xcb_get_keyboard_mapping_keysyms_length(reply))
        return (0..<count).map { Keysym(rawValue: symbols[$0]) }
    }
}
