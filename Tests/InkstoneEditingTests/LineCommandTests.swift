import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneText
import InkstoneUnicode
import Testing

/// Commands on whole lines: results, several carets, and undo.
@Suite(.timeLimit(.minutes(5))) struct LineCommandTests {
    @Test(arguments: [
        RangesCase("a\nb|\nc\n", .moveLinesUp, to: "b|\na\nc\n"),
        RangesCase("a\nb|\nc\n", .moveLinesDown, to: "a\nc\nb|\n"),
        // The last line has no line end, before and after the move.
        RangesCase("a\nb|", .moveLinesUp, to: "b|\na"), RangesCase("a|\nb", .moveLinesDown, to: "b\na|"),
        RangesCase("a\n\nb|", .moveLinesUp, .moveLinesUp, to: "b|\na\n"),
        RangesCase("a|\n", .moveLinesDown, to: "\na|"),
        RangesCase("a\r\nb|", .moveLinesUp, to: "b|\r\na"), RangesCase("|a\r\nb", .moveLinesDown, to: "b\r\n|a"),
        RangesCase("a\nb\r\nc|", .moveLinesUp, to: "a\nc|\r\nb"),
        // At the first or last line nothing happens.
        RangesCase("a|\nb", .moveLinesUp, to: "a|\nb"), RangesCase("a\nb|", .moveLinesDown, to: "a\nb|"),
        RangesCase("|", .moveLinesUp, .moveLinesDown, .deleteLines, .joinLines, .sortLines, to: "|"),
        // A selection moves with its lines; a line at whose start it only ends does not move.
        RangesCase("x\n[a\nb\n|]c\n", .moveLinesUp, to: "[a\nb\n|]x\nc\n"),
        RangesCase("[a\nb\n|]c\nd", .moveLinesDown, to: "c\n[a\nb\n|]d"),
        RangesCase("[a\n|]b", .moveLinesDown, to: "b\n[a|]"),
        RangesCase("x\n[|a\nb]\n", .moveLinesUp, to: "[|a\nb]\nx\n"),
        // Adjacent lines with carets move as a block, others separately; one at the edge stays.
        RangesCase("x\na|\nb|\ny", .moveLinesUp, to: "a|\nb|\nx\ny"),
        RangesCase("1\na|\n2\nb|", .moveLinesUp, to: "a|\n1\nb|\n2"),
        RangesCase("a|\n1\nb|\n2", .moveLinesDown, to: "1\na|\n2\nb|"),
        RangesCase("a|\n1\nb|", .moveLinesUp, to: "a|\nb|\n1"),
        RangesCase("אב|\nabc\n", .moveLinesDown, to: "abc\nאב|\n"),
        RangesCase("a|b\nc", .duplicateLines, to: "ab\na|b\nc"), RangesCase("a\nb|", .duplicateLines, to: "a\nb\nb|"),
        RangesCase("|ab", .duplicateLines, to: "ab\n|ab"), RangesCase("a\r\nb|", .duplicateLines, to: "a\r\nb\r\nb|"),
        RangesCase("[a\nb|]\nc", .duplicateLines, to: "a\nb\n[a\nb|]\nc"),
        RangesCase("a|\nb\nc|", .duplicateLines, to: "a\na|\nb\nc\nc|"),
        RangesCase("a\nbb|b\nccc\n", .deleteLines, to: "a\ncc|c\n"), RangesCase("a\nb|", .deleteLines, to: "a|"),
        RangesCase("a\r\nb|", .deleteLines, to: "a|"), RangesCase("[a\nb|]", .deleteLines, to: "|"),
        RangesCase("a|\nb\nc|\nd", .deleteLines, to: "b|\nd|"),
        RangesCase("abc|\ne\u{301}x", .deleteLines, to: "e\u{301}x|"),
        RangesCase("abcd\nab|\ne\u{301}", .deleteLines, to: "abcd\ne\u{301}|"),
        RangesCase("ab\rc|d\n\nx", .deleteLines, to: "ab\r\n|\nx"),
        RangesCase("a\rb|\nc|\n\nd", .deleteLines, to: "a\r\n|\nd"),
        // The line end is followed by a surrogate pair, which must not be split.
        RangesCase("a\rx|\n😀b", .deleteLines, to: "a\r|😀b"),
        RangesCase("\rb|\n\rc|\n\n", .deleteLines, to: "\r|\r\n|\n"),
        RangesCase("a|\nb", .joinLines, to: "a |b"), RangesCase("a  |\r\n\t b\r\nc", .joinLines, to: "a |b\r\nc"),
        RangesCase("[a\nb\nc|]\nd", .joinLines, to: "[a b c|]\nd"),
        RangesCase("a|\n\nb", .joinLines, .joinLines, to: "a |b"),
        RangesCase("[foo\n\nbar|]", .joinLines, to: "[foo bar|]"),
        RangesCase("[foo\n  \n\nbar|]\nx", .joinLines, to: "[foo bar|]\nx"),
        // Moving the line would join a CR and an LF into one line end, so nothing happens.
        RangesCase("a\rb\n|\n", .moveLinesUp, to: "a\rb\n|\n"),
        RangesCase("日本|\n語です", .joinLines, to: "日本|語です"), RangesCase("ไทย|\nไทย", .joinLines, to: "ไทย|ไทย"),
        RangesCase("한국|\n어", .joinLines, to: "한국 |어"), RangesCase("日本|\nabc", .joinLines, to: "日本 |abc"),
        RangesCase("a|\nb\nc|\nd", .joinLines, to: "a |b\nc |d"), RangesCase("a\nb|", .joinLines, to: "a\nb|"),
        RangesCase("[c\na\nb|]", .sortLines, to: "[a\nb\nc|]"),
        RangesCase("x\n[b\r\na\r\n|]c", .sortLines, to: "x\n[a\r\nb|]\r\nc"),
        RangesCase("[b\na|]\nx\n[d\nc|]", .sortLines, to: "[a\nb|]\nx\n[c\nd|]"),
        RangesCase("b|\na", .sortLines, to: "b|\na"),
        // The copy's CR and the following LF would be one line end.
        RangesCase("x\n[\na|]\ry", .duplicateLines, to: "x\n\na\r\n[\na|]\ry"),
    ])
    func linesAreEdited(_ test: RangesCase) {
        let scene = EditingScene(test.before)
        for command in test.commands { scene.perform(command) }
        #expect(scene.notation == test.after)
        let changed = EditingScene.read(test.before).text != EditingScene.read(test.after).text
        #expect(scene.store.canUndo == changed)
        // Undo takes one step, and restores the selection.
        if changed, test.commands.count == 1 {
            scene.perform(.undo)
            #expect(scene.notation == test.before && !scene.store.canUndo)
        }
    }

    @Test func linesAreSortedAsInTheLanguage() {
        let scene = EditingScene("[Zug\nÄpfel\nApfel\nzu\nÅ|]")
        scene.make(scene.state.sortingLines(by: TextCollator(locale: "de")))
        #expect(scene.notation == "[Å\nApfel\nÄpfel\nzu\nZug|]")
        scene.make(scene.state.sortingLines(by: TextCollator(locale: "sv")))
        #expect(scene.notation == "[Apfel\nzu\nZug\nÅ\nÄpfel|]")
    }

    /// Moved lines keep their attributes and invalid bytes.
    @Test func linesKeepAttributesAndInvalidBytes() {
        let scene = EditingScene("|")
        scene.store.replace(0..<0 as Range<ByteOffset>, with: Rope(bytes: [0x61, 0xff, 0x0a, 0xfe]))
        scene.select(Selection(caret: 0))
        scene.perform(.moveLinesDown)
        #expect(scene.store.text.bytes(in: scene.store.text.byteRange) == [0xfe, 0x0a, 0x61, 0xff])
        scene.perform(.duplicateLines, .moveLinesUp)
        #expect(
            scene.store.text.bytes(in: scene.store.text.byteRange) == [0xfe, 0x0a, 0x61, 0xff, 0x0a, 0x61, 0xff])
    }

    @Test func linesAreLeftAloneWhereTheyMayNotBeEdited() {
        let commands: [EditCommand] = [
            .moveLinesUp, .moveLinesDown, .duplicateLines, .deleteLines, .joinLines, .sortLines,
        ]
        let scene = EditingScene("x\n[b\na|]\nc\nd|\ne")
        #expect(commands.allSatisfy(scene.state.canPerform))
        scene.options.isEditable = false
        for command in commands {
            #expect(!scene.state.canPerform(command), "\(command)")
            scene.make(scene.state.outcome(of: command, in: scene.geometry)?.transaction)
        }
        #expect(scene.notation == "x\n[b\na|]\nc\nd|\ne")
        let field = EditingScene("a|b")
        field.options.isSingleLine = true
        for command in commands where command != .deleteLines {
            #expect(!field.state.canPerform(command), "\(command)")
        }
        // In a text of maximum length, lines can be sorted but not added.
        let full = EditingScene("a\nb|")
        full.options.maximumLength = 2
        full.perform(.moveLinesUp, .duplicateLines)
        #expect(full.notation == "b|\na")
        let only = EditingScene("a|")
        for command in [EditCommand.moveLinesUp, .moveLinesDown, .joinLines, .sortLines] {
            #expect(!only.state.canPerform(command), "\(command)")
        }
    }

    /// Random lines, carets and commands: moving and sorting neither lose nor change lines, and undo restores
    /// everything.
    @Test func ordersKeepAllLines() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = Seeded(state: seed)
        for _ in 0..<300 {
            let ends = ["\n", "\r\n"]
            let texts = ["", "a", "bc", "  d", "שלום", "日本", "e\u{301}"]
            var text = ""
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                text += (texts.randomElement(using: &random) ?? "") + (ends.randomElement(using: &random) ?? "")
            }
            if Bool.random(using: &random) { text += "last" }
            let scene = EditingScene(text)
            let ranges = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                SelectionRange(
                    anchor: scene.store.text.roundedDown(
                        toGrapheme: UTF16Offset(Int.random(in: 0...text.utf16.count, using: &random))),
                    head: scene.store.text.roundedDown(
                        toGrapheme: UTF16Offset(Int.random(in: 0...text.utf16.count, using: &random))))
            }
            scene.select(Selection(ranges))
            let before = scene.notation
            func lines() -> [String] {
                let text = scene.store.text
                return (0..<text.paragraphCount).map { text.string(in: text.contentRange(of: ParagraphIndex($0))) }
                    .sorted()
            }
            let old = lines()
            let command =
                [EditCommand.moveLinesUp, .moveLinesDown, .sortLines].randomElement(using: &random) ?? .sortLines
            scene.perform(command)
            #expect(
                lines() == old,
                "\(command) of \(before.debugDescription) gives \(scene.notation.debugDescription), seed \(seed)")
            if scene.store.canUndo {
                scene.perform(.undo)
                #expect(scene.notation == before, "\(command), seed \(seed)")
            }
        }
    }

    private struct Seeded: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    @Test func sortingCanBeGivenUp() {
        let scene = EditingScene("[c\nb\na|]")
        var count = 0
        let given = scene.state.sortingLines(by: TextCollator()) {
            count += 1
            return count > 1
        }
        #expect(given == nil && count == 2 && scene.state.sortingLines(by: TextCollator()) != nil)
    }
}
