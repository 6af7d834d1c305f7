import InkstoneBase
import InkstoneEditing
import InkstoneText
import InkstoneView

/// An accessible object: a window, a text view, a scroll bar, a menu item.
///
/// The code that displays the object keeps its node, and updates name, states and children when they change. The
/// node reports each change to screen readers. The node of a text view follows its view by itself. Bound to the
/// view's thread.
package final class AccessibleNode {
    /// An action that screen readers can perform on an object.
    package struct Action {
        /// The action's name for programs, such as `click`; not translated.
        package var name: String
        /// The keyboard shortcut of the action, as menus show it, such as `Ctrl+S`; empty for none.
        package var key: String
        package var perform: () -> Void

        package init(_ name: String, key: String = "", perform: @escaping () -> Void) {
            (self.name, self.key, self.perform) = (name, key, perform)
        }
    }

    /// The number of this object in its tree. Numbers are never reused. 0 outside of a tree.
    package internal(set) var id = 0
    package internal(set) weak var tree: AccessibleTree?
    package private(set) weak var parent: AccessibleNode?
    package private(set) var children: [AccessibleNode] = []

    /// The object of another program in which a window is embedded. Screen readers reach the window through that
    /// object instead of through this program. Nil for a window that is not embedded.
    package var host: AccessibleReference? {
        didSet { if host != oldValue { tree?.hostDidChange(of: self, from: oldValue) } }
    }

    private let ownRole: AccessibleRole
    /// The text of the text view that this object stands for; nil for an object without text.
    package let text: AccessibleTextSource?
    /// The link or attachment that this object stands for; nil for all other objects. The node of a link is made
    /// anew for each call of a screen reader.
    let link: AccessibleLink?
    /// The name by which the user knows the object. For a text view, this is never a part of the text.
    package var name = "" {
        didSet { if name != oldValue { tree?.report(self, property: "accessible-name", name) } }
    }
    /// A description in addition to the name, such as that a file has unsaved changes.
    package var help = "" {
        didSet { if help != oldValue { tree?.report(self, property: "accessible-description", help) } }
    }
    /// The states that the owner of this node has set. `showing` has an effect only while the ancestors are showing
    /// too.
    package var ownStates: AccessibleStates { didSet { statesDidChange() } }
    /// The objects whose names are labels of this one.
    package var labels: [AccessibleNode] = []
    package var actions: [Action] = []
    /// Returns the number that the object shows, such as the position of a scroll bar; nil for an object without a
    /// number.
    package var value: (() -> AccessiblePart.Value)?
    /// Sets the number that the object shows; nil if it cannot be set.
    package var setValue: ((Double) -> Void)?
    /// Returns the object's rectangle on the root window, in pixels.
    package var frame: () -> RootRect
    /// Whether another program may embed this window. An object of that program, its AT-SPI socket, then becomes the
    /// window's parent.
    package var isPlug = false
    /// Performs a screen reader's request once the user's earlier keys are handled; immediately by default.
    package var performInOrder: (@escaping () -> Void) -> Void = { $0() }
    /// Moves the keyboard focus to this object. Returns false if the object cannot have the focus.
    package var grabFocus: () -> Bool = { false }
    /// The states that were reported last; nil before the first report.
    private var reported: AccessibleStates?
    /// The number that was reported last; nil before the first report.
    private var reportedValue: Double?

    /// Creates an object without text.
    package init(
        _ role: AccessibleRole, name: String = "",
        states: AccessibleStates = [.enabled, .sensitive, .visible, .showing],
        frame: @escaping () -> RootRect = { .zero }
    ) {
        (ownRole, self.name, ownStates, self.frame) = (role, name, states, frame)
        (text, link) = (nil, nil)
    }

    /// Creates the object of a text view. Its frame, role and states follow from the view.
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

    /// Creates the object of a link in a text. `parent` does not list it as a child: a text may have any number of
    /// links, and each edit changes them.
    init(_ link: AccessibleLink, in parent: AccessibleNode, _ text: AccessibleText) {
        (ownRole, name, self.link, self.text, self.parent) = (link.role, link.name, link, nil, parent)
        ownStates = [.enabled, .sensitive, .visible]
        frame = { text.extents(from: link.range.lowerBound, to: link.range.upperBound) }
        if !frame().intersection(parent.frame()).isEmpty { ownStates.insert(.showing) }
    }

    /// The role of the object. A window embedded in another program is a panel there.
    package var role: AccessibleRole { host == nil ? text?.role ?? ownRole : .panel }

    package var states: AccessibleStates {
        var states = ownStates.union(text?.states ?? [])
        // An embedded window is not active itself: the window of the other program around it is.
        if host != nil { states.subtract([.active, .resizable]) }
        if let parent, parent.role != .application, !parent.states.contains(.showing) { states.remove(.showing) }
        return states
    }

    /// The window that contains the object; for a window, the window itself. Nil for the program, and for an object
    /// that is in no window.
    package var window: AccessibleNode? {
        guard let parent else { return nil }
        return parent.role == .application ? self : parent.window
    }

    /// The children that screen readers reach through this object. Windows with a ``host`` are left out.
    package var ownChildren: [AccessibleNode] { children.filter { $0.host == nil } }

    /// The index among the siblings. 0 for a window with a ``host``; -1 for an object that no parent lists, such as
    /// a link.
    package var index: Int { host == nil ? parent?.ownChildren.firstIndex { $0 === self } ?? -1 : 0 }

    // MARK: Changing children and states

    /// Adds a child at an index, or after the present children if `index` is nil.
    package func add(_ child: AccessibleNode, at index: Int? = nil) {
        child.parent = self
        let index = min(max(0, index ?? children.count), children.count)
        children.insert(child, at: index)
        guard let tree else { return }
        tree.adopt(child)
        if child.host == nil { tree.report(self, added: child, at: child.index) } else { tree.onHostsChange?() }
    }

    /// Removes a child and its descendants.
    package func remove(_ child: AccessibleNode) {
        guard let index = children.firstIndex(where: { $0 === child }) else { return }
        let place = child.index
        children.remove(at: index)
        if child.host == nil { tree?.report(self, removed: child, at: place) }
        tree?.forget(child)
        child.parent = nil
        if child.host != nil { tree?.onHostsChange?() }
    }

    /// Reports the states if they differ from those reported last. The first states are only recorded.
    package func statesDidChange() {
        let new = states
        let old = reported
        reported = new
        guard let old, old != new else { return }
        tree?.report(self, states: old, new)
        if old.contains(.showing) != new.contains(.showing) { for child in children { child.statesDidChange() } }
    }

    /// Reports the number if it differs from the one reported last. The first number is only recorded.
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

    /// Records the present states as reported, without sending them. Screen readers query the states when they
    /// connect.
    func noteStates() { reported = states }
}
