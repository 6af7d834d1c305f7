import InkstoneBase

/// The requests of an input context to an input method. The X11 module implements this protocol; a trace and tests
/// simulate it.
///
/// No call blocks or returns an answer. Answers come as `InputMethodEvent`s through ``InputSession/receive(_:)``.
package protocol InputMethodLink: AnyObject {
    /// Whether keys are sent to an input method now. If not, keys are typed directly at once.
    var isEngaged: Bool { get }

    /// Whether the input method itself draws the composition. If so, the program learns its text only with the
    /// commit. False by default.
    var composesUnseen: Bool { get }

    /// The traits of the input method: the order in which its answers come, and whether it reports their end. By
    /// default it has none of them.
    var traits: InputMethodTraits { get }

    /// Whether the input method uses the position of the composition. When this property changes, call
    /// ``InputSession/linkDidChange()``. True by default.
    var wantsSpot: Bool { get }

    /// Sends a key to the input method. Its answers, if any, come later. If the method does not use the key, it returns
    /// the key together with `ticket`, the number of this key.
    func forward(_ key: KeyEvent, raw: (any Sendable)?, ticket: KeyTicket)

    /// Returns the keys to type in place of a key, for a client that accepts no input method. Dead keys and compose
    /// sequences are combined, but not shown. Empty during a sequence; at its end, the keys that type the composed
    /// character.
    func plainKeys(for key: KeyEvent) -> [KeyEvent]

    /// Returns the answers to a key that the input method had not answered when it was lost: those of the program's own
    /// composing of dead keys, or the key itself with its ticket, to be typed.
    func answersOfItsOwn(to key: KeyEvent, ticket: KeyTicket) -> [InputMethodEvent]

    /// Moves the link's own answers into the empty array `answers`: those to keys and resets that it has not sent to an
    /// input method. By default there are none.
    func takeOwnAnswers(_ answers: inout [InputMethodEvent])

    /// Whether the program itself has an action for a key that the input method returns. False by default.
    func isForProgram(_ key: KeyEvent) -> Bool

    /// Performs the program's action for a key, if it has one.
    func performForProgram(_ key: KeyEvent)

    /// Sets the rectangle of the composition, in root pixels: the first line of the target clause, or the caret.
    /// The candidate window goes below its bottom edge. Nil if the text is not on the screen. The link ignores a
    /// rectangle that has not changed; it sends a new one at a quiet moment.
    func setSpot(_ rect: RootRect?)

    /// Asks the input method to discard its composition. Exactly one `resetReply` answers each call, after the
    /// answers to all keys forwarded before.
    func reset()

    /// Reports to the input method that a text that accepts input has got the focus.
    func focusIn()

    /// Reports to the input method that no text that accepts input has the focus any more.
    func focusOut()
}

extension InputMethodLink {
    /// Returns the key itself: the default for a link that combines no dead keys.
    package func plainKeys(for key: KeyEvent) -> [KeyEvent] { [key] }

    /// Returns the key itself with its ticket: the default for a link without a composition of its own.
    package func answersOfItsOwn(to key: KeyEvent, ticket: KeyTicket) -> [InputMethodEvent] { [.key(key, ticket)] }

    /// Does nothing: there are no answers of the link's own.
    package func takeOwnAnswers(_ answers: inout [InputMethodEvent]) {}

    /// False: all keys are the client's.
    package func isForProgram(_ key: KeyEvent) -> Bool { false }

    /// Does nothing: the default for a link without actions of the program.
    package func performForProgram(_ key: KeyEvent) {}

    /// False: the composition is drawn by the client.
    package var composesUnseen: Bool { false }

    /// No traits: the default for an input method that returns keys in order and sends no reports.
    package var traits: InputMethodTraits { InputMethodTraits() }

    /// True: the input method uses the spot.
    package var wantsSpot: Bool { true }
}

/// The properties of an input method that a session must know to understand the method's answers.
public struct InputMethodTraits: Hashable, Sendable {
    /// Whether the input method returns unused keys through another channel than that of its compositions, as ibus
    /// does. A returned key may then arrive before the answers to earlier keys.
    public var returnsKeysOutOfTurn: Bool
    /// Whether the input method sends `InputMethodEvent.quiet` when no more answers to a key will come. If so, only
    /// this event proves that none will come; the passing of time does not.
    public var reportsQuiet: Bool

    /// Creates traits; by default, the input method has none of them.
    public init(returnsKeysOutOfTurn: Bool = false, reportsQuiet: Bool = false) {
        self.returnsKeysOutOfTurn = returnsKeysOutOfTurn
        self.reportsQuiet = reportsQuiet
    }
}
