import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

extension EditorView {
    /// What each command does. Those that are not in here go up the responder chain.
    private static let actions: [EditCommand: @Sendable (EditorView) -> Void] = {
        var table: [EditCommand: @Sendable (EditorView) -> Void] = [
            .insertNewline: { $0.insertText($0.newline) },
            .insertLineBreak: { $0.insertText("\u{2028}") },
            .insertParagraphSeparator: { $0.insertText($0.newline) },
            .insertNewlineIgnoringFieldEditor: { $0.insertText($0.newline) },
            .insertTab: { $0.insertText($0.tabText ?? "") },
            .insertTabIgnoringFieldEditor: { $0.insertText("\t") },
            .insertBacktab: { $0.shiftParagraphs(outwards: true) },
            .indent: { $0.shiftParagraphs(outwards: false) },
            .outdent: { $0.shiftParagraphs(outwards: true) },
            .toggleOverwriteMode: { $0.isOverwriting.toggle() },
            .deleteBackward: { $0.deleteBackward() },
            .deleteForward: { $0.deleteForward() },
            .delete: { $0.deleteForward() },
            .selectAll: { $0.selectAll() },
            .selectWord: { $0.select(range: $0.geometry.wordRange(at: $0.primary.place)) },
            .selectParagraph: { $0.select(range: $0.geometry.paragraphRange(at: $0.primary.place)) },
            .selectLine: { $0.select(range: $0.geometry.lineRange($0.primary.place)) },
            .copy: { $0.copySelection() },
            .cut: { $0.cutSelection() },
            .paste: { $0.requestPaste() },
            .pasteAsPlainText: { $0.requestPaste() },
            .pasteSelection: { view in view.host?.editorViewRequestsPasteOfSelection(view) },
            .yank: { $0.yank() },
            .undo: { $0.undo() },
            .redo: { $0.redo() },
            .cancelOperation: { $0.cancel() },
            .scrollLineUp: { $0.scroll(by: -$0.lineStep) },
            .scrollLineDown: { $0.scroll(by: $0.lineStep) },
            .scrollPageUp: { $0.scroll(by: -$0.pageStep) },
            .scrollPageDown: { $0.scroll(by: $0.pageStep) },
            .scrollToBeginningOfDocument: { $0.scrollToStart() },
            .scrollToEndOfDocument: { $0.scrollToEnd() },
            .centerSelectionInVisibleArea: { $0.centerCaret() },
            .makeBaseWritingDirectionNatural: { $0.options.baseWritingDirection = .natural },
            .makeBaseWritingDirectionLeftToRight: { $0.options.baseWritingDirection = .leftToRight },
            .makeBaseWritingDirectionRightToLeft: { $0.options.baseWritingDirection = .rightToLeft },
            .noop: { _ in },
        ]
        for command in EditCommand.movingCommands.flatMap({ [$0, $0.andModifySelection] }) {
            if let move = command.move { table[command] = { $0.move(move) } }
        }
        return table.merging(killingActions) { $1 }.merging(writingActions) { $1 }
    }()

    /// Does what a command names. Returns whether it did: the view knows the command, and does not refuse it now.
    ///
    /// A composition ends first, with its text kept, unless the command changes nothing.
    @discardableResult
    public func perform(_ command: EditCommand) -> Bool {
        guard canPerformAction(command, withSender: nil), let action = Self.actions[command] else { return false }
        if !command.keepsComposition { endComposition() }
        if !Self.continuesKill(command) { lastKill = nil }
        action(self)
        return true
    }

    /// Whether the view would do what a command names now. What is refused goes up the responder chain: editing in a
    /// read-only view, copying from a secure one, newlines in a single line, the Tab key where it moves the focus, undoing
    /// where there is nothing to undo, a cancelling where there is nothing to cancel.
    public func canPerformAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
        guard Self.actions[action] != nil, allowsCommand?(action) ?? true else { return false }
        if selection == nil, !Self.needsNoSelection(action) { return false }
        if !isEditable, Self.editing.contains(action) { return false }
        switch action {
        case .copy, .cut: return !isSecureTextEntry && selection?.isEmpty == false
        case .undo: return store.canUndo || markedText != nil
        case .redo: return store.canRedo
        case .yank: return !killBuffer.text.isEmpty
        case .selectToMark, .swapWithMark, .deleteToMark: return mark != nil
        case .insertTab: return options.tabBehavior != .movesFocus
        case .insertBacktab: return options.tabBehavior != .movesFocus && !options.isSingleLine
        case .indent, .outdent: return !options.isSingleLine
        case .insertNewline, .insertLineBreak, .insertParagraphSeparator, .insertNewlineIgnoringFieldEditor:
            return !options.isSingleLine
        case .cancelOperation: return markedText != nil || selection?.isEmpty == false || (selection?.count ?? 0) > 1
        default: return true
        }
    }

    /// Whether a command does the same wherever the user is.
    private static func needsNoSelection(_ action: EditCommand) -> Bool {
        action.rawValue.hasPrefix("scroll") || action.rawValue.hasPrefix("makeBaseWritingDirection")
            || [.selectAll, .undo, .redo, .toggleOverwriteMode, .noop].contains(action)
    }

    /// What changes the text.
    private static let editing: Set<EditCommand> = [
        .insertNewline, .insertLineBreak, .insertParagraphSeparator, .insertNewlineIgnoringFieldEditor, .insertTab,
        .insertTabIgnoringFieldEditor, .insertBacktab, .indent, .outdent, .toggleOverwriteMode, .deleteBackward,
        .deleteForward, .deleteWordBackward, .deleteWordForward, .deleteToBeginningOfParagraph,
        .deleteToEndOfParagraph, .deleteToBeginningOfLine, .deleteToEndOfLine, .delete, .cut, .paste,
        .pasteAsPlainText, .pasteSelection, .undo, .redo, .deleteToMark, .yank, .transpose, .transposeWords,
        .uppercaseWord, .lowercaseWord, .capitalizeWord, .deleteBackwardByDecomposingPreviousCharacter,
        .makeBaseWritingDirectionNatural, .makeBaseWritingDirectionLeftToRight, .makeBaseWritingDirectionRightToLeft,
    ]

    /// Selects all of the text; what is in sight stays in sight.
    func selectAll() {
        endComposition()
        select(Selection(anchor: 0, head: textRange.upperBound), scrolling: false)
    }

    /// Selects a range and shows its end.
    func select(range: Range<UTF16Offset>) {
        endComposition()
        select(Selection(anchor: range.lowerBound, head: range.upperBound))
    }

    /// Ends the composition, or else drops the selection.
    private func cancel() {
        if markedText != nil { return endComposition() }
        select(Selection(caret: primary.head, affinity: primary.affinity), scrolling: false)
    }

    private func copySelection() {
        guard let text = selectedText else { return }
        host?.editorView(self, copy: text)
        killBuffer.keep(text)
    }

    private func cutSelection() {
        copySelection()
        userReplace(primary.range, with: "", kind: .deleting)
    }

    private func requestPaste() { host?.editorViewRequestsPaste(self) }
}
