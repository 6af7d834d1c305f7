/// Several carets and ranges at once.
extension EditCommand {
    /// A caret in the paragraph above the primary one, at the same x; takes the last of those back that ``addCaretBelow`` added.
    public static let addCaretAbove = EditCommand("addCaretAbove")
    /// A caret in the paragraph below the primary one, at the same x; takes the last of those back that ``addCaretAbove`` added.
    public static let addCaretBelow = EditCommand("addCaretBelow")
    /// The word at the caret; then, each time, the next place with the same text as the primary range, around the end of the
    /// text, beside what is selected.
    public static let selectNextMatch = EditCommand("selectNextMatch")
    /// Each selected range by its paragraphs: one range in each, without their newlines.
    public static let splitSelectionIntoLines = EditCommand("splitSelectionIntoLines")
}
