import Glibc

/// The options of a connection to a bus.
package struct BusSetup: Sendable {
    /// The address, as in `DBUS_SESSION_BUS_ADDRESS`; nil for the session bus: that variable's, or the socket of the user's runtime directory.
    package var address: String?
    /// The libraries to try in turn: the first that is there is used.
    package var libraries = ["libsystemd.so.0", "libelogind.so.0", "libbasu.so.0"]
    /// Whether a lost or refused connection is tried again, after ``BusTiming/retry``.
    package var reconnects = true
    package var timing = BusTiming()
    package var limits = BusLimits()

    package init(address: String? = nil) { self.address = address }

    /// The address of the session bus; nil if there is none. Reads the environment: the thread that may change that.
    static var sessionAddress: String? {
        func variable(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        if let address = variable("DBUS_SESSION_BUS_ADDRESS") { return address }
        guard let directory = variable("XDG_RUNTIME_DIR"), access(directory + "/bus", R_OK | W_OK) == 0 else {
            return nil
        }
        return "unix:path=" + directory.utf8.map(escaped).joined() + "/bus"
    }

    /// A byte as it stands in an address (D-Bus Specification, *Server Addresses*).
    private static func escaped(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            String(UnicodeScalar(byte))
        default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }
}

/// Times, in milliseconds.
package struct BusTiming: Sendable {
    /// The time for a connection to be accepted.
    package var connecting: Int64 = 10_000
    /// The time for a call to be answered, ours or a peer's.
    package var answer: Int64 = 25_000
    /// The time in which a call is to be handled, so that its answer comes in time.
    package var expiry: Int64 { answer - answer / 25 }
    /// The first pause before another connection, doubled up to ``longestRetry`` until a connection outlives the pause before it.
    package var retry: Int64 = 1_000
    package var longestRetry: Int64 = 60_000
    /// The time in which waiting messages may still be written after ``Bus/close()``.
    package var lingering: Int64 = 200
    /// The time for which a sender above its rate is ignored.
    package var muting: Int64 = 1_000

    package init() {}
}

/// The pauses between connections, which grow while no connection lasts.
struct BusPauses {
    private let timing: BusTiming
    private var last: Int64 = 0

    init(_ timing: BusTiming) { self.timing = timing }

    /// Returns the pause after a connection that was ready for `life` milliseconds, in milliseconds.
    mutating func next(after life: Int64) -> Int64 {
        last = life > last ? timing.retry : min(max(timing.retry, last * 2), timing.longestRetry)
        return last
    }
}

/// Bounds of memory and work. Weights are bytes of memory, about.
package struct BusLimits: Sendable {
    /// The weight of one message's body, in either direction. One above it is refused, but of 128 MiB sd-bus ends the connection: a peer
    /// whom the bus lets send that can have us connect anew, more and more rarely (``BusTiming/retry``).
    package var message = 1 << 20
    /// The weight of what waits to be sent.
    package var sending = 1 << 20
    /// The weight of what waits for the owner. Answers to our calls count, but are never dropped.
    package var receiving = 4 << 20
    /// The number of our calls without an answer.
    package var calls = 256
    /// The number of calls that we owe an answer: in all, and to one peer.
    package var owed = 512
    package var owedToOne = 64
    /// Messages a second of one sender, and how many may come at once.
    package var rate = 4_000.0
    package var burst = 2_000.0
    /// The weight a second of one sender, and how much may come at once.
    package var weightRate = 8e6
    package var weightBurst = 8e6
    /// The number of senders whose rates are remembered.
    package var senders = 256
    /// The weight of the messages that the owner handles in one turn, and the time for it in milliseconds.
    package var turn = 256 << 10
    package var turnTime: Int64 = 2

    package init() {}
}
