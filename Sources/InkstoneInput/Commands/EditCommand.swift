/// A command of a text view, named by Apple's selector without its colon: `moveLeft`, `deleteToEndOfParagraph` …
///
/// Keys are bound to commands by tables that are data (``KeyBindingTable``); a view performs them in
/// ``TextInputClient/doCommand(by:)``. Any other name is a command as well, for the view or its responder chain to know.
public struct EditCommand: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The selector's name.
    public let rawValue: String

    /// A command by its selector's name; a trailing colon is dropped.
    public init(rawValue: String) {
        self.rawValue = rawValue.last == ":" ? String(rawValue.dropLast()) : rawValue
    }

    /// A command by its selector's name; a trailing colon is dropped.
    public init(_ name: String) { self.init(rawValue: name) }

    /// The selector's name.
    public var description: String { rawValue }

    /// The moving command whose selection-extending form this is; nil for all others.
    public var moveWithoutModifyingSelection: EditCommand? {
        let suffix = "AndModifySelection"
        return rawValue.hasSuffix(suffix) ? EditCommand(String(rawValue.dropLast(suffix.count))) : nil
    }

    /// Whether it changes neither text nor selection, so that a composition can go on.
    public var keepsComposition: Bool {
        rawValue.hasPrefix("scroll") || self == .copy || self == .noop || self == .centerSelectionInVisibleArea
            || self == .toggleLoupe
    }

    /// The form of a moving command that extends the selection.
    public var andModifySelection: EditCommand { EditCommand(rawValue + "AndModifySelection") }
}

/// Moving.
extension EditCommand {
    /// One cluster to the left on the screen; a selection collapses to its left end.
    public static let moveLeft = EditCommand("moveLeft")
    /// One cluster to the right on the screen; a selection collapses to its right end.
    public static let moveRight = EditCommand("moveRight")
    /// One cluster towards the end of the text.
    public static let moveForward = EditCommand("moveForward")
    /// One cluster towards the start of the text.
    public static let moveBackward = EditCommand("moveBackward")
    /// One visual line up, at the goal column.
    public static let moveUp = EditCommand("moveUp")
    /// One visual line down, at the goal column.
    public static let moveDown = EditCommand("moveDown")
    /// To the next word boundary on the left.
    public static let moveWordLeft = EditCommand("moveWordLeft")
    /// To the next word boundary on the right.
    public static let moveWordRight = EditCommand("moveWordRight")
    /// To the end of this or the next word.
    public static let moveWordForward = EditCommand("moveWordForward")
    /// To the start of this or the previous word.
    public static let moveWordBackward = EditCommand("moveWordBackward")
    /// To the start of the visual line.
    public static let moveToBeginningOfLine = EditCommand("moveToBeginningOfLine")
    /// To the end of the visual line.
    public static let moveToEndOfLine = EditCommand("moveToEndOfLine")
    /// To the left end of the visual line.
    public static let moveToLeftEndOfLine = EditCommand("moveToLeftEndOfLine")
    /// To the right end of the visual line.
    public static let moveToRightEndOfLine = EditCommand("moveToRightEndOfLine")
    /// To the start of the paragraph.
    public static let moveToBeginningOfParagraph = EditCommand("moveToBeginningOfParagraph")
    /// To the end of the paragraph, before its newline.
    public static let moveToEndOfParagraph = EditCommand("moveToEndOfParagraph")
    /// To the end of this or the next paragraph.
    public static let moveParagraphForward = EditCommand("moveParagraphForward")
    /// To the start of this or the previous paragraph.
    public static let moveParagraphBackward = EditCommand("moveParagraphBackward")
    /// To the start of the text.
    public static let moveToBeginningOfDocument = EditCommand("moveToBeginningOfDocument")
    /// To the end of the text.
    public static let moveToEndOfDocument = EditCommand("moveToEndOfDocument")
    /// One page up, with the caret.
    public static let pageUp = EditCommand("pageUp")
    /// One page down, with the caret.
    public static let pageDown = EditCommand("pageDown")
}

/// Scrolling.
extension EditCommand {
    /// One line up, the caret stays.
    public static let scrollLineUp = EditCommand("scrollLineUp")
    /// One line down, the caret stays.
    public static let scrollLineDown = EditCommand("scrollLineDown")
    /// One page up, the caret stays.
    public static let scrollPageUp = EditCommand("scrollPageUp")
    /// One page down, the caret stays.
    public static let scrollPageDown = EditCommand("scrollPageDown")
    /// To the start of the text, the caret stays.
    public static let scrollToBeginningOfDocument = EditCommand("scrollToBeginningOfDocument")
    /// To the end of the text, the caret stays.
    public static let scrollToEndOfDocument = EditCommand("scrollToEndOfDocument")
    /// Scrolls so that the caret is in the middle.
    public static let centerSelectionInVisibleArea = EditCommand("centerSelectionInVisibleArea")
}

/// Selecting.
extension EditCommand {
    /// All of the text.
    public static let selectAll = EditCommand("selectAll")
    /// The word around the caret.
    public static let selectWord = EditCommand("selectWord")
    /// The visual line around the caret.
    public static let selectLine = EditCommand("selectLine")
    /// The paragraph around the caret.
    public static let selectParagraph = EditCommand("selectParagraph")
    /// Remembers the caret's place as the mark.
    public static let setMark = EditCommand("setMark")
    /// What lies between caret and mark.
    public static let selectToMark = EditCommand("selectToMark")
    /// Exchanges caret and mark.
    public static let swapWithMark = EditCommand("swapWithMark")
    /// Gives up what is going on; collapses the selection.
    public static let cancelOperation = EditCommand("cancelOperation")
}

/// Inserting.
extension EditCommand {
    /// A newline, or what Return means in a single-line field.
    public static let insertNewline = EditCommand("insertNewline")
    /// A new line in the same paragraph where the view's text has such (``TextInputOptions/insertsLineSeparators``), else a newline.
    public static let insertLineBreak = EditCommand("insertLineBreak")
    /// A new paragraph.
    public static let insertParagraphSeparator = EditCommand("insertParagraphSeparator")
    /// A tab, or the next view in the chain, as the view is set. Over text of several paragraphs it indents them.
    public static let insertTab = EditCommand("insertTab")
    /// Takes a step of indentation away, or the previous view in the chain, as the view is set.
    public static let insertBacktab = EditCommand("insertBacktab")
    /// A newline whatever the view is set to.
    public static let insertNewlineIgnoringFieldEditor = EditCommand("insertNewlineIgnoringFieldEditor")
    /// A tab whatever the view is set to.
    public static let insertTabIgnoringFieldEditor = EditCommand("insertTabIgnoringFieldEditor")
    /// A character whose number is typed next, in hexadecimal, and ended with Space, Return or by letting go of Control and Shift.
    public static let insertCharacterByCode = EditCommand("insertCharacterByCode")
    /// Puts a step of indentation before each paragraph of the selection.
    public static let indent = EditCommand("indent")
    /// Takes one step of indentation away from each paragraph of the selection.
    public static let outdent = EditCommand("outdent")
}

/// Deleting.
extension EditCommand {
    /// The selection, or what was typed last before the caret: a cluster, or one code point in scripts whose marks are typed one by one.
    public static let deleteBackward = EditCommand("deleteBackward")
    /// The selection, or the cluster after the caret.
    public static let deleteForward = EditCommand("deleteForward")
    /// The last scalar of the cluster before the caret.
    public static let deleteBackwardByDecomposingPreviousCharacter = EditCommand(
        "deleteBackwardByDecomposingPreviousCharacter")
    /// Up to the start of the word. This and what follows is kept for ``yank``; commands one after the other gather it.
    public static let deleteWordBackward = EditCommand("deleteWordBackward")
    /// Up to the end of the word.
    public static let deleteWordForward = EditCommand("deleteWordForward")
    /// Up to the start of the visual line.
    public static let deleteToBeginningOfLine = EditCommand("deleteToBeginningOfLine")
    /// Up to the end of the visual line.
    public static let deleteToEndOfLine = EditCommand("deleteToEndOfLine")
    /// Up to the start of the paragraph.
    public static let deleteToBeginningOfParagraph = EditCommand("deleteToBeginningOfParagraph")
    /// Up to the end of the paragraph; at its end, the newline.
    public static let deleteToEndOfParagraph = EditCommand("deleteToEndOfParagraph")
    /// What lies between caret and mark.
    public static let deleteToMark = EditCommand("deleteToMark")
    /// Inserts what was last cut off by words, lines, paragraphs or to the mark, cut or copied, in any view of the program.
    public static let yank = EditCommand("yank")
}

/// Changing.
extension EditCommand {
    /// Exchanges the clusters around the caret.
    public static let transpose = EditCommand("transpose")
    /// Exchanges the words around the caret.
    public static let transposeWords = EditCommand("transposeWords")
    /// Makes the word or selection upper case.
    public static let uppercaseWord = EditCommand("uppercaseWord")
    /// Makes the word or selection lower case.
    public static let lowercaseWord = EditCommand("lowercaseWord")
    /// Capitalises the word or each one selected.
    public static let capitalizeWord = EditCommand("capitalizeWord")
    /// All paragraphs go by their first strong character.
    public static let makeBaseWritingDirectionNatural = EditCommand("makeBaseWritingDirectionNatural")
    /// All paragraphs go left to right.
    public static let makeBaseWritingDirectionLeftToRight = EditCommand("makeBaseWritingDirectionLeftToRight")
    /// All paragraphs go right to left.
    public static let makeBaseWritingDirectionRightToLeft = EditCommand("makeBaseWritingDirectionRightToLeft")
    /// From now on what is typed replaces what stands behind the caret, or no longer does.
    public static let toggleOverwriteMode = EditCommand("toggleOverwriteMode")
}

/// Standard edit actions.
extension EditCommand {
    /// The selection to CLIPBOARD.
    public static let copy = EditCommand("copy")
    /// The selection to CLIPBOARD, and out of the text.
    public static let cut = EditCommand("cut")
    /// CLIPBOARD in place of the selection.
    public static let paste = EditCommand("paste")
    /// PRIMARY in place of the selection.
    public static let pasteSelection = EditCommand("pasteSelection")
    /// CLIPBOARD without attributes.
    public static let pasteAsPlainText = EditCommand("pasteAsPlainText")
    /// The selection.
    public static let delete = EditCommand("delete")
    /// Takes the last change back.
    public static let undo = EditCommand("undo")
    /// Makes it again.
    public static let redo = EditCommand("redo")
    /// Nothing; the key is used up.
    public static let noop = EditCommand("noop")
}

/// What is the window's or the program's, not the text's: they go up the responder chain.
extension EditCommand {
    /// The focus to the next view of the window.
    public static let selectNextKeyView = EditCommand("selectNextKeyView")
    /// The focus to the previous view of the window.
    public static let selectPreviousKeyView = EditCommand("selectPreviousKeyView")
    /// Saves the document.
    public static let saveDocument = EditCommand("saveDocument")
    /// Saves the document as another file.
    public static let saveDocumentAs = EditCommand("saveDocumentAs")
    /// Ends the program, after a question if something would be lost.
    public static let terminate = EditCommand("terminate")
}

/// Moving with the selection: the anchor stays, the other end moves.
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
    /// Commands of Apple's list that nothing here performs, each with the reason, which a user's binding file is told.
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

    /// Every command that has a name here, in the order of this file: what a user's binding file may use. All of them are
    /// performed by an `EditorView`, its window or the program.
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
        .findPrevious, .findPrimary, .goToLine, .showContextMenu, .toggleLoupe, .moveLeftAndModifySelection,
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
