import InkstoneBase
import InkstoneTesting
import Testing
import TextTestSupport

@testable import InkstoneText

/// Attached pictures: each is compared by identity, and the memory of its contents is counted once.
@Suite(.timeLimit(.minutes(5))) struct AttachmentContentsTests {
    private enum Picture: CodedAttributeKey {
        typealias Value = TextAttachment
        static let name = "picture of contents"
        static let inheritedByAddedText = false
        static let runBoundaries: AttributeRunBoundaries? = .scalar(TextAttachment.character)
        static func encode(_ picture: Value) -> [UInt8] { picture.coded }
        static func decode(_ bytes: [UInt8]) -> Value? { TextAttachment(coded: bytes) }
    }

    private static let size = 1 << 16

    private static func picture(_ number: Int) throws -> TextAttachment {
        let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size)
        return try #require(TextAttachment(contents: bytes, type: "application/x-picture"))
    }

    private static func styled(_ picture: TextAttachment) -> StyledText {
        StyledText(Rope(String(TextAttachment.character)), TextAttributes(Picture.self, picture))
    }

    /// Creates a text with a picture between each two letters.
    private static func store(_ count: Int) throws -> TextStore {
        var text = StyledText("a")
        for number in 0..<count {
            text.append(styled(try picture(number)))
            text.append(StyledText("b"))
        }
        return TextStore(text)
    }

    private static func undoAll(_ store: TextStore) -> Int {
        var count = 0
        while store.canUndo {
            store.undo()
            count += 1
        }
        return count
    }

    @Test func equalPicturesSideBySideAreTwo() throws {
        let picture = Self.styled(try Self.picture(1))
        var text = StyledText("a")
        for part in [picture, picture, StyledText("b")] { text.append(part) }
        let runs = text.attributes(in: text.rope.utf16Range)
        #expect(runs.map(\.range) == [0..<1, 1..<2, 2..<3, 3..<4])
        #expect(runs.map { $0.attributes[Picture.self] != nil } == [false, true, true, false])
        #expect(text.attributes(in: 2..<4).map(\.range) == [2..<3, 3..<4])
        for at in [UTF16Offset(1), 2] {
            #expect(text.runs?.run(at: at)?.range == at..<at + 1)
            #expect(text.run(of: Picture.self, at: at)?.range == at..<at + 1)
        }
        var seen = 0
        text.runs?.forEachRun(in: 1..<3) { _, stops in
            seen += 1
            stops = true
        }
        #expect(seen == 1)
        text.replace(1..<2, with: StyledText())
        #expect(text.attributes(in: text.rope.utf16Range).map(\.range) == [0..<1, 1..<2, 2..<3])
        #expect(text.checkInvariants().isEmpty)
    }

    @Test func undoCountsThePicturesThatNoTextHasAnyMore() throws {
        let count = 8
        let store = try Self.store(count)
        store.undoByteLimit = 3 * Self.size
        for at in 1...count { store.replace(UTF16Offset(at)..<UTF16Offset(at + 1), with: "") }
        #expect(Self.undoAll(store) == 2)
        #expect(store.text.metrics.utf16 == 1 + count + 2)
        // A step larger than the limit can still be undone.
        store.removeAllUndo()
        store.undoByteLimit = 1000
        store.replace(store.text.utf16Range, with: "")
        #expect(Self.undoAll(store) == 1 && store.text.metrics.utf16 == 1 + count + 2)
    }

    /// Contents that the text still holds do not count for undo.
    @Test func undoDoesNotCountThePicturesThatStay() throws {
        let count = 8
        let store = try Self.store(count)
        store.undoByteLimit = 3 * Self.size
        for number in 0..<10 { store.restyle { $0.set(number, of: TestKeys.Weight.self, in: 0..<100) } }
        for number in 0..<10 {
            let other = Self.styled(try Self.picture(100 + number))
            store.replace(0..<0 as Range<UTF16Offset>, with: other)
        }
        #expect(Self.undoAll(store) == 20)
        var steps = 0
        while store.canRedo {
            store.redo()
            steps += 1
        }
        #expect(steps == 20)
    }

    /// A picture that is cut, pasted and cut again is counted once.
    @Test func undoCountsAPictureOnce() throws {
        let store = try Self.store(3)
        store.undoByteLimit = 3 * Self.size
        let place = 1..<2 as Range<UTF16Offset>
        for _ in 0..<5 {
            let cut = store.styledText.slice(place)
            store.replace(place, with: "")
            store.replace(1..<1 as Range<UTF16Offset>, with: cut)
        }
        #expect(Self.undoAll(store) == 10)
        // The remaining contents still count after a part was released.
        store.removeAllUndo()
        store.undoByteLimit = Self.size / 2
        for _ in 0..<2 {
            let cut = store.styledText.slice(place)
            store.replace(place, with: "")
            store.replace(1..<1 as Range<UTF16Offset>, with: cut)
        }
        #expect(Self.undoAll(store) == 1)
    }

    @Test func undoneTextCanBeRedoneWhileACompositionMayBeCancelled() throws {
        let store = TextStore("ab")
        store.replace(0..<1 as Range<UTF16Offset>, with: "")
        store.undo()
        #expect(store.undoReach.redoable == 1)
        let group = UndoJoining.group(UndoGroupID())
        let marked = store.replace(0..<0 as Range<UTF16Offset>, with: "に", undo: group).coveringRanges.new
        #expect(!store.canRedo && store.undoReach.redoable == 1)
        store.replace(marked, with: "", undo: group)
        #expect(store.canRedo && store.undoReach.redoable == 1)
        store.replace(0..<0 as Range<UTF16Offset>, with: "x", origin: .typing)
        #expect(store.undoReach.redoable == 0)
    }

    /// A journal of edits reproduces the text, and writes a picture's contents once.
    @Test(arguments: [UInt64(1), 2, 3]) func journalsWriteContentsThatStayOnce(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let store = TextStore("one\ntwo")
        var replayed = StyledText(store.text)
        var (written, inserted) = (0, 0)
        let observation = store.observeTransactions { applied in
            for index in applied.changes.changeMap.indices.reversed() {
                _ = replayed.replay(
                    applied.changes.changeMap[index].oldByteRange, with: applied.changes.insertedText(index), runs: [])
            }
            for style in applied.changes.journaledRuns() {
                written += style.runs.contentsSize
                _ = replayed.replay(0..<0, with: Rope(), runs: [style])
            }
        }
        defer { observation.cancel() }
        for number in 0..<120 {
            let length = store.text.metrics.utf16
            let low = UTF16Offset(random.below(length + 1))
            let range = low..<UTF16Offset(min(length, low.value + random.below(5)))
            switch random.below(6) {
            case 0:
                inserted += Self.size
                store.replace(low..<low, with: Self.styled(try Self.picture(number)))
            case 1: store.replace(range, with: "x\ny")
            case 2: store.restyle { $0.set(number, of: TestKeys.Alignment.self, in: range) }
            case 3:
                store.restyle {
                    $0.map(Picture.self, in: range) { picture in
                        var picture = picture
                        picture?.size = Size(width: Double(number + 1), height: 5)
                        return picture
                    }
                }
            default: store.restyle { $0.set(number, of: TestKeys.Weight.self, in: range) }
            }
            #expect(StyledFragment(replayed) == StyledFragment(store.styledText), "edit \(number)")
        }
        #expect(inserted > 0 && written <= inserted)
    }

    /// The cached results of a formatting definition retain no picture, and their number is limited.
    @Test func definitionsKeepNoContents() throws {
        let definition = try FormattingDefinition([
            ValueConstraint(for: TestKeys.Weight.self, values: [nil, 1], default: 1)
        ])
        let before = definition.memoBytes
        var attributes = TextAttributes(Picture.self, try Self.picture(1))
        attributes[TestKeys.Weight.self] = 5
        #expect(definition.constrained(attributes)[TestKeys.Weight.self] == 1)
        #expect(definition.memoBytes == before)
        for number in 0..<20_000 {
            let result = definition.constrained(TextAttributes(TestKeys.Weight.self, number + 2))
            #expect(result[TestKeys.Weight.self] == 1)
        }
        #expect(definition.memoBytes > before && definition.memoBytes <= 1 << 20)
    }
}
