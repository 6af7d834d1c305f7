import InkstoneBase
import InkstoneBus

/// The AT-SPI interfaces that do not depend on whether an object has text.
extension AccessibleServer {
    /// Answers a call of the interface `Accessible`; nil if the interface has no such method with such arguments.
    func accessible(_ member: String, _ body: [BusValue], _ node: AccessibleNode) -> [BusValue]? {
        switch member {
        case "GetChildAtIndex":
            guard case .int32(let index)? = body.first else { return nil }
            let children = node.ownChildren
            return [reference(children.indices.contains(Int(index)) ? children[Int(index)] : nil)]
        case "GetChildren": return [.array(Self.referenceType, node.ownChildren.map { reference($0) })]
        case "GetIndexInParent": return [.int32(Int32(clamping: node.index))]
        case "GetRelationSet":
            let type = BusType.structure([.uint32, .array(Self.referenceType)])
            // Relation 2 of AT-SPI: labelled by.
            let labels = node.labels.map { reference($0) }
            let relations =
                labels.isEmpty ? [] : [BusValue.structure([.uint32(2), .array(Self.referenceType, labels)])]
            return [.array(type, relations)]
        case "GetRole": return [.uint32(node.role.rawValue)]
        case "GetRoleName", "GetLocalizedRoleName": return [.string(node.role.name)]
        case "GetState": return [Self.states(node)]
        case "GetAttributes": return [Self.dictionary(["toolkit": "Inkstone"])]
        case "GetApplication": return [reference(tree.root)]
        case "GetInterfaces": return [.array(.string, interfaces(node).map { .string($0) })]
        default: return nil
        }
    }

    /// Handles `Socket.Embedded`. By this call another program's socket (as ATK implements it) embeds a window of
    /// this program. The argument is the path of the object that becomes the window's parent. Only windows with
    /// `isPlug` accept the call: any program can make it, and this program no longer lists a window that has a
    /// host. Returns the answer, which has no values; nil if the call is refused.
    func socket(_ call: BusMessage, _ node: AccessibleNode) -> [BusValue]? {
        guard node.isPlug, call.member == "Embedded", call.body.count == 1, case .string(let path)? = call.body.first,
            // Refuse this program as host: screen readers that follow the parents up to the root would never reach it.
            let host = AccessibleReference(busName: call.sender, path: path), host.busName != busName
        else { return nil }
        node.host = host
        return []
    }

    static func dictionary(_ entries: [String: String]) -> BusValue {
        .dictionary(
            .string, .string, entries.sorted { $0.key < $1.key }.map { BusEntry(.string($0.key), .text($0.value)) })
    }

    // MARK: Coordinates

    /// Returns the origin of a coordinate type of AT-SPI, in root pixels. The type 0 stands for the screen, 1 for
    /// the window and 2 for the parent.
    func origin(_ kind: UInt32, of node: AccessibleNode) -> RootPoint {
        switch kind {
        case 1: node.window?.frame().origin ?? RootPoint(x: 0, y: 0)
        // An embedded window has the same frame as its parent, the socket.
        case 2 where node.host != nil: node.frame().origin
        case 2: node.parent.flatMap { $0 === tree.root ? nil : $0.frame().origin } ?? RootPoint(x: 0, y: 0)
        default: RootPoint(x: 0, y: 0)
        }
    }

    /// Returns a rectangle as four numbers, x, y, width and height, relative to an origin.
    static func integers(_ rect: RootRect, from origin: RootPoint) -> [BusValue] {
        [rect.minX - origin.x, rect.minY - origin.y, rect.width, rect.height].map { .int32(integer($0)) }
    }

    private static func integer(_ number: Double) -> Int32 {
        number.isFinite ? Int32(min(max(number.rounded(), -1e9), 1e9)) : 0
    }

    /// Answers a call of the interface `Component`; nil if the interface has no such method with such arguments.
    func component(_ member: String, _ body: [BusValue], _ node: AccessibleNode) -> [BusValue]? {
        let frame = node.frame()
        switch (member, body.count) {
        case ("Contains", 3):
            guard let point = point(body, of: node) else { return nil }
            return [.boolean(frame.contains(point))]
        case ("GetAccessibleAtPoint", 3):
            guard let point = point(body, of: node) else { return nil }
            return [reference(Self.deepest(node, at: point))]
        case ("GetExtents", 1):
            guard case .uint32(let kind) = body[0] else { return nil }
            return [.structure(Self.integers(frame, from: origin(kind, of: node)))]
        case ("GetPosition", 1):
            guard case .uint32(let kind) = body[0] else { return nil }
            return Array(Self.integers(frame, from: origin(kind, of: node)).prefix(2))
        case ("GetSize", 0): return Array(Self.integers(frame, from: frame.origin).suffix(2))
        case ("GetLayer", 0): return [.uint32(node.parent === tree.root && node.host == nil ? 7 : 3)]
        case ("GetMDIZOrder", 0): return [.int16(0)]
        case ("GetAlpha", 0): return [.double(1)]
        case ("GrabFocus", 0): return [.boolean(node.grabFocus())]
        case ("SetExtents", 5), ("SetPosition", 3), ("SetSize", 2), ("ScrollToPoint", 3): return [.boolean(false)]
        case ("ScrollTo", 1): return [.boolean(false)]
        default: return nil
        }
    }

    /// Returns the point that three arguments of a call give: x, y and the coordinate type. Nil if they have other
    /// types.
    func point(_ body: some Collection<BusValue>, of node: AccessibleNode) -> RootPoint? {
        let body = Array(body)
        guard body.count == 3, case .int32(let x) = body[0], case .int32(let y) = body[1],
            case .uint32(let kind) = body[2]
        else { return nil }
        let origin = origin(kind, of: node)
        return RootPoint(x: Double(x) + origin.x, y: Double(y) + origin.y)
    }

    private static func deepest(_ node: AccessibleNode, at point: RootPoint) -> AccessibleNode? {
        guard node.states.contains(.showing), node.frame().contains(point) else { return nil }
        for child in node.children.reversed() {
            if let found = deepest(child, at: point) { return found }
        }
        return node
    }

    // MARK: Actions

    /// Answers a call of the interface `Action`; nil if the interface has no such method with such arguments.
    func action(_ member: String, _ body: [BusValue], _ node: AccessibleNode) -> [BusValue]? {
        if member == "GetActions" {
            return [
                .array(
                    .structure([.string, .string, .string]),
                    node.actions.map { .structure([.text($0.name), .string(""), .text($0.key)]) })
            ]
        }
        guard case .int32(let index)? = body.first else { return nil }
        let action = node.actions.indices.contains(Int(index)) ? node.actions[Int(index)] : nil
        switch member {
        case "GetName", "GetLocalizedName": return [.text(action?.name ?? "")]
        case "GetDescription": return [.string("")]
        case "GetKeyBinding": return [.text(action?.key ?? "")]
        case "DoAction":
            guard let action else { return [.boolean(false)] }
            node.performInOrder { action.perform() }
            return [.boolean(true)]
        default: return nil
        }
    }
}
