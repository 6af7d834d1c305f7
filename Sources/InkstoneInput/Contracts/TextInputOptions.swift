/// What users expect to be able to set on a text view, as one value.
public struct TextInputOptions: Sendable {
    /// What the Tab key means.
    public enum TabBehavior: Hashable, Sendable {
        /// Types a tab. Over text of several paragraphs the key indents these, here and where it types blanks.
        case insertsTab
        /// Types blanks up to the next multiple of this many columns.
        case insertsSpaces(Int)
        /// Goes to the next view.
        case movesFocus
    }

    /// Whether the user may edit.
    public var isEditable = true
    /// Whether newlines are left out.
    public var isSingleLine = false
    /// Whether what is pasted or dropped keeps its fonts, colours and paragraph styles; nil for a view of one line to take none, and
    /// any other to take them. A view whose text is hidden takes none: see ``takesStyles``.
    public var acceptsStyles: Bool?
    /// Whether the text is hidden from everyone; then there is no input method either. Its store is confidential
    /// from then on: no journal keeps it, also after it is shown.
    public var isSecureTextEntry = false
    /// Most grapheme clusters that the user may bring the text to; nil for no limit. Text that is there stays.
    public var maximumLength: Int?
    /// What the user may insert: gets the text and returns what is taken of it. Nil takes all.
    public var inputFilter: (@Sendable (String) -> String)?
    /// What an empty view shows.
    public var placeholder = ""
    /// What the Tab key means.
    public var tabBehavior = TabBehavior.insertsTab
    /// Whether a new line begins with the blanks that its paragraph begins with. The blanks of a paragraph that has nothing else move down
    /// to the new line.
    public var keepsIndentation = false
    /// Whether ``EditCommand/insertLineBreak`` types a line separator, U+2028, as in rich text: a new line in the same paragraph. Else it
    /// types what Return does, because files of plain text know no other line end.
    public var insertsLineSeparators = false
    /// Whether `- `, `* `, `1. `, `a) ` or `[ ] `, typed at a paragraph's start, make it a list item, in a view that takes styles. A step of
    /// undo brings back what was typed.
    public var makesLists = false
    /// Whether an address of the web or of mail (`https://`, `http://`, `mailto:`) becomes a link once a space or Return is typed behind it,
    /// in a view that takes styles. A step of undo takes the link away.
    public var makesLinks = false
    /// The direction of paragraphs that do not say their own.
    public var baseWritingDirection = WritingDirection.natural

    /// An ordinary text view.
    public init() {}

    /// Whether text from elsewhere keeps its styles.
    public var takesStyles: Bool { (acceptsStyles ?? !isSingleLine) && !isSecureTextEntry }
}
