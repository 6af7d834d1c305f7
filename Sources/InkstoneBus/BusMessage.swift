/// A method call or a signal that a peer has sent.
package struct BusMessage: Hashable, Sendable {
    /// The unique name of the sender, which the bus guarantees; ``BusName/bus`` for a message of the bus itself.
    package var sender: String
    package var path: String
    /// The interface; empty if the call names none.
    package var interface: String
    package var member: String
    package var body: [BusValue]

    /// The signature of the body: the types of its values in D-Bus's notation.
    package var signature: String { body.signature }
}

/// The destination of an answer: the caller and the cookie of its call.
struct BusReplyAddress: Hashable, Sendable {
    /// The number of this program's connection. A later connection assigns names and cookies anew, so an answer
    /// belongs to one connection only.
    let connection: Int
    let name: String
    let cookie: UInt64
}

/// A call of a method of this program, to be answered once by ``Bus/reply(to:_:)`` or ``Bus/reply(to:error:)``.
package struct BusCall: Sendable {
    package let message: BusMessage
    /// The destination of the answer; nil if the caller wants none.
    let address: BusReplyAddress?
    /// The time, on ``MonotonicClock``, after which the call should not be carried out any more. Soon after this time,
    /// the bus thread answers the call with an error.
    package let expiry: Int64
}

/// An error that answers a call.
package struct BusError: Error, Hashable, Sendable {
    /// The error's name, such as `org.freedesktop.DBus.Error.Failed`.
    package var name: String
    /// A description of the error for people.
    package var message: String

    package init(_ name: String, _ message: String) { (self.name, self.message) = (name, message) }

    /// Returns an error in the namespace of D-Bus itself: `name` is the part after `org.freedesktop.DBus.Error.`.
    package static func standard(_ name: String, _ message: String) -> BusError {
        BusError("org.freedesktop.DBus.Error." + name, message)
    }
    package static let unknownObject = standard("UnknownObject", "No such object")
    package static let unknownMethod = standard("UnknownMethod", "No such method")
    package static let invalidArguments = standard("InvalidArgs", "Invalid arguments")
    package static let limitsExceeded = standard("LimitsExceeded", "Too much")
    package static let noReply = standard("NoReply", "No answer")
}

/// The reason why a request or the connection failed.
package enum BusFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// No bus can be used, for the reason in the text: for example, the library is missing, or the bus has ended the
    /// connection.
    case unavailable(String)
    /// No connection exists, or the connection ended before the answer arrived.
    case disconnected
    /// No answer arrived in time.
    case timedOut
    /// The peer answered with an error.
    case error(BusError)
    /// A value, name or path that D-Bus does not allow in a message.
    case invalid(String)
    /// A message whose body weighs more than ``BusLimits/message``.
    case tooLarge
    /// Too many messages are queued for sending, or too many of this program's calls have no answer yet.
    case busy
    /// The bus was closed.
    case closed

    package var description: String {
        switch self {
        case .unavailable(let reason): reason
        case .disconnected: "not connected to the bus"
        case .timedOut: "no answer in time"
        case .error(let error): "\(error.name): \(error.message)"
        case .invalid(let reason): reason
        case .tooLarge: "message too large"
        case .busy: "too many messages wait"
        case .closed: "closed"
        }
    }
}

/// The progress of a connection.
package enum BusState: Hashable, Sendable {
    /// ``Bus/start()`` has not been called: the thread is not running, and the library is not loaded.
    case idle
    case connecting
    /// Connected, with the unique name that the bus has assigned.
    case connected(String)
    /// Not connected, for this reason. If ``BusSetup/reconnects`` and a connection was refused or lost, another attempt
    /// follows.
    case failed(BusFailure)
    case closed
}

/// The ownership of a well-known name that this program has requested.
package enum BusNameState: Hashable, Sendable {
    case owned
    /// Another connection owns the name; this program is in the queue for it.
    case queued
    /// Another connection owns the name.
    case taken
    /// The program owned the name and has lost it.
    case lost
    /// The bus has refused the request, or has not answered it.
    case failed
}

/// The process behind a connection, as reported by the bus and the kernel.
package struct BusPeer: Hashable, Sendable {
    /// The file that a process runs.
    package struct Executable: Hashable, Sendable {
        /// The path of the executable in the process's own mount namespace; for a script, the path of its
        /// interpreter.
        package var path: String
        package var device: UInt64
        package var inode: UInt64
        /// The user ID of the file's owner.
        package var owner: UInt32
        /// The mode of the file (`st_mode`).
        package var mode: UInt32
        /// Whether the file was deleted from all directories, as after an upgrade.
        package var isDeleted: Bool
        /// Whether the path leads to the same file in this program's mount namespace. False after an upgrade, and
        /// for a file within a sandbox.
        package var isInPlace: Bool
    }

    /// The unique name of the connection.
    package var name: String
    package var userID: UInt32?
    package var processID: Int32?
    /// The executable of the process; nil if it cannot be read.
    package var executable: Executable?
}

/// A selection of signals, for which a handler is called.
package struct BusMatch: Hashable, Sendable {
    /// The sender of the signals: a unique name, or a well-known name, which means the connection that owns the
    /// name when a signal arrives. Nil matches signals of every sender; do not trust their contents then, because
    /// any program on the bus can send them.
    package var sender: String?
    package var path: String?
    /// A path; only signals of that object and of its descendants match. Nil matches all.
    package var pathNamespace: String?
    package var interface: String
    package var member: String?
    /// The value of the signal's first argument, which must be a string. Nil matches all.
    package var argument: String?
    /// A name; only signals match whose first argument is this name, or this name followed by more elements. Nil
    /// matches all.
    package var argumentNamespace: String?

    package init(
        sender: String? = nil, path: String? = nil, pathNamespace: String? = nil, interface: String,
        member: String? = nil,
        argument: String? = nil, argumentNamespace: String? = nil
    ) {
        self.sender = sender
        self.path = path
        self.pathNamespace = pathNamespace
        self.interface = interface
        self.member = member
        self.argument = argument
        self.argumentNamespace = argumentNamespace
    }

    /// The match rule that has the bus send these signals (D-Bus Specification, *Match Rules*); nil if a name or
    /// path is malformed.
    var rule: String? {
        guard sender.map(BusName.isConnection) ?? true, path.map(BusName.isPath) ?? true,
            pathNamespace.map(BusName.isPath) ?? true, path == nil || pathNamespace == nil,
            BusName.isInterface(interface), member.map(BusName.isMember) ?? true,
            argumentNamespace.map(BusName.isConnection) ?? true, argument.map({ $0.utf8.count <= 1024 }) ?? true,
            argument.map({ !$0.utf8.contains(0) }) ?? true
        else { return nil }
        let parts = [
            ("type", "signal"), ("sender", sender), ("path", path), ("path_namespace", pathNamespace),
            ("interface", interface), ("member", member), ("arg0", argument), ("arg0namespace", argumentNamespace),
        ]
        return parts.compactMap { key, value in
            value.map {
                "\(key)='\($0.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#))'"
            }
        }.joined(separator: ",")
    }

    /// Whether a signal with this header may match. `owner` returns the present owner of a well-known name.
    func accepts(sender: String, path: String, interface: String, member: String, owner: (String) -> String?) -> Bool {
        if let wanted = self.sender, wanted != sender, BusName.isUnique(wanted) || owner(wanted) != sender {
            return false
        }
        return self.interface == interface && (self.member ?? member) == member && (self.path ?? path) == path
            && (pathNamespace.map { BusName.isPath(path, within: $0) } ?? true)
    }

    /// Whether the first argument of a signal with this body is one that ``argument`` and ``argumentNamespace`` select.
    func accepts(_ body: [BusValue]) -> Bool {
        guard argument != nil || argumentNamespace != nil else { return true }
        guard case .string(let first)? = body.first else { return false }
        return (argument ?? first) == first && (argumentNamespace.map { BusName.isName(first, within: $0) } ?? true)
    }
}
