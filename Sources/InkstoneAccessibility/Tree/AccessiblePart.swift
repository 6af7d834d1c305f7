public import InkstoneBase
public import InkstoneView

/// A description of a part of a window for readers: a value, made anew whenever something was painted, and compared with the one before.
public struct AccessiblePart {
    /// Kinds of parts.
    public enum Kind: Hashable, Sendable {
        /// A text view: ``AccessiblePart/view``.
        case text
        /// A group of parts.
        case group
        /// Words beside others.
        case label
        case button
        /// A button that stays down.
        case toggle(isOn: Bool)
        /// A line of words about the window.
        case status
        /// A question, or a message that wants an answer.
        case alert
        case menu
        /// A line of a menu.
        case menuItem(isCurrent: Bool)
        /// A line of a menu that is in force or not.
        case menuChoice(isOn: Bool, isCurrent: Bool)
        case separator
        /// Rows to choose from.
        case list
        case listItem(isCurrent: Bool)
        /// A bar with the place of what is in sight in all that there is: ``AccessiblePart/value``.
        case scrollBar(isVertical: Bool)
    }

    /// A number that a part shows, and that readers may set.
    public struct Value {
        /// The number now.
        public var current: Double
        /// The least and the greatest that it can be.
        public var range: ClosedRange<Double>
        /// The step by which it changes.
        public var increment: Double

        /// A number within a range.
        public init(_ current: Double, in range: ClosedRange<Double>, increment: Double) {
            (self.current, self.range, self.increment) = (current, range, increment)
        }
    }

    /// The kind.
    public var kind: Kind
    /// The words by which a person knows it.
    public var name: String
    /// The place in pixels of the window.
    public var frame: WindowRect
    /// Whether it can be used now.
    public var isEnabled = true
    /// The key that does the same as ``action``, for people; empty for none.
    public var key = ""
    /// Called when a reader presses it; nil for what cannot be pressed.
    public var action: (() -> Void)?
    /// Returns the number that it shows; nil for a part without one.
    public var value: (() -> Value)?
    /// Called when a reader sets the number, with one in its range.
    public var setValue: ((Double) -> Void)?
    /// The view whose text it is, for ``Kind/text``.
    public var view: EditorView?
    /// The parts that it is made of, in the order in which they are read.
    public var parts: [AccessiblePart]

    /// A part.
    public init(
        _ kind: Kind, name: String, frame: WindowRect, action: (() -> Void)? = nil, parts: [AccessiblePart] = []
    ) {
        (self.kind, self.name, self.frame, self.action, self.parts) = (kind, name, frame, action, parts)
    }

    /// The text of a view.
    public init(_ view: EditorView, name: String) {
        (kind, self.name, frame, self.view, parts) = (.text, name, view.frame, view, [])
    }

    /// The scroll bars that a view shows now.
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

    /// Whether a node goes on showing this part.
    func isShown(by node: AccessibleNode) -> Bool {
        if view != nil || node.text != nil { return view === node.text?.view && view != nil }
        if case .scrollBar(let isVertical) = kind, isVertical != node.ownStates.contains(.vertical) { return false }
        // Another question is another object, so that an answer to the one before it goes nowhere.
        return node.role == role && (kind != .alert || node.name == name)
    }

    /// A node for it, without those of its parts.
    func makeNode() -> AccessibleNode {
        view.map { AccessibleNode($0, name: name) } ?? AccessibleNode(role, name: name)
    }

    /// Has a node say what it says. `root` gives places on the screen.
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
    /// Has the children be those of some parts: nodes that show the same part as before stay.
    package func update(
        _ parts: [AccessiblePart], root: @escaping (WindowRect) -> RootRect,
        prepare: (AccessibleNode, AccessiblePart) -> Void
    ) {
        var at = 0
        for part in parts {
            // What stood before it is gone.
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
