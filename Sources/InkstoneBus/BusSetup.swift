import Glibc

/// The options of a connection to a bus.
package struct BusSetup: Sendable {
    /// The address of the bus, in the format of `DBUS_SESSION_BUS_ADDRESS`. Nil means the session bus: the address
    /// in that variable, or else the socket in the user's runtime directory.
    package var address: String?
    /// The names of the libraries to try; the first one that can be loaded is used.
    package var libraries = ["libsystemd.so.0", "libelogind.so.0", "libbasu.so.0"]
    /// Whether to connect again, after the pauses of ``BusTiming/retry``, when a connection was refused or lost.
    package var reconnects = true
    package var timing = BusTiming()
    package var limits = BusLimits()

    package init(address: String? = nil) { self.address = address }

    /// The address of the session bus; nil if there is none. Reads the environment, so call it on the thread that
    /// may change the environment.
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

    /// Escapes a byte for an address (D-Bus Specification, *Server Addresses*).
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

/// The timeouts and pauses of a connection, in milliseconds.
package struct BusTiming: Sendable {
    /// The time after which a connection attempt fails.
    package var connecting: Int64 = 10_000
    /// The time within which a method call, of this program or of a peer, must be answered.
    package var answer: Int64 = 25_000
    /// The time within which a peer's call must be handled so that its answer arrives in time. A little shorter
    /// than ``answer``.
    package var expiry: Int64 { answer - answer / 25 }
    /// The first pause before a new connection. Each further pause is twice as long, up to ``longestRetry``, until
    /// a connection lasts longer than the pause before it.
    package var retry: Int64 = 1_000
    package var longestRetry: Int64 = 60_000
    /// The time for which queued messages may still be written after ``Bus/close()``.
    package var lingering: Int64 = 200
    /// The time for which the messages of a sender that has exceeded its rate are ignored.
    package var muting: Int64 = 1_000

    package init() {}
}

/// The pauses between connection attempts. They grow while connections fail or end early.
struct BusPauses {
    private let timing: BusTiming
    /// The last pause, in milliseconds; 0 before the first one.
    private var last: Int64 = 0

    init(_ timing: BusTiming) { self.timing = timing }

    /// Returns the pause, in milliseconds, after a connection that was ready for `life` milliseconds.
    mutating func next(after life: Int64) -> Int64 {
        last = life > last ? timing.retry : min(max(timing.retry, last * 2), timing.longestRetry)
        return last
    }
}

/// Limits of memory and work. A weight is an approximate number of bytes of memory.
package struct BusLimits: Sendable {
    /// The largest weight of one message's body, sent or received. A larger message is refused, but the connection
    /// stays. A message of 128 MiB or more makes sd-bus end the connection. If the bus allows a peer to send such
    /// messages, the peer can make this program reconnect again and again, at growing intervals
    /// (``BusTiming/retry``).
    package var message = 1 << 20
    /// The largest total weight of the messages queued for sending. A call or signal beyond it fails with
    /// ``BusFailure/busy``.
    package var sending = 1 << 20
    /// The largest total weight of the events queued for the owner. A call that would exceed it is answered with an
    /// error, and a signal is dropped. All other events, such as answers to this program's calls, count too but are
    /// never dropped.
    package var receiving = 4 << 20
    /// The largest number of this program's calls that have no answer yet. A further call fails with
    /// ``BusFailure/busy``. The same limit holds separately for requests of credentials.
    package var calls = 256
    /// The largest number of calls, by all peers together, that this program has not answered yet. A further call is
    /// answered with an error.
    package var owed = 512
    /// The largest number of calls by one peer that this program has not answered yet. A further call of the peer is
    /// answered with an error.
    package var owedToOne = 64
    /// The rate, in messages per second, that each sender is allowed. The message that exceeds it is answered with an
    /// error, and the sender's next messages are ignored for ``BusTiming/muting``.
    package var rate = 4_000.0
    /// The largest number of messages that a sender may send at once, beyond the ``rate``.
    package var burst = 2_000.0
    /// The total weight of messages per second that each sender is allowed. The consequence of more is that of a
    /// higher ``rate``.
    package var weightRate = 8e6
    /// The largest total weight of messages that a sender may send at once, beyond the ``weightRate``.
    package var weightBurst = 8e6
    /// The largest number of senders whose rates are tracked. For a further sender, the sender that was silent longest
    /// is forgotten.
    package var senders = 256
    /// The weight of handled events at which a call of ``Bus/receive()`` returns.
    package var turn = 256 << 10
    /// The time in milliseconds after which a call of ``Bus/receive()`` returns.
    package var turnTime: Int64 = 2

    package init() {}
}
