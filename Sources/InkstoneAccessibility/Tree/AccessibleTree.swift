import InkstoneBase

/// The accessible objects of a program, by number. The tree reports changes of its objects as notices, which become
/// events of AT-SPI.
package final class AccessibleTree {
    /// A change of one object, to be reported to screen readers.
    package struct Notice {
        /// The two families of AT-SPI events.
        package enum Family: String, Sendable { case object = "Object", window = "Window" }

        package let node: AccessibleNode
        package let family: Family
        /// The event's name on the bus, such as `TextChanged`.
        package let member: String
        /// The event's detail, such as `insert`; empty for none.
        package let detail: String
        /// The two numbers of an AT-SPI event (`detail1`, `detail2`). Their meaning depends on the event: for example,
        /// the offset and length of inserted text.
        package let first: Int
        package let second: Int
        package let value: Value
        /// Whether clients cache the changed value. If so, the notice is sent even if no client has registered for the
        /// event.
        package let isCached: Bool
    }

    /// The value that a notice carries.
    package enum Value {
        case none
        case text(String)
        case number(Double)
        case node(AccessibleNode)
        /// The parent of a node, which may be an object of another program.
        case parent(AccessibleNode)
        /// The number of the node's role.
        case role(AccessibleRole)
    }

    /// The object of the program, whose children are its windows.
    package let root: AccessibleNode
    /// Called for each notice while screen readers listen. Nil while none listen; no notices are made then.
    package var onNotice: ((Notice) -> Void)? {
        didSet {
            guard onNotice != nil, oldValue == nil else { return }
            for node in nodes.values {
                node.noteStates()
                node.text?.note()
            }
        }
    }
    /// Called when the ``AccessibleNode/host`` of a window has changed, or when a window with a host was added or
    /// removed.
    package var onHostsChange: (() -> Void)?
    private var nodes: [Int: AccessibleNode] = [:]
    private var lastID = 0

    /// Creates the tree of a program called `name`, without windows.
    package init(_ name: String) {
        root = AccessibleNode(.application, name: name)
        adopt(root)
    }

    package var isReporting: Bool { onNotice != nil }

    /// The bus names of the programs that embed windows of this program.
    var hosts: Set<String> { Set(root.children.compactMap(\.host?.busName)) }

    /// Clears the host of each window whose host has left the bus. The window is then a child of its own program
    /// again.
    func forgetHosts(where isGone: (String) -> Bool) {
        for window in root.children where window.host.map({ isGone($0.busName) }) ?? false { window.host = nil }
    }

    /// Returns the object with a number; nil if it was removed.
    package func node(_ id: Int) -> AccessibleNode? { nodes[id] }

    /// All objects of the tree, the root first, each before its children.
    package var all: [AccessibleNode] {
        func below(_ node: AccessibleNode) -> [AccessibleNode] { [node] + node.children.flatMap(below) }
        return below(root)
    }

    /// Adds an object and its children to the tree: gives each a number.
    func adopt(_ node: AccessibleNode) {
        lastID += 1
        (node.id, node.tree) = (lastID, self)
        nodes[lastID] = node
        node.noteStates()
        if isReporting { node.text?.note() }
        for child in node.children { adopt(child) }
    }

    /// Removes an object and its children from the tree.
    func forget(_ node: AccessibleNode) {
        for child in node.children { forget(child) }
        nodes[node.id] = nil
        (node.id, node.tree) = (0, nil)
    }

    // MARK: Reporting changes

    private func report(
        _ node: AccessibleNode, _ member: String, _ detail: String = "", _ first: Int = 0, _ second: Int = 0,
        _ value: Value = .none, family: Notice.Family = .object, isCached: Bool = false
    ) {
        onNotice?(
            Notice(
                node: node, family: family, member: member, detail: detail, first: first, second: second, value: value,
                isCached: isCached))
    }

    /// Reports that the ``AccessibleNode/host`` of a window was set, changed or cleared. The window gets another
    /// parent. If the host was set or cleared, the program's list of children also loses the window or gains it.
    func hostDidChange(of node: AccessibleNode, from old: AccessibleReference?) {
        if let parent = node.parent, (old == nil) != (node.host == nil) {
            node.statesDidChange()
            if node.host == nil {
                report(parent, added: node, at: node.index)
            } else {
                // The window's index among those children of the program that have no host.
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
        // A top-level window also reports that it has become active or inactive, before its states.
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

    /// Asks screen readers to speak a message. Use it for an effect of the user's action that is visible on the
    /// screen.
    package func announce(_ text: String, from node: AccessibleNode) {
        report(node, "Announcement", "", 1, 0, .text(text))
    }
}
