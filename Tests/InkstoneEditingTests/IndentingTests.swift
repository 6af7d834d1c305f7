import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

/// Shift+Return, Tab over several lines, Return with indentation, and Backspace.
@Suite(.timeLimit(.minutes(5))) struct IndentingTests {
    @Test func aLineBreakOfPlainTextIsItsNewline() {
        let scene = EditingScene("a|b")
        #expect(scene.perform(.insertLineBreak) == "a\n|b")
        scene.change(.newline("\r\n"))
        #expect(scene.perform(.insertLineBreak) == "a\n\r\n|b")
        scene.options.insertsLineSeparators = true
        #expect(scene.perform(.insertLineBreak) == "a\n\r\n\u{2028}|b")
    }

    /// A CR before an existing LF would be one line end, so the key would add no line.
    @Test(arguments: [
        ("\r", "a|\nb", "a\r\n|\nb"), ("\n", "a\r|b", "a\r\r\n|b"), ("\n", "a\r[x|]\nb", "a\r\r\n|\nb"),
        ("\r", "a\r[x|]\nb", "a\r\r\n|\nb"),
    ]) func returnMakesALineBesideALineEndOfAnotherKind(_ newline: String, _ before: String, _ after: String) {
        for indents in [false, true] {
            let scene = EditingScene(before)
            scene.change(.newline(newline))
            scene.options.keepsIndentation = indents
            let lines = scene.state.text.paragraphCount
            #expect(scene.perform(.insertNewline) == after)
            #expect(scene.state.text.paragraphCount == lines + 1)
        }
    }

    @Test(arguments: [
        RangesCase("[one\ntwo|]\nx", .insertTab, to: "[\tone\n\ttwo|]\nx"),
        RangesCase("[one\ntwo\n|]x", .insertTab, .insertTab, to: "[\t\tone\n\t\ttwo\n|]x"),
        RangesCase("[one\ntwo|]", .insertTab, .insertBacktab, to: "[one\ntwo|]"),
        RangesCase("[|one\n\ntwo]", .insertTab, to: "[|\tone\n\n\ttwo]"),
        RangesCase("[a\nb|]\n[c\nd|]", .insertTab, to: "[\ta\n\tb|]\n[\tc\n\td|]"),
        // A selection within one line is replaced by the tab.
        RangesCase("a[b|]c", .insertTab, to: "a\t|c"), RangesCase("a|", .insertTab, to: "a\t|"),
    ])
    func tabIndentsWhatHasSeveralLines(_ test: RangesCase) {
        let scene = EditingScene(test.before)
        for command in test.commands { scene.perform(command) }
        #expect(scene.notation == test.after)
        for _ in test.commands { scene.perform(.undo) }
        #expect(scene.notation == test.before)
    }

    @Test(arguments: [
        RangesCase("  a|", .insertNewline, to: "  a\n  |"), RangesCase("\t a|b", .insertLineBreak, to: "\t a\n\t |b"),
        RangesCase("　日本|", .insertNewline, to: "　日本\n　|"), RangesCase("a|", .insertNewline, to: "a\n|"),
        // The spaces of an otherwise empty line move to the new line.
        RangesCase("  a|", .insertNewline, .insertNewline, to: "  a\n\n  |"),
        RangesCase("  |a", .insertNewline, to: "\n  |a"),
        RangesCase("|  a", .insertNewline, to: "\n|  a"), RangesCase(" | a", .insertNewline, to: "\n | a"),
        RangesCase("  a|\n\tb|", .insertNewline, to: "  a\n  |\n\tb\n\t|"),
        RangesCase("  [a\n  b|]c", .insertNewline, to: "\n  |c"),
        RangesCase("  a[b|]", .insertNewline, to: "  a\n  |"),
    ])
    func returnKeepsTheIndentation(_ test: RangesCase) {
        let scene = EditingScene(test.before)
        scene.options.keepsIndentation = true
        for command in test.commands { scene.perform(command) }
        #expect(scene.notation == test.after)
        for _ in test.commands { scene.perform(.undo) }
        #expect(scene.notation == test.before)
        let plain = EditingScene("  a|")
        #expect(plain.perform(.insertNewline) == "  a\n|")
    }

    @Test func indentationOfABlankLineWithoutEndIsBounded() {
        let scene = EditingScene(String(repeating: " ", count: 100_000) + "|")
        scene.options.keepsIndentation = true
        scene.perform(.insertNewline)
        #expect(scene.store.text.metrics.utf16 == 101_001)
    }

    @Test(arguments: [
        RangesCase("น้ำ|", .deleteBackward, to: "น้|"),
        RangesCase("e\u{301}| 👩‍👩‍👧|", .deleteBackward, to: "| |"),
        RangesCase("น้ำ| \u{5d1}\u{5b8}\u{5bc}| 한|", .deleteBackward, to: "น้| \u{5d1}\u{5b8}| |"),
        RangesCase("|น้ำ", .deleteForward, to: "|"), RangesCase("[น้ำ|]x", .deleteBackward, to: "|x"),
    ])
    func backspaceTakesWhatWasTypedLast(_ test: RangesCase) {
        let scene = EditingScene(test.before)
        for command in test.commands { scene.perform(command) }
        #expect(Array(scene.notation.unicodeScalars) == Array(test.after.unicodeScalars))
    }

    @Test func backspaceOfAFieldTakesWhatWasTypedLast() {
        let field = EditableText("नी")
        field.session.deleteBackward()
        #expect(field.string == "न")
        let view = ReferenceTextView("น้ำ", isSingleLine: true)
        view.deleteBackward()
        #expect(view.content.string == "น้")
        // Backspace in marked text deletes the last scalar too.
        let marked = EditableText("ก")
        marked.session.mark("น้ำ", selected: UTF16Range(location: 3, length: 0))
        marked.session.deleteBackward()
        #expect(marked.string == "กน้" && marked.marked == 1..<3)
    }

    // MARK: Columns

    @Test(arguments: [
        RangesCase("ab|cd\nabcd\nabcd", .selectColumnDown, .selectColumnDown, to: "ab|cd\nab|cd\nab|cd"),
        RangesCase("ab|cd\nabcd", .selectColumnDown, .selectColumnRight, to: "ab[c|]d\nab[c|]d"),
        RangesCase("ab|cd\nabcd", .selectColumnRight, .selectColumnRight, .selectColumnDown, to: "ab[cd|]\nab[cd|]"),
        RangesCase("ab|cd\nabcd", .selectColumnDown, .selectColumnLeft, to: "a[|b]cd\na[|b]cd"),
        RangesCase("ab|cd\nabcd", .selectColumnDown, .selectColumnUp, to: "ab|cd\nabcd"),
        // A line that is too short is skipped.
        RangesCase("abc|d\n\nabcd", .selectColumnDown, to: "abc|d\n\nabc|d"),
        RangesCase("a|\nb", .selectColumnUp, to: "a|\nb"),
    ])
    func columnsAreSelectedByKeys(_ test: RangesCase) {
        let scene = EditingScene(test.before)
        for command in test.commands { scene.perform(command) }
        #expect(scene.notation == test.after)
        #expect(!scene.store.canUndo)
    }

    /// After the end of a short line, the column continues to the right for longer lines.
    @Test func aColumnReachesPastTheEndOfItsLine() {
        let scene = EditingScene("abcdefgh\na|")
        scene.perform(.selectColumnUp)
        #expect(scene.notation == "a|bcdefgh\na|")
        let down = EditingScene("a|bcdefgh\nab")
        down.perform(.selectColumnDown)
        for _ in 0..<60 { down.perform(.selectColumnRight) }
        #expect(down.notation == "a[bcdefgh|]\na[b|]")
    }
}
