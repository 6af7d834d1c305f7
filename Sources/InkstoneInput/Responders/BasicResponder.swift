/// A responder whose part in its chain is set by properties: what comes after it, its shortcuts, what the program does with its
/// commands, whether it takes the focus and what is shown beside it. A view inherits from it; one that says these things otherwise
/// adopts ``Responder`` alone.
open class BasicResponder: Responder {
    /// Who is asked for commands and shortcuts after this responder; nil for ``defaultNextResponder``. Held weakly.
    public weak var nextResponder: (any Responder)?
    /// Shortcuts while the responder, or one whose chain leads to it, has the focus.
    public var keyCommands: [KeyCommand] = []
    /// Performs a command that the responder does not know or refuses; returns whether it did.
    public var onCommand: ((EditCommand) -> Bool)?
    /// Called for Return where it types no new line: in a text of one line, and in one that is only read. ``onCommand`` is asked before.
    public var onSubmit: (() -> Void)?
    /// Whether the responder does a command that it could do now: one that the program refuses is called by no key, and goes up
    /// the chain, to ``onCommand`` first. Nil refuses none.
    public var canPerform: ((EditCommand) -> Bool)?
    /// Whether it takes the focus when it is clicked, by Tab or by the program.
    public var canBecomeFirstResponder = true
    /// Whether it lets the focus go now; a field with a mistake in it may keep it. Nil lets it go.
    public var shouldResignFirstResponder: (() -> Bool)?
    /// Keys come here from now on, or no longer do.
    public var onFocusChange: ((Bool) -> Void)?
    /// A panel that is shown with the responder while it has the focus.
    open var inputView: AnyObject?
    /// A strip that is shown with the responder while it has the focus, above ``inputView``.
    open var inputAccessoryView: AnyObject?

    /// A responder that takes the focus, without shortcuts.
    public init() {}

    /// Who comes after the responder if there is no ``nextResponder``; nobody unless a subclass says so.
    open var defaultNextResponder: (any Responder)? { nil }
    /// ``nextResponder``, else ``defaultNextResponder``.
    public var next: (any Responder)? { nextResponder ?? defaultNextResponder }
    /// None; a subclass that takes text has one.
    open var textInputContext: TextInputContext? { nil }
    /// Whether the responder itself does a command now, apart from ``canPerform`` and ``onCommand``: all, unless a subclass says
    /// otherwise.
    open func canPerformItself(_ action: EditCommand) -> Bool { true }
    /// Whether the responder does a command itself and the program does not refuse it.
    public func mayPerform(_ action: EditCommand) -> Bool {
        canPerformItself(action) && canPerform?(action) ?? true
    }
    /// Whether the responder does a command now, or the program may do it in its place.
    public func canPerformAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
        onCommand != nil || onSubmit != nil && action == .insertNewline || mayPerform(action)
    }
    /// Asks ``onCommand``, then ``onSubmit`` for Return.
    public func performAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
        if onCommand?(action) == true { return true }
        guard action == .insertNewline, let onSubmit else { return false }
        onSubmit()
        return true
    }
    /// Asks ``shouldResignFirstResponder``.
    open func resignFirstResponder() -> Bool { shouldResignFirstResponder?() ?? true }
    /// Calls ``onFocusChange``.
    open func focusDidChange(to isFocused: Bool) { onFocusChange?(isFocused) }
}
