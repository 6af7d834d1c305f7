import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneWritingTools
import Testing

/// A coordinator with events that come from no engine.
@Suite(.timeLimit(.minutes(5))) struct CoordinatorTests {
    private enum Weight: AttributeKey {
        typealias Value = Int
        static let name = "test.tools.weight"
    }

    private final class Recorder: WritingToolsCoordinatorDelegate {
        var states: [WritingToolsCoordinator.State] = []
        /// The texts and places of replacements, before and after them.
        var replaced: [String] = []

        func writingTools(_ coordinator: WritingToolsCoordinator, willReplace ranges: [Range<UTF16Offset>]) {
            note("-", ranges, coordinator)
        }

        func writingTools(_ coordinator: WritingToolsCoordinator, didReplace ranges: [Range<UTF16Offset>]) {
            note("+", ranges, coordinator)
        }

        private func note(_ sign: String, _ ranges: [Range<UTF16Offset>], _ coordinator: WritingToolsCoordinator) {
            let text = coordinator.session.store.text
            replaced.append(sign + ranges.map { text.string(in: $0) }.joined(separator: ","))
        }

        func writingTools(_ coordinator: WritingToolsCoordinator, willChangeTo state: WritingToolsCoordinator.State) {
            states.append(state)
        }

        func writingToolsDidUpdate(_ coordinator: WritingToolsCoordinator) {}
    }

    private struct Scene {
        let session: EditingSession
        let coordinator: WritingToolsCoordinator

        init(_ text: String) {
            session = EditingSession(TextStore(Rope(text)))
            coordinator = WritingToolsCoordinator(session)
        }

        var text: String { session.store.text.string(in: session.store.text.byteRange) }

        func begin(_ tool: WritingTool = .rewrite) throws -> WritingToolsCoordinator.Run {
            try coordinator.begin(WritingToolsRequest(tool, on: #require(coordinator.contexts(for: .document).first)))
        }

        /// Offset of the first occurrence of a text.
        func range(of part: String) throws -> Range<UTF16Offset> {
            let (all, part) = (Array(text.utf16), Array(part.utf16))
            let start = try #require((0...all.count).first { all[$0...].starts(with: part) })
            return UTF16Offset(start)..<UTF16Offset(start + part.count)
        }

        func edit(_ part: String, _ new: String) throws { session.store.replace(try range(of: part), with: new) }

        func rewrite(_ old: String, _ new: String, _ run: WritingToolsCoordinator.Run) -> WritingToolsOutcome {
            coordinator.receive(.replace(0..<UTF16Offset(old.utf16.count), with: .plain(new)), of: run)
        }
    }

    @Test(arguments: ["a b c\n", "c\nb\na", "new", "b", "x a\nb\nc y", ""]) func theWholeResultIsSelected(
        _ result: String
    ) throws {
        let scene = Scene("before\na\nb\nc\nafter")
        scene.session.select(Selection(anchor: 7, head: 13))
        let context = try #require(scene.coordinator.contexts(for: .selection).first)
        let run = try scene.coordinator.begin(WritingToolsRequest(.rewrite, on: context))
        #expect(
            scene.coordinator.receive(.replace(context.range, with: .plain(result)), of: run)
                == .applied(refusedParts: 0))
        scene.coordinator.accept()
        #expect(scene.text == "before\n" + result + "after")
        #expect(scene.session.selection?.ranges.map(\.range) == [7..<UTF16Offset(7 + result.utf16.count)])
    }

    /// Results keep the rows of tables: line ends and tabs in a cell become parts of it, and cells are emptied, not joined.
    @Test(arguments: [
        ("five words here", "five\nwords\there", "p\na\tb\nfive\u{2028}words here\t6\nend"),
        ("here\t6", "six", "p\na\tb\nfive words six\t\nend"),
        ("p\na\tb\nfive words here\t6\nend", "p a b five words here 6 end", nil as String?),
    ])
    func resultsKeepTheCellsOfTables(_ old: String, _ new: String, _ result: String?) throws {
        let scene = Scene("p\na\tb\nfive words here\t6\nend")
        let store = scene.session.store
        let table = PresentationIntent(
            .table(columns: [.init(alignment: .natural), .init(alignment: .natural)]), identity: 7)
        store.restyle {
            for row in 0..<2 {
                let intent = PresentationIntent(
                    row == 0 ? .tableHeaderRow : .tableRow(rowIndex: row), identity: 11 + row, parent: table)
                $0.set(
                    intent, of: PresentationIntentAttribute.self, in: store.text.utf16Range(of: ParagraphIndex(row + 1))
                )
            }
        }
        let range = try scene.range(of: old)
        scene.session.select(Selection(anchor: range.lowerBound, head: range.upperBound))
        let context = try #require(scene.coordinator.contexts(for: .selection).first)
        let run = try scene.coordinator.begin(WritingToolsRequest(.rewrite, on: context))
        #expect(
            scene.coordinator.receive(.replace(context.range, with: .plain(new)), of: run) == .applied(refusedParts: 0))
        if let result { #expect(scene.text == result) }
        #expect(scene.text.count { $0 == "\t" } == 2 && scene.text.hasPrefix("p") && scene.text.contains("a"))
        // A part that was replaced can be replaced again.
        #expect(
            scene.coordinator.receive(.replace(context.range, with: .plain(old)), of: run) == .applied(refusedParts: 0))
        scene.coordinator.reject()
        #expect(scene.text == "p\na\tb\nfive words here\t6\nend")
    }

    @Test func piecesAreOneStepOfUndoThoughTheUserTypesInBetween() throws {
        let scene = Scene("one two\nthree four")
        let run = try scene.begin()
        scene.coordinator.receive(.replace(0..<3, with: "1"), of: run)
        try scene.edit("four", "four!")
        scene.coordinator.receive(.replace(8..<13, with: "3"), of: run)
        scene.coordinator.receive(.finished(), of: run)
        scene.coordinator.accept()
        #expect(scene.text == "1 two\n3 four!")
        scene.session.undo()
        #expect(scene.text == "one two\nthree four!")
        scene.session.undo()
        #expect(scene.text == "one two\nthree four")
    }

    /// Before a replacement its text is still there, for pictures of it, and after it the new text is.
    @Test func theDelegateIsNotifiedOfEachReplacementBeforeAndAfterIt() throws {
        let scene = Scene("one two three")
        let recorder = Recorder()
        scene.coordinator.delegate = recorder
        let run = try scene.begin()
        #expect(scene.rewrite("one two three", "1 two 3", run) == .applied(refusedParts: 0))
        #expect(recorder.replaced == ["-one,three", "+1,3"])
        scene.coordinator.receive(
            .mark(WritingToolsMark(id: 1, range: try scene.range(of: "two"), kind: .spelling)), of: run)
        scene.coordinator.reject()
        #expect(recorder.replaced == ["-one,three", "+1,3", "-1,3", "+one,three"])
    }

    @Test func aMarkIsFoundByTheCharacterUnderThePointer() throws {
        let scene = Scene("one two three")
        let (first, second) = (try scene.begin(.proofread), try scene.begin(.custom("other")))
        func mark(_ id: Int, _ part: String, _ run: WritingToolsCoordinator.Run) throws {
            let mark = WritingToolsMark(id: id, range: try scene.range(of: part), kind: .spelling)
            scene.coordinator.receive(.mark(mark), of: run)
        }
        try mark(1, "two", second)
        #expect((3...7).map { scene.coordinator.mark(at: UTF16Offset($0))?.mark.id } == [nil, 1, 1, 1, nil])
        try mark(2, "wo three", second)
        #expect((4...6).map { scene.coordinator.mark(at: UTF16Offset($0))?.mark.id } == [1, 2, 2])
        #expect(scene.coordinator.mark(at: 5)?.run == second && scene.coordinator.mark(at: 0) == nil && first != second)
    }

    @Test func rejectingKeepsWhatTheUserHasTyped() throws {
        let scene = Scene("one two three")
        let run = try scene.begin()
        #expect(scene.rewrite("one two three", "1 two 3", run) == .applied(refusedParts: 0))
        try scene.edit("two", "two and a half")
        scene.coordinator.reject()
        #expect(scene.text == "one two and a half three")
        #expect(!scene.coordinator.isWritingToolsActive)
        let other = try scene.begin()
        _ = scene.rewrite(scene.text, "x", other)
        scene.coordinator.reject()
        #expect(scene.text == "one two and a half three")
    }

    @Test func aRejectionAloneLeavesNoStep() throws {
        let scene = Scene("one two")
        let run = try scene.begin()
        _ = scene.rewrite("one two", "2", run)
        scene.coordinator.reject()
        #expect(scene.text == "one two" && !scene.session.store.canUndo)
    }

    @Test func onlyThePartsThatTheUserHasChangedAreRefused() throws {
        let scene = Scene("one two three")
        let run = try scene.begin()
        try scene.edit("two", "twenty-two")
        #expect(scene.rewrite("one two three", "1 2 3", run) == .applied(refusedParts: 1))
        #expect(scene.text == "1 twenty-two 3")
    }

    /// A line that moves is removed at one place and inserted at another.
    @Test(arguments: 0...15) func movedLinesAreNeitherLostNorDoubled(caret: Int) throws {
        let lines = "bbbb\naaaa\ncccc\n"
        let scene = Scene(lines)
        let run = try scene.begin()
        scene.session.store.replace(UTF16Offset(caret)..<UTF16Offset(caret), with: "X")
        _ = scene.rewrite(lines, "aaaa\nbbbb\ncccc\n", run)
        #expect(scene.text.count { $0 == "X" } == 1)
        #expect(scene.text.filter { $0 != "X" }.split(separator: "\n").sorted() == ["aaaa", "bbbb", "cccc"])
    }

    @Test func editsBeforeMoveAResultAlong() throws {
        let scene = Scene("one two")
        let run = try scene.begin()
        scene.session.store.replace(UTF16Offset(0)..<0, with: "😀 zero ")
        #expect(scene.coordinator.receive(.replace(4..<7, with: "2"), of: run) == .applied(refusedParts: 0))
        #expect(scene.text == "😀 zero one 2")
    }

    @Test func lateAndDoubleAndForeignEventsDoNothing() throws {
        let scene = Scene("one two")
        let run = try scene.begin()
        #expect(scene.coordinator.receive(.replace(0..<99, with: "x"), of: run) == .refused(.outOfRange))
        #expect(scene.coordinator.receive(.replace(UTF16Offset(-5)..<2, with: "x"), of: run) == .refused(.outOfRange))
        scene.coordinator.receive(.replace(0..<3, with: "1"), of: run)
        #expect(scene.coordinator.receive(.replace(0..<3, with: "1"), of: run) == .applied(refusedParts: 0))
        #expect(scene.coordinator.receive(.replace(1..<5, with: "1"), of: run) == .refused(.overlapping))
        scene.coordinator.receive(.finished(), of: run)
        #expect(scene.coordinator.receive(.finished(), of: run) == .ignored)
        #expect(scene.coordinator.receive(.replace(4..<7, with: "2"), of: run) == .ignored)
        scene.coordinator.accept()
        #expect(scene.coordinator.receive(.replace(4..<7, with: "2"), of: run) == .ignored)
        #expect(scene.text == "1 two")
    }

    @Test func anotherRequestForTheSameTextEndsTheFirst() throws {
        let scene = Scene("one\ntwo")
        let first = try scene.begin()
        let second = try scene.begin()
        #expect(scene.coordinator.end(of: first) == .cancelled)
        #expect(scene.coordinator.receive(.replace(0..<3, with: "1"), of: first) == .ignored)
        #expect(scene.coordinator.receive(.replace(0..<3, with: "1"), of: second) == .applied(refusedParts: 0))
    }

    @Test func statesFollowEachOther() throws {
        let scene = Scene("one")
        let recorder = Recorder()
        scene.coordinator.delegate = recorder
        let run = try scene.begin()
        scene.coordinator.receive(.finished(), of: run)
        scene.coordinator.accept()
        #expect(recorder.states == [.interactiveResting, .interactiveStreaming, .interactiveResting, .inactive])
        scene.coordinator.preferredBehavior = .limited
        let other = try scene.begin()
        #expect(scene.coordinator.receive(.replace(0..<3, with: "1"), of: other) == .proposed)
        #expect(scene.text == "one")
        #expect(scene.coordinator.accept() == [.applied(refusedParts: 0)])
        #expect(scene.text == "1")
        #expect(recorder.states.suffix(2) == [.noninteractive, .inactive])
    }

    @Test func undoingEndsTheSession() throws {
        let scene = Scene("one")
        let run = try scene.begin()
        _ = scene.rewrite("one", "1", run)
        scene.session.undo()
        #expect(scene.text == "one" && !scene.coordinator.isWritingToolsActive)
        #expect(scene.coordinator.receive(.replace(0..<3, with: "2"), of: run) == .ignored)
        scene.coordinator.reject()
        #expect(scene.text == "one")
    }

    @Test func secretTextHasNoToolsAndTextThatMayNotBeEditedStays() throws {
        let scene = Scene("one")
        let kept = scene.coordinator.contexts(for: .document)
        scene.session.options.isSecureTextEntry = true
        #expect(scene.coordinator.contexts(for: .document).isEmpty)
        #expect(throws: WritingToolsRefusal.notEditable) {
            try scene.coordinator.begin(WritingToolsRequest(.rewrite, on: kept[0]))
        }
        scene.session.options.isSecureTextEntry = false
        scene.session.options.isEditable = false
        let run = try scene.begin()
        scene.coordinator.receive(.replace(0..<3, with: "1"), of: run)
        scene.coordinator.accept()
        #expect(scene.text == "one")
    }

    @Test func attributesAndAnchorsOfWordsThatStaySurvive() throws {
        let scene = Scene("one two three four")
        let store = scene.session.store
        store.restyle { $0.set(700, of: Weight.self, in: 4..<7) }
        let anchor = store.makeAnchor(at: 5)
        let run = try scene.begin()
        _ = scene.rewrite("one two three four", "I say: two and three", run)
        #expect(scene.text == "I say: two and three")
        let place = try scene.range(of: "two")
        #expect(anchor.offset == place.lowerBound + 1)
        #expect(store.styledText.attributes(at: place.lowerBound)[Weight.self] == 700)
        #expect(store.styledText.attributes(at: 0)[Weight.self] == nil)
    }

    @Test func changedWordsStayInLinks() throws {
        let scene = Scene("see the lnik and code here")
        let store = scene.session.store
        store.restyle {
            $0.set("http://x.y", of: LinkAttribute.self, in: 8..<12)
            $0.set(.code, of: InlinePresentationIntentAttribute.self, in: 17..<21)
        }
        let run = try scene.begin()
        _ = scene.rewrite("see the lnik and code here", "SEE THE LNIK AND CODE HERE", run)
        // Code is not for writing tools.
        #expect(scene.text == "SEE THE LNIK AND code HERE")
        let runs = store.styledText.attributes(in: store.text.utf16Range).map { store.text.string(in: $0.range) }
        #expect(runs == ["SEE THE ", "LNIK", " AND ", "code", " HERE"])
        #expect(store.styledText.attributes(at: 8)[LinkAttribute.self] == "http://x.y")
        #expect(store.styledText.attributes(at: 17).hasRole(.code))
    }

    @Test func richResultsBringTheirAttributes() throws {
        let scene = Scene("one two")
        let context = try #require(scene.coordinator.contexts(for: .document).first)
        let run = try scene.coordinator.begin(
            WritingToolsRequest(.rewrite, on: context, resultOptions: [.plain, .rich]))
        var new = StyledText(Rope("one 2"))
        new.restyle { $0.set(900, of: Weight.self, in: 0..<3) }
        scene.coordinator.receive(.replace(0..<7, with: .rich(new)), of: run)
        #expect(scene.session.store.styledText == new)
    }

    @Test func attachmentsAndProtectedTextStay() throws {
        let scene = Scene("see \u{fffc} and let x = 1 here")
        scene.session.store.restyle { $0.set(true, of: WritingToolsExclusionAttribute.self, in: 10..<19) }
        let run = try scene.begin()
        let outcome = scene.rewrite(scene.text, "look at it, and y = 2 there", run)
        #expect(scene.text.contains("\u{fffc}") && scene.text.contains("let x = 1"))
        guard case .applied(let refused) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(refused > 0)
    }

    @Test func codeAndQuotationsStayUnlessTheyAreAllThatIsWorkedOn() throws {
        let text = "call foo now\nint x;\nsaid\nend"
        let scene = Scene(text)
        func block(_ kind: PresentationIntent.Kind) -> PresentationIntent? {
            PresentationIntent(components: [
                .init(kind: .paragraph, identity: 2), .init(kind: kind, identity: 1),
            ])
        }
        scene.session.store.restyle {
            $0.set(.code, of: InlinePresentationIntentAttribute.self, in: 5..<8)
            $0.set(block(.codeBlock(languageHint: nil)), of: PresentationIntentAttribute.self, in: 13..<20)
            $0.set(block(.blockQuote), of: PresentationIntentAttribute.self, in: 20..<25)
        }
        let run = try scene.begin()
        _ = scene.rewrite(text, text.uppercased(), run)
        #expect(scene.text == "CALL foo NOW\nint x;\nsaid\nEND")
        // Selected alone they are meant.
        scene.session.select(Selection(anchor: 13, head: 19))
        let context = try #require(scene.coordinator.contexts(for: .selection).first)
        #expect(context.protected.isEmpty)
        scene.coordinator.protectsCodeAndQuotations = false
        #expect(scene.coordinator.contexts(for: .document).first?.protected == [])
    }

    @Test func theBeginningOfAResultRemovesNothingBehindIt() throws {
        let scene = Scene("one two three")
        let run = try scene.begin()
        let all = UTF16Offset(0)..<13
        scene.coordinator.receive(.replace(all, with: "1 two th", isFinal: false), of: run)
        #expect(scene.text.hasSuffix("two three"))
        scene.coordinator.receive(.replace(all, with: "1 two 3"), of: run)
        #expect(scene.text == "1 two 3")
    }

    @Test func resultsWaitForTheEndOfAComposition() throws {
        let scene = Scene("one two")
        let run = try scene.begin()
        scene.session.select(Selection(caret: 7))
        scene.session.mark(InputText("に"), selected: UTF16Range(location: 1, length: 0))
        #expect(scene.coordinator.receive(.replace(0..<3, with: "1"), of: run) == .waiting)
        #expect(scene.text == "one twoに")
        scene.session.unmark()
        #expect(scene.text == "1 twoに")
    }

    /// The composed text stays, and the replacement is made between the two calls of the delegate.
    @Test func aCompositionEndsBeforeResultsAreTakenBackOrSuggestionsTaken() throws {
        let scene = Scene("one teh two")
        let recorder = Recorder()
        scene.coordinator.delegate = recorder
        let run = try scene.begin()
        scene.coordinator.receive(.replace(0..<3, with: "1 one"), of: run)
        scene.coordinator.receive(
            .mark(WritingToolsMark(id: 1, range: 4..<7, kind: .spelling)), of: run)
        recorder.replaced = []
        func compose(at offset: UTF16Offset) {
            scene.session.select(Selection(caret: offset))
            scene.session.mark(InputText("に"), selected: UTF16Range(location: 1, length: 0))
        }
        compose(at: 13)
        // All edits by the program wait behind one that does.
        let (store, session) = (scene.session.store, scene.session)
        let late = TextChangeSet(replacing: UTF16Offset(12)..<14, with: Rope("!"), in: store.text)
        #expect(session.dispatch(Transaction(on: store, late, origin: .program, view: session.id)) == nil)
        #expect(scene.coordinator.replaceMark(1, of: run, with: "the") == .applied(refusedParts: 0))
        #expect(scene.text == "1 one the tw!" && recorder.replaced == ["-teh", "+the"])
        compose(at: 1)
        scene.coordinator.reject()
        #expect(session.markedText == nil && scene.text.contains("に") && scene.text.hasSuffix("one teh tw!"))
        #expect(recorder.replaced.count == 4 && recorder.replaced.last != "+")
    }

    @Test func marksMoveWithTheirWordsAndGoWhenThoseAreEdited() throws {
        let scene = Scene("teh cat\nadn dog")
        let run = try scene.begin(.proofread)
        for (id, range) in [(1, UTF16Offset(0)..<3), (2, 8..<11)] {
            scene.coordinator.receive(.mark(WritingToolsMark(id: id, range: range, kind: .spelling)), of: run)
        }
        try scene.edit("cat", "black cat")
        #expect(scene.coordinator.marks(of: run).map(\.range) == [0..<3, 14..<17])
        scene.session.store.replace(UTF16Offset(3)..<3, with: "s")
        #expect(scene.coordinator.marks(of: run).map(\.id) == [2])
        #expect(scene.coordinator.replaceMark(1, of: run, with: "the") == .refused(.changed))
        #expect(scene.coordinator.replaceMark(2, of: run, with: "and") == .applied(refusedParts: 0))
        scene.coordinator.accept()
        #expect(scene.text == "tehs black cat\nand dog")
    }

    @Test func aMarkStaysIfItsReplacementIsRefused() throws {
        let scene = Scene("teh cat")
        let run = try scene.begin(.proofread)
        func receive(_ range: Range<UTF16Offset>) -> WritingToolsOutcome {
            scene.coordinator.receive(.mark(WritingToolsMark(id: 1, range: range, kind: .spelling)), of: run)
        }
        #expect(receive(0..<3) == .applied(refusedParts: 0))
        #expect(receive(0..<100) == .refused(.outOfRange))
        #expect(scene.coordinator.marks(of: run).map(\.range) == [0..<3])
        #expect(receive(4..<7) == .applied(refusedParts: 0))
        #expect(scene.coordinator.marks(of: run).map(\.range) == [4..<7])
    }

    @Test func aRangeThatCutsASurrogatePairIsRefused() throws {
        let scene = Scene("😀ab")
        let run = try scene.begin()
        #expect(scene.coordinator.receive(.replace(1..<3, with: "x"), of: run) == .refused(.outOfRange))
        #expect(scene.coordinator.receive(.replace(0..<1, with: "x"), of: run) == .refused(.outOfRange))
        #expect(scene.coordinator.receive(.replace(2..<3, with: "x"), of: run) == .applied(refusedParts: 0))
        #expect(scene.text == "😀xb")
    }

    @Test func windowsLineEndsStay() throws {
        let scene = Scene("one\r\ntwo")
        let run = try scene.begin()
        _ = scene.rewrite(scene.text, "one\n2", run)
        #expect(scene.text == "one\r\n2")
    }

    @Test func lineEndsOfBothKindsStayWithTheirLines() throws {
        let scene = Scene("a\r\nb\nc\r\nd\n")
        let run = try scene.begin()
        _ = scene.rewrite(scene.text, "a\nb\nc\nd\n", run)
        #expect(scene.text == "a\r\nb\nc\r\nd\n" && !scene.session.store.canUndo)
        _ = scene.rewrite(scene.text, "c\na\nnew\nb\nd\n", run)
        #expect(scene.text == "c\r\na\r\nnew\r\nb\nd\n")
    }

    /// Without another line end to follow, an inserted one is of the document's kind.
    @Test(arguments: ["\r\n", "\r"]) func lineEndsOfALineAreTheDocuments(_ newline: String) throws {
        let scene = Scene("one two")
        scene.session.newline = newline
        let run = try scene.begin()
        _ = scene.rewrite(scene.text, "one\n2", run)
        #expect(scene.text == "one\(newline)2")
    }

    @Test(arguments: ["\r\n", "\r"]) func aSuggestionHasTheLineEndsOfTheDocument(_ newline: String) throws {
        let scene = Scene("one two")
        scene.session.newline = newline
        let run = try scene.begin(.proofread)
        let mark = WritingToolsMark(id: 1, range: UTF16Offset(0)..<3, kind: .spelling)
        #expect(scene.coordinator.receive(.mark(mark), of: run) == .applied(refusedParts: 0))
        #expect(scene.coordinator.replaceMark(1, of: run, with: "1\n") == .applied(refusedParts: 0))
        #expect(scene.text == "1\(newline) two")
    }

    private struct Broken: Error, CustomStringConvertible { var description: String { "it broke" } }

    private struct FakeEngine: WritingToolsEngine {
        var events: [WritingToolsEvent]
        var failure: Broken?
        var tools: [WritingTool] { [.rewrite] }
        var isLocal: Bool { true }

        func process(_ request: WritingToolsRequest) -> AsyncThrowingStream<WritingToolsEvent, any Error> {
            AsyncThrowingStream { stream in
                for event in events { stream.yield(event) }
                stream.finish(throwing: failure)
            }
        }
    }

    @Test func anEngineThatDiesEndsTheRunWithItsReason() async throws {
        let scene = Scene("one two")
        let context = try #require(scene.coordinator.contexts(for: .document).first)
        let engine = FakeEngine(events: [.replace(0..<3, with: "1")], failure: Broken())
        let run = try await scene.coordinator.run(engine, .rewrite, on: context)
        #expect(scene.coordinator.end(of: run) == .failed("it broke"))
        #expect(scene.text == "1 two" && scene.coordinator.state == .interactiveResting)
        scene.coordinator.reject()
        #expect(scene.text == "one two")
        let other = try #require(scene.coordinator.contexts(for: .document).first)
        let end = try await scene.coordinator.run(FakeEngine(events: [.finished("done")]), .rewrite, on: other)
        #expect(scene.coordinator.end(of: end) == .finished("done"))
    }
}
