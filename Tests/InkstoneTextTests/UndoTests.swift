import InkstoneBase
import InkstoneUnicode
import Testing
import TextTestSupport

@testable import InkstoneText

/// A store with a caret, into which the test types at times that it sets.
private final class Typist {
    let store: TextStore
    var caret: Int { didSet { noteCaret() } }
    let view = ViewID()
    var time: Int64 = 0

    init(_ text: String = "") {
        store = TextStore(Rope(text))
        caret = store.text.metrics.utf16
        store.clock = { [unowned self] in time }
        noteCaret()
    }

    private func noteCaret() { store.noteSelection(Selection(caret: UTF16Offset(caret)), of: view) }

    var text: String { store.text.description }

    func type(_ text: String, pause: Int64 = 50) {
        for character in text {
            time += pause
            let at = UTF16Offset(caret)
            store.replace(at..<at, with: String(character), origin: .typing)
            caret += character.utf16.count
        }
    }

    /// Composes like an input method: the text letter by letter as one group, then other texts in its place.
    func compose(_ drafts: String..., pause: Int64 = 50) {
        let group = UndoGroupID()
        var length = 0
        for draft in drafts {
            time += pause
            store.apply(
                Transaction(
                    on: store,
                    TextChangeSet(
                        replacing: UTF16Offset(caret - length)..<UTF16Offset(caret), with: Rope(draft), in: store.text),
                    origin: .inputMethod, undo: .group(group)))
            caret += draft.utf16.count - length
            length = draft.utf16.count
        }
    }

    func backspace(_ count: Int = 1) {
        for _ in 0..<count {
            time += 50
            store.replace(UTF16Offset(caret - 1)..<UTF16Offset(caret), with: "", origin: .deletion)
            caret -= 1
        }
    }

    func undo() {
        if let selection = store.undo() { caret = selection.lowerBound.value }
    }

    func redo() {
        if let selection = store.redo() { caret = selection.lowerBound.value }
    }
}

@Suite(.timeLimit(.minutes(5))) struct UndoTests {
    @Test func aTypedRunIsOneStepPerWord() {
        let typist = Typist()
        typist.type("one two  three")
        typist.undo()
        #expect(typist.text == "one two  ")
        typist.undo()
        #expect(typist.text == "one ")
        typist.undo()
        #expect(typist.text == "")
        typist.redo()
        typist.redo()
        #expect(typist.text == "one two  " && typist.caret == 9)
    }

    /// Returns the text after each undo.
    private func history(_ typist: Typist) -> [String] {
        var texts: [String] = []
        while typist.store.canUndo {
            typist.undo()
            texts.append(typist.text)
        }
        return texts
    }

    @Test func syllablesOfKoreanAreTakenBackByWords() {
        let typist = Typist()
        for syllable in ["안", "녕", "하", "세", "요"] { typist.compose("ㅇ", syllable) }
        typist.type(" ")
        for syllable in ["반", "갑"] { typist.compose("ㅂ", syllable) }
        #expect(history(typist) == ["안녕하세요 ", ""])
        typist.redo()
        typist.redo()
        #expect(typist.text == "안녕하세요 반갑" && typist.caret == 8 && !typist.store.canRedo)
        // Punctuation belongs to the word, and so does text typed right after it.
        let plain = Typist()
        plain.compose("ㄴ", "나")
        plain.compose("ㄴ", "는")
        plain.type(".")
        #expect(history(plain) == [""])
    }

    @Test func wordsOfJapaneseAndChineseAreTakenBackOneByOne() {
        let japanese = Typist()
        japanese.compose("にほんご", "日本語")
        japanese.compose("を")
        japanese.compose("べんきょう", "勉強")
        #expect(history(japanese) == ["日本語を", "日本語", ""])
        // Ideographs entered one by one are undone as words.
        let chinese = Typist()
        chinese.compose("wo", "我")
        chinese.compose("men", "们")
        #expect(history(chinese) == [""])
    }

    @Test func aPauseAMovedCaretOrAnotherViewEndsWhatIsComposed() {
        let pause = Typist()
        pause.compose("안")
        pause.time += 5000
        pause.compose("녕")
        #expect(history(pause) == ["안", ""])
        let moved = Typist()
        moved.compose("안")
        moved.store.breakUndoCoalescing()
        moved.compose("녕")
        #expect(history(moved) == ["안", ""])
        let elsewhere = Typist("x")
        elsewhere.compose("안")
        elsewhere.caret = 0
        elsewhere.compose("녕")
        #expect(history(elsewhere) == ["x안", "x"])
        // A cancelled composition leaves no undo step.
        let none = Typist()
        none.compose("안")
        none.compose("ㄴ", "")
        none.compose("녕")
        #expect(none.text == "안녕" && history(none) == [""])
    }

    @Test func aPauseEndsARun() {
        let typist = Typist()
        typist.type("ab")
        typist.time += 5000
        typist.type("cd")
        typist.undo()
        #expect(typist.text == "ab")
    }

    @Test func aNewlineIsAStepOfItsOwn() {
        let typist = Typist()
        typist.type("ab\ncd")
        typist.undo()
        #expect(typist.text == "ab\n")
        typist.undo()
        #expect(typist.text == "ab")
    }

    @Test func typingElsewhereIsAnotherStep() {
        let typist = Typist("xyz")
        typist.type("a")
        typist.caret = 0
        typist.type("b")
        typist.undo()
        #expect(typist.text == "xyza" && typist.caret == 0)
    }

    @Test func deletingIsOneStepAndNotPartOfTyping() {
        let typist = Typist()
        typist.type("abcdef")
        typist.backspace(3)
        typist.type("x")
        typist.undo()
        #expect(typist.text == "abc")
        typist.undo()
        #expect(typist.text == "abcdef" && typist.caret == 6)
        typist.undo()
        #expect(typist.text == "")
    }

    @Test func aCompositionIsOneStep() {
        let typist = Typist("前")
        let composition = UndoJoining.group(UndoGroupID())
        var marked = UTF16Offset(1)..<UTF16Offset(1)
        for preedit in ["n", "に", "にh", "にほ", "にほn", "にほん", "日本"] {
            marked = typist.store.replace(marked, with: preedit, undo: composition).coveringRanges.new
        }
        typist.caret = 3
        typist.undo()
        #expect(typist.text == "前" && typist.caret == 1)
        typist.redo()
        #expect(typist.text == "前日本" && typist.caret == 3)
    }

    /// A filter may refuse the undo.
    @Test func anUndoThatIsNotMadeEndsNoComposition() {
        let typist = Typist()
        let composition = UndoJoining.group(UndoGroupID())
        let place = UTF16Offset(0)..<UTF16Offset(0)
        let store = typist.store
        let marked = store.replace(place, with: "に", origin: .inputMethod, undo: composition).coveringRanges.new
        #expect(store.undoing() != nil)
        store.replace(marked, with: "日本", origin: .inputMethod, undo: composition)
        typist.undo()
        #expect(typist.text == "")
    }

    /// A composition after a word of the same view may continue while another view undoes.
    @Test(arguments: [true, false]) func anotherViewTakesBackNoWordBehindWhichOneComposes(isOther: Bool) {
        let typist = Typist()
        let store = typist.store
        func compose(_ text: String, _ group: UndoGroupID) {
            typist.time += 50
            let at = store.text.utf16Range.upperBound
            let changes = TextChangeSet(replacing: at..<at, with: Rope(text), in: store.text)
            store.apply(
                Transaction(on: store, changes, origin: .inputMethod, undo: .group(group), view: typist.view))
        }
        compose("안", UndoGroupID())
        compose("녕", UndoGroupID())
        store.undo(in: isOther ? ViewID() : typist.view)
        #expect(store.text == (isOther ? "안" : ""))
        while store.canUndo { store.undo() }
        #expect(store.text.isEmpty)
    }

    @Test func aCompositionGivenUpLeavesNoTrace() {
        let typist = Typist()
        typist.type("ab")
        typist.undo()
        typist.store.markSaved()
        let composition = UndoJoining.group(UndoGroupID())
        let place = UTF16Offset(0)..<UTF16Offset(0)
        let marked = typist.store.replace(place, with: "に", undo: composition).coveringRanges.new
        #expect(typist.store.isModified && !typist.store.canRedo)
        typist.store.replace(marked, with: "", undo: composition)
        #expect(!typist.store.isModified && !typist.store.canUndo && typist.store.canRedo)
        typist.redo()
        #expect(typist.text == "ab")
    }

    @Test func modifiedGoesOffWhenOneUndoesBackToTheSavedText() {
        let typist = Typist("a")
        #expect(!typist.store.isModified)
        typist.type("b")
        typist.store.markSaved()
        typist.type("c")
        #expect(typist.store.isModified)
        typist.undo()
        #expect(!typist.store.isModified && typist.text == "ab")
        typist.undo()
        #expect(typist.store.isModified && typist.text == "a")
        typist.redo()
        #expect(!typist.store.isModified)
        typist.undo()
        typist.type("x")
        typist.undo()
        #expect(typist.store.isModified, "the saved text is lost with the steps that led to it")
    }

    @Test func aSavePointIsWhatIsSavedWhateverIsTypedMeanwhile() {
        let typist = Typist("a")
        typist.type("b")
        let point = typist.store.makeSavePoint()
        typist.type("c")
        typist.store.markSaved(point)
        #expect(typist.store.isModified && point.text == "ab")
        typist.undo()
        #expect(!typist.store.isModified && typist.text == "ab", "the typed run ended at the save")
        typist.undo()
        #expect(typist.store.isModified)
        // Undo goes back beyond the save point before the save has finished.
        typist.redo()
        let later = typist.store.makeSavePoint()
        typist.undo()
        typist.store.markSaved(later)
        #expect(typist.store.isModified && typist.text == "a")
        typist.redo()
        #expect(!typist.store.isModified)
    }

    @Test func theOldestStepsAreDroppedWhole() {
        let store = TextStore()
        store.undoByteLimit = 10_000
        for i in 0..<100 {
            store.replace(0..<0 as Range<ByteOffset>, with: String(repeating: "x", count: 1000 + i))
        }
        var steps = 0
        while store.canUndo {
            store.undo()
            steps += 1
        }
        #expect(steps == 6)
        #expect(store.text.metrics.bytes == (0..<94).reduce(0) { $0 + 1000 + $1 })
        store.undoByteLimit = 10
        store.replace(0..<0 as Range<ByteOffset>, with: String(repeating: "y", count: 5000))
        #expect(store.canUndo, "the newest step stays whatever it costs")
    }

    /// Whether the next step would push out another one is known before it is made.
    @Test(arguments: [false, true]) func aStepThatIsTooLargeToBeKeptIsKnown(isKept: Bool) {
        let store = TextStore("mine")
        store.undoByteLimit = 200_000
        let new = String(repeating: "x", count: isKept ? 100_000 : 190_000)
        let changes = TextChangeSet(replacing: UTF16Offset(0)..<4, with: Rope(new), in: store.text)
        #expect(store.keepsStep(of: changes) == isKept)
        store.apply(Transaction(on: store, changes))
        store.replace(UTF16Offset(0)..<0, with: String(repeating: "y", count: 20_000))
        store.undo()
        store.undo()
        #expect((store.text == "mine") == isKept)
    }

    @Test func loadingIsNeitherUndoneNorAModification() {
        let store = TextStore("first")
        store.replace(5..<5 as Range<ByteOffset>, with: " second", origin: .load)
        #expect(!store.isModified && !store.canUndo)
        store.replace(0..<5 as Range<ByteOffset>, with: "1st")
        store.replace(store.text.byteRange.upperBound..<store.text.byteRange.upperBound, with: " third", origin: .load)
        store.undo()
        #expect(store.text == "first second third" && !store.isModified)
    }

    @Test func keptEditsByTheProgramCountForTheLimit() {
        let store = TextStore("ab")
        store.undoByteLimit = 50_000
        store.replace(UTF16Offset(0)..<UTF16Offset(0), with: "1")
        for _ in 0..<500 {
            store.replace(UTF16Offset(1)..<UTF16Offset(1), with: String(repeating: "x", count: 500), undo: .notRecorded)
        }
        store.replace(UTF16Offset(0)..<UTF16Offset(0), with: "2")
        store.undo()
        #expect(!store.canUndo, "the older step holds 250 KB of the program's edits")
    }

    /// A history holds exactly the groups of its steps.
    @Test func groupsGoWithTheirSteps() {
        var history = UndoHistory()
        history.byteLimit = 10_000
        var text = StyledText(Rope())
        let document = DocumentID()
        func type(_ group: UndoGroupID) {
            let end = text.rope.byteRange.upperBound
            let transaction = Transaction(
                on: document, TextVersion(0), TextChangeSet(replacing: end..<end, with: "x", in: text.rope),
                undo: .group(group))
            let changes = text.apply(transaction.changes)
            let applied = AppliedTransaction(
                transaction, as: changes, to: text, from: TextVersion(0), after: TextVersion(1))
            history.record(applied, selectionBefore: nil, of: nil, at: 0)
        }
        for _ in 0..<1000 { type(UndoGroupID()) }
        #expect(history.undoable.count < 100 && history.groups.count == history.undoable.count)
        let count = history.undoable.count
        if let step = history.pop(.undo, text, in: nil) { text.apply(step.changes) }
        #expect(history.groups.count == count - 1)
        if let step = history.pop(.redo, text, in: nil) { text.apply(step.changes) }
        #expect(history.groups.count == count)
    }
}

@Suite(.timeLimit(.minutes(5))) struct TextPositionTests {
    @Test func affinityDecidesAtAnInsertion() {
        let store = TextStore("ab")
        let before = store.position(at: 1, affinity: .upstream)
        let after = store.position(at: 1, affinity: .downstream)
        store.replace(UTF16Offset(1)..<UTF16Offset(1), with: "xyz")
        #expect(store.offset(of: before) == 1)
        #expect(store.offset(of: after) == 4)
    }

    @Test func beyondTheLogPositionsClampWithAReport() {
        let store = TextStore("abcdef", editLogLimit: 2)
        let old = store.position(at: 6)
        var reported: [TextPosition] = []
        store.expiredPositionHandler = { reported.append($0) }
        store.replace(UTF16Offset(0)..<UTF16Offset(2), with: "")
        store.replace(UTF16Offset(0)..<UTF16Offset(1), with: "")
        #expect(store.offset(of: old) == 3 && reported.isEmpty)
        store.replace(UTF16Offset(0)..<UTF16Offset(1), with: "")
        #expect(!store.canMap(old))
        #expect(store.offset(of: old) == 2 && reported == [old])
    }

    @Test func aForeignPositionTraps() async {
        await #expect(processExitsWith: .failure) {
            let position = TextStore("a").position(at: 0)
            _ = TextStore("a").offset(of: position)
        }
    }

    @Test func offsetsClampToTheText() {
        let store = TextStore("ab")
        #expect(store.position(at: 99).offset == 2)
        #expect(store.position(at: -1).offset == 0)
        #expect(store.makeAnchor(at: 99).offset == 2)
        #expect(store.replace(UTF16Offset(50)..<UTF16Offset(60), with: "c").coveringRanges.old == 2..<2)
    }

    @Test func observersAreNotifiedInOrderUntilTheyAreDropped() {
        let store = TextStore()
        var received: [Int] = []
        let first = store.observeTransactions { _ in received.append(1) }
        var second: TextObservation? = store.observeTransactions { _ in received.append(2) }
        store.replace(0..<0 as Range<ByteOffset>, with: "a")
        second = nil
        store.replace(0..<0 as Range<ByteOffset>, with: "b")
        first.cancel()
        store.replace(0..<0 as Range<ByteOffset>, with: "c")
        #expect(received == [1, 2, 1] && second == nil)
    }

    /// A log is appended while many steps can be redone: each line costs the same as without them.
    @Test func unrecordedEditsCostNoMoreWithMuchToRedo() {
        func milliseconds(undoing: Bool) -> Double {
            let store = TextStore()
            for _ in 0..<10_000 {
                store.replace(UTF16Offset(0)..<0, with: "x", undo: .step)
                if undoing { continue }
                store.removeAllUndo()
            }
            while store.canUndo { store.undo() }
            let start = LargeText.processorTime
            for _ in 0..<10_000 {
                let end = store.text.utf16Range.upperBound
                store.replace(end..<end, with: "y", undo: .notRecorded)
            }
            #expect(store.canRedo == undoing)
            return LargeText.processorTime - start
        }
        let (few, many) = (milliseconds(undoing: false), milliseconds(undoing: true))
        #expect(many <= 4 * few + 20, "\(many) ms, and \(few) ms with nothing to redo")
    }

    /// Undone steps keep their memory until the next step.
    @Test func stepsToRedoCountAsMemoryOfUndo() {
        let store = TextStore()
        store.replace(UTF16Offset(0)..<0, with: String(repeating: "x", count: 100_000), undo: .step)
        let used = store.undoBytes
        #expect(used >= 100_000)
        store.undo()
        #expect(store.undoBytes == used && store.canRedo)
        store.replace(UTF16Offset(0)..<0, with: "y", undo: .step)
        #expect(store.undoBytes < 10_000)
        store.removeAllUndo()
        #expect(store.undoBytes == 0)
    }

    @Test func droppedAnchorsCostNothing() {
        let store = TextStore("abc")
        weak var gone: TextAnchor?
        for _ in 0..<10_000 { gone = store.makeAnchor(at: 1) }
        #expect(gone == nil)
    }
}

@Suite(.timeLimit(.minutes(5))) struct RopeGraphemeTests {
    @Test(arguments: [
        "e\u{301}a", "👩‍👩‍👧‍👦x", "🇩🇪🇫🇷🇯🇵", "\r\n\r\n", "한글각", "ก็ กำ", "क्षि", "a\u{600}b", "日本\u{3099}語",
        String(repeating: "🇩🇪", count: 500), "x" + String(repeating: "\u{301}", count: 3000) + "y",
        String(repeating: "กำ", count: 2000),
    ])
    func clustersAreFoundLocallyAsInTheWhole(text: String) {
        let rope = Rope(text)
        var expected = [0]
        for character in text {
            let start = expected.last ?? 0
            let end = start + character.utf16.count
            expected += stride(from: start + TextBreaker.longestGrapheme, to: end, by: TextBreaker.longestGrapheme)
            expected.append(end)
        }
        for i in stride(from: 0, through: rope.metrics.utf16, by: max(1, rope.metrics.utf16 / 97)) {
            let at = UTF16Offset(i)
            #expect(rope.graphemeBoundary(after: at).value == expected.first { $0 > i } ?? rope.metrics.utf16)
            #expect(rope.graphemeBoundary(before: at).value == expected.last { $0 < i } ?? 0)
            #expect(rope.roundedDown(toGrapheme: at).value == expected.last { $0 <= i })
            #expect(rope.roundedUp(toGrapheme: at).value == expected.first { $0 >= i })
        }
    }

    @Test(arguments: ["\u{301}", "\u{1d165}", "\u{200d}👩", "🏽"])
    func aClusterWithoutEndIsGoneThroughAndDeletedInParts(_ part: String) {
        var rope = Rope("ab👩" + String(repeating: part, count: 12_000) + "z")
        var at = UTF16Offset(0)
        var stops = 0
        while at < rope.utf16Range.upperBound {
            let next = rope.graphemeBoundary(after: at)
            #expect(next > at && next.value - at.value <= TextBreaker.longestGrapheme + 1)
            guard next > at else { return }
            at = next
            stops += 1
        }
        #expect(stops >= rope.metrics.utf16 / (TextBreaker.longestGrapheme + 1))
        while rope.metrics.utf16 > 0 {
            let end = rope.utf16Range.upperBound
            let start = rope.graphemeBoundary(before: end)
            #expect(start < end && end.value - start.value <= TextBreaker.longestGrapheme + 1)
            guard start < end else { return }
            rope.replace(rope.byteOffset(at: start)..<rope.byteOffset(at: end), with: Rope())
        }
    }
}
