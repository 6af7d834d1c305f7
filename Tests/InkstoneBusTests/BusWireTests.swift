import Glibc
import InkstoneBase
import InkstoneTesting
import Testing

@testable import InkstoneBus

/// The connection's descriptors and bytes on the wire.
@Suite(.timeLimit(.minutes(5))) struct BusWireTests {
    let bus: PrivateBus

    init() throws { bus = try PrivateBus() }

    /// A relay between a client and the bus, with control of its forwarding.
    private final class Relay {
        let address: String
        /// Whether data from the bus is held back.
        var isHolding = false
        /// The number of bytes forwarded one at a time.
        private(set) var count = 0
        private let listener: CInt
        private let path: String
        private var client: CInt = -1
        private var server: CInt = -1

        init(_ bus: PrivateBus) throws {
            path = bus.directory.path + "/relay"
            address = "unix:path=" + path
            listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
            server = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
            let results = [(path, bind), (bus.directory.path + "/bus", Glibc.connect)].enumerated().map { index, way in
                var name = sockaddr_un()
                name.sun_family = sa_family_t(AF_UNIX)
                withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: way.0.utf8) }
                return withUnsafePointer(to: &name) {
                    way.1(
                        index == 0 ? listener : server,
                        UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self),
                        socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            #expect(results == [0, 0] && listen(listener, 1) == 0)
        }

        deinit { for descriptor in [listener, client, server] where descriptor >= 0 { close(descriptor) } }

        /// Forwards pending data, each byte after the one before was read.
        func step() {
            if client < 0 {
                var ready = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
                guard poll(&ready, 1, 0) == 1 else { return }
                client = accept(listener, nil, nil)
            }
            pass(from: client, to: server)
            if !isHolding { pass(from: server, to: client) }
        }

        private func pass(from source: CInt, to target: CInt) {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = recv(source, &buffer, buffer.count, CInt(MSG_DONTWAIT))
            guard count > 0 else { return }
            for byte in buffer[..<count] {
                var byte = byte
                guard send(target, &byte, 1, CInt(MSG_NOSIGNAL)) == 1 else { return }
                self.count += 1
                // Until it has been taken: what lies there still would be read together with the next one.
                var unread: CInt = 1
                while ioctl(target, UInt(TIOCOUTQ), &unread) == 0, unread > 0 { sched_yield() }
            }
        }
    }

    @Test func messagesCutAtEveryByteAreReadWhole() throws {
        let relay = try Relay(bus)
        var setup = bus.setup
        setup.address = relay.address
        let split = Bus(setup)
        split.start()
        let other = try bus.connect()
        func wait(_ what: String, until condition: () -> Bool) throws {
            try waitUntil(what, watching: [other.descriptor, split.descriptor], every: 1) {
                relay.step()
                split.receive()
                other.receive()
                return condition()
            }
        }
        try wait("the connection") { split.uniqueName != nil }
        let body: [BusValue] = [
            .string("λόγος"), .variant(.array(.structure([.byte, .uint64]), [.structure([.byte(1), .uint64(2)])])),
            .bytes(Array(0...255)), .options(["a": .boolean(true), "b": .double(-1.5)]),
        ]
        _ = try split.register("/test") { [unowned split] in split.reply(to: $0, $0.message.body) }
        var answers: [Result<[BusValue], BusFailure>] = []
        for _ in 0..<3 {
            try other.call(
                split.uniqueName ?? "", path: "/test", interface: "org.inkstone.Test", member: "Ask", body
            ) { answers.append($0) }
        }
        try wait("the answers") { answers.count == 3 }
        #expect(answers == Array(repeating: .success(body), count: 3) && relay.count > 3000)
    }

    @Test func messagesThatComeTogetherAreReadInTheirOrder() throws {
        let relay = try Relay(bus)
        var setup = bus.setup
        setup.address = relay.address
        let client = Bus(setup)
        client.start()
        let other = try bus.connect()
        func wait(_ what: String, until condition: () -> Bool) throws {
            try waitUntil(what, watching: [other.descriptor, client.descriptor], every: 1) {
                relay.step()
                client.receive()
                other.receive()
                return condition()
            }
        }
        try wait("the connection") { client.uniqueName != nil }
        var received: [BusValue] = []
        _ = try client.match(BusMatch(interface: "org.inkstone.Test")) { received += $0.body }
        _ = try other.register("/test") { [unowned other] in other.reply(to: $0, [.string("matched")]) }
        func ask() throws {
            let name = other.uniqueName ?? ""
            try client.call(name, path: "/test", interface: "org.inkstone.Test", member: "Ask") {
                received += (try? $0.get()) ?? []
            }
        }
        try ask()
        try wait("the match") { received == [.string("matched")] }
        relay.isHolding = true
        for number in Int32(0)..<50 {
            try other.emit(path: "/", interface: "org.inkstone.Test", member: "Changed", [.int32(number)])
        }
        // The bus has passed all on when it answers this, which comes after them.
        var isDone = false
        try other.call(
            BusName.bus, path: BusName.busPath, interface: BusName.bus, member: "GetId"
        ) { _ in isDone = true }
        try wait("the bus") { isDone }
        #expect(received.count == 1)
        relay.isHolding = false
        try wait("all of them") { received.count == 51 }
        #expect(Array(received.dropFirst()) == (0..<50).map { .int32($0) })
    }

    /// The file that a descriptor of this process is, as `/proc` writes it.
    private func file(of descriptor: CInt) -> String {
        var link = [UInt8](repeating: 0, count: 256)
        let count = link.withUnsafeMutableBytes { readlink("/proc/self/fd/\(descriptor)", $0.baseAddress!, $0.count) }
        return String(decoding: link.prefix(max(0, count)), as: UTF8.self)
    }

    @Test func aProgramThatIsStartedInheritsNothingOfTheBus() throws {
        let client = try bus.connect()
        let peer = try RawPeer(bus)
        let inherited = dup(peer.connection.descriptor)
        defer { close(inherited) }
        let descriptors = [client.descriptor, peer.connection.descriptor]
        #expect(descriptors.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 })
        // Start a program in the usual way, without closing descriptors.
        let child = try #require(popen("readlink /proc/self/fd/*; echo end", "r"))
        var text = ""
        var buffer = [CChar](repeating: 0, count: 4096)
        while fgets(&buffer, CInt(buffer.count), child) != nil {
            text += String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        #expect(pclose(child) == 0)
        let files = text.split(separator: "\n").map { String($0) }
        #expect(files.last == "end")
        let socket = file(of: inherited)
        #expect(socket.hasPrefix("socket:"))
        #expect(files.count { $0 == socket } == 1, "the copy alone")
        peer.step()
        #expect(try client.ask(BusName.bus, "GetId", path: BusName.busPath, interface: BusName.bus).failure == nil)
    }
}
