/// Commands for several carets and ranges at once.
extension EditCommand {
    /// Adds a caret in the paragraph above that of the primary caret, at the same x. If the primary caret was added
    /// by ``addCaretBelow``, removes it instead.
    public static let addCaretAbove = EditCommand("addCaretAbove")
    /// Adds a caret in the paragraph below that of the primary caret, at the same x. If the primary caret was added
    /// by ``addCaretAbove``, removes it instead.
    public static let addCaretBelow = EditCommand("addCaretBelow")
    /// Selects the word at the caret. Each further call adds the next range with the same text as the primary
    /// range. The search goes on at the start of the text when it reaches the end.
    public static let selectNextMatch = EditCommand("selectNextMatch")
    /// Splits each selected range into one range for each of its paragraphs, without the newlines.
    public static let splitSelectionIntoLines = EditCommand("splitSelectionIntoLines")
}
