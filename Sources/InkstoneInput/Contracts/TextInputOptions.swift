/// What users expect to be able to set on a text view, as one value.
public struct TextInputOptions: Sendable {
    /// What the Tab key means.
    public enum TabBehavior: Hashable, Sendable {
        /// It types a tab.
        case insertsTab
        /// It types blanks up to the next multiple of this many columns.
        case insertsSpaces(Int)
        /// It goes to the next view.
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
    /// The direction of paragraphs that do not say their own.
    public var baseWritingDirection = WritingDirection.natural

    /// An ordinary text view.
    public init() {}

    /// Whether text from elsewhere keeps its styles.
    public var takesStyles: Bool { (acceptsStyles ?? !isSingleLine) && !isSecureTextEntry }
}
