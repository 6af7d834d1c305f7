/// Lines of the text, which are paragraphs: those that the ranges of the selection touch. One that only the end of a range is at the start
/// of does not count.
extension EditCommand {
    /// The selected lines and the one above them change places.
    public static let moveLinesUp = EditCommand("moveLinesUp")
    /// The selected lines and the one below them change places.
    public static let moveLinesDown = EditCommand("moveLinesDown")
    /// The selected lines once more, above themselves, so that the selection is in the lower ones.
    public static let duplicateLines = EditCommand("duplicateLines")
    /// Takes the selected lines away.
    public static let deleteLines = EditCommand("deleteLines")
    /// The selected lines as one, or the line of each caret and the next one: a blank between them, none between ideographs.
    public static let joinLines = EditCommand("joinLines")
    /// The selected lines in the order of the user's language.
    public static let sortLines = EditCommand("sortLines")
}

/// A rectangle of the screen: the moving corner goes one step, and each visual line between the corners has a range of its own.
extension EditCommand {
    /// The corner of the column one visual line up.
    public static let selectColumnUp = EditCommand("selectColumnUp")
    /// The corner of the column one visual line down.
    public static let selectColumnDown = EditCommand("selectColumnDown")
    /// The corner of the column one cluster to the left.
    public static let selectColumnLeft = EditCommand("selectColumnLeft")
    /// The corner of the column one cluster to the right.
    public static let selectColumnRight = EditCommand("selectColumnRight")
}
