import Glibc
import InkstoneBase
import InkstoneBus

/// A server that answers the AT-SPI calls for a tree. The server has no bus of its own: it receives messages and
/// returns values.
///
/// Source: at-spi2-core's `xml/*.xml`. Callers may pass any arguments. If none of the object's interfaces has the
/// called method, the answer is an error.
package final class AccessibleServer {
    /// The answer to a call: the returned values, or an error.
    package typealias Answer = Result<[BusValue], BusError>

    package let tree: AccessibleTree
    /// The bus name of this program on the accessibility bus, which is part of each reference to an object.
    package var busName = ""
    /// The parent of the program's root object, as returned by the registry.
    package var desktop = AccessibleServer.none
    /// The number that the registry has assigned to the program; -1 until then.
    private(set) var applicationID: Int32 = -1

    private let edits = WaitingEdits()

    static let prefix = "/org/a11y/atspi/accessible/"
    static let rootPath = prefix + "root"
    static let cachePath = "/org/a11y/atspi/cache"
    static let none = BusValue.structure([.string(""), .objectPath("/org/a11y/atspi/null")])
    /// The prefix of the names of AT-SPI's interfaces.
    static let family = "org.a11y.atspi."

    package init(_ tree: AccessibleTree) { self.tree = tree }

    // MARK: Paths and references of objects

    /// Returns the path of an object on the bus.
    package func path(of node: AccessibleNode) -> String {
        if let link = node.link, let parent = node.parent { return path(of: link, in: parent) }
        return node === tree.root ? Self.rootPath : Self.prefix + "\(node.id)"
    }

    /// Returns the reference to an object, the form in which AT-SPI names objects; for nil, that of no object.
    func reference(_ node: AccessibleNode?) -> BusValue {
        guard let node else { return Self.none }
        return .structure([.string(busName), .objectPath(path(of: node))])
    }

    static let referenceType = BusType.structure([.string, .objectPath])

    /// Returns the reference to an object's parent. The parent of the program's root is the desktop. The parent of
    /// an embedded window is the object in which it is embedded.
    func parent(of node: AccessibleNode) -> BusValue {
        if node === tree.root { return desktop }
        guard let host = node.host else { return reference(node.parent) }
        return .structure([.string(host.busName), .objectPath(host.path)])
    }

    /// Returns the object of a path; nil if it was removed or never existed.
    func node(at path: String) -> AccessibleNode? {
        if path == Self.rootPath { return tree.root }
        guard path.hasPrefix(Self.prefix) else { return nil }
        let number = path.dropFirst(Self.prefix.count)
        guard let id = Int(number) else { return link(at: number) }
        return id > 0 ? tree.node(id) : nil
    }

    // MARK: Answering calls

    /// Answers a call. An edit is made, and answered, after the user's earlier keys. All other calls are answered
    /// before this returns.
    ///
    /// - Parameters:
    ///   - call: the call to answer.
    ///   - isAwaited: whether the caller still waits for the answer. If it has stopped waiting, an edit is not
    ///     made, because the caller may repeat the call.
    ///   - reply: receives the answer. Not called if the caller has stopped waiting for an edit.
    package func answer(
        _ call: BusMessage, isAwaited: @escaping () -> Bool = { true }, _ reply: @escaping (Answer) -> Void
    ) {
        if call.path == Self.cachePath { return reply(answerAboutCache(call)) }
        guard let node = node(at: call.path) else { return reply(.failure(.unknownObject)) }
        if call.interface == "org.freedesktop.DBus.Properties" { return reply(answerAboutProperty(call, node)) }
        let member = call.member
        let body = call.body
        let known: [BusValue]?
        switch call.interface.hasPrefix(Self.family) ? String(call.interface.dropFirst(Self.family.count)) : "" {
        case "Accessible": known = accessible(member, body, node)
        case "Application" where node === tree.root: known = application(member)
        case "Component" where node !== tree.root: known = component(member, body, node)
        case "Socket" where node.parent === tree.root: known = socket(call, node)
        case "Action" where !node.actions.isEmpty: known = action(member, body, node)
        case "Text" where isTooLong(member, body, node): return reply(.failure(.limitsExceeded))
        case "Text": known = node.text?.current.flatMap { text(member, body, $0, node) }
        case "Hypertext": known = node.text?.current.flatMap { hypertext(member, body, $0, node) }
        case "Hyperlink": known = node.link.flatMap { hyperlink(member, body, $0, node) }
        case "EditableText":
            guard let source = node.text else { return reply(.failure(.unknownMethod)) }
            return edits.perform(on: node, isAwaited: isAwaited) {
                let answer = source.current.flatMap { Self.edit(member, body, $0) }
                reply(answer.map { .success($0) } ?? .failure(.unknownMethod))
            }
        default: known = nil
        }
        reply(known.map { .success($0) } ?? .failure(.unknownMethod))
    }

    private func answerAboutProperty(_ call: BusMessage, _ node: AccessibleNode) -> Answer {
        guard case .string(let interface)? = call.body.first else { return .failure(.invalidArguments) }
        switch call.member {
        case "Get":
            guard call.body.count == 2, case .string(let name) = call.body[1] else {
                return .failure(.invalidArguments)
            }
            guard let value = properties(interface, node)?.first(where: { $0.0 == name })?.1() else {
                return .failure(.standard("UnknownProperty", "No such property"))
            }
            return .success([.variant(value)])
        case "GetAll":
            guard let all = properties(interface, node) else {
                return .failure(.standard("UnknownInterface", "No such interface"))
            }
            return .success([
                .dictionary(.string, .variant, all.map { BusEntry(.string($0.0), .variant($0.1())) })
            ])
        case "Set":
            guard call.body.count == 3, case .string(let name) = call.body[1], case .variant(let value) = call.body[2],
                set(name, of: interface, value, node)
            else { return .failure(.standard("PropertyReadOnly", "The property cannot be set")) }
            return .success([])
        default: return .failure(.unknownMethod)
        }
    }

    /// Sets a property. Returns false if the property cannot be set, or cannot have this value.
    private func set(_ name: String, of interface: String, _ value: BusValue, _ node: AccessibleNode) -> Bool {
        switch (name, value) {
        // Accept the property `Id` for any interface, because some registries name another one than `Application`.
        case ("Id", .int32(let id)) where node === tree.root: applicationID = id
        case ("CurrentValue", .double(let new)) where interface == Self.family + "Value" && new.isFinite:
            guard let range = node.value?().range, let set = node.setValue else { return false }
            set(min(max(range.lowerBound, new), range.upperBound))
        default: return false
        }
        return true
    }

    /// Returns the properties of an interface; nil if the object does not have the interface.
    private func properties(_ interface: String, _ node: AccessibleNode) -> [(String, () -> BusValue)]? {
        guard interface.hasPrefix(Self.family) else { return nil }
        let version: (String, () -> BusValue) = ("version", { .uint32(1) })
        switch interface.dropFirst(Self.family.count) {
        case "Accessible":
            return [
                version, ("Name", { .text(node.name) }), ("Description", { .text(node.help) }),
                ("Parent", { [self] in parent(of: node) }),
                ("ChildCount", { .int32(Int32(clamping: node.ownChildren.count)) }),
                ("Locale", { .text(Self.locale) }), ("AccessibleId", { .string("") }), ("HelpText", { .string("") }),
            ]
        case "Application" where node === tree.root:
            return [
                version, ("ToolkitName", { .string("Inkstone") }), ("Version", { .string("1") }),
                ("ToolkitVersion", { .string("1") }), ("AtspiVersion", { .string("2.1") }),
                ("InterfaceVersion", { .uint32(1) }), ("Id", { [self] in .int32(applicationID) }),
            ]
        case "Component" where node !== tree.root, "Socket" where node.parent === tree.root: return [version]
        case "Action" where !node.actions.isEmpty:
            return [version, ("NActions", { .int32(Int32(clamping: node.actions.count)) })]
        case "Value":
            guard let value = node.value?() else { return nil }
            return [
                version, ("MinimumValue", { .double(value.range.lowerBound) }),
                ("MaximumValue", { .double(value.range.upperBound) }),
                ("MinimumIncrement", { .double(value.increment) }), ("CurrentValue", { .double(value.current) }),
                ("Text", { .string("") }),
            ]
        case "Text":
            guard let text = node.text?.current else { return nil }
            return [
                version, ("CharacterCount", { .int32(Int32(clamping: text.count)) }),
                ("CaretOffset", { .int32(Int32(clamping: text.caret)) }),
            ]
        case "EditableText" where node.text != nil, "Hypertext" where node.text != nil: return [version]
        case "Hyperlink":
            guard let link = node.link else { return nil }
            return [
                version, ("NAnchors", { .int16(1) }),
                ("StartIndex", { .int32(Int32(clamping: link.range.lowerBound)) }),
                ("EndIndex", { .int32(Int32(clamping: link.range.upperBound)) }),
            ]
        default: return nil
        }
    }

    /// Returns the names of the interfaces of an object.
    func interfaces(_ node: AccessibleNode) -> [String] {
        var names = ["Accessible", node === tree.root ? "Application" : "Component"]
        if !node.actions.isEmpty { names.append("Action") }
        if node.value != nil { names.append("Value") }
        if node.text != nil { names += ["Text", "EditableText", "Hypertext"] }
        if node.link != nil { names.append("Hyperlink") }
        return names.map { Self.family + $0 }
    }

    private func application(_ member: String) -> [BusValue]? {
        switch member {
        case "GetLocale": [.text(Self.locale)]
        // Return an empty address, because the program offers no connections besides the bus.
        case "GetApplicationBusAddress": [.string("")]
        default: nil
        }
    }

    /// The process's locale for character classification.
    static var locale: String { setlocale(LC_CTYPE, nil).map { String(cString: $0) } ?? "C" }

    // MARK: The interface `Cache`

    private static let itemType = BusType.structure([
        referenceType, referenceType, referenceType, .int32, .int32, .array(.string), .string, .uint32, .string,
        .array(.uint32),
    ])

    private func answerAboutCache(_ call: BusMessage) -> Answer {
        switch (call.interface, call.member) {
        case (Self.family + "Cache", "GetItems"): .success([.array(Self.itemType, tree.all.map(item))])
        case ("org.freedesktop.DBus.Properties", "Get"): .success([.variant(.uint32(1))])
        default: .failure(.unknownMethod)
        }
    }

    /// Returns an object in the form of the `Cache` interface. Clients keep this form.
    func item(_ node: AccessibleNode) -> BusValue {
        .structure([
            reference(node), reference(tree.root), parent(of: node),
            .int32(Int32(clamping: node.index)), .int32(Int32(clamping: node.ownChildren.count)),
            .array(.string, interfaces(node).map { .string($0) }), .text(node.name), .uint32(node.role.rawValue),
            .text(node.help), Self.states(node),
        ])
    }

    /// Returns the states of an object as two numbers of 32 bits.
    static func states(_ node: AccessibleNode) -> BusValue {
        let bits = node.states.rawValue
        return .array(
            .uint32, [.uint32(UInt32(truncatingIfNeeded: bits)), .uint32(UInt32(truncatingIfNeeded: bits >> 32))])
    }
}
