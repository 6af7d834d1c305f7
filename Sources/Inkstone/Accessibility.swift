import InkstoneAccessibility
import InkstoneBase
import InkstoneView
import InkstoneWords
import InkstoneX11

/// The connection of a program's windows with screen readers and other assistive technology (AT-SPI).
///
/// ```swift
/// let accessibility = Accessibility(of: display, name: "My Program")
/// accessibility.add(window, title: "Untitled")
/// accessibility.start()
/// ```
///
/// Text views are accessible without further code; a ``TextView/accessibleName`` gives their purpose. Other contents of
/// a window describe themselves by ``WindowContent/accessibleParts``. While no screen reader runs, the cost is an idle
/// connection to the session's D-Bus, with a thread of its own, and one query on it, which does not block. Bound to the
/// display's thread.
public final class Accessibility {
    /// Called when the references of the windows (``WidgetWindow/accessibleReference``) have changed, because a
    /// screen reader has started or ended.
    public var onReferencesChange: (() -> Void)?
    private let tree: AccessibleTree
    private let link: AccessibilityLink
    private let display: Display
    private var watched: [Int32] = []
    private var windows: [AccessibleWindow] = []

    /// Creates the connection of a program called `name`. Add its windows by ``add(_:title:)``.
    public init(of display: Display, name: String) {
        self.display = display
        tree = AccessibleTree(name)
        link = AccessibilityLink(tree)
        link.onDescriptorsChange = { [weak self] in self?.watch() }
        link.onReferencesChange = { [weak self] in self?.onReferencesChange?() }
        link.onConnect = { [weak self] in
            guard let self else { return }
            for window in windows { window.update() }
        }
    }

    deinit { close() }

    /// Starts to watch for a running screen reader. Does nothing without a session bus, or with `NO_AT_BRIDGE=1` in
    /// the environment.
    public func start() {
        if !AccessibilityLink.isForbidden { link.start() }
    }

    /// Closes the connection. The program disappears from screen readers.
    public func close() {
        link.close()
        watch()
    }

    private func watch() {
        let wanted = link.descriptors
        for descriptor in watched where !wanted.contains(descriptor) { display.removeDescriptor(descriptor) }
        for descriptor in wanted where !watched.contains(descriptor) {
            display.addDescriptor(descriptor) { [weak self] in self?.link.receive() }
        }
        watched = wanted
    }

    /// Makes a window accessible to screen readers until it is closed.
    public func add(_ window: WidgetWindow, title: String) {
        guard window.accessible == nil else { return }
        let new = AccessibleWindow(window, title: title, link)
        window.accessible = new
        windows.append(new)
        new.onClose = { [weak self, unowned new] in self?.windows.removeAll { $0 === new } }
    }
}

/// The accessible representation of a window.
final class AccessibleWindow: KeyReader {
    let node: AccessibleNode
    private weak var window: WidgetWindow?
    private let link: AccessibilityLink
    /// Whether an update is scheduled, in which the parts are compared with the state known to screen readers.
    private var needsUpdate = false
    var onClose: (() -> Void)?

    init(_ window: WidgetWindow, title: String, _ link: AccessibilityLink) {
        self.window = window
        self.link = link
        node = AccessibleNode(.frame, name: title)
        node.frame = { [weak window] in
            window.map { RootRect(origin: $0.window.rootOrigin, size: $0.window.size) } ?? .zero
        }
        node.isPlug = window.window.takesFocusOnPress
        node.grabFocus = { [weak window] in
            window?.window.activate()
            return window != nil
        }
        windowDidChange()
        update()
        link.server.tree.root.add(node)
    }

    /// Records that the window has lost the focus. Call this after showing screen readers the keys that the window
    /// received before.
    func focusWasLost() { link.focusWasLost() }

    /// Updates the window's accessible states: whether it is shown and whether it has the focus. Call after a change
    /// of either, or after the window was closed: its accessible object is then removed.
    func windowDidChange() {
        guard let window, !window.window.isClosed else {
            node.parent?.remove(node)
            onClose?()
            return
        }
        var states: AccessibleStates = [.enabled, .sensitive, .resizable]
        if window.window.isShown { states.formUnion([.visible, .showing]) }
        if window.window.isFocused { states.insert(.active) }
        if states != node.ownStates { node.ownStates = states }
    }

    /// Schedules an update after a change in the window. Screen readers are notified after painting.
    func setNeedsUpdate() {
        guard link.isConnected, !needsUpdate, let window else { return }
        needsUpdate = true
        window.display.performAfterPainting { [weak self] in
            self?.needsUpdate = false
            self?.update()
        }
    }

    /// Compares the parts of the window with the state known to screen readers and reports the differences, if a
    /// screen reader is connected.
    func update() {
        guard let window, link.isConnected else { return }
        let bounds = window.window.bounds
        var parts: [AccessiblePart] = []
        var described: Set<ObjectIdentifier> = []
        func note(_ part: AccessiblePart) {
            if let view = part.view { described.insert(ObjectIdentifier(view)) }
            for part in part.parts { note(part) }
        }
        let others = window.contents.filter { !($0 is TextView) }.flatMap(\.accessibleParts)
        for part in others { note(part) }
        for case let view as TextView in window.contents
        where !described.contains(ObjectIdentifier(view)) && view.frame.intersects(bounds) {
            parts += self.parts(of: view)
        }
        // List the parts of the other contents from top to bottom, in place of the order in which the contents were
        // added.
        parts += others.sorted { $0.frame.minY < $1.frame.minY }
        if let menu = window.menu.window { parts.append(menu.accessiblePart) }
        node.update(
            parts,
            root: { [weak window] in $0.converted(from: window?.window.rootOrigin ?? RootPoint(x: 0, y: 0)) },
            prepare: prepare)
    }

    /// Returns the parts of a text view: the view, its scroll bars, and the views within its text.
    private func parts(of view: TextView) -> [AccessiblePart] {
        [AccessiblePart(view, name: view.accessibleName)] + AccessiblePart.scrollBars(of: view)
            + view.children.flatMap { child in (child as? TextView).map { parts(of: $0) } ?? child.accessibleParts }
    }

    private func prepare(_ node: AccessibleNode, _ part: AccessiblePart) {
        node.performInOrder = { [weak self] work in
            guard let window = self?.window else { return work() }
            window.performInOrder(.action, beforeWaitingKeys: false, behindOffers: false, work)
        }
        guard let view = part.view as? TextView else { return }
        node.grabFocus = { [weak view] in view?.focus() ?? false }
    }

    /// Whether screen readers receive keys before the window handles them.
    var wantsKeys: Bool { link.wantsKeys }

    /// Sends a key to screen readers. Calls the handler once, with true if a screen reader has consumed the key.
    ///
    /// For a secure view, screen readers get a bullet instead of any key that might type something. A dead key may
    /// be part of a password, and so may the keys of a character that is typed by its number.
    func show(_ key: KeyEvent, then handler: @escaping (Bool) -> Void) {
        // Hide the key also if earlier keys still wait for the input method: one of them may move the focus to a secure
        // view.
        let mayBeSecret = window.map { $0.session.isWaiting && $0.hasSecretText } ?? false
        let isSecret = mayBeSecret || window?.focusedView?.isSecureTextEntry == true
        link.show(isSecret ? link.hidden(key) : key, then: handler)
    }

    var reference: AccessibleReference? { link.reference(of: node) }

    func announce(_ text: String) {
        if link.isConnected { link.server.tree.announce(text, from: node) }
    }
}

extension WidgetWindow {
    /// Makes screen readers speak a message about an effect of the user's action that is visible in the window. Has no
    /// effect while no screen reader runs, and before ``Accessibility/add(_:title:)``.
    public func announce(_ text: String) { accessible?.announce(text) }

    /// The name of the window for screen readers; usually its title. Before ``Accessibility/add(_:title:)`` it is
    /// empty, and setting it has no effect.
    public var accessibleTitle: String {
        get { accessible?.node.name ?? "" }
        set { accessible?.node.name = newValue }
    }

    /// The reference by which other programs know the window on the accessibility bus; nil while no screen reader
    /// runs, and before ``Accessibility/add(_:title:)``.
    ///
    /// A host program in which the window is embedded (``init(_:plugInto:properties:)``) passes the reference to
    /// its own toolkit as that of a child object. Sockets of ATK and GTK 3 accept the bus name and the path with a
    /// colon between them, and set the window's ``accessibleParent`` themselves.
    public var accessibleReference: AccessibleReference? { accessible?.reference }

    /// The object of another program under which screen readers find the window, instead of among the windows of
    /// its own program; nil for none.
    ///
    /// Set by a host that knows its own object, and by sockets of ATK and GTK 3. Becomes nil when the host has left
    /// the accessibility bus. Set it after ``Accessibility/add(_:title:)``: before that, setting it has no effect.
    /// An object of the window's own program is ignored.
    public var accessibleParent: AccessibleReference? {
        get { accessible?.node.host }
        set {
            // Refuse an object of this program: screen readers that walk up to the root would loop for ever.
            guard newValue == nil || newValue?.busName != accessibleReference?.busName else { return }
            accessible?.node.host = newValue
        }
    }
}

extension MenuWindow {
    /// The accessible representation of the menu. Frames are in pixels of the owner's window.
    var accessiblePart: AccessiblePart {
        let (menu, own) = (window.rootOrigin, owner.window.rootOrigin)
        func place(_ rect: WindowRect) -> WindowRect {
            rect.offset(by: Vector(dx: menu.x - own.x, dy: menu.y - own.y))
        }
        var lines: [AccessiblePart] = []
        for (index, item) in state.items.enumerated() {
            let kind: AccessiblePart.Kind =
                switch item.kind {
                case .action, .submenu, .back: .menuItem(isCurrent: state.current == index)
                case .choice(let isOn): .menuChoice(isOn: isOn, isCurrent: state.current == index)
                case .note: .label
                case .separator: .separator
                }
            var line = AccessiblePart(kind, name: item.title, frame: place(display.frame(of: index)))
            line.isEnabled = item.isEnabled
            line.key = item.shortcut
            let title = item.title
            if item.isChoosable { line.action = { [weak self] in self?.choose(index, named: title) } }
            lines.append(line)
        }
        return AccessiblePart(.menu, name: localized("Menu"), frame: place(window.bounds), parts: lines)
    }
}
