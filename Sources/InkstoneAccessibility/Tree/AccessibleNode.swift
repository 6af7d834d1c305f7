import InkstoneBase
import InkstoneEditing
import InkstoneText
import InkstoneView

/// An object that assistive technology sees: a window, a text, a bar, a line of a menu.
///
/// Whoever shows a thing keeps its node, and sets name, states and children as they change; readers are notified of that. A text's node follows
/// its view by itself. Bound to the view's thread.
package final class AccessibleNode {
    /// Something that can be done with an object.
    package struct Action {
        /// The name by which programs know it.
        package var name: String
        /// The key that does the same, for people; empty for none.
        package var key: String
        package var perform: () -> Void

        package init(_ name: String, key: String = "", perform: @escaping () -> Void) {
            (self.name, self.key, self.perform) = (name, key, perform)
        }
    }

    /// The number in its tree; never used again. 0 outside of a tree.
    package internal(set) var id = 0
    package internal(set) weak var tree: AccessibleTree?
    package private(set) weak var parent: AccessibleNode?
    package private(set) var children: [AccessibleNode] = []

    /// The object of another program in which a window is, by which it is reached instead of by its own program; nil for none.
    package var host: AccessibleReference? {
        didSet { if host != oldValue { tree?.hostDidChange(of: self, from: oldValue) } }
    }

    private let ownRole: AccessibleRole
    /// The view whose text it is; nil for an object without text.
    package let text: AccessibleTextSource?
    /// The link or attachment of its parent's text that it is, made anew for each call; nil for an object of the tree.
    let link: AccessibleLink?
    /// The words by which a person knows it. Never the content of a text.
    package var name = "" {
        didSet { if name != oldValue { tree?.report(self, property: "accessible-name", name) } }
    }
    /// More about it, such as that a file has changes.
    package var help = "" {
        didSet { if help != oldValue { tree?.report(self, property: "accessible-description", help) } }
    }
    /// The states that its owner says; `showing` holds only where its ancestors are shown too.
    package var ownStates: AccessibleStates { didSet { statesDidChange() } }
    /// The objects whose names are said with it.
    package var labels: [AccessibleNode] = []
    package var actions: [Action] = []
    /// Returns the number that it shows; nil for an object without one.
    package var value: (() -> AccessiblePart.Value)?
    /// Sets the number; nil where nobody can.
    package var setValue: ((Double) -> Void)?
    /// Returns the place on the root window, in pixels.
    package var frame: () -> RootRect
    /// Whether it may be shown inside of another program's window, whose socket then becomes its parent.
    package var isPlug = false
    /// Does what a reader asks for in its turn among the user's keys.
    package var performInOrder: (@escaping () -> Void) -> Void = { $0() }
    /// Moves the keyboard's focus here; returns whether it can.
    package var grabFocus: () -> Bool = { false }
    /// The states that were reported last.
    private var reported: AccessibleStates?
    /// The number that was reported last.
    private var reportedValue: Double?

    /// An object without text.
    package init(
        _ role: AccessibleRole, name: String = "",
        states: AccessibleStates = [.enabled, .sensitive, .visible, .showing],
        frame: @escaping () -> RootRect = { .zero }
    ) {
        (ownRole, self.name, ownStates, self.frame) = (role, name, states, frame)
        (text, link) = (nil, nil)
    }

    /// A text view. Its frame, role and states follow from the view.
    package init(_ view: EditorView, name: String = "") {
        let source = AccessibleTextSource(view)
        (ownRole, self.name, text, link) = (.text, name, source, nil)
        ownStates = [.enabled, .sensitive, .visible, .showing]
        frame = { [weak view] in
            guard let view else { return .zero }
            return RootRect(origin: view.textInputViewOrigin, size: view.bounds.size)
        }
        source.observation = view.observe { [weak self] in self?.viewDidUpdate($0) }
    }

    /// A link in a text. No child of it: a text has any number of them, and they go as it is edited.
    init(_ link: AccessibleLink, in parent: AccessibleNode, _ text: AccessibleText) {
        (ownRole, name, self.link, self.text, self.parent) = (link.role, link.name, link, nil, parent)
        ownStates = [.enabled, .sensitive, .visible]
        frame = { text.extents(from: link.range.lowerBound, to: link.range.upperBound) }
        if !frame().intersection(parent.frame()).isEmpty { ownStates.insert(.showing) }
    }

    /// The role; a window within one of another program is a part of that.
    package var role: AccessibleRole { host == nil ? text?.role ?? ownRole : .panel }

    package var states: AccessibleStates {
        var states = ownStates.union(text?.states ?? [])
        // Only a window of its own is active.
        if host != nil { states.subtract([.active, .resizable]) }
        if let parent, parent.role != .application, !parent.states.contains(.showing) { states.remove(.showing) }
        return states
    }

    /// The window that it is in; itself for a window.
    package var window: AccessibleNode? {
        guard let parent else { return nil }
        return parent.role == .application ? self : parent.window
    }

    /// The children that are reached by it: those without a ``host``.
    package var ownChildren: [AccessibleNode] { children.filter { $0.host == nil } }

    /// The place among its siblings, 0 in a ``host``; -1 without a parent.
    package var index: Int { host == nil ? parent?.ownChildren.firstIndex { $0 === self } ?? -1 : 0 }

    // MARK: Changing

    /// Adds a child behind those that are there, or at a place among them.
    package func add(_ child: AccessibleNode, at index: Int? = nil) {
        child.parent = self
        let index = min(max(0, index ?? children.count), children.count)
        children.insert(child, at: index)
        guard let tree else { return }
        tree.adopt(child)
        if child.host == nil { tree.report(self, added: child, at: child.index) } else { tree.onHostsChange?() }
    }

    /// Takes a child away, with all that is in it.
    package func remove(_ child: AccessibleNode) {
        guard let index = children.firstIndex(where: { $0 === child }) else { return }
        let place = child.index
        children.remove(at: index)
        if child.host == nil { tree?.report(self, removed: child, at: place) }
        tree?.forget(child)
        child.parent = nil
        if child.host != nil { tree?.onHostsChange?() }
    }

    /// Reports states that are others than were reported last.
    package func statesDidChange() {
        let new = states
        let old = reported
        reported = new
        guard let old, old != new else { return }
        tree?.report(self, states: old, new)
        if old.contains(.showing) != new.contains(.showing) { for child in children { child.statesDidChange() } }
    }

    /// Reports a number that is another than was reported last.
    package func valueDidChange() {
        guard let new = value?().current, new != reportedValue else { return }
        let isKnown = reportedValue != nil
        reportedValue = new
        if isKnown { tree?.report(self, value: new) }
    }

    private func viewDidUpdate(_ update: ViewUpdate) {
        guard let text, let tree else { return }
        let events = tree.isReporting ? text.events(of: update) : []
        if !tree.isReporting { text.forget() }
        for event in events { tree.report(self, event) }
        if !update.changes.isDisjoint(with: [.focus, .geometry]) { statesDidChange() }
    }

    /// Takes the present states for known: readers are about to ask.
    func noteStates() { reported = states }
}
