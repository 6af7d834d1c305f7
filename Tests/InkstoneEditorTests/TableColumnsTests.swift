import Inkstone
import InkstoneMarkdown
import InkstoneTesting
import Testing

@testable import inkstone_editor

/// The columns of tables in styled text.
@Suite("Columns of tables", .timeLimit(.minutes(5))) struct TableColumnsTests {
    private let store: TextStore
    private let layout: TextLayoutManager
    private let blocks = RichBlocks()

    init() throws {
        store = TextStore(
            try MarkdownDocument(
                """
                | Name | Number | c | Last |
                |:---|---:|:-:|---|
                | foo | 12 | x | uu |
                | long name | **3** | yyy | zz |

                """
            ).text)
        layout = TextLayoutManager(
            store: store, container: TextContainer(width: 600), font: FontDescriptor(family: "DejaVu Sans", size: 16))
        blocks.attach(to: layout)
    }

    /// Returns the left edge of a text, its middle or its right edge.
    private func place(of text: String, _ part: Double) throws -> Double {
        let all = store.text.string(in: store.text.utf16Range)
        let range = try #require(all.firstRange(of: text))
        let before = all[..<range.lowerBound].utf16.count
        let start = layout.geometry.caretRect(at: UTF16Offset(before)).minX
        let end = layout.geometry.caretRect(at: UTF16Offset(before + text.utf16.count)).minX
        return start + (end - start) * part
    }

    private func edit(_ range: Range<UTF16Offset>, _ new: String) {
        let applied = store.replace(range, with: Rope(new))
        layout.apply(applied)
        blocks.columns.follow(applied)
    }

    @Test func cellsOfAColumnHaveTheSameX() throws {
        #expect(try place(of: "Name", 0) == place(of: "foo", 0))
        #expect(try place(of: "Number", 1) == place(of: "12", 1))
        #expect(try place(of: "Number", 1) == place(of: "3", 1))
        #expect(try abs(place(of: "yyy", 0.5) - place(of: "x", 0.5)) <= 1)
        #expect(try place(of: "Last", 0) == place(of: "zz", 0))
        #expect(try place(of: "Number", 0) >= place(of: "long name", 1) + 16)
    }

    @Test func columnsFollowEdits() throws {
        let before = try place(of: "12", 1)
        edit(0..<4, "A much longer name")
        let (wide, header) = (try place(of: "12", 1), try place(of: "Number", 1))
        #expect(wide > before && header == wide)
        edit(0..<18, "Name")
        #expect(try place(of: "12", 1) == before)
        // The row that gives the width goes; the row that takes its place is none of the table's.
        let rows = store.text.string(in: store.text.utf16Range).split(separator: "\n")
        let last = rows.prefix(2).joined(separator: "\n").utf16.count
        edit(UTF16Offset(last)..<UTF16Offset(last + 1 + rows[2].utf16.count), "")
        #expect(try place(of: "12", 1) < before)
        #expect(try place(of: "12", 1) == place(of: "Number", 1))
    }

    /// A picture in a cell is as wide in its column as elsewhere.
    @Test func columnsHaveRoomForPictures() throws {
        let row = store.text.utf16Range(of: ParagraphIndex(1)).lowerBound
        let picture = try #require(TextAttachment(contents: [1], type: "x", size: Size(width: 120, height: 80)))
        let attributes = store.styledText.attributes(at: row)
        edit(row..<row + 3, String(TextAttachment.character))
        store.restyle {
            $0.set(attributes, in: row..<row + 1)
            $0.set(picture, of: AttachmentAttribute.self, in: row..<row + 1)
        }
        layout.invalidateLayout()
        let start = layout.geometry.caretRect(at: row).minX
        let end = layout.geometry.caretRect(at: row + 1).minX
        #expect(end - start == 120)
        #expect(try place(of: "12", 0) >= end && place(of: "Number", 0) >= end)
        #expect(try place(of: "Number", 1) == place(of: "12", 1) && place(of: "12", 1) == place(of: "3", 1))
    }

    @Test func columnsFollowTheFont() throws {
        let before = try place(of: "12", 1)
        layout.font.size = 32
        #expect(try place(of: "12", 1) > before * 1.5 && place(of: "12", 1) == place(of: "Number", 1))
        #expect(try place(of: "Number", 0) >= place(of: "long name", 1) + 32)
        layout.font.size = 16
        #expect(try place(of: "12", 1) == before)
    }

    @Test func columnsFollowTheirAlignment() throws {
        let (before, edge) = (try place(of: "12", 0), try place(of: "12", 1))
        let session = EditingSession(store)
        session.options.acceptsStyles = true
        let caret = try place(of: "Number", 1)
        session.select(Selection(caret: 6))
        session.dispatch(session.state.changingTable(.alignLeft))
        layout.invalidateLayout()
        #expect(try place(of: "12", 0) < before && place(of: "12", 0) == place(of: "Number", 0))
        #expect(try place(of: "Number", 1) == caret && edge == caret)
        let source = MarkdownDocument.write(store.styledText).source
        #expect(source.contains("| :-- | :-- | :-: | --- |"), "\(source)")
    }

    /// The other columns do not depend on where the first cell begins.
    @Test(arguments: [TableChange.alignRight, .alignCenter])
    func theFirstColumnMayBeAligned(change: TableChange) throws {
        let session = EditingSession(store)
        session.options.acceptsStyles = true
        session.select(Selection(caret: 0))
        session.dispatch(session.state.changingTable(change))
        layout.invalidateLayout()
        let part = change == .alignRight ? 1.0 : 0.5
        let row = store.text.utf16Range(of: ParagraphIndex(1)).lowerBound
        edit(row..<row, "two\u{2028}")
        #expect(try abs(place(of: "Name", part) - place(of: "long name", part)) <= 1)
        #expect(try abs(place(of: "foo", part) - place(of: "long name", part)) <= 1)
        #expect(try abs(place(of: "two", part) - place(of: "long name", part)) <= 1)
        #expect(try place(of: "Number", 1) == place(of: "12", 1) && place(of: "12", 1) == place(of: "3", 1))
        #expect(try place(of: "Last", 0) == place(of: "uu", 0) && place(of: "uu", 0) == place(of: "zz", 0))
    }

    @Test func linesOfCellsStandBelowEachOther() throws {
        let row = store.text.utf16Range(of: ParagraphIndex(2)).lowerBound
        edit(row + 4..<row + 5, "\u{2028}")
        edit(row + 13..<row + 13, "\u{2028}")
        edit(row + 17..<row + 17, "wide ")
        #expect(layout.textLayoutFragment(for: row).textLineFragments.count == 3)
        #expect(try place(of: "name", 0) == place(of: "long", 0) && place(of: "3", 1) == place(of: "12", 1))
        #expect(try abs(place(of: "yy", 0.5) - place(of: "x", 0.5)) <= 1)
        #expect(try place(of: "wide zz", 0) == place(of: "Last", 0))
    }

    /// The table of a list item is indented, its columns and lines with it.
    @Test func linesBetweenColumnsAreBetweenCellsInAList() throws {
        let table = "| A | Wort | c |\n  |---|---|---|\n  | long name | Haus | d |\n"
        let store = TextStore(try MarkdownDocument("- item\n\n  " + table).text)
        let layout = TextLayoutManager(
            store: store, container: TextContainer(width: 600), font: FontDescriptor(family: "DejaVu Sans", size: 16))
        blocks.attach(to: layout)
        let row = store.text.utf16Range(of: ParagraphIndex(2)).lowerBound
        let fragment = layout.textLayoutFragment(for: row)
        let canvas = RecordingCanvas(size: Size(width: 600, height: 400))
        fragment.custom?.draw(fragment, at: WindowPoint(x: 0, y: 0), on: canvas)
        let edges = canvas.operations.compactMap {
            if case .fill(let rect, _) = $0, rect.width == 1 { rect.minX } else { nil }
        }
        try #require(edges.count == 2)
        let places = [9, 10, 14, 15].map { layout.geometry.caretRect(at: row + $0).minX }
        #expect(places[0] < edges[0] && edges[0] < places[1] && places[2] < edges[1] && edges[1] < places[3])
    }

    /// A copy of a table has the identity of the table. The two must not take turns in changing each other's layout.
    @Test func copiesOfATableHaveTheirOwnColumns() throws {
        let table = store.styledText
        let end = store.text.utf16Range.upperBound
        layout.apply(store.replace(end..<end, with: Rope("body\n")))
        store.restyle { $0.set(TextAttributes(), in: end..<end + 5) }
        layout.invalidateLayout()
        let copy = store.text.utf16Range.upperBound
        let (changes, restyling) = store.styledText.replacing([(copy..<copy, table)])
        var transaction = Transaction(on: store, changes)
        transaction.restyling = restyling
        layout.apply(try #require(store.apply(transaction)))
        edit(0..<4, "A much longer name")
        var count = 0
        blocks.columns.onChange = { count += 1 }
        for _ in 0..<3 { layout.ensureLayout(for: store.text.utf16Range) }
        #expect(count == 0)
    }

    @Test func tooWideTablesKeepRegularStops() throws {
        layout.container = TextContainer(width: 120)
        #expect(layout.textLayoutFragment(for: 0).textLineFragments.count > 1)
        #expect(try place(of: "12", 1) != place(of: "Number", 1))
    }

    @Test func theLastColumnWrapsBelowItself() throws {
        let end = store.text.utf16ContentRange(of: ParagraphIndex(1)).upperBound
        edit(end..<end, String(repeating: " word", count: 60))
        let lines = layout.textLayoutFragment(for: end).textLineFragments
        let column = try place(of: "Last", 0)
        #expect(lines.count > 1 && lines.dropFirst().allSatisfy { $0.typographicBounds.minX >= column })
    }

    @Test func cellsHaveLinesAroundThem() throws {
        func fills(_ row: Int) -> [WindowRect] {
            let fragment = layout.textLayoutFragment(for: store.text.utf16Range(of: ParagraphIndex(row)).lowerBound)
            let canvas = RecordingCanvas(size: Size(width: 600, height: 400))
            fragment.custom?.draw(fragment, at: WindowPoint(x: 0, y: 0), on: canvas)
            return canvas.operations.compactMap { if case .fill(let rect, _) = $0 { rect } else { nil } }
        }
        #expect((0..<3).map { fills($0).count { $0.height == 1 } } == [2, 1, 1])
        let edges = (0..<3).map { fills($0).filter { $0.width == 1 }.map(\.minX) }
        #expect(edges[0].count == 3 && edges[1] == edges[0] && edges[2] == edges[0])
        #expect(try place(of: "long name", 1) < edges[0][0] && edges[0][0] < place(of: "Number", 0))
        #expect(try place(of: "yyy", 1) < edges[0][2] && edges[0][2] < place(of: "Last", 0))
    }

    @Test func cellsWithoutTextHaveRoom() {
        let store = TextStore("\t\n\t\n")
        let table = PresentationIntent(.table(columns: [.init(), .init()]), identity: 1)
        store.restyle {
            $0.set(
                PresentationIntent(.tableHeaderRow, identity: 2, parent: table), of: PresentationIntentAttribute.self,
                in: 0..<2)
            $0.set(
                PresentationIntent(.tableRow(rowIndex: 1), identity: 3, parent: table),
                of: PresentationIntentAttribute.self, in: 2..<4)
        }
        let layout = TextLayoutManager(
            store: store, container: TextContainer(width: 600), font: FontDescriptor(family: "DejaVu Sans", size: 16))
        blocks.attach(to: layout)
        #expect(layout.geometry.caretRect(at: 1).minX >= 64)
    }

    @Test func aLineBreakInACellKeepsTheColumns() throws {
        let row = store.text.utf16Range(of: ParagraphIndex(1)).lowerBound
        edit(row + 2..<row + 2, "\u{2028}")
        #expect(layout.textLayoutFragment(for: row).textLineFragments.count == 2)
        #expect(layout.geometry.caretRect(at: row + 3).minX == layout.geometry.caretRect(at: row).minX)
        #expect(try place(of: "12", 1) == place(of: "Number", 1))
        edit(row + 2..<row + 3, "")
        let place = store.text.utf16ContentRange(of: ParagraphIndex(1)).upperBound
        edit(place..<place, "\u{2028}next")
        #expect(try layout.geometry.caretRect(at: place + 1).minX == self.place(of: "Last", 0))
    }
}
