import CBus
import Glibc
import InkstoneBase
import InkstoneTesting
import Testing

@testable import InkstoneBus

extension PrivateBus {
    /// A setup for this bus, with short times.
    var setup: BusSetup {
        var setup = BusSetup(address: address)
        setup.timing.retry = 20
        return setup
    }

    /// A connected client.
    func connect(_ change: (inout BusSetup) -> Void = { _ in }) throws -> Bus {
        var setup = setup
        change(&setup)
        let bus = Bus(setup)
        bus.start()
        try bus.wait("the connection") { bus.uniqueName != nil }
        return bus
    }
}

extension Bus {
    /// The unique name, while connected.
    var uniqueName: String? { if case .connected(let name) = state { name } else { nil } }

    /// Receives until a condition holds.
    func wait(_ what: String, within milliseconds: Int = 10_000, until condition: () throws -> Bool) throws {
        try waitUntil(what, within: milliseconds, watching: [descriptor], instead: { "state \(self.state)" }) {
            receive()
            return try condition()
        }
    }

    /// Calls a method of the test's interface, and waits for the answer while others receive as well.
    func ask(
        _ destination: String, _ member: String, _ body: [BusValue] = [], path: String = "/test",
        interface: String = "org.inkstone.Test", timeout: Int64? = nil, serving others: [Bus] = []
    ) throws -> Result<[BusValue], BusFailure> {
        var answer: Result<[BusValue], BusFailure>?
        try call(destination, path: path, interface: interface, member: member, body, timeout: timeout) { answer = $0 }
        try waitAll([self] + others, "the answer to \(member)") { answer != nil }
        return try #require(answer)
    }
}

/// Receives from several clients until a condition holds.
func waitAll(
    _ clients: [Bus], _ what: String, within milliseconds: Int = 10_000, until condition: () throws -> Bool
) throws {
    try waitUntil(what, within: milliseconds, watching: clients.map(\.descriptor)) {
        for client in clients { client.receive() }
        return try condition()
    }
}

extension Result {
    /// The failure; nil for a success.
    var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}

/// A peer that says what it likes: sd-bus as it is, on the test's thread.
final class RawPeer {
    /// Filled once and kept: a connection uses it to its very end.
    nonisolated(unsafe) private static let table: UnsafePointer<cbus_functions>? = {
        let functions = UnsafeMutablePointer<cbus_functions>.allocate(capacity: 1)
        var missing: UnsafePointer<CChar>?
        return BusSetup().libraries.contains { cbus_load($0, functions, &missing) } ? UnsafePointer(functions) : nil
    }()

    let functions: UnsafePointer<cbus_functions>
    let connection: BusConnection
    /// The number of answers that have come without an error.
    private(set) var answers = 0
    /// Sender, cookie and member of the calls that have come.
    private(set) var calls: [(address: BusReplyAddress, member: String)] = []

    init(_ bus: PrivateBus) throws {
        functions = try #require(Self.table)
        connection = try BusConnection(functions, address: bus.address)
        try waitUntil("a raw connection", watching: [connection.descriptor]) {
            step()
            return connection.isReady
        }
    }

    var name: String { connection.uniqueName ?? "" }

    /// Reads and writes as far as that goes.
    func step() {
        while true {
            switch connection.step() {
            case .idle, .ended: return
            case .worked: break
            case .message(let message):
                var (type, cookie): (UInt8, UInt64) = (0, 0)
                _ = functions.pointee.sd_bus_message_get_type(message, &type)
                _ = functions.pointee.sd_bus_message_get_cookie(message, &cookie)
                if type == 2 { answers += 1 }
                if type == 1, let sender = functions.pointee.sd_bus_message_get_sender(message),
                    let member = functions.pointee.sd_bus_message_get_member(message)
                {
                    let address = BusReplyAddress(connection: 0, name: String(cString: sender), cookie: cookie)
                    calls.append((address, String(cString: member)))
                }
                connection.release(message)
            }
        }
    }

    /// Writes all that waits.
    func flush() throws {
        try waitUntil("the raw peer to be read", within: 30_000, watching: [connection.descriptor], every: 1) {
            step()
            return !connection.isWriting
        }
    }
}
