import InkstoneBus

/// The names, version and limits of the protocol `org.inkstone.TextProxy1`, by which keyboards in other processes
/// edit a text view.
///
/// Messages contain no offsets. Texts are split where an offset would point, and counts are of grapheme clusters,
/// which the editor determines.
package enum ProxyProtocol {
    /// The version of the protocol. A keyboard sends it in its first call, Hello.
    package static let version: UInt32 = 1
    /// The prefix of each editor's name on the bus. The editor's process ID follows.
    package static let namePrefix = "org.inkstone.TextProxy"
    package static let path = "/org/inkstone/TextProxy1"
    package static let interface = "org.inkstone.TextProxy1"
    package static let viewInterface = "org.inkstone.TextProxy1.View"

    /// Returns the bus name of the editor with a process ID.
    package static func name(process: Int32) -> String { "\(namePrefix).p\(process)" }

    /// Returns the path of a view. The number of a view is never reused.
    package static func path(of view: UInt64) -> String { "\(path)/view/\(view)" }

    /// Returns the number of the view at a path; nil if the path is not that of a view.
    package static func view(at path: String) -> UInt64? {
        let prefix = self.path + "/view/"
        guard path.hasPrefix(prefix), let number = UInt64(path.dropFirst(prefix.count)), self.path(of: number) == path
        else {
            return nil
        }
        return number
    }

    /// Returns the time that a value contains, in milliseconds of the monotonic clock; nil if there is no value.
    package static func time(_ value: BusValue?) throws(ProxyError) -> Int64? {
        guard let value else { return nil }
        guard case .uint64(let time) = value else { throw .types("a time") }
        return Int64(clamping: time)
    }

    /// The largest total number of bytes (UTF-8) of all texts of a batch; a batch with more is refused. Also the
    /// largest number of bytes that a keyboard may request of the text before the selection, and likewise of the text
    /// after it and in it.
    package static let maximumText = 64 << 10
    /// The largest number of operations of a batch; a batch with more is refused.
    package static let maximumOperations = 64
    /// The largest number of clusters that one operation may delete, select or move over. All operations of a batch
    /// together may have twice as many. Finding a cluster takes time, so the number must be limited.
    package static let maximumCount: UInt32 = 1 << 12
    /// The largest number of bytes of a name or a language tag. A message with a longer one is refused.
    package static let maximumName = 255
    /// The largest number of bytes of the text before the selection, in the answer to a batch; the same for the text
    /// after the selection and in it. Longer texts are cut.
    package static let answerContext = 256
}

/// The reason why a message is refused.
package enum ProxyError: Error, Hashable, Sendable {
    /// The method, signal, object or operation does not exist.
    case unknown(String)
    /// The values do not have the types that the method or signal takes.
    case types(String)
    /// A value exceeds a limit of the protocol.
    case tooLarge(String)
    /// The values are not valid or contradict each other.
    case nonsense(String)

    /// A description for the programmer of the program that sent the message.
    package var description: String {
        switch self {
        case .unknown(let what): "unknown \(what)"
        case .types(let what): "wrong types of \(what)"
        case .tooLarge(let what): "\(what) too large"
        case .nonsense(let what): "\(what) is not valid"
        }
    }

    /// The error with which a refused call is answered on the bus.
    package var busError: BusError {
        switch self {
        case .unknown: BusError.unknownMethod
        case .types, .nonsense: .standard("InvalidArgs", description)
        case .tooLarge: .standard("LimitsExceeded", description)
        }
    }
}

/// A message in the form in which it is sent on the bus.
package struct ProxyWire: Hashable, Sendable {
    package var path: String
    package var interface: String
    package var member: String
    package var body: [BusValue]

    package init(path: String, interface: String, member: String, body: [BusValue]) {
        (self.path, self.interface, self.member, self.body) = (path, interface, member, body)
    }
}
