import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Deleting by words, lines and paragraphs, which keeps the text to be yanked, as in Apple's text system and in Emacs.
extension EditorView {
    /// What the last command cut off, if it did, and the state that it left: the next one adds to it.
    struct Kill {
        var entry: KillBuffer.Entry
        var version: TextVersion
        var selection: Selection?
    }

    static let killingActions: [EditCommand: @Sendable (EditorView) -> Void] = [
        .deleteWordBackward: { $0.kill(.backward, .word) },
        .deleteWordForward: { $0.kill(.forward, .word) },
        .deleteToBeginningOfLine: { $0.kill(.backward, .line) },
        .deleteToEndOfLine: { $0.kill(.forward, .line) },
        .deleteToBeginningOfParagraph: { $0.kill(.backward, .paragraph) },
        .deleteToEndOfParagraph: { $0.killToEndOfParagraph() },
    ]

    /// Whether a command adds to what the one before it has cut off.
    static func continuesKill(_ command: EditCommand) -> Bool {
        killingActions[command] != nil || command == .deleteToMark
    }

    /// Puts what was cut off over the selection.
    func yank() {
        userReplace(primary.range, with: normalizingNewlines(of: killBuffer.text), kind: .other)
    }

    /// At the end of a paragraph this takes the newline, as everywhere.
    private func killToEndOfParagraph() {
        let end = layout.paragraphEnd(primary.place).offset
        kill(to: end > primary.head ? end : store.text.graphemeBoundary(after: primary.head))
    }

    /// Cuts off the selection, or what lies between the caret and where a move leads.
    private func kill(_ direction: TextDirection, _ destination: Selection.Destination) {
        kill(to: geometry.place(from: primary.place, direction, destination).offset)
    }

    /// Cuts off the selection, or what lies between the caret and `other`.
    private func kill(to other: UTF16Offset) {
        guard primary.isCaret else { return kill(primary.range, from: .forward) }
        let head = primary.head
        kill(min(head, other)..<max(head, other), from: other < head ? .backward : .forward)
    }

    /// Deletes a range and keeps its text to be yanked; that of a secure view is kept nowhere.
    func kill(_ range: Range<UTF16Offset>, from side: KillBuffer.Side) {
        let text = string(in: range)
        let before = store.version
        let last = lastKill.flatMap { $0.version == before && $0.selection == selection ? $0.entry : nil }
        lastKill = nil
        userReplace(range, with: "", kind: .deleting)
        guard store.version != before, !isSecureTextEntry else { return }
        let entry = killBuffer.keep(text, from: side, continuing: last)
        lastKill = Kill(entry: entry, version: store.version, selection: selection)
    }
}
