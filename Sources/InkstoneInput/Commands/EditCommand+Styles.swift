/// Commands for the styles of the selection, or of the next typed text. A view without styles performs none of them.
extension EditCommand {
    /// Makes the text bold, or no longer if all of it is.
    public static let toggleBoldface = EditCommand("toggleBoldface")
    /// Makes the text italic, or no longer if all of it is.
    public static let toggleItalics = EditCommand("toggleItalics")
    /// Underlines the text, or no longer if all of it is underlined.
    public static let toggleUnderline = EditCommand("toggleUnderline")
    /// Strikes the text through, or no longer if all of it is struck through.
    public static let toggleStrikethrough = EditCommand("toggleStrikethrough")
    /// Makes the text superscript, or no longer if all of it is.
    public static let superscript = EditCommand("superscript")
    /// Makes the text subscript, or no longer if all of it is.
    public static let `subscript` = EditCommand("subscript")
    /// Removes character styles except links and the program's own; if there are none, removes paragraph styles.
    public static let clearFormatting = EditCommand("clearFormatting")
    /// Aligns the paragraphs at the left edge.
    public static let alignLeft = EditCommand("alignLeft")
    /// Aligns the paragraphs at the right edge.
    public static let alignRight = EditCommand("alignRight")
    /// Centers the paragraphs.
    public static let alignCenter = EditCommand("alignCenter")
    /// Aligns the paragraphs at both edges.
    public static let alignJustified = EditCommand("alignJustified")
    /// Makes the paragraphs items with bullets, or no longer if all are.
    public static let toggleBulletedList = EditCommand("toggleBulletedList")
    /// Makes the paragraphs numbered items, or no longer if all are.
    public static let toggleNumberedList = EditCommand("toggleNumberedList")
    /// Makes the paragraphs items with checkboxes, or no longer if all are.
    public static let toggleChecklist = EditCommand("toggleChecklist")
    /// Checks the boxes of the items, or unchecks them if all are checked.
    public static let toggleCheckbox = EditCommand("toggleCheckbox")
    /// Restarts the numbering of the item's list at 1.
    public static let restartList = EditCommand("restartList")
    /// Continues the numbering of the item's list from the previous list.
    public static let continueList = EditCommand("continueList")
}

extension KeyBindingTable {
    /// The desktop's keys, and the style keys of word processors, for a view of styled text.
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
