import Glibc
import InkstoneTesting

/// An X client without Xlib. It sends arbitrary bytes, including events that Xlib would reject.
///
/// Messages from the server are read and dropped, except the replies needed here.
final class RawWire {
    /// The first root window.
    let root: UInt32
    private let socket: Int32
    private let firstID: UInt32
    private var count: UInt32 = 0

    /// Connects to a display such as `:7` on this machine.
    init(_ display: String) throws {
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        self.socket = socket
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = "/tmp/.X11-unix/X" + display.dropFirst()
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connected == 0 else {
            close(socket)
            throw TimedOut(what: "a connection to \(path)", milliseconds: 0, instead: "error \(errno)")
        }
        // Little-endian, protocol 11.0, no authorisation.
        Self.write(socket, [0x6c, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        let head = Self.read(socket, 8)
        let setup = Self.read(socket, Int(head[6]) * 4 + Int(head[7]) * 1024)
        func word(_ at: Int) -> UInt32 { (0..<4).reduce(0) { $0 | UInt32(setup[at + $1]) << (8 * UInt32($1)) } }
        firstID = word(4)
        let vendor = (Int(setup[16]) | Int(setup[17]) << 8) + 3 & ~3
        root = word(32 + vendor + 8 * Int(setup[21]))
    }

    deinit { close(socket) }

    /// Creates an unmapped window of 1 × 1 pixel.
    func makeWindow() -> UInt32 {
        count += 1
        let id = firstID + count
        send([1, 0, 8, 0] + bytes(id) + bytes(root) + [0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0] + bytes(0) + bytes(0))
        return id
    }

    /// Returns the atom of a name.
    func atom(_ name: String) -> UInt32 {
        let padded = Array(name.utf8) + [UInt8](repeating: 0, count: (4 - name.utf8.count % 4) % 4)
        send([16, 0] + half(2 + padded.count / 4) + half(name.utf8.count) + [0, 0] + padded)
        let reply = self.reply()
        return (0..<4).reduce(0) { $0 | UInt32(reply[8 + $1]) << (8 * UInt32($1)) }
    }

    /// Returns the first event code of an extension; 0 if the server lacks it.
    func firstEvent(of name: String) -> UInt8 {
        let padded = Array(name.utf8) + [UInt8](repeating: 0, count: (4 - name.utf8.count % 4) % 4)
        send([98, 0] + half(2 + padded.count / 4) + half(name.utf8.count) + [0, 0] + padded)
        return reply()[10]
    }

    /// Makes a window the owner of a selection.
    func own(_ selection: UInt32, _ window: UInt32) {
        send([22, 0, 4, 0] + bytes(window) + bytes(selection) + bytes(0))
    }

    /// Requests the conversion of a selection.
    func convert(_ selection: UInt32, to target: UInt32, in property: UInt32, of window: UInt32) {
        send([24, 0, 6, 0] + bytes(window) + bytes(selection) + bytes(target) + bytes(property) + bytes(0))
    }

    /// Sets a property with format 8 or 32.
    func change(_ property: UInt32, of window: UInt32, type: UInt32, to data: [UInt8], bits: UInt8 = 8) {
        let padded = data + [UInt8](repeating: 0, count: (4 - data.count % 4) % 4)
        send(
            [18, 0] + half(6 + padded.count / 4) + bytes(window) + bytes(property) + bytes(type) + [bits, 0, 0, 0]
                + bytes(UInt32(data.count / Int(bits / 8))) + padded)
    }

    /// Deletes a property.
    func delete(_ property: UInt32, of window: UInt32) { send([19, 0, 3, 0] + bytes(window) + bytes(property)) }

    /// Sends 32 bytes as an event to the clients that select `mask` on a window; with 0, to the window's creator.
    func sendEvent(_ event: [UInt8], to window: UInt32, mask: UInt32 = 0) {
        send([25, 0, 11, 0] + bytes(window) + bytes(mask) + event.prefix(32))
    }

    /// Waits until the server has processed all requests, and drops its messages.
    func sync() {
        send([43, 0, 1, 0])
        _ = reply()
    }

    func bytes(_ word: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
    private func half(_ number: Int) -> [UInt8] { [UInt8(number & 0xff), UInt8(number >> 8)] }

    private func send(_ request: [UInt8]) { Self.write(socket, request) }

    /// Returns the next reply, skipping errors and events.
    private func reply() -> [UInt8] {
        while true {
            var packet = Self.read(socket, 32)
            guard packet[0] == 1 else { continue }
            let length = (0..<4).reduce(0) { $0 | Int(packet[4 + $1]) << (8 * $1) }
            packet += Self.read(socket, length * 4)
            return packet
        }
    }

    private static func write(_ socket: Int32, _ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Reads so many bytes; returns zeros once the server is gone.
    private static func read(_ socket: Int32, _ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var got = 0
        while got < count {
            let more = bytes.withUnsafeMutableBytes { recv(socket, $0.baseAddress! + got, count - got, 0) }
            guard more > 0 else {
                bytes[0] = 1
                break
            }
            got += more
        }
        return bytes
    }
}
