import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Commands that change the selection and leave the text unchanged.
extension EditorState {
    /// The commands that move all ranges of the selection. A move by a page also scrolls by a page.
    static let moving: [EditCommand: Command] = {
        var table: [EditCommand: Command] = [:]
        for command in EditCommand.movingCommands.flatMap({ [$0, $0.andModifySelection] }) {
            guard let move = command.move else { continue }
            table[command] = Command { state, geometry in
                let scroll = move.destination == .page ? geometry.linesPerPage * (move.direction == .up ? -1 : 1) : 0
                let new = state.selection?.moved(
                    move.direction, move.destination, extending: move.isExtending, in: geometry)
                var step = move.isExtending ? nil : state.leavingRole(before: new, move.destination)
                if step == nil, command == .moveDown, let new { step = state.leavingCodeDownward(to: new.head) }
                return CommandOutcome(step ?? state.selecting(new), scroll == 0 ? nil : .scroll(.lines(scroll)))
            }
        }
        return table
    }()

    static let selecting: [EditCommand: Command] = [
        .selectAll: Command(needsSelection: false) { state, _ in
            // Select All does not scroll.
            let all = Selection(anchor: 0, head: state.textRange.upperBound)
            return CommandOutcome(state.selecting(all, reveal: false))
        },
        .selectWord: expanding { geometry, place in geometry.wordRange(at: place) },
        .selectLine: expanding { geometry, place in geometry.lineRange(place) },
        .selectParagraph: expanding { geometry, place in geometry.paragraphRange(at: place) },
        .cancelOperation: Command { state, _ in
            let primary = state.primary
            // The first Escape reduces the selection to its primary range; the next one reduces that range to a caret.
            if let selection = state.selection, selection.count > 1, state.markedText == nil {
                return CommandOutcome(state.selecting(selection.onlyPrimary, reveal: false))
            }
            return CommandOutcome(
                state.selecting(Selection(caret: primary.head, affinity: primary.affinity), reveal: false))
        },
        .setMark: Command { state, _ in CommandOutcome(state.changing(.mark(state.primary.head))) },
        .selectToMark: Command { state, _ in
            guard state.primary.isCaret, let mark = state.mark else { return CommandOutcome() }
            return CommandOutcome(state.selecting(Selection(anchor: mark, head: state.primary.head)))
        },
        .swapWithMark: Command { state, _ in
            guard let mark = state.mark else { return CommandOutcome() }
            var transaction = state.selecting(Selection(caret: mark))
            transaction.effects = [StateEffect.mark(state.primary.head)]
            return CommandOutcome(transaction)
        },
    ]

    /// Returns a command that replaces each selected range by a unit of text, such as a word, around the range's
    /// head.
    private static func expanding(
        _ unit: @escaping @Sendable (TextGeometry, CaretPlace) -> Range<UTF16Offset>
    ) -> Command {
        Command { state, geometry in
            let new = state.selection?.map { range in
                let found = unit(geometry, range.place)
                return SelectionRange(anchor: found.lowerBound, head: found.upperBound)
            }
            return CommandOutcome(state.selecting(new))
        }
    }
}
