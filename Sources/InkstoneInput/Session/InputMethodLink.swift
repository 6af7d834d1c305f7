import InkstoneBase

/// The requests of an input context to an input method. The X11 module implements it; a trace and tests simulate it.
///
/// No call blocks or returns an answer: answers come as `InputMethodEvent`s through ``InputSession/receive(_:)``.
package protocol InputMethodLink: AnyObject {
    /// Whether keys are sent to a method now. If not, keys are typed directly at once.
    var isEngaged: Bool { get }

    /// Whether the method itself draws the composition, so that the program learns its text only with the commit.
    /// False by default.
    var composesUnseen: Bool { get }

    /// The behaviour of the method's answers. Without any of the traits by default.
    var traits: InputMethodTraits { get }

    /// Whether the method uses the position of the composition. When that changes, call ``InputSession/linkDidChange()``.
    /// True by default.
    var wantsSpot: Bool { get }

    /// Sends a key. Its answers, if any, come later; if the method does not use it, it comes back with `ticket`.
    ///
    /// `raw` is the value that came with the key, for example the bytes of the X event.
    func forward(_ key: KeyEvent, raw: (any Sendable)?, ticket: KeyTicket)

    /// Returns the keys to type for a client that takes no input method: dead keys and compose sequences are combined without
    /// being shown. Returns keys that type the result; none during a sequence.
    func plainKeys(for key: KeyEvent) -> [KeyEvent]

    /// Returns the substitute answers to a key that a lost method has not answered: the program's own composition of it, or the key with
    /// its ticket.
    func answersOfItsOwn(to key: KeyEvent, ticket: KeyTicket) -> [InputMethodEvent]

    /// Whether the program has an action of its own for a key that no method has used. False by default.
    func isForProgram(_ key: KeyEvent) -> Bool

    /// Performs the program's action for a key, if it has one.
    func performForProgram(_ key: KeyEvent)

    /// Sets the rectangle of the composition, in root pixels: the target clause's first line, or the caret. The
    /// candidate window goes below its bottom edge. The link drops repetitions and waits for a quiet moment.
    ///
    /// Nil: the text is not on the screen.
    func setSpot(_ rect: RootRect?)

    /// Asks the method to discard its composition; exactly one `resetReply` answers each call, after the
    /// answers to all keys forwarded before.
    func reset()

    /// Reports that a text that takes input has the focus.
    func focusIn()

    /// Reports that no text that takes input has the focus any more.
    func focusOut()
}

extension InputMethodLink {
    /// Returns the key itself.
    package func plainKeys(for key: KeyEvent) -> [KeyEvent] { [key] }

    /// Returns the key itself.
    package func answersOfItsOwn(to key: KeyEvent, ticket: KeyTicket) -> [InputMethodEvent] { [.key(key, ticket)] }

    /// False: all keys are the client's.
    package func isForProgram(_ key: KeyEvent) -> Bool { false }

    /// Does nothing.
    package func performForProgram(_ key: KeyEvent) {}

    /// False: the composition is drawn by the client.
    package var composesUnseen: Bool { false }

    /// Empty: the method has none of the traits.
    package var traits: InputMethodTraits { InputMethodTraits() }

    /// True: the method uses the spot.
    package var wantsSpot: Bool { true }
}

/// The behaviour of an input method's answers, as far as it determines their meaning.
public struct InputMethodTraits: Hashable, Sendable {
    /// Whether keys come back by another channel than the composition's drawing (ibus): a key may overtake the answers to earlier ones.
    public var returnsKeysOutOfTurn: Bool
    /// Whether `InputMethodEvent.quiet` reports when no more answers to a key will come. Then only this event is evidence of it, and
    /// not the passing of time.
    public var reportsQuiet: Bool

    /// Creates traits by name.
    public init(returnsKeysOutOfTurn: Bool = false, reportsQuiet: Bool = false) {
        self.returnsKeysOutOfTurn = returnsKeysOutOfTurn
        self.reportsQuiet = reportsQuiet
    }
}
