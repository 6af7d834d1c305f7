/// A command of a text view. Its name is that of Apple's selector without the colon: `moveLeft`,
/// `deleteToEndOfParagraph` …
///
/// A ``KeyBindingTable`` binds keys to commands; a view performs commands in ``TextInputClient/doCommand(by:)``.
/// Any other name is a valid command too; the view or its responder chain may perform it.
public struct EditCommand: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The selector's name.
    public let rawValue: String

    /// Creates a command from the name of its selector. A trailing colon is dropped.
    public init(rawValue: String) {
        self.rawValue = rawValue.last == ":" ? String(rawValue.dropLast()) : rawValue
    }

    /// Creates a command from the name of its selector. A trailing colon is dropped.
    public init(_ name: String) { self.init(rawValue: name) }

    /// The selector's name.
    public var description: String { rawValue }

    /// The same move without extending the selection: ``moveLeft`` for ``moveLeftAndModifySelection``. Nil if this
    /// command does not extend the selection.
    public var moveWithoutModifyingSelection: EditCommand? {
        let suffix = "AndModifySelection"
        return rawValue.hasSuffix(suffix) ? EditCommand(String(rawValue.dropLast(suffix.count))) : nil
    }

    /// Whether a composition can continue while the command is performed. It can for commands that scroll, copy,
    /// toggle the loupe or do nothing. All other commands end the composition first.
    public var keepsComposition: Bool {
        rawValue.hasPrefix("scroll") || self == .copy || self == .noop || self == .centerSelectionInVisibleArea
            || self == .toggleLoupe
    }

    /// The command that makes the same move and extends the selection by it.
    public var andModifySelection: EditCommand { EditCommand(rawValue + "AndModifySelection") }
}

/// Commands for moving the caret.
extension EditCommand {
    /// Moves one cluster to the left on the screen. A selection collapses to its left end.
    public static let moveLeft = EditCommand("moveLeft")
    /// Moves one cluster to the right on the screen. A selection collapses to its right end.
    public static let moveRight = EditCommand("moveRight")
    /// Moves one cluster towards the end of the text.
    public static let moveForward = EditCommand("moveForward")
    /// Moves one cluster towards the start of the text.
    public static let moveBackward = EditCommand("moveBackward")
    /// Moves one visual line up, keeping the caret's x.
    public static let moveUp = EditCommand("moveUp")
    /// Moves one visual line down, keeping the caret's x.
    public static let moveDown = EditCommand("moveDown")
    /// Moves to the next word boundary on the left.
    public static let moveWordLeft = EditCommand("moveWordLeft")
    /// Moves to the next word boundary on the right.
    public static let moveWordRight = EditCommand("moveWordRight")
    /// Moves to the end of this or the next word.
    public static let moveWordForward = EditCommand("moveWordForward")
    /// Moves to the start of this or the previous word.
    public static let moveWordBackward = EditCommand("moveWordBackward")
    /// Moves to the start of the visual line.
    public static let moveToBeginningOfLine = EditCommand("moveToBeginningOfLine")
    /// Moves to the end of the visual line.
    public static let moveToEndOfLine = EditCommand("moveToEndOfLine")
    /// Moves to the left end of the visual line.
    public static let moveToLeftEndOfLine = EditCommand("moveToLeftEndOfLine")
    /// Moves to the right end of the visual line.
    public static let moveToRightEndOfLine = EditCommand("moveToRightEndOfLine")
    /// Moves to the start of the paragraph.
    public static let moveToBeginningOfParagraph = EditCommand("moveToBeginningOfParagraph")
    /// Moves to the end of the paragraph, before its newline.
    public static let moveToEndOfParagraph = EditCommand("moveToEndOfParagraph")
    /// Moves to the end of this or the next paragraph.
    public static let moveParagraphForward = EditCommand("moveParagraphForward")
    /// Moves to the start of this or the previous paragraph.
    public static let moveParagraphBackward = EditCommand("moveParagraphBackward")
    /// Moves to the start of the text.
    public static let moveToBeginningOfDocument = EditCommand("moveToBeginningOfDocument")
    /// Moves to the end of the text.
    public static let moveToEndOfDocument = EditCommand("moveToEndOfDocument")
    /// Moves the caret one page up, and scrolls.
    public static let pageUp = EditCommand("pageUp")
    /// Moves the caret one page down, and scrolls.
    public static let pageDown = EditCommand("pageDown")
}

/// Commands that scroll and do not move the caret.
extension EditCommand {
    /// Scrolls one line up.
    public static let scrollLineUp = EditCommand("scrollLineUp")
    /// Scrolls one line down.
    public static let scrollLineDown = EditCommand("scrollLineDown")
    /// Scrolls one page up.
    public static let scrollPageUp = EditCommand("scrollPageUp")
    /// Scrolls one page down.
    public static let scrollPageDown = EditCommand("scrollPageDown")
    /// Scrolls to the start of the text.
    public static let scrollToBeginningOfDocument = EditCommand("scrollToBeginningOfDocument")
    /// Scrolls to the end of the text.
    public static let scrollToEndOfDocument = EditCommand("scrollToEndOfDocument")
    /// Scrolls so that the caret is in the middle of the view.
    public static let centerSelectionInVisibleArea = EditCommand("centerSelectionInVisibleArea")
}

/// Commands that change the selection or the mark.
extension EditCommand {
    /// Selects the whole text.
    public static let selectAll = EditCommand("selectAll")
    /// Selects the word around the caret.
    public static let selectWord = EditCommand("selectWord")
    /// Selects the visual line around the caret.
    public static let selectLine = EditCommand("selectLine")
    /// Selects the paragraph around the caret.
    public static let selectParagraph = EditCommand("selectParagraph")
    /// Remembers the caret's position as the mark.
    public static let setMark = EditCommand("setMark")
    /// Selects the text between the caret and the mark. Has no effect if text is selected.
    public static let selectToMark = EditCommand("selectToMark")
    /// Moves the caret to the mark, and the mark to the position that the caret had.
    public static let swapWithMark = EditCommand("swapWithMark")
    /// Cancels the operation in progress, such as a composition. Otherwise removes all selected ranges but the
    /// primary one or, of a single range, makes a caret.
    public static let cancelOperation = EditCommand("cancelOperation")
}

/// Commands that insert text, or indent paragraphs.
extension EditCommand {
    /// Inserts a newline, or performs the action of Return in a single-line field.
    public static let insertNewline = EditCommand("insertNewline")
    /// Begins a new line in the same paragraph, if the view's text supports that
    /// (``TextInputOptions/insertsLineSeparators``). Otherwise, and in code, inserts a newline.
    public static let insertLineBreak = EditCommand("insertLineBreak")
    /// Begins a new paragraph.
    public static let insertParagraphSeparator = EditCommand("insertParagraphSeparator")
    /// Inserts a tab, or moves the focus to the next view; the view's options decide. With several selected
    /// paragraphs, indents them. In lists, moves items one level in; in tables, goes to the next cell.
    public static let insertTab = EditCommand("insertTab")
    /// Removes one step of indentation, or moves the focus to the previous view; the view's options decide. In
    /// lists, moves items one level out; in tables, goes to the previous cell.
    public static let insertBacktab = EditCommand("insertBacktab")
    /// Inserts a newline, whatever the view's options.
    public static let insertNewlineIgnoringFieldEditor = EditCommand("insertNewlineIgnoringFieldEditor")
    /// Inserts a tab, whatever the view's options.
    public static let insertTabIgnoringFieldEditor = EditCommand("insertTabIgnoringFieldEditor")
    /// Starts to type a character by its hexadecimal code. Space, Return or the release of Control or Shift ends
    /// the code.
    public static let insertCharacterByCode = EditCommand("insertCharacterByCode")
    /// Adds one step of indentation to each selected paragraph.
    public static let indent = EditCommand("indent")
    /// Removes one step of indentation from each selected paragraph.
    public static let outdent = EditCommand("outdent")
}

/// Commands that delete text, and the one that inserts deleted text again.
extension EditCommand {
    /// Deletes the selection, or else the last typed unit before the caret. The unit is a cluster; in scripts whose
    /// marks are typed one by one, it is a code point.
    public static let deleteBackward = EditCommand("deleteBackward")
    /// Deletes the selection, or the cluster after the caret.
    public static let deleteForward = EditCommand("deleteForward")
    /// Deletes the selection, or the last scalar of the cluster before the caret.
    public static let deleteBackwardByDecomposingPreviousCharacter = EditCommand(
        "deleteBackwardByDecomposingPreviousCharacter")
    /// Deletes up to the start of the word. Text deleted by words, by lines, by paragraphs or up to the mark is stored
    /// for ``yank``. The texts of consecutive such commands are joined.
    public static let deleteWordBackward = EditCommand("deleteWordBackward")
    /// Deletes up to the end of the word.
    public static let deleteWordForward = EditCommand("deleteWordForward")
    /// Deletes up to the start of the visual line.
    public static let deleteToBeginningOfLine = EditCommand("deleteToBeginningOfLine")
    /// Deletes up to the end of the visual line.
    public static let deleteToEndOfLine = EditCommand("deleteToEndOfLine")
    /// Deletes up to the start of the paragraph.
    public static let deleteToBeginningOfParagraph = EditCommand("deleteToBeginningOfParagraph")
    /// Deletes up to the end of the paragraph or, at its end, the newline.
    public static let deleteToEndOfParagraph = EditCommand("deleteToEndOfParagraph")
    /// Deletes the text between the caret and the mark.
    public static let deleteToMark = EditCommand("deleteToMark")
    /// Inserts the text that was last deleted by words, by lines, by paragraphs or up to the mark, or that was last
    /// cut or copied. The text may come from any view of the program.
    public static let yank = EditCommand("yank")
}

/// Commands for changing text.
extension EditCommand {
    /// Exchanges the clusters before and after the caret; at the end of a paragraph, the two clusters before the
    /// caret.
    public static let transpose = EditCommand("transpose")
    /// Exchanges the words around the caret.
    public static let transposeWords = EditCommand("transposeWords")
    /// Makes the word or selection upper case.
    public static let uppercaseWord = EditCommand("uppercaseWord")
    /// Makes the word or selection lower case.
    public static let lowercaseWord = EditCommand("lowercaseWord")
    /// Capitalises the word, or each selected word.
    public static let capitalizeWord = EditCommand("capitalizeWord")
    /// Makes each paragraph without a direction of its own follow its first strong character.
    public static let makeBaseWritingDirectionNatural = EditCommand("makeBaseWritingDirectionNatural")
    /// Makes left-to-right the direction of all paragraphs without a direction of their own.
    public static let makeBaseWritingDirectionLeftToRight = EditCommand("makeBaseWritingDirectionLeftToRight")
    /// Makes right-to-left the direction of all paragraphs without a direction of their own.
    public static let makeBaseWritingDirectionRightToLeft = EditCommand("makeBaseWritingDirectionRightToLeft")
    /// Switches between overwriting and inserting typed text.
    public static let toggleOverwriteMode = EditCommand("toggleOverwriteMode")
}

/// The standard edit actions.
extension EditCommand {
    /// Copies the selected text to CLIPBOARD.
    public static let copy = EditCommand("copy")
    /// Moves the selected text to CLIPBOARD.
    public static let cut = EditCommand("cut")
    /// Replaces the selection by the text of CLIPBOARD.
    public static let paste = EditCommand("paste")
    /// Replaces the selection by the text of PRIMARY.
    public static let pasteSelection = EditCommand("pasteSelection")
    /// Replaces the selection by the text of CLIPBOARD, without attributes.
    public static let pasteAsPlainText = EditCommand("pasteAsPlainText")
    /// Deletes the selected text or, without any, the cluster after the caret.
    public static let delete = EditCommand("delete")
    /// Undoes the last step.
    public static let undo = EditCommand("undo")
    /// Redoes the step undone last.
    public static let redo = EditCommand("redo")
    /// Does nothing. A key that is bound to it has no effect.
    public static let noop = EditCommand("noop")
}

/// Commands that the window or the program performs, not the text. They go up the responder chain.
extension EditCommand {
    /// Moves the focus to the next view of the window.
    public static let selectNextKeyView = EditCommand("selectNextKeyView")
    /// Moves the focus to the previous view of the window.
    public static let selectPreviousKeyView = EditCommand("selectPreviousKeyView")
    /// Saves the document.
    public static let saveDocument = EditCommand("saveDocument")
    /// Saves the document under another name.
    public static let saveDocumentAs = EditCommand("saveDocumentAs")
    /// Ends the program, after a question if unsaved changes would be lost.
    public static let terminate = EditCommand("terminate")
}

/// Commands that extend the selection: its anchor stays, and its other end moves.
extension EditCommand {
    /// ``moveLeft``, extending the selection.
    public static let moveLeftAndModifySelection = moveLeft.andModifySelection
    /// ``moveRight``, extending the selection.
    public static let moveRightAndModifySelection = moveRight.andModifySelection
    /// ``moveForward``, extending the selection.
    public static let moveForwardAndModifySelection = moveForward.andModifySelection
    /// ``moveBackward``, extending the selection.
    public static let moveBackwardAndModifySelection = moveBackward.andModifySelection
    /// ``moveUp``, extending the selection.
    public static let moveUpAndModifySelection = moveUp.andModifySelection
    /// ``moveDown``, extending the selection.
    public static let moveDownAndModifySelection = moveDown.andModifySelection
    /// ``moveWordLeft``, extending the selection.
    public static let moveWordLeftAndModifySelection = moveWordLeft.andModifySelection
    /// ``moveWordRight``, extending the selection.
    public static let moveWordRightAndModifySelection = moveWordRight.andModifySelection
    /// ``moveWordForward``, extending the selection.
    public static let moveWordForwardAndModifySelection = moveWordForward.andModifySelection
    /// ``moveWordBackward``, extending the selection.
    public static let moveWordBackwardAndModifySelection = moveWordBackward.andModifySelection
    /// ``moveToBeginningOfLine``, extending the selection.
    public static let moveToBeginningOfLineAndModifySelection = moveToBeginningOfLine.andModifySelection
    /// ``moveToEndOfLine``, extending the selection.
    public static let moveToEndOfLineAndModifySelection = moveToEndOfLine.andModifySelection
    /// ``moveToLeftEndOfLine``, extending the selection.
    public static let moveToLeftEndOfLineAndModifySelection = moveToLeftEndOfLine.andModifySelection
    /// ``moveToRightEndOfLine``, extending the selection.
    public static let moveToRightEndOfLineAndModifySelection = moveToRightEndOfLine.andModifySelection
    /// ``moveToBeginningOfParagraph``, extending the selection.
    public static let moveToBeginningOfParagraphAndModifySelection = moveToBeginningOfParagraph.andModifySelection
    /// ``moveToEndOfParagraph``, extending the selection.
    public static let moveToEndOfParagraphAndModifySelection = moveToEndOfParagraph.andModifySelection
    /// ``moveParagraphForward``, extending the selection.
    public static let moveParagraphForwardAndModifySelection = moveParagraphForward.andModifySelection
    /// ``moveParagraphBackward``, extending the selection.
    public static let moveParagraphBackwardAndModifySelection = moveParagraphBackward.andModifySelection
    /// ``moveToBeginningOfDocument``, extending the selection.
    public static let moveToBeginningOfDocumentAndModifySelection = moveToBeginningOfDocument.andModifySelection
    /// ``moveToEndOfDocument``, extending the selection.
    public static let moveToEndOfDocumentAndModifySelection = moveToEndOfDocument.andModifySelection
    /// ``pageUp``, extending the selection.
    public static let pageUpAndModifySelection = pageUp.andModifySelection
    /// ``pageDown``, extending the selection.
    public static let pageDownAndModifySelection = pageDown.andModifySelection
}

extension EditCommand {
    /// Commands of Apple's that are not supported, each with the reason. If a user's binding file has such a
    /// command, the reason is reported as an error.
    public static let unsupported: [EditCommand: String] = [
        EditCommand("complete"): "nothing here completes words",
        EditCommand("insertContainerBreak"): "there are no pages or columns",
        EditCommand("insertSingleQuoteIgnoringSubstitution"): "no quote is substituted",
        EditCommand("insertDoubleQuoteIgnoringSubstitution"): "no quote is substituted",
        EditCommand("changeCaseOfLetter"): "there are uppercaseWord, lowercaseWord and capitalizeWord",
        EditCommand("makeTextWritingDirectionNatural"): "there is makeBaseWritingDirectionNatural",
        EditCommand("makeTextWritingDirectionLeftToRight"): "there is makeBaseWritingDirectionLeftToRight",
        EditCommand("makeTextWritingDirectionRightToLeft"): "there is makeBaseWritingDirectionRightToLeft",
        EditCommand("quickLookPreviewItems"): "nothing here can be previewed",
    ]

    /// All named commands. A user's binding file may use them. Each one is performed by an `EditorView`, its window
    /// or the program.
    public static let all: [EditCommand] = [
        .moveLeft, .moveRight, .moveForward, .moveBackward, .moveUp, .moveDown, .moveWordLeft, .moveWordRight,
        .moveWordForward, .moveWordBackward, .moveToBeginningOfLine, .moveToEndOfLine, .moveToLeftEndOfLine,
        .moveToRightEndOfLine, .moveToBeginningOfParagraph, .moveToEndOfParagraph, .moveParagraphForward,
        .moveParagraphBackward, .moveToBeginningOfDocument, .moveToEndOfDocument, .pageUp, .pageDown, .scrollLineUp,
        .scrollLineDown, .scrollPageUp, .scrollPageDown, .scrollToBeginningOfDocument, .scrollToEndOfDocument,
        .centerSelectionInVisibleArea, .selectAll, .selectWord, .selectLine, .selectParagraph, .setMark,
        .selectToMark, .swapWithMark, .cancelOperation, .addCaretAbove, .addCaretBelow, .selectNextMatch,
        .splitSelectionIntoLines, .selectColumnUp, .selectColumnDown, .selectColumnLeft, .selectColumnRight,
        .moveLinesUp, .moveLinesDown, .duplicateLines, .deleteLines, .joinLines, .sortLines,
        .insertNewline, .insertLineBreak, .insertParagraphSeparator,
        .insertTab, .insertBacktab, .insertNewlineIgnoringFieldEditor, .insertTabIgnoringFieldEditor,
        .insertCharacterByCode, .indent, .outdent, .deleteBackward, .deleteForward,
        .deleteBackwardByDecomposingPreviousCharacter,
        .deleteWordBackward, .deleteWordForward, .deleteToBeginningOfLine, .deleteToEndOfLine,
        .deleteToBeginningOfParagraph, .deleteToEndOfParagraph, .deleteToMark, .yank, .transpose, .transposeWords,
        .uppercaseWord, .lowercaseWord, .capitalizeWord, .makeBaseWritingDirectionNatural,
        .makeBaseWritingDirectionLeftToRight, .makeBaseWritingDirectionRightToLeft, .toggleOverwriteMode, .copy,
        .cut, .paste, .pasteSelection, .pasteAsPlainText, .delete, .undo, .redo, .noop, .selectNextKeyView,
        .selectPreviousKeyView, .newDocument, .openDocument, .openRecentDocument, .saveDocument, .saveDocumentAs,
        .printDocument,
        .performClose, .terminate, .makeTextLarger, .makeTextSmaller, .makeTextStandardSize, .toggleFullScreen,
        .showMenu, .showHelp, .find, .findAndReplace, .findOrNext,
        .findNext,
        .findPrevious, .findPrimary, .goToLine, .showContextMenu, .toggleLoupe, .openLink, .moveLeftAndModifySelection,
        .moveRightAndModifySelection, .moveForwardAndModifySelection, .moveBackwardAndModifySelection,
        .moveUpAndModifySelection, .moveDownAndModifySelection, .moveWordLeftAndModifySelection,
        .moveWordRightAndModifySelection, .moveWordForwardAndModifySelection, .moveWordBackwardAndModifySelection,
        .moveToBeginningOfLineAndModifySelection, .moveToEndOfLineAndModifySelection,
        .moveToLeftEndOfLineAndModifySelection, .moveToRightEndOfLineAndModifySelection,
        .moveToBeginningOfParagraphAndModifySelection, .moveToEndOfParagraphAndModifySelection,
        .moveParagraphForwardAndModifySelection, .moveParagraphBackwardAndModifySelection,
        .moveToBeginningOfDocumentAndModifySelection, .moveToEndOfDocumentAndModifySelection,
        .pageUpAndModifySelection, .pageDownAndModifySelection, .toggleBoldface, .toggleItalics, .toggleUnderline,
        .toggleStrikethrough, .superscript, .subscript, .clearFormatting, .alignLeft, .alignRight, .alignCenter,
        .alignJustified, .toggleBulletedList, .toggleNumberedList, .toggleChecklist, .toggleCheckbox, .restartList,
        .continueList,
    ]
}
