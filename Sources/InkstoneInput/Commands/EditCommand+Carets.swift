/// Commands for several carets and ranges at once.
extension EditCommand {
    /// Adds a caret in the paragraph above the primary one, at the same x; or removes the last caret that ``addCaretBelow`` added.
    public static let addCaretAbove = EditCommand("addCaretAbove")
    /// Adds a caret in the paragraph below the primary one, at the same x; or removes the last caret that ``addCaretAbove`` added.
    public static let addCaretBelow = EditCommand("addCaretBelow")
    /// Selects the word at the caret; then, each time, adds the next range with the same text as the primary range, wrapping at the end of
    /// the text.
    public static let selectNextMatch = EditCommand("selectNextMatch")
    /// Splits each selected range by paragraphs: one range in each, without their newlines.
    public static let splitSelectionIntoLines = EditCommand("splitSelectionIntoLines")
}
