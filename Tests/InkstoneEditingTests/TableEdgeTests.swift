import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

/// Replacements of text in several cells of a table, and in a table and the paragraphs beside it.
@Suite(.timeLimit(.minutes(5))) struct TableEdgeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var notation: String
        var result: String
        var testDescription: String { notation }
        init(_ notation: String, _ result: String) { (self.notation, self.result) = (notation, result) }
    }

    private func after(_ notation: String, _ change: (EditingScene) -> Void) -> String {
        let scene = EditingScene(tables: notation)
        change(scene)
        let result = scene.tableNotation
        scene.store.undo(in: scene.state.view)
        #expect(scene.store.text == EditingScene(tables: notation).store.text, "\(notation) is not one step")
        return result
    }

    /// Replace All makes one transaction, which deletes the headers of many tables.
    @Test func aTransactionOfManySectionsLeavesEachTableAHeader() throws {
        let count = 1500
        let scene = EditingScene(
            tables: (0..<count).map { $0.isMultiple(of: 2) ? ":ab/:1¦2" : ";ab/;1¦2" }.joined(separator: "/") + "/x")
        let found = try #require(try TextSearch("ab\n").replacingAll(in: scene.store.text, with: ""))
        #expect(found.count == count)
        var transaction = Transaction(on: scene.store, found.changes)
        transaction.origin = .paste
        transaction.view = scene.state.view
        scene.make(transaction)
        #expect(scene.tableNotation.split(separator: "/").count { $0.hasPrefix("!") } == count)
    }

    /// New text stays in the paragraph at the start of the selection. If that is a row that is selected whole, it stays in
    /// the paragraph at the end.
    @Test(arguments: [
        Case("in[tro/:a|]b¦c/:d¦e/x", "inX|/!b¦c/:d¦e/x"),
        Case("[intro/:|]a¦b/:c¦d/x", "X|/!a¦b/:c¦d/x"),
        Case("[intro/:a|]¦b/:c¦d/x", "X|/!¦b/:c¦d/x"),
        Case("-one/-t[wo/:a¦b|]¦c/:d¦e¦f/x", "-one/-tX|/!¦¦c/:d¦e¦f/x"),
        Case("in[tro/:a¦b|]/:c¦d/x", "inX|/!c¦d/x"),
        Case("[intro/:a¦b|]/:c¦d/x", "X|/!c¦d/x"),
        Case(":a¦b/:1¦2/:[3¦4/aft|]er", "!a¦b/:1¦2/X|er"),
        Case(":[a¦b/:1¦2/|]after", "X|after"),
        Case(":a¦b/:1¦[2/aft|]er", "!a¦b/:1¦X|/er"),
        Case(":a¦b/:1[¦2/after|]/x", "!a¦b/:1X|¦/x"),
        Case(":a¦b/:1¦[2/p/;c|]¦d/;3¦4/x", "!a¦b/:1¦X|/!¦d/:3¦4/x"),
        Case(":a¦b/:[1¦2/;c|]¦d/;3¦4/x", "!a¦b/!X|¦d/:3¦4/x"),
        Case(":a¦b/:[1¦2/;c¦d|]/;3¦4/x", "!a¦b/!X|¦/:3¦4/x"),
        // Within one table.
        Case("p/:[a¦b/:c¦d|]/x", "p/!X|¦/:¦/x"),
        Case(":a¦b/:[c¦d/:|]e¦f/x", "!a¦b/:X|¦/:e¦f/x"),
        Case(":a¦b/:[c¦d/:e¦f/:|]g¦h/x", "!a¦b/:X|¦/:g¦h/x"),
        Case(":[a¦b/:|]c¦d/x", "!X|¦/:c¦d/x"),
        Case(":a¦b/:[1¦2/;|]c¦d/;3¦4/x", "!a¦b/:X|¦/!c¦d/:3¦4/x"),
        // Each of several ranges by itself.
        Case("wo|rd/:a¦b/:[1¦2|]3/x", "woX|rd/!a¦b/:X|¦3/x"),
        Case(":a¦b/:[1¦2|]3/wo|rd", "!a¦b/:X|¦3/woX|rd"),
        Case(":a¦b¦c/:[1¦2|]¦3/:[4¦5|]¦6/x", "!a¦b¦c/:X|¦¦3/:X|¦¦6/x"),
    ])
    func typedComposedAndPastedTextKeepsTables(test: Case) {
        #expect(after(test.notation) { $0.make($0.state.inserting("X")) } == test.result, "typed")
        #expect(after(test.notation) { $0.make($0.state.pasting("X")) } == test.result, "pasted")
        let composed = after(test.notation) { scene in
            scene.make(scene.state.beginningComposition())
            for text in ["k", "か"] {
                scene.make(scene.state.marking(InputText(text), over: .composed, selected: .notFound))
                #expect(scene.state.markedText.map { scene.state.string(in: $0.range) } == text)
            }
            scene.make(scene.state.inserting("X", over: .composed))
        }
        #expect(composed == test.result, "composed")
        guard let selection = EditingScene(tables: test.notation).state.selection, selection.count == 1 else { return }
        let replaced = after(test.notation) { scene in
            scene.make(scene.state.inserting("X", over: .range(selection.range)))
        }
        #expect(replaced == test.result, "replaced by an input method")
    }

    @Test(arguments: [
        Case("in[tro/:a|]b¦c/:d¦e/x", "in|/!b¦c/:d¦e/x"),
        Case("[intro/:|]a¦b/:c¦d/x", "!|a¦b/:c¦d/x"),
        Case("[intro/:a¦b|]/:c¦d/x", "|/!c¦d/x"),
        Case("[intro/:a¦b|]", "|"),
        Case(":a¦b/:1¦2/:[3¦4/aft|]er", "!a¦b/:1¦2/|er"),
        Case(":a¦b/:[1¦2/;c¦d|]/;3¦4/x", "!a¦b/!|3¦4/x"),
        Case(":a¦b/:1¦[2/p/;c¦d|]/;3¦4/x", "!a¦b/:1¦|/!3¦4/x"),
        Case("x/:[a¦b/:c¦d|]/y", "x/|y"),
        Case("wo|rd/:a¦b/:[1¦2|]3/x", "w|rd/!a¦b/:|¦3/x"),
        Case("|word/:a¦b/:[1¦2|]3/x", "|word/!a¦b/:|¦3/x"),
    ])
    func deletionsKeepTables(test: Case) {
        #expect(after(test.notation) { $0.perform(.deleteBackward) } == test.result)
        guard test.notation.count(where: { $0 == "|" }) == 1 else { return }
        for command in [EditCommand.deleteBackwardByDecomposingPreviousCharacter, .cut, .deleteForward] {
            #expect(after(test.notation) { $0.perform(command) } == test.result, "\(command)")
        }
        let killed = after(test.notation) { scene in
            guard let range = scene.state.selection?.primary.range else { return }
            scene.select(Selection(caret: range.lowerBound))
            scene.perform(.setMark)
            scene.select(Selection(caret: range.upperBound))
            scene.perform(.deleteToMark)
        }
        #expect(killed == test.result, "to the mark")
    }

    @Test(arguments: [
        Case("-i one/-i [two/:a¦b¦c/:1¦|]2¦3/x", "-i one/-i /-|/!¦2¦3/x"),
        Case("-i [two/:a¦b¦c/:1¦|]2¦3/x", "-i /-|/!¦2¦3/x"),
        Case(":a¦b¦c/:1¦[2¦3/:4¦|]5¦6/x", "!a¦b¦c/:1¦⏎|¦/:¦5¦6/x"),
        Case(":a¦b¦c/:[1¦2¦3/:4¦|]5¦6/x", "!a¦b¦c/:⏎|¦¦/:¦5¦6/x"),
        Case(":a¦b/:1¦[2/aft|]er", "!a¦b/:1¦⏎|/er"),
        Case(":a¦b/:[1¦2/aft|]er", "!a¦b//|er"),
        Case(":a¦b/:[1¦2/-i|]tem", "!a¦b/-/-|tem"),
        Case("#he[ad/:a|]¦b/:c¦d/x", "#he/|/!¦b/:c¦d/x"),
        Case("in[tro/:a|]¦b/:c¦d/x", "in/|/!¦b/:c¦d/x"),
        Case("[p/:e¦f|]/:g¦h/x", "/|/!g¦h/x"),
        Case("#he[ad/:e¦f|]/:g¦h/x", "#he/|/!g¦h/x"),
        Case(":a¦b/:[c¦d/:|]e¦f/x", "!a¦b/:⏎|¦/:e¦f/x"),
    ])
    func returnKeepsTables(test: Case) {
        #expect(after(test.notation) { $0.perform(.insertNewline) } == test.result)
    }

    @Test func textIsOverwrittenUpToTheEndOfItsCell() {
        for composes in [false, true] {
            let scene = EditingScene(tables: ":a¦b/:|1¦2/x")
            scene.change(.overwriting(true))
            if composes {
                scene.make(scene.state.marking(InputText("k"), over: .composed, selected: .notFound))
                scene.make(scene.state.inserting("XYZ", over: .composed))
            } else {
                scene.make(scene.state.inserting("XYZ"))
            }
            #expect(scene.tableNotation == "!a¦b/:XYZ|¦2/x")
        }
    }

    // MARK: Moving

    @Test(
        arguments: [
            // The paragraph at the place keeps its block.
            ("[word |]para/:a¦b/:1¦2/end", 10, "para/![word |]a¦b/:1¦2/end"),
            ("[word |]para/:a¦b/:1¦2/end", 14, "para/!a¦b/:[word |]1¦2/end"),
            ("word para/:a¦b/:[1|]¦2/end", 18, "word para/!a¦b/:¦2/[1|]end"),
            ("word para/:a¦b/:[1|]¦2/end", 0, "[1|]word para/!a¦b/:¦2/end"),
            ("p/:a¦b/:[1|]¦2/end", 2, "p/![1|]a¦b/:¦2/end"),
            ("#[he|]ad/body", 5, "#ad/[he|]body"),
            ("#head/[bo|]dy", 0, "#[bo|]head/dy"),
            ("-one/-two/[bo|]dy", 4, "-one/-[bo|]two/dy"),
            ("~co[de|]/body", 5, "~co/[de|]body"),
            // The borders of the moved cells stay.
            (":a¦b¦c/:[1¦2|]¦3/x", 13, "!a¦b¦c/:¦¦3/x[1¦2|]"),
            ("in[tro/:a|]¦b/:c¦d/xy", 15, "in/!¦b/:c¦d/x[tro/!a/|]y"),
            // A line end that stays is not moved.
            (":a¦b/:1¦2[/;|]c¦d/;3¦4/x", 2, "!a¦b/:1¦2[/!|]c¦d/:3¦4/x"),
        ] as [(String, UTF16Offset, String)])
    func movesKeepBlocks(notation: String, place: UTF16Offset, result: String?) throws {
        let scene = EditingScene(tables: notation)
        let dragged = try #require(scene.state.draggedText())
        scene.make(scene.state.moving(dragged, to: place))
        #expect(scene.tableNotation == result)
        scene.store.undo(in: scene.state.view)
        #expect(scene.store.text == EditingScene(tables: notation).store.text)
    }

    // MARK: Pasting over whole rows

    @Test(arguments: [
        (":b¦c/:[d¦e/:|]g¦h", "X\nY", false, "!b¦c/:X⏎Y|¦/:g¦h"),
        (":b¦c/:[d¦e/:|]g¦h", "X\nY", true, "!b¦c/:X⏎Y|¦/:g¦h"),
        (":b¦c/:[d¦e/:|]g¦h", "0\t1", false, "!b¦c/:0¦1|/:g¦h"),
        (":b¦c/:[d¦e/:|]g¦h", "0\t1\n2\t3\n", false, "!b¦c/:0¦1/:2¦3|/:g¦h"),
        (":[b¦c/:|]d¦e/:g¦h", "0\t1", false, "!0¦1|/:d¦e/:g¦h"),
        (":[b¦c/:d¦e/:|]g¦h", "X\nY", false, "!X¦/:Y|¦/:g¦h"),
        (":[b¦c/:d¦e/:|]g¦h", "0\t1", false, "!0¦1|/:g¦h"),
        ("[p/:e¦f|]/:g¦h/x", "X\n", false, "X/|/!g¦h/x"),
    ])
    func textPastedOverRowsDoesNotJoinTheRowBelow(notation: String, text: String, isStyled: Bool, result: String) {
        let pasted = after(notation) { scene in
            scene.make(scene.state.pasting(CopiedText(StyledText(Rope(text)), isStyled: isStyled)))
        }
        #expect(pasted == result)
    }

    @Test func rowsTakeThePlaceOfWholeRows() {
        let copied = EditingScene(tables: ":1¦2/:3¦4").store.styledText
        for (notation, result) in [
            (":b¦c/:[d¦e/:|]g¦h", "!b¦c/:1¦2/:3¦4|/:g¦h"), (":[b¦c/:|]d¦e/:g¦h", "!1¦2/:3¦4|/:d¦e/:g¦h"),
            (":[b¦c/:d¦e/:|]g¦h", "!1¦2/:3¦4|/:g¦h"),
        ] {
            #expect(after(notation) { $0.make($0.state.pasting(CopiedText(copied))) } == result)
        }
    }

    // MARK: Copies of tables

    /// A copy stays a table of its own when the paragraph between the two is deleted.
    @Test func copiesOfTablesAreTablesOfTheirOwn() throws {
        #expect(after(":[a¦b/:c¦d|]/x") { $0.perform(.duplicateLines) } == "!a¦b/:c¦d/![a¦b/:c¦d|]/x")
        #expect(after(":a¦b/:[c¦d/:e¦f|]/x") { $0.perform(.duplicateLines) } == "!a¦b/:c¦d/:e¦f/:[c¦d/:e¦f|]/x")
        let duplicated = EditingScene(tables: ":a¦b/:c¦d/p/x")
        duplicated.select(Selection(anchor: 0, head: 9))
        duplicated.perform(.duplicateLines)
        #expect(duplicated.tableNotation == "!a¦b/:c¦d/p/![a¦b/:c¦d/p|]/x")
        duplicated.select(Selection(caret: 8))
        duplicated.perform(.deleteLines)
        #expect(duplicated.tableNotation == "!a¦b/:c¦d/!|a¦b/:c¦d/p/x")
        let pasted = EditingScene(tables: ":a¦b/:c¦d/p/|x")
        pasted.make(pasted.state.pasting(CopiedText(pasted.store.styledText.slice(0..<8))))
        #expect(pasted.tableNotation == "!a¦b/:c¦d/p/!a¦b/:c¦d/|x")
        pasted.select(Selection(caret: 8))
        pasted.perform(.deleteLines)
        #expect(pasted.tableNotation == "!a¦b/:c¦d/!|a¦b/:c¦d/x")
    }

    // MARK: Tabs

    @Test(arguments: [
        (":a¦b/:1|¦2/x", "!a¦b/:1¦|2/x"), (":a¦b/:[1¦2|]/x", "!a¦b/:1¦2/:|¦/x"), ("p|q/:a", "p\t|q/!a"),
        (":a¦b/:1¦[2/x|]y", "!a¦b/:1¦[2/x|]y"), ("p|/:a|¦b", "p\t|/!a¦|b"),
    ])
    func aTabIsNoBorder(notation: String, result: String) {
        #expect(
            after(notation) { $0.perform(.insertTabIgnoringFieldEditor) }
                == result.replacing("\t", with: notation.hasPrefix("p") ? "¦" : "\t"))
    }

    // MARK: Transposing

    @Test(arguments: [
        ("#one/|two/x", "#two/one|/x"), ("-one/|two/x", "-two/one|/x"), ("one/#|two/x", "two/#one|/x"),
        ("~one/|two/x", "~one/|two/x"), ("~one/~|two/x", "~two/~one|/x"),
    ])
    func transposedWordsKeepBlocks(notation: String, result: String) {
        #expect(after(notation) { $0.perform(.transposeWords) } == result)
    }

    // MARK: Sorting

    @Test(arguments: [
        ("[b/a|]/x", "[a/b|]/x"),
        (":[c¦1/:b¦2/:a¦3|]/x", "![c¦1/:a¦3/:b¦2|]/x"),
        (":c¦1/:[b¦2/:a¦3|]/x", "!c¦1/:[a¦3/:b¦2|]/x"),
        ("[z/:c¦1/:b¦2/:a¦3|]/x", "[z/!c¦1/:b¦2/:a¦3|]/x"),
        (":c¦1/:b¦2/:[a¦3/;c¦d|]/x", "!c¦1/:b¦2/:[a¦3/!c¦d|]/x"),
    ])
    func linesAreSortedWithinATableOnly(notation: String, result: String) {
        let scene = EditingScene(tables: notation)
        scene.perform(.sortLines)
        #expect(scene.tableNotation == result)
    }
}
