import InkstoneBase
import InkstoneInput
import InkstoneView
import InkstoneX11

/// An X window whose contents are text views and other parts that paint themselves. The window manages the focus
/// among them.
///
/// A `WidgetWindow` is a top-level window, or a child of any window of a host program. Bound to the display's
/// thread.
public final class WidgetWindow {
    /// The X window.
    public let window: Window
    /// The display of the window, which is its connection to the X server.
    public var display: Display { window.display }
    /// The size of the window in device pixels, at least 1 × 1.
    public var size: Size { window.size }

    /// Sets the text in the window's title bar.
    public func setTitle(_ title: String) { window.setTitle(title) }

    /// Marks a rectangle of the window, or all of it, to be painted at the end of this turn of the loop.
    public func setNeedsDisplay(_ rect: WindowRect? = nil) { window.setNeedsDisplay(rect ?? window.bounds) }

    /// The contents of the window; later ones lie above earlier ones.
    public private(set) var contents: [any WindowContent] = []
    /// The colour of the area that no content covers; nil for the colour of panels in the desktop's standard
    /// colours.
    public var background: Color? { didSet { if background != oldValue { window.setNeedsDisplay() } } }
    /// The focus system of the window: its first responder, and a callback for changes of the focus.
    public let focusSystem = FocusSystem()
    /// The focused text view, to which keys go while the window has the focus; nil if there is no first responder
    /// or it is no text view.
    public var focusedView: TextView? { focusSystem.firstResponder as? TextView }
    /// The responder that receives the commands which neither the window nor a responder before it has performed;
    /// usually the program. Nil for none. Not retained.
    public weak var nextResponder: (any Responder)?
    /// The keyboard shortcuts of the whole window: keys with the commands that they perform, whichever responder has
    /// the focus.
    public var keyCommands: [KeyCommand] = []
    /// Performs a command that no responder before the window has performed; returns whether it did. Called before
    /// ``nextResponder`` is asked.
    public var onCommand: ((EditCommand) -> Bool)?
    /// The responders to which Tab, Shift+Tab, Ctrl+Tab and Ctrl+Shift+Tab move the focus; none by default.
    public var focusOrder = FocusOrder.none
    /// Sets the frames of the contents after the window's size has changed. By default the first content fills the
    /// window, if it is a text view.
    public var onLayout: ((WidgetWindow) -> Void)?
    /// Called when the user asks for the window to be closed; without a callback, the window closes.
    public var onClose: ((WidgetWindow) -> Void)?
    /// Called after another client has destroyed the X window, or the host has destroyed its parent. The window
    /// need not be closed any more.
    public var onDestroy: ((WidgetWindow) -> Void)? {
        get { pending.onDestroy }
        set { pending.onDestroy = newValue }
    }
    /// Called after the host of a plug has released it or has died. The window is then off the screen, and is shown
    /// again when another host embeds it. Close it if no other host is expected.
    public var onUnplug: ((WidgetWindow) -> Void)? {
        get { pending.onUnplug }
        set { pending.onUnplug = newValue }
    }
    /// Handles a key before the input method and the focused view, for questions to the user; returns whether it
    /// has consumed the key. Not called for keys that a screen reader, a menu or a drag consumes, nor for the
    /// digits of a character that is being typed by its number: these are letters with Control and Shift.
    ///
    /// An input method never sees a consumed key, although it may be composing something that only the method's own
    /// window shows. Use ``unusedKeyAction`` for keys that a method may use, such as Return in a prompt.
    public var keyInterceptor: ((KeyEvent) -> Bool)?
    /// Decides whether a key is for the focused view and not for ``keyInterceptor``, for example because it was struck
    /// before a question could be read. Called for the same keys as ``keyInterceptor``, and before it.
    package var bypassesInterceptor: ((KeyEvent) -> Bool)?
    /// Returns the program's action for a key that is pressed or repeated; nil if the key belongs to the focused
    /// view. The action is performed after the input method has answered all keys before, if it does not use the
    /// key. It is not performed during a composition that the view shows, nor if the focus has left the view since
    /// the key was struck.
    ///
    /// The closure is also called only to find out whether a key has an action. Input after such a key waits until
    /// the input method has answered the key. It does not wait after arrow keys and Page Up and Page Down, with
    /// which users choose among candidates.
    public var unusedKeyAction: ((KeyEvent) -> (() -> Void)?)?
    /// Decides whether a part accepts input that does not come from the keyboard: the press of a mouse button, a
    /// finger, a drop, a command chosen in the part's menu, edits by an on-screen keyboard. If nil, all parts
    /// accept it. Not called for scrolling, nor for the right mouse button, which opens the menu.
    public var takesPress: ((any WindowContent) -> Bool)? {
        get { pressed.isTaken }
        set { pressed.isTaken = newValue }
    }

    /// The session that keeps keys, the answers of the input method and other input in order.
    public let session: InputSession
    /// The state of the connection to the input method, with a description for the user.
    public var inputMethodState: InputMethodState { bridge.state }
    /// Whether text is being composed or may be: an input method that shows the composition in a window of its own
    /// does not report it, and a key that the method has not answered yet may begin a composition.
    package var mayBeComposing: Bool {
        session.activeContext?.isComposing == true || session.hasKeysInFlight || session.isWaiting
            || bridge.mayComposeUnseen
    }
    /// Called when the input method's state has changed.
    public var onInputMethodStateChange: (() -> Void)?

    let bridge: InputMethodBridge
    private var pending = PendingWork()
    /// Whether another window takes this one's place. Presses on this one are then dropped.
    var hasSuccessor: Bool { pending.successor != nil }
    /// The parts that receive the pointer's and the fingers' events until the button or finger is lifted.
    var pressed = PointerTargets()
    /// The open menu, and the keys pressed in it.
    var menu = MenuUse()
    /// The drag that receives the pointer's and the keys' events; nil for none, and after the drop's target has
    /// finished.
    var drag: WindowDrag?
    /// The content under a drag from any program; nil if none accepts it.
    weak var dropDestination: (any DropDestination)?
    /// The contexts that the window keeps for responders without one, by responder, and for itself when there is no
    /// first responder.
    var contexts: [ObjectIdentifier: OwnContext] = [:]
    /// The context that receives keys while the keyboard is dismissed, and its client, which the context does not
    /// retain. Nil while the keyboard is not dismissed.
    var dismissed: (context: TextInputContext, client: ScrollingClient)?
    /// The accessible representation of the window; nil if it is not shown to screen readers.
    var accessible: AccessibleWindow? { didSet { keyReader = accessible } }
    /// The screen readers, which receive each key before it is handled; nil for none.
    package var keyReader: (any KeyReader)?
    /// The input views that are shown.
    var dock = InputPanelDock()

    /// Creates a top-level window of a size in pixels. Call ``show()`` to show it.
    public convenience init(
        _ display: Display, size: Size, properties: Window.Properties = Window.Properties()
    ) throws(X11Error) {
        self.init(try Window(display, size: size, properties: properties))
    }

    /// Creates a child of another window on the same server, whichever client owns that window; `frame` is in its
    /// pixels. Call ``show()`` to show the child.
    public convenience init(_ display: Display, parent: WindowID, frame: WindowRect) throws(X11Error) {
        let window = try Window(display, parent: parent, frame: frame)
        window.takesFocusOnPress = true
        self.init(window)
    }

    /// Creates a plug: a window that fills a window of another program, its host, by XEmbed if the host supports
    /// it. Call ``show()`` to show the plug.
    ///
    /// - Parameters:
    ///   - display: the display of the window.
    ///   - host: the host's window. If nil, the plug stays off the screen until a host embeds it by its window ID.
    ///   - properties: properties that the host may use, such as the title and the minimum size.
    public convenience init(
        _ display: Display, plugInto host: WindowID?, properties: Window.Properties = Window.Properties()
    ) throws(X11Error) {
        self.init(try Window(display, plugInto: host, properties: properties))
    }

    private init(_ window: Window) {
        self.window = window
        bridge = InputMethodBridge(window)
        let setup = window.display.inputMethodSetup
        // Round the session's clock to whole milliseconds, because recorded traces hold whole milliseconds.
        session = InputSession(
            link: bridge, timing: setup.timing, queue: window.display.inputQueue,
            clock: { setup.clock().rounded(.down) })
        window.delegate = self
        focusSystem.onChange = { [weak self] in self?.focusDidChange($0) }
        session.onHeldEvent = { [weak self] in self?.afterInput() }
        bridge.unusedKeyAction = { [weak self] in self?.action(ofUnused: $0) }
        bridge.performUnused = { [weak self] in self?.performUnused($0) }
        // `answered` is used only in closures passed to `poster.post`, which run on the display's thread.
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
        takeOver()
    }

    /// Destroys the window; a composition in progress ends, and its text is kept. Work that waits for keys of this
    /// window is dropped. If work must not be lost, perform it by ``performInOrder(_:beforeWaitingKeys:_:)`` and
    /// close the window in it.
    public func close() {
        closeMenu()
        // If another window replaces this one, pass it the keys that the X server has already sent to this window,
        // before it receives later keys.
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

    /// Drops waiting keys and work, because their target is going away.
    private func endSession() {
        (pending.input, pending.worksBehindOffers) = ([], [])
        pending.keysWait = false
        display.cancel(pending.timer)
        pending.timer = nil
        session.end()
        closeFormerWindows()
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

    /// Removes a content. If it has the focus, a composition in it ends with its text kept, and there is no first
    /// responder afterwards.
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

    /// Whether a part is one of the contents, or a descendant of one.
    func holds(_ part: any WindowContent) -> Bool {
        func has(_ content: any WindowContent) -> Bool { content === part || content.children.contains(where: has) }
        return contents.contains(where: has)
    }

    /// Whether any text view in the window is a secure one.
    var hasSecretText: Bool {
        func isSecret(_ content: any WindowContent) -> Bool {
            (content as? TextView)?.isSecureTextEntry == true || content.children.contains(where: isSecret)
        }
        return contents.contains(where: isSecret)
    }

    // MARK: Order of keys, presses and work

    /// Performs `work` after all keys before it were answered, even by a slow input method, which may take some
    /// seconds: for saving and closing. A composition ends first, and its text is kept. Keys struck after this call
    /// wait for the work, so that its effects apply to them: ``keyInterceptor`` is called and ``keysWait`` is
    /// checked for them only when the work is done. Work that `work` itself requests comes before these keys.
    ///
    /// - Parameters:
    ///   - kind: `.action` for work that loses nothing if a key never arrives, such as a menu command. A key that
    ///     the input method never answers does not delay it.
    ///   - beforeWaitingKeys: whether to perform the work before the keys that wait because of ``keysWait``. Pass true
    ///     for the work that these keys wait for.
    ///   - work: the work to perform.
    public func performInOrder(
        _ kind: InputItemKind = .save, beforeWaitingKeys: Bool = false, _ work: @escaping () -> Void
    ) {
        performInOrder(kind, beforeWaitingKeys: beforeWaitingKeys, behindOffers: true, work)
    }

    /// Performs work in order: see ``performInOrder(_:beforeWaitingKeys:_:)``. If `behindOffers` is false, the work
    /// does not wait for the keys that screen readers have. Pass false for work that a screen reader requests,
    /// because it may answer such a key only after the work.
    func performInOrder(
        _ kind: InputItemKind, beforeWaitingKeys: Bool, behindOffers: Bool, _ work: @escaping () -> Void
    ) {
        // Do not wait if a waiting key, or other work that is being performed, has requested this work: it comes before
        // the keys that follow.
        let mustWait = pending.keysWait || hasWaitingKeys && !pending.isDelivering && pending.worksUnderWay == 0
        guard !mustWait || beforeWaitingKeys else {
            return pending.input.append(.work { [weak self] in self?.performInOrder(kind, work) })
        }
        guard !session.isEnded else { return }
        // Wait for the keys that screen readers have, because they were struck before this call.
        if behindOffers, pending.offers > 0, pending.worksUnderWay == 0 {
            return pending.worksBehindOffers.append { [weak self] in
                self?.performInOrder(kind, beforeWaitingKeys: true, work)
            }
        }
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

    /// Performs the work of a keyboard in another process in order with the keys: after the keys struck before. It
    /// waits for those keys only for a limited time. A composition continues.
    func performAsKey(_ work: @escaping () -> Void) {
        afterWaitingKeys { [weak self] in
            guard let self else { return }
            session.perform(.command, endsComposition: false, work)
            afterInput()
        }
    }

    /// Does in the focused view what the Return key does if no input method uses it: performs the program's action,
    /// or else the view's command. A composition ends first, and its text is kept. Returns false if there is
    /// neither an action nor a command, or if the view does not have the focus.
    func performReturn(in view: TextView) -> Bool {
        guard focusedView === view else { return false }
        view.session.endComposition()
        let key = KeyEvent(keysym: .return, characters: "\r")
        guard let action = action(ofUnused: key) else { return view.inputContext.type(key) }
        performUnused(action)
        return true
    }

    private func deliverWaitingInput() {
        guard !pending.isDelivering else { return }
        pending.isDelivering = true
        defer { pending.isDelivering = false }
        while !pending.isHolding, !pending.input.isEmpty {
            switch pending.input.removeFirst() {
            case .key(let key, let raw, let wasOffered): take(key, raw, wasOffered: wasOffered)
            case .work(let work): work()
            }
        }
    }

    /// Whether keys wait until their target is ready, such as a text that is still being read. Presses, drops and
    /// the work of ``performInOrder(_:beforeWaitingKeys:_:)`` wait as well. When this becomes false, all of them
    /// are delivered in order.
    public var keysWait: Bool {
        get { pending.keysWait }
        set {
            pending.keysWait = newValue
            deliverWaitingInput()
        }
    }

    /// Whether input of the user waits. Input waits because of ``keysWait``, for work of
    /// ``performInOrder(_:beforeWaitingKeys:_:)``, or for an answer about an earlier key.
    public var hasWaitingKeys: Bool { !pending.input.isEmpty }
    /// Whether keys are among the waiting input.
    package var hasWaitingStrokes: Bool { pending.input.contains { if case .key = $0 { true } else { false } } }

    /// Performs input of the user in order: after input that is already waiting. If `startsWaiting` is true, the
    /// input also waits while ``keysWait`` is set, and for work of ``performInOrder(_:beforeWaitingKeys:_:)`` and
    /// answers about earlier keys.
    func afterWaitingKeys(startsWaiting: Bool = true, _ work: @escaping () -> Void) {
        if mustWait(startsWaiting) { pending.input.append(.work(work)) } else { work() }
    }

    private func mustWait(_ startsWaiting: Bool = true) -> Bool {
        hasWaitingKeys || startsWaiting && pending.isHolding
    }

    /// Passes the waiting keys, and all keys still to come, to the window that replaces this one, where they are
    /// handled in order. Keyboards in other processes are notified of the replacement, and type there too. Other
    /// waiting input is dropped, and presses in this window have no effect any more. Close this window after this
    /// call, by ``closeAfterSuccessor(whenClosed:)``.
    package func passKeys(to successor: WidgetWindow) {
        pending.successor = successor
        let waiting = pending.input
        pending.input = []
        successor.pending.offers += pending.offers
        successor.pending.worksInOrder += pending.offers
        for case .key(let key, let raw, _) in waiting {
            successor.window(successor.window, didReceiveKey: key, raw: raw)
        }
        if let focusedView, let next = successor.focusedView { display.focusWatch.onReplacement?(focusedView, next) }
    }

    /// Closes this window, which ``passKeys(to:)`` has replaced, when its successor has the focus. Until then this
    /// window stays on the screen and receives the keys for its successor: if it were closed first, keys struck
    /// before the window manager has focused the successor would reach no window. A successor that does not get the
    /// focus replaces this window 300 ms after it is shown.
    ///
    /// - Parameter whenClosed: called when this window is closed.
    package func closeAfterSuccessor(whenClosed: @escaping () -> Void = {}) {
        guard let successor = pending.successor, !window.isClosed, !window.isChild, !successor.window.isClosed else {
            close()
            return whenClosed()
        }
        let former = pending.former + [FormerWindow(window: self, whenClosed: whenClosed)]
        pending.former = []
        // Hold the keys until the successor has the focus, so that the input method receives them in a focused window.
        if successor.pending.former.isEmpty { successor.pending.worksInOrder += 1 }
        successor.pending.former += former
        if successor.window.isShown { successor.takeOver() }
    }

    /// Requests the focus if a window that this one replaces has it. Closes the replaced windows when the focus has
    /// come, 300 ms later, or at once if none of them has it.
    private func takeOver() {
        guard !pending.former.isEmpty else { return }
        guard !window.isFocused, pending.former.contains(where: \.window.window.isFocused) else {
            return closeFormerWindows()
        }
        window.activate()
        display.schedule(afterMilliseconds: 300) { [weak self] in self?.closeFormerWindows() }
    }

    private func closeFormerWindows() {
        guard !pending.former.isEmpty else { return }
        let former = pending.former
        pending.former = []
        for former in former {
            former.window.close()
            former.whenClosed()
        }
        pending.worksInOrder -= 1
        deliverWaitingInput()
    }

    /// Delivers answers that the local composer has given outside of a turn of the session, and sets the timer for the
    /// session's next deadline. Call after each input.
    func afterInput() {
        guard !session.isEnded else { return }
        session.receiveOwnAnswers()
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

    /// Requests an update of the spot, the caret's rectangle that the input method positions its windows by. The caret
    /// may have moved on the screen; the method is notified once, after the next painting.
    func setNeedsSpots() {
        guard !pending.spots else { return }
        pending.spots = true
        display.performAfterPainting { [weak self] in
            guard let self else { return }
            pending.spots = false
            session.updateSpot()
        }
    }

    /// Lays out the contents and the input views.
    public func layOut() {
        if let onLayout { onLayout(self) } else { (contents.first as? TextView)?.place(window.bounds) }
        layOutPanels()
    }
}

/// The deferred work of a window.
private struct PendingWork {
    /// The timer for the session's next deadline; nil if none is set.
    var timer: TimerID?
    /// Whether the spot is to be sent to the input method after painting.
    var spots = false
    /// Whether the modifiers that are held have been used for a key that ``WidgetWindow/keyInterceptor`` has
    /// consumed.
    var areModifiersUsed = false
    /// The user's input that waits, in order.
    var input: [WaitingInput] = []
    /// The window that receives the keys instead of this one; nil for none. Not weak: this window may itself have a
    /// successor and be closed, and its successor is found only through it.
    var successor: WidgetWindow?
    /// The windows that this window replaces, which are closed when it has the focus.
    var former: [FormerWindow] = []
    /// The number of keys that screen readers have not answered yet, including those of the windows that this
    /// window has replaced.
    var offers = 0
    /// Work of ``WidgetWindow/performInOrder(_:beforeWaitingKeys:_:)`` that waits until screen readers have
    /// answered the keys before it. It comes before the waiting input.
    var worksBehindOffers: [() -> Void] = []
    var keysWait = false
    /// The number of reasons for which new input has to wait: pieces of work of
    /// ``WidgetWindow/performInOrder(_:beforeWaitingKeys:_:)`` that are pending or running, and keys that screen
    /// readers or the input method have not answered.
    var worksInOrder = 0
    /// The number of pieces of work of ``WidgetWindow/performInOrder(_:beforeWaitingKeys:_:)``, and of actions for keys
    /// that no input method has used, that are running now.
    var worksUnderWay = 0
    /// Whether waiting input is being delivered.
    var isDelivering = false
    /// Whether keys that arrive now have to wait.
    var isHolding: Bool { keysWait || worksInOrder > 0 }
    /// Called when another client has destroyed the X window.
    var onDestroy: ((WidgetWindow) -> Void)?
    /// Called when no host embeds the plug any more.
    var onUnplug: ((WidgetWindow) -> Void)?
}

/// A window that another one has replaced, but that is still on the screen.
private struct FormerWindow {
    var window: WidgetWindow
    var whenClosed: () -> Void
}

/// The screen readers, which may consume keys.
package protocol KeyReader: AnyObject {
    /// Whether screen readers receive keys before the window handles them.
    var wantsKeys: Bool { get }
    /// Sends a key to screen readers, and calls the handler once with whether one of them has consumed the key.
    func show(_ key: KeyEvent, then handler: @escaping (Bool) -> Void)
}

/// Input of the user that waits until earlier input is handled.
private enum WaitingInput {
    /// A key, and whether screen readers have answered it already.
    case key(KeyEvent, RawKey, wasOffered: Bool)
    case work(() -> Void)
}

extension WidgetWindow: WindowDelegate {
    /// Passes a key to the session, unless a screen reader, a menu, a drag or ``keyInterceptor`` consumes the key.
    public func window(_ window: Window, didReceiveKey key: KeyEvent, raw: RawKey) {
        if let successor = pending.successor {
            return successor.window(successor.window, didReceiveKey: key, raw: raw)
        }
        guard !mustWait() else { return pending.input.append(.key(key, raw, wasOffered: false)) }
        take(key, raw, wasOffered: false)
    }

    /// Offers a key to screen readers before it is handled; later input waits for their answer.
    private func offer(_ key: KeyEvent, _ raw: RawKey, to keyReader: any KeyReader) {
        pending.worksInOrder += 1
        pending.offers += 1
        // Retain the window until screen readers have answered, because a successor of the window waits for that too.
        keyReader.show(key) { [self] isTaken in
            var target = self
            target.endOffer()
            while let next = target.pending.successor {
                target = next
                target.endOffer()
            }
            guard !target.window.isClosed else { return }
            target.readersHaveAnswered(isTaken ? nil : (key, raw), isOwn: target === self)
        }
    }

    private func endOffer() {
        pending.offers -= 1
        pending.worksInOrder -= 1
    }

    /// Handles a key after screen readers have answered. Then performs the work that was requested after the key,
    /// and then handles the waiting input. `key` is nil if a screen reader has consumed it.
    ///
    /// - Parameter isOwn: whether the key was struck in this window. A key that was struck in a window before this
    ///   one comes first among the waiting keys.
    private func readersHaveAnswered(_ key: (KeyEvent, RawKey)?, isOwn: Bool) {
        // Count this as a delivery of waiting input, so that work that the key requests comes before the input after
        // the key.
        let wasDelivering = pending.isDelivering
        pending.isDelivering = true
        if let key, !isOwn {
            pending.input.insert(.key(key.0, key.1, wasOffered: true), at: 0)
        } else if let key {
            take(key.0, key.1, wasOffered: true)
        }
        let works = pending.worksBehindOffers
        pending.worksBehindOffers = []
        for work in works { work() }
        pending.isDelivering = wasDelivering
        deliverWaitingInput()
    }

    /// Handles a key whose turn has come: all earlier input has been handled. `wasOffered`: whether screen readers have
    /// answered it already.
    private func take(_ key: KeyEvent, _ raw: RawKey, wasOffered: Bool) {
        if !wasOffered, let keyReader, keyReader.wantsKeys { return offer(key, raw, to: keyReader) }
        if menuTakes(key) { return }
        if key.phase != .up, !key.keysym.isModifier { focusedView?.interaction.keyWasPressed() }
        // Hide the pointer while the user types, until the pointer moves.
        if key.phase == .down, !key.keysym.isModifier, focusedView != nil, window.cursor != nil {
            window.setPointerHidden(true)
        }
        followControl(key)
        if dragTakes(key) { return }
        if !bridge.isOfCode(key), bypassesInterceptor?(key) != true, let keyInterceptor, keyInterceptor(key) {
            if key.phase != .up, !key.keysym.isModifier { pending.areModifiersUsed = true }
            return
        }
        if key.phase == .down { pending.areModifiersUsed = false }
        // Do not send the release of modifiers that were used for a consumed shortcut. The input method has not
        // received the shortcut's key, and would take Shift pressed and released alone as the command to switch
        // methods.
        let isSent = bridge.wantsRawKeys && !(pending.areModifiersUsed && key.keysym.isModifier)
        let isAwaited = key.phase != .up && !Self.choosingKeys.contains(key.keysym) && action(ofUnused: key) != nil
        session.handle(key, raw: isSent ? raw : nil)
        if isAwaited { holdInput() }
        afterInput()
    }

    /// The keys with which users choose among an input method's candidates, usually several times in a row.
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

    /// Performs the action for a key that no input method has used. Work that the action requests comes before the
    /// waiting input.
    private func performUnused(_ action: () -> Void) {
        pending.worksInOrder += 1
        pending.worksUnderWay += 1
        action()
        pending.worksUnderWay -= 1
        pending.worksInOrder -= 1
        deliverWaitingInput()
    }

    /// Lays out the contents for the new size.
    public func windowDidResize(_ window: Window) {
        closeMenu()
        layOut()
        window.setNeedsDisplay()
    }

    /// Notifies the parts of their new position on the screen.
    public func windowDidMove(_ window: Window) {
        for content in contents { content.windowDidMove(to: window.rootOrigin) }
        layOutPanels()
        // Update the spot: it is in screen coordinates, so it changes with the window's position.
        setNeedsSpots()
    }

    /// Notifies the session and the first responder that the window has got or lost the focus.
    public func windowDidChangeFocus(_ window: Window) {
        if !window.isFocused { closeMenu() }
        let isFocused = window.isFocused
        let takesOver = isFocused && !pending.former.isEmpty
        // Report the focus before the waiting keys, which were struck in the window that this one replaces: the input
        // method then receives them in a focused window.
        if takesOver { session.windowFocusChanged(true) }
        afterWaitingKeys(startsWaiting: false) { [weak self] in
            if !isFocused { self?.accessible?.focusWasLost() }
            self?.session.windowFocusChanged(isFocused)
            self?.afterInput()
        }
        // Report the focus of the window to screen readers before the focus of a part within it; and report that a
        // part has lost the focus before reporting that the window has.
        if isFocused { accessible?.windowDidChange() }
        focusSystem.windowFocusChanged(isFocused)
        accessible?.windowDidChange()
        afterInput()
        if takesOver { closeFormerWindows() }
    }

    /// Calls ``onClose``, or closes the window if there is no callback.
    public func windowShouldClose(_ window: Window) {
        if let successor = pending.successor { return successor.windowShouldClose(successor.window) }
        if let onClose { onClose(self) } else { close() }
    }

    /// Calls ``onUnplug``: the host has released the plug or has died.
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
        // Drop the waiting keys and work, which can no longer be answered.
        endSession()
    }
}
