/// Commands for the styles of the selected text, or of the text typed next. A view without styles performs none of
/// them.
extension EditCommand {
    /// Makes the text bold; if all of it is bold already, makes it regular.
    public static let toggleBoldface = EditCommand("toggleBoldface")
    /// Makes the text italic; if all of it is italic already, makes it upright.
    public static let toggleItalics = EditCommand("toggleItalics")
    /// Underlines the text; if all of it is underlined, removes the underlines.
    public static let toggleUnderline = EditCommand("toggleUnderline")
    /// Strikes the text through. If all of it is struck through already, removes the lines.
    public static let toggleStrikethrough = EditCommand("toggleStrikethrough")
    /// Makes the text superscript. If all of it is superscript already, makes it ordinary text.
    public static let superscript = EditCommand("superscript")
    /// Makes the text subscript. If all of it is subscript already, makes it ordinary text.
    public static let `subscript` = EditCommand("subscript")
    /// Removes the character styles of the text. Links stay, and so do attributes that the program has defined. If
    /// there are no character styles, removes the links, paragraph styles, headings and lists.
    public static let clearFormatting = EditCommand("clearFormatting")
    /// Aligns the paragraphs at the left edge.
    public static let alignLeft = EditCommand("alignLeft")
    /// Aligns the paragraphs at the right edge.
    public static let alignRight = EditCommand("alignRight")
    /// Centers the paragraphs.
    public static let alignCenter = EditCommand("alignCenter")
    /// Aligns the paragraphs at both edges.
    public static let alignJustified = EditCommand("alignJustified")
    /// Makes the paragraphs items with bullets. If all of them are such items already, makes them ordinary
    /// paragraphs.
    public static let toggleBulletedList = EditCommand("toggleBulletedList")
    /// Makes the paragraphs numbered items. If all of them are such items already, makes them ordinary paragraphs.
    public static let toggleNumberedList = EditCommand("toggleNumberedList")
    /// Makes the paragraphs items with checkboxes. If all of them are such items already, makes them ordinary
    /// paragraphs.
    public static let toggleChecklist = EditCommand("toggleChecklist")
    /// Checks the checkboxes of the items; if all are checked, unchecks them.
    public static let toggleCheckbox = EditCommand("toggleCheckbox")
    /// Restarts the numbering of the item's list at 1.
    public static let restartList = EditCommand("restartList")
    /// Continues the numbering of the item's list from the previous list.
    public static let continueList = EditCommand("continueList")
}

extension KeyBindingTable {
    /// The key bindings of the desktop, and the keys of word processors for styles, for a view of styled text.
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
