/// How one scalar of a preedit is to be shown: the bits of Xlib's `XIMFeedback` (Xlib, chapter 13.2.3).
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
    /// None of Xlib's, and no server's: stands for a key that types nothing, such as the compose key. It is shown like the text
    /// beside it, and does not stay when the composition is ended by the client.
    public static let placeholder = PreeditFeedback(rawValue: 1 << 16)
    /// All that a server may send.
    public static let ofServers = PreeditFeedback(rawValue: 0xffff)

    /// Whether this marks the clause being converted, which becomes the selected range of the marked text.
    @inlinable
    public var isTarget: Bool { !isDisjoint(with: [.reverse, .highlight]) }
}

/// A change of the preedit as the server sent it (`XIMPreeditDrawCallbackStruct`): nothing in it is to be trusted.
public struct PreeditDraw: Hashable, Sendable {
    /// Where the preedit caret goes, in scalars of the new preedit.
    public var caret: Int
    /// First scalar of the old preedit to replace.
    public var changeFirst: Int
    /// Number of scalars of the old preedit to replace.
    public var changeLength: Int
    /// What replaces them; nil deletes.
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

/// A move of the preedit caret as the server asked for it (`XIMPreeditCaretCallbackStruct`).
public struct PreeditCaret: Hashable, Sendable {
    /// Where to (`XIMCaretDirection`, same order as Xlib's numbers).
    public enum Direction: Int32, Hashable, Sendable, CaseIterable {
        /// One scalar forward.
        case forwardCharacter = 0
        /// One scalar back.
        case backwardCharacter
        /// To the start of the next word.
        case forwardWord
        /// To the start of this or the previous word.
        case backwardWord
        /// One line up: nothing in a preedit of one line.
        case up
        /// One line down: nothing in a preedit of one line.
        case down
        /// To the start of the next line: nothing in a preedit of one line.
        case nextLine
        /// To the start of the previous line: nothing in a preedit of one line.
        case previousLine
        /// To the start.
        case lineStart
        /// To the end.
        case lineEnd
        /// To the position given.
        case absolute
        /// Nowhere; the style may change.
        case unchanged
    }

    /// How the caret is to look (`XIMCaretStyle`).
    public enum Style: Int32, Hashable, Sendable {
        /// Not at all.
        case invisible = 0
        /// As the client likes.
        case primary
        /// As the client likes, told apart from the first.
        case secondary
    }

    /// Where to.
    public var direction: Direction
    /// The new position in scalars, for ``Direction-swift.enum/absolute``.
    public var position: Int
    /// How it looks.
    public var style: Style

    /// A move by its parts.
    public init(direction: Direction, position: Int, style: Style) {
        self.direction = direction
        self.position = position
        self.style = style
    }
}

/// What comes back from an input method, as values, in the order the server sent it.
public enum InputMethodEvent: Hashable, Sendable {
    /// A preedit begins. Servers may leave it out.
    case preeditStart
    /// The preedit changes. Servers may send it without a start.
    case preeditDraw(PreeditDraw)
    /// The preedit caret moves.
    case preeditCaret(PreeditCaret)
    /// The preedit is over. Servers may send it without a draw, twice, or before or after the commit.
    case preeditDone
    /// Finished text: it replaces the preedit. Never a shortcut.
    case commit(String)
    /// A key that the method did not want, given back; with the ticket it was sent under if that is known.
    case key(KeyEvent, KeyTicket?)
    /// The method has answered a reset; the text is its reply, if it gave one.
    case resetReply(String?)
    /// The method has answered several queries behind the keys up to this one with no word between: later keys may be sent. It may
    /// still draw, if its engine draws when it finds the time (ibus with anthy).
    case pause(through: KeyTicket)
    /// The method has nothing more to say of the keys up to this one: it had said nothing for a while when it was asked something behind
    /// them, and was silent.
    case quiet(through: KeyTicket)
    /// How far the keys have got on their way. Told late, with the next event of another kind.
    case progress(InputMethodProgress)
}

/// What has become of keys on the method's own connection: facts, from which nothing is concluded there.
public enum InputMethodProgress: Hashable, Sendable {
    /// The server has been given this key.
    case sent(KeyTicket)
    /// It has been asked something behind the keys that it has been given.
    case asked
    /// It has answered that: it has taken those keys, although what it has to say of them may be still to come.
    case taken
    /// This key has come back, and is composed by the client itself: what follows is not the server's.
    case returned(KeyTicket)
}
