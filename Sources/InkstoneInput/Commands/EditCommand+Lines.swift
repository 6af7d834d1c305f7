/// Commands for lines of the text, which are paragraphs: all that the ranges of the selection touch, except one that a range touches only
/// with its end at the line's start.
extension EditCommand {
    /// Exchanges the selected lines and the one above them.
    public static let moveLinesUp = EditCommand("moveLinesUp")
    /// Exchanges the selected lines and the one below them.
    public static let moveLinesDown = EditCommand("moveLinesDown")
    /// Copies the selected lines above themselves; the selection stays in the lower copy.
    public static let duplicateLines = EditCommand("duplicateLines")
    /// Deletes the selected lines.
    public static let deleteLines = EditCommand("deleteLines")
    /// Joins the selected lines, or the line of each caret and the next one, with a blank between them, or none between ideographs.
    public static let joinLines = EditCommand("joinLines")
    /// Sorts the selected lines by the order of the user's language.
    public static let sortLines = EditCommand("sortLines")
}

/// Commands for selecting a rectangle: each moves a corner one step, and each visual line between the corners gets a range of its own.
extension EditCommand {
    /// Moves the corner of the column one visual line up.
    public static let selectColumnUp = EditCommand("selectColumnUp")
    /// Moves the corner of the column one visual line down.
    public static let selectColumnDown = EditCommand("selectColumnDown")
    /// Moves the corner of the column one cluster to the left.
    public static let selectColumnLeft = EditCommand("selectColumnLeft")
    /// Moves the corner of the column one cluster to the right.
    public static let selectColumnRight = EditCommand("selectColumnRight")
}
