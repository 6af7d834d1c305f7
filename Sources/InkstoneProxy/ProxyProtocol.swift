import InkstoneBus

/// The names, numbers and limits of the protocol `org.inkstone.TextProxy1`, by which keyboards in other processes edit a text view.
///
/// No offset is on the wire: texts are cut where an offset would point, and counts are grapheme clusters, which the editor counts.
package enum ProxyProtocol {
    package static let version: UInt32 = 1
    /// The beginning of each editor's name on the bus; its process number follows.
    package static let namePrefix = "org.inkstone.TextProxy"
    package static let path = "/org/inkstone/TextProxy1"
    package static let interface = "org.inkstone.TextProxy1"
    package static let viewInterface = "org.inkstone.TextProxy1.View"

    /// The name of an editor with a process number.
    package static func name(process: Int32) -> String { "\(namePrefix).p\(process)" }

    /// The path of a view, whose number is never given to another.
    package static func path(of view: UInt64) -> String { "\(path)/view/\(view)" }

    /// The number of the view at a path; nil if it is none, or not written as ``path(of:)`` writes it.
    package static func view(at path: String) -> UInt64? {
        let prefix = self.path + "/view/"
        guard path.hasPrefix(prefix), let number = UInt64(path.dropFirst(prefix.count)), self.path(of: number) == path
        else {
            return nil
        }
        return number
    }

    /// A time of the monotonic clock, in milliseconds; nil for none.
    package static func time(_ value: BusValue?) throws(ProxyError) -> Int64? {
        guard let value else { return nil }
        guard case .uint64(let time) = value else { throw .types("a time") }
        return Int64(clamping: time)
    }

    /// The bytes of UTF-8 that all texts of a batch may have, or a context that is asked for.
    package static let maximumText = 64 << 10
    package static let maximumOperations = 64
    /// The clusters that one operation may pass, and twice as many those of a batch together: each is looked for.
    package static let maximumCount: UInt32 = 1 << 12
    /// The bytes of a name or a tag.
    package static let maximumName = 255
    /// The bytes of context on each side of the selection that come with the answer to a batch.
    package static let answerContext = 256
}

/// The reason why a message is refused.
package enum ProxyError: Error, Hashable, Sendable {
    /// No such method, signal, object or operation.
    case unknown(String)
    /// Other types than the member has.
    case types(String)
    /// More than the protocol allows.
    case tooLarge(String)
    /// Values that make no sense.
    case nonsense(String)

    /// A text for the peer's programmer.
    package var description: String {
        switch self {
        case .unknown(let what): "unknown \(what)"
        case .types(let what): "wrong types of \(what)"
        case .tooLarge(let what): "\(what) too large"
        case .nonsense(let what): "\(what) makes no sense"
        }
    }

    /// The error that answers such a call.
    package var busError: BusError {
        switch self {
        case .unknown: BusError.unknownMethod
        case .types, .nonsense: .standard("InvalidArgs", description)
        case .tooLarge: .standard("LimitsExceeded", description)
        }
    }
}

/// A message as it is on the wire.
package struct ProxyWire: Hashable, Sendable {
    package var path: String
    package var interface: String
    package var member: String
    package var body: [BusValue]

    package init(path: String, interface: String, member: String, body: [BusValue]) {
        (self.path, self.interface, self.member, self.body) = (path, interface, member, body)
    }
}
