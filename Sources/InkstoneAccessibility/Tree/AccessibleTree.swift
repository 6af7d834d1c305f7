import InkstoneBase

/// The objects of a program, by their numbers, and the way of their notices to readers.
package final class AccessibleTree {
    /// A notice to readers about one object.
    package struct Notice {
        /// The two families of notices.
        package enum Family: String, Sendable { case object = "Object", window = "Window" }

        package let node: AccessibleNode
        package let family: Family
        /// The name on the wire, such as `TextChanged`.
        package let member: String
        /// The name of its kind, such as `insert`; empty for none.
        package let detail: String
        package let first: Int
        package let second: Int
        package let value: Value
        /// Whether clients keep what it changes, so that it is sent to those as well who have not asked.
        package let isCached: Bool
    }

    /// The value of a notice.
    package enum Value {
        case none
        case text(String)
        case number(Double)
        case node(AccessibleNode)
        /// The parent of a node, which may be another program's.
        case parent(AccessibleNode)
        /// The number of a role.
        case role(AccessibleRole)
    }

    /// The program.
    package let root: AccessibleNode
    /// Called for each notice while somebody is connected; nil while nobody is: then none is made.
    package var onNotice: ((Notice) -> Void)? {
        didSet {
            guard onNotice != nil, oldValue == nil else { return }
            for node in nodes.values {
                node.noteStates()
                node.text?.note()
            }
        }
    }
    /// Called when a window's ``AccessibleNode/host`` has changed, or a window with one has come or gone.
    package var onHostsChange: (() -> Void)?
    private var nodes: [Int: AccessibleNode] = [:]
    private var lastID = 0

    /// A tree of a program of this name, without windows.
    package init(_ name: String) {
        root = AccessibleNode(.application, name: name)
        adopt(root)
    }

    package var isReporting: Bool { onNotice != nil }

    /// The connections of the programs that hold windows of this one.
    var hosts: Set<String> { Set(root.children.compactMap(\.host?.busName)) }

    /// Makes windows whose host has left the bus windows of their own program again.
    func forgetHosts(where isGone: (String) -> Bool) {
        for window in root.children where window.host.map({ isGone($0.busName) }) ?? false { window.host = nil }
    }

    /// The object with a number; nil if it is gone.
    package func node(_ id: Int) -> AccessibleNode? { nodes[id] }

    /// Objects of the tree, the root first and each before its children.
    package var all: [AccessibleNode] {
        func below(_ node: AccessibleNode) -> [AccessibleNode] { [node] + node.children.flatMap(below) }
        return below(root)
    }

    func adopt(_ node: AccessibleNode) {
        lastID += 1
        (node.id, node.tree) = (lastID, self)
        nodes[lastID] = node
        node.noteStates()
        if isReporting { node.text?.note() }
        for child in node.children { adopt(child) }
    }

    func forget(_ node: AccessibleNode) {
        for child in node.children { forget(child) }
        nodes[node.id] = nil
        (node.id, node.tree) = (0, nil)
    }

    // MARK: Notices

    private func report(
        _ node: AccessibleNode, _ member: String, _ detail: String = "", _ first: Int = 0, _ second: Int = 0,
        _ value: Value = .none, family: Notice.Family = .object, isCached: Bool = false
    ) {
        onNotice?(
            Notice(
                node: node, family: family, member: member, detail: detail, first: first, second: second, value: value,
                isCached: isCached))
    }

    /// Reports that a window has got another ``AccessibleNode/host``, or none: as another parent, and as a child of the program that went or came.
    func hostDidChange(of node: AccessibleNode, from old: AccessibleReference?) {
        if let parent = node.parent, (old == nil) != (node.host == nil) {
            node.statesDidChange()
            if node.host == nil {
                report(parent, added: node, at: node.index)
            } else {
                // Where it would be among those that are left.
                let place = parent.children.prefix { $0 !== node }.count { $0.host == nil }
                report(parent, removed: node, at: place)
            }
            report(node, "PropertyChange", "accessible-role", 0, 0, .role(node.role), isCached: true)
        }
        report(node, "PropertyChange", "accessible-parent", 0, 0, .parent(node), isCached: true)
        onHostsChange?()
    }

    func report(_ node: AccessibleNode, property: String, _ value: String) {
        report(node, "PropertyChange", property, 0, 0, .text(value), isCached: true)
    }

    func report(_ node: AccessibleNode, value: Double) {
        report(node, "PropertyChange", "accessible-value", 0, 0, .number(value))
    }

    func report(_ node: AccessibleNode, added child: AccessibleNode, at index: Int) {
        report(node, "ChildrenChanged", "add", index, 0, .node(child), isCached: true)
    }

    func report(_ node: AccessibleNode, removed child: AccessibleNode, at index: Int) {
        report(node, "ChildrenChanged", "remove", index, 0, .node(child), isCached: true)
    }

    func report(_ node: AccessibleNode, states old: AccessibleStates, _ new: AccessibleStates) {
        // A window of its own is reported active before what in it has the focus, and inactive after.
        if node.parent === root, node.host == nil, old.contains(.active) != new.contains(.active) {
            report(node, new.contains(.active) ? "Activate" : "Deactivate", "", 0, 0, .text(node.name), family: .window)
        }
        for (state, name) in AccessibleStates.names where old.contains(state) != new.contains(state) {
            report(node, "StateChanged", name, new.contains(state) ? 1 : 0, isCached: true)
        }
    }

    func report(_ node: AccessibleNode, _ event: AccessibleTextSource.Event) {
        switch event {
        case .deleted(let at, let length, let text, let isSystem):
            report(node, "TextChanged", isSystem ? "delete/system" : "delete", at, length, .text(text))
        case .inserted(let at, let length, let text, let isSystem):
            report(node, "TextChanged", isSystem ? "insert/system" : "insert", at, length, .text(text))
        case .caretMoved(let caret): report(node, "TextCaretMoved", "", caret)
        case .selectionChanged: report(node, "TextSelectionChanged", "", 0, 0, .text(""))
        case .attributesChanged: report(node, "TextAttributesChanged", "", 0, 0, .text(""))
        }
    }

    /// Has a message read out: what the person has caused, and would see.
    package func announce(_ text: String, from node: AccessibleNode) {
        report(node, "Announcement", "", 1, 0, .text(text))
    }
}
