/// A method call or a signal that a peer has sent.
package struct BusMessage: Hashable, Sendable {
    /// The unique name of the sender, which the bus has put there; ``BusName/bus`` for the bus itself.
    package var sender: String
    package var path: String
    /// The interface; empty if a call names none.
    package var interface: String
    package var member: String
    package var body: [BusValue]

    /// The signature of the body.
    package var signature: String { body.signature }
}

/// The address of an answer.
struct BusReplyAddress: Hashable, Sendable {
    /// The number of our connection: another bus gives names and cookies anew.
    let connection: Int
    let name: String
    let cookie: UInt64
}

/// A call of one of our methods, to be answered once by ``Bus/reply(to:_:)`` or ``Bus/reply(to:error:)``.
package struct BusCall: Sendable {
    package let message: BusMessage
    /// Nil if the caller wants no answer.
    let address: BusReplyAddress?
    /// The time of ``MonotonicClock`` from which on it is too late to do what is asked: soon the caller hears that nobody has answered.
    package let expiry: Int64
}

/// An error that answers a call.
package struct BusError: Error, Hashable, Sendable {
    /// An error's name, such as `org.freedesktop.DBus.Error.Failed`.
    package var name: String
    /// A text for people.
    package var message: String

    package init(_ name: String, _ message: String) { (self.name, self.message) = (name, message) }

    /// An error of the bus's own family: `name` is what follows `org.freedesktop.DBus.Error.`.
    package static func standard(_ name: String, _ message: String) -> BusError {
        BusError("org.freedesktop.DBus.Error." + name, message)
    }
    package static let unknownObject = standard("UnknownObject", "No such object")
    package static let unknownMethod = standard("UnknownMethod", "No such method")
    package static let invalidArguments = standard("InvalidArgs", "Invalid arguments")
    package static let limitsExceeded = standard("LimitsExceeded", "Too much")
    package static let noReply = standard("NoReply", "No answer")
}

/// The reason for which something was not done.
package enum BusFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The feature is off on this machine: the text says what is lacking.
    case unavailable(String)
    /// No connection, or it ended before the answer came.
    case disconnected
    /// No answer came in time.
    case timedOut
    /// The peer answered with an error.
    case error(BusError)
    /// A value, a name or a path that no message may have.
    case invalid(String)
    /// A message above the limit.
    case tooLarge
    /// Too much waits to be sent, or too many calls wait for their answers.
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
    /// ``Bus/start()`` has not been called: there is no thread, and no library is loaded.
    case idle
    case connecting
    /// With the unique name that the bus has given us.
    case connected(String)
    /// No connection; with ``BusSetup/reconnects`` another is tried later.
    case failed(BusFailure)
    case closed
}

/// Whether we have a well-known name.
package enum BusNameState: Hashable, Sendable {
    case owned
    /// Another has it; we get it next.
    case queued
    /// Another has it.
    case taken
    /// We had it, and have it no more.
    case lost
    /// The bus has refused the request, or not answered it.
    case failed
}

/// The process of a connection, as the bus and the kernel say.
package struct BusPeer: Hashable, Sendable {
    /// The file that a process runs.
    package struct Executable: Hashable, Sendable {
        /// The path in the process's own mount namespace; the interpreter's, for a script.
        package var path: String
        package var device: UInt64
        package var inode: UInt64
        /// The user that owns the file.
        package var owner: UInt32
        /// The bits of its permissions (`st_mode`).
        package var mode: UInt32
        /// Whether no directory has the file any more, as after an upgrade.
        package var isDeleted: Bool
        /// Whether the path leads to the file here too: not after an upgrade, and not for the file of a sandbox.
        package var isInPlace: Bool
    }

    /// The unique name.
    package var name: String
    package var userID: UInt32?
    package var processID: Int32?
    /// Nil if it cannot be read.
    package var executable: Executable?
}

/// The signals that a handler is called for.
package struct BusMatch: Hashable, Sendable {
    /// A unique name, or a well-known one: then whoever owns that at the time. Nil for anyone, who can send what they like.
    package var sender: String?
    package var path: String?
    /// A path; what lies below it counts as well.
    package var pathNamespace: String?
    package var interface: String
    package var member: String?
    /// The first argument, a text.
    package var argument: String?
    /// A name; a first argument with more elements behind it counts as well.
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

    /// The rule to have the bus send such signals (D-Bus Specification, *Match Rules*); nil if a name or path is malformed.
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

    /// Whether a signal with such a header can be one. `owner` gives the owner of a well-known name.
    func accepts(sender: String, path: String, interface: String, member: String, owner: (String) -> String?) -> Bool {
        if let wanted = self.sender, wanted != sender, BusName.isUnique(wanted) || owner(wanted) != sender {
            return false
        }
        return self.interface == interface && (self.member ?? member) == member && (self.path ?? path) == path
            && (pathNamespace.map { BusName.isPath(path, within: $0) } ?? true)
    }

    /// Whether its first argument is one that is wanted.
    func accepts(_ body: [BusValue]) -> Bool {
        guard argument != nil || argumentNamespace != nil else { return true }
        guard case .string(let first)? = body.first else { return false }
        return (argument ?? first) == first && (argumentNamespace.map { BusName.isName(first, within: $0) } ?? true)
    }
}
