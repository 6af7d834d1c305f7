/// The options of a text view that users expect to set, as one value.
public struct TextInputOptions: Sendable {
    /// The effect of the Tab key.
    public enum TabBehavior: Hashable, Sendable {
        /// Inserts a tab. With several selected paragraphs the key indents these, also with ``insertsSpaces(_:)``.
        case insertsTab
        /// Inserts blanks up to the next multiple of this many columns.
        case insertsSpaces(Int)
        /// Moves the focus to the next view.
        case movesFocus
    }

    /// Whether the user may edit the text.
    public var isEditable = true
    /// Whether newlines are removed.
    public var isSingleLine = false
    /// Whether pasted or dropped text keeps its fonts, colours and paragraph styles; nil for no in a view of one line, and
    /// yes in any other. A view whose text is hidden drops them: see ``takesStyles``.
    public var acceptsStyles: Bool?
    /// Whether the text is hidden from everyone; then there is no input method either. Its store is confidential
    /// from then on: no journal keeps it, even after the text is shown again.
    public var isSecureTextEntry = false
    /// The maximum number of grapheme clusters that the user can reach; nil for no limit. Existing text stays.
    public var maximumLength: Int?
    /// A filter for the user's insertions: receives the text and returns the accepted text. Nil accepts all.
    public var inputFilter: (@Sendable (String) -> String)?
    /// The text that an empty view shows.
    public var placeholder = ""
    /// The effect of the Tab key.
    public var tabBehavior = TabBehavior.insertsTab
    /// Whether a new line begins with the leading blanks of its paragraph. The blanks of a paragraph with no other text move down
    /// to the new line.
    public var keepsIndentation = false
    /// Whether ``EditCommand/insertLineBreak`` inserts a line separator, U+2028, as in rich text: a new line in the same paragraph. Otherwise it
    /// acts like Return, because files of plain text have no other line end.
    public var insertsLineSeparators = false
    /// Whether `- `, `* `, `1. `, `a) ` or `[ ] `, typed at a paragraph's start, makes it a list item, in a view with styles. One undo
    /// restores the typed text.
    public var makesLists = false
    /// Whether a web or mail address (`https://`, `http://`, `mailto:`) becomes a link once a space or Return is typed after it,
    /// in a view with styles. One undo removes the link.
    public var makesLinks = false
    /// The direction of paragraphs without a direction of their own.
    public var baseWritingDirection = WritingDirection.natural

    /// Creates the options of an ordinary text view.
    public init() {}

    /// Whether pasted and dropped text keeps its styles.
    public var takesStyles: Bool { (acceptsStyles ?? !isSingleLine) && !isSecureTextEntry }
}
