import InkstoneBase
import InkstoneTesting
import Testing
import TextTestSupport

@testable import InkstoneText

@Suite(.timeLimit(.minutes(5))) struct StyledTextTests {
    /// Shows runs as text, each with its weight if set.
    private static func runs(_ text: StyledText) -> [String] {
        text.attributes(in: text.rope.utf16Range).map { run in
            let weight = run.attributes[TestKeys.Weight.self].map { "\($0):" } ?? ""
            return weight + text.rope.string(in: run.range)
        }
    }

    private static func bold(_ text: String, _ range: Range<UTF16Offset>) -> TextStore {
        let store = TextStore(Rope(text))
        store.restyle { $0.set(7, of: TestKeys.Weight.self, in: range) }
        return store
    }

    @Test func typedTextTakesAfterWhatStandsBeforeAndAtAStartAfterWhatFollows() {
        let store = Self.bold("plain bold\nnext", 6..<10)
        store.replace(UTF16Offset(10)..<UTF16Offset(10), with: "er")
        store.replace(UTF16Offset(6)..<UTF16Offset(6), with: "un")
        #expect(Self.runs(store.styledText) == ["plain un", "7:bolder", "\nnext"])
        store.restyle { $0.set(3, of: TestKeys.Weight.self, in: 15..<19) }
        store.replace(UTF16Offset(15)..<UTF16Offset(15), with: "the ")
        store.replace(UTF16Offset(0)..<UTF16Offset(0), with: "a ")
        #expect(Self.runs(store.styledText) == ["a plain un", "7:bolder", "\n", "3:the next"])
        #expect(store.styledText.typingAttributes(replacing: 10..<12)[TestKeys.Weight.self] == 7)
    }

    /// A filter may give each run pasted into one line other attributes.
    @Test(arguments: [nil, 4]) func thousandsOfStepsInOneParagraphDoNotGoThroughAllOfIt(_ alignment: Int?) {
        let count = 10_000
        let store = TextStore(Rope(String(repeating: "ab", count: count)))
        func restyle(_ shift: Int) {
            store.restyle {
                for i in 0..<count {
                    var new = TextAttributes(TestKeys.Weight.self, (i + shift) % 3)
                    new[TestKeys.Alignment.self] = alignment
                    $0.set(new, in: UTF16Offset(2 * i)..<UTF16Offset(2 * i + 2))
                }
            }
        }
        let time = ContinuousClock().measure {
            restyle(0)
            restyle(1)
        }
        #expect(time < .seconds(5))
        #expect(store.styledText.runs?.runCount == count && store.styledText.checkInvariants().isEmpty)
        #expect(store.styledText.attributes(at: 7)[TestKeys.Alignment.self] == alignment)
        // A paragraph attribute set on a part applies to the whole paragraph, also in a text of several paragraphs.
        let other = TextStore("ab\ncd")
        other.restyle { $0.set(TestKeys.attributes([TestKeys.Alignment.name: 1]), in: 0..<5) }
        other.restyle { $0.set(TestKeys.attributes([TestKeys.Weight.name: 2]), in: 1..<2) }
        let alignments = (0..<5).map { other.styledText.attributes(at: UTF16Offset($0))[TestKeys.Alignment.self] }
        #expect(alignments == [nil, nil, nil, 1, 1])
    }

    /// NaN would fill the table of attributes, because it equals no value.
    @Test func aValueThatIsNotEqualToItselfDoesNotGetIn() {
        enum Number: AttributeKey {
            typealias Value = Double
            static let name = "test.styled-text.number"
        }
        #expect(TextAttributes(Number.self, .nan).isEmpty && !TextAttributes(Number.self, 1).isEmpty)
    }

    @Test func aValueThatAKeyDoesNotLetPassTakesTheOldOneAway() {
        enum Even: AttributeKey {
            typealias Value = Int
            static let name = "test.styled-text.even"
            static func checked(_ value: Int) -> Int? { value % 2 == 0 ? value : nil }
        }
        let store = TextStore("ab")
        store.restyle { $0.set(2, of: Even.self, in: 0..<2) }
        store.restyle { $0.set(3, of: Even.self, in: 0..<1) }
        #expect(store.styledText.attributes(at: 0).isEmpty && store.styledText.attributes(at: 1)[Even.self] == 2)
        var overrides = AttributeOverrides()
        overrides.set(3, of: Even.self)
        #expect(overrides.applied(to: TextAttributes(Even.self, 2)).isEmpty)
    }

    @Test func chosenAttributesAreTypedAndBecomeTheRunThatGoesOn() {
        let store = TextStore("ab")
        let changes = TextChangeSet(replacing: UTF16Offset(1)..<UTF16Offset(1), with: "x", in: store.text)
        store.apply(
            Transaction(
                on: store, changes, origin: .typing, undo: .typing,
                insertedAttributes: TextAttributes(TestKeys.Weight.self, 7)))
        store.replace(UTF16Offset(2)..<UTF16Offset(2), with: "y", origin: .typing)
        #expect(Self.runs(store.styledText) == ["a", "7:xy", "b"])
        store.undo()
        #expect(store.text == "ab" && store.styledText.runs == nil, "one step, and plain again")
        store.redo()
        #expect(Self.runs(store.styledText) == ["a", "7:xy", "b"])
    }

    @Test func removedTextComesBackWithItsRuns() {
        let store = Self.bold("one two three", 4..<7)
        store.replace(UTF16Offset(2)..<UTF16Offset(9), with: "-")
        #expect(Self.runs(store.styledText) == ["on-hree"] && store.styledText.runs == nil)
        store.undo()
        #expect(Self.runs(store.styledText) == ["one ", "7:two", " three"])
        store.undo()
        #expect(store.styledText.runs == nil && !store.canUndo)
    }

    /// Of very many changed runs only the first are asked for one by one, and then the last.
    @Test func ofManyRestyledRunsTheFirstAndTheLastAreAskedFor() {
        var text = StyledText(Rope(String(repeating: "ab", count: 1000)))
        text.restyle {
            for i in 0..<1000 {
                $0.set(i % 7, of: TestKeys.Weight.self, in: UTF16Offset(2 * i)..<UTF16Offset(2 * i + 1))
            }
        }
        let change = text.restyle { $0.set(1, of: TestKeys.Alignment.self, in: 0..<2000) }
        var asked = 0
        let all = change.restyledRanges(askingFor: 10) { _, _ in
            asked += 1
            return true
        }
        #expect(all == [0..<2000] && asked == 11)
        #expect(change.restyledRanges(askingFor: 10) { _, _ in false }.isEmpty)
        let some: (AttributeID, AttributeID) -> Bool = { old, _ in old != .none }
        #expect(
            change.restyledRanges(askingFor: .max, where: some).map(\.lowerBound.value)
                == Array(stride(from: 0, to: 2000, by: 2)))
        let first = change.restyledRanges(askingFor: 10, where: some)
        #expect(first.count == 10 && first.first == 0..<1 && first.last == 18..<1999)
    }

    @Test func restylingIsOneStepMovesNoTextAndIsReportedOnce() {
        let store = TextStore("abcdef")
        var reported: [AppliedTransaction] = []
        let observation = store.observeTransactions { reported.append($0) }
        store.noteSelection(Selection(anchor: 1, head: 3), of: ViewID())
        store.restyle { $0.set(7, of: TestKeys.Weight.self, in: 1..<3) }
        store.restyle { $0.set(7, of: TestKeys.Weight.self, in: 1..<3) }
        #expect(reported.count == 1, "an empty change is not reported")
        #expect(reported[0].changes.changeMap.isEmpty && reported[0].changes.restyledRanges == [1..<3])
        #expect(reported[0].before < reported[0].after)
        #expect(store.isModified)
        #expect(store.undo() == 1..<3)
        #expect(!store.isModified && store.styledText.runs == nil)
        #expect(store.redo() == 1..<3)
        withExtendedLifetime(observation) {}
    }

    @Test func textReadFromAFileHasNoAttributes() {
        let store = Self.bold("start", 0..<5)
        store.replace(UTF16Offset(5)..<UTF16Offset(5), with: " rest", origin: .load)
        #expect(Self.runs(store.styledText) == ["7:start", " rest"])
        store.undo()
        #expect(store.text == "start rest" && store.styledText.runs == nil)
    }

    @Test func lateTransactionsTakeTheirRestylingAlong() throws {
        let store = TextStore("one two")
        let (changes, restyling) = store.styledText.replacing([
            (4..<4, StyledText("XY", TextAttributes(TestKeys.Weight.self, 7)))
        ])
        var late = Transaction(on: store, changes, restyling: restyling)
        late.restyling?.set(3, of: TestKeys.Weight.self, in: 6..<9)
        store.replace(UTF16Offset(0)..<UTF16Offset(0), with: ">> ")
        #expect(store.apply(late) != nil)
        #expect(Self.runs(store.styledText) == [">> one ", "7:XY", "3:two"])
        store.undo()
        #expect(store.text == ">> one two" && store.styledText.runs == nil)
    }

    @Test func aPastedPieceKeepsItsAttributesAtEveryCaret() {
        let piece = Self.bold("a bold b", 2..<6).styledText.slice(1..<7)
        let store = TextStore("1 2\r")
        // Inserted at the end, the piece comes after a CR, which would join an LF at the piece's start.
        let (changes, restyling) = store.styledText.replacing([(1..<2, piece), (4..<4, piece)])
        store.apply(Transaction(on: store, changes, origin: .paste, restyling: restyling))
        #expect(Self.runs(store.styledText) == ["1 ", "7:bold", " 2\r ", "7:bold", " "])
    }

    @Test func rangesFollowWhatIsDoneToADraft() {
        var text = StyledText("one two three")
        var ranges: [Range<UTF16Offset>] = [0..<3, 4..<7, 8..<13]
        text.transform(updating: &ranges) { draft in
            draft.replace(3..<3, with: Rope("!!"))
            draft.restyle { $0.set(7, of: TestKeys.Weight.self, in: 6..<9) }
            draft.replace(6..<9, with: Rope())
        }
        #expect(text.rope == "one!!  three" && ranges == [0..<3, 6..<6, 7..<12])
        #expect(text.runs == nil)
    }

    @Test func aKeysRunGoesOverOthers() throws {
        let store = Self.bold("abcdef", 1..<5)
        store.restyle { $0.set(1, of: TestKeys.Link.self, in: 2..<3) }
        let run = try #require(store.styledText.run(of: TestKeys.Weight.self, at: 3))
        #expect(run.value == 7 && run.range == 1..<5)
        let none = try #require(store.styledText.run(of: TestKeys.Image.self, at: 3))
        #expect(none.value == nil && none.range == 0..<6)
        #expect(StyledText().run(of: TestKeys.Link.self, at: 0) == nil)
    }
}

@Suite(.timeLimit(.minutes(5))) struct StyledFragmentTests {
    @Test(arguments: [UInt64(1), 2, 3])
    func codedKeysSurviveACopyToAnotherProcess(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            var text = StyledText(Rope(bytes: randomBytes(&random, about: 40)))
            for _ in 0..<random.below(6) {
                let low = UTF16Offset(random.below(text.rope.metrics.utf16 + 1))
                let names = TestKeys.names.filter { _ in random.once(in: 2) }
                let values = Dictionary(uniqueKeysWithValues: names.map { ($0, random.below(400) - 200) })
                text.restyle { $0.merge(TestKeys.attributes(values), in: low..<low + random.below(9)) }
            }
            let fragment = StyledFragment(text)
            for run in fragment.text.attributes(in: fragment.text.rope.utf16Range) {
                let here = text.attributes(at: run.range.lowerBound)
                #expect(run.attributes[TestKeys.Weight.self] == here[TestKeys.Weight.self])
                #expect(run.attributes[TestKeys.Link.self] == here[TestKeys.Link.self])
                #expect(run.attributes[TestKeys.Spelling.self] == nil, "not coded")
            }
            let bytes = fragment.bytes
            #expect(StyledFragment(bytes: bytes) == fragment, "seed \(seed)")
            // Truncated or damaged data are rejected, or give at most the text that they declare.
            for _ in 0..<20 {
                var wrong = bytes
                if random.once(in: 2) { wrong.removeLast(random.below(wrong.count)) }
                if !wrong.isEmpty { wrong[random.below(wrong.count)] = UInt8(random.below(256)) }
                if let other = StyledFragment(bytes: wrong) { #expect(other.text.checkInvariants().isEmpty) }
            }
        }
        #expect(StyledFragment(bytes: []) == nil)
    }

    @Test func keysThatAreNotKnownAreLeftOut() throws {
        let fragment = StyledFragment(StyledText("ab", TestKeys.attributes([TestKeys.Weight.name: 1])))
        var bytes = fragment.bytes
        let name = Array(TestKeys.Weight.name.utf8)
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: name) })
        bytes[place] = UInt8(ascii: "?")
        let read = try #require(StyledFragment(bytes: bytes))
        #expect(read.text.rope == "ab" && read.text.runs == nil)
    }

    private enum Address: AttributeKey {
        typealias Value = String
        static let name = "test.address"
        static let inheritedByAddedText = false
        static let inheritedByTextInside = true
    }

    /// A key that an edit inside its run removes.
    private enum Remark: AttributeKey {
        typealias Value = Int
        static let name = "test.styled-text.remark"
        static let inheritedByAddedText = false
        static let inheritedByTextInside = true
        static let invalidationConditions: Set<AttributeInvalidationCondition> = [.textChanged]
    }

    @Test func newTextDoesNotInheritWhatItsEditRemoves() {
        for range in [1..<1, 1..<2] as [Range<UTF16Offset>] {
            let store = TextStore("abc")
            store.restyle { $0.set(7, of: Remark.self, in: 0..<3) }
            store.replace(range, with: "x", origin: .typing)
            #expect(store.styledText.runs == nil, "\(range)")
        }
    }

    @Test func replacementsHaveLinksAndCodeOfTheirMatches() throws {
        let store = TextStore("foo foobar foo a foo foo b")
        store.restyle {
            $0.set("http://x.y", of: Address.self, in: 0..<3)
            $0.set("http://x.y", of: Address.self, in: 4..<10)
            $0.set([.code, .emphasized], of: InlinePresentationIntentAttribute.self, in: 11..<14)
            $0.set("http://x.y", of: Address.self, in: 17..<20)
        }
        let before = store.styledText
        let count = try store.replaceAll(TextSearch("foo"), with: "longer")
        #expect(count == 5 && store.styledText.checkInvariants().isEmpty)
        func runs() -> [String] {
            store.styledText.attributes(in: store.text.utf16Range).map { run in
                let address = run.attributes[Address.self].map { _ in "@" } ?? ""
                let code = run.attributes[InlinePresentationIntentAttribute.self].map { "\($0.rawValue):" } ?? ""
                return address + code + store.text.string(in: run.range)
            }
        }
        #expect(runs() == ["@longer", " ", "@longerbar", " ", "5:longer", " a ", "@longer", " longer b"])
        store.undo()
        #expect(store.styledText == before)
        // A match only partly within a link is replaced without it.
        _ = try store.replaceAll(TextSearch("a f"), with: "x")
        #expect(store.styledText.attributes(at: 15)[Address.self] == nil)
    }
}
