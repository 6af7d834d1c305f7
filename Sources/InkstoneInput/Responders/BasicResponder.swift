/// A responder that is configured by properties: the next responder, its shortcuts, the program's handling of its
/// commands, whether it accepts the focus, and its accessory views. Views inherit from this class. A class that
/// implements all of this differently adopts only ``Responder``.
open class BasicResponder: Responder {
    /// The next responder for commands and shortcuts; nil for ``defaultNextResponder``. Not retained.
    public weak var nextResponder: (any Responder)?
    /// The shortcuts that work while this responder, or one before it in the responder chain, has the focus.
    public var keyCommands: [KeyCommand] = []
    /// Called for a command that the responder does not support, or refuses. Returns whether it has performed the
    /// command.
    public var onCommand: ((EditCommand) -> Bool)?
    /// Called for Return if Return does not insert a newline; it does not in a single-line or read-only text.
    /// ``onCommand`` is called first.
    public var onSubmit: (() -> Void)?
    /// Returns whether the program permits a command that the responder could perform now. If the program refuses
    /// it, the responder does not perform it: the command goes to ``onCommand`` and then up the responder chain. If
    /// nil, the program refuses no command.
    public var canPerform: ((EditCommand) -> Bool)?
    /// Whether the responder accepts the focus from a click, Tab or the program.
    public var canBecomeFirstResponder = true
    /// Returns whether the responder gives up the focus now. A field with an invalid value may refuse, for example.
    /// If nil, the responder gives it up.
    public var shouldResignFirstResponder: (() -> Bool)?
    /// Called when the responder starts or stops receiving keys.
    public var onFocusChange: ((Bool) -> Void)?
    /// The panel that is shown while the responder has the focus; nil for none.
    open var inputView: AnyObject?
    /// The strip that is shown above ``inputView`` while the responder has the focus; nil for none.
    open var inputAccessoryView: AnyObject?

    /// Creates a responder that accepts the focus and has no shortcuts.
    public init() {}

    /// The next responder if ``nextResponder`` is nil. Nil unless a subclass overrides it.
    open var defaultNextResponder: (any Responder)? { nil }
    /// The next responder: ``nextResponder``, or else ``defaultNextResponder``. Nil if both are nil.
    public var next: (any Responder)? { nextResponder ?? defaultNextResponder }
    /// Nil. A subclass that accepts text overrides it.
    open var textInputContext: TextInputContext? { nil }
    /// Returns whether the responder itself can perform a command now, regardless of ``canPerform`` and
    /// ``onCommand``. True unless a subclass overrides it.
    open func canPerformItself(_ action: EditCommand) -> Bool { true }
    /// Returns whether the responder can perform a command itself, and the program does not refuse the command.
    package func mayPerform(_ action: EditCommand) -> Bool {
        canPerformItself(action) && canPerform?(action) ?? true
    }
    /// Returns whether the responder can perform a command now, or the program may perform it instead. The program
    /// may perform any command by ``onCommand``, and Return by ``onSubmit``.
    public func canPerformAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
        onCommand != nil || onSubmit != nil && action == .insertNewline || mayPerform(action)
    }
    /// Calls ``onCommand``. If that has not performed the command, and the command is Return's, calls ``onSubmit``.
    /// Returns whether the command was performed.
    public func performAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
        if onCommand?(action) == true { return true }
        guard action == .insertNewline, let onSubmit else { return false }
        onSubmit()
        return true
    }
    /// Returns the answer of ``shouldResignFirstResponder``; true without that callback.
    open func resignFirstResponder() -> Bool { shouldResignFirstResponder?() ?? true }
    /// Calls ``onFocusChange``. Called when the responder starts or stops receiving keys.
    open func focusDidChange(to isFocused: Bool) { onFocusChange?(isFocused) }
}
