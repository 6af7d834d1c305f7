import CKeys
import Glibc
import Inkstone

/// The server's symbols of all key codes, read and changed by XKB (The X Keyboard Extension: Protocol Specification, `GetMap` and `SetMap`).
///
/// Any number of key codes change by one request, which programs hear of once. By the core protocol each range of codes is a change of its
/// own; with each, all programs read the map again, and window managers grab all their keys again. A manager that is busy with that holds up
/// the clicks that it looks at first, and the server drops a release of the pointer's button that is held up until the next press.
struct KeyMap {
    /// The name must not move: xcb keeps what it knows of the extension in it.
    nonisolated(unsafe) private static let keyboardExtension = {
        let pointer = UnsafeMutablePointer<xcb_extension_t>.allocate(capacity: 1)
        pointer.initialize(to: xcb_extension_t(name: strdup("XKEYBOARD"), global_id: 0))
        return pointer
    }()

    /// The bytes of a request before its lists, the 4 that xcb fills in among them.
    private static let headLength = 36
    private static let coreKeyboard: UInt16 = 0x100
    private static let symbolsMask: UInt16 = 2

    private let connection: OpaquePointer

    /// The map of a connection's server; nil if it has no XKB.
    init?(_ connection: OpaquePointer) {
        self.connection = connection
        var use = [UInt8](repeating: 0, count: 8)
        use.replaceSubrange(4..<6, with: bytes(UInt16(1)))
        guard let reply = call(0, use), reply[1] != 0 else { return nil }
    }

    /// The symbols of the key codes from 8 on, each in the form of the protocol.
    struct Contents {
        fileprivate var first: UInt8
        fileprivate var keys: [[UInt8]]
        /// The key codes that have been set.
        fileprivate var changed: ClosedRange<UInt8>?

        /// The key codes without a symbol.
        var free: [UInt8] {
            keys.indices.filter { keys[$0].dropFirst(8).allSatisfy { $0 == 0 } }.map { first + UInt8($0) }
        }

        /// The symbol of a level of a key code's first group; nil for none.
        func symbol(_ keycode: UInt8, _ level: Int) -> Keysym? {
            guard keycode >= first, Int(keycode - first) < keys.count else { return nil }
            let key = keys[Int(keycode - first)]
            guard level < Int(key[5]), key.count >= 12 + 4 * level else { return nil }
            return key.withUnsafeBytes {
                Keysym(rawValue: $0.loadUnaligned(fromByteOffset: 8 + 4 * level, as: UInt32.self))
            }
        }

        /// Gives key codes one group with the symbols of its levels, one or two; none for no group.
        mutating func set(_ symbols: [UInt8: [Keysym]]) {
            for (keycode, symbols) in symbols where keycode >= first && Int(keycode - first) < keys.count {
                // Each server's first types are those of one and of two levels.
                var key: [UInt8] = [symbols.count > 1 ? 1 : 0, 0, 0, 0, symbols.isEmpty ? 0 : 1, UInt8(symbols.count)]
                key += bytes(UInt16(symbols.count))
                for symbol in symbols { key += bytes(symbol.rawValue) }
                guard keys[Int(keycode - first)] != key else { continue }
                keys[Int(keycode - first)] = key
                changed = min(changed?.lowerBound ?? keycode, keycode)...max(changed?.upperBound ?? keycode, keycode)
            }
        }
    }

    /// Reads all symbols; nil if the server does not answer as it should.
    func read() -> Contents? {
        var request = [UInt8](repeating: 0, count: 28)
        request.replaceSubrange(4..<8, with: bytes(Self.coreKeyboard) + bytes(Self.symbolsMask))
        guard let reply = call(8, request), reply.count >= 40 else { return nil }
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

    /// Writes the key codes that have been set, and those between them as they were. Does not wait.
    func write(_ contents: Contents) {
        guard let changed = contents.changed else { return }
        let keys = changed.map { contents.keys[Int($0 - contents.first)] }
        var request = [UInt8](repeating: 0, count: Self.headLength)
        let last = contents.first + UInt8(contents.keys.count - 1)
        let total = keys.reduce(0) { $0 + ($1.count - 8) / 4 }
        request.replaceSubrange(4..<8, with: bytes(Self.coreKeyboard) + bytes(Self.symbolsMask))
        (request[10], request[11]) = (contents.first, last)
        (request[14], request[15]) = (changed.lowerBound, UInt8(keys.count))
        request.replaceSubrange(16..<18, with: bytes(UInt16(total)))
        _ = send(9, request + keys.joined(), isVoid: true)
    }

    private func call(_ minor: UInt8, _ request: [UInt8]) -> [UInt8]? {
        let reply = xcb_wait_for_reply(connection, send(minor, request, isVoid: false), nil)
        defer { free(reply) }
        guard let reply else { return nil }
        let words = reply.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        return Array(UnsafeRawBufferPointer(start: reply, count: 32 + 4 * Int(words)))
    }

    private func send(_ minor: UInt8, _ request: [UInt8], isVoid: Bool) -> UInt32 {
        var request = request
        var form = xcb_protocol_request_t(
            count: 1, ext: Self.keyboardExtension, opcode: minor, isvoid: isVoid ? 1 : 0)
        return request.withUnsafeMutableBytes { bytes in
            // The two before it are xcb's own.
            var parts = [iovec](repeating: iovec(), count: 3)
            parts[2] = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
            return parts.withUnsafeMutableBufferPointer {
                xcb_send_request(connection, 0, $0.baseAddress.map { $0 + 2 }, &form)
            }
        }
    }
}

private func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number, Array.init)
}
