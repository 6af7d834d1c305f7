import InkstoneBase
import InkstoneInput
import InkstoneX11

/// Whom the keys that move the focus go to, in which order.
public enum FocusOrder {
    /// Nobody: the keys stay with the view that has the focus.
    case none
    /// The contents of the window that take the focus, in the order in which they were added.
    case contents
    /// These, as far as they take the focus.
    case responders([any Responder])
}

/// A context that the window keeps for a responder which brings none.
struct OwnContext {
    weak var responder: (any Responder)?
    let context: TextInputContext
    /// What stands in for a responder that takes no text; the context holds it weakly.
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
    /// Who has the focus within the window; nil if nobody has, and keys are the window's.
    public var firstResponder: (any Responder)? { focusSystem.firstResponder }

    /// Gives the focus within the window to `responder`, or to nobody. What is being composed ends and stays as text.
    ///
    /// False, and nothing changes, if the responder takes no focus, is a view of another window, or the one that has
    /// the focus refuses to let go.
    @discardableResult
    public func makeFirstResponder(_ responder: (any Responder)?) -> Bool {
        if let content = responder as? any WindowContent, !holds(content) { return false }
        return focusSystem.makeFirstResponder(responder)
    }

    /// Takes the keyboard from the first responder, which stays what it is: ``FocusSystem/dismissKeyboard()``. Its input views go as well.
    public func dismissKeyboard() {
        focusSystem.dismissKeyboard()
        afterInput()
    }

    /// Gives the focus to the next of ``focusOrder``, or to the previous one; around at the end. False if there is no
    /// other, or the one that has it refuses to let go. From the end of a plug it goes on to the host, if that has given it.
    @discardableResult
    public func moveFocus(backwards: Bool = false) -> Bool {
        func next(wraps: Bool) -> (any Responder)? {
            focusSystem.responder(after: firstResponder, in: tabOrder, backwards: backwards, wraps: wraps)
        }
        if let next = next(wraps: false) { return makeFirstResponder(next) }
        if window.passFocus(backwards: backwards) { return true }
        return next(wraps: true).map(makeFirstResponder) ?? false
    }

    private var tabOrder: [any Responder] {
        switch focusOrder {
        case .none: []
        case .contents: contents.compactMap { $0 as? any Responder }
        case .responders(let responders): responders
        }
    }

    /// The first or the last of ``focusOrder`` gets the focus.
    public func window(_ window: Window, focusWillEnterAt entry: FocusEntry) {
        guard entry != .current,
            let end = focusSystem.responder(after: nil, in: tabOrder, backwards: entry == .last)
        else { return }
        makeFirstResponder(end)
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

    /// Sends the window's keys to the context of the first responder, or to the window's own.
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
    /// ``nextResponder``.
    public var next: (any Responder)? { nextResponder }

    /// Opens the menu of the view that has the focus, shows or ends its loupe, has a character typed by its number, and moves the focus where ``focusOrder`` has it, else asks ``onCommand``.
    public func performAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
        switch action {
        case .insertTab where focusedView?.focusSelectedAttachment() == true: return true
        case .insertTab, .selectNextKeyView:
            if moveFocus() { return true }
        case .insertBacktab, .selectPreviousKeyView:
            if moveFocus(backwards: true) { return true }
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
            // Nothing else was going on.
            guard let focusedView, focusedView.isLoupeShown else { break }
            focusedView.hideLoupe()
            return true
        default: break
        }
        return onCommand?(action) ?? false
    }
}

// MARK: Across windows

extension Display {
    /// What the user does in the windows of this program on this display, so that the input method hears of it in one order.
    var inputQueue: InputQueue { companion { InputQueue() } }

    /// The window of this program on this display that has the display's focus; nil if none has.
    public var focusedWindow: WidgetWindow? {
        openWindows.first { $0.isFocused && $0.delegate is WidgetWindow }?.delegate as? WidgetWindow
    }

    /// Who hears keys now, in whichever window that is; nil if nobody of this program does.
    public var firstResponder: (any Responder)? { focusedWindow.map { $0.firstResponder ?? $0 } }
}
