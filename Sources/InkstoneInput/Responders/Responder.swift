/// An object that can have the focus of its window and take part in the handling of keys. Apple's `UIResponder`.
///
/// Responders of one window form a chain: a command that one does not support goes to the ``next``. No base class
/// is needed.
public protocol Responder: AnyObject {
    /// The responder that gets the commands which this one does not support; nil at the end of the chain.
    var next: (any Responder)? { get }
    /// Whether the responder may have the focus. False by default.
    var canBecomeFirstResponder: Bool { get }
    /// Called by ``FocusSystem`` only, when the responder got the focus of its window, before its input views are read.
    func didBecomeFirstResponder()
    /// Returns whether the responder gives up the focus now; false keeps it. Called by ``FocusSystem`` only, and not when the
    /// responder leaves the window.
    func resignFirstResponder() -> Bool
    /// Called by ``FocusSystem`` only, when the responder begins or ceases to receive keys: it got or lost the focus within a window that has
    /// the display's, or that window got or lost it. A caret blinks between the two.
    func focusDidChange(to isFocused: Bool)
    /// The context for the responder's keys. With nil, the default, the window makes and keeps a context, whose client is the
    /// responder itself if it adopts ``KeyInput``; any other responder gets commands only.
    var textInputContext: TextInputContext? { get }
    /// The key commands that work while this responder or one behind it in the chain has the focus.
    var keyCommands: [KeyCommand] { get }
    /// Whether the responder would perform the command now. If not, no key, menu or proxy performs it.
    func canPerformAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool
    /// Performs a command that is not the text's; false if the responder does not support it.
    func performAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool
    /// A panel that replaces an on-screen keyboard; nil for none.
    var inputView: AnyObject? { get }
    /// A strip shown with the responder while it has the focus; nil for none.
    var inputAccessoryView: AnyObject? { get }
}

extension Responder {
    /// Nil: the responder is the end of the chain.
    public var next: (any Responder)? { nil }
    /// False: the responder does not accept the focus.
    public var canBecomeFirstResponder: Bool { false }
    /// Does nothing.
    public func didBecomeFirstResponder() {}
    /// Returns true: the responder gives up the focus.
    public func resignFirstResponder() -> Bool { true }
    /// Does nothing.
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

    /// The chain from this responder on, in calling order. O(n), n its length.
    public var responderChain: [any Responder] {
        var chain: [any Responder] = [self]
        while let next = chain[chain.count - 1].next { chain.append(next) }
        return chain
    }
}

/// A substitute client for keys if the focused responder accepts no text, or if no responder has the focus:
/// key commands and bound commands reach the chain that begins at ``next``; text is dropped.
package final class CommandClient: KeyInput, Responder {
    /// The responder that this client replaces.
    package private(set) weak var next: (any Responder)?

    /// Creates a substitute for a responder, which is held weakly.
    package init(for responder: any Responder) { next = responder }

    /// False: there is no text.
    package var hasText: Bool { false }
    /// Does nothing.
    package func insertText(_ text: String) {}
    /// Does nothing.
    package func deleteBackward() {}
}

/// A substitute client for a responder whose keyboard was dismissed: keys that would move the caret scroll, other keys have no effect; key
/// commands and commands of the chain still work.
package final class ScrollingClient: KeyInput, Responder {
    /// The responder that this client replaces.
    package private(set) weak var next: (any Responder)?

    /// Creates a substitute for a responder, which is held weakly.
    package init(for responder: any Responder) { next = responder }

    /// False: no text comes here.
    package var hasText: Bool { false }
    /// Does nothing.
    package func insertText(_ text: String) {}
    /// Does nothing.
    package func deleteBackward() {}
    /// Whether the command has a scrolling counterpart.
    package func canPerformAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
        action.scrolling != nil
    }
    /// Makes the responder scroll: its text, else by its part in the chain.
    package func performAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
        guard let scrolling = action.scrolling, let next, next.canPerformAction(scrolling, withSender: sender) else {
            return false
        }
        let client = next as? any TextInputClient ?? next.textInputContext?.client as? any TextInputClient
        return client?.doCommand(by: scrolling) ?? false || next.performAction(scrolling, withSender: sender)
    }
}
