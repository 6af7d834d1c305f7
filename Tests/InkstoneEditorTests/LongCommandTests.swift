import Inkstone
import InkstoneTesting
import Testing

@testable import inkstone_editor

/// Commands that are computed on another thread.
@Suite(.timeLimit(.minutes(5))) struct LongCommandTests {
    private func state(_ text: String, selected range: Range<UTF16Offset>) -> EditorState {
        EditorState(Rope(text), selection: Selection(anchor: range.lowerBound, head: range.upperBound))
    }

    @Test func smallCommandsArePerformedAtOnce() {
        let lines = String(repeating: "b\na\n", count: LongCommand.mostSorted / 4)
        let end = UTF16Offset(lines.utf16.count)
        #expect(!LongCommand.isLong(.sortLines, on: state(lines, selected: 0..<end)))
        let more = state(lines + "b\na\n", selected: 0..<end + 4)
        #expect(LongCommand.isLong(.sortLines, on: more))
        #expect(!LongCommand.isLong(.joinLines, on: more) && !LongCommand.isLong(.selectNextMatch, on: more))
    }

    @Test func theSearchForTheNextMatchIsALongCommandInALargeText() {
        let text = "ink" + String(repeating: "x", count: LongCommand.mostSearched) + "ink"
        let (selected, caret) = (state(text, selected: 0..<3), state(text, selected: 0..<0))
        #expect(LongCommand.isLong(.selectNextMatch, on: selected))
        #expect(!LongCommand.isLong(.selectNextMatch, on: caret), "its word is looked for")
        #expect(!LongCommand.isLong(.sortLines, on: selected))
        let work = LongCommand(.selectNextMatch)
        var found = selected
        if let transaction = work.work(on: selected) { found.perform(transaction) }
        #expect(
            found.selection?.count == 2
                && found.selection?.primary.range.upperBound == selected.text.utf16Range.upperBound)
        work.stop()
        #expect(work.work(on: selected) == nil)
    }

    @Test func aStoppedCommandChangesNothing() {
        let state = state("c\nb\na", selected: 0..<5)
        let work = LongCommand(.sortLines)
        var sorted = state
        if let transaction = work.work(on: state) { sorted.perform(transaction) }
        #expect(sorted.text.string(in: sorted.text.utf16Range) == "a\nb\nc")
        work.stop()
        #expect(work.work(on: state) == nil)
    }
}
