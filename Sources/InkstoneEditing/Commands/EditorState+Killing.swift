import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Deletion by words, lines and paragraphs. The deleted text is stored for yanking, as in Apple's text system and
/// in Emacs.
extension EditorState {
    /// Returns a command that kills the selection, or the text between each caret and the destination of a move.
    static func killing(_ direction: TextDirection, _ destination: Selection.Destination) -> Command {
        Command(origin: .deletion) { state, geometry in
            state.killing { geometry.place(from: $0.place, direction, destination).offset }
        }
    }

    /// Kills the selection, or the text between each caret and another position. Only deleted text is stored, the
    /// texts of several ranges on separate lines: of overlapping ranges, the second adds only the part that is not
    /// in the first. The text of a secure view is not stored.
    func killing(to other: (SelectionRange) -> UTF16Offset) -> CommandOutcome {
        var side = KillBuffer.Side.forward
        var killed: [Range<UTF16Offset>] = []
        let transaction = deleting { range in
            let place = other(range)
            if place < range.head { side = .backward }
            return place
        } willDelete: { range in
            if let last = killed.last, range.lowerBound < last.upperBound {
                killed[killed.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else if !range.isEmpty {
                killed.append(range)
            }
        }
        guard transaction != nil, !options.isSecureTextEntry else { return CommandOutcome(transaction) }
        var content = StyledText()
        for (index, range) in killed.enumerated() {
            if index > 0 { content.append(StyledText(Rope(newline))) }
            content.append(styledText.slice(range))
        }
        return CommandOutcome(transaction, .keep(copy(content), side, continuing: continuedKill))
    }

    /// Kills the text between the primary range's head and the mark. Does nothing without a mark, or if the head is
    /// at the mark.
    func killingToMark() -> CommandOutcome {
        guard let mark else { return CommandOutcome() }
        let head = primary.head
        let range = min(mark, head)..<max(mark, head)
        guard !range.isEmpty else { return CommandOutcome() }
        let (changes, carets) = replacing([(range, "")])
        let transaction = transaction(
            changes, origin: .deletion, undo: .deleting,
            selection: carets.map { .set(Selection($0)) } ?? .afterInserted)
        if options.isSecureTextEntry { return CommandOutcome(transaction) }
        let killed = copy(styledText.slice(range))
        return CommandOutcome(
            transaction, .keep(killed, mark < head ? .backward : .forward, continuing: continuedKill))
    }

    func deletingForward() -> Transaction? { deleting { text.graphemeBoundary(after: $0.head) } }

    /// Deletes the selection, or the last scalar of the cluster before each caret: the accent of a letter, or a
    /// member of an emoji family.
    func deletingScalarBackward() -> Transaction? {
        deleting { range in
            let cluster = text.graphemeBoundary(before: range.head)..<range.head
            return range.head - (string(in: cluster).unicodeScalars.last?.utf16.count ?? 0)
        }
    }
}
