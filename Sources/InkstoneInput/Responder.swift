/// An object that can have the focus of its window and take part in what happens to keys. Apple's `UIResponder`.
///
/// Responders of one window form a chain: a command that one does not know goes to the ``next``. Nothing here needs a
/// base class.
public protocol Responder: AnyObject {
    /// Who is asked when this one does not know a command; nil at the end of the chain.
    var next: (any Responder)? { get }
    /// Whether it may have the focus. False unless said otherwise.
    var canBecomeFirstResponder: Bool { get }
    /// It has got the focus. Called by ``FocusSystem`` only.
    func didBecomeFirstResponder()
    /// Whether it lets the focus go now. Called by ``FocusSystem`` only.
    func resignFirstResponder() -> Bool
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
}

/// The focus of one top-level window: who has it, whether the window itself has it, and what is restored when it comes
/// back. Apple's `UIFocusSystem`.
public final class FocusSystem {
    /// What happens to the focus.
    public enum Change: Hashable, Sendable {
        /// Another responder has it, or none.
        case responder
        /// The window has got or lost it.
        case window
        /// The responder's input views are to be asked for again.
        case inputViews
    }

    /// Who has the focus within the window; nil if nobody has.
    public private(set) weak var firstResponder: (any Responder)?
    /// Whether the window has the display's focus.
    public private(set) var isWindowFocused = false
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
        isWindowFocused && firstResponder === responder
    }

    /// Gives the focus to `responder`, or takes it from whoever has it if nil.
    ///
    /// False, and nothing changes, if it cannot have it or the one that has it refuses to let go. Input views are asked
    /// for after the focus has settled, so that they are right on first focus.
    @discardableResult
    public func makeFirstResponder(_ responder: (any Responder)?) -> Bool {
        if responder === firstResponder { return true }
        guard !isChanging, responder?.canBecomeFirstResponder ?? true else { return false }
        isChanging = true
        defer { isChanging = false }
        guard firstResponder?.resignFirstResponder() ?? true else { return false }
        firstResponder = responder
        responder?.didBecomeFirstResponder()
        onChange?(.responder)
        onChange?(.inputViews)
        return true
    }

    /// Asks the first responder for its input views again.
    public func reloadInputViews() { onChange?(.inputViews) }

    /// The window has got or lost the display's focus. The first responder stays; its selection is put back when the
    /// focus returns, if something changed it meanwhile without the text.
    public func windowFocusChanged(_ isFocused: Bool) {
        guard isFocused != isWindowFocused else { return }
        isWindowFocused = isFocused
        if isFocused {
            if let saved, saved.responder === firstResponder { saved.selection?() }
            saved = nil
        } else {
            saved = Saved(responder: firstResponder, selection: Self.restoringSelection(of: firstResponder))
        }
        onChange?(.window)
    }

    private static func restoringSelection(of responder: (any Responder)?) -> (() -> Void)? {
        guard let input = responder as? any TextInput, let selection = input.selectedTextRange else { return nil }
        return { [weak input] in
            guard let input, input.selectedTextRange == nil else { return }
            input.selectedTextRange = selection
        }
    }

    /// The responder after `current` among `order` that can have the focus, going around at the end: for Tab.
    /// Nil if there is no other.
    public func responder(
        after current: (any Responder)?, in order: [any Responder], backwards: Bool = false
    ) -> (any Responder)? {
        let list = backwards ? order.reversed() : order
        let start = list.firstIndex { $0 === current }.map { $0 + 1 } ?? 0
        return (list[start...] + list[..<start]).first { $0 !== current && $0.canBecomeFirstResponder }
    }
}
