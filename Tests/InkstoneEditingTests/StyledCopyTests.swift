import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// Attributes are kept whenever text is moved within the process.
@Suite(.timeLimit(.minutes(5))) struct StyledCopyTests {
    /// An attribute without coding, which cannot leave the process.
    private enum Weight: AttributeKey {
        typealias Value = Int
        static let name = "weight of copies"
        static let inheritedByAddedText = false
    }

    /// Creates a view in which each "b" has a weight; the last range is primary.
    private func view(_ notation: String) -> EditorView {
        let (text, selection) = EditingScene.read(notation)
        let view = ViewScene(store: TextStore(Rope(text))).view
        view.session.killBuffer = KillBuffer()
        view.store.restyle {
            for (index, letter) in text.utf16.enumerated() where letter == 0x62 {
                $0.set(1, of: Weight.self, in: UTF16Offset(index)..<UTF16Offset(index + 1))
            }
        }
        view.select(selection)
        return view
    }

    /// Returns the view's text, with weighted characters in capitals.
    private func heavy(_ view: EditorView) -> String {
        view.store.styledText.attributes(in: view.textRange).map {
            let part = view.store.text.string(in: $0.range)
            return $0.attributes[Weight.self] == nil ? part : part.uppercased()
        }.joined()
    }

    private func copied(_ notation: String) throws -> CopiedText {
        let source = view(notation)
        return try #require(source.state.selectedCopy)
    }

    @Test func cutAndYankedTextKeepsItsAttributes() {
        let view = view("[abc|]x")
        view.perform(.cut)
        view.perform(.moveToEndOfDocument)
        view.perform(.yank)
        #expect(heavy(view) == "xaBc")
        let killed = self.view("|ab\nbc")
        killed.perform(.deleteToEndOfLine)
        killed.perform(.deleteToEndOfParagraph)
        killed.perform(.deleteToEndOfLine)
        killed.perform(.yank)
        #expect(heavy(killed) == "aB\nBc")
    }

    /// A drag within the view keeps the attributes, as a part of its change.
    @Test func draggedTextKeepsItsAttributes() throws {
        let view = view("[abcb|]x")
        view.options.inputFilter = { $0.filter { $0 != "z" } }
        let (dragged, _) = try #require(view.session.beginDragging())
        #expect(view.moveDragged(dragged, to: ViewPoint(x: 390, y: 5)))
        #expect(heavy(view) == "xaBcB")
        view.session.undo()
        #expect(heavy(view) == "aBcBx")
    }

    /// A filter that accepts only a part would delete the rest, so the drag is refused.
    @Test func aDragThatAFilterWouldCutIsNotMade() throws {
        let view = view("[abcb|]x")
        view.options.inputFilter = { $0.filter { $0 != "c" } }
        let (dragged, _) = try #require(view.session.beginDragging())
        #expect(!view.moveDragged(dragged, to: ViewPoint(x: 390, y: 5)))
        #expect(heavy(view) == "aBcBx")
    }

    @Test func textOfSeveralRangesKeepsItsAttributes() throws {
        let copied = try copied("[ab|]x[bc|]")
        let one = view("|")
        one.session.paste(copied)
        #expect(heavy(one) == "aB\nBc")
        let two = view("|--|")
        two.session.paste(copied)
        #expect(heavy(two) == "aB--Bc")
    }

    @Test func linesAtAsManyCaretsKeepTheirAttributes() throws {
        let view = view("|--|-|")
        view.session.paste(try copied("[ab\nbc\nb|]"))
        #expect(heavy(view) == "aB--Bc-B")
    }

    @Test(arguments: ["\n", "\r\n", "\r"], ["\n", "\r\n", "\r"])
    func attributesStayWhereLineEndsBecomeOthers(_ from: String, _ to: String) throws {
        let copied = try copied("[ab\(from)bc\(from)b|]")
        let view = view("|")
        view.session.newline = to
        view.session.paste(copied)
        #expect(heavy(view) == "aB\(to)Bc\(to)B")
    }

    @Test func lineEndsOfStyledTextStayApartFromOthers() throws {
        let behind = view("a\r|")
        behind.session.paste(try copied("[\nb|]"))
        #expect(heavy(behind) == "a\r\r\nB")
        let before = view("|\na")
        before.session.newline = "\r"
        before.session.paste(try copied("[b\n|]"))
        #expect(heavy(before) == "B\r\n\na")
    }

    @Test func filteredTextKeepsItsAttributes() throws {
        let short = view("x|")
        short.options.maximumLength = 4
        short.session.paste(try copied("[abbc|]"))
        #expect(heavy(short) == "xaBB")
        let line = view("|")
        line.options.isSingleLine = true
        line.options.acceptsStyles = true
        line.session.paste(try copied("[\nb\n\na\nb\n|]"))
        #expect(heavy(line) == "B a B")
        let filtered = view("|")
        filtered.options.inputFilter = { $0.filter { $0 != "a" } }
        filtered.session.paste(try copied("[abcab|]"))
        #expect(heavy(filtered) == "BcB")
        filtered.options.inputFilter = { $0.replacing("c", with: "<>") }
        filtered.select(nil)
        filtered.select(Selection(anchor: 0, head: 3))
        filtered.session.paste(try copied("[abcb|]"))
        #expect(heavy(filtered) == "aB<>B")
    }

    @Test func attributesWithoutACodingStayInTheProcess() throws {
        let copied = try copied("a[b|]")
        #expect(copied.fragment?.text.runs == nil)
        let view = view("a|")
        view.session.paste(copied)
        #expect(heavy(view) == "aB")
    }

    @Test func droppedTextKeepsItsAttributes() throws {
        let view = view("|")
        view.session.newline = "\r\n"
        #expect(view.drop(try copied("[ab\nb|]"), at: ViewPoint(x: 0, y: 0)))
        #expect(heavy(view) == "aB\r\nB")
    }

    @Test func plainTextTakesAfterItsSurroundings() throws {
        let view = view("b|")
        view.store.restyle { $0.set("x", of: Note.self, in: 0..<1) }
        view.session.paste("ab")
        #expect(view.store.styledText.attributes(at: 2)[Note.self] == "x" && heavy(view) == "Bab")
        view.session.paste(try copied("[ab|]"))
        #expect(view.store.styledText.attributes(at: 4)[Note.self] == nil && heavy(view) == "BabaB")
    }

    private enum Note: AttributeKey {
        typealias Value = String
        static let name = "note of copies"
    }
}
