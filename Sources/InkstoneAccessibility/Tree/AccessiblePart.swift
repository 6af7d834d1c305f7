public import InkstoneBase
public import InkstoneView

/// A description of a part of a window for screen readers. It is made anew after each painting, and compared with
/// the previous one.
public struct AccessiblePart {
    /// Kinds of parts.
    public enum Kind: Hashable, Sendable {
        /// A text view, which is in ``AccessiblePart/view``.
        case text
        /// A group of parts.
        case group
        /// Text that labels other parts.
        case label
        case button
        /// A button that stays pressed while its option is on.
        case toggle(isOn: Bool)
        /// A line of text that shows the state of the window.
        case status
        /// A question, or a message that the user has to answer.
        case alert
        case menu
        /// A menu item. `isCurrent`: whether the menu's focus is on it.
        case menuItem(isCurrent: Bool)
        /// A menu item with a check mark. `isOn`: whether the check mark is shown. `isCurrent`: whether the menu's
        /// focus is on the item.
        case menuChoice(isOn: Bool, isCurrent: Bool)
        case separator
        /// A list of rows to choose from.
        case list
        /// A row of a list. `isCurrent`: whether the list's focus is on it.
        case listItem(isCurrent: Bool)
        /// A scroll bar; ``AccessiblePart/value`` is the position of the visible area within the whole document.
        case scrollBar(isVertical: Bool)
    }

    /// A number that a part shows and that screen readers may set.
    public struct Value {
        /// The number that the part shows now.
        public var current: Double
        /// The smallest and the greatest number possible.
        public var range: ClosedRange<Double>
        /// The smallest step by which the number changes.
        public var increment: Double

        /// Creates a number within a range.
        public init(_ current: Double, in range: ClosedRange<Double>, increment: Double) {
            (self.current, self.range, self.increment) = (current, range, increment)
        }
    }

    /// The kind of the part.
    public var kind: Kind
    /// The name by which the user knows the part.
    public var name: String
    /// The rectangle of the part, in pixels of the window.
    public var frame: WindowRect
    /// Whether the user can use the part now.
    public var isEnabled = true
    /// The keyboard shortcut that does the same as ``action``, as shown to people; empty for none.
    public var key = ""
    /// Called when a screen reader activates the part; nil for a part that cannot be activated.
    public var action: (() -> Void)?
    /// Returns the number that the part shows; nil for a part without a number.
    public var value: (() -> Value)?
    /// Called with a number in its range when a screen reader sets the number of the part.
    public var setValue: ((Double) -> Void)?
    /// The text view, for a part of ``Kind/text``; nil for any other part.
    public var view: EditorView?
    /// The parts within this part, in reading order.
    public var parts: [AccessiblePart]

    /// Creates a part of any kind but a text view.
    public init(
        _ kind: Kind, name: String, frame: WindowRect, action: (() -> Void)? = nil, parts: [AccessiblePart] = []
    ) {
        (self.kind, self.name, self.frame, self.action, self.parts) = (kind, name, frame, action, parts)
    }

    /// Creates the part that stands for a text view.
    public init(_ view: EditorView, name: String) {
        (kind, self.name, frame, self.view, parts) = (.text, name, view.frame, view, [])
    }

    /// Returns the scroll bars that a view shows now.
    public static func scrollBars(of view: EditorView) -> [AccessiblePart] {
        ScrollAxis.allCases.compactMap { axis in
            guard let shown = view.presenter.scrollBars.values(axis) else { return nil }
            var bar = AccessiblePart(.scrollBar(isVertical: axis == .vertical), name: "", frame: shown.frame)
            bar.value = { [weak view] in
                guard let now = view?.presenter.scrollBars.values(axis) else {
                    return Value(0, in: 0...0, increment: 0)
                }
                return Value(min(max(0, now.position), now.end), in: 0...now.end, increment: now.step)
            }
            bar.setValue = { [weak view] new in
                guard let view, let now = view.presenter.scrollBars.values(axis) else { return }
                let distance = new - now.position
                let isVertical = axis == .vertical
                view.scroll(by: isVertical ? distance : 0, dx: isVertical ? 0 : distance)
            }
            return bar
        }
    }

    private var role: AccessibleRole {
        switch kind {
        case .text: .text
        case .group: .panel
        case .label: .label
        case .button: .button
        case .toggle: .toggleButton
        case .status: .statusBar
        case .alert: .alert
        case .menu: .popupMenu
        case .menuItem: .menuItem
        case .menuChoice: .checkMenuItem
        case .separator: .separator
        case .list: .list
        case .listItem: .listItem
        case .scrollBar: .scrollBar
        }
    }

    private var states: AccessibleStates {
        var states: AccessibleStates = [.visible, .showing]
        if isEnabled { states.formUnion([.enabled, .sensitive]) }
        func choose(_ isCurrent: Bool) {
            states.formUnion([.focusable, .selectable])
            if isCurrent { states.formUnion([.focused, .selected]) }
        }
        switch kind {
        case .toggle(let isOn): if isOn { states.insert(.pressed) }
        case .menuItem(let isCurrent), .listItem(let isCurrent): choose(isCurrent)
        case .menuChoice(let isOn, let isCurrent):
            choose(isCurrent)
            states.insert(.checkable)
            if isOn { states.insert(.checked) }
        case .alert: states.insert(.modal)
        case .scrollBar(let isVertical): states.insert(isVertical ? .vertical : .horizontal)
        default: break
        }
        return states
    }

    /// Whether an existing node can stand for this part, so that it is updated instead of replaced.
    func isShown(by node: AccessibleNode) -> Bool {
        if view != nil || node.text != nil { return view === node.text?.view && view != nil }
        if case .scrollBar(let isVertical) = kind, isVertical != node.ownStates.contains(.vertical) { return false }
        // A new question needs a new object. Otherwise a late answer to the previous question would answer the new one.
        return node.role == role && (kind != .alert || node.name == name)
    }

    /// Creates a node for this part, without nodes for the parts within it.
    func makeNode() -> AccessibleNode {
        view.map { AccessibleNode($0, name: name) } ?? AccessibleNode(role, name: name)
    }

    /// Updates a node from this part. `root` converts rectangles of the window to the root window.
    func update(_ node: AccessibleNode, root: @escaping (WindowRect) -> RootRect) {
        node.name = name
        let isNew = node.parent == nil
        if isNew || node.ownStates != states { node.ownStates = states }
        if view == nil {
            let frame = frame
            node.frame = { root(frame) }
        }
        (node.value, node.setValue) = (value, setValue)
        node.valueDidChange()
        node.actions = action.map { [AccessibleNode.Action("click", key: key, perform: $0)] } ?? []
    }
}

extension AccessibleNode {
    /// Updates the children to stand for the given parts. Nodes that stand for the same parts as before are kept if
    /// possible: other nodes before such a node are removed, provided that enough nodes remain for all parts.
    package func update(
        _ parts: [AccessiblePart], root: @escaping (WindowRect) -> RootRect,
        prepare: (AccessibleNode, AccessiblePart) -> Void
    ) {
        var at = 0
        for part in parts {
            // Remove the nodes before the matching one: their parts no longer exist.
            if let index = children[at...].firstIndex(where: { part.isShown(by: $0) }),
                index - at <= children.count - parts.count
            {
                for _ in at..<index { remove(children[at]) }
            }
            if at < children.count, part.isShown(by: children[at]) {
                part.update(children[at], root: root)
                children[at].update(part.parts, root: root, prepare: prepare)
            } else {
                let node = part.makeNode()
                part.update(node, root: root)
                prepare(node, part)
                node.update(part.parts, root: root, prepare: prepare)
                add(node, at: at)
            }
            at += 1
        }
        while children.count > at { remove(children[children.count - 1]) }
    }
}
