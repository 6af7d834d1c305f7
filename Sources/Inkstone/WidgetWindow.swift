import InkstoneBase
import InkstoneInput
import InkstoneView
import InkstoneX11

/// An X window whose contents are text views and whatever else paints itself; it holds the focus among them.
///
/// A top-level window of its own, or a child of any window of a host. All on the display's thread.
public final class WidgetWindow {
    /// The X window.
    public let window: Window
    /// The connection that it lives on.
    public var display: Display { window.display }

    /// What is in it; later ones lie above.
    public private(set) var contents: [any WindowContent] = []
    /// The colour between the contents, as in a form; nil paints nothing there.
    public var background: Color? { didSet { if background != oldValue { window.setNeedsDisplay() } } }
    /// Who has the focus within the window, and what happens when that changes.
    public let focusSystem = FocusSystem()
    /// The text view that keys go to while the window has the focus; nil if that is nobody or something else.
    public var focusedView: TextView? { focusSystem.firstResponder as? TextView }
    /// Who is asked after the window for commands that nobody before knew: usually the program. Held weakly.
    public weak var nextResponder: (any Responder)?
    /// Shortcuts of the whole window.
    public var keyCommands: [KeyCommand] = []
    /// Performs a command that no responder before the window knew; returns whether it did. Asked before
    /// ``nextResponder``.
    public var onCommand: ((EditCommand) -> Bool)?
    /// Whom Tab, Shift+Tab, Ctrl+Tab and Ctrl+Shift+Tab go to; nobody unless told otherwise.
    public var focusOrder = FocusOrder.none
    /// Places the contents after the window has changed its extent; by default the first one fills it.
    public var onLayout: ((WidgetWindow) -> Void)?
    /// The user asks for the window to be closed; by default it closes.
    public var onClose: ((WidgetWindow) -> Void)?
    /// Called after another client has destroyed the X window, or the host its parent. Nothing is left to close.
    public var onDestroy: ((WidgetWindow) -> Void)? {
        get { pending.onDestroy }
        set { pending.onDestroy = newValue }
    }
    /// Called after the host of a plug has let go of it, or has died: the window is off the screen, and is shown again in the next host that
    /// takes it. Close it where none is to be expected.
    public var onUnplug: ((WidgetWindow) -> Void)? {
        get { pending.onUnplug }
        set { pending.onUnplug = newValue }
    }
    /// Takes keys before all else, for questions to the user: returns whether it took the key. Not asked for the digits of a character
    /// that is being typed by its number, which are letters with Control and Shift.
    public var keyInterceptor: ((KeyEvent) -> Bool)?
    /// Decides whether a part takes what the user does to it with the pointer: a button or finger that comes down on it, a drop, a line of its
    /// menu. All parts do without it; scrolling and the button that opens menus are not asked about.
    public var takesPress: ((any WindowContent) -> Bool)? {
        get { pressed.isTaken }
        set { pressed.isTaken = newValue }
    }

    /// Keys, the input method's answers, and everything that has to stay in order with them.
    public let session: InputSession
    /// What the input method is and does at present, in words for the user.
    public var inputMethodState: InputMethodState { bridge.state }
    /// The input method's state has changed.
    public var onInputMethodStateChange: (() -> Void)?

    let bridge: InputMethodBridge
    private var pending = PendingWork()
    /// Whose pointer and fingers are.
    var pressed = PointerTargets()
    /// The menu that is open, and its keys.
    var menu = MenuUse()
    /// The drag that the pointer and the keys belong to, and until its target is done.
    var drag: WindowDrag?
    /// What is dragged over.
    weak var dropDestination: (any DropDestination)?
    /// Contexts of responders that bring none, and the window's own for when nobody has the focus.
    var contexts: [ObjectIdentifier: OwnContext] = [:]
    /// Context of keys while the keyboard is dismissed, with its client, which the context holds weakly.
    var dismissed: (context: TextInputContext, client: ScrollingClient)?
    /// The window as screen readers see it; nil if it is not shown to them.
    var accessible: AccessibleWindow?
    /// The input views.
    var dock = InputPanelDock()

    /// A top-level window of an extent in pixels; not yet shown.
    public convenience init(
        _ display: Display, size: Size, properties: Window.Properties = Window.Properties()
    ) throws(X11Error) {
        self.init(try Window(display, size: size, properties: properties))
    }

    /// A child of a window of any client of the same server; `frame` is in pixels of that window. Not yet shown.
    public convenience init(_ display: Display, parent: WindowID, frame: WindowRect) throws(X11Error) {
        let window = try Window(display, parent: parent, frame: frame)
        window.takesFocusOnPress = true
        self.init(window)
    }

    /// A plug: a window that fills a window of another program, its host, by XEmbed where the host speaks it. Not yet shown.
    ///
    /// - Parameters:
    ///   - display: the display of the window.
    ///   - host: the host's window; nil makes one that stays out of sight until a host takes it by its number.
    ///   - properties: for the host, which may show the title or keep to the smallest extent.
    public convenience init(
        _ display: Display, plugInto host: WindowID?, properties: Window.Properties = Window.Properties()
    ) throws(X11Error) {
        self.init(try Window(display, plugInto: host, properties: properties))
    }

    private init(_ window: Window) {
        self.window = window
        bridge = InputMethodBridge(window)
        let setup = window.display.inputMethodSetup
        // In whole milliseconds, as traces have them.
        session = InputSession(
            link: bridge, timing: setup.timing, queue: window.display.inputQueue,
            clock: { setup.clock().rounded(.down) })
        window.delegate = self
        focusSystem.onChange = { [weak self] in self?.focusDidChange($0) }
        session.onHeldEvent = { [weak self] in self?.afterInput() }
        // Used on the display's thread alone, where the poster runs what it is given.
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

    /// Makes the window seen.
    public func show() {
        layOut()
        window.show()
        accessible?.windowDidChange()
    }

    /// Destroys the window; a composition that is going on stays as text. Work that waits for keys of this window is dropped: perform
    /// what must not be lost in order, and close then.
    public func close() {
        closeMenu()
        focusSystem.windowFocusChanged(false)
        session.activeContext?.deactivate()
        endSession()
        closePanels()
        bridge.close()
        window.close()
        accessible?.windowDidChange()
        contents = []
    }

    /// Drops keys and work that wait: what they are meant for goes with the window.
    private func endSession() {
        pending.input = []
        pending.keysWait = false
        display.cancel(pending.timer)
        pending.timer = nil
        session.end()
    }

    /// Puts something into the window, above what is there. The first that takes the focus gets it.
    public func add(_ content: any WindowContent) {
        contents.append(content)
        content.windowDidMove(to: window.rootOrigin)
        if focusSystem.firstResponder == nil, let responder = content as? any Responder {
            makeFirstResponder(responder)
        }
        window.setNeedsDisplay(content.frame)
    }

    /// Takes something out of the window. If it has the focus, nobody has it then; what is composed in it stays as text.
    public func remove(_ content: any WindowContent) {
        guard contents.contains(where: { $0 === content }) else { return }
        contents.removeAll { $0 === content }
        if pressed.content === content { pressed.content = nil }
        pressed.touches = pressed.touches.filter { $0.value !== content }
        (content as? TextView)?.viewportLayout.attachmentViews.hideAll()
        func forget(_ part: any WindowContent) {
            if let responder = part as? any Responder { focusSystem.remove(responder) }
            for child in part.children { forget(child) }
        }
        forget(content)
        contexts[ObjectIdentifier(content)] = nil
        if !window.isClosed { window.setNeedsDisplay(content.frame) }
    }

    /// Whether a part is in the window, by itself or inside of another.
    func holds(_ part: any WindowContent) -> Bool {
        func has(_ content: any WindowContent) -> Bool { content === part || content.children.contains(where: has) }
        return contents.contains(where: has)
    }

    // MARK: One order for all

    /// Does `work` when all keys before it have been answered, even by a slow input method, which may take some seconds:
    /// for saving and closing. A composition ends first, with its text kept. Keys behind it wait, and meet what comes of it: ``keyInterceptor``
    /// is asked about them, and ``keysWait`` is looked at, when it is done. Work that `work` asks for in its own call comes before them.
    ///
    /// - Parameters:
    ///   - kind: `.action` for what loses nothing, such as a line of a menu: a key that the method swallows does not hold it up.
    ///   - beforeWaitingKeys: whether keys that wait because of ``keysWait`` come later: for the work that they wait for.
    ///   - work: what to do.
    public func performInOrder(
        _ kind: InputItemKind = .save, beforeWaitingKeys: Bool = false, _ work: @escaping () -> Void
    ) {
        // What a waiting key, or work in its turn, asks for comes before the keys behind that.
        let mustWait = pending.keysWait || hasWaitingKeys && !pending.isDelivering && pending.worksUnderWay == 0
        guard !mustWait || beforeWaitingKeys else {
            return pending.input.append { [weak self] in self?.performInOrder(kind, work) }
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

    /// Does work of a keyboard in another process in its turn: behind the keys before it, as long as may be waited for them. A composition goes on.
    func performAsKey(_ work: @escaping () -> Void) {
        afterWaitingKeys { [weak self] in
            guard let self else { return }
            session.perform(.command, endsComposition: false, work)
            afterInput()
        }
    }

    private func deliverWaitingInput() {
        guard !pending.isDelivering else { return }
        pending.isDelivering = true
        defer { pending.isDelivering = false }
        while !pending.isHolding, !pending.input.isEmpty { pending.input.removeFirst()() }
    }

    /// Whether keys wait for what they are meant for, such as a text that is still to be read. Presses, drops and what is to be done in
    /// order wait with them: all come in their order once this is false again.
    public var keysWait: Bool {
        get { pending.keysWait }
        set {
            pending.keysWait = newValue
            deliverWaitingInput()
        }
    }

    /// Whether keys, or what came after them, wait for ``keysWait`` to be false, or for work in order that stands before them.
    public var hasWaitingKeys: Bool { !pending.input.isEmpty }

    /// Does what the user did, in its turn: behind what waits already, and with `startsWaiting` behind keys that are still to come while
    /// ``keysWait`` is set, or behind work that is done in order.
    func afterWaitingKeys(startsWaiting: Bool = true, _ work: @escaping () -> Void) {
        if hasWaitingKeys || startsWaiting && pending.isHolding { pending.input.append(work) } else { work() }
    }

    /// Performs what the user did with the pointer when all keys before it have been answered.
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

    /// Sees to it that what waits in the session is looked at when its time has come.
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

    /// Some view's caret may be elsewhere on the screen: the input method is told once, when all is laid out.
    func setNeedsSpots() {
        guard !pending.spots else { return }
        pending.spots = true
        display.performAfterPainting { [weak self] in
            guard let self else { return }
            pending.spots = false
            session.activeContext?.invalidateCharacterCoordinates()
        }
    }

    /// Places the contents anew.
    public func layOut() {
        if let onLayout { onLayout(self) } else { (contents.first as? TextView)?.place(window.bounds) }
        layOutPanels()
    }
}

/// What a window has yet to do.
private struct PendingWork {
    /// Comes when what waits in the session is to be looked at.
    var timer: TimerID?
    /// Whether the input method is to be told where the caret is, once all is laid out.
    var spots = false
    /// The user's input that has come while keys wait, in order.
    var input: [() -> Void] = []
    var keysWait = false
    /// Number of works in order that are not done yet.
    var worksInOrder = 0
    /// Number of these that are being done in this call.
    var worksUnderWay = 0
    /// Whether input that has waited is being delivered.
    var isDelivering = false
    /// Whether keys that come now wait.
    var isHolding: Bool { keysWait || worksInOrder > 0 }
    /// Called when there is nothing to be done any more, because the X window is gone.
    var onDestroy: ((WidgetWindow) -> Void)?
    /// Called when no host has the plug any more.
    var onUnplug: ((WidgetWindow) -> Void)?
}

/// What in a window pointer and fingers belong to.
struct PointerTargets {
    /// Whose the pointer is while a button is down.
    var content: (any WindowContent)?
    /// What the pointer was over last.
    weak var hovered: (any WindowContent)?
    /// Whose the fingers that are down are, by their numbers.
    var touches: [UInt32: any WindowContent] = [:]
    /// Whether a part takes what comes down on it: see ``WidgetWindow/takesPress``.
    var isTaken: ((any WindowContent) -> Bool)?
}

extension WidgetWindow: WindowDelegate {
    /// A key goes to the session, unless a question to the user takes it.
    public func window(_ window: Window, didReceiveKey key: KeyEvent, raw: RawKey) {
        afterWaitingKeys { [weak self] in self?.offer(key, raw) }
    }

    /// Lets readers have a key first: what comes behind it waits meanwhile.
    private func offer(_ key: KeyEvent, _ raw: RawKey) {
        guard let accessible, accessible.wantsKeys else { return take(key, raw) }
        pending.worksInOrder += 1
        accessible.show(key) { [weak self] isTaken in
            guard let self, !window.isClosed else { return }
            pending.worksInOrder -= 1
            if !isTaken { take(key, raw) }
            deliverWaitingInput()
        }
    }

    private func take(_ key: KeyEvent, _ raw: RawKey) {
        if menuTakes(key) { return }
        if key.phase != .up, !key.keysym.isModifier { focusedView?.interaction.keyWasPressed() }
        // Who types looks at the text; the pointer is seen again when it moves.
        if key.phase == .down, !key.keysym.isModifier, focusedView != nil, window.cursor != nil {
            window.setPointerHidden(true)
        }
        if dragTakes(key) { return }
        if !bridge.isOfCode(key), let keyInterceptor, keyInterceptor(key) { return }
        session.handle(key, raw: bridge.wantsRawKeys ? raw : nil)
        afterInput()
    }

    /// The pointer goes to what is under it; while a button is down, to where it went down.
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
            // A window that comes under a resting pointer does not show it.
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

    /// The part that takes a press at a point; nil if none does.
    private func pressTarget(at point: WindowPoint, isAsked: Bool = true) -> (any WindowContent)? {
        guard let target = contents.last(where: { $0.frame.contains(point) }) else { return nil }
        return !isAsked || takes(target) ? target.child(at: point) ?? target : nil
    }

    /// The topmost part at a point.
    private func content(at point: WindowPoint) -> (any WindowContent)? {
        let content = contents.last { $0.frame.contains(point) }
        return content?.child(at: point) ?? content
    }

    func takes(_ part: any WindowContent) -> Bool { takesPress?(part) ?? true }

    /// Every part may mark itself.
    public func windowWillPaint(_ window: Window) {
        for content in contents { content.windowWillPaint() }
    }

    /// A finger goes to what it came down on.
    public func window(_ window: Window, didReceiveTouch event: TouchEvent) {
        afterWaitingKeys(startsWaiting: event.phase == .began) { [weak self] in self?.take(event) }
    }

    private func take(_ event: TouchEvent) {
        if event.phase == .began {
            // The first finger: of those before no end was heard.
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

    /// Every part paints itself.
    public func window(_ window: Window, paint canvas: any Canvas, damage: [WindowRect]) {
        for rect in damage {
            if let background {
                canvas.setClip(nil)
                canvas.fill(rect, background)
            }
            for content in contents where content.frame.intersects(rect) {
                let part = rect.intersection(content.frame)
                canvas.setClip(nil)
                canvas.setLimit(part)
                content.paint(on: canvas, damage: part)
            }
        }
        canvas.setLimit(nil)
        accessible?.setNeedsUpdate()
        // Painting lays out what had been estimated before, which may move the caret.
        setNeedsSpots()
    }

    /// The parts are placed anew.
    public func windowDidResize(_ window: Window) {
        closeMenu()
        layOut()
        window.setNeedsDisplay()
    }

    /// The parts are told where they are on the screen.
    public func windowDidMove(_ window: Window) {
        for content in contents { content.windowDidMove(to: window.rootOrigin) }
        layOutPanels()
        // The input method speaks of places on the screen, whoever draws the text.
        setNeedsSpots()
    }

    /// The session and the first responder follow the window.
    public func windowDidChangeFocus(_ window: Window) {
        if !window.isFocused { closeMenu() }
        let isFocused = window.isFocused
        afterWaitingKeys(startsWaiting: false) { [weak self] in
            self?.session.windowFocusChanged(isFocused)
            self?.afterInput()
        }
        // Readers hear of the window before what in it has the focus, and of its end behind that.
        if isFocused { accessible?.windowDidChange() }
        focusSystem.windowFocusChanged(isFocused)
        accessible?.windowDidChange()
        afterInput()
    }

    /// Asks ``onClose``, else closes.
    public func windowShouldClose(_ window: Window) {
        if let onClose { onClose(self) } else { close() }
    }

    /// Tells ``onUnplug``.
    public func windowWasUnplugged(_ window: Window) {
        closeMenu()
        onUnplug?(self)
    }

    /// The input method forgets the window.
    public func windowWasDestroyed(_ window: Window) {
        closeMenu()
        bridge.close()
        closePanels()
        accessible?.windowDidChange()
        onDestroy?(self)
        // What waits cannot be answered any more.
        endSession()
    }
}
