import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

/// Commands apply to all ranges of the selection, in one transaction and one undo step.
@Suite(.timeLimit(.minutes(5))) struct SeveralRangesTests {
    @Test(arguments: [
        RangesCase("a|b c|d", .insertNewline, to: "a\n|b c\n|d"),
        RangesCase("[ab|] [cd|]", .insertTab, to: "\t| \t|"),
        RangesCase("ab| cd|", .deleteBackward, to: "a| c|"),
        RangesCase("|ab cd|", .deleteBackward, to: "|ab c|"),
        RangesCase("a|b|c", .deleteBackward, to: "|c"),
        RangesCase("[a|]b[c|]", .deleteBackward, to: "|b|"),
        RangesCase("|ab |cd", .deleteForward, to: "|b |d"),
        RangesCase("one t|wo, three f|our", .deleteWordBackward, to: "one |wo, three |our"),
        RangesCase("wo|r|d x", .deleteWordForward, to: "wo| x"),
        RangesCase("a|b\nc|d", .deleteToEndOfParagraph, to: "a|\nc|"),
        RangesCase("a|b c|d", .moveRight, to: "ab| cd|"),
        RangesCase("a|b\nc|d", .moveToEndOfLine, to: "ab|\ncd|"),
        RangesCase("a|b c|d", .selectWord, to: "[ab|] [cd|]"),
        RangesCase("ab|cd ef|gh", .transpose, to: "acb|d egf|h"),
        RangesCase("|ab c|d", .uppercaseWord, to: "AB| cD|"),
        // Overlapping edits are applied once: the second transposition is omitted, overlapping words are merged.
        RangesCase("a|b|cdefgh", .transpose, to: "ba|cdefgh"),
        RangesCase("abc|d|", .transpose, to: "abdc|"),
        RangesCase("one| two| three", .transposeWords, to: "two one| three"),
        RangesCase("a|bc|defgh", .uppercaseWord, to: "aBCDEFGH|"),
        RangesCase("A|B|CD EF|G", .lowercaseWord, to: "Abcd| EFg|"),
        RangesCase("|on|e two", .capitalizeWord, to: "One| two"),
        RangesCase("|abc[ def|] gh", .uppercaseWord, to: "ABC| DEF| gh"),
        RangesCase("|abc d[ef gh|] i|j", .uppercaseWord, to: "ABC| dEF GH| iJ|"),
        RangesCase("[abc|] x [|de]", .uppercaseWord, to: "[ABC|] x [|DE]"),
        RangesCase("[a|]\nb\n[c|]", .indent, to: "[\ta|]\nb\n[\tc|]"),
        RangesCase("\ta|b\n\tc|d", .outdent, to: "a|b\nc|d"),
        RangesCase("a|b c|d", .cancelOperation, to: "ab c|d"),
    ])
    func eachRangeIsEdited(_ test: RangesCase) {
        let scene = EditingScene(test.before)
        var received = 0
        let observation = scene.store.observeTransactions { _ in received += 1 }
        #expect(scene.perform(test.commands[0]) == test.after)
        #expect(received <= 1)
        if received == 1 { #expect(scene.perform(.undo) == test.before) }
        withExtendedLifetime(observation) {}
    }

    @Test func typedTextGoesToEachRangeAsOneStep() {
        let scene = EditingScene("a|b [cd|] e|")
        for letter in ["x", "y"] { scene.make(scene.state.inserting(letter)) }
        #expect(scene.notation == "axy|b xy| exy|")
        scene.make(scene.state.pasting("<\r\n>"))
        #expect(scene.notation == "axy<\n>|b xy<\n>| exy<\n>|")
        #expect(scene.perform(.undo) == "axy|b xy| exy|")
        #expect(scene.perform(.undo) == "a|b [cd|] e|")
        #expect(scene.perform(.redo) == "axy|b xy| exy|")
    }

    /// Typing and deleting merge into undo steps as with one caret, even if carets are adjacent or merge.
    @Test(arguments: [
        RangesCase("a|b|c", .deleteBackward, .deleteBackward, to: "|c"),
        RangesCase("ab|cd|", .deleteBackward, .deleteBackward, to: "|"),
        RangesCase("|ab ab|", .deleteBackward, .deleteBackward, to: "|ab |"),
        RangesCase("|abc |def", .deleteForward, .deleteForward, to: "|c |f"),
    ])
    func deletionsAtSeveralCaretsAreOneStep(_ test: RangesCase) {
        let scene = EditingScene(test.before)
        for command in test.commands { scene.perform(command) }
        #expect(scene.notation == test.after)
        #expect(scene.perform(.undo) == test.before && !scene.store.canUndo)
    }

    @Test func eachWordAtSeveralCaretsIsAStepAndAnotherPlaceBeginsOne() {
        let scene = EditingScene("[a|][b|] c|")
        for letter in ["x", " ", "y", "z"] { scene.make(scene.state.inserting(letter)) }
        #expect(scene.notation == "x yz|x yz| cx yz|")
        #expect(scene.perform(.undo) == "x |x | cx |")
        #expect(scene.perform(.redo) == "x yz|x yz| cx yz|")
        // The same carets without one of them.
        scene.select(EditingScene.read("x yz|x yz| cx yz").selection)
        scene.make(scene.state.inserting("!"))
        #expect(scene.perform(.undo) == "x yz|x yz| cx yz")
    }

    /// Covers INT 76 of the checklist for interaction.
    @Test func aCommitGoesToEachRange() {
        let scene = EditingScene("a|b [cd|]")
        for text in ["に", "にほ"] {
            scene.make(scene.state.marking(InputText(text), over: .composed, selected: .notFound))
            #expect(scene.state.string(in: scene.state.textRange) == "ab " + text)
        }
        guard let marked = scene.state.markedText?.range else { return #expect(Bool(false), "nothing is marked") }
        scene.make(scene.state.ending(.committing("日本", over: marked)))
        #expect(scene.notation == "a日本|b 日本|")
        #expect(scene.perform(.undo) == "a|b [cd|]")
    }

    @Test func textCutOffAtSeveralCaretsIsKeptLineByLine() {
        let scene = EditingScene("one| x two| y")
        scene.perform(.deleteWordBackward)
        #expect(scene.notation == "| x | y" && scene.killBuffer.text == "one\ntwo")
        // As many killed lines as carets: each caret gets one.
        #expect(scene.perform(.yank) == "one| x two| y")
    }

    /// Text killed from two carets is kept once; a selected range and the text killed from a caret beside it are
    /// kept together.
    @Test(arguments: [
        RangesCase("ab|cd|efgh", .deleteToEndOfParagraph, .yank, to: "abcdefgh|"),
        RangesCase("one t|w|o", .deleteWordBackward, .yank, to: "one tw|o"),
        RangesCase("a|bc\n[de|]f", .deleteToEndOfParagraph, .yank, to: "abc|\nde|f"),
        RangesCase("|ab[c d|] e", .deleteWordForward, .yank, to: "abc d| e"),
        RangesCase("a[b|]c|d", .deleteWordBackward, to: "a|d"),
    ])
    func cutOffTextIsKeptOnce(_ test: RangesCase) {
        let scene = EditingScene(test.before)
        for command in test.commands { scene.perform(command) }
        #expect(scene.notation == test.after)
    }

    @Test func overwritingReplacesBehindEachCaret() {
        let scene = EditingScene("|abc |def")
        scene.perform(.toggleOverwriteMode)
        scene.make(scene.state.inserting("x"))
        #expect(scene.notation == "x|bc x|ef")
    }
}
