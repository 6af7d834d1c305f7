import Foundation
import InkstoneTesting
import Synchronization

/// A proxy in front of an X server that counts its traffic, and can be as slow as a distant server. It has a
/// display number of its own, and forwards its connections to the real server.
///
/// It parses just enough of the protocol to distinguish requests, replies, errors and events per connection and
/// direction.
package final class CountingProxy: Sendable {
    /// The traffic of one connection.
    package struct Counts: Hashable, Sendable {
        /// The number of the client's requests.
        package var requests = 0
        /// The size of the requests in bytes.
        package var requestBytes = 0
        /// Requests by major opcode: the core protocol's below 128.
        package var opcodes: [UInt8: Int] = [:]
        /// The number of the server's replies.
        package var replies = 0
        /// The size of everything sent by the server, in bytes.
        package var answerBytes = 0
        /// The number of times that the client sent something after a reply had reached it, plus one for the start:
        /// on a slow link, at least the number of replies that it has waited for.
        package var roundTrips = 0
        /// The number of the server's events.
        package var events = 0
        /// The number of X errors.
        package var errors = 0

        /// Returns the traffic since an earlier count.
        package static func - (now: Counts, before: Counts) -> Counts {
            Counts(
                requests: now.requests - before.requests, requestBytes: now.requestBytes - before.requestBytes,
                opcodes: now.opcodes.merging(before.opcodes, uniquingKeysWith: -).filter { $0.value != 0 },
                replies: now.replies - before.replies, answerBytes: now.answerBytes - before.answerBytes,
                roundTrips: now.roundTrips - before.roundTrips, events: now.events - before.events,
                errors: now.errors - before.errors)
        }
    }

    /// A connection to a distant server.
    package struct Link: Hashable, Sendable {
        /// The delay of a byte in milliseconds, in each direction.
        package var delay: Double
        /// The maximum rate in bytes per second, in each direction.
        package var rate: Double

        /// A link of a round trip of 100 ms, for 1 Mbit/s.
        package static let slow = Link(delay: 50, rate: 125_000)
    }

    /// The display name for programs whose traffic is to be counted, such as `:87`.
    package let display: String
    private let path: String
    private let serverPath: String
    private let listener: CInt
    private let lock: CInt
    private let connections = Mutex<[Counts]>([])
    private let limit = Mutex<Int?>(nil)
    private let currentLink = Mutex<Link?>(nil)

    /// Starts a proxy for a server's display.
    package init(to server: XServer) throws {
        serverPath = "/tmp/.X11-unix/X\(server.display.dropFirst())"
        // Xvfb takes the lowest free number, so the proxy searches far from there.
        for number in 2000..<2400 {
            let path = "/tmp/.X11-unix/X\(number)"
            // X servers use this lock file to reserve a display number.
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

    /// The traffic of all connections together.
    package var total: Counts {
        counts.reduce(into: Counts()) { sum, counts in
            sum = Counts(
                requests: sum.requests + counts.requests, requestBytes: sum.requestBytes + counts.requestBytes,
                opcodes: sum.opcodes.merging(counts.opcodes, uniquingKeysWith: +),
                replies: sum.replies + counts.replies, answerBytes: sum.answerBytes + counts.answerBytes,
                roundTrips: sum.roundTrips + counts.roundTrips, events: sum.events + counts.events,
                errors: sum.errors + counts.errors)
        }
    }

    /// The number of requests of each connection that are forwarded; the next one closes the connection, as if the
    /// server had died. Nil for no limit.
    package var requestLimit: Int? {
        get { limit.withLock { $0 } }
        set { limit.withLock { $0 = newValue } }
    }

    /// The simulated link for later traffic; nil for no delay.
    package var link: Link? {
        get { currentLink.withLock { $0 } }
        set { currentLink.withLock { $0 = newValue } }
    }

    /// Accepts no more connections; existing ones end with their clients.
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
        var ways = [Way(from: client, to: server), Way(from: server, to: client)]
        var hasAnswer = false
        loop: while true {
            var polled = ways.map { pollfd(fd: $0.isFull ? -1 : $0.from, events: Int16(POLLIN), revents: 0) }
            let wait = ways.compactMap(\.due).min().map { CInt(max(0, ($0 - Deadline.now).rounded(.up))) }
            guard poll(&polled, 2, wait ?? -1) >= 0 else { continue }
            for (way, polled) in polled.enumerated() {
                if polled.revents != 0 {
                    let link = link
                    // Read in packets on a slow link, so that the first part of a large message arrives before the
                    // last.
                    let count = read(polled.fd, &buffer, link == nil ? buffer.count : 1460)
                    guard count > 0 else { break loop }
                    let (passed, replies) = connections.withLock { list in
                        let before = list[index].replies
                        if way == 0 {
                            requests.take(buffer[..<count], into: &list[index])
                            if hasAnswer { list[index].roundTrips += 1 }
                            hasAnswer = false
                            return (list[index].requests, 0)
                        }
                        let isFirst = list[index].answerBytes == 0
                        answers.take(buffer[..<count], into: &list[index])
                        list[index].answerBytes += count
                        return (0, list[index].replies - before + (isFirst ? 1 : 0))
                    }
                    if let requestLimit, passed > requestLimit { break loop }
                    ways[way].take(buffer[..<count], replies: replies, link)
                }
                guard let replies = ways[way].deliver() else { break loop }
                if replies > 0 { hasAnswer = true }
            }
        }
        for way in ways.indices { _ = ways[way].deliver(all: true) }
        close(client)
        close(server)
    }

    /// A single direction of a connection, with its data in transit.
    private struct Way {
        let from: CInt
        let to: CInt
        private var pieces: ArraySlice<(due: Double, bytes: [UInt8], replies: Int)> = []
        private var waiting = 0
        /// The time at which the link has room for more.
        private var free = 0.0

        init(from: CInt, to: CInt) { (self.from, self.to) = (from, to) }

        /// The arrival time of the next piece, in milliseconds of ``Deadline/now``.
        var due: Double? { pieces.first?.due }
        /// Whether too much data is in transit to accept more.
        var isFull: Bool { waiting > 1 << 20 }

        mutating func take(_ bytes: ArraySlice<UInt8>, replies: Int, _ link: Link?) {
            let now = Deadline.now
            free = max(now, free) + (link.map { Double(bytes.count) / $0.rate * 1000 } ?? 0)
            // Data never overtake those sent while the link was slow.
            pieces.append((max(free + (link?.delay ?? 0), pieces.last?.due ?? 0), Array(bytes), replies))
            waiting += bytes.count
        }

        /// Forwards the data that have arrived; returns the number of replies among them, or nil if the other end
        /// is closed.
        mutating func deliver(all: Bool = false) -> Int? {
            var replies = 0
            while let piece = pieces.first, all || piece.due <= Deadline.now {
                pieces.removeFirst()
                waiting -= piece.bytes.count
                replies += piece.replies
                var sent = 0
                while sent < piece.bytes.count {
                    let written = piece.bytes[sent...].withUnsafeBytes {
                        send(to, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
                    }
                    guard written > 0 else { return nil }
                    sent += written
                }
            }
            return replies
        }
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
    /// The number of bytes of the last message still to come.
    private var skip = 0

    /// - Parameter length: returns the length in bytes of the message that starts with `start`; nil if more bytes are needed.
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
