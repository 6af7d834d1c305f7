/// The options of a text view, as one value. They determine which edits the user may make, and how keys work.
public struct TextInputOptions: Sendable {
    /// The effect of the Tab key.
    public enum TabBehavior: Hashable, Sendable {
        /// Tab inserts a tab. With several selected paragraphs, it indents these. The same holds for
        /// ``insertsSpaces(_:)``.
        case insertsTab
        /// Tab inserts spaces up to the next multiple of this many columns.
        case insertsSpaces(Int)
        /// Tab moves the focus to the next view.
        case movesFocus
    }

    /// Whether the user may edit the text.
    public var isEditable = true
    /// Whether the text has a single line. If so, the line ends of inserted text are replaced by spaces.
    public var isSingleLine = false
    /// Whether pasted or dropped text keeps its fonts, colours and paragraph styles. Nil means yes, except in a
    /// single-line view. A secure view always removes them; see ``takesStyles``.
    public var acceptsStyles: Bool?
    /// Whether the text is secret. A secure view uses no input method. Its store is confidential from then on: no
    /// journal records the text, even after it is shown again.
    public var isSecureTextEntry = false
    /// The maximum length of the text that the user can enter, in grapheme clusters; nil for no limit. Text that is
    /// already longer is kept.
    public var maximumLength: Int?
    /// A filter for text that the user inserts. It gets the text, and returns the part to accept. Nil accepts all
    /// text.
    public var inputFilter: (@Sendable (String) -> String)?
    /// The text that an empty view shows.
    public var placeholder = ""
    /// The effect of the Tab key.
    public var tabBehavior = TabBehavior.insertsTab
    /// Whether a new line begins with the white space at the start of the line above. If that line has nothing
    /// else, its white space moves down to the new line.
    public var keepsIndentation = false
    /// Whether ``EditCommand/insertLineBreak`` inserts a line separator, U+2028. As in rich text, a line separator
    /// begins a new line in the same paragraph. If false, the command acts like Return, because files of plain text
    /// have no other line end.
    public var insertsLineSeparators = false
    /// Whether typing `- `, `* `, `1. `, `a) ` or `[ ] ` at the start of a paragraph makes it a list item, in a view
    /// with styles. A single undo restores the typed text. With ``makesBlocks``, `a) ` makes no list, because Markdown
    /// has no lists with letters.
    public var makesLists = false
    /// Whether Markdown's signs at the start of a paragraph make it a block, in a view with styles: `# ` to `###### `
    /// a heading, `> ` a quotation, and ` ``` ` or `---` before Return a code block or a break. Typing the closing
    /// mark of `*a*`, `**a**`, `~~a~~` or of code between backquotes makes a style. A single undo restores the typed
    /// text.
    public var makesBlocks = false
    /// Whether a web or mail address (`https://`, `http://`, `mailto:`) becomes a link when a space or Return is
    /// typed after it, in a view with styles. A single undo removes the link.
    public var makesLinks = false
    /// The base direction of paragraphs that have none of their own.
    public var baseWritingDirection = WritingDirection.natural

    /// Creates the options of an ordinary text view.
    public init() {}

    /// Whether pasted and dropped text keeps its styles: ``acceptsStyles``, but never in a secure view.
    public var takesStyles: Bool { (acceptsStyles ?? !isSingleLine) && !isSecureTextEntry }
}
