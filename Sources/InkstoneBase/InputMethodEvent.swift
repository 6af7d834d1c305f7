/// The display style of one scalar of a preedit: the bits of Xlib's `XIMFeedback` (Xlib, chapter 13.2.3).
@frozen
public struct PreeditFeedback: OptionSet, Hashable, Sendable {
    /// Xlib's bits.
    public let rawValue: UInt32

    /// A set by Xlib's bits.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// `XIMReverse`: the clause being converted.
    public static let reverse = PreeditFeedback(rawValue: 1)
    /// `XIMUnderline`: text typed, not converted.
    public static let underline = PreeditFeedback(rawValue: 1 << 1)
    /// `XIMHighlight`: as ``reverse``.
    public static let highlight = PreeditFeedback(rawValue: 1 << 2)
    /// `XIMPrimary`: first kind of clause.
    public static let primary = PreeditFeedback(rawValue: 1 << 5)
    /// `XIMSecondary`: second kind of clause.
    public static let secondary = PreeditFeedback(rawValue: 1 << 6)
    /// `XIMTertiary`: third kind of clause.
    public static let tertiary = PreeditFeedback(rawValue: 1 << 7)
    /// A key that types nothing, such as the compose key. Not one of Xlib's bits, and never sent by a server. Its scalar is shown like the text
    /// beside it, and is removed when the client ends the composition.
    public static let placeholder = PreeditFeedback(rawValue: 1 << 16)
    /// All bits that a server may send.
    public static let ofServers = PreeditFeedback(rawValue: 0xffff)

    /// Whether this marks the clause being converted, which becomes the selected range of the marked text.
    @inlinable
    public var isTarget: Bool { !isDisjoint(with: [.reverse, .highlight]) }
}

/// A change of the preedit as the server sent it (`XIMPreeditDrawCallbackStruct`): its numbers are unchecked.
public struct PreeditDraw: Hashable, Sendable {
    /// The position of the preedit caret, in scalars of the new preedit.
    public var caret: Int
    /// First scalar of the old preedit to replace.
    public var changeFirst: Int
    /// Number of scalars of the old preedit to replace.
    public var changeLength: Int
    /// The replacement text; nil deletes.
    public var text: String?
    /// Feedback for each scalar of ``text``; may be shorter (then the rest has none) or longer (cut).
    public var feedback: [PreeditFeedback]

    /// A change by its parts.
    public init(caret: Int, changeFirst: Int, changeLength: Int, text: String?, feedback: [PreeditFeedback] = []) {
        self.caret = caret
        self.changeFirst = changeFirst
        self.changeLength = changeLength
        self.text = text
        self.feedback = feedback
    }
}

/// A move of the preedit caret as the server requested it (`XIMPreeditCaretCallbackStruct`).
public struct PreeditCaret: Hashable, Sendable {
    /// The direction of the move (`XIMCaretDirection`, same order as Xlib's numbers).
    public enum Direction: Int32, Hashable, Sendable, CaseIterable {
        /// Forward by one scalar.
        case forwardCharacter = 0
        /// Back by one scalar.
        case backwardCharacter
        /// To the start of the next word.
        case forwardWord
        /// To the start of this or the previous word.
        case backwardWord
        /// Up by one line: no effect in a preedit of one line.
        case up
        /// Down by one line: no effect in a preedit of one line.
        case down
        /// To the start of the next line: no effect in a preedit of one line.
        case nextLine
        /// To the start of the previous line: no effect in a preedit of one line.
        case previousLine
        /// To the start.
        case lineStart
        /// To the end.
        case lineEnd
        /// To ``PreeditCaret/position``.
        case absolute
        /// No move; the style may change.
        case unchanged
    }

    /// The style of the caret (`XIMCaretStyle`).
    public enum Style: Int32, Hashable, Sendable {
        /// Not shown.
        case invisible = 0
        /// The client's usual caret.
        case primary
        /// The client's second style, distinguishable from the first.
        case secondary
    }

    /// The direction of the move.
    public var direction: Direction
    /// The new position in scalars, for ``Direction-swift.enum/absolute``.
    public var position: Int
    /// The style of the caret after the move.
    public var style: Style

    /// A move by its parts.
    public init(direction: Direction, position: Int, style: Style) {
        self.direction = direction
        self.position = position
        self.style = style
    }
}

/// A message from an input method, as a value. Events come in the order in which the server sent them.
public enum InputMethodEvent: Hashable, Sendable {
    /// A preedit begins. Servers may leave it out.
    case preeditStart
    /// The preedit changes. Servers may send it without a start.
    case preeditDraw(PreeditDraw)
    /// The preedit caret moves.
    case preeditCaret(PreeditCaret)
    /// The preedit is over. Servers may send it without a draw, twice, or before or after the commit.
    case preeditDone
    /// Committed text: it replaces the preedit. Never a shortcut.
    case commit(String)
    /// A key that the method did not consume and sent back; with the ticket it was sent under if that is known.
    case key(KeyEvent, KeyTicket?)
    /// The method has answered a reset; the text is its reply, if the reply had one.
    case resetReply(String?)
    /// The method has answered several queries after the keys up to this one and sent nothing between: later keys may be sent. It may
    /// still draw, if its engine draws with a delay (ibus with anthy).
    case pause(through: KeyTicket)
    /// The method has finished with the keys up to this one: it had sent nothing for a while when it was queried after them, and sent nothing
    /// before its reply.
    case quiet(through: KeyTicket)
    /// The progress of the keys on the method's connection. Reported late, with the next event of another kind.
    case progress(InputMethodProgress)
}

/// Progress of keys on the method's own connection: facts only; the connection draws no conclusion from them.
public enum InputMethodProgress: Hashable, Sendable {
    /// The key was sent to the server.
    case sent(KeyTicket)
    /// A query was sent to the server after the keys that were sent.
    case asked
    /// The server has replied to the query: it has read those keys, although its answers to them may still be pending.
    case taken
    /// The key has come back and is composed by the client itself: the events that follow are not the server's.
    case returned(KeyTicket)
}
