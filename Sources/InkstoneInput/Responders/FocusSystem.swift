/// The focus within one top-level window: the first responder, whether the window itself has the focus, and the
/// selection to restore when the focus returns. The counterpart of Apple's `UIFocusSystem`.
///
/// The system does not retain the responders, and makes no decisions. When another responder becomes the first
/// responder, it makes these calls, in this order:
///
/// 1. the old responder's `resignFirstResponder()`, which may refuse, and its `focusDidChange(to: false)`;
/// 2. the new responder's `didBecomeFirstResponder()` and its `focusDidChange(to: true)`;
/// 3. ``onChange``.
///
/// ``remove(_:)`` does not call `resignFirstResponder()`. If the window does not have the display's focus,
/// `focusDidChange` is not called.
public final class FocusSystem {
    /// The kind of a change that ``onChange`` reports.
    public enum Change: Hashable, Sendable {
        /// Another responder, or none, has become the first responder.
        case responder
        /// The window got or lost the display's focus.
        case window
        /// The responder's input views must be queried again.
        case inputViews
        /// The keyboard of the first responder was dismissed or restored. The first responder has not changed.
        case keyboard
    }

    /// The first responder of this window; nil if there is none.
    public private(set) weak var firstResponder: (any Responder)?
    /// Whether the window has the display's focus.
    public private(set) var isWindowFocused = false
    /// Whether the first responder's keyboard was dismissed. The responder is still the first responder, but
    /// receives no text, and keys scroll.
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

    /// Returns whether a responder would receive keys now.
    public func isFocused(_ responder: any Responder) -> Bool {
        isWindowFocused && firstResponder === responder && !isKeyboardDismissed
    }

    /// Makes `responder` the first responder; nil for none. If it is the first responder already, restores its
    /// keyboard if that was dismissed.
    ///
    /// Returns false, and changes nothing, in these cases: `responder` does not accept the focus; the present first
    /// responder refuses to resign; the call is made by a responder that is being asked to resign. The input views
    /// are queried after the focus has changed.
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

    /// Removes the focus from a responder that leaves the window, without calling its `resignFirstResponder()`. Has no
    /// effect if another responder has the focus.
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
        // Stop if the responder has passed the focus on immediately: the responder that has the focus now was already
        // notified.
        guard firstResponder === responder else { return }
        if isWindowFocused { responder?.focusDidChange(to: true) }
        onChange?(.responder)
        onChange?(.inputViews)
    }

    /// Dismisses the keyboard of the first responder. The responder remains the first responder, but its caret
    /// stops blinking, it receives no text, and keys scroll. The keyboard is restored when the responder is made
    /// first responder again, for example by a click. An ``AsyncTextInput`` is notified before the dismissal.
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

    /// Requests that the first responder's input views are queried again.
    public func reloadInputViews() { onChange?(.inputViews) }

    /// Records that the window got or lost the display's focus. The first responder does not change. If the first
    /// responder loses its selection before the focus returns, the selection is restored then. But a selection that
    /// the program has set meanwhile is kept.
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

    /// Returns the responder after `current` in `order` that accepts the focus, for the Tab key. Nil if no other
    /// responder accepts the focus; without `wraps`, nil if none after `current` does.
    ///
    /// - Parameter wraps: whether to continue from the other end of `order`.
    public func responder(
        after current: (any Responder)?, in order: [any Responder], backwards: Bool = false, wraps: Bool = true
    ) -> (any Responder)? {
        let list = backwards ? order.reversed() : order
        let start = list.firstIndex { $0 === current }.map { $0 + 1 } ?? 0
        return (list[start...] + (wraps ? list[..<start] : [])).first { $0 !== current && $0.canBecomeFirstResponder }
    }
}
