import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

/// Commands that make several ranges from one, pasting into them, and undo.
@Suite(.timeLimit(.minutes(5))) struct CaretCommandTests {
    /// Covers INT 73, INT 77 of the checklist for interaction.
    @Test(arguments: [
        // The new caret is at the same x or at the end of a shorter line; the next one returns to the first caret's
        // x.
        RangesCase("abc|d\nefgh", .addCaretBelow, to: "abc|d\nefg|h"),
        RangesCase("abc|d\ne\nfghi", .addCaretBelow, .addCaretBelow, to: "abc|d\ne|\nfgh|i"),
        RangesCase("abcd\n\nefg|h", .addCaretAbove, .addCaretAbove, to: "abc|d\n|\nefg|h"),
        // Lines after forced breaks are lines of their paragraph.
        RangesCase("abcd\u{2028}e|f\nabcd\u{2028}ef", .addCaretBelow, to: "abcd\u{2028}e|f\nabcd\u{2028}e|f"),
        RangesCase("abcd\u{2028}ef\nabcd\u{2028}e|f", .addCaretAbove, to: "abcd\u{2028}e|f\nabcd\u{2028}e|f"),
        RangesCase("abc|d\u{2028}ef", .moveDown, .moveUp, to: "abc|d\u{2028}ef"),
        RangesCase("abcd\u{2028}efgh|", .moveUp, .moveUp, to: "|abcd\u{2028}efgh"),
        RangesCase("ab|cd\u{2028}ef", .moveToEndOfLineAndModifySelection, to: "ab[cd|]\u{2028}ef"),
        // Before the first and after the last line, nothing happens.
        RangesCase("ab|c\nd", .addCaretAbove, to: "ab|c\nd"),
        RangesCase("a\nb|", .addCaretBelow, to: "a\nb|"),
        // The opposite command removes the last caret.
        RangesCase("a|\nb\nc", .addCaretBelow, .addCaretBelow, .addCaretAbove, to: "a|\nb|\nc"),
        RangesCase("a|\nb\nc", .addCaretBelow, .addCaretAbove, .addCaretAbove, to: "a|\nb\nc"),
        // A caret selects its word. The next occurrence is searched as a whole word with the same case, and from
        // the start after the end.
        RangesCase("in|k inkwell Ink ink", .selectNextMatch, to: "[ink|] inkwell Ink ink"),
        RangesCase("in|k inkwell Ink ink", .selectNextMatch, .selectNextMatch, to: "[ink|] inkwell Ink [ink|]"),
        RangesCase("ink ink| ink", .selectNextMatch, .selectNextMatch, .selectNextMatch, to: "[ink|] [ink|] [ink|]"),
        RangesCase(
            "ink ink| ink", .selectNextMatch, .selectNextMatch, .selectNextMatch, .selectNextMatch,
            to: "[ink|] [ink|] [ink|]"),
        // Selected text is searched anywhere, also within words; matches that are selected already are skipped.
        RangesCase("[in|]k inkwell", .selectNextMatch, to: "[in|]k [in|]kwell"),
        RangesCase("[|in]k inkwell", .selectNextMatch, to: "[|in]k [|in]kwell"),
        RangesCase("[aa|]aaa", .selectNextMatch, .selectNextMatch, to: "[aa|][aa|]a"),
        RangesCase("one| one", .addCaretAbove, .selectNextMatch, .selectNextMatch, to: "[one|] [one|]"),
        // One range for each paragraph.
        RangesCase("a[b\n\ncd\ne|]f", .splitSelectionIntoLines, to: "a[b|]\n|\n[cd|]\n[e|]f"),
        RangesCase("[ab\r\ncd\r\n|]ef", .splitSelectionIntoLines, to: "[ab|]\r\n[cd|]\r\nef"),
        RangesCase("[|ab\ncd]", .splitSelectionIntoLines, to: "[|ab]\n[|cd]"),
        RangesCase("a[b|]\n|c", .splitSelectionIntoLines, to: "a[b|]\n|c"),
        // The first Escape leaves one range, the second a caret.
        RangesCase("[ab|] [cd|]", .cancelOperation, to: "ab [cd|]"),
        RangesCase("[ab|] [cd|]", .cancelOperation, .cancelOperation, to: "ab cd|"),
    ])
    func rangesAreMade(_ test: RangesCase) {
        let scene = EditingScene(test.before)
        for command in test.commands { scene.perform(command) }
        #expect(scene.notation == test.after)
        #expect(!scene.store.canUndo)
    }

    /// Covers INT 73 of the checklist for interaction.
    @Test func aCaretBelowWrappedLinesGoesToTheNextParagraph() {
        let words = String(repeating: "word ", count: 40)
        let scene = EditingScene("ab|c" + words + "\nx" + words)
        // The text wraps at the scene's width, so the next visual line belongs to the same paragraph.
        #expect(scene.geometry.lineRange(CaretPlace(0)).upperBound < 150)
        scene.perform(.addCaretBelow)
        #expect(scene.state.selection?.ranges.map(\.head) == [2, UTF16Offset(3 + 200 + 1 + 2)])
        // From the second visual line to the second visual line of the next paragraph that has one.
        let second = EditingScene("|" + words + "\nab\n" + words)
        let line = second.geometry.lineRange(CaretPlace(0)).upperBound
        second.select(Selection(caret: line + 3))
        second.perform(.addCaretBelow, .addCaretBelow)
        #expect(second.state.selection?.ranges.map(\.head) == [line + 3, 203, 204 + line.value + 3])
    }

    struct Paste: Sendable, CustomTestStringConvertible {
        var before: String
        var text: String
        var pieces: [String]?
        var after: String
        init(_ before: String, _ text: String, _ pieces: [String]? = nil, to after: String) {
            (self.before, self.text, self.pieces, self.after) = (before, text, pieces, after)
        }
        var testDescription: String { "\(before) + \(text.debugDescription) → \(after)" }
    }

    /// Covers INT 75 of the checklist for interaction.
    @Test(arguments: [
        Paste("a| b|", "1\n2", to: "a1| b2|"),
        Paste("[a|] [b|]", "1\r\n2\r\n", to: "1| 2|"),
        Paste("a| b|", "1\n2\n\n", to: "a1\n2\n\n| b1\n2\n\n|"),
        Paste("a| b| c|", "1\n2", to: "a1\n2| b1\n2| c1\n2|"),
        Paste("a| b| c|", "1\n\n3", to: "a1| b| c3|"),
        Paste("a|", "1\n2", to: "a1\n2|"),
        Paste("a| b|", "1\n2\n3", ["1\n2", "3"], to: "a1\n2| b3|"),
    ])
    func eachRangeGetsItsOwnLine(_ paste: Paste) {
        let scene = EditingScene(paste.before)
        scene.make(scene.state.pasting(paste.text, pieces: paste.pieces))
        #expect(scene.notation == paste.after)
        #expect(scene.perform(.undo) == paste.before)
    }

    @Test func wholeLinesAreCopiedWithoutEmptyOnesBetweenThem() {
        #expect(EditingScene("[ab\n|]cd\n[ef\n|]").state.selectedText == "ab\nef\n")
        #expect(EditingScene("[ab|] [cd|] x|").state.selectedText == "ab\ncd")
    }

    @Test func aSearchForTheNextMatchCanBeGivenUp() {
        let scene = EditingScene("[ink|] ink")
        #expect(scene.state.selectingNextMatch(isCancelled: { true }) == nil)
        scene.make(scene.state.selectingNextMatch())
        #expect(scene.notation == "[ink|] [ink|]")
        scene.select(Selection(caret: 1))
        #expect(scene.state.selectingNextMatch() == nil, "a word needs the view")
    }
}
