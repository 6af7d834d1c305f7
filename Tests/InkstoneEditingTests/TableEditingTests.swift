import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

/// Rows and columns of tables: the commands that insert and delete them, Return, and what is pasted into cells.
@Suite(.timeLimit(.minutes(5))) struct TableEditingTests {
    /// Creates a text from paragraphs; see `EditingScene(tables:)`.
    func scene(_ notation: String) -> EditingScene { EditingScene(tables: notation) }

    /// Returns the text in the same notation, with `!` before header rows.
    func shown(_ scene: EditingScene) -> String { scene.tableNotation }

    private func alignments(_ scene: EditingScene, at offset: UTF16Offset = 0) -> String? {
        let intent = scene.store.styledText.attributes(at: offset)[PresentationIntentAttribute.self]
        for component in intent?.components ?? [] {
            if case .table(let columns) = component.kind { return String(columns.map(\.alignment.rawValue)) }
        }
        return nil
    }

    func after(_ notation: String, _ change: TableChange) -> String {
        let scene = scene(notation)
        scene.make(scene.state.changingTable(change))
        let result = shown(scene)
        #expect(scene.store.canUndo)
        scene.perform(.selectAll)
        scene.store.undo()
        #expect(scene.store.text == self.scene(notation).store.text, "\(change) is not one step")
        return result
    }

    @Test(arguments: [
        (TableChange.insertRowAbove, ":a¦b/:c¦d|/x", "!a¦b/:|¦/:c¦d/x"),
        (.insertRowAbove, ":a¦|b/:c¦d/x", "!|¦/:a¦b/:c¦d/x"),
        (.insertRowBelow, ":a|¦b/:c¦d/x", "!a¦b/:|¦/:c¦d/x"),
        (.insertRowBelow, ":a¦b/:c|¦d/x", "!a¦b/:c¦d/:|¦/x"),
        (.insertRowBelow, ":a¦b/:c|¦d", "!a¦b/:c¦d/:|¦/"),
        (.insertColumnBefore, ":a¦|b/:c¦d/x", "!a¦|¦b/:c¦¦d/x"),
        (.insertColumnBefore, ":|a¦b/:c¦d/x", "!|¦a¦b/:¦c¦d/x"),
        (.insertColumnAfter, ":a¦b/:c¦d|/x", "!a¦b¦/:c¦d¦|/x"),
        (.insertColumnAfter, ":a¦b/:c|¦d", "!a¦¦b/:c¦|¦d"),
        (.deleteRow, ":a¦b/:c¦d|/x", "!a¦|b/x"),
        (.deleteRow, ":a|¦b/:c¦d/x", "!|c¦d/x"),
        (.deleteRow, ":a¦b/:c¦|d", "!a¦|b"),
        (.deleteRow, "x/:a¦[b/:c|]¦d/y", "x/|y"),
        (.deleteColumn, ":a¦|b/:c¦d/x", "!|a/:c/x"),
        (.deleteColumn, ":|a¦b/:c¦d/x", "!|b/:d/x"),
        (.deleteColumn, ":a¦b¦|c/:d¦e/x", "!a¦|b/:d¦e/x"),
        (.deleteColumn, "x/:[a¦b|]/:c¦d/y", "x/|y"),
    ])
    func rowsAndColumnsAreInsertedAndDeleted(change: TableChange, notation: String, result: String) {
        #expect(after(notation, change) == result)
    }

    @Test func columnsKeepTheirAlignment() {
        let scene = scene(":a¦b¦c|/:d¦e¦f/x")
        #expect(alignments(scene) == "ncn")
        scene.make(scene.state.changingTable(.insertColumnBefore))
        #expect(alignments(scene) == "ncnn")
        scene.make(scene.state.selecting(Selection(caret: 0)))
        scene.make(scene.state.changingTable(.deleteColumn))
        #expect(alignments(scene) == "cnn" && alignments(scene, at: 5) == "cnn")
    }

    @Test func theLastRowAndColumnTakeTheTableWithThem() {
        for change in [TableChange.deleteRow, .deleteColumn] {
            let scene = scene(":a|")
            scene.make(scene.state.changingTable(change))
            scene.make(scene.state.inserting("x"))
            #expect(shown(scene) == "x|", "\(change)")
        }
    }

    @Test func noTableIsChangedOutsideOfIt() {
        for notation in ["a|/:b", ":a/b|", ":a[b/c|]d"] {
            let scene = scene(notation)
            #expect(TableChange.allCases.allSatisfy { scene.state.changingTable($0) == nil }, "\(notation)")
            #expect(!scene.state.isInTable)
        }
    }

    @Test func severalCaretsChangeAllTheirRowsAndColumns() {
        let scene = scene(":a¦b¦c/:d|¦e¦f/:g¦h¦i|/x")
        scene.make(scene.state.changingTable(.deleteRow))
        #expect(shown(scene) == "!|a¦b¦c/x")
    }

    // MARK: Alignment

    private func styles(_ scene: EditingScene) -> [ParagraphStyle.Alignment?] {
        (0..<scene.store.text.paragraphCount).map { index in
            let range = scene.store.text.utf16Range(of: ParagraphIndex(index))
            guard !range.isEmpty else { return nil }
            return scene.store.styledText.attributes(at: range.lowerBound)[ParagraphStyleAttribute.self]?.alignment
        }
    }

    @Test func commandsForAlignmentAlignColumns() {
        let scene = scene("x/:a¦b¦c/:d¦|e¦f/y")
        scene.perform(.alignRight)
        #expect(alignments(scene, at: 2) == "nrn" && alignments(scene, at: 8) == "nrn")
        scene.perform(.alignLeft)
        #expect(alignments(scene, at: 2) == "nln")
        scene.perform(.undo)
        #expect(alignments(scene, at: 2) == "nrn" && shown(scene) == "x/!a¦b¦c/:d¦|e¦f/y")
        scene.perform(.alignJustified)
        #expect(alignments(scene, at: 2) == "nrn")
        // The second and the third column.
        scene.perform(.moveRightAndModifySelection)
        scene.perform(.moveRightAndModifySelection)
        scene.perform(.alignCenter)
        #expect(alignments(scene, at: 2) == "ncc" && alignments(scene, at: 8) == "ncc")
        #expect(styles(scene) == [nil, nil, nil, nil])
    }

    @Test func alignedParagraphsBesideATableLeaveItsRows() {
        let scene = scene("[x/:a¦b/:c¦d/y|]")
        scene.perform(.alignRight)
        #expect(styles(scene) == [.right, nil, nil, .right] && alignments(scene, at: 2) == "nc")
        // The line below a table that ends the text.
        let other = self.scene(":a¦b/:[c¦d/|]")
        other.perform(.alignRight)
        #expect(styles(other) == [nil, nil, nil] && alignments(other) == "rr")
    }

    // MARK: Keys

    func after(_ notation: String, _ commands: EditCommand...) -> String {
        let scene = scene(notation)
        for command in commands { scene.perform(command) }
        return shown(scene)
    }

    @Test func returnAtARowsEndMakesAWholeRow() {
        #expect(after(":a¦b¦c|/:d¦e¦f/x", .insertNewline) == "!a¦b¦c/:|¦¦/:d¦e¦f/x")
        #expect(after(":a¦b¦c|/:d¦e¦f/x", .insertNewline, .insertTab) == "!a¦b¦c/:¦|¦/:d¦e¦f/x")
        #expect(after(":a¦b/:c¦d|", .insertNewline) == "!a¦b/:c¦d/:|¦/")
        #expect(after(":a¦b/:c¦d|", .insertNewline, .insertNewline) == "!a¦b/:c¦d/|/")
    }

    /// An edit that removes the cells of a row leaves one caret of those in it, and the others where they stood.
    @Test(arguments: [
        (EditCommand.insertNewline, ":a¦b¦c/:|¦|¦|/x|y", "!a¦b¦c/|/x/|y"),
        (.insertNewline, "v|w/:a¦b¦c/:¦|¦|/xy", "v/|w/!a¦b¦c/|/xy"),
        (.deleteBackward, ":a¦b¦c/:|¦|¦|/x", "!a¦b¦c|/x"),
        (.deleteBackward, "vw|/:a¦b¦c/:|¦¦|/x|y", "v|/!a¦b¦c|/|y"),
        (.deleteBackward, ":a¦b¦c|/:|¦|¦/x", "!a¦b¦|/x"),
    ])
    func severalCaretsInARowThatIsRemovedBecomeOne(command: EditCommand, notation: String, result: String) {
        #expect(after(notation, command) == result)
        let scene = scene(notation)
        scene.perform(command)
        scene.perform(.undo)
        #expect(scene.notation == self.scene(notation).notation)
    }

    @Test func returnWithinACellKeepsTheRow() {
        #expect(after(":a|b¦c/:d¦e/x", .insertNewline) == "!a⏎|b¦c/:d¦e/x")
        #expect(after(":a[b|]¦c/:d¦e/x", .insertNewline) == "!a⏎|¦c/:d¦e/x")
        let scene = scene(":a¦b|c/:d¦e/x")
        scene.options.insertsLineSeparators = false
        scene.perform(.insertNewline)
        #expect(shown(scene) == "!a¦bc/:d¦|e/x")
    }

    @Test func returnAtTheStartOfATextMakesRoomAboveItsTable() {
        let scene = scene(":|a¦b/:c¦d/x")
        scene.perform(.insertNewline)
        scene.make(scene.state.inserting("t"))
        #expect(shown(scene) == "t|/!a¦b/:c¦d/x")
        #expect(after("x/:|a¦b/y", .insertNewline) == "x/!⏎|a¦b/y")
    }

    @Test func deletingSeveralCellsKeepsTheirBorders() {
        #expect(after(":o[ne¦two/:t|]hree¦four/x", .deleteBackward) == "!o|¦/:hree¦four/x")
        #expect(after(":[one¦two|]/:three¦four/x", .deleteForward) == "!|¦/:three¦four/x")
        let typed = scene(":o[ne¦t|]wo/x")
        typed.make(typed.state.inserting("k"))
        #expect(shown(typed) == "!ok|¦wo/x")
        // Whole rows and tables go.
        #expect(after(":a¦b/:[c¦d/:|]e¦f/x", .deleteBackward) == "!a¦b/:|e¦f/x")
        #expect(after(":[a¦b/:c¦d|]", .deleteBackward).contains("¦") == false)
    }

    /// The first row of a table is its header when it is saved.
    @Test func theFirstRowIsTheHeader() {
        let scene = scene(":a|¦b/:c¦d/:e¦f/x")
        scene.perform(.deleteLines)
        #expect(shown(scene).hasPrefix("!c") && shown(scene).contains("/:e¦f/x"))
        scene.store.undo()
        #expect(shown(scene).replacing("|", with: "") == "!a¦b/:c¦d/:e¦f/x")
        scene.make(scene.state.selecting(Selection(caret: 0)))
        scene.perform(.moveLinesDown)
        #expect(shown(scene).replacing("|", with: "") == "!c¦d/:a¦b/:e¦f/x")
    }

    @Test func deletionsAcrossATablesEdgeKeepItsCells() {
        #expect(after("in[tro/:a|]b¦c/:d¦e/x", .deleteBackward) == "in|/!b¦c/:d¦e/x")
        #expect(after("in[tro/p/:a¦b/:c¦d|]e¦f/:g¦h/x", .deleteForward) == "in|/!¦e¦f/:g¦h/x")
        #expect(after("[intro/:a¦b|]c/:d¦e/x", .deleteBackward) == "!|¦c/:d¦e/x")
        #expect(after("p/:a¦b/:c[c¦d/x|]y", .deleteBackward) == "p/!a¦b/:c|¦/y")
        #expect(after("p/:a¦b[/|]y", .deleteBackward) == "p/!a¦b|/y")
        // Whole rows go.
        #expect(after("in[tro/:a¦b|]/:c¦d/x", .deleteBackward) == "in|/!c¦d/x")
        #expect(after("p/:a¦b/:[c¦d/x|]y", .deleteBackward) == "p/!a¦b/|y")
        let typed = scene("in[tro/:a|]b¦c/:d¦e/x")
        typed.make(typed.state.inserting("k"))
        #expect(shown(typed) == "ink|/!b¦c/:d¦e/x")
    }

    @Test(arguments: [
        ("p|/:a¦b/:c¦d/x", EditCommand.moveLinesDown, "!a¦b/:c¦d/p|/x"),
        ("p|/:a¦b/:c¦d", .moveLinesDown, "!a¦b/:c¦d/p|"),
        ("x/:a¦b/:c¦d/p|", .moveLinesUp, "x/p|/!a¦b/:c¦d"),
        (":a¦b/:c¦d/p|/x", .moveLinesUp, "p|/!a¦b/:c¦d/x"),
        // Rows stay in their table, which moves as a whole.
        ("p/:a¦b/:c¦d|/x", .moveLinesDown, "p/!a¦b/:c¦d|/x"),
        ("p/:a|¦b/:c¦d/x", .moveLinesUp, "p/!a|¦b/:c¦d/x"),
        ("p/:a|¦b/:c¦d/x", .moveLinesDown, "p/!c¦d/:a|¦b/x"),
        ("p/:[a¦b/:c|]¦d/x", .moveLinesDown, "p/x/![a¦b/:c|]¦d"),
        ("q/p[p/:a|]¦b/:c¦d/x", .moveLinesUp, "p[p/!a|]¦b/:c¦d/q/x"),
        ("q/p[p/:a|]¦b/:c¦d/x", .moveLinesDown, "q/x/p[p/!a|]¦b/:c¦d"),
        // A table in which a row moves is not passed.
        ("p|/:a¦b/:c|¦d/x", .moveLinesDown, "p|/!a¦b/:c|¦d/x"),
        // Rows are not joined.
        ("p|/:a¦b/:c¦d/x", .joinLines, "p|/!a¦b/:c¦d/x"),
        (":a¦b/:c|¦d/x", .joinLines, "!a¦b/:c|¦d/x"),
    ])
    func linesMovePastWholeTables(notation: String, command: EditCommand, result: String) {
        #expect(after(notation, command) == result)
    }

    // MARK: Below a table

    @Test(arguments: [TableChange.insertRowBelow, .deleteColumn])
    func textBelowTheLastRowIsNoRow(change: TableChange) {
        let scene = scene(":a¦b/:c¦d|")
        scene.make(scene.state.changingTable(change))
        let table = shown(scene).replacing("|", with: "")
        #expect(table.hasSuffix("/"))
        scene.make(scene.state.selecting(Selection(caret: scene.state.textRange.upperBound)))
        scene.make(scene.state.inserting("b"))
        scene.make(scene.state.inserting("c"))
        #expect(shown(scene) == table + "bc|")
        scene.store.undo()
        #expect(shown(scene) == table + "|")
        scene.make(scene.state.marking(InputText("か"), over: .composed, selected: .notFound))
        #expect(shown(scene).replacing("|", with: "") == table + "か")
    }

    @Test func commandsOnTheLineBelowATableMakeNoRow() {
        func below(_ change: (EditorState) -> Transaction?) -> String {
            let scene = scene(":a¦b/:c¦d/|")
            scene.make(change(scene.state))
            return shown(scene)
        }
        #expect(below { $0.settingHeading(1) } == "!a¦b/:c¦d/#|/")
        #expect(below { $0.togglingList(.disc) } == "!a¦b/:c¦d/-|/")
        #expect(below { $0.pasting("x\ny\n") } == "!a¦b/:c¦d/x/y/|")
    }

    // MARK: Pasting

    private func pasting(_ copied: String, into notation: String) -> String {
        let source = scene(copied)
        let scene = scene(notation)
        guard let range = source.state.selection?.primary.range else { return "" }
        scene.make(scene.state.pasting(CopiedText(source.store.styledText.slice(range))))
        return shown(scene)
    }

    @Test(arguments: [
        // A row without its end, into an empty row and into the end of one.
        (":A¦B¦C/:[one¦two¦3|]", ":a¦b¦c/:|¦¦/x", "!a¦b¦c/:one¦two¦3|/x"),
        (":A¦B¦C/:[one¦two|]¦3", ":a¦b¦c/:d¦|¦/x", "!a¦b¦c/:d¦one¦two|/x"),
        // Whole rows.
        (":A¦B/:[c¦d/:e¦f/|]", ":a¦b/:|¦/x", "!a¦b/:c¦d/:e¦f|/x"),
        (":A¦B/:[c¦d/:e¦f/|]", ":a¦b/:|g¦h/x", "!a¦b/:c¦d/:e¦f/:|g¦h/x"),
        (":[A¦B/:c¦d|]", ":a¦b/:|g¦h/x", "!a¦b/:A¦B/:c¦d/:|g¦h/x"),
        // Whole rows, into a cell with text.
        (":A¦B/:[c¦d/:e¦f/|]", ":a¦b/:g|¦h/x", "!a¦b/:g¦h/:c¦d/:e¦f/|x"),
        (":[A¦B/:c¦d|]", ":a|¦b/:g¦h/x", "!a¦b/:A¦B/:c¦d/:|g¦h/x"),
        (":[A¦B/:c¦d|]", ":a¦b/:g|¦h", "!a¦b/:g¦h/:A¦B/:c¦d|"),
        ("-[one/:A¦B|]", ":a¦b/:g|¦h/x", "!a¦b/:gone⏎A B|¦h/x"),
        // Blocks before a table, with and without the end of the last one.
        ("-[one/-two/|]x", ":|a¦b/:c¦d/x", "-one/-two/!|a¦b/:c¦d/x"),
        ("-[two/-three|]/x", ":|a¦b/:c¦d/x", "-two/-three/!|a¦b/:c¦d/x"),
        // Paragraphs within a cell.
        ("-[one/-two/|]x", ":a¦b/:c¦|d/x", "!a¦b/:c¦one⏎two|d/x"),
        // Blocks at the end of a paragraph and within one.
        (":[A¦B/:c¦d/|]x", "hello|/end", "hello/!A¦B/:c¦d|/end"),
        (":[A¦B/:c¦d|]/x", "hel|lo/end", "hel/!A¦B/:c¦d/|lo/end"),
        (":[A¦B/:c¦d/|]x", "[hel|]lo/end", "!A¦B/:c¦d/|lo/end"),
        ("-[one/-two/|]x", "hello|", "hello/-one/-two|"),
        ("-[one/-two/|]x", "hel|lo/end", "hel/-one/-two/|lo/end"),
        ("-[one/-two|]/x", "|hello/end", "-one/-two/|hello/end"),
        ("[x/-one/-two|]/x", "hel|lo/end", "helx/-one/-two/|lo/end"),
        // A table beside one of the same identity, and rows that are copied to the place above their table.
        (":[A¦B/:e¦f/|]x", ":a¦b/:c¦d/|end", "!a¦b/:c¦d/!A¦B/:e¦f/|end"),
        (":[A¦B/:e¦f/|]x", ":|a¦b/:c¦d/end", "!A¦B/:e¦f/!|a¦b/:c¦d/end"),
        (":A¦B/:[c¦d/:e¦f|]", "para|/:a¦b/:c¦d/:e¦f", "para/!c¦d/:e¦f|/!a¦b/:c¦d/:e¦f"),
        // Rows without a header belong to the table above them.
        (":A¦B/:[e¦f/|]x", ":a¦b/:c¦d/|end", "!a¦b/:c¦d/:e¦f/|end"),
        // Items in an item, and a part of a paragraph.
        ("-[one/-two|]/x", "-hel|lo/end", "-helone/-two|lo/end"),
        ("-o[n|]e/x", "hel|lo/end", "heln|lo/end"),
    ])
    func pastesKeepTheTable(copied: String, notation: String, result: String) {
        #expect(pasting(copied, into: notation) == result)
    }

    /// As for text that is typed over several cells.
    @Test(arguments: [
        ("P", ":a¦b¦c/:[1¦2|]¦3/x", "!a¦b¦c/:P|¦¦3/x"),
        ("P", ":a¦b¦c/:[1¦|]2¦3/x", "!a¦b¦c/:P|¦2¦3/x"),
        ("P", ":a¦b¦c/:1¦[2¦3/:4¦5|]¦6/x", "!a¦b¦c/:1¦P|¦/:¦¦6/x"),
        ("P\tQ", ":a¦b¦c/:[1¦2|]¦3/x", "!a¦b¦c/:P¦Q|¦3/x"),
        ("P\tQ", ":a¦b¦c¦d/:[1¦2|]¦¦4/x", "!a¦b¦c¦d/:P¦Q|¦¦4/x"),
        ("P", "in[tro/:a|]¦b/:c¦d/x", "inP|/!¦b/:c¦d/x"),
        ("P", ":a¦b/:c¦[d/x|]y", "!a¦b/:c¦P|/y"),
        ("P\nQ", ":a¦b¦c/:[1¦2|]¦3/x", "!a¦b¦c/:P⏎Q|¦¦3/x"),
        ("P\tQ\nR\tS\n", ":a¦b/:[c¦d/:e¦f|]/:g¦h/x", "!a¦b/:P¦Q/:R¦S|/:g¦h/x"),
        ("P\nQ\n", ":a¦b/:[c¦d/:e¦f|]/:g¦h/x", "!a¦b/:P¦/:Q|¦/:g¦h/x"),
        ("P\nQ\nR", ":a¦b/:[c¦d/:e¦f|]/:g¦h/x", "!a¦b/:P⏎Q⏎R|¦/:¦/:g¦h/x"),
    ])
    func pastesOverSeveralCellsKeepTheirBorders(copied: String, notation: String, result: String) {
        let scene = scene(notation)
        scene.make(scene.state.pasting(CopiedText(copied)))
        #expect(shown(scene) == result)
        scene.store.undo()
        #expect(scene.store.text == self.scene(notation).store.text)
    }

    @Test func pastedItemsOverSeveralCellsStayInTheirRow() {
        #expect(pasting("-[one/-two|]", into: ":a¦b/:[c¦d|]/x") == "!a¦b/:one⏎two|¦/x")
        #expect(pasting("-[one/-two|]", into: ":a¦b/:[c¦d/:e¦f|]/x") == "!a¦b/:one¦/:two|¦/x")
    }

    @Test func compositionsOverSeveralCellsKeepTheirBorders() {
        let scene = scene(":a¦b¦c/:1¦[2¦3/:4¦5|]¦6/x")
        let selection = scene.state.selection?.range ?? 0..<0
        scene.make(scene.state.beginningComposition())
        scene.make(scene.state.marking(InputText("k"), over: .selection, selected: UTF16Range(location: 1, length: 0)))
        #expect(scene.state.markedText?.range == selection.lowerBound..<selection.lowerBound + 1)
        #expect(shown(scene).replacing("|", with: "") == "!a¦b¦c/:1¦k¦/:¦¦6/x")
        scene.make(scene.state.ending(.committing("か", over: scene.state.markedText?.range ?? 0..<0)))
        #expect(shown(scene) == "!a¦b¦c/:1¦か|¦/:¦¦6/x")
        scene.store.undo()
        #expect(scene.store.text == self.scene(":a¦b¦c/:1¦2¦3/:4¦5¦6/x|").store.text)
    }

    @Test func newRowsStayInTheQuotationsAroundTheirList() {
        let scene = scene(":a¦b/:c¦d|/x")
        var item = ListItem([TextList(.checkbox)], hasMarker: false, isChecked: true)
        item.enclosingQuotations = 1
        scene.store.restyle { $0.set(item, of: ListAttribute.self, in: 0..<8) }
        item.isChecked = false
        for change in [TableChange.insertRowBelow, .insertRowAbove] {
            scene.make(scene.state.changingTable(change))
            let caret = scene.state.selection?.primary.head ?? 0
            #expect(scene.store.styledText.attributes(at: caret)[ListAttribute.self] == item, "\(change)")
        }
    }

    @Test func linesOfCellsBecomeRows() {
        let scene = scene(":a¦b/:|¦/x")
        scene.make(scene.state.pasting(CopiedText("1\t2\n3\t4\n")))
        #expect(shown(scene) == "!a¦b/:1¦2/:3¦4|/x")
    }

    // MARK: Dropping

    @Test(arguments: [
        // Paragraphs, a cell with a tab, and whole rows of another text.
        ("-[one/-two/|]x", ":a¦b/:c¦|d/x", "!a¦b/:c¦[one⏎two|]d/x"),
        (":A¦B¦C/:[one¦two|]¦3", ":a¦b¦c/:d¦|¦/x", "!a¦b¦c/:d¦[one¦two|]/x"),
        (":A¦B/:[c¦d/:e¦f/|]", ":a¦b/:|¦/x", "!a¦b/:[c¦d/:e¦f|]/x"),
        (":A¦B/:[c¦d/:e¦f/|]", ":a¦b/:|g¦h/x", "!a¦b/:[c¦d/:e¦f/:|]g¦h/x"),
    ])
    func dropsKeepTheTable(copied: String, notation: String, result: String) {
        let source = scene(copied)
        let scene = scene(notation)
        guard let range = source.state.selection?.primary.range, let place = scene.state.selection?.primary.head else {
            return
        }
        let text = CopiedText(source.store.styledText.slice(range))
        scene.make(scene.state.dropping(text, at: place))
        #expect(shown(scene) == result)
    }

    @Test(arguments: [
        // Paragraphs before and after the table, and two rows of it.
        ("[one/two|]/:a¦b/:c¦d", 14, "/!a¦b/:c¦[one⏎two|]d"),
        (":a¦b/:c¦d/x/[one/two|]", 6, "!a¦b/:c¦[one⏎two|]d/x/"),
        (":a¦b/:c¦d/:[e¦f/:g¦h/|]x", 4, "!a¦b/:[e¦f/:g¦h/:|]c¦d/x"),
        // A part of a cell is no row, and a part of an item no item.
        (":a¦b/:c¦[d|]/", 8, "!a¦b/:c¦/[d|]"), (":a¦b/:c¦[d|]/x", 8, "!a¦b/:c¦/[d|]x"),
        ("-[one|] two/x", 8, "- two/[one|]x"), ("-[one|] two/", 8, "- two/[one|]"),
    ])
    func movesKeepTheTable(notation: String, place: UTF16Offset, result: String) throws {
        let scene = scene(notation)
        let dragged = try #require(scene.state.draggedText())
        scene.make(scene.state.moving(dragged, to: place))
        #expect(shown(scene) == result)
    }

    /// Whole paragraphs that are pasted before a paragraph keep their form.
    @Test func wholeItemsStayItemsBeforeAParagraph() {
        #expect(pasting("-[one/-two/|]x", into: "|a/b") == "-one/-two/|a/b")
    }
}
