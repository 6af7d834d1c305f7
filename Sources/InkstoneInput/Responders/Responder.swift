/// An object that can have the focus of its window, and that takes part in handling keys. The counterpart of
/// Apple's `UIResponder`.
///
/// The responders of a window form a chain. If a responder does not support a command, the command goes to the
/// ``next`` one. A base class is not needed.
public protocol Responder: AnyObject {
    /// The responder to which commands go that this one does not support. Nil at the end of the chain.
    var next: (any Responder)? { get }
    /// Whether the responder accepts the focus. False by default.
    var canBecomeFirstResponder: Bool { get }
    /// Called when the responder has become the first responder of its window, before its input views are queried.
    /// Only ``FocusSystem`` calls this.
    func didBecomeFirstResponder()
    /// Returns whether the responder gives up the focus now. Only ``FocusSystem`` calls this. It does not ask a
    /// responder that leaves the window.
    func resignFirstResponder() -> Bool
    /// Called when the responder starts or stops receiving keys. That happens when it becomes or ceases to be the
    /// first responder of a window that has the display's focus, and when its window gets or loses that focus.
    /// While the responder receives keys, its caret blinks. Only ``FocusSystem`` calls this.
    func focusDidChange(to isFocused: Bool)
    /// The context for the responder's keys. If nil, the default, the window makes and keeps a context. If the
    /// responder adopts ``KeyInput``, it is the client of that context. Any other responder receives only commands.
    var textInputContext: TextInputContext? { get }
    /// The key commands that work while this responder, or one before it in the chain, has the focus.
    var keyCommands: [KeyCommand] { get }
    /// Returns whether the responder would perform a command now. If not, no key, menu or proxy performs it.
    func canPerformAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool
    /// Performs a command that the responder's text input does not support. Returns false if the responder does not
    /// support the command either.
    func performAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool
    /// The panel that replaces an on-screen keyboard; nil for none.
    var inputView: AnyObject? { get }
    /// The strip that is shown while the responder has the focus; nil for none.
    var inputAccessoryView: AnyObject? { get }
}

extension Responder {
    /// Nil: the responder is the end of the chain.
    public var next: (any Responder)? { nil }
    /// False: the responder does not accept the focus.
    public var canBecomeFirstResponder: Bool { false }
    /// Does nothing: the default for a responder that needs no notice of the focus.
    public func didBecomeFirstResponder() {}
    /// Returns true: the responder gives up the focus.
    public func resignFirstResponder() -> Bool { true }
    /// Does nothing: the default for a responder that needs no notice of the focus.
    public func focusDidChange(to isFocused: Bool) {}
    /// Nil: the window makes a context.
    public var textInputContext: TextInputContext? { nil }
    /// Empty: the responder has no key commands.
    public var keyCommands: [KeyCommand] { [] }
    /// Returns true: the responder performs all commands that it supports.
    public func canPerformAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool { true }
    /// Returns false: the responder supports no commands.
    public func performAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool { false }
    /// Nil: the responder has no panel.
    public var inputView: AnyObject? { nil }
    /// Nil: the responder has no strip.
    public var inputAccessoryView: AnyObject? { nil }

    /// The chain from this responder on, in calling order. O(n) in its length.
    public var responderChain: [any Responder] {
        var chain: [any Responder] = [self]
        while let next = chain[chain.count - 1].next { chain.append(next) }
        return chain
    }
}

/// A substitute client that receives keys if the focused responder accepts no text, or if no responder has the
/// focus. Key commands and bound commands go to the chain that begins at ``next``. Text has no effect.
package final class CommandClient: KeyInput, Responder {
    /// The responder that this client replaces.
    package private(set) weak var next: (any Responder)?

    /// Creates a substitute for a responder, which is not retained.
    package init(for responder: any Responder) { next = responder }

    /// False: there is no text.
    package var hasText: Bool { false }
    /// Does nothing: the substitute has no text.
    package func insertText(_ text: String) {}
    /// Does nothing: the substitute has no text.
    package func deleteBackward() {}
}

/// A substitute client for a responder whose keyboard was dismissed. Keys that would move the caret scroll, and
/// other keys have no effect. Key commands and commands of the responder chain still work.
package final class ScrollingClient: KeyInput, Responder {
    /// The responder that this client replaces.
    package private(set) weak var next: (any Responder)?

    /// Creates a substitute for a responder, which is not retained.
    package init(for responder: any Responder) { next = responder }

    /// False: the substitute has no text.
    package var hasText: Bool { false }
    /// Does nothing: the substitute has no text.
    package func insertText(_ text: String) {}
    /// Does nothing: the substitute has no text.
    package func deleteBackward() {}
    /// Whether the command has a scrolling counterpart.
    package func canPerformAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
        action.scrolling != nil
    }
    /// Performs the scrolling counterpart of a command, by the responder's text or else by the responder chain.
    /// Returns whether it was performed; false for a command without a counterpart.
    package func performAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
        guard let scrolling = action.scrolling, let next, next.canPerformAction(scrolling, withSender: sender) else {
            return false
        }
        let client = next as? any TextInputClient ?? next.textInputContext?.client as? any TextInputClient
        return client?.doCommand(by: scrolling) ?? false || next.performAction(scrolling, withSender: sender)
    }
}
