public import InkstoneBase

/// What an input context asks of an input method. The X11 half implements it; a trace and tests play it.
///
/// No call blocks and none answers: answers come as `InputMethodEvent`s through ``InputSession/receive(_:)``.
public protocol InputMethodLink: AnyObject {
    /// Whether keys go to a method at all now. If not, keys are typed plainly at once.
    var isEngaged: Bool { get }

    /// Whether the method draws what is composed itself, so that nothing of it is known here until it is committed.
    /// False unless said otherwise.
    var composesUnseen: Bool { get }

    /// How the method answers. Without any of the traits unless said otherwise.
    var traits: InputMethodTraits { get }

    /// Whether anybody wants to know where the text being composed is. When that changes, ``InputSession/linkDidChange()`` is to be
    /// called. True unless said otherwise.
    var wantsSpot: Bool { get }

    /// Sends a key. Its answers, if any, come later; if the method does not want it, it comes back with `ticket`.
    ///
    /// `raw` is what was given with the key, for example the bytes of the X event.
    func forward(_ key: KeyEvent, raw: (any Sendable)?, ticket: KeyTicket)

    /// What a key types for a client that takes no input method: dead keys and compose sequences are put together without
    /// being shown. Keys that type the result; none while a sequence goes on.
    func plainKeys(for key: KeyEvent) -> [KeyEvent]

    /// What becomes of a key that the method had been sent and has not answered, now that it is gone: what the program composes of it
    /// itself, or the key with its ticket.
    func answersOfItsOwn(to key: KeyEvent, ticket: KeyTicket) -> [InputMethodEvent]

    /// Tells where the text being composed is, in root pixels: the target clause's first line, or the caret. The
    /// candidate window goes below its bottom edge. The link deduplicates and waits for a quiet moment.
    ///
    /// Nil: the text is not on the screen.
    func setSpot(_ rect: RootRect?)

    /// Asks the method to forget what is being composed; exactly one `resetReply` answers each call, after the
    /// answers of all keys forwarded before.
    func reset()

    /// A text that takes input has the focus.
    func focusIn()

    /// No text that takes input has the focus any more.
    func focusOut()
}

extension InputMethodLink {
    /// The key itself.
    public func plainKeys(for key: KeyEvent) -> [KeyEvent] { [key] }

    /// The key itself.
    public func answersOfItsOwn(to key: KeyEvent, ticket: KeyTicket) -> [InputMethodEvent] { [.key(key, ticket)] }

    /// It does not.
    public var composesUnseen: Bool { false }

    /// None.
    public var traits: InputMethodTraits { InputMethodTraits() }

    /// Always.
    public var wantsSpot: Bool { true }
}

/// How an input method answers, as far as that decides what its answers mean.
public struct InputMethodTraits: Hashable, Sendable {
    /// Whether keys come back by another way than the composition is drawn (ibus): one may overtake the answers to those before it.
    public var returnsKeysOutOfTurn: Bool
    /// Whether `InputMethodEvent.quiet` tells when no answer to a key is to come any more. Then nothing else does: no
    /// time that passes says so.
    public var reportsQuiet: Bool

    /// Traits by their names.
    public init(returnsKeysOutOfTurn: Bool = false, reportsQuiet: Bool = false) {
        self.returnsKeysOutOfTurn = returnsKeysOutOfTurn
        self.reportsQuiet = reportsQuiet
    }
}
