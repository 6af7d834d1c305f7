import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

/// The effects of keys and commands on list items.
@Suite(.timeLimit(.minutes(5))) struct ListEditingTests {
    /// Creates a text whose paragraphs are list items: `one|/-two/--three` has further levels; `+` marks a
    /// paragraph without item.
    private func scene(_ notation: String, _ marker: TextList.Marker = .decimal) -> EditingScene {
        let lists = [TextList(marker), TextList(.lowercaseAlphabetic), TextList(.lowercaseRoman)]
        let paragraphs = notation.split(separator: "/", omittingEmptySubsequences: false)
        let scene = EditingScene(paragraphs.map { $0.drop { "-+".contains($0) } }.joined(separator: "\n"))
        scene.store.restyle {
            for (index, paragraph) in paragraphs.enumerated() where paragraph.first != "+" {
                let item = ListItem(Array(lists[...paragraph.prefix { $0 == "-" }.count]))
                $0.set(item, of: ListAttribute.self, in: scene.store.text.utf16Range(of: ParagraphIndex(index)))
            }
        }
        return scene
    }

    /// Returns the text with its markers, `/` for line ends: `1. one/  a. two|`.
    private func shown(_ scene: EditingScene) -> String {
        scene.notation.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, paragraph in
            let start = scene.store.text.utf16Range(of: ParagraphIndex(index)).lowerBound
            let item = scene.state.listItem(at: start)
            let fragment = scene.layout.textLayoutFragment(for: start)
            guard let item, fragment.utf16Range.lowerBound == start else { return String(paragraph) }
            let marker = fragment.itemNumber.map { item.list?.plainMarker(number: $0, isChecked: item.isChecked) ?? "" }
            return String(repeating: "  ", count: item.level - 1) + (marker ?? "…") + " " + paragraph
        }.joined(separator: "/")
    }

    private func after(_ notation: String, _ marker: TextList.Marker = .decimal, _ commands: EditCommand...) -> String {
        let scene = scene(notation, marker)
        for command in commands { scene.perform(command) }
        return shown(scene)
    }

    /// Covers RT 31, RT 32, RT 33 of the checklist for rich text.
    @Test func returnContinuesAnItemAndLeavesWithAnEmptyOne() {
        #expect(after("one|/two/+", .decimal, .insertNewline) == "1. one/2. |/3. two/")
        #expect(after("o|ne/two/+", .decimal, .insertNewline) == "1. o/2. |ne/3. two/")
        #expect(after("|one/two/+", .decimal, .insertNewline) == "1. /2. |one/3. two/")
        // A newline of its own holds the new item at the end of the text.
        #expect(after("one|", .decimal, .insertNewline) == "1. one/2. |/")
        #expect(after("one|", .decimal, .insertNewline, .insertNewline) == "1. one/|/")
        #expect(after("one/-|/two/+", .decimal, .insertNewline) == "1. one/2. |/3. two/")
        #expect(after("one/-|/two/+", .decimal, .insertNewline, .insertNewline) == "1. one/|/2. two/")
        #expect(after("one/-two|/+", .decimal, .insertNewline) == "1. one/  a. two/  b. |/")
    }

    @Test func returnMakesALineEndOfItsOwn() {
        for (text, isEnd) in [("a\r|b\nc", false), ("a\r[b|]", true)] {
            let scene = EditingScene(text)
            let item = ListItem([TextList(.checkbox)], isChecked: true)
            scene.store.restyle { $0.set(item, of: ListAttribute.self, in: scene.store.text.utf16Range) }
            scene.perform(.insertNewline)
            #expect(scene.notation == (isEnd ? "a\r\r\n|\n" : "a\r\r\n|b\nc"))
            #expect(scene.state.listItem(at: 2)?.isChecked == isEnd)
            #expect(scene.state.listItem(at: 4)?.isChecked == !isEnd)
        }
    }

    @Test func newItemsAreUnchecked() {
        let scene = scene("one|/+", .checkbox)
        scene.perform(.toggleCheckbox)
        #expect(shown(scene) == "[x] one|/")
        scene.perform(.insertNewline)
        #expect(shown(scene) == "[x] one/[ ] |/")
        scene.perform(.undo, .moveToBeginningOfDocument, .insertNewline)
        #expect(shown(scene) == "[ ] /[x] |one/")
    }

    /// Covers RT 34, RT 44 of the checklist for rich text.
    @Test func aLineBreakStaysInTheItem() {
        let scene = scene("one|/two/+")
        scene.options.insertsLineSeparators = true
        scene.perform(.insertLineBreak)
        #expect(shown(scene) == "1. one\u{2028}|/2. two/")
        let item = self.scene("one/tw|o/three/+")
        let list = item.state.listItem(at: 0)?.lists ?? []
        item.store.restyle { $0.set(ListItem(list, hasMarker: false), of: ListAttribute.self, in: 4..<8) }
        #expect(shown(item) == "1. one/… tw|o/2. three/")
        item.make(item.state.inserting("x"))
        #expect(shown(item) == "1. one/… twx|o/2. three/")
        item.perform(.moveToBeginningOfParagraph, .deleteBackward)
        #expect(shown(item) == "1. one|twxo/2. three/")
    }

    /// Covers RT 35, RT 36, RT 49 of the checklist for rich text.
    @Test func backspaceTakesTheMarkerBeforeItJoins() {
        #expect(after("one/-|two/+", .decimal, .deleteBackward) == "1. one/2. |two/")
        #expect(after("one/-|two/+", .decimal, .deleteBackward, .deleteBackward) == "1. one/|two/")
        #expect(after("one/|two/three/+", .decimal, .deleteBackward, .deleteBackward) == "1. one|two/2. three/")
        #expect(after("|one/two/+", .decimal, .deleteBackward) == "|one/1. two/")
        #expect(after("one|/two/+", .decimal, .deleteForward) == "1. one|two/")
        #expect(after("one/|/two/+", .decimal, .deleteForward) == "1. one/2. |two/")
        #expect(after("o[ne/-two/th|]ree/+", .decimal, .deleteBackward) == "1. o|ree/")
        #expect(after("one|/+two", .decimal, .deleteForward) == "1. one|two")
    }

    /// Covers RT 37, RT 38 of the checklist for rich text.
    @Test func tabMovesItemsWithWhatIsWithinThem() {
        #expect(after("one/|two/three/+", .decimal, .insertTab) == "1. one/  a. |two/2. three/")
        #expect(after("|one/-two/+", .decimal, .insertTab).hasPrefix("  a. |one/    i. two/"))
        #expect(after("one/-two/|three/+", .decimal, .insertTab) == "1. one/  a. two/  b. |three/")
        #expect(after("one/o[ne/tw|]o/+", .decimal, .insertTab) == "1. one/  a. o[ne/  b. tw|]o/")
        #expect(after("one/t|wo/+", .decimal, .insertTab) == "1. one/2. t\t|wo/")
        #expect(after("one/-|two/--three/-four/+", .decimal, .insertBacktab) == "1. one/2. |two/  a. three/  a. four/")
        #expect(after("|one/+", .decimal, .insertBacktab) == "1. |one/")
        #expect(after("one/-|two/+", .decimal, .insertBacktab, .undo) == "1. one/  a. |two/")
    }

    /// With a caret at the start of each of several items, Tab and Shift+Tab move each of them, and what is within.
    @Test func tabMovesItemsAtSeveralCarets() {
        func after(_ notation: String, _ carets: [Int], _ command: EditCommand) -> String {
            let scene = scene(notation)
            scene.select(Selection(carets.map { SelectionRange(caret: UTF16Offset($0)) }))
            scene.perform(command)
            return shown(scene).replacing("|", with: "")
        }
        #expect(after("|a/b/c/d/+", [2, 4], .insertTab) == "1. a/  a. b/  b. c/2. d/")
        #expect(after("|a/b/c/d/e/+", [2, 6], .insertTab) == "1. a/  a. b/2. c/  a. d/3. e/")
        #expect(after("|a/b/-c/d/+", [2, 4], .insertTab) == "1. a/  a. b/    i. c/2. d/")
        #expect(after("|a/-b/-c/-d/-e/+", [2, 6], .insertBacktab) == "1. a/2. b/  a. c/3. d/  a. e/")
        #expect(after("|a/-b/--x/-c/-d/--y/-e/+", [2, 8], .insertBacktab).hasPrefix("1. a/2. b/  a. x/  a. c/3. d/"))
        // Elsewhere in an item, and in body text, Tab types a tab.
        #expect(after("|a/b/+c", [2, 4], .insertTab) == "1. a/  a. b/\tc")
        #expect(after("|aa/b/+c", [1, 3], .insertTab) == "1. a\ta/  a. b/c")
    }

    /// A command that changes the kind of a list gives the lists within it the markers that a file of Markdown has.
    @Test func listsWithinAListOfAnotherKindGetItsStandardMarkers() {
        func markers(_ lists: [TextList.Marker], _ marker: TextList.Marker, inner: Bool = false) -> [TextList.Marker] {
            let scene = EditingScene(inner ? "one\n|x\n" : "|one\nx\n")
            scene.options.acceptsStyles = true
            let lists = lists.map { TextList($0) }
            scene.store.restyle {
                $0.set(ListItem([lists[0]]), of: ListAttribute.self, in: 0..<4)
                $0.set(ListItem(lists), of: ListAttribute.self, in: 4..<6)
            }
            scene.make(scene.state.togglingList(marker))
            return scene.state.listItem(at: 4)?.lists.map(\.marker) ?? []
        }
        #expect(markers([.disc, .circle], .decimal) == [.decimal, .disc])
        #expect(markers([.disc, .circle, .square], .decimal) == [.decimal, .disc, .circle])
        #expect(markers([.decimal, .disc], .disc) == [.disc, .circle])
        #expect(markers([.decimal, .lowercaseAlphabetic], .disc) == [.disc, .decimal])
        #expect(markers([.disc, .circle], .checkbox) == [.checkbox, .disc])
        #expect(markers([.disc, .square], .decimal) == [.decimal, .square])
        #expect(markers([.disc, .circle, .square], .decimal, inner: true) == [.disc, .circle, .decimal])
    }

    @Test("Items within an item that is moved get the markers of their new levels, unless the user chose others")
    func nestedMarkers() {
        #expect(after("one/|two/-x/-y/+", .decimal, .insertTab) == "1. one/  a. |two/    i. x/    ii. y/")
        #expect(after("one/-|two/--x/+", .decimal, .insertBacktab).hasPrefix("1. one/2. |two/  a. x/"))
        func markers(_ lists: [TextList.Marker], _ command: EditCommand) -> [TextList.Marker] {
            let scene = EditingScene("one\n|two\nx\n")
            let lists = lists.map { TextList($0) }
            scene.store.restyle {
                $0.set(ListItem([lists[0]]), of: ListAttribute.self, in: 0..<4)
                $0.set(ListItem(Array(lists.dropLast())), of: ListAttribute.self, in: 4..<8)
                $0.set(ListItem(lists), of: ListAttribute.self, in: 8..<10)
            }
            scene.perform(command)
            return scene.state.listItem(at: 8)?.lists.map(\.marker) ?? []
        }
        #expect(markers([.disc, .circle], .insertTab) == [.disc, .circle, .square])
        #expect(markers([.disc, .circle, .square], .insertBacktab) == [.disc, .circle])
        #expect(markers([.disc, .disc], .insertTab) == [.disc, .circle, .disc])
        #expect(markers([.decimal, .disc], .insertTab) == [.decimal, .lowercaseAlphabetic, .disc])
        #expect(markers([.checkbox, .checkbox], .insertTab) == [.checkbox, .checkbox, .checkbox])
    }

    @Test func allItemsThatFollowBelongToTheOneMovedOut() {
        let scene = scene("one/-|two" + String(repeating: "/-x", count: 10_050) + "/+")
        let end = scene.store.text.utf16Range.upperBound - 1
        let old = scene.state.listItem(at: end)?.list?.id
        scene.perform(.insertBacktab)
        let (first, last) = (scene.state.listItem(at: 8), scene.state.listItem(at: end))
        #expect(last?.level == 2 && last?.list?.id != old && last?.list?.id == first?.list?.id)
    }

    /// Covers RT 40, RT 42 of the checklist for rich text.
    @Test func commandsMakeSwitchRestartAndContinueLists() {
        #expect(after("+o[ne/+tw|]o", .decimal, .toggleNumberedList) == "1. o[ne/2. tw|]o/")
        #expect(after("+|", .decimal, .toggleBulletedList) == "- |/")
        #expect(after("one/tw|o/+", .decimal, .toggleNumberedList) == "1. one/tw|o/")
        #expect(after("one/+tw|o/+", .decimal, .toggleNumberedList) == "1. one/2. tw|o/")
        #expect(after("one/-two/thre|e/+", .decimal, .toggleChecklist) == "[ ] one/  1. two/[ ] thre|e/")
        #expect(after("one/tw|o/three/+", .decimal, .restartList) == "1. one/1. tw|o/2. three/")
        #expect(after("one/tw|o/three/+", .decimal, .restartList, .continueList) == "1. one/2. tw|o/3. three/")
        #expect(after("one|/+", .decimal, .toggleBulletedList, .undo) == "1. one|/")
        let plain = EditingScene("one|")
        plain.options.acceptsStyles = false
        #expect(!plain.state.canPerform(.toggleBulletedList))
        plain.options = TextInputOptions()
        plain.options.isEditable = false
        #expect(!plain.state.canPerform(.toggleChecklist) && plain.state.togglingCheckbox(at: 0) == nil)
    }

    private func type(_ text: String, in session: EditingSession) {
        for letter in text { session.insert(String(letter)) }
    }

    private func session(_ text: String, makesLists: Bool = true) -> EditingSession {
        let session = EditingSession(TextStore(Rope(text)))
        session.options.makesLists = makesLists
        return session
    }

    /// A save would ask about letters, and about a parenthesis behind numbers.
    @Test(arguments: ["a) ", "A) ", "i) ", "I) "]) func lettersMakeNoListInMarkdown(_ sign: String) {
        let session = session("")
        session.options.makesBlocks = true
        type(sign, in: session)
        #expect(session.state.listItem(at: 0) == nil && session.store.text == Rope(sign))
        let number = self.session("")
        number.options.makesBlocks = true
        type("7) ", in: number)
        let list = number.state.listItem(at: 0)?.list
        #expect(list?.suffix == "." && list?.startingNumber == 7)
    }

    /// Covers RT 43 of the checklist for rich text.
    @Test(arguments: [
        ("- ", TextList.Marker.disc, 1), ("* ", .disc, 1), ("1. ", .decimal, 1), ("7) ", .decimal, 7),
        ("a) ", .lowercaseAlphabetic, 1), ("[ ] ", .checkbox, 1), ("[x] ", .checkbox, 1),
    ])
    func signsBecomeMarkers(_ sign: String, _ marker: TextList.Marker, _ number: Int) throws {
        let session = session("")
        type(sign, in: session)
        let item = try #require(session.state.listItem(at: 0))
        #expect(item.list?.marker == marker && item.list?.startingNumber == number)
        #expect(session.state.string(in: 0..<1) == "\n" && session.state.selection == Selection(caret: 0))
        #expect(item.isChecked == (sign == "[x] "))
        // One undo restores the typed signs.
        session.store.undo()
        #expect(session.state.text.string(in: session.state.textRange) == sign && session.state.listItem(at: 0) == nil)
        type("x", in: session)
        #expect(session.state.listItem(at: 0) == nil)
        // The signs stay text in a view that makes no lists, and within a paragraph.
        let plain = self.session("", makesLists: false)
        type(sign, in: plain)
        #expect(plain.state.text.metrics.utf16 == sign.utf16.count && plain.state.styledText.runs == nil)
        let inside = self.session("")
        type("x" + sign, in: inside)
        #expect(inside.state.styledText.runs == nil)
    }

    @Test func aBoxBehindABulletIsATask() {
        let session = session("")
        type("- [ ] task", in: session)
        #expect(session.state.listItem(at: 0)?.list?.marker == .checkbox)
        #expect(session.state.text.string(in: session.state.textRange) == "task\n")
    }

    /// RT 48, without a pointer.
    @Test func aBoxIsCheckedWithoutMovingTheCaret() {
        let scene = scene("one/tw|o/+", .checkbox)
        scene.make(scene.state.togglingCheckbox(at: 0))
        #expect(shown(scene) == "[x] one/[ ] tw|o/")
        scene.perform(.undo)
        #expect(shown(scene) == "[ ] one/[ ] tw|o/")
        #expect(scene.state.togglingCheckbox(at: 8) == nil && self.scene("|a").state.togglingCheckbox(at: 0) == nil)
    }

    /// Copied text keeps its list items.
    @Test func copiesKeepLists() throws {
        let text = scene("one/-two/+").store.styledText
        let fragment = try #require(StyledFragment(of: 0..<8, in: text))
        #expect(StyledFragment(bytes: fragment.bytes)?.text == text.slice(0..<8))
    }

    @Test(
        "Blank lines and the last line end of plain text make no empty items",
        arguments: [
            ("x\n  y\n\n- z\n", "one|/+", "1. onex/2.   y/3. - z|/"), ("\n\nx\n", "one|/two/+", "1. one/2. x|/3. two/"),
            ("x\n \t\n\ny\n\n", "o|ne/+", "1. ox/2. y/3. |ne/"), ("x\n\ny", "|one/+", "1. x/2. y|one/"),
            ("\nx\n", "|one/+", "1. x/2. |one/"), ("x\n", "one/|/+", "1. one/2. x|/"),
            ("x\n\ny\n", "o[ne/tw|]o/+", "1. ox/2. y/3. |o/"), ("\n", "one|/+", "1. one/2. |/"),
            ("x\n\ny\n", "one/+t|", "1. one/tx//y/|"), ("x\r\n\r\ny\r\n", "one|/+", "1. onex/2. y|/"),
        ])
    func pastedLines(copied: String, notation: String, result: String) {
        let pasted = scene(notation)
        pasted.make(pasted.state.pasting(CopiedText(copied)))
        #expect(shown(pasted) == result)
        guard !notation.contains("[") else { return }
        let dropped = scene(notation)
        dropped.make(dropped.state.dropping(CopiedText(copied), at: dropped.state.primary.head))
        #expect(dropped.store.text == pasted.store.text)
    }

    @Test("Styled text that is pasted into a list, and plain text in code within an item, keep their empty lines")
    func otherPastedLines() {
        let styled = scene("one|/+")
        let bold = StyledText(Rope("x\n\ny\n"), TextAttributes(FontWeightAttribute.self, 200))
        styled.make(styled.state.pasting(CopiedText(bold)))
        #expect(shown(styled) == "1. onex//y/2. |/")
        let code = scene("one|/+")
        code.store.restyle {
            $0.set(
                PresentationIntent(.codeBlock(languageHint: nil), identity: 1), of: PresentationIntentAttribute.self,
                in: 0..<4)
        }
        code.make(code.state.pasting(CopiedText("x\n\ny")))
        #expect(code.notation == "onex\n\ny|\n")
    }
}
