import InkstoneBase
import InkstoneInput
import InkstoneX11

/// The responders among which the focus keys move the focus, in order.
public enum FocusOrder {
    /// No responders: the focus keys go to the view that has the focus.
    case none
    /// The contents of the window that accept the focus, in the order in which they were added.
    case contents
    /// The given responders, except those that do not accept the focus.
    case responders([any Responder])
}

/// A text input context that the window keeps for a responder that has none.
struct OwnContext {
    weak var responder: (any Responder)?
    let context: TextInputContext
    /// The stand-in client for a responder that accepts no text; nil for other responders. Retained here, because
    /// the context does not retain its client.
    let standIn: CommandClient?

    init(_ responder: any Responder) {
        self.responder = responder
        if let client = responder as? any KeyInput {
            context = TextInputContext(client: client)
            standIn = nil
        } else {
            let client = CommandClient(for: responder)
            context = TextInputContext(client: client)
            standIn = client
        }
    }
}

// MARK: Focus

extension WidgetWindow {
    /// The first responder of this window, or nil if keys go to the window itself.
    public var firstResponder: (any Responder)? { focusSystem.firstResponder }

    /// Makes a responder the first responder of this window; nil for none. The composition ends, and its text is
    /// kept.
    ///
    /// Returns false, and changes nothing, if the responder refuses the focus or is a view of another window, or if
    /// the first responder refuses to give up the focus.
    @discardableResult
    public func makeFirstResponder(_ responder: (any Responder)?) -> Bool {
        if let content = responder as? any WindowContent, !holds(content) { return false }
        return focusSystem.makeFirstResponder(responder)
    }

    /// Dismisses the keyboard of the first responder, which remains the first responder: see
    /// ``FocusSystem/dismissKeyboard()``. Also hides its input views.
    public func dismissKeyboard() {
        focusSystem.dismissKeyboard()
        afterInput()
    }

    /// Moves the focus to the next or the previous responder of ``focusOrder``, from the last to the first and vice
    /// versa. Returns false if there is no other responder, or the first responder refuses to give up the focus. At
    /// the end of a plug's order, the focus moves into the host instead, if the host has given the plug the focus.
    @discardableResult
    public func moveFocus(backwards: Bool = false) -> Bool {
        func next(wraps: Bool) -> (any Responder)? {
            focusSystem.responder(after: firstResponder, in: tabOrder, backwards: backwards, wraps: wraps)
        }
        if let next = next(wraps: false) { return enter(next, backwards: backwards) }
        if window.passFocus(backwards: backwards) { return true }
        return next(wraps: true).map { enter($0, backwards: backwards) } ?? false
    }

    /// Moves the focus to a responder, at Tab or Shift+Tab. If the responder is a text in which Tab selects links,
    /// selects its first or last visible link.
    @discardableResult
    private func enter(_ responder: any Responder, backwards: Bool) -> Bool {
        guard makeFirstResponder(responder) else { return false }
        if firstResponder === responder { (responder as? TextView)?.selectVisibleLink(backwards: backwards) }
        return true
    }

    /// Moves the focus for Tab or Shift+Tab. If no other responder accepts the focus, goes on with the links at the
    /// other end of the focused text.
    private func moveFocusByTab(backwards: Bool) -> Bool {
        moveFocus(backwards: backwards) || focusedView?.selectEndLink(backwards: backwards) == true
    }

    private var tabOrder: [any Responder] {
        switch focusOrder {
        case .none: []
        case .contents: contents.compactMap { $0 as? any Responder }
        case .responders(let responders): responders
        }
    }

    /// Moves the focus to the first or the last responder of ``focusOrder``, when the focus enters a plug from its
    /// host.
    public func window(_ window: Window, focusWillEnterAt entry: FocusEntry) {
        guard entry != .current,
            let end = focusSystem.responder(after: nil, in: tabOrder, backwards: entry == .last)
        else { return }
        enter(end, backwards: entry == .last)
    }

    func focusDidChange(_ change: FocusSystem.Change) {
        switch change {
        case .responder: activateContext()
        case .window: layOutPanels()
        case .inputViews: return updatePanels()
        case .keyboard:
            activateContext()
            updatePanels()
        }
        display.focusWatch.onChange?()
    }

    /// Activates the text input context of the first responder or, without one, that of the window.
    func activateContext() {
        let context = focusSystem.isKeyboardDismissed ? dismissedContext() : context(of: firstResponder ?? self)
        context.chainEnd = self
        session.activate(context)
    }

    private func dismissedContext() -> TextInputContext {
        let responder = firstResponder ?? self
        let standIn = ScrollingClient(for: responder)
        let made = TextInputContext(client: standIn, keyBindings: context(of: responder).keyBindings)
        dismissed = (made, standIn)
        return made
    }

    private func context(of responder: any Responder) -> TextInputContext {
        if let own = responder.textInputContext { return own }
        let key = ObjectIdentifier(responder)
        if let known = contexts[key], known.responder === responder { return known.context }
        contexts = contexts.filter { $0.value.responder != nil }
        let made = OwnContext(responder)
        contexts[key] = made
        return made.context
    }
}

extension WidgetWindow: Responder {
    /// The value of ``nextResponder``.
    public var next: (any Responder)? { nextResponder }

    /// Performs a command of the window: opens the focused view's menu, shows or hides its loupe, starts to type a
    /// character by its number, or moves the focus in ``focusOrder`` or to the view of a selected attachment. Calls
    /// ``onCommand`` for all other commands, and for these if they have no effect here. Returns whether the command
    /// was performed.
    public func performAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
        switch action {
        case .insertTab where focusedView?.focusSelectedAttachment() == true: return true
        case .insertTab, .insertBacktab:
            if moveFocusByTab(backwards: action == .insertBacktab) { return true }
        case .selectNextKeyView, .selectPreviousKeyView:
            if moveFocus(backwards: action == .selectPreviousKeyView) { return true }
        case .showContextMenu:
            if let focusedView {
                focusedView.openContextMenu()
                return true
            }
        case .toggleLoupe:
            guard let focusedView else { break }
            if focusedView.isLoupeShown { focusedView.hideLoupe() } else { focusedView.showLoupe() }
            return true
        case .insertCharacterByCode:
            guard let client = session.activeContext?.client, !(client is CommandClient),
                (client as? any TextInput)?.isEditable ?? true
            else { break }
            bridge.beginCode()
            return true
        case .cancelOperation:
            // Hide the loupe: the cancel command only arrives here if there was no gesture or composition to cancel.
            guard let focusedView, focusedView.isLoupeShown else { break }
            focusedView.hideLoupe()
            return true
        default: break
        }
        return onCommand?(action) == true || findBar?.perform(action) == true
    }
}

// MARK: Focus and input of all windows

extension Display {
    /// The queue of the user's input to all windows of this program on this display. A single queue gives the input
    /// method one order of keys.
    var inputQueue: InputQueue { companion { InputQueue() } }

    /// The window of this program on this display that has the display's focus; nil if none has.
    public var focusedWindow: WidgetWindow? {
        openWindows.first { $0.isFocused && $0.delegate is WidgetWindow }?.delegate as? WidgetWindow
    }

    /// The responder that receives keys now, in any window of this program; nil if none of its windows has the
    /// focus.
    public var firstResponder: (any Responder)? { focusedWindow.map { $0.firstResponder ?? $0 } }
}
