/// An object that can have the focus of its window and take part in what happens to keys. Apple's `UIResponder`.
///
/// Responders of one window form a chain: a command that one does not know goes to the ``next``. Nothing here needs a
/// base class.
public protocol Responder: AnyObject {
    /// Who is asked when this one does not know a command; nil at the end of the chain.
    var next: (any Responder)? { get }
    /// Whether it may have the focus. False unless said otherwise.
    var canBecomeFirstResponder: Bool { get }
    /// It has got the focus of its window. Called by ``FocusSystem`` only, before its input views are asked for.
    func didBecomeFirstResponder()
    /// Whether it lets the focus go now; false keeps it where it is. Called by ``FocusSystem`` only, and not when the
    /// responder leaves the window.
    func resignFirstResponder() -> Bool
    /// Keys come to it from now on, or no longer do: it has got or lost the focus within a window that has the
    /// display's, or that window has got or lost it. Called by ``FocusSystem`` only; a caret blinks between the two.
    func focusDidChange(to isFocused: Bool)
    /// What keys for it go through. Nil, the default, has the window make and keep a context, whose client is the
    /// responder itself if it adopts ``KeyInput``; one that does not gets commands only.
    var textInputContext: TextInputContext? { get }
    /// Key commands while it or one behind it in the chain has the focus.
    var keyCommands: [KeyCommand] { get }
    /// Whether it would perform the command now. If not, no key, menu or proxy makes it.
    func canPerformAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool
    /// Performs a command that is not the text's; false if it does not know it.
    func performAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool
    /// A panel of its own that replaces an on-screen keyboard; nil for none.
    var inputView: AnyObject? { get }
    /// A strip of its own shown with it while it has the focus; nil for none.
    var inputAccessoryView: AnyObject? { get }
}

extension Responder {
    /// The end of the chain.
    public var next: (any Responder)? { nil }
    /// It takes no focus.
    public var canBecomeFirstResponder: Bool { false }
    /// Nothing to do.
    public func didBecomeFirstResponder() {}
    /// It lets go.
    public func resignFirstResponder() -> Bool { true }
    /// Nothing to do.
    public func focusDidChange(to isFocused: Bool) {}
    /// The window makes one.
    public var textInputContext: TextInputContext? { nil }
    /// None.
    public var keyCommands: [KeyCommand] { [] }
    /// It performs what it knows.
    public func canPerformAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool { true }
    /// It knows none.
    public func performAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool { false }
    /// None.
    public var inputView: AnyObject? { nil }
    /// None.
    public var inputAccessoryView: AnyObject? { nil }

    /// This responder and all that come after it, in the order in which they are asked. O(n), n their number.
    public var responderChain: [any Responder] {
        var chain: [any Responder] = [self]
        while let next = chain[chain.count - 1].next { chain.append(next) }
        return chain
    }
}

/// Stands in where keys need a client and the responder with the focus takes no text, or where nobody has the focus:
/// key commands and bound commands reach the chain that begins at ``next``; text goes nowhere.
public final class CommandClient: KeyInput, Responder {
    /// The responder that it stands in for.
    public private(set) weak var next: (any Responder)?

    /// Stands in for a responder, which is held weakly.
    public init(for responder: any Responder) { next = responder }

    /// There is none.
    public var hasText: Bool { false }
    /// Does nothing.
    public func insertText(_ text: String) {}
    /// Does nothing.
    public func deleteBackward() {}
}

/// Stands in for a responder whose keyboard was dismissed: keys that would move the caret scroll, others are nothing; key commands and
/// commands of the chain stay.
public final class ScrollingClient: KeyInput, Responder {
    /// The responder that it stands in for.
    public private(set) weak var next: (any Responder)?

    /// Stands in for a responder, which is held weakly.
    public init(for responder: any Responder) { next = responder }

    /// False: no text comes here.
    public var hasText: Bool { false }
    /// Does nothing.
    public func insertText(_ text: String) {}
    /// Does nothing.
    public func deleteBackward() {}
    /// Whether it scrolls.
    public func canPerformAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
        action.scrolling != nil
    }
    /// Has the responder scroll: its text, else its part in the chain.
    public func performAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
        guard let scrolling = action.scrolling, let next, next.canPerformAction(scrolling, withSender: sender) else {
            return false
        }
        let client = next as? any TextInputClient ?? next.textInputContext?.client as? any TextInputClient
        return client?.doCommand(by: scrolling) ?? false || next.performAction(scrolling, withSender: sender)
    }
}
