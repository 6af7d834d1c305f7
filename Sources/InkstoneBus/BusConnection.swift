import CBus
import Glibc

/// A connection of sd-bus, used by the bus thread only. No call blocks.
final class BusConnection {
    /// The result of one step of sd-bus's work.
    enum Step {
        /// No work until the descriptor is ready or ``timeout`` is due.
        case idle
        case worked
        /// A received message. The caller must release it with ``release(_:)``.
        case message(OpaquePointer)
        /// The connection has ended; the value is the `errno`.
        case ended(Int32)
    }

    let functions: UnsafePointer<cbus_functions>
    private let bus: OpaquePointer
    /// A received call that sd-bus would have answered by itself, kept for this program to answer; nil for none.
    private var kept: OpaquePointer?

    /// Creates a connection to the bus at an address, and begins to connect without waiting.
    init(_ functions: UnsafePointer<cbus_functions>, address: String) throws(BusFailure) {
        self.functions = functions
        var made: OpaquePointer?
        guard functions.pointee.sd_bus_new(&made) >= 0, let made else { throw .unavailable("no memory for the bus") }
        bus = made
        // Do not negotiate file descriptors, so that the bus refuses messages that carry any.
        guard functions.pointee.sd_bus_set_address(bus, address) >= 0,
            functions.pointee.sd_bus_set_bus_client(bus, 1) >= 0, functions.pointee.sd_bus_negotiate_fds(bus, 0) >= 0
        else { throw .unavailable("malformed bus address \(address)") }
        // sd-bus would answer calls of the interface `Peer` itself, as many as arrive. If it could not send such an
        // answer, `sd_bus_process` would fail. So keep these calls in ``kept``, for this program to answer.
        let keep: @convention(c) (OpaquePointer, UnsafeMutableRawPointer, UnsafeMutablePointer<cbus_error>) -> Int32 = {
            message, connection, _ in
            let connection = Unmanaged<BusConnection>.fromOpaque(connection).takeUnretainedValue()
            let functions = connection.functions
            var type: UInt8 = 0
            guard functions.pointee.sd_bus_message_get_type(message, &type) >= 0, type == 1, connection.kept == nil,
                let interface = functions.pointee.sd_bus_message_get_interface(message),
                strcmp(interface, BusName.peerInterface) == 0
            else { return 0 }
            connection.kept = functions.pointee.sd_bus_message_ref(message)
            return 1
        }
        let owner = Unmanaged.passUnretained(self).toOpaque()
        guard functions.pointee.sd_bus_add_filter(bus, nil, keep, owner) >= 0 else {
            throw .unavailable("no memory for the bus")
        }
        let result = functions.pointee.sd_bus_start(bus)
        guard result >= 0 else { throw .unavailable("no bus at \(address): \(String(cString: strerror(-result)))") }
    }

    /// Closes the connection without sending what is still queued.
    deinit {
        functions.pointee.sd_bus_close(bus)
        _ = functions.pointee.sd_bus_unref(bus)
    }

    /// Whether the connection is established. Messages can be sent only then.
    var isReady: Bool { functions.pointee.sd_bus_is_ready(bus) > 0 }
    /// The unique name that the bus has assigned to this connection; nil until ``isReady``.
    var uniqueName: String? {
        var name: UnsafePointer<CChar>?
        return functions.pointee.sd_bus_get_unique_name(bus, &name) >= 0 ? name.map { String(cString: $0) } : nil
    }
    var descriptor: Int32 { functions.pointee.sd_bus_get_fd(bus) }
    /// The events to poll the descriptor for.
    var events: Int16 { Int16(truncatingIfNeeded: max(0, functions.pointee.sd_bus_get_events(bus))) }
    /// The time at which ``step()`` must be called even without input, in milliseconds of the monotonic clock; nil
    /// for none.
    var timeout: Int64? {
        var microseconds: UInt64 = .max
        guard functions.pointee.sd_bus_get_timeout(bus, &microseconds) >= 0, microseconds != .max else { return nil }
        return Int64(clamping: microseconds / 1000 + 1)
    }
    /// Whether sd-bus still has a message to write, or the rest of one. Pass the next message to sd-bus only after
    /// that.
    var isWriting: Bool {
        var count: UInt64 = 0
        return functions.pointee.sd_bus_get_n_queued_write(bus, &count) >= 0 && count > 0
    }

    /// Lets sd-bus do one step of its work: send, or receive at most one message. Returns the result.
    func step() -> Step {
        var message: OpaquePointer?
        let result = functions.pointee.sd_bus_process(bus, &message)
        if let message = message ?? kept {
            kept = nil
            return .message(message)
        }
        return result < 0 ? .ended(-result) : result == 0 ? .idle : .worked
    }

    func release(_ message: OpaquePointer) { _ = functions.pointee.sd_bus_message_unref(message) }

    // MARK: Sending

    /// Sends a call and returns its cookie, which the answer repeats.
    func send(_ request: BusRequest) throws(BusFailure) -> UInt64 {
        var message: OpaquePointer?
        try check(
            functions.pointee.sd_bus_message_new_method_call(
                bus, &message, request.destination, request.path, request.interface, request.member))
        guard let message else { throw .disconnected }
        defer { release(message) }
        if !request.startsService { try check(functions.pointee.sd_bus_message_set_auto_start(message, 0)) }
        return try send(message, request.body)
    }

    func send(_ signal: BusSignal) throws(BusFailure) {
        var message: OpaquePointer?
        try check(
            functions.pointee.sd_bus_message_new_signal(bus, &message, signal.path, signal.interface, signal.member))
        guard let message else { throw .disconnected }
        defer { release(message) }
        if let name = signal.destination { try check(functions.pointee.sd_bus_message_set_destination(message, name)) }
        _ = try send(message, signal.body)
    }

    func send(_ answer: Result<[BusValue], BusError>, to address: BusReplyAddress) throws(BusFailure) {
        // sd-bus can make an answer only from a call, but the received call was released. So make a substitute with its
        // sender and its cookie, which are all that an answer needs.
        var call: OpaquePointer?
        try check(functions.pointee.sd_bus_message_new_method_call(bus, &call, nil, "/", nil, "Call"))
        guard let call else { throw .disconnected }
        defer { release(call) }
        try check(functions.pointee.sd_bus_message_set_sender(call, address.name))
        try check(functions.pointee.sd_bus_message_seal(call, address.cookie, 0))
        var message: OpaquePointer?
        switch answer {
        case .success: try check(functions.pointee.sd_bus_message_new_method_return(call, &message))
        case .failure(let error):
            let result = error.name.withCString { name in
                error.message.withCString { text in
                    var error = cbus_error(name: name, message: text, needs_free: 0)
                    return functions.pointee.sd_bus_message_new_method_error(call, &message, &error)
                }
            }
            try check(result)
        }
        guard let message else { throw .disconnected }
        defer { release(message) }
        _ = try send(message, (try? answer.get()) ?? [])
    }

    private func send(_ message: OpaquePointer, _ body: [BusValue]) throws(BusFailure) -> UInt64 {
        let writer = BusWriter(functions: functions, message: message)
        for value in body { try writer.append(value) }
        var cookie: UInt64 = 0
        try check(functions.pointee.sd_bus_send(bus, message, &cookie))
        return cookie
    }

    private func check(_ result: Int32) throws(BusFailure) {
        if result < 0 { throw failure(result) }
    }
}

/// Returns the failure that a negative result of sd-bus stands for.
func failure(_ result: Int32) -> BusFailure {
    switch -result {
    case ENOTCONN, ECONNRESET, EPIPE, ECHILD: .disconnected
    case ENOBUFS, EMSGSIZE: .tooLarge
    default: .invalid(String(cString: strerror(-result)))
    }
}
