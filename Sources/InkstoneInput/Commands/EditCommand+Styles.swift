/// Styles of what is selected, or of what is typed next. A view that takes no styles performs none of them.
extension EditCommand {
    /// Bold, or if all of it is, no longer.
    public static let toggleBoldface = EditCommand("toggleBoldface")
    /// Italic, or if all of it leans, no longer.
    public static let toggleItalics = EditCommand("toggleItalics")
    /// Underlined, or if all of it is, no longer.
    public static let toggleUnderline = EditCommand("toggleUnderline")
    /// Struck through, or if all of it is, no longer.
    public static let toggleStrikethrough = EditCommand("toggleStrikethrough")
    /// Superscript, or if all of it is, no longer.
    public static let superscript = EditCommand("superscript")
    /// Subscript, or if all of it is, no longer.
    public static let `subscript` = EditCommand("subscript")
    /// Without styles of characters but links and what the program adds; where there are none, also without styles of paragraphs.
    public static let clearFormatting = EditCommand("clearFormatting")
    /// The paragraphs at the left edge.
    public static let alignLeft = EditCommand("alignLeft")
    /// The paragraphs at the right edge.
    public static let alignRight = EditCommand("alignRight")
    /// The paragraphs in the middle.
    public static let alignCenter = EditCommand("alignCenter")
    /// The paragraphs at both edges.
    public static let alignJustified = EditCommand("alignJustified")
    /// The paragraphs as items with bullets, or if all are, no longer.
    public static let toggleBulletedList = EditCommand("toggleBulletedList")
    /// The paragraphs as items with numbers, or if all are, no longer.
    public static let toggleNumberedList = EditCommand("toggleNumberedList")
    /// The paragraphs as items with boxes to check, or if all are, no longer.
    public static let toggleChecklist = EditCommand("toggleChecklist")
    /// The boxes of the items checked, or if all are, unchecked.
    public static let toggleCheckbox = EditCommand("toggleCheckbox")
    /// The item's list counted from 1 again.
    public static let restartList = EditCommand("restartList")
    /// The item's list counted on from the one before it.
    public static let continueList = EditCommand("continueList")
}

extension KeyBindingTable {
    /// The desktop's keys, and those that word processors have for styles, for a view of styled text.
    public static let styledText = KeyBindingTable(
        desktop.bindings
            + [
                KeyBinding("Ctrl+b", .toggleBoldface), KeyBinding("Ctrl+i", .toggleItalics),
                KeyBinding("Ctrl+u", .toggleUnderline), KeyBinding("Alt+Shift+5", .toggleStrikethrough),
                KeyBinding("Ctrl+Shift+p", .superscript), KeyBinding("Ctrl+Shift+b", .subscript),
                KeyBinding("Ctrl+m", .clearFormatting), KeyBinding("Ctrl+r", .alignRight),
                KeyBinding("Ctrl+e", .alignCenter), KeyBinding("Ctrl+j", .alignJustified),
                KeyBinding("Ctrl+Shift+7", .toggleNumberedList), KeyBinding("Ctrl+Shift+8", .toggleBulletedList),
                KeyBinding("Ctrl+Shift+9", .toggleChecklist),
            ])
}
