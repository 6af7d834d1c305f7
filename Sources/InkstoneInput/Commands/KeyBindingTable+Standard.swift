import InkstoneBase

extension KeyBindingTable {
    /// The names of the predefined tables.
    static let names = ["desktop", "emacs", "none"]

    /// Creates a predefined table from its name: `desktop`, `emacs`, or `none` for an empty table. Nil for any
    /// other name.
    public init?(named name: String) {
        switch name {
        case "desktop": self = .desktop
        case "emacs": self = .emacs
        case "none": self.init()
        default: return nil
        }
    }

    /// The usual keys of text fields on desktops. Also the keys of program commands, if they are the same on all
    /// desktops.
    public static let desktop = KeyBindingTable(
        movement
            + [
                KeyBinding("BackSpace", .deleteBackward), KeyBinding("Shift+BackSpace", .deleteBackward),
                KeyBinding("Delete", .deleteForward),
                KeyBinding("Ctrl+BackSpace", .deleteWordBackward), KeyBinding("Ctrl+Delete", .deleteWordForward),
                KeyBinding("Ctrl+Shift+BackSpace", .deleteToBeginningOfLine),
                KeyBinding("Ctrl+Shift+Delete", .deleteToEndOfLine),
                KeyBinding("Return", .insertNewline), KeyBinding("Shift+Return", .insertLineBreak),
                KeyBinding("Tab", .insertTab), KeyBinding("Shift+Tab", .insertBacktab),
                KeyBinding("Ctrl+Tab", .selectNextKeyView), KeyBinding("Ctrl+Shift+Tab", .selectPreviousKeyView),
                KeyBinding("Escape", .cancelOperation),
                KeyBinding("Ctrl+a", .selectAll), KeyBinding("Ctrl+c", .copy), KeyBinding("Ctrl+x", .cut),
                KeyBinding("Ctrl+v", .paste), KeyBinding("Ctrl+Shift+v", .pasteAsPlainText),
                KeyBinding("Ctrl+Insert", .copy), KeyBinding("Shift+Insert", .paste),
                KeyBinding("Shift+Delete", .cut),
                KeyBinding("Ctrl+z", .undo), KeyBinding("Ctrl+Shift+z", .redo), KeyBinding("Ctrl+y", .redo),
                KeyBinding("XF86Copy", .copy), KeyBinding("XF86Cut", .cut), KeyBinding("XF86Paste", .paste),
                KeyBinding("Undo", .undo), KeyBinding("Redo", .redo),
                KeyBinding("Insert", .toggleOverwriteMode),
                // Some desktops grab these keys. The keys for selecting columns can then be used to create a column
                // of carets.
                KeyBinding("Ctrl+Alt+Up", .addCaretAbove), KeyBinding("Ctrl+Alt+Down", .addCaretBelow),
                KeyBinding("Ctrl+Shift+d", .duplicateLines), KeyBinding("Ctrl+Shift+k", .deleteLines),
                KeyBinding("Ctrl+j", .joinLines), KeyBinding("F9", .sortLines),
                KeyBinding("Ctrl+bracketright", .indent), KeyBinding("Ctrl+bracketleft", .outdent),
                KeyBinding("Ctrl+u", .uppercaseWord), KeyBinding("Ctrl+Alt+u", .capitalizeWord),
                KeyBinding("Ctrl+Shift+Alt+u", .lowercaseWord),
                KeyBinding("Ctrl+d", .selectNextMatch), KeyBinding("Ctrl+Shift+l", .splitSelectionIntoLines),
                KeyBinding("Ctrl+s", .saveDocument), KeyBinding("Ctrl+Shift+s", .saveDocumentAs),
                KeyBinding("Ctrl+n", .newDocument), KeyBinding("Ctrl+o", .openDocument),
                KeyBinding("Ctrl+w", .performClose), KeyBinding("Ctrl+q", .terminate),
                KeyBinding("Ctrl+p", .printDocument),
                KeyBinding("Ctrl+plus", .makeTextLarger), KeyBinding("Ctrl+equal", .makeTextLarger),
                KeyBinding("Ctrl+minus", .makeTextSmaller), KeyBinding("Ctrl+0", .makeTextStandardSize),
                KeyBinding("Ctrl+f", .find), KeyBinding("Ctrl+h", .findAndReplace),
                KeyBinding("Ctrl+Shift+f", .findPrimary),
                KeyBinding("Ctrl+l", .goToLine),
            ])

    /// The keys of Emacs and of shells, and the arrow keys and their neighbours. Copying and pasting have the keys
    /// that Emacs uses.
    public static let emacs = KeyBindingTable(
        movement
            + [
                KeyBinding("Ctrl+b", .moveBackward), KeyBinding("Ctrl+f", .moveForward),
                KeyBinding("Ctrl+p", .moveUp), KeyBinding("Ctrl+n", .moveDown),
                KeyBinding("Ctrl+a", .moveToBeginningOfParagraph), KeyBinding("Ctrl+e", .moveToEndOfParagraph),
                KeyBinding("Alt+b", .moveWordBackward), KeyBinding("Alt+f", .moveWordForward),
                KeyBinding("Alt+less", .moveToBeginningOfDocument),
                KeyBinding("Alt+greater", .moveToEndOfDocument),
                KeyBinding("Ctrl+v", .pageDown), KeyBinding("Alt+v", .pageUp),
                KeyBinding("Ctrl+l", .centerSelectionInVisibleArea),
                KeyBinding("BackSpace", .deleteBackward), KeyBinding("Delete", .deleteForward),
                KeyBinding("Ctrl+h", .deleteBackward), KeyBinding("Ctrl+d", .deleteForward),
                KeyBinding("Alt+BackSpace", .deleteWordBackward), KeyBinding("Ctrl+BackSpace", .deleteWordBackward),
                KeyBinding("Alt+d", .deleteWordForward), KeyBinding("Ctrl+k", .deleteToEndOfParagraph),
                KeyBinding("Ctrl+y", .yank), KeyBinding("Ctrl+w", .selectToMark, .cut),
                KeyBinding("Alt+w", .selectToMark, .copy),
                KeyBinding("Ctrl+space", .setMark), KeyBinding("Ctrl+at", .setMark),
                KeyBinding("Ctrl+x Ctrl+x", .swapWithMark), KeyBinding("Ctrl+x h", .selectAll),
                KeyBinding("Ctrl+x u", .undo), KeyBinding("Ctrl+slash", .undo), KeyBinding("Ctrl+underscore", .undo),
                KeyBinding("Ctrl+t", .transpose), KeyBinding("Alt+t", .transposeWords),
                KeyBinding("Alt+u", .uppercaseWord), KeyBinding("Alt+l", .lowercaseWord),
                KeyBinding("Alt+c", .capitalizeWord), KeyBinding("Ctrl+g", .cancelOperation),
                KeyBinding("Ctrl+o", .insertNewline, .moveBackward), KeyBinding("Return", .insertNewline),
                KeyBinding("Shift+Return", .insertLineBreak),
                KeyBinding("Ctrl+Shift+BackSpace", .deleteLines), KeyBinding("Ctrl+x Tab", .indent),
                KeyBinding("Ctrl+x Ctrl+u", .uppercaseWord), KeyBinding("Ctrl+x Ctrl+l", .lowercaseWord),
                KeyBinding("Ctrl+m", .insertNewline), KeyBinding("Ctrl+j", .insertNewline),
                KeyBinding("Tab", .insertTab), KeyBinding("Shift+Tab", .insertBacktab),
                KeyBinding("Ctrl+Tab", .selectNextKeyView), KeyBinding("Ctrl+Shift+Tab", .selectPreviousKeyView),
                KeyBinding("Ctrl+x o", .selectNextKeyView), KeyBinding("Ctrl+x Ctrl+s", .saveDocument),
                KeyBinding("Ctrl+x Ctrl+w", .saveDocumentAs), KeyBinding("Ctrl+x Ctrl+f", .openDocument),
                KeyBinding("Ctrl+x Ctrl+n", .newDocument), KeyBinding("Ctrl+s", .findOrNext),
                KeyBinding("Ctrl+r", .findPrevious), KeyBinding("Alt+percent", .findAndReplace),
                KeyBinding("Alt+s", .findPrimary), KeyBinding("Alt+g", .goToLine),
                KeyBinding("Ctrl+x Ctrl+p", .printDocument), KeyBinding("Ctrl+x k", .performClose),
                KeyBinding("Ctrl+x Ctrl+plus", .makeTextLarger),
                KeyBinding("Ctrl+x Ctrl+minus", .makeTextSmaller), KeyBinding("Ctrl+x Ctrl+0", .makeTextStandardSize),
                KeyBinding("Ctrl+x Ctrl+c", .terminate), KeyBinding("Escape", .cancelOperation),
                KeyBinding("Ctrl+Insert", .copy), KeyBinding("Shift+Insert", .paste),
                KeyBinding("Shift+Delete", .cut),
            ])

    /// The bindings that ``desktop`` and ``emacs`` share. The arrow keys and their neighbours move the caret; with Shift they
    /// extend the selection, with Alt they move lines, with Shift and Alt they select rectangles. Further keys open
    /// links, the menus, the loupe and help, move among matches, and type characters by their codes.
    private static let movement: [KeyBinding] = {
        let moves: [(String, EditCommand)] = [
            ("Left", .moveLeft), ("Right", .moveRight), ("Up", .moveUp), ("Down", .moveDown),
            ("Home", .moveToBeginningOfLine), ("End", .moveToEndOfLine), ("PageUp", .pageUp),
            ("PageDown", .pageDown), ("Ctrl+Left", .moveWordLeft), ("Ctrl+Right", .moveWordRight),
            ("Ctrl+Up", .moveParagraphBackward), ("Ctrl+Down", .moveParagraphForward),
            ("Ctrl+Home", .moveToBeginningOfDocument), ("Ctrl+End", .moveToEndOfDocument),
        ]
        let others = [
            KeyBinding("Menu", .showContextMenu), KeyBinding("Shift+F10", .showContextMenu),
            // Google Docs and Obsidian open links by this key. Other programs use Ctrl+Return, by which messengers
            // send.
            KeyBinding("Alt+Return", .openLink),
            KeyBinding("F3", .findNext), KeyBinding("Shift+F3", .findPrevious),
            KeyBinding("F10", .showMenu), KeyBinding("F11", .toggleFullScreen), KeyBinding("F1", .showHelp),
            KeyBinding("Shift+F8", .toggleLoupe),
            KeyBinding("Ctrl+Shift+u", .insertCharacterByCode),
            KeyBinding("Alt+Up", .moveLinesUp), KeyBinding("Alt+Down", .moveLinesDown),
            KeyBinding("Shift+Alt+Up", .selectColumnUp), KeyBinding("Shift+Alt+Down", .selectColumnDown),
            KeyBinding("Shift+Alt+Left", .selectColumnLeft), KeyBinding("Shift+Alt+Right", .selectColumnRight),
            // Some window managers, such as openbox, grab the arrow keys with Shift and Alt, and those with Ctrl
            // and Alt. So the same commands also have keys with all three modifiers.
            KeyBinding("Ctrl+Shift+Alt+Up", .selectColumnUp), KeyBinding("Ctrl+Shift+Alt+Down", .selectColumnDown),
            KeyBinding("Ctrl+Shift+Alt+Left", .selectColumnLeft),
            KeyBinding("Ctrl+Shift+Alt+Right", .selectColumnRight),
        ]
        return others
            + moves.flatMap { key, move in
                let plain = KeyBinding(key, move)
                guard let stroke = plain.strokes.first else { return [plain] }
                let extending = KeyStroke(stroke.keysym, stroke.modifiers.union(.shift))
                return [plain, KeyBinding([extending], [move.andModifySelection])]
            }
    }()
}
