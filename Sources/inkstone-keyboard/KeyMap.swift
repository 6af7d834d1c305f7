import CKeys
import Glibc
import Inkstone

/// The keyboard map of the server, with the keysyms of all key codes. It is read and changed by XKB (The X Keyboard
/// Extension: Protocol Specification, `GetMap` and `SetMap`).
///
/// One XKB request can change any number of key codes, and programs are notified once. With the core protocol, each
/// range of codes is a separate change. At each change, all programs read the map again, and window managers grab all
/// their keys again. A busy window manager delays clicks that reach it before other programs. If a button's release is
/// still delayed at the next press, the server drops the release.
///
/// The server applies each change of the core keyboard to all keyboards that are attached to it, the user's and
/// XTEST's. Their layouts may differ.
struct KeyMap {
    /// The extensions of the requests that are sent here. xcb identifies an extension by the address of its
    /// structure, so the structures must not move in memory.
    nonisolated(unsafe) private static let keyboardExtension = xExtension("XKEYBOARD")
    nonisolated(unsafe) private static let inputExtension = xExtension("XInputExtension")

    /// The length of a request before its lists, in bytes, including the 4 bytes that xcb fills in.
    private static let headLength = 36
    /// The device number that stands for the core keyboard in requests of XKB (`UseCoreKbd`).
    static let coreKeyboard: UInt16 = 0x100
    /// The bit for the keysyms among the parts of a map in requests of XKB.
    private static let symbolsMask: UInt16 = 2
    /// The value of the field `use` that marks a keyboard attached to another one, in a reply of the X Input
    /// Extension 2.
    private static let attachedKeyboard: UInt16 = 4

    private let connection: OpaquePointer

    /// Creates the map of a connection's server; nil if the server has no XKB.
    init?(_ connection: OpaquePointer) {
        self.connection = connection
        var use = [UInt8](repeating: 0, count: 8)
        use.replaceSubrange(4..<6, with: bytes(UInt16(1)))
        guard let reply = call(0, use), reply[1] != 0 else { return nil }
    }

    /// The keysyms of the key codes from `first` on, each key in the form of the protocol.
    struct Contents {
        fileprivate var first: UInt8
        fileprivate var keys: [[UInt8]]
        /// The key codes that were changed since the map was read.
        fileprivate var changed: Set<UInt8> = []

        /// The key codes that have no keysym.
        var free: [UInt8] {
            keys.indices.filter { keys[$0].dropFirst(8).allSatisfy { $0 == 0 } }.map { first + UInt8($0) }
        }

        /// Returns the keysym on a level of a key code's first group; nil if there is none.
        func symbol(_ keycode: UInt8, _ level: Int) -> Keysym? {
            guard keycode >= first, Int(keycode - first) < keys.count else { return nil }
            let key = keys[Int(keycode - first)]
            guard level < Int(key[5]), key.count >= 12 + 4 * level else { return nil }
            return key.withUnsafeBytes {
                Keysym(rawValue: $0.loadUnaligned(fromByteOffset: 8 + 4 * level, as: UInt32.self))
            }
        }

        /// Sets the keysyms of key codes. A key code gets one group, with one or two levels. If its list is empty,
        /// it gets no group.
        mutating func set(_ symbols: [UInt8: [Keysym]]) {
            for (keycode, symbols) in symbols where keycode >= first && Int(keycode - first) < keys.count {
                // Key type 0 has one level and type 1 has two, on every server.
                var key: [UInt8] = [symbols.count > 1 ? 1 : 0, 0, 0, 0, symbols.isEmpty ? 0 : 1, UInt8(symbols.count)]
                key += bytes(UInt16(symbols.count))
                for symbol in symbols { key += bytes(symbol.rawValue) }
                guard keys[Int(keycode - first)] != key else { continue }
                keys[Int(keycode - first)] = key
                changed.insert(keycode)
            }
        }

        /// Whether a key code has different keysyms in the map of another keyboard.
        fileprivate func differs(_ keycode: UInt8, from other: Contents) -> Bool {
            func key(_ contents: Contents) -> [UInt8]? {
                let index = Int(keycode) - Int(contents.first)
                return contents.keys.indices.contains(index) ? contents.keys[index] : nil
            }
            return key(self) != key(other)
        }
    }

    /// Reads the keysyms of all key codes; nil if the server does not send a valid reply.
    ///
    /// - Parameter device: the identifier of the keyboard.
    func read(of device: UInt16 = coreKeyboard) -> Contents? { answer(to: ask(device)).flatMap(contents) }

    private func ask(_ device: UInt16) -> UInt32 {
        var request = [UInt8](repeating: 0, count: 28)
        request.replaceSubrange(4..<8, with: bytes(device) + bytes(Self.symbolsMask))
        return send(8, request)
    }

    private func contents(_ reply: [UInt8]) -> Contents? {
        guard reply.count >= 40 else { return nil }
        let count = Int(reply[20])
        var keys: [[UInt8]] = []
        var at = 40
        for _ in 0..<count {
            guard at + 8 <= reply.count else { return nil }
            let symbols = reply.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at + 6, as: UInt16.self) }
            let length = 8 + 4 * Int(symbols)
            guard at + length <= reply.count else { return nil }
            keys.append(Array(reply[at..<(at + length)]))
            at += length
        }
        return keys.isEmpty ? nil : Contents(first: reply[17], keys: keys)
    }

    /// The identifiers of the keyboards that are attached to the core keyboard. Each change of the core keyboard is
    /// applied to them. Empty if the server does not answer. Three round trips.
    var attached: [UInt16] {
        var version = [UInt8](repeating: 0, count: 8)
        version[4] = 2
        let all = [UInt8](repeating: 0, count: 8)
        guard call(47, version, of: Self.inputExtension) != nil, let core = call(8, emptyMap),
            let reply = call(48, all, of: Self.inputExtension), reply.count >= 32
        else { return [] }
        func number(_ at: Int) -> UInt16 {
            reply.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at, as: UInt16.self) }
        }
        var (at, keyboards) = (32, [UInt16]())
        for _ in 0..<number(8) {
            guard at + 12 <= reply.count else { break }
            if number(at + 2) == Self.attachedKeyboard, number(at + 4) == UInt16(core[1]) {
                keyboards.append(number(at))
            }
            let classes = number(at + 6)
            at += 12 + (Int(number(at + 8)) + 3) / 4 * 4
            for _ in 0..<classes where at + 4 <= reply.count { at += 4 * max(1, Int(number(at + 2))) }
        }
        return keyboards
    }

    /// A request for an empty part of the core keyboard's map. Its reply still contains the number of the core
    /// keyboard.
    private var emptyMap: [UInt8] {
        var request = [UInt8](repeating: 0, count: 28)
        request.replaceSubrange(4..<6, with: bytes(Self.coreKeyboard))
        return request
    }

    /// Writes the key codes that were changed. One request covers a range of key codes. Codes in between are
    /// written again as they are, if they have the same keysyms on all keyboards; otherwise a new request begins.
    /// Waits for the server. If a request fails, tries once more without the codes in between. Returns whether all
    /// requests of the last attempt have succeeded.
    func write(_ contents: Contents, to device: UInt16 = coreKeyboard) -> Bool {
        guard !contents.changed.isEmpty else { return true }
        let questions = device == Self.coreKeyboard ? attached.map(ask) : []
        let others = questions.compactMap { answer(to: $0).flatMap(self.contents) }
        let own = contents.ranges { keycode in others.contains { contents.differs(keycode, from: $0) } }
        if write(own, of: contents, to: device) { return true }
        // Try again without the key codes that were written only because they lie between others. The server may have
        // refused one of them: each keyboard has its own numbers for key types, and a type may not fit the keysyms on
        // another keyboard.
        return write(contents.ranges { _ in true }, of: contents, to: device)
    }

    private func write(_ ranges: [ClosedRange<UInt8>], of contents: Contents, to device: UInt16) -> Bool {
        let last = contents.first + UInt8(contents.keys.count - 1)
        let cookies = ranges.map { range in
            let keys = range.map { contents.keys[Int($0 - contents.first)] }
            var request = [UInt8](repeating: 0, count: Self.headLength)
            let total = keys.reduce(0) { $0 + ($1.count - 8) / 4 }
            request.replaceSubrange(4..<8, with: bytes(device) + bytes(Self.symbolsMask))
            (request[10], request[11]) = (contents.first, last)
            (request[14], request[15]) = (range.lowerBound, UInt8(keys.count))
            request.replaceSubrange(16..<18, with: bytes(UInt16(total)))
            return xcb_void_cookie_t(sequence: send(9, request + keys.joined(), isVoid: true))
        }
        let errors = cookies.map { xcb_request_check(connection, $0) }
        defer { for error in errors { free(error) } }
        return errors.allSatisfy { $0 == nil }
    }

    private func call(
        _ minor: UInt8, _ request: [UInt8], of form: UnsafeMutablePointer<xcb_extension_t> = keyboardExtension
    ) -> [UInt8]? {
        answer(to: send(minor, request, of: form))
    }

    private func answer(to sequence: UInt32) -> [UInt8]? {
        var error: UnsafeMutablePointer<xcb_generic_error_t>?
        let reply = xcb_wait_for_reply(connection, sequence, &error)
        defer {
            free(reply)
            free(error)
        }
        guard let reply else { return nil }
        let words = reply.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        return Array(UnsafeRawBufferPointer(start: reply, count: 32 + 4 * Int(words)))
    }

    private func send(
        _ minor: UInt8, _ request: [UInt8], of name: UnsafeMutablePointer<xcb_extension_t> = keyboardExtension,
        isVoid: Bool = false
    ) -> UInt32 {
        var request = request
        var form = xcb_protocol_request_t(count: 1, ext: name, opcode: minor, isvoid: isVoid ? 1 : 0)
        return request.withUnsafeMutableBytes { bytes in
            // xcb needs the two elements before the first one for its own use.
            var parts = [iovec](repeating: iovec(), count: 3)
            parts[2] = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
            return parts.withUnsafeMutableBufferPointer {
                xcb_send_request(connection, CInt(XCB_REQUEST_CHECKED.rawValue), $0.baseAddress.map { $0 + 2 }, &form)
            }
        }
    }
}

extension KeyMap.Contents {
    /// Returns the smallest number of ranges that contain all changed key codes. A range may also contain other key
    /// codes, but none for which `isKept` returns true.
    fileprivate func ranges(without isKept: (UInt8) -> Bool) -> [ClosedRange<UInt8>] {
        changed.sorted().reduce(into: []) { ranges, keycode in
            if let last = ranges.last, !((last.upperBound + 1)..<keycode).contains(where: isKept) {
                ranges[ranges.count - 1] = last.lowerBound...keycode
            } else {
                ranges.append(keycode...keycode)
            }
        }
    }
}

private func xExtension(_ name: String) -> UnsafeMutablePointer<xcb_extension_t> {
    let pointer = UnsafeMutablePointer<xcb_extension_t>.allocate(capacity: 1)
    pointer.initialize(to: xcb_extension_t(name: strdup(name), global_id: 0))
    return pointer
}

private func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number, Array.init)
}
