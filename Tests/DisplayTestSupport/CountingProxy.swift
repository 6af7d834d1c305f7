import Foundation
import InkstoneTesting
import Synchronization

/// A door in front of an X server that counts what passes: a display of its own number, whose connections it joins with the
/// real one's.
///
/// It understands just enough of the protocol to tell requests, replies, errors and events apart, each way, per connection.
package final class CountingProxy: Sendable {
    /// What has passed over one connection.
    package struct Counts: Hashable, Sendable {
        /// Requests by the client.
        package var requests = 0
        /// Their bytes.
        package var requestBytes = 0
        /// Requests by major opcode: the core protocol's below 128.
        package var opcodes: [UInt8: Int] = [:]
        /// Replies by the server: each one is a round trip that somebody waited for.
        package var replies = 0
        /// Events by the server.
        package var events = 0
        /// X errors.
        package var errors = 0

        /// What has been added since an earlier count.
        package static func - (now: Counts, before: Counts) -> Counts {
            Counts(
                requests: now.requests - before.requests, requestBytes: now.requestBytes - before.requestBytes,
                opcodes: now.opcodes.merging(before.opcodes, uniquingKeysWith: -).filter { $0.value != 0 },
                replies: now.replies - before.replies, events: now.events - before.events,
                errors: now.errors - before.errors)
        }
    }

    /// The display's name for programs that are to be counted, such as `:87`.
    package let display: String
    private let path: String
    private let serverPath: String
    private let listener: CInt
    private let lock: CInt
    private let connections = Mutex<[Counts]>([])
    private let limit = Mutex<Int?>(nil)

    /// Opens a door to `server`'s display.
    package init(to server: XServer) throws {
        serverPath = "/tmp/.X11-unix/X\(server.display.dropFirst())"
        // Xvfb takes the lowest free number; the door looks for one far from there.
        for number in 2000..<2400 {
            let path = "/tmp/.X11-unix/X\(number)"
            // The lock file is what X servers exclude each other by.
            let lock = open("/tmp/.X\(number)-lock", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o444)
            guard lock >= 0 else { continue }
            let listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
            unlink(path)
            guard listener >= 0, Self.withAddress(path, { bind(listener, $0, $1) }) == 0, listen(listener, 16) == 0
            else {
                close(lock)
                unlink("/tmp/.X\(number)-lock")
                continue
            }
            self.lock = lock
            self.listener = listener
            self.path = path
            display = ":\(number)"
            Thread.detachNewThread { [self] in acceptConnections() }
            return
        }
        throw TimedOut(what: "a free display number for the counting proxy", milliseconds: 0)
    }

    /// Counts of every connection so far, in the order in which they were made.
    package var counts: [Counts] { connections.withLock { $0 } }

    /// What has passed over all connections together.
    package var total: Counts {
        counts.reduce(into: Counts()) { sum, counts in
            sum = Counts(
                requests: sum.requests + counts.requests, requestBytes: sum.requestBytes + counts.requestBytes,
                opcodes: sum.opcodes.merging(counts.opcodes, uniquingKeysWith: +),
                replies: sum.replies + counts.replies, events: sum.events + counts.events,
                errors: sum.errors + counts.errors)
        }
    }

    /// How many requests of a connection reach the server: the next one ends it, as if the server had died. nil for all.
    package var requestLimit: Int? {
        get { limit.withLock { $0 } }
        set { limit.withLock { $0 = newValue } }
    }

    /// Takes no more connections; those that stand end with their client.
    package func end() {
        shutdown(listener, CInt(SHUT_RDWR))
        close(lock)
        unlink(path)
        unlink("/tmp/.X\(display.dropFirst())-lock")
    }

    private func acceptConnections() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { break }
            let server = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
            guard Self.withAddress(serverPath, { connect(server, $0, $1) }) == 0 else {
                close(client)
                close(server)
                continue
            }
            let index = connections.withLock { list in
                list.append(Counts())
                return list.count - 1
            }
            Thread.detachNewThread { [self] in pump(client, server, index) }
        }
        close(listener)
    }

    private func pump(_ client: CInt, _ server: CInt, _ index: Int) {
        var requests = RequestParser()
        var answers = AnswerParser()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var polled = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        loop: while true {
            guard poll(&polled, 2, -1) > 0 else { continue }
            for (from, to) in [(0, server), (1, client)] where polled[from].revents != 0 {
                let count = read(polled[from].fd, &buffer, buffer.count)
                guard count > 0 else { break loop }
                let passed = connections.withLock { list in
                    if from == 0 {
                        requests.take(buffer[..<count], into: &list[index])
                    } else {
                        answers.take(buffer[..<count], into: &list[index])
                    }
                    return list[index].requests
                }
                if let requestLimit, passed > requestLimit { break loop }
                var sent = 0
                while sent < count {
                    let written = buffer[sent..<count].withUnsafeBytes {
                        send(to, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
                    }
                    guard written > 0 else { break loop }
                    sent += written
                }
            }
        }
        close(client)
        close(server)
    }

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return withUnsafePointer(to: &address) {
            body(UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self), socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
}

/// Cuts a stream into messages (X Window System Protocol, "Encoding": little-endian, BIG-REQUESTS understood).
private struct MessageStream {
    private var pending: [UInt8] = []
    /// How many bytes of the last message are still to come.
    private var skip = 0

    /// - Parameter length: looks at the start of a message and says how long it is in bytes; nil if that cannot be told yet.
    mutating func take(_ bytes: ArraySlice<UInt8>, length: (_ start: ArraySlice<UInt8>) -> Int?) {
        pending += bytes
        var at = 0
        while true {
            let step = min(skip, pending.count - at)
            at += step
            skip -= step
            guard skip == 0, let size = length(pending[at...]) else { break }
            skip = size
        }
        pending.removeFirst(at)
    }
}

extension ArraySlice<UInt8> {
    /// A number of so many bytes, so far from the start.
    fileprivate func number(at offset: Int, bytes: Int) -> Int {
        (0..<bytes).reduce(0) { $0 | Int(self[startIndex + offset + $1]) << (8 * $1) }
    }
}

/// Counts the client's requests.
private struct RequestParser {
    private var stream = MessageStream()
    private var setUp = false

    mutating func take(_ bytes: ArraySlice<UInt8>, into counts: inout CountingProxy.Counts) {
        stream.take(bytes) { start in
            guard setUp else {
                guard start.count >= 12 else { return nil }
                setUp = true
                let (name, data) = (start.number(at: 6, bytes: 2), start.number(at: 8, bytes: 2))
                return 12 + (name + 3) / 4 * 4 + (data + 3) / 4 * 4
            }
            guard start.count >= 8 || (start.count >= 4 && start.number(at: 2, bytes: 2) != 0) else { return nil }
            let short = start.number(at: 2, bytes: 2)
            let size = 4 * (short != 0 ? short : start.number(at: 4, bytes: 4))
            counts.requests += 1
            counts.requestBytes += size
            counts.opcodes[start[start.startIndex], default: 0] += 1
            return size
        }
    }
}

/// Counts the set-up's answer, replies, errors and events of the server.
private struct AnswerParser {
    private var stream = MessageStream()
    private var setUp = false

    mutating func take(_ bytes: ArraySlice<UInt8>, into counts: inout CountingProxy.Counts) {
        stream.take(bytes) { start in
            guard setUp else {
                guard start.count >= 8 else { return nil }
                setUp = true
                return 8 + 4 * start.number(at: 6, bytes: 2)
            }
            guard start.count >= 32 else { return nil }
            let extra = start.number(at: 4, bytes: 4) * 4
            switch start[start.startIndex] & 0x7f {
            case 0:
                counts.errors += 1
                return 32
            case 1:
                counts.replies += 1
                return 32 + extra
            case 35:  // GenericEvent
                counts.events += 1
                return 32 + extra
            default:
                counts.events += 1
                return 32
            }
        }
    }
}
