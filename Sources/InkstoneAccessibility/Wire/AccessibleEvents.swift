import InkstoneBase
import InkstoneBus

/// A notice in the form in which it is sent on the bus.
package struct AccessibleSignal: Equatable, Sendable {
    package var path: String
    package var interface: String
    package var member: String
    package var body: [BusValue]
}

extension AccessibleServer {
    /// Returns the signal that reports a notice.
    package func signal(_ notice: AccessibleTree.Notice) -> AccessibleSignal {
        let value: BusValue =
            switch notice.value {
            case .none: .int32(0)
            case .text(let text): .text(text)
            case .number(let number): .double(number)
            case .node(let node): reference(node)
            case .parent(let node): parent(of: node)
            case .role(let role): .uint32(role.rawValue)
            }
        return AccessibleSignal(
            path: path(of: notice.node), interface: "org.a11y.atspi.Event.\(notice.family.rawValue)",
            member: notice.member,
            body: [
                .string(notice.detail), .int32(Int32(clamping: notice.first)), .int32(Int32(clamping: notice.second)),
                .variant(value), .options([:]),
            ])
    }
}

/// The events that screen readers have registered for.
package struct AccessibleListeners: Equatable, Sendable {
    /// The parts of each registered event's name, in lower case and without hyphens. The key is the listener and
    /// the event's name.
    private var registered: [Key: [String]] = [:]

    /// A registration: the listener's bus name and the name of the event.
    private struct Key: Hashable {
        var listener: String
        var event: String
    }

    package init() {}

    package var isEmpty: Bool { registered.isEmpty }

    /// The bus names of the listeners.
    package var names: Set<String> { Set(registered.keys.lazy.map(\.listener)) }

    /// Registers a listener for an event such as `object:text-changed:insert`. An empty name stands for all events.
    /// Does nothing if 4,096 events are registered already.
    package mutating func add(_ event: String, of listener: String) {
        // Bound the memory. A peer may register any number of events, but no screen reader needs so many.
        guard registered.count < 4096 else { return }
        registered[Key(listener: listener, event: event)] = Self.parts(event)
    }

    /// Removes a listener's registration for an event.
    package mutating func remove(_ event: String, of listener: String) {
        registered[Key(listener: listener, event: event)] = nil
    }

    /// Removes all registrations of a listener that has left the bus.
    package mutating func removeAll(of listener: String) {
        registered = registered.filter { $0.key.listener != listener }
    }

    private static func parts(_ event: String) -> [String] {
        event.split(separator: ":").prefix(3).map { $0.filter { $0 != "-" && $0 != "*" }.lowercased() }.filter {
            !$0.isEmpty
        }
    }

    /// Whether any listener has registered for a notice.
    package func want(_ notice: AccessibleTree.Notice) -> Bool {
        let kind = notice.detail.split(separator: "/").first.map { $0.filter { $0 != "-" } } ?? ""
        let name = [notice.family.rawValue.lowercased(), notice.member.lowercased(), kind]
        return registered.values.contains { wanted in
            zip(wanted, name).allSatisfy { $0 == $1 }
        }
    }
}
