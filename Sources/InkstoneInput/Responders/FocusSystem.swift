/// The focus of one top-level window: the first responder, whether the window itself has the focus, and the selection to restore when it
/// comes back. Apple's `UIFocusSystem`.
///
/// The system holds the responders weakly, makes no decisions, and calls them in this order: the old one's
/// `resignFirstResponder()`, which may refuse, and `focusDidChange(to: false)`; the new one's `didBecomeFirstResponder()`
/// and `focusDidChange(to: true)`; then ``onChange``. `focusDidChange` is for a window that has the display's focus.
public final class FocusSystem {
    /// A change of the focus.
    public enum Change: Hashable, Sendable {
        /// Another responder has the focus, or none.
        case responder
        /// The window got or lost the display's focus.
        case window
        /// The responder's input views are to be read again.
        case inputViews
        /// The keyboard was dismissed from the responder, which stays, or was restored.
        case keyboard
    }

    /// The first responder of this window; nil if there is none.
    public private(set) weak var firstResponder: (any Responder)?
    /// Whether the window has the display's focus.
    public private(set) var isWindowFocused = false
    /// Whether the first responder's keyboard was dismissed: it stays first responder, but no text comes, and keys scroll.
    public private(set) var isKeyboardDismissed = false
    /// Called after every change.
    public var onChange: ((Change) -> Void)?

    private struct Saved {
        weak var responder: (any Responder)?
        var selection: (() -> Void)?
    }
    private var saved: Saved?
    private var isChanging = false

    /// Creates a focus system without a first responder.
    public init() {}

    /// Whether this responder would receive keys now.
    public func isFocused(_ responder: any Responder) -> Bool {
        isWindowFocused && firstResponder === responder && !isKeyboardDismissed
    }

    /// Gives the focus to `responder`, or removes it if nil.
    ///
    /// Returns false, without any change, if `responder` cannot have the focus, the present first responder refuses to resign, or the call is
    /// made from within such a refusal. Input views are read after the focus has changed, so that they are right on first focus.
    @discardableResult
    public func makeFirstResponder(_ responder: (any Responder)?) -> Bool {
        if responder === firstResponder {
            restoreKeyboard()
            return true
        }
        guard !isChanging, responder?.canBecomeFirstResponder ?? true else { return false }
        isChanging = true
        let isReleased = firstResponder?.resignFirstResponder() ?? true
        isChanging = false
        guard isReleased else { return false }
        change(to: responder)
        return true
    }

    /// Removes the focus from a responder that leaves the window, without asking it. Has no effect for another one.
    public func remove(_ responder: any Responder) {
        if saved?.responder === responder { saved = nil }
        if responder === firstResponder { change(to: nil) }
    }

    private func change(to responder: (any Responder)?) {
        let old = firstResponder
        let wasFocused = isWindowFocused && !isKeyboardDismissed
        firstResponder = responder
        isKeyboardDismissed = false
        if wasFocused { old?.focusDidChange(to: false) }
        responder?.didBecomeFirstResponder()
        // A responder may pass the focus on at once; then the later one has already been notified.
        guard firstResponder === responder else { return }
        if isWindowFocused { responder?.focusDidChange(to: true) }
        onChange?(.responder)
        onChange?(.inputViews)
    }

    /// Dismisses the first responder's keyboard; the responder stays: its caret stops, no more text comes, keys scroll. It gets
    /// the keyboard back when it is made first responder again, as by a click. An ``AsyncTextInput`` is notified first.
    public func dismissKeyboard() {
        guard let responder = firstResponder, !isKeyboardDismissed else { return }
        (responder as? any AsyncTextInput ?? responder.textInputContext?.client as? any AsyncTextInput)?
            .keyboardWillDismiss()
        guard firstResponder === responder else { return }
        isKeyboardDismissed = true
        if isWindowFocused { responder.focusDidChange(to: false) }
        onChange?(.keyboard)
    }

    private func restoreKeyboard() {
        guard isKeyboardDismissed else { return }
        isKeyboardDismissed = false
        if isWindowFocused { firstResponder?.focusDidChange(to: true) }
        onChange?(.keyboard)
    }

    /// Requests that the first responder's input views are read again.
    public func reloadInputViews() { onChange?(.inputViews) }

    /// Records that the window got or lost the display's focus. The first responder stays; a selection that it has lost
    /// meanwhile is restored when the focus returns. A selection set by the program meanwhile is kept.
    public func windowFocusChanged(_ isFocused: Bool) {
        guard isFocused != isWindowFocused else { return }
        isWindowFocused = isFocused
        if isFocused {
            if let saved, saved.responder === firstResponder { saved.selection?() }
            saved = nil
        } else {
            saved = Saved(responder: firstResponder, selection: Self.restoringSelection(of: firstResponder))
        }
        if !isKeyboardDismissed { firstResponder?.focusDidChange(to: isFocused) }
        onChange?(.window)
    }

    private static func restoringSelection(of responder: (any Responder)?) -> (() -> Void)? {
        guard let input = responder as? any TextInput, let selection = input.selectedTextRange else { return nil }
        return { [weak input] in
            guard let input, input.selectedTextRange == nil else { return }
            input.selectedTextRange = selection
        }
    }

    /// Returns the responder after `current` among `order` that can have the focus, wrapping at the end by default: for Tab.
    /// Nil if there is no other.
    public func responder(
        after current: (any Responder)?, in order: [any Responder], backwards: Bool = false, wraps: Bool = true
    ) -> (any Responder)? {
        let list = backwards ? order.reversed() : order
        let start = list.firstIndex { $0 === current }.map { $0 + 1 } ?? 0
        return (list[start...] + (wraps ? list[..<start] : [])).first { $0 !== current && $0.canBecomeFirstResponder }
    }
}
