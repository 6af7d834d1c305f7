import InkstoneBase
import Testing
import TextTestSupport

@testable import InkstoneText

/// The offsets in a transaction are mapped to the current text, even if the text has changed since.
@Suite(.timeLimit(.minutes(5))) struct LateTransactionTests {
    @Test func aCaretStaysInTheTextThatItIsSetIn() throws {
        let store = TextStore("one two")
        let changes = TextChangeSet(replacing: UTF16Offset(4)..<UTF16Offset(7), with: "xyz", in: store.text)
        for caret in [4, 5, 7] as [UTF16Offset] {
            let store = TextStore("one two")
            let late = Transaction(on: store, changes, selection: .set(Selection(caret: caret)))
            store.replace(UTF16Offset(4)..<UTF16Offset(4), with: ">>")
            store.replace(UTF16Offset(0)..<UTF16Offset(0), with: ">>>")
            let applied = try #require(store.apply(late))
            #expect(applied.text == ">>>one >>xyz")
            #expect(applied.selection == .set(Selection(caret: caret + 5)))
        }
    }

    /// The marked text is in the second section: an edit before the first one moves both, an edit between them only
    /// the second.
    @Test func markedTextStaysMarked() throws {
        let store = TextStore("one two")
        var builder = TextChangeSet.Builder(over: store.text)
        builder.replace(UTF16Offset(0)..<UTF16Offset(0), with: "ka")
        builder.replace(UTF16Offset(4)..<UTF16Offset(7), with: "か")
        var late = Transaction(on: store, builder.finish(), origin: .inputMethod)
        var composition = Composition(in: store.version, selection: nil)
        composition.markedText = MarkedText(range: 6..<7, clauses: [])
        late.composition = .set(composition)
        store.replace(UTF16Offset(3)..<UTF16Offset(3), with: ">>>>")
        let applied = try #require(store.apply(late))
        guard case .set(let moved?) = applied.transaction.composition, let marked = moved.markedText else {
            Issue.record("nothing is marked")
            return
        }
        #expect(applied.text == "kaone>>>> か" && applied.text.string(in: marked.range) == "か")
    }

    private enum Weight: AttributeKey {
        typealias Value = Int
        static let name = "weight of late transactions"
    }

    /// Another edit has deleted all text between two insertions.
    @Test(arguments: [0, 2]) func twoInsertionsAtOneOffsetKeepTheirOrder(removed: Int) throws {
        let store = TextStore("abcdef")
        var builder = TextChangeSet.Builder(over: store.text)
        builder.replace(UTF16Offset(removed)..<UTF16Offset(2), with: "XX")
        builder.replace(UTF16Offset(4)..<UTF16Offset(4), with: "Y")
        let changes = builder.finish()
        let carets = changes.changeMap.map { SelectionRange(caret: $0.newRange.upperBound) }
        let late = Transaction(on: store, changes, selection: .set(Selection(carets)))
        store.replace(UTF16Offset(1)..<UTF16Offset(5), with: "")
        let applied = try #require(store.apply(late))
        let start = removed == 0 ? 0 : 1
        #expect(applied.text.description == "\(removed == 0 ? "" : "a")XXYf")
        #expect(
            applied.selection == .set(Selection([start + 2, start + 3].map { SelectionRange(caret: UTF16Offset($0)) })))
    }

    /// Text inserted by others within a range that gets attribute runs keeps its own attributes.
    @Test func runsStayOnTheirTextAroundWhatOthersInsert() throws {
        let store = TextStore("abcdef")
        func id(_ weight: Int) -> AttributeID { AttributeTable.id(of: TextAttributes(Weight.self, weight)) }
        var runs = AttributeRuns(length: 3, id(1))
        runs.append(AttributeRuns(length: 4, id(2)))
        var restyling = Restyling()
        restyling.set(runs, in: 0..<7)
        let change = TextChangeSet(replacing: UTF16Offset(1)..<UTF16Offset(1), with: "X", in: store.text)
        let late = Transaction(on: store, change, restyling: restyling)
        store.replace(UTF16Offset(4)..<UTF16Offset(4), with: "--")
        store.replace(UTF16Offset(0)..<UTF16Offset(1), with: "")
        let applied = try #require(store.apply(late))
        let weights = applied.styledText.attributes(in: applied.text.utf16Range)
            .map { ($0.range.length(), $0.attributes[Weight.self]) }
        #expect(applied.text == "Xbcd--ef")
        #expect(weights.map(\.0) == [2, 2, 2, 2] && weights.map(\.1) == [1, 2, nil, 2])
    }

    /// Mapping offsets after many deletions takes little time.
    @Test func offsetsAmongManyDeletionsAreFoundInLittleTime() throws {
        func time(_ count: Int) throws -> Double {
            let store = TextStore(Rope(String(repeating: "ab", count: count)))
            var builder = TextChangeSet.Builder(over: store.text)
            for index in 0..<count { builder.replace(UTF16Offset(2 * index)..<UTF16Offset(2 * index + 1), with: "") }
            let carets = (0..<count).map { SelectionRange(caret: UTF16Offset($0)) }
            let late = Transaction(on: store, builder.finish(), selection: .set(Selection(carets)))
            store.replace(UTF16Offset(2 * count)..<UTF16Offset(2 * count), with: "-")
            let start = LargeText.processorTime
            let applied = try #require(store.apply(late))
            #expect(applied.selection == .set(Selection(carets)))
            return LargeText.processorTime - start
        }
        let (few, many) = (try time(400), try time(3200))
        print("places among deletions: 400 in \(few) ms, 3,200 in \(many) ms")
        #expect(many < 24 * few)
    }

    /// Styled pieces at many offsets, mapped through an edit at as many others.
    @Test(arguments: [true, false]) func manyStyledPiecesAreMovedOverManyEditsInLittleTime(isResolved: Bool) throws {
        func time(_ count: Int) throws -> Double {
            let store = TextStore(Rope(String(repeating: "abcd ", count: count)))
            var (mine, theirs) = (TextChangeSet.Builder(over: store.text), TextChangeSet.Builder(over: store.text))
            var restyling = Restyling()
            for index in 0..<count {
                let (here, there) = (UTF16Offset(5 * index), UTF16Offset(5 * index + 3))
                mine.replace(here..<here, with: "xy")
                restyling.set(index % 3, of: Weight.self, in: (here + 2 * index)..<(here + 2 * index + 1))
                restyling.set(9, of: Weight.self, in: (here + 2 * index + 3)..<(here + 2 * index + 4))
                theirs.replace(there..<there, with: "-")
            }
            var late = Transaction(on: store, mine.finish(), restyling: restyling)
            if isResolved { late.resolve(in: store.styledText) }
            store.apply(Transaction(on: store, theirs.finish()))
            let start = LargeText.processorTime
            let applied = try #require(store.apply(late))
            let time = LargeText.processorTime - start
            #expect(applied.text.string(in: UTF16Offset(0)..<UTF16Offset(16)) == "xyabc-d xyabc-d ")
            for index in [0, 1, count / 2, count - 1] {
                let weights = applied.styledText.attributes(in: UTF16Offset(8 * index)..<UTF16Offset(8 * index + 8))
                    .map { ($0.range.length(), $0.attributes[Weight.self]) }
                #expect(weights.map(\.0) == [1, 2, 1, 4] && weights.map(\.1) == [index % 3, nil, 9, nil])
            }
            return time
        }
        let (few, many) = (try time(200), try time(800))
        print("styled pieces moved over edits: 200 in \(few) ms, 800 in \(many) ms")
        #expect(many < 9 * few)
    }
}
