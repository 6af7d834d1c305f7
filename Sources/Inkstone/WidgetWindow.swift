import InkstoneBase
import InkstoneInput
import InkstoneView
import InkstoneX11

/// An X window whose contents are text views and other parts that paint themselves; it manages the focus among them.
///
/// A top-level window of its own, or a child of any window of a host. All on the display's thread.
public final class WidgetWindow {
    /// The X window.
    public let window: Window
    /// The connection of the window.
    public var display: Display { window.display }

    /// The contents of the window; later ones lie above.
    public private(set) var contents: [any WindowContent] = []
    /// The colour outside of the contents, as in a form; nil for that of panels in the desktop's standard colours.
    public var background: Color? { didSet { if background != oldValue { window.setNeedsDisplay() } } }
    /// The first responder of the window, and the notifications of its changes.
    public let focusSystem = FocusSystem()
    /// The focused text view, to which keys go while the window has the focus; nil if there is no first responder or it is no text view.
    public var focusedView: TextView? { focusSystem.firstResponder as? TextView }
    /// The responder after the window for commands that no responder before it knew: usually the program. Held weakly.
    public weak var nextResponder: (any Responder)?
    /// Shortcuts of the whole window.
    public var keyCommands: [KeyCommand] = []
    /// Performs a command that no responder before the window knew; returns whether it did. Called before ``nextResponder``.
    public var onCommand: ((EditCommand) -> Bool)?
    /// The responders to which Tab, Shift+Tab, Ctrl+Tab and Ctrl+Shift+Tab move the focus; none by default.
    public var focusOrder = FocusOrder.none
    /// Sets the frames of the contents after the window has changed its extent; by default the first one fills it.
    public var onLayout: ((WidgetWindow) -> Void)?
    /// Called when the user asks for the window to be closed; without a callback, the window closes.
    public var onClose: ((WidgetWindow) -> Void)?
    /// Called after another client has destroyed the X window, or the host its parent. Nothing is left to close.
    public var onDestroy: ((WidgetWindow) -> Void)? {
        get { pending.onDestroy }
        set { pending.onDestroy = newValue }
    }
    /// Called after the host of a plug has released it, or has died: the window is off the screen, and is shown again in the next host that embeds
    /// it. Close it if no other host is expected.
    public var onUnplug: ((WidgetWindow) -> Void)? {
        get { pending.onUnplug }
        set { pending.onUnplug = newValue }
    }
    /// Handles keys before everything else, for questions to the user; returns whether it consumed the key. Not called for the digits of a
    /// character that is being typed by its number, which are letters with Control and Shift.
    ///
    /// An input method never sees a consumed key, although it may be composing something that only it shows. Keys that a method may use, such as
    /// Return in a prompt, are for ``unusedKeyAction``.
    public var keyInterceptor: ((KeyEvent) -> Bool)?
    /// Returns the program's action for a key that is pressed or repeated, or nil if the key is the focused view's. It is performed only if the input
    /// method has not used the key, behind the answers to the keys before it, not during a composition that the view shows, and only if the view that
    /// the key was struck in still has the focus.
    ///
    /// Called without performing the action too. Later input waits until the method has answered such a key, except behind arrow keys and
    /// Page Up and Page Down, with which people choose among candidates.
    public var unusedKeyAction: ((KeyEvent) -> (() -> Void)?)?
    /// Decides whether a part accepts the user's presses: a button or finger that comes down on it, a drop, a line of its menu. Without it, all
    /// parts do; not called for scrolling and for the button that opens menus.
    public var takesPress: ((any WindowContent) -> Bool)? {
        get { pressed.isTaken }
        set { pressed.isTaken = newValue }
    }

    /// The session that keeps keys, the input method's answers and everything else that must stay in order with them.
    public let session: InputSession
    /// The state of the input method, with a text for the user.
    public var inputMethodState: InputMethodState { bridge.state }
    /// Whether text is being composed, or may be: a method that shows it in a window of its own does not say so.
    package var mayBeComposing: Bool { session.activeContext?.isComposing == true || bridge.mayComposeUnseen }
    /// Called when the input method's state has changed.
    public var onInputMethodStateChange: (() -> Void)?

    let bridge: InputMethodBridge
    private var pending = PendingWork()
    /// The parts that the pointer and the fingers belong to.
    var pressed = PointerTargets()
    /// The menu that is open, and its keys.
    var menu = MenuUse()
    /// The drag to which the pointer and the keys belong, until its target has finished.
    var drag: WindowDrag?
    /// The content under a drag.
    weak var dropDestination: (any DropDestination)?
    /// Contexts of responders that bring none, and the window's own for when there is no first responder.
    var contexts: [ObjectIdentifier: OwnContext] = [:]
    /// Context of keys while the keyboard is dismissed, with its client, which the context holds weakly.
    var dismissed: (context: TextInputContext, client: ScrollingClient)?
    /// The accessible representation of the window; nil if it is not shown to screen readers.
    var accessible: AccessibleWindow?
    /// The input views.
    var dock = InputPanelDock()

    /// Creates a top-level window of an extent in pixels, not yet shown.
    public convenience init(
        _ display: Display, size: Size, properties: Window.Properties = Window.Properties()
    ) throws(X11Error) {
        self.init(try Window(display, size: size, properties: properties))
    }

    /// Creates a child of a window of any client of the same server, not yet shown; `frame` is in pixels of that window.
    public convenience init(_ display: Display, parent: WindowID, frame: WindowRect) throws(X11Error) {
        let window = try Window(display, parent: parent, frame: frame)
        window.takesFocusOnPress = true
        self.init(window)
    }

    /// Creates a plug, not yet shown: a window that fills a window of another program, its host, by XEmbed if the host speaks it.
    ///
    /// - Parameters:
    ///   - display: the display of the window.
    ///   - host: the host's window; nil makes a window that stays out of sight until a host embeds it by its number.
    ///   - properties: properties for the host, which may show the title or keep to the smallest extent.
    public convenience init(
        _ display: Display, plugInto host: WindowID?, properties: Window.Properties = Window.Properties()
    ) throws(X11Error) {
        self.init(try Window(display, plugInto: host, properties: properties))
    }

    private init(_ window: Window) {
        self.window = window
        bridge = InputMethodBridge(window)
        let setup = window.display.inputMethodSetup
        // Use whole milliseconds, as traces do.
        session = InputSession(
            link: bridge, timing: setup.timing, queue: window.display.inputQueue,
            clock: { setup.clock().rounded(.down) })
        window.delegate = self
        focusSystem.onChange = { [weak self] in self?.focusDidChange($0) }
        session.onHeldEvent = { [weak self] in self?.afterInput() }
        bridge.unusedKeyAction = { [weak self] in self?.unusedKeyAction?($0) }
        bridge.performUnused = { [weak self] in self?.performUnused($0) }
        // Used on the display's thread alone, where the poster runs its closures.
        nonisolated(unsafe) weak let answered = self
        session.onAnswer = { [poster = window.display.poster] in
            poster.post {
                answered?.session.advance()
                answered?.afterInput()
            }
        }
        activateContext()
        display.observeChanges(by: self) { [weak self] in self?.displayDidChange($0) }
        bridge.start(session) { [weak self] isNewState in
            if isNewState { self?.inputMethodStateDidChange() }
            self?.afterInput()
        }
    }

    /// Shows the window.
    public func show() {
        layOut()
        window.show()
        accessible?.windowDidChange()
    }

    /// Destroys the window; the text of a composition in progress stays. Work that waits for keys of this window is dropped: perform work that must
    /// not be lost in order, and close then.
    public func close() {
        closeMenu()
        // What the server has sent to this window by now is in the order that it was struck in.
        if pending.successor != nil { window.receiveLastKeys() }
        focusSystem.windowFocusChanged(false)
        session.activeContext?.deactivate()
        endSession()
        closePanels()
        bridge.close()
        window.close()
        accessible?.windowDidChange()
        contents = []
    }

    /// Drops waiting keys and work: their target disappears with the window.
    private func endSession() {
        pending.input = []
        pending.keysWait = false
        display.cancel(pending.timer)
        pending.timer = nil
        session.end()
    }

    /// Adds a content above the others. The first one that accepts the focus gets it.
    public func add(_ content: any WindowContent) {
        contents.append(content)
        content.windowDidMove(to: window.rootOrigin)
        if focusSystem.firstResponder == nil, let responder = content as? any Responder {
            makeFirstResponder(responder)
        }
        window.setNeedsDisplay(content.frame)
    }

    /// Removes a content. If it has the focus, there is no first responder afterwards; the text of its composition stays.
    public func remove(_ content: any WindowContent) {
        guard contents.contains(where: { $0 === content }) else { return }
        contents.removeAll { $0 === content }
        if pressed.content === content { pressed.content = nil }
        pressed.touches = pressed.touches.filter { $0.value !== content }
        (content as? TextView)?.presenter.viewportLayout.attachmentViews.hideAll()
        func forget(_ part: any WindowContent) {
            if let responder = part as? any Responder { focusSystem.remove(responder) }
            if let menu = menu.window, menu.view === part { menu.close() }
            for child in part.children { forget(child) }
        }
        forget(content)
        contexts[ObjectIdentifier(content)] = nil
        if !window.isClosed { window.setNeedsDisplay(content.frame) }
    }

    /// Whether a part is in the window, directly or inside of another.
    func holds(_ part: any WindowContent) -> Bool {
        func has(_ content: any WindowContent) -> Bool { content === part || content.children.contains(where: has) }
        return contents.contains(where: has)
    }

    /// Whether a text in the window is hidden from everyone.
    var hasSecretText: Bool {
        func isSecret(_ content: any WindowContent) -> Bool {
            (content as? TextView)?.isSecureTextEntry == true || content.children.contains(where: isSecret)
        }
        return contents.contains(where: isSecret)
    }

    // MARK: One order for all

    /// Performs `work` when all keys before it have been answered, even by a slow input method, which may take some seconds: for saving and
    /// closing. A composition ends first, with its text kept. Keys after the work wait for it, and its effects apply to them: ``keyInterceptor`` is
    /// called and ``keysWait`` is checked for them only after it. Work that `work` requests within its own call comes before them.
    ///
    /// - Parameters:
    ///   - kind: `.action` for work that loses nothing, such as a line of a menu: a key that the method swallows does not delay it.
    ///   - beforeWaitingKeys: whether keys that wait because of ``keysWait`` come later: for the work that they wait for.
    ///   - work: the work.
    public func performInOrder(
        _ kind: InputItemKind = .save, beforeWaitingKeys: Bool = false, _ work: @escaping () -> Void
    ) {
        // Work requested by a waiting key, or by work in its turn, comes before the keys after that.
        let mustWait = pending.keysWait || hasWaitingKeys && !pending.isDelivering && pending.worksUnderWay == 0
        guard !mustWait || beforeWaitingKeys else {
            return pending.input.append(.work { [weak self] in self?.performInOrder(kind, work) })
        }
        guard !session.isEnded else { return }
        pending.worksInOrder += 1
        session.perform(kind) { [weak self] in
            self?.pending.worksUnderWay += 1
            work()
            self?.pending.worksUnderWay -= 1
            self?.pending.worksInOrder -= 1
            self?.deliverWaitingInput()
        }
        afterInput()
    }

    /// Performs work of a keyboard in another process in its turn: after the keys before it, within the limit of waiting for them. A composition
    /// continues.
    func performAsKey(_ work: @escaping () -> Void) {
        afterWaitingKeys { [weak self] in
            guard let self else { return }
            session.perform(.command, endsComposition: false, work)
            afterInput()
        }
    }

    /// Does what the Return key does in the focused view when no input method uses it: the program's action, or else the view's
    /// command. A composition ends first, with its text kept. Returns whether there was either.
    func performReturn(in view: TextView) -> Bool {
        guard focusedView === view else { return false }
        view.session.endComposition()
        let key = KeyEvent(keysym: .return, characters: "\r")
        guard let action = unusedKeyAction?(key) else { return view.inputContext.type(key) }
        performUnused(action)
        return true
    }

    private func deliverWaitingInput() {
        guard !pending.isDelivering else { return }
        pending.isDelivering = true
        defer { pending.isDelivering = false }
        while !pending.isHolding, !pending.input.isEmpty {
            switch pending.input.removeFirst() {
            case .key(let key, let raw): offer(key, raw)
            case .work(let work): work()
            }
        }
    }

    /// Whether keys wait until their target is ready, such as a text that is still to be read. Presses, drops and work in order wait with them: all
    /// are delivered in order once this is false again.
    public var keysWait: Bool {
        get { pending.keysWait }
        set {
            pending.keysWait = newValue
            deliverWaitingInput()
        }
    }

    /// Whether keys or later input wait for ``keysWait`` to become false, or for preceding work in order.
    public var hasWaitingKeys: Bool { !pending.input.isEmpty }

    /// Performs input of the user in its turn: after input that waits already, and with `startsWaiting` after keys still to come while ``keysWait``
    /// is set, or after work in order.
    func afterWaitingKeys(startsWaiting: Bool = true, _ work: @escaping () -> Void) {
        if mustWait(startsWaiting) { pending.input.append(.work(work)) } else { work() }
    }

    private func mustWait(_ startsWaiting: Bool = true) -> Bool {
        hasWaitingKeys || startsWaiting && pending.isHolding
    }

    /// Gives the keys that wait, and all that are still to come, to the window that takes the place of this one, where they are handled in order.
    /// Other waiting input is dropped. Close this window then.
    package func passKeys(to successor: WidgetWindow) {
        pending.successor = successor
        let waiting = pending.input
        pending.input = []
        if pending.isOffering { successor.pending.worksInOrder += 1 }
        for case .key(let key, let raw) in waiting { successor.receive(key, raw) }
    }

    /// Performs a pointer event when all keys before it have been answered.
    private func perform(_ event: PointerEvent, on target: any WindowContent) {
        if case .press = event.kind {
            let end = target.compositionEnd(of: event)
            session.perform(.press, endsComposition: end != .none, inWork: end == .byContent) {
                target.handlePointer(event)
            }
        } else if session.isWaiting {
            session.perform(.edit, endsComposition: false) { target.handlePointer(event) }
        } else {
            target.handlePointer(event)
        }
        afterInput()
    }

    /// Schedules the session's next deadline, after delivering local answers.
    func afterInput() {
        guard !session.isEnded else { return }
        bridge.deliverLocalAnswers()
        display.cancel(pending.timer)
        pending.timer = nil
        guard let deadline = session.nextDeadline else { return }
        let delay = max(0, deadline - window.display.inputMethodSetup.clock().rounded(.down))
        pending.timer = display.schedule(afterMilliseconds: Int(delay.rounded(.up))) { [weak self] in
            self?.pending.timer = nil
            self?.session.advance()
            self?.afterInput()
        }
    }

    private func inputMethodStateDidChange() {
        session.linkDidChange()
        onInputMethodStateChange?()
    }

    private func displayDidChange(_ change: Display.Change) {
        switch change {
        case .settings:
            guard !window.isClosed else { return }
            closeMenu()
            for content in contents { content.displaySettingsDidChange() }
            layOut()
            window.setNeedsDisplay()
        case .keyboardLayout:
            focusedView?.keyboardDidChange()
        }
    }

    /// Requests an update of the spot, since a caret may have moved on the screen: the input method is notified once, after layout.
    func setNeedsSpots() {
        guard !pending.spots else { return }
        pending.spots = true
        display.performAfterPainting { [weak self] in
            guard let self else { return }
            pending.spots = false
            session.activeContext?.invalidateCharacterCoordinates()
        }
    }

    /// Sets the frames of the contents again.
    public func layOut() {
        if let onLayout { onLayout(self) } else { (contents.first as? TextView)?.place(window.bounds) }
        layOutPanels()
    }
}

/// The deferred work of a window.
private struct PendingWork {
    /// Fires at the session's next deadline.
    var timer: TimerID?
    /// Whether the spot is to be sent to the input method after layout.
    var spots = false
    /// Whether the modifiers that are held were used for a key that ``WidgetWindow/keyInterceptor`` has consumed.
    var areModifiersUsed = false
    /// The user's input that has arrived while keys wait, in order.
    var input: [WaitingInput] = []
    /// The window that gets the keys instead.
    weak var successor: WidgetWindow?
    /// Whether a key is being offered to screen readers.
    var isOffering = false
    var keysWait = false
    /// Number of works in order that have not ended.
    var worksInOrder = 0
    /// Number of these that are running in the present call.
    var worksUnderWay = 0
    /// Whether waiting input is being delivered.
    var isDelivering = false
    /// Whether keys that arrive now have to wait.
    var isHolding: Bool { keysWait || worksInOrder > 0 }
    /// Called when the X window has been destroyed by others.
    var onDestroy: ((WidgetWindow) -> Void)?
    /// Called when no host embeds the plug any more.
    var onUnplug: ((WidgetWindow) -> Void)?
}

/// Input of the user that waits.
private enum WaitingInput {
    case key(KeyEvent, RawKey)
    case work(() -> Void)
}

/// The parts of a window that pointer and fingers belong to.
struct PointerTargets {
    /// The part that owns the pointer while a button is down.
    var content: (any WindowContent)?
    /// The part that the pointer was over last.
    weak var hovered: (any WindowContent)?
    /// The part that owns each finger that is down, by the finger's number.
    var touches: [UInt32: any WindowContent] = [:]
    /// Decides whether a part accepts presses: see ``WidgetWindow/takesPress``.
    var isTaken: ((any WindowContent) -> Bool)?
}

extension WidgetWindow: WindowDelegate {
    /// Passes a key to the session, unless a question to the user consumes it.
    public func window(_ window: Window, didReceiveKey key: KeyEvent, raw: RawKey) { receive(key, raw) }

    private func receive(_ key: KeyEvent, _ raw: RawKey) {
        if let successor = pending.successor { return successor.receive(key, raw) }
        if mustWait() { pending.input.append(.key(key, raw)) } else { offer(key, raw) }
    }

    /// Offers a key to screen readers first: later input waits meanwhile.
    private func offer(_ key: KeyEvent, _ raw: RawKey) {
        guard let accessible, accessible.wantsKeys else { return take(key, raw) }
        pending.worksInOrder += 1
        pending.isOffering = true
        // The window stays until then, because its successor waits for the key.
        accessible.show(key) { [self] isTaken in
            pending.isOffering = false
            let target = pending.successor ?? self
            pending.worksInOrder -= 1
            if target !== self { target.pending.worksInOrder -= 1 }
            guard !target.window.isClosed else { return }
            if !isTaken { target.take(key, raw) }
            target.deliverWaitingInput()
        }
    }

    private func take(_ key: KeyEvent, _ raw: RawKey) {
        if menuTakes(key) { return }
        if key.phase != .up, !key.keysym.isModifier { focusedView?.interaction.keyWasPressed() }
        // Hide the pointer during typing, until it moves.
        if key.phase == .down, !key.keysym.isModifier, focusedView != nil, window.cursor != nil {
            window.setPointerHidden(true)
        }
        if dragTakes(key) { return }
        if !bridge.isOfCode(key), let keyInterceptor, keyInterceptor(key) {
            if key.phase != .up, !key.keysym.isModifier { pending.areModifiersUsed = true }
            return
        }
        if key.phase == .down { pending.areModifiersUsed = false }
        // The method has not seen the shortcut: to it, Shift with nothing in between would be the key that switches methods.
        let isSent = bridge.wantsRawKeys && !(pending.areModifiersUsed && key.keysym.isModifier)
        let isAwaited = key.phase != .up && !Self.choosingKeys.contains(key.keysym) && unusedKeyAction?(key) != nil
        session.handle(key, raw: isSent ? raw : nil)
        if isAwaited { holdInput() }
        afterInput()
    }

    /// The keys with which people choose among the candidates of an input method, several times in a row.
    private static let choosingKeys: Set<Keysym> = [.up, .down, .left, .right, .pageUp, .pageDown]

    /// Holds later input until the input method has answered the keys before it.
    private func holdInput() {
        guard !session.isEnded else { return }
        pending.worksInOrder += 1
        session.perform(.command, endsComposition: false) { [weak self] in
            self?.pending.worksInOrder -= 1
            self?.deliverWaitingInput()
        }
    }

    /// Performs the action of a key that no input method has used. Work that the action requests comes before the input that waits.
    private func performUnused(_ action: () -> Void) {
        pending.worksInOrder += 1
        pending.worksUnderWay += 1
        action()
        pending.worksUnderWay -= 1
        pending.worksInOrder -= 1
        deliverWaitingInput()
    }

    /// Passes a pointer event to the part under it or, while a button is down, to the part where it went down.
    public func window(_ window: Window, didReceivePointer event: PointerEvent) {
        var isPress = false
        if case .press = event.kind { isPress = true }
        afterWaitingKeys(startsWaiting: isPress) { [weak self] in self?.take(event) }
    }

    private func take(_ event: PointerEvent) {
        if menuTakes(event) { return }
        if dragTakes(event) { return }
        let target: (any WindowContent)?
        switch event.kind {
        case .press(let button):
            target = pressed.content ?? pressTarget(at: event.location, isAsked: button != .secondary)
            pressed.content = target
        case .release:
            target = pressed.content
            pressed.content = nil
        default:
            target = pressed.content ?? content(at: event.location)
        }
        if event.kind == .leave {
            window.setPointerHidden(false)
        } else if event.kind != .enter || !window.hidesPointer {
            // Keep the pointer hidden when a window comes under it while it rests.
            window.setPointerHidden(false)
            window.setCursor(target?.cursor(at: event.location) ?? .arrow)
        }
        if event.kind == .motion || event.kind == .leave {
            let hovered = event.kind == .leave ? nil : target
            if let old = pressed.hovered, old !== hovered {
                var leaving = event
                leaving.kind = .leave
                old.handlePointer(leaving)
            }
            pressed.hovered = hovered
        }
        guard let target else { return }
        perform(event, on: target)
    }

    /// Returns the part that accepts a press at a point; nil if there is none.
    private func pressTarget(at point: WindowPoint, isAsked: Bool = true) -> (any WindowContent)? {
        guard let target = contents.last(where: { $0.frame.contains(point) }) else { return nil }
        return !isAsked || takes(target) ? target.child(at: point) ?? target : nil
    }

    /// Returns the topmost part at a point.
    private func content(at point: WindowPoint) -> (any WindowContent)? {
        let content = contents.last { $0.frame.contains(point) }
        return content?.child(at: point) ?? content
    }

    func takes(_ part: any WindowContent) -> Bool { takesPress?(part) ?? true }

    /// Lets every part damage itself.
    public func windowWillPaint(_ window: Window) {
        for content in contents { content.windowWillPaint() }
    }

    /// Passes a touch event to the part where the finger came down.
    public func window(_ window: Window, didReceiveTouch event: TouchEvent) {
        afterWaitingKeys(startsWaiting: event.phase == .began) { [weak self] in self?.take(event) }
    }

    private func take(_ event: TouchEvent) {
        if event.phase == .began {
            // This is the first finger: the end of earlier ones was missed.
            if event.isPointer { pressed.touches = [:] }
            pressed.touches[event.id] = pressTarget(at: event.location)
        }
        let target = pressed.touches[event.id]
        if event.phase == .ended || event.phase == .cancelled { pressed.touches[event.id] = nil }
        if isMenuOpen || drag != nil {
            if let pointer = event.pointerEvent { take(pointer) }
            return
        }
        guard let target else { return }
        if session.isWaiting {
            session.perform(.edit, endsComposition: false) { target.handleTouch(event) }
        } else {
            target.handleTouch(event)
        }
        afterInput()
    }

    /// Paints every part.
    public func window(_ window: Window, paint canvas: any Canvas, damage: [WindowRect]) {
        for rect in damage {
            paintBackground(of: rect, on: canvas)
            for content in contents where content.frame.intersects(rect) {
                let part = rect.intersection(content.frame)
                canvas.setClip(nil)
                canvas.setLimit(part)
                content.paint(on: canvas, damage: part)
            }
        }
        canvas.setLimit(nil)
        accessible?.setNeedsUpdate()
        // Painting lays out lines with estimated positions, which may move the caret.
        setNeedsSpots()
    }

    /// Fills a rectangle before the contents are painted: without that, what lay there before would stay in sight.
    private func paintBackground(of rect: WindowRect, on canvas: any Canvas) {
        // A text view paints all of its frame, which is mostly the whole window.
        let isCovered = contents.contains { content in
            guard let view = content as? TextView, view.theme.background.alpha == 255 else { return false }
            return rect.intersection(view.frame) == rect
        }
        guard !isCovered else { return }
        canvas.setClip(nil)
        canvas.fill(rect, background ?? standardBackground)
    }

    private var standardBackground: Color {
        let preferences = display.preferences
        let theme = Theme.standard(isDark: preferences.prefersDark, hasHighContrast: preferences.prefersHighContrast)
        return theme.panel.background
    }

    /// Lays out the contents for the new extent.
    public func windowDidResize(_ window: Window) {
        closeMenu()
        layOut()
        window.setNeedsDisplay()
    }

    /// Notifies the parts of their new position on the screen.
    public func windowDidMove(_ window: Window) {
        for content in contents { content.windowDidMove(to: window.rootOrigin) }
        layOutPanels()
        // The input method uses positions on the screen, whoever draws the text.
        setNeedsSpots()
    }

    /// Notifies the session and the first responder of the window's focus.
    public func windowDidChangeFocus(_ window: Window) {
        if !window.isFocused { closeMenu() }
        let isFocused = window.isFocused
        afterWaitingKeys(startsWaiting: false) { [weak self] in
            if !isFocused { self?.accessible?.focusWasLost() }
            self?.session.windowFocusChanged(isFocused)
            self?.afterInput()
        }
        // Readers are notified of the window's focus before that of its part, and of the loss after it.
        if isFocused { accessible?.windowDidChange() }
        focusSystem.windowFocusChanged(isFocused)
        accessible?.windowDidChange()
        afterInput()
    }

    /// Calls ``onClose``, else closes.
    public func windowShouldClose(_ window: Window) {
        if let onClose { onClose(self) } else { close() }
    }

    /// Calls ``onUnplug``.
    public func windowWasUnplugged(_ window: Window) {
        closeMenu()
        onUnplug?(self)
    }

    /// Releases the window's input-method resources, and calls ``onDestroy``.
    public func windowWasDestroyed(_ window: Window) {
        closeMenu()
        bridge.close()
        closePanels()
        accessible?.windowDidChange()
        onDestroy?(self)
        // Waiting keys and work cannot be answered any more.
        endSession()
    }
}
