import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

/// Editing by keys in code blocks, quotations and tables.
@Suite(.timeLimit(.minutes(5))) struct BlockEditingTests {
    private static let code = PresentationIntent(.codeBlock(languageHint: nil), identity: 1)
    private static let quote = PresentationIntent(
        .paragraph, identity: 2, parent: PresentationIntent(.blockQuote, identity: 3))
    private static let row = PresentationIntent(
        .tableRow(rowIndex: 1), identity: 5, parent: PresentationIntent(.table(columns: [.init()]), identity: 4))

    /// Creates a text from a notation: paragraphs that begin with `#` are code, with `>` quotations, with `|:`
    /// table rows; `-` makes list items of them.
    private func scene(_ notation: String) -> EditingScene {
        let paragraphs = notation.split(separator: "/", omittingEmptySubsequences: false)
        let scene = EditingScene(paragraphs.map { $0.drop { "#>:-…".contains($0) } }.joined(separator: "\n"))
        scene.options.makesLists = true
        scene.options.acceptsStyles = true
        scene.options.insertsLineSeparators = true
        let list = TextList(.disc)
        scene.store.restyle {
            for (index, paragraph) in paragraphs.enumerated() {
                let range = scene.store.text.utf16Range(of: ParagraphIndex(index))
                let signs = paragraph.prefix { "#>:-…".contains($0) }
                for (sign, intent) in [("#", Self.code), (">", Self.quote), (":", Self.row)] where signs.contains(sign)
                {
                    $0.set(intent, of: PresentationIntentAttribute.self, in: range)
                }
                if signs.contains("-") || signs.contains("…") {
                    $0.set(
                        ListItem([list], hasMarker: signs.contains("-")), of: ListAttribute.self, in: range)
                }
            }
        }
        return scene
    }

    /// Returns the text in the same notation.
    private func shown(_ scene: EditingScene) -> String {
        scene.notation.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, paragraph in
            let range = scene.store.text.utf16Range(of: ParagraphIndex(index))
            guard !range.isEmpty else { return String(paragraph) }
            let attributes = scene.store.styledText.attributes(at: range.lowerBound)
            let components = attributes[PresentationIntentAttribute.self]?.components.map(\.kind) ?? []
            let item = attributes[ListAttribute.self]
            let sign =
                switch components.first {
                case .codeBlock?: "#"
                case .tableRow?: ":"
                default: components.contains(.blockQuote) ? ">" : ""
                }
            return (item.map { $0.hasMarker ? "-" : "…" } ?? "") + sign + paragraph
        }.joined(separator: "/")
    }

    private func type(_ text: String, in scene: EditingScene) {
        let session = EditingSession(scene.store)
        session.options = scene.options
        session.select(scene.state.selection)
        for character in text { session.insert(String(character)) }
    }

    private func after(_ notation: String, _ commands: EditCommand...) -> String {
        let scene = scene(notation)
        for command in commands { scene.perform(command) }
        return shown(scene)
    }

    @Test(arguments: ["#", ":"], ["- ", "1. ", "[ ] ", "a) "])
    func signsOfListsAreTextInCodeAndTables(block: String, sign: String) {
        let scene = scene("\(block)a/\(block)|b/c")
        type(sign, in: scene)
        #expect(shown(scene) == "\(block)a/\(block)\(sign)|b/c")
    }

    @Test func signsOfListsMakeItemsInQuotations() {
        let scene = scene(">|b/c")
        type("- ", in: scene)
        #expect(shown(scene) == "->|b/c")
    }

    @Test func bulletsLeaveCodeAndTablesAsTheyAre() {
        for notation in ["#[a/#b|]/c", ":[a/:b|]/c"] {
            let scene = scene(notation)
            scene.make(scene.state.togglingList(.disc))
            #expect(shown(scene) == notation)
        }
        let mixed = scene("#[a/b|]/c")
        mixed.make(mixed.state.togglingList(.disc))
        #expect(shown(mixed) == "#[a/-b|]/c")
    }

    /// Creates a session that turns typed signs into blocks.
    private func blockSession(_ text: String = "", caret: Int = 0) -> EditingSession {
        let session = EditingSession(TextStore(Rope(text)))
        session.options.makesBlocks = true
        session.options.acceptsStyles = true
        session.select(Selection(caret: UTF16Offset(caret)))
        return session
    }

    /// Types characters, with Return for each newline.
    private func type(_ text: String, in session: EditingSession) {
        for character in text {
            if character == "\n" {
                session.dispatch(session.state.insertingNewline())
            } else {
                session.insert(String(character))
            }
        }
    }

    /// Returns the paragraphs, each after the kinds of its blocks, the innermost first.
    private func blocks(_ session: EditingSession) -> [String] {
        let text = session.store.styledText
        return (0..<text.rope.paragraphCount).map { index in
            let range = text.rope.utf16Range(of: ParagraphIndex(index))
            let content = text.rope.string(in: text.rope.utf16ContentRange(of: ParagraphIndex(index)))
            guard !range.isEmpty else { return content }
            let intent = text.attributes(at: range.lowerBound)[PresentationIntentAttribute.self]
            let kinds = (intent?.components ?? []).map { component in
                switch component.kind {
                case .header(let level): "h\(level)"
                case .codeBlock(let language): "code(\(language ?? ""))"
                case .blockQuote: "quote"
                case .thematicBreak: "rule"
                case .paragraph: "p"
                default: "?"
                }
            }
            return (kinds + [content]).joined(separator: " ")
        }
    }

    @Test(arguments: [
        ("# T", ["h1 T", ""]), ("###### T\nb", ["h6 T", "b", ""]),
        ("> q\nr\n\nb", ["p quote q", "p quote r", "b", ""]),
        ("> # T", ["h1 quote T", ""]), ("> > q", ["p quote quote q", ""]),
        ("```\na\nb\n\n\nc", ["code() a", "code() b", "c", ""]), ("``` swift\nx", ["code(swift) x", ""]),
        ("~~~py\n# no\n> no", ["code(py) # no", "code(py) > no", ""]),
        // A closing fence leaves the block, but only in a line of its own at the block's end.
        ("```js\na\n```\nb", ["code(js) a", "b", ""]), ("~~~\na\n~~~~\nb", ["code() a", "b", ""]),
        ("> ```\na\n```\nb", ["code() quote a", "p quote b", ""]), ("```\na\n  ```\n# b", ["code() a", "h1 b", ""]),
        ("```\na ```\n``\nb", ["code() a ```", "code() ``", "code() b", ""]),
        ("---\nb", ["rule \u{2e3b}", "b", ""]), ("> ***\nb", ["rule quote \u{2e3b}", "p quote b", ""]),
        // Signs that do not make a block.
        ("####### T", ["####### T"]), ("x # T", ["x # T"]), ("--\nb", ["--", "b"]), ("-----\nb", ["-----", "b"]),
        ("``\nb", ["``", "b"]), ("```a`\nb", ["```a`", "b"]), ("```a b\nc", ["```a b", "c"]), ("#T", ["#T"]),
    ])
    func signsOfMarkdownBecomeBlocks(typed: String, expected: [String]) {
        let session = blockSession()
        type(typed, in: session)
        #expect(blocks(session) == expected)
        let plain = EditingSession(TextStore(Rope()))
        type(typed, in: plain)
        #expect(plain.store.styledText.runs == nil && plain.store.text.string(in: plain.store.text.utf16Range) == typed)
    }

    @Test func aSignInFrontOfTextMakesABlockOfItAndUndoBringsItBack() {
        for (sign, result) in [("# ", "h1 a"), ("> ", "p quote a")] {
            let session = blockSession("a\nb")
            type(sign, in: session)
            #expect(blocks(session) == [result, "b"] && session.state.selection == Selection(caret: 0))
            session.store.undo()
            #expect(blocks(session) == [sign + "a", "b"])
        }
        let fence = blockSession()
        type("```\n", in: fence)
        #expect(blocks(fence) == ["code() ", ""])
        fence.store.undo()
        #expect(blocks(fence) == ["```"])
        // Only with the caret after the sign: Return elsewhere in the line splits it.
        let rule = blockSession("---\nb", caret: 1)
        rule.dispatch(rule.state.insertingNewline())
        #expect(blocks(rule) == ["-", "--", "b"])
    }

    @Test func quotationsAndCodeBlocksAreToggled() {
        let session = blockSession("a\nb\nc")
        session.select(Selection(anchor: 0, head: 3))
        session.dispatch(session.state.togglingQuotation())
        #expect(blocks(session) == ["p quote a", "p quote b", "c"] && session.state.isInQuotation)
        session.select(Selection(anchor: 2, head: 5))
        #expect(!session.state.isInQuotation)
        session.dispatch(session.state.togglingCodeBlock())
        #expect(blocks(session) == ["p quote a", "code() quote b", "code() c"])
        #expect(session.state.isCodeBlock)
        session.dispatch(session.state.togglingCodeBlock())
        #expect(blocks(session) == ["p quote a", "p quote b", "c"])
        session.select(Selection(anchor: 0, head: 3))
        session.dispatch(session.state.togglingQuotation())
        #expect(blocks(session) == ["a", "b", "c"])
        for notation in [":|a/b", "-|a/b"] {
            let scene = scene(notation)
            scene.make(scene.state.togglingCodeBlock())
            #expect(shown(scene) == notation)
        }
    }

    @Test func keysInCodeOfAnItemActAsInCode() {
        #expect(after("-item/…#code|/c", .insertNewline) == "-item/…#code/…#|/c")
        #expect(after("-#co|de/c", .insertNewline) == "-#co/…#|de/c")
        #expect(after("-item/…#a/…#|/…#b/c", .insertNewline) == "-item/…#a/…#/…#|/…#b/c")
        #expect(after("-item/…#|code/c", .insertTab) == "-item/…#\t|code/c")
        #expect(after("-item/…#\t|code/c", .insertBacktab) == "-item/…#|code/c")
    }

    @Test func returnInAnEmptyLastLineLeavesABlock() {
        // Code may have an empty line at its end.
        #expect(after("#a|/b", .insertNewline, .insertNewline) == "#a/#/#|/b")
        #expect(after("#a|/b", .insertNewline, .insertNewline, .insertNewline) == "#a/|/b")
        #expect(after("#a|", .insertNewline, .insertNewline, .insertNewline) == "#a/|/")
        #expect(after(">a|", .insertNewline, .insertNewline) == ">a/|/")
        #expect(after(">a|/b", .insertNewline, .insertNewline) == ">a/|/b")
        #expect(after(":a|/b", .insertNewline, .insertNewline) == ":a/|/b")
        // Code may contain empty lines between others, and a new block starts with an empty line.
        #expect(after("#a/#|/#b", .insertNewline) == "#a/#/#|/#b")
        #expect(after("x/#|/y", .insertNewline) == "x/#/#|/y")
        let typed = scene("#a|")
        typed.perform(.insertNewline, .insertNewline, .insertNewline)
        type("x", in: typed)
        #expect(shown(typed) == "#a/x|/")
        typed.perform(.undo, .undo)
        #expect(shown(typed).hasPrefix("#a/"))
    }

    /// Covers the indentation that Return repeats in code.
    @Test func returnInALineOfIndentationLeavesCode() {
        let scene = scene("#\ta|/b")
        scene.options.keepsIndentation = true
        scene.perform(.insertNewline, .insertNewline)
        #expect(shown(scene) == "#\ta/#/#\t|/b")
        scene.perform(.insertNewline)
        #expect(shown(scene) == "#\ta/|/b")
    }

    @Test func aClosingFenceWithinCodeIsALineOfIt() {
        let within = scene("#a/#```|/#b/c")
        within.options.makesBlocks = true
        within.perform(.insertNewline)
        #expect(shown(within) == "#a/#```/#|/#b/c")
        let last = scene("#a/#```|/c")
        last.options.makesBlocks = true
        last.perform(.insertNewline)
        #expect(shown(last) == "#a/|/c")
        last.perform(.undo)
        #expect(shown(last) == "#a/#```|/c")
    }

    @Test func downAtTheEndOfATextLeavesCode() {
        for notation in ["#a|", "#a|/"] {
            let scene = scene(notation)
            scene.perform(.moveDown)
            scene.make(scene.state.inserting("x"))
            #expect(shown(scene) == "#a/x|", "\(notation)")
        }
        #expect(after("#a|/#b", .moveDown) == "#a/#b|")
        #expect(after("#a|/b", .moveDown) == "#a/b|")
        let quote = scene(">a|")
        quote.perform(.moveDown)
        #expect(shown(quote) == ">a|")
    }

    /// Covers RT 43 of the checklist for rich text.
    @Test func eachOfSeveralCaretsActsAsOne() {
        func scene(_ heading: Int, _ carets: [Int]) -> EditingScene {
            let scene = self.scene("ab/-cd/#ef/gh")
            scene.store.restyle {
                $0.set(
                    PresentationIntent(.header(level: heading), identity: 9), of: PresentationIntentAttribute.self,
                    in: 0..<3)
            }
            let ranges = carets.map { SelectionRange(caret: UTF16Offset($0)) }
            scene.make(scene.state.selecting(Selection(ranges)))
            return scene
        }
        // Body text below the heading, a new item, another line of code.
        let returned = scene(1, [2, 5, 8])
        returned.perform(.insertNewline)
        #expect(shown(returned) == "ab/|/-cd/-|/#ef/#|/gh")
        #expect(intent(returned, at: 0) == .header(level: 1) && intent(returned, at: 3) == nil)
        type("x", in: returned)
        #expect(shown(returned) == "ab/x|/-cd/-x|/#ef/#x|/gh")
        returned.perform(.undo, .undo)
        #expect(shown(returned) == "ab|/-cd|/#ef|/gh")
        // The item and the line of code go out of their blocks, and elsewhere a character is deleted.
        let deleted = scene(1, [3, 6, 10])
        deleted.perform(.deleteBackward)
        #expect(shown(deleted) == "ab/|cd/|ef/|h")
        // Selected text is replaced in the usual way.
        let selected = scene(1, [2])
        selected.make(
            selected.state.selecting(Selection([SelectionRange(caret: 2), SelectionRange(anchor: 9, head: 10)])))
        selected.perform(.insertNewline)
        #expect(shown(selected) == "ab/|/-cd/#ef/|/h" || shown(selected) == "ab/|/-cd/#ef//|h")
    }

    @Test func backspaceAtABlocksStartTakesTheLineOut() {
        #expect(after("x/#|a/#b", .deleteBackward) == "x/|a/#b")
        #expect(after("x/#|a/#b", .deleteBackward, .deleteBackward) == "x|a/#b")
        #expect(after("x/#a/#|b", .deleteBackward) == "x/#a|b")
        #expect(after(">|a/b", .deleteBackward) == "|a/b")
        // A cell is not joined to the text above.
        #expect(after("x/:|a", .deleteBackward) == "x/:|a")
    }

    @Test func lineBreaksInCodeAreLines() {
        #expect(after("#a|b/c", .insertLineBreak) == "#a/#|b/c")
        #expect(after(">a|b/c", .insertLineBreak) == ">a\u{2028}|b/c")
    }

    /// Covers RT 17 of the checklist for rich text.
    @Test func clearingTakesRolesAndThenListsAndLinks() {
        let scene = scene("-[one two|]/c")
        let roles: InlinePresentationIntent = [.stronglyEmphasized, .softBreak]
        scene.store.restyle {
            $0.set(roles, of: InlinePresentationIntentAttribute.self, in: 0..<3)
            $0.set("http://x.y", of: LinkAttribute.self, in: 4..<7)
        }
        func attributes(_ at: UTF16Offset) -> TextAttributes { scene.store.styledText.attributes(at: at) }
        scene.perform(.clearFormatting)
        #expect(attributes(0)[InlinePresentationIntentAttribute.self] == .softBreak)
        #expect(attributes(4)[LinkAttribute.self] != nil && shown(scene) == "-[one two|]/c")
        scene.perform(.clearFormatting)
        #expect(attributes(4)[LinkAttribute.self] == nil && shown(scene) == "[one two|]/c")
    }

    /// Covers RT 42 of the checklist for rich text.
    @Test func aNestedItemLeavesByItsKindsButton() {
        let scene = scene("-a/-b|/c")
        scene.perform(.indent)
        #expect(scene.state.listItem(at: 2)?.list?.marker == .circle)
        scene.make(scene.state.togglingList(.disc))
        #expect(scene.state.listItem(at: 2) == nil && scene.state.listItem(at: 0)?.list?.marker == .disc)
    }

    // MARK: Inserting blocks

    private func empty(_ notation: String) -> EditingScene {
        let scene = scene(notation)
        scene.options.makesBlocks = true
        return scene
    }

    private func intent(_ scene: EditingScene, at offset: UTF16Offset = 0) -> PresentationIntent.Kind? {
        scene.store.styledText.attributes(at: offset)[PresentationIntentAttribute.self]?.components.first?.kind
    }

    @Test func rulesAndTablesAreInsertedBelowTheParagraph() {
        let scene = empty("a|/b/c")
        scene.make(scene.state.insertingRule())
        #expect(scene.notation == "a\n\u{2e3b}\n|\nb\nc")
        scene.make(scene.state.insertingTable())
        #expect(scene.notation == "a\n\u{2e3b}\n|\t\n\t\nb\nc")
        #expect(intent(scene, at: 4) == .tableHeaderRow && intent(scene, at: 6) == .tableRow(rowIndex: 1))
        let heading = empty("a|")
        heading.make(heading.state.settingHeading(1))
        heading.make(heading.state.insertingRule())
        heading.make(heading.state.inserting("b"))
        #expect(heading.store.text == "a\n\u{2e3b}\nb" && intent(heading, at: 2) == .thematicBreak)
        #expect(intent(heading) == .header(level: 1) && intent(heading, at: 4) == nil)
    }

    /// The rows below the rule would be a table of their own, whose first row is its header.
    @Test func noRuleIsInsertedInATableOrInCode() {
        #expect(scene(":a\tb|/:c\td/e").state.insertingRule() == nil)
        #expect(scene("#a|/#b/e").state.insertingRule() == nil)
        #expect(scene("#a/#b/e|").state.insertingRule() != nil)
    }

    @Test func backspaceInAnEmptyHeadingLeavesIt() {
        let scene = empty("|/b")
        scene.make(scene.state.settingHeading(2))
        #expect(intent(scene) == .header(level: 2))
        scene.perform(.deleteBackward)
        #expect(scene.notation == "|\nb" && intent(scene) == nil)
    }

    @Test func tabGoesFromCellToCell() {
        let scene = empty("|")
        scene.make(scene.state.insertingTable())
        type("a", in: scene)
        scene.perform(.insertTab)
        type("b", in: scene)
        scene.perform(.insertTab)
        type("c", in: scene)
        #expect(scene.notation == "a\tb\nc|\t\n")
        scene.perform(.insertTab, .insertTab)
        // Tab in the last cell adds a row.
        #expect(scene.notation == "a\tb\nc\t\n|\t\n" && intent(scene, at: 7) == .tableRow(rowIndex: 2))
        scene.perform(.insertBacktab, .insertBacktab)
        #expect(scene.notation == "a\tb\n|c\t\n\t\n")
        scene.perform(.insertBacktab, .insertBacktab)
        #expect(scene.notation == "|a\tb\nc\t\n\t\n")
    }

    /// A tab in place of the selection would make another cell, and without the first tab the cells would move.
    @Test func tabsKeepTheCellsOfATable() {
        let scene = empty("|")
        scene.make(scene.state.insertingTable())
        scene.perform(.insertBacktab)
        #expect(scene.notation == "|\t\n\t\n")
        type("ab", in: scene)
        scene.perform(.moveBackwardAndModifySelection, .insertTab)
        #expect(scene.notation == "ab\t|\n\t\n")
        scene.perform(.moveBackwardAndModifySelection, .moveBackwardAndModifySelection, .insertBacktab)
        #expect(scene.notation == "a[|b\t]\n\t\n")
        scene.perform(.moveDownAndModifySelection, .insertTab)
        #expect(scene.store.text == "ab\t\n\t\n")
    }

    @Test func backspaceAtARowsStartMakesNoCellsOfTheRowAbove() {
        let scene = empty("|")
        scene.make(scene.state.insertingTable())
        scene.perform(.insertTab, .insertTab)
        #expect(scene.notation == "\t\n|\t\n")
        scene.make(scene.state.inserting("c"))
        scene.perform(.moveToBeginningOfLine, .deleteBackward)
        #expect(scene.notation == "\t|\nc\t\n")
        scene.perform(.moveDown, .moveToBeginningOfLine, .deleteForward, .deleteBackward)
        #expect(scene.notation == "\t|\n")
    }

    /// A deletion at the border of a cell would give the row fewer cells, or join two rows.
    @Test(arguments: [
        EditCommand.deleteForward, .deleteBackward, .deleteWordForward, .deleteWordBackward, .deleteToEndOfParagraph,
    ])
    func keysDeleteNoBordersOfCells(_ command: EditCommand) {
        let isForward = [EditCommand.deleteForward, .deleteWordForward, .deleteToEndOfParagraph].contains(command)
        for (row, caret) in [(0, isForward ? 1 : 2), (1, isForward ? 1 : 2), (1, isForward ? 3 : 2)] {
            let scene = scene("x/:a\tb/:c\td/y")
            let start = scene.store.text.utf16Range(of: ParagraphIndex(1 + row)).lowerBound
            scene.make(scene.state.selecting(Selection(caret: start + caret)))
            scene.perform(command)
            #expect(scene.store.text == "x\na\tb\nc\td\ny", "\(command) at \(caret) of row \(row)")
        }
        // Neither are the paragraphs around the table joined with it.
        for notation in isForward ? ["x|/:a\tb"] : [":a\tb/|y", "x/:|a\tb"] {
            let scene = scene(notation.replacing("|", with: ""))
            let caret = notation.drop { $0 == ":" }.replacing(":", with: "").prefix { $0 != "|" }.utf16.count
            scene.make(scene.state.selecting(Selection(caret: UTF16Offset(caret))))
            let before = scene.store.text
            scene.perform(command)
            #expect(scene.store.text == before, "\(command) in \(notation)")
        }
    }

    @Test func deletingWithinACellGoesToItsBorder() {
        let scene = scene(":one two\tthree four")
        scene.make(scene.state.selecting(Selection(caret: 3)))
        scene.perform(.deleteToEndOfParagraph)
        #expect(scene.notation == "one|\tthree four")
        scene.make(scene.state.selecting(Selection(caret: 9)))
        scene.perform(.deleteToBeginningOfLine)
        #expect(scene.store.text == "one\t four")
    }

    @Test func backspaceInAnEmptyTableRemovesIt() {
        let scene = empty("|")
        scene.make(scene.state.insertingTable())
        scene.perform(.deleteBackward)
        #expect(scene.notation == "|\t\n\t\n" && intent(scene) == .tableHeaderRow)
        scene.perform(.insertTab, .insertTab, .deleteBackward)
        #expect(scene.notation == "\t|\n")
        scene.perform(.insertBacktab, .deleteBackward)
        #expect(scene.notation == "|\n" && intent(scene) == nil)
    }

    @Test func alignedParagraphsKeepTheSpaceOfTheLayout() {
        let scene = empty("a|/b")
        scene.make(scene.state.aligning(.center, base: Self.spaced))
        let style = scene.store.styledText.attributes(at: 0)[ParagraphStyleAttribute.self]
        #expect(style?.spacingAfter == 8 && style?.alignment == .center)
        scene.make(scene.state.aligning(Self.spaced.alignment, base: Self.spaced))
        #expect(scene.store.styledText.attributes(at: 0)[ParagraphStyleAttribute.self] == nil)
    }

    private static var spaced: ParagraphStyle {
        var style = ParagraphStyle()
        style.spacingAfter = 8
        return style
    }
}
