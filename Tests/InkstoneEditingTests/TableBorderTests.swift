import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

/// Commands and typing that keep the borders of table cells.
extension TableEditingTests {
    // MARK: Overwriting

    @Test(arguments: [
        (":a¦b/:|1¦2/x", "!a¦b/:XYZ|¦2/x"),
        (":a¦b/:1|234¦2/x", "!a¦b/:1XYZ|¦2/x"),
        (":a¦b/:1¦|2/x", "!a¦b/:1¦XYZ|/x"),
        (":a¦b/:|¦2/x", "!a¦b/:XYZ|¦2/x"),
        (":a¦b/:|1¦2/x|y", "!a¦b/:XYZ|¦2/xXYZ|"),
        (":a¦b¦c/:|1¦|2¦3/x", "!a¦b¦c/:XYZ|¦XYZ|¦3/x"),
        ("p|q\tr/:a¦b", "pXYZ|/!a¦b"),
    ])
    func overwritingEndsAtTheEndOfTheCell(notation: String, result: String) {
        let typed = scene(notation)
        typed.change(.overwriting(true))
        typed.make(typed.state.inserting("XYZ"))
        #expect(shown(typed) == result)
        let composed = scene(notation)
        composed.change(.overwriting(true))
        composed.make(composed.state.beginningComposition())
        composed.make(composed.state.marking(InputText("xyz"), over: .selection, selected: .notFound))
        composed.make(composed.state.ending(.committing("XYZ", over: composed.state.markedText?.range ?? 0..<0)))
        #expect(shown(composed) == result)
    }

    // MARK: Indenting

    @Test(arguments: [
        ("p/:a¦b/:¦|2/:3¦4/x", EditCommand.outdent, "p/!a¦b/:¦|2/:3¦4/x"),
        ("p/:a¦b/:|1¦2/:3¦4/x", .indent, "p/!a¦b/:|1¦2/:3¦4/x"),
        ("[p/:a¦b/:¦2/x|]", .indent, "[\u{9}p/!a¦b/:¦2/\u{9}x|]"),
        ("[p/:a¦b/:¦2/x|]", .insertTab, "[\u{9}p/!a¦b/:¦2/\u{9}x|]"),
        ("\u{9}[p/:a¦b/:¦|]2/x", .insertBacktab, "[p/!a¦b/:¦|]2/x"),
        (":a¦b/:[¦2/\u{9}x|]", .insertBacktab, "!a¦b/:[¦2/x|]"),
        ("p|/:a¦b/:¦|2/x", .insertTab, "p\u{9}|/!a¦b/:¦2/:|¦/x"),
        (":a¦b/:|1¦|2/x", .insertTab, "!a¦b/:1¦|2/:|¦/x"),
        (":a|¦b/:1¦|2/x", .insertTab, "!a¦|b/:1¦2/:|¦/x"),
        (":a¦|b/:1¦|2/\u{9}x|", .insertBacktab, "!|a¦b/:|1¦2/x|"),
    ])
    func indentingLeavesRowsAlone(notation: String, command: EditCommand, result: String) {
        let scene = scene(notation)
        scene.perform(command)
        #expect(shown(scene).replacing("¦", with: "\u{9}") == result.replacing("¦", with: "\u{9}"))
    }

    // MARK: Transposing

    @Test(arguments: [
        (":a¦b/:1|¦2/x", EditCommand.transpose, "!a¦b/:1|¦2/x"),
        (":a¦b/:1¦|2/x", .transpose, "!a¦b/:1¦|2/x"),
        (":a¦b/:1¦2|/x", .transpose, "!a¦b/:1¦2|/x"),
        (":a¦b/:12|¦3/x", .transpose, "!a¦b/:21|¦3/x"),
        (":a¦b/:1¦23|/x", .transpose, "!a¦b/:1¦32|/x"),
        ("one two|/:a¦b/x", .transposeWords, "two one|/!a¦b/x"),
        ("one|/:a¦b/x", .transposeWords, "one|/!a¦b/x"),
        (":a¦b|/one two/x", .transposeWords, "!a¦b|/one two/x"),
        (":a¦b/|one two/x", .transposeWords, "!a¦b/|one two/x"),
        (":a|¦b/:c¦d/x", .transposeWords, "!a|¦b/:c¦d/x"),
        (":a¦b|/:c¦d/x", .transposeWords, "!a¦b|/:c¦d/x"),
        (":one two|¦b/:c¦d/x", .transposeWords, "!two one|¦b/:c¦d/x"),
        (":a¦|b/:c¦d/x", .transposeWords, "!a¦|b/:c¦d/x"),
        (":a¦b/:¦/|x", .transposeWords, "!a¦b/:¦/|x"),
    ])
    func transposingStaysInTheCell(notation: String, command: EditCommand, result: String) {
        #expect(after(notation, command) == result)
    }

    // MARK: Case

    @Test(arguments: [
        ("p|/:a¦b/:c¦d/x", "p/!A|¦b/:c¦d/x"),
        (":a|¦b/:c¦d/x", "!a¦B|/:c¦d/x"),
        ("[p/:a¦b/:c¦d/x|]", "[P/!A¦B/:C¦D/X|]"),
        (":a¦b/:c¦d|/x", "!a¦b/:c¦d/X|"),
    ])
    func changesOfCaseKeepTheTable(notation: String, result: String) {
        #expect(after(notation, .uppercaseWord) == result)
    }

    // MARK: Deleting

    @Test(arguments: [
        (":a¦|b/:c¦d/x", EditCommand.deleteBackwardByDecomposingPreviousCharacter, "!a¦|b/:c¦d/x"),
        (":a¦b/:|c¦d/x", .deleteBackwardByDecomposingPreviousCharacter, "!a¦b/:|c¦d/x"),
        (":a¦b/:[c¦d|]/x", .deleteBackwardByDecomposingPreviousCharacter, "!a¦b/:|¦/x"),
        (":a|¦b/:c¦d/x", .deleteWordForward, "!a|¦b/:c¦d/x"),
        (":a¦|b/:c¦d/x", .deleteWordBackward, "!a¦|b/:c¦d/x"),
        (":a¦b|/:c¦d/x", .deleteToEndOfParagraph, "!a¦b|/:c¦d/x"),
    ])
    func deletionsKeepBorders(notation: String, command: EditCommand, result: String) {
        #expect(after(notation, command) == result)
    }

    @Test func deletionsBesideMarkedTextKeepBorders() {
        let scene = scene(":a¦|b/:c¦d/x")
        scene.make(scene.state.beginningComposition())
        scene.make(
            scene.state.marking(InputText("k"), over: .selection, selected: UTF16Range(location: 0, length: 0)))
        scene.make(scene.state.deletingBackward())
        #expect(shown(scene) == "!a¦|kb/:c¦d/x")
    }

    // MARK: Duplicating

    @Test(arguments: [
        (":a¦b/:c|¦d/x", "!a¦b/:c¦d/:c|¦d/x"),
        (":a|¦b/:c¦d/x", "!a¦b/:a|¦b/:c¦d/x"),
        ("p/:a¦b/:[c¦d/x|]", "p/!a¦b/:c¦d/x/!a¦b/:[c¦d/x|]"),
        ("[p/:a|]¦b/:c¦d/x", "p/!a¦b/:c¦d/[p/!a|]¦b/:c¦d/x"),
    ])
    func duplicatedLinesDoNotCutTables(notation: String, result: String) {
        #expect(after(notation, .duplicateLines) == result)
    }

    // MARK: Rows and columns

    @Test(arguments: [
        (TableChange.deleteRow, ":|a¦b/:c¦d/:e|¦f/x", "!|c¦d/x"),
        (.deleteRow, ":a¦b/:|c¦d/:e¦f/:g¦|h/x", "!a¦b/:|e¦f/x"),
        (.deleteRow, ":a¦b/:|c¦d/:e¦f/:g¦|h", "!a¦b/:|e¦f"),
        (.deleteRow, ":|a¦b/:|c¦d/x", "|x"),
        (.deleteColumn, ":|a¦b¦|c/:d¦e¦f/x", "!|b/:e/x"),
        (.deleteColumn, ":a¦|b¦c¦|d/:e¦f¦g¦h/x", "!a¦|c/:e¦g/x"),
        (.deleteColumn, ":a¦|b¦c¦|d/:e¦f¦g¦h", "!a¦|c/:e¦g/"),
        (.deleteColumn, ":|a¦b¦|c¦d/:e¦f/:g/x", "!b¦|d/:f/:/x"),
    ])
    func onlySelectedRowsAndColumnsAreDeleted(change: TableChange, notation: String, result: String) {
        #expect(after(notation, change) == result)
    }

    // MARK: Several selected ranges

    @Test(arguments: [
        ("wo|rd/:a¦b/:[111¦2|]22/x", "woX|rd/!a¦b/:X|¦22/x"),
        ("wo|rd/:a¦b/:[111¦2|]22/[x|]y", "woX|rd/!a¦b/:X|¦22/X|y"),
        (":a¦b/:[111¦2|]2|2/x", "!a¦b/:X|¦2X|2/x"),
        ("wo|rd/p[q/:a|]b¦c/x", "woX|rd/pX|/!b¦c/x"),
        (":a¦b¦c/:[1¦2|]¦3/:[4¦5|]¦6/x", "!a¦b¦c/:X|¦¦3/:X|¦¦6/x"),
        ("p[q/:a|]b¦c/:[4¦5|]¦6/x", "pX|/!b¦c/:X|¦¦6/x"),
    ])
    func typingOverEachRangeKeepsBorders(notation: String, result: String) {
        let typed = scene(notation)
        typed.make(typed.state.inserting("X"))
        #expect(shown(typed) == result)
        typed.store.undo()
        #expect(typed.store.text == self.scene(notation).store.text)
        let ranges = scene(notation).state.selection?.ranges ?? []
        for primary in ranges.indices {
            let composed = scene(notation)
            composed.select(Selection(ranges, primary: primary))
            composed.make(composed.state.beginningComposition())
            composed.make(composed.state.marking(InputText("x"), over: .selection, selected: .notFound))
            composed.make(composed.state.ending(.committing("X", over: composed.state.markedText?.range ?? 0..<0)))
            #expect(shown(composed) == result, "\(primary)")
            composed.store.undo()
            #expect(composed.store.text == self.scene(notation).store.text)
        }
    }

    @Test(arguments: [
        ("wo|rd/:a¦b/:[111¦2|]22/x", EditCommand.deleteBackward, "w|rd/!a¦b/:|¦22/x"),
        ("wo|rd/:a¦b/:[111¦2|]22/x", .deleteForward, "wo|d/!a¦b/:|¦22/x"),
        ("wo|rd/:a¦b/:[111¦2|]22/x", .cut, "wo|rd/!a¦b/:|¦22/x"),
        (":a¦b/:[111¦2|]22/x|y", .deleteWordBackward, "!a¦b/:|¦22/|y"),
        ("wo|rd/:a¦b/:[111¦2|]2¦|2/x", .deleteBackward, "w|rd/!a¦b/:|¦2¦|2/x"),
        (":a¦b/:[111¦2|]22/:[3¦4|]/x", .deleteForward, "!a¦b/:|¦22/:|¦/x"),
    ])
    func deletingEachRangeKeepsBorders(notation: String, command: EditCommand, result: String) {
        #expect(after(notation, command) == result)
    }

    @Test(arguments: [EditCommand.uppercaseWord, .capitalizeWord, .transposeWords, .transpose])
    func wordsOfOneLetterKeepTheirStyles(command: EditCommand) {
        for selection in [Selection(anchor: 2, head: 5), Selection(caret: 3)] {
            let scene = EditingScene("a x y b")
            scene.store.restyle {
                $0.set([.code], of: InlinePresentationIntentAttribute.self, in: 2..<3)
                $0.set("http://a.org", of: LinkAttribute.self, in: 4..<5)
            }
            scene.select(selection)
            scene.perform(command)
            let styled = scene.store.styledText
            var found: [String: [String]] = [:]
            for run in styled.attributes(in: styled.rope.utf16Range) {
                let text = styled.rope.string(in: run.range).lowercased()
                if run.attributes[InlinePresentationIntentAttribute.self] == [.code] {
                    found["code", default: []] += [text]
                }
                if run.attributes[LinkAttribute.self] != nil { found["link", default: []] += [text] }
            }
            #expect(found == ["code": ["x"], "link": ["y"]], "\(scene.notation)")
        }
    }

    @Test func changesOfCaseKeepStyles() {
        let scene = EditingScene("[hea\u{df}d oNe\ntwo, three!|]")
        scene.store.restyle {
            $0.set(PresentationIntent(.header(level: 2), identity: 1), of: PresentationIntentAttribute.self, in: 0..<10)
            $0.set([.emphasized], of: InlinePresentationIntentAttribute.self, in: 15..<18)
        }
        func attributes(from start: UTF16Offset) -> [TextAttributes] {
            (start..<scene.store.text.utf16Range.upperBound).map { scene.store.styledText.attributes(at: $0) }
        }
        let before = attributes(from: 5)
        scene.perform(.uppercaseWord)
        #expect(scene.notation == "[HEASSD ONE\nTWO, THREE!|]")
        #expect(attributes(from: 6) == before)
        scene.perform(.capitalizeWord)
        #expect(scene.notation == "[Heassd One\nTwo, Three!|]")
        #expect(attributes(from: 6) == before)
        scene.perform(.undo, .undo)
        #expect(scene.notation == "[hea\u{df}d oNe\ntwo, three!|]")
    }
}
