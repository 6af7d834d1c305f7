/// Commands for lines of the text, which are paragraphs here. They act on all paragraphs that the selected ranges
/// touch. If a range begins in an earlier paragraph and ends at the start of a paragraph, it does not touch the
/// latter.
extension EditCommand {
    /// Exchanges the selected lines with the line above them.
    public static let moveLinesUp = EditCommand("moveLinesUp")
    /// Exchanges the selected lines with the line below them.
    public static let moveLinesDown = EditCommand("moveLinesDown")
    /// Inserts a copy of the selected lines above them. The selection does not move to the copy.
    public static let duplicateLines = EditCommand("duplicateLines")
    /// Deletes the selected lines.
    public static let deleteLines = EditCommand("deleteLines")
    /// Joins the selected lines, or the line of each caret and the next line. The joined texts are separated by a
    /// space, except between letters of scripts without spaces, such as Chinese, and beside an empty line.
    public static let joinLines = EditCommand("joinLines")
    /// Sorts the selected lines by the order of the user's language.
    public static let sortLines = EditCommand("sortLines")
}

/// Commands that select a rectangle. Each moves a corner by one step. Each visual line between the corners gets a
/// selected range of its own.
extension EditCommand {
    /// Moves the corner of the rectangle one visual line up.
    public static let selectColumnUp = EditCommand("selectColumnUp")
    /// Moves the corner of the rectangle one visual line down.
    public static let selectColumnDown = EditCommand("selectColumnDown")
    /// Moves the corner of the rectangle one cluster to the left.
    public static let selectColumnLeft = EditCommand("selectColumnLeft")
    /// Moves the corner of the rectangle one cluster to the right.
    public static let selectColumnRight = EditCommand("selectColumnRight")
}
