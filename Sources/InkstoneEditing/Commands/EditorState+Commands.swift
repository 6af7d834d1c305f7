import InkstoneInput
import InkstoneLayout
import InkstoneBase
import InkstoneText

/// The table of commands: functions from a state and its geometry to an outcome. Commands act on all ranges of the
/// selection.
extension EditorState {
    /// Returns the outcome of a command for this state; nil for an unknown command. End the composition first, and
    /// keep its text, unless the command may be performed during a composition.
    package func outcome(of command: EditCommand, in geometry: TextGeometry) -> CommandOutcome? {
        Self.commands[command]?.outcome(self, geometry)
    }

    /// Returns whether a command would have an effect now. The state knows neither the undo history nor the kill
    /// buffer. The caller must check whether there is a step to undo, or text to yank.
    ///
    /// False for a command that the ``filters`` refuse, such as an edit in a read-only view. Also false for a
    /// command that needs a selection if there is none, and for copying from a secure view. False for Tab if Tab
    /// moves the focus, and for cancelling if there is nothing to cancel.
    package func canPerform(_ action: EditCommand) -> Bool {
        guard let command = Self.commands[action] else { return false }
        if selection == nil, command.needsSelection { return false }
        if let origin = command.origin, !filters.allSatisfy({ $0.allows?(origin, self) ?? true }) { return false }
        return command.isPossible?(self) ?? true
    }

    /// Returns a further condition under which a command has an effect. It is checked after the command's needs for a
    /// selection and for editable text. Nil for a command without a further condition.
    private static func condition(of action: EditCommand) -> (@Sendable (EditorState) -> Bool)? {
        switch action {
        case .copy, .cut: { !$0.options.isSecureTextEntry && $0.selection?.isEmpty == false }
        case .selectToMark, .swapWithMark, .deleteToMark: { $0.mark != nil }
        case .moveLinesUp: { $0.canMoveLinesUp }
        case .moveLinesDown: { $0.canMoveLinesDown }
        case .joinLines: { $0.canJoinLines }
        case .sortLines: { $0.canSortLines }
        case .insertTab, .insertBacktab: { $0.options.tabBehavior != .movesFocus }
        case .cancelOperation:
            { $0.markedText != nil || $0.selection?.isEmpty == false || ($0.selection?.count ?? 0) > 1 }
        default: nil
        }
    }

    static let commands: [EditCommand: Command] = {
        var table = moving
        for part in [
            inserting, deleting, writing, selecting, caretCommands, columnCommands, lineCommands, styling,
            clipboard, viewing,
        ] {
            table.merge(part) { $1 }
        }
        for (action, command) in table { table[action]?.isPossible = command.isPossible ?? condition(of: action) }
        return table
    }()

    /// Returns a command whose outcome is the transaction that `make` returns; if that is nil, the command changes
    /// nothing. The transaction must have the given origin.
    static func editing(
        _ origin: Origin, _ make: @escaping @Sendable (EditorState, TextGeometry) -> Transaction?
    ) -> Command {
        Command(origin: origin) { CommandOutcome(make($0, $1)) }
    }

    private static let inserting: [EditCommand: Command] = [
        .insertNewline: editing(.newline) { state, _ in state.insertingNewline() },
        .insertParagraphSeparator: editing(.newline) { state, _ in state.insertingNewline() },
        .insertNewlineIgnoringFieldEditor: editing(.newline) { state, _ in state.insertingNewline() },
        .insertLineBreak: editing(.newline) { state, _ in
            // Code has one line in each paragraph, so insert a newline there instead of a line separator.
            state.options.insertsLineSeparators && !state.isInCode
                ? state.inserting("\u{2028}", origin: .newline) : state.insertingNewline()
        },
        .insertTabIgnoringFieldEditor: editing(.typing) { state, _ in state.insertingTabCharacter() },
        .insertTab: editing(.typing) { state, geometry in state.insertingTab(geometry) },
        .insertBacktab: editing(.indentation) { state, geometry in state.insertingBacktab(geometry) },
        .indent: editing(.indentation) { state, geometry in state.shiftingParagraphs(outwards: false, geometry) },
        .outdent: editing(.indentation) { state, geometry in state.shiftingParagraphs(outwards: true, geometry) },
    ]

    private static let deleting: [EditCommand: Command] = [
        .deleteBackward: editing(.deleteBackward) { state, _ in state.deletingBackward() },
        .deleteForward: editing(.deletion) { state, _ in state.deletingForward() },
        .delete: editing(.deletion) { state, _ in state.deletingForward() },
        .deleteBackwardByDecomposingPreviousCharacter: editing(.deletion) { state, _ in state.deletingScalarBackward()
        },
        .deleteWordBackward: killing(.backward, .word),
        .deleteWordForward: killing(.forward, .word),
        .deleteToBeginningOfLine: killing(.backward, .line),
        .deleteToEndOfLine: killing(.forward, .line),
        .deleteToBeginningOfParagraph: killing(.backward, .paragraph),
        .deleteToEndOfParagraph: Command(origin: .deletion) { state, _ in
            // At the end of a paragraph, delete the newline, as other systems do.
            state.killing { range in
                let end = state.contentOfParagraph(at: range.head).upperBound
                return end > range.head ? end : state.text.graphemeBoundary(after: range.head)
            }
        },
        .deleteToMark: Command(origin: .deletion) { state, _ in state.killingToMark() },
    ]

    private static let writing: [EditCommand: Command] = [
        .transpose: editing(.rewriting) { state, _ in state.transposingCharacters() },
        .transposeWords: editing(.rewriting) { state, geometry in state.transposingWords(geometry) },
        .uppercaseWord: editing(.rewriting) { state, geometry in state.rewritingWords(geometry) { $0.uppercased() } },
        .lowercaseWord: editing(.rewriting) { state, geometry in state.rewritingWords(geometry) { $0.lowercased() } },
        .capitalizeWord: editing(.rewriting) { state, geometry in
            state.rewritingWords(geometry) { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
        },
    ]

    private static let clipboard: [EditCommand: Command] = [
        .copy: Command { state, _ in CommandOutcome(nil, state.selectedCopy.map { .copy($0) }) },
        .cut: Command(origin: .deletion) { state, _ in
            let cut = state.editing(origin: .deletion, undo: .deleting) { ($0.range, "") }
            return CommandOutcome(cut, state.selectedCopy.map { .copy($0) })
        },
        .paste: pasting(.clipboard),
        .pasteAsPlainText: pasting(.plainClipboard),
        .pasteSelection: pasting(.selection),
        .yank: pasting(.killBuffer),
    ]

    private static func pasting(_ source: PasteSource) -> Command {
        Command(origin: .paste) { state, _ in
            CommandOutcome(nil, .paste(source, state.pasteToCome(source == .clipboard ? .paste : .plainPaste)))
        }
    }

    private static let viewing: [EditCommand: Command] = {
        func asking(_ request: EditRequest, _ origin: Origin? = nil) -> Command {
            Command(origin: origin, needsSelection: false) { _, _ in CommandOutcome(nil, request) }
        }
        func directing(_ direction: WritingDirection) -> Command {
            Command(origin: .styling, needsSelection: false) { state, _ in
                var options = state.options
                options.baseWritingDirection = direction
                return CommandOutcome(state.changing(.options(options)))
            }
        }
        var table: [EditCommand: Command] = [
            .undo: asking(.undo, .undo),
            .redo: asking(.redo, .redo),
            .scrollLineUp: asking(.scroll(.lines(-1))),
            .scrollLineDown: asking(.scroll(.lines(1))),
            .scrollPageUp: asking(.scroll(.pages(-1))),
            .scrollPageDown: asking(.scroll(.pages(1))),
            .scrollToBeginningOfDocument: asking(.scroll(.start)),
            .scrollToEndOfDocument: asking(.scroll(.end)),
            .centerSelectionInVisibleArea: asking(.scroll(.centerCaret)),
            .makeBaseWritingDirectionNatural: directing(.natural),
            .makeBaseWritingDirectionLeftToRight: directing(.leftToRight),
            .makeBaseWritingDirectionRightToLeft: directing(.rightToLeft),
            .toggleOverwriteMode: Command(origin: .typing, needsSelection: false) { state, _ in
                CommandOutcome(state.changing(.overwriting(!state.isOverwriting)))
            },
            .noop: Command(needsSelection: false) { _, _ in CommandOutcome() },
        ]
        table[.centerSelectionInVisibleArea]?.needsSelection = true
        return table
    }()
}
