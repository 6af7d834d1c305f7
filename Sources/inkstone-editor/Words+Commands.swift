import Inkstone
import InkstoneWords

/// The names of commands, and the words on the page of keys that F1 shows.
extension Words {
    static var filesAndWindows: String { say("Files and windows") }
    static var editing: String { say("Editing") }
    static var finding: String { say("Finding") }
    static var selectionAndCarets: String { say("Selection and carets") }
    static var moving: String { say("Moving") }
    static var extendingSelection: String { say("Extending the selection") }
    static var viewAndHelp: String { say("View and help") }
    static var keyPageNote: String {
        say("Keyboard shortcuts. To change them, see KEYS in the manual page. Escape closes this window.")
    }
    /// Joins the names of two commands that a key performs one after the other.
    static func then(_ first: String, _ second: String) -> String { say("\(first), then \(second)") }

    // MARK: Messages about answers that came late

    static var selectionCameLate: String {
        say("The selection came too late to look for it. Give the command again.")
    }
    static func suggestionsCameLate(_ word: String) -> String { say("Suggestions for “\(word)” are in the menu now") }

    // MARK: Pointer

    static var addCaret: String { say("Add a caret") }
    static var addSelection: String { say("Add a selection") }
    static var selectColumn: String { say("Select a column") }
    static var pasteSelection: String { say("Paste what was selected last") }
    static func click(_ modifiers: String) -> String { say("\(modifiers)+click") }
    static func drag(_ modifiers: String) -> String { say("\(modifiers)+drag") }
    static var middleButton: String { say("middle button") }

    // MARK: Commands

    /// Returns the name of a command in the user's language; nil for a command that the library does not have.
    static func title(_ command: EditCommand) -> String? {
        move(command) ?? selection(command) ?? edit(command) ?? program(command) ?? style(command)
    }

    private static func move(_ command: EditCommand) -> String? {
        switch command {
        case .moveLeft: say("Move left")
        case .moveRight: say("Move right")
        case .moveForward: say("Move forward")
        case .moveBackward: say("Move backward")
        case .moveUp: say("Move up")
        case .moveDown: say("Move down")
        case .moveWordLeft: say("Move word left")
        case .moveWordRight: say("Move word right")
        case .moveWordForward: say("Move word forward")
        case .moveWordBackward: say("Move word backward")
        case .moveToBeginningOfLine: say("Move to beginning of line")
        case .moveToEndOfLine: say("Move to end of line")
        case .moveToLeftEndOfLine: say("Move to left end of line")
        case .moveToRightEndOfLine: say("Move to right end of line")
        case .moveToBeginningOfParagraph: say("Move to beginning of paragraph")
        case .moveToEndOfParagraph: say("Move to end of paragraph")
        case .moveParagraphForward: say("Next paragraph")
        case .moveParagraphBackward: say("Previous paragraph")
        case .moveToBeginningOfDocument: say("Move to beginning of document")
        case .moveToEndOfDocument: say("Move to end of document")
        case .pageUp: say("Page up")
        case .pageDown: say("Page down")
        case .scrollLineUp: say("Scroll line up")
        case .scrollLineDown: say("Scroll line down")
        case .scrollPageUp: say("Scroll page up")
        case .scrollPageDown: say("Scroll page down")
        case .scrollToBeginningOfDocument: say("Scroll to beginning of document")
        case .scrollToEndOfDocument: say("Scroll to end of document")
        case .centerSelectionInVisibleArea: say("Center the selection in the window")
        default: nil
        }
    }

    private static func selection(_ command: EditCommand) -> String? {
        switch command {
        case .moveLeftAndModifySelection: say("Extend selection left")
        case .moveRightAndModifySelection: say("Extend selection right")
        case .moveForwardAndModifySelection: say("Extend selection forward")
        case .moveBackwardAndModifySelection: say("Extend selection backward")
        case .moveUpAndModifySelection: say("Extend selection up")
        case .moveDownAndModifySelection: say("Extend selection down")
        case .moveWordLeftAndModifySelection: say("Extend selection word left")
        case .moveWordRightAndModifySelection: say("Extend selection word right")
        case .moveWordForwardAndModifySelection: say("Extend selection word forward")
        case .moveWordBackwardAndModifySelection: say("Extend selection word backward")
        case .moveToBeginningOfLineAndModifySelection: say("Extend selection to beginning of line")
        case .moveToEndOfLineAndModifySelection: say("Extend selection to end of line")
        case .moveToLeftEndOfLineAndModifySelection: say("Extend selection to left end of line")
        case .moveToRightEndOfLineAndModifySelection: say("Extend selection to right end of line")
        case .moveToBeginningOfParagraphAndModifySelection: say("Extend selection to beginning of paragraph")
        case .moveToEndOfParagraphAndModifySelection: say("Extend selection to end of paragraph")
        case .moveParagraphForwardAndModifySelection: say("Extend selection to next paragraph")
        case .moveParagraphBackwardAndModifySelection: say("Extend selection to previous paragraph")
        case .moveToBeginningOfDocumentAndModifySelection: say("Extend selection to beginning of document")
        case .moveToEndOfDocumentAndModifySelection: say("Extend selection to end of document")
        case .pageUpAndModifySelection: say("Extend selection page up")
        case .pageDownAndModifySelection: say("Extend selection page down")
        case .selectAll: say("Select all")
        case .selectWord: say("Select word")
        case .selectLine: say("Select line")
        case .selectParagraph: say("Select paragraph")
        case .setMark: say("Set mark")
        case .selectToMark: say("Select to mark")
        case .swapWithMark: say("Swap with mark")
        case .addCaretAbove: say("Add caret above")
        case .addCaretBelow: say("Add caret below")
        case .selectNextMatch: say("Select next match")
        case .splitSelectionIntoLines: say("Split selection into lines")
        case .selectColumnUp: say("Select column up")
        case .selectColumnDown: say("Select column down")
        case .selectColumnLeft: say("Select column left")
        case .selectColumnRight: say("Select column right")
        default: nil
        }
    }

    /// Returns the name of a command as the title of a menu item. In English it is capitalized like the other
    /// items.
    static func menuTitle(_ command: EditCommand) -> String {
        let title = title(command) ?? command.rawValue
        guard say.language.code == "en" else { return title }
        let small: Set<Substring> = ["to", "of", "the", "into", "in"]
        return title.split(separator: " ").map { word in
            small.contains(word) ? String(word) : word.prefix(1).uppercased() + word.dropFirst()
        }.joined(separator: " ")
    }

    private static func edit(_ command: EditCommand) -> String? {
        switch command {
        case .moveLinesUp: say("Move lines up")
        case .moveLinesDown: say("Move lines down")
        case .duplicateLines: say("Duplicate lines")
        case .deleteLines: say("Delete lines")
        case .joinLines: say("Join lines")
        case .sortLines: say("Sort lines")
        case .insertNewline: say("New line")
        case .insertLineBreak: say("Insert line break")
        case .insertParagraphSeparator: say("Insert paragraph separator")
        case .insertTab: say("Tab")
        case .insertBacktab: say("Outdent")
        case .insertNewlineIgnoringFieldEditor: say("New line, also in a field")
        case .insertTabIgnoringFieldEditor: say("Tab, also in a field")
        case .insertCharacterByCode: say("Insert character by code")
        case .indent: say("Indent")
        case .outdent: say("Outdent")
        case .deleteBackward: say("Delete backward")
        case .deleteForward: say("Delete forward")
        case .deleteBackwardByDecomposingPreviousCharacter: say("Delete last part of previous character")
        case .deleteWordBackward: say("Delete word backward")
        case .deleteWordForward: say("Delete word forward")
        case .deleteToBeginningOfLine: say("Delete to beginning of line")
        case .deleteToEndOfLine: say("Delete to end of line")
        case .deleteToBeginningOfParagraph: say("Delete to beginning of paragraph")
        case .deleteToEndOfParagraph: say("Delete to end of paragraph")
        case .deleteToMark: say("Delete to mark")
        case .yank: say("Insert what was cut off last")
        case .transpose: say("Swap characters")
        case .transposeWords: say("Swap words")
        case .uppercaseWord: say("Uppercase word")
        case .lowercaseWord: say("Lowercase word")
        case .capitalizeWord: say("Capitalize word")
        case .makeBaseWritingDirectionNatural: say("Automatic text direction")
        case .makeBaseWritingDirectionLeftToRight: say("Text direction left to right")
        case .makeBaseWritingDirectionRightToLeft: say("Text direction right to left")
        case .toggleOverwriteMode: say("Overwrite mode")
        case .copy: say("Copy")
        case .cut: say("Cut")
        case .paste: say("Paste")
        case .pasteSelection: say("Paste what was selected last")
        case .pasteAsPlainText: say("Paste as plain text")
        case .delete: say("Delete selection")
        case .undo: say("Undo")
        case .redo: say("Redo")
        case .noop: say("Nothing")
        case .cancelOperation: say("Cancel")
        default: nil
        }
    }

    private static func program(_ command: EditCommand) -> String? {
        switch command {
        case .selectNextKeyView: say("Next pane")
        case .selectPreviousKeyView: say("Previous pane")
        case .newDocument: say("New window")
        case .openDocument: say("Open a file")
        case .openRecentDocument: say("Open a recent file")
        case .saveDocument: say("Save")
        case .saveDocumentAs: say("Save as")
        case .printDocument: say("Print")
        case .performClose: say("Close the window")
        case .terminate: say("Quit")
        case .makeTextLarger: say("Zoom in")
        case .makeTextSmaller: say("Zoom out")
        case .makeTextStandardSize: say("Reset zoom")
        case .toggleFullScreen: say("Full screen")
        case .showMenu: say("Open the menu")
        case .showHelp: say("Show this list")
        case .find: say("Find")
        case .findAndReplace: say("Find and replace")
        case .findOrNext: say("Find, or next match")
        case .findNext: say("Next match")
        case .findPrevious: say("Previous match")
        case .findPrimary: say("Find the selected text (any program)")
        case .goToLine: say("Go to line")
        case .showContextMenu: say("Open the text's menu")
        case .toggleLoupe: say("Magnifier")
        case .openLink: say("Open the link")
        default: nil
        }
    }

    private static func style(_ command: EditCommand) -> String? {
        switch command {
        case .toggleBoldface: say("Bold")
        case .toggleItalics: say("Italic")
        case .toggleUnderline: say("Underline")
        case .toggleStrikethrough: say("Strikethrough")
        case .superscript: say("Superscript")
        case .subscript: say("Subscript")
        case .clearFormatting: say("Clear formatting")
        case .alignLeft: say("Align left")
        case .alignRight: say("Align right")
        case .alignCenter: say("Align center")
        case .alignJustified: say("Justify")
        case .toggleBulletedList: say("Bulleted list")
        case .toggleNumberedList: say("Numbered list")
        case .toggleChecklist: say("Checklist")
        case .toggleCheckbox: say("Check or uncheck")
        case .restartList: say("Restart numbering")
        case .continueList: say("Continue numbering")
        default: nil
        }
    }
}

/// The words of the menus for tables.
extension Words {
    static var table: String { say("Table") }
    static func columns(_ count: Int) -> String { say("Columns: \(count)") }
    static var insertRowAbove: String { say("Insert row above") }
    static var insertRowBelow: String { say("Insert row below") }
    static var insertColumnBefore: String { say("Insert column before") }
    static var insertColumnAfter: String { say("Insert column after") }
    static var deleteRow: String { say("Delete row") }
    static var deleteColumn: String { say("Delete column") }
}
