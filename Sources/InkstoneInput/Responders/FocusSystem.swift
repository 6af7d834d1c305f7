/// The focus of one top-level window: who has it, whether the window itself has it, and what is restored when it comes
/// back. Apple's `UIFocusSystem`.
///
/// It holds the responders weakly, decides nothing by itself, and calls them in this order: the old one's
/// `resignFirstResponder()`, which may refuse, and `focusDidChange(to: false)`; the new one's `didBecomeFirstResponder()`
/// and `focusDidChange(to: true)`; then ``onChange``. `focusDidChange` is for a window that has the display's focus.
public final class FocusSystem {
    /// What happens to the focus.
    public enum Change: Hashable, Sendable {
        /// Another responder has it, or none.
        case responder
        /// The window has got or lost it.
        case window
        /// The responder's input views are to be asked for again.
        case inputViews
        /// The keyboard has gone from the responder, which stays, or has come back.
        case keyboard
    }

    /// Who has the focus within the window; nil if nobody has.
    public private(set) weak var firstResponder: (any Responder)?
    /// Whether the window has the display's focus.
    public private(set) var isWindowFocused = false
    /// Whether the first responder has no keyboard although it stays what it is: no text comes, and keys scroll.
    public private(set) var isKeyboardDismissed = false
    /// Told of every change, after it.
    public var onChange: ((Change) -> Void)?

    private struct Saved {
        weak var responder: (any Responder)?
        var selection: (() -> Void)?
    }
    private var saved: Saved?
    private var isChanging = false

    /// Nobody has the focus.
    public init() {}

    /// Whether this responder would hear keys now.
    public func isFocused(_ responder: any Responder) -> Bool {
        isWindowFocused && firstResponder === responder && !isKeyboardDismissed
    }

    /// Gives the focus to `responder`, or takes it from whoever has it if nil.
    ///
    /// False, and nothing changes, if it cannot have it, the one that has it refuses to let go, or it is asked for from
    /// within such a refusal. Input views are asked for after the focus has settled, so that they are right on first
    /// focus.
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

    /// Takes the focus from a responder that leaves the window; it is not asked. Another is nothing to do.
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
        // A responder may pass the focus on at once; then the rest has been told of the one that has it.
        guard firstResponder === responder else { return }
        if isWindowFocused { responder?.focusDidChange(to: true) }
        onChange?(.responder)
        onChange?(.inputViews)
    }

    /// Takes the keyboard away from the first responder, which stays what it is: its caret stops, text comes no more, keys scroll. It gets
    /// the keyboard back when it is made first responder again, as a click does. An ``AsyncTextInput`` is notified first.
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

    /// Asks the first responder for its input views again.
    public func reloadInputViews() { onChange?(.inputViews) }

    /// The window has got or lost the display's focus. The first responder stays; a selection that it had and has lost
    /// meanwhile is put back when the focus returns. One that the program has set is left alone.
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

    /// The responder after `current` among `order` that can have the focus, going around at the end unless told otherwise: for Tab.
    /// Nil if there is no other.
    public func responder(
        after current: (any Responder)?, in order: [any Responder], backwards: Bool = false, wraps: Bool = true
    ) -> (any Responder)? {
        let list = backwards ? order.reversed() : order
        let start = list.firstIndex { $0 === current }.map { $0 + 1 } ?? 0
        return (list[start...] + (wraps ? list[..<start] : [])).first { $0 !== current && $0.canBecomeFirstResponder }
    }
}
