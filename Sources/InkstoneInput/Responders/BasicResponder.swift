/// A responder that is configured by properties: the next responder, its shortcuts, the program's handling of its commands, whether it
/// accepts the focus, and its accessory views. A view inherits from it; a class that implements these differently adopts ``Responder``
/// alone.
open class BasicResponder: Responder {
    /// The responder that gets commands and shortcuts after this one; nil for ``defaultNextResponder``. Held weakly.
    public weak var nextResponder: (any Responder)?
    /// The shortcuts that work while this responder, or one whose chain leads to it, has the focus.
    public var keyCommands: [KeyCommand] = []
    /// Called for a command that the responder does not support or refuses; returns whether it performed the command.
    public var onCommand: ((EditCommand) -> Bool)?
    /// Called for Return if it types no new line: in a text of one line, and in a read-only one. ``onCommand`` is called first.
    public var onSubmit: (() -> Void)?
    /// Whether the responder performs a command that it could perform now: a refused one is performed by no key, and goes up
    /// the chain, to ``onCommand`` first. Nil refuses none.
    public var canPerform: ((EditCommand) -> Bool)?
    /// Whether the responder accepts the focus from a click, Tab or the program.
    public var canBecomeFirstResponder = true
    /// Whether the responder gives up the focus now; a field with an error in it may refuse. Nil gives it up.
    public var shouldResignFirstResponder: (() -> Bool)?
    /// Called when the responder begins or ceases to receive keys.
    public var onFocusChange: ((Bool) -> Void)?
    /// A panel that is shown with the responder while it has the focus.
    open var inputView: AnyObject?
    /// A strip that is shown with the responder while it has the focus, above ``inputView``.
    open var inputAccessoryView: AnyObject?

    /// Creates a responder that accepts the focus, without shortcuts.
    public init() {}

    /// The next responder if there is no ``nextResponder``; nil unless a subclass overrides it.
    open var defaultNextResponder: (any Responder)? { nil }
    /// ``nextResponder``, else ``defaultNextResponder``.
    public var next: (any Responder)? { nextResponder ?? defaultNextResponder }
    /// Nil; a subclass that accepts text has a context.
    open var textInputContext: TextInputContext? { nil }
    /// Whether the responder itself performs a command now, apart from ``canPerform`` and ``onCommand``: true, unless a subclass overrides
    /// it.
    open func canPerformItself(_ action: EditCommand) -> Bool { true }
    /// Whether the responder performs a command itself and the program does not refuse it.
    package func mayPerform(_ action: EditCommand) -> Bool {
        canPerformItself(action) && canPerform?(action) ?? true
    }
    /// Whether the responder performs a command now, or the program may do so instead.
    public func canPerformAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
        onCommand != nil || onSubmit != nil && action == .insertNewline || mayPerform(action)
    }
    /// Calls ``onCommand``, then ``onSubmit`` for Return.
    public func performAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
        if onCommand?(action) == true { return true }
        guard action == .insertNewline, let onSubmit else { return false }
        onSubmit()
        return true
    }
    /// Calls ``shouldResignFirstResponder``.
    open func resignFirstResponder() -> Bool { shouldResignFirstResponder?() ?? true }
    /// Calls ``onFocusChange``.
    open func focusDidChange(to isFocused: Bool) { onFocusChange?(isFocused) }
}
