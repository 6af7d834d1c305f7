/// The display style of one scalar of a preedit: the bits of Xlib's `XIMFeedback` (Xlib, chapter 13.2.3).
@frozen
package struct PreeditFeedback: OptionSet, Hashable, Sendable {
    /// The bits that Xlib defines.
    package let rawValue: UInt32

    /// Creates a set with Xlib's bits.
    @inlinable
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// `XIMReverse`: marks the clause being converted.
    package static let reverse = PreeditFeedback(rawValue: 1)
    /// `XIMUnderline`: marks text as typed, not converted.
    package static let underline = PreeditFeedback(rawValue: 1 << 1)
    /// `XIMHighlight`: treated like ``reverse``.
    package static let highlight = PreeditFeedback(rawValue: 1 << 2)
    /// `XIMPrimary`: marks the first kind of clause.
    package static let primary = PreeditFeedback(rawValue: 1 << 5)
    /// `XIMSecondary`: marks the second kind of clause.
    package static let secondary = PreeditFeedback(rawValue: 1 << 6)
    /// `XIMTertiary`: marks the third kind of clause.
    package static let tertiary = PreeditFeedback(rawValue: 1 << 7)
    /// Marks the scalar shown for a key that types nothing, such as the compose key. Not one of Xlib's bits, and
    /// never sent by a server. The scalar is shown like the text beside it, and is removed when the client ends the
    /// composition.
    package static let placeholder = PreeditFeedback(rawValue: 1 << 16)
    /// All bits that a server may send.
    package static let ofServers = PreeditFeedback(rawValue: 0xffff)

    /// Whether the scalar belongs to the clause being converted, which becomes the selected range of the marked
    /// text.
    @inlinable
    package var isTarget: Bool { !isDisjoint(with: [.reverse, .highlight]) }
}

/// A change of the preedit as the server sent it (`XIMPreeditDrawCallbackStruct`). Its numbers are not checked.
package struct PreeditDraw: Hashable, Sendable {
    /// The position of the preedit caret, in scalars of the new preedit.
    package var caret: Int
    /// First scalar of the old preedit to replace.
    package var changeFirst: Int
    /// Number of scalars of the old preedit to replace.
    package var changeLength: Int
    /// The replacement text; nil to delete the old scalars.
    package var text: String?
    /// The feedback of each scalar of ``text``. If there are fewer, the remaining scalars have none; if there are
    /// more, the rest is ignored.
    package var feedback: [PreeditFeedback]

    /// Creates a change with the given properties.
    package init(caret: Int, changeFirst: Int, changeLength: Int, text: String?, feedback: [PreeditFeedback] = []) {
        self.caret = caret
        self.changeFirst = changeFirst
        self.changeLength = changeLength
        self.text = text
        self.feedback = feedback
    }
}

/// A move of the preedit caret as the server requested it (`XIMPreeditCaretCallbackStruct`).
package struct PreeditCaret: Hashable, Sendable {
    /// The direction of the move (`XIMCaretDirection`, same order as Xlib's numbers).
    package enum Direction: Int32, Hashable, Sendable, CaseIterable {
        /// Forward by one scalar.
        case forwardCharacter = 0
        /// Back by one scalar.
        case backwardCharacter
        /// To the start of the next word.
        case forwardWord
        /// To the start of the word at the caret, or of the previous word if the caret is there.
        case backwardWord
        /// Up by one line: no effect in a preedit of one line.
        case up
        /// Down by one line: no effect in a preedit of one line.
        case down
        /// To the start of the next line: no effect in a preedit of one line.
        case nextLine
        /// To the start of the previous line: no effect in a preedit of one line.
        case previousLine
        /// To the start of the preedit.
        case lineStart
        /// To the end of the preedit.
        case lineEnd
        /// To the position ``PreeditCaret/position``.
        case absolute
        /// No move, but the style may change.
        case unchanged
    }

    /// The style of the preedit caret (`XIMCaretStyle`).
    package enum Style: Int32, Hashable, Sendable {
        /// The caret is not shown.
        case invisible = 0
        /// The client's usual caret is shown.
        case primary
        /// The client's second caret style is requested (`XIMIsSecondary`). Inkstone shows the caret like
        /// ``primary``.
        case secondary
    }

    /// The direction in which the preedit caret moves.
    package var direction: Direction
    /// The new position in scalars, for ``Direction-swift.enum/absolute``.
    package var position: Int
    /// The style of the caret after the move.
    package var style: Style

    /// Creates a move with the given properties.
    package init(direction: Direction, position: Int, style: Style) {
        self.direction = direction
        self.position = position
        self.style = style
    }
}

/// A message from an input method, as a value. Messages are delivered in the order in which the server sent them.
package enum InputMethodEvent: Hashable, Sendable {
    /// A preedit begins. Servers may omit this message.
    case preeditStart
    /// The preedit changes. Servers may send this without ``preeditStart`` before it.
    case preeditDraw(PreeditDraw)
    /// The preedit caret moves.
    case preeditCaret(PreeditCaret)
    /// The preedit has ended. Servers may send this without any ``preeditDraw(_:)`` before it, or twice. It may
    /// come before or after the commit.
    case preeditDone
    /// The input method commits text, which replaces the preedit. The text is never a shortcut.
    case commit(String)
    /// The input method did not consume a key, and returned it. The ticket is the one under which the key was sent;
    /// nil if it is not known.
    case key(KeyEvent, KeyTicket?)
    /// The input method has answered a reset. The text is that of the answer; nil if the answer has none.
    case resetReply(String?)
    /// Later keys may be sent. The input method has answered several queries that were sent after the keys up to
    /// this one, and has sent nothing between its answers. It may still change the preedit, because some engines do
    /// so with a delay (ibus with anthy).
    case pause(through: KeyTicket)
    /// The input method has finished with the keys up to this one. It was queried after a time without messages,
    /// and sent nothing before its reply.
    case quiet(through: KeyTicket)
    /// The stamp of the next draw, commit or end of a preedit: the key that this message answers. A message without
    /// a stamp belongs to the same answer as the message before it.
    case stamp(AnswerStamp)
}

/// The key that an answer of the input method is for, as inferred by the matcher of keys and answers.
package struct AnswerStamp: Hashable, Sendable {
    /// The key; nil if the client does not wait for an answer to it any more.
    package var key: KeyTicket?
    /// The last key that the answer may be for, if the answer may be only half of one: it clears a composition
    /// whose text the input method may be about to commit. Nil for any other answer.
    package var half: KeyTicket?

    /// Creates a stamp from its parts.
    package init(key: KeyTicket?, half: KeyTicket? = nil) {
        self.key = key
        self.half = half
    }
}

/// The loss of an input method, for example by its death: the keys and the composition that it leaves unfinished in
/// a window.
package struct InputMethodLoss: Hashable, Sendable {
    /// The time since the input method's last message.
    public var silence: Milliseconds
    /// The keys that the input method has not answered or never received, in typing order.
    package var owed: [KeyTicket]
    /// Whether the input method may have been about to commit a composition that it has cleared.
    package var keepsCleared: Bool
    /// The key among ``owed`` whose answer has come only by half: the composition was cleared, but nothing was
    /// committed. Nil if there is none.
    package var half: KeyTicket?

    /// Creates a loss from its parts.
    public init(silence: Milliseconds, owed: [KeyTicket] = [], keepsCleared: Bool = false, half: KeyTicket? = nil) {
        self.silence = silence
        self.owed = owed
        self.keepsCleared = keepsCleared
        self.half = half
    }
}
