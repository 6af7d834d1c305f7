import Glibc
import InkstoneTesting
import Synchronization
import Testing
import TextTestSupport

@testable import InkstoneBase
@testable import InkstoneText

/// A finder in a text that is edited: its answers refer to the current text.
@Suite(.timeLimit(.minutes(5))) struct TextFinderTests {
    private final class Scene {
        let store: TextStore
        let inbox = Inbox()
        let finder: TextFinder
        init(_ text: String) {
            store = TextStore(Rope(text))
            let inbox = inbox
            finder = TextFinder(in: store) { inbox.post($0) }
        }

        func search(for pattern: String, _ syntax: TextSearch.Syntax = .literal) throws {
            finder.startSearch(for: try TextSearch(pattern, syntax: syntax))
        }

        /// Returns the answer that a function passes to its callback.
        func answer<Answer>(_ ask: (@escaping (Answer) -> Void) -> Void) -> Answer? {
            var answer: Answer?
            ask { answer = $0 }
            inbox.run { answer != nil }
            return answer
        }

        func find(_ direction: TextStorageDirection, _ from: Int) -> TextFinder.Found? {
            answer { (take: @escaping (TextFinder.Found?) -> Void) in
                finder.find(direction, from: UTF16Offset(from), then: take)
            } ?? nil
        }

        func waitForCount() { inbox.run { finder.isCountComplete } }
    }

    @Test func matchesAreFoundBothWaysAndAroundTheEnds() throws {
        let scene = Scene("ink pen ink 日本 ink")
        try scene.search(for: "ink")
        #expect(scene.find(.forward, 0) == .init(range: 0..<3, isWrapped: false))
        #expect(scene.find(.forward, 1) == .init(range: 8..<11, isWrapped: false))
        #expect(scene.find(.forward, 16) == .init(range: 0..<3, isWrapped: true))
        #expect(scene.find(.backward, 8) == .init(range: 0..<3, isWrapped: false))
        #expect(scene.find(.backward, 0) == .init(range: 15..<18, isWrapped: true))
        scene.waitForCount()
        #expect(scene.finder.count == 3)
        #expect(scene.answer { scene.finder.findOrdinal(ofMatchAt: 8, then: $0) } == 2)
        #expect(scene.answer { scene.finder.findMatches(in: 4..<12, then: $0) } == [8..<11])
        try scene.search(for: "nothing")
        #expect(scene.find(.forward, 0) == nil)
        scene.waitForCount()
        #expect(scene.finder.count == 0)
    }

    private func replacement(of pattern: String, with template: String, in scene: Scene) throws -> Transaction {
        try scene.search(for: pattern)
        let answer: Transaction?? = scene.answer { then in
            scene.finder.findReplacement(with: template) { transaction, _ in then(transaction) }
        }
        return try #require(answer ?? nil)
    }

    /// The finder's thread makes the new text; the store adopts it, and undo and redo return to the same nodes.
    @Test func thousandsOfReplacementsCostTheStoreNoWorkForEach() throws {
        let scene = Scene(String(repeating: "ink and paper\r\n", count: 5000))
        let before = scene.store.text
        let transaction = try replacement(of: "ink", with: "a pen", in: scene)
        #expect(transaction.changes.count == 5000)
        let applied = try #require(scene.store.apply(transaction))
        let after = scene.store.text
        #expect(after == Rope(String(repeating: "a pen and paper\r\n", count: 5000)))
        #expect(applied.textBefore.root === before.root)
        for _ in 0..<2 {
            #expect(scene.store.undo() != nil && scene.store.text.root === before.root)
            #expect(scene.store.redo() != nil && scene.store.text.root === after.root)
        }
        scene.store.replace(UTF16Offset(0)..<1, with: "the")
        #expect(!applied.changes.knowsTexts, "a text that nothing leads back to is not kept")
        scene.store.undo()
        scene.store.undo()
        #expect(scene.store.text == before)
    }

    /// Text is typed before the answer arrives: the replacement is rebased on it, and each is undone separately.
    @Test func textTypedBeforeThousandsOfReplacementsStays() throws {
        let scene = Scene(String(repeating: "ink\n", count: 5000))
        let before = scene.store.text
        let transaction = try replacement(of: "ink", with: "pen", in: scene)
        scene.store.replace(UTF16Offset(8)..<8, with: "typed\n")
        let typed = scene.store.text
        scene.store.apply(transaction)
        let pens = { String(repeating: "pen\n", count: $0) }
        #expect(scene.store.text == Rope(pens(2) + "typed\n" + pens(4998)))
        scene.store.undo()
        #expect(scene.store.text == typed)
        scene.store.undo()
        #expect(scene.store.text == before)
    }

    @Test func aMatchThatIsWaitedForIsThereAtOnce() throws {
        let scene = Scene(String(repeating: "word ", count: 10_000) + "ink")
        try scene.search(for: "ink")
        var found: TextFinder.Found?
        scene.finder.find(.forward, from: 0, waitingAtMost: 20_000) { found = $0 }
        #expect(found?.range == 50_000..<50_003)
    }

    /// Without threads, each query is answered with an error; once threads are available, the search continues.
    @Test func withoutAThreadQuestionsAreAnsweredWithAnError() throws {
        let store = TextStore("ink pen ink")
        let inbox = Inbox()
        let isRefused = Atomic(true)
        let finder = TextFinder(
            in: store,
            startingThreadsBy: { body throws(BackgroundThread.Failure) in
                if isRefused.load(ordering: .relaxed) { throw BackgroundThread.Failure(code: EAGAIN) }
                return try BackgroundThread.start(body)
            }, post: { inbox.post($0) })
        var reports = 0
        finder.onProgress = { reports += 1 }
        finder.startSearch(for: try TextSearch("ink"))
        var replaced: Int?
        finder.findReplacement(with: "pin") { replaced = $1 }
        var found: [TextFinder.Found?] = []
        finder.find(.forward, from: 0) { found.append($0) }
        inbox.run { replaced != nil && found.count == 1 && reports > 0 }
        #expect(replaced == 0 && found == [nil])
        #expect(finder.error == .noThread(code: EAGAIN) && finder.isCountComplete)
        isRefused.store(false, ordering: .relaxed)
        finder.find(.forward, from: 1) { found.append($0) }
        inbox.run { found.count == 2 && finder.count == 2 }
        #expect(found.last == .init(range: 8..<11, isWrapped: false) && finder.error == nil)
    }

    /// The answer refers to the text before an edit, and arrives after it.
    @Test func anAnswerMovesAlongWithWhatWasTypedMeanwhile() throws {
        let scene = Scene("pen ink")
        try scene.search(for: "ink")
        var found: TextFinder.Found??
        scene.finder.find(.forward, from: 0) { found = $0 }
        // The answer has arrived, but is not handled yet.
        scene.inbox.wait()
        scene.store.replace(UTF16Offset(0)..<4, with: "a longer ")
        scene.inbox.run { found != nil }
        #expect(found??.range == 9..<12)
        scene.inbox.run { scene.finder.isCountComplete && scene.finder.count == 1 }
        scene.store.replace(UTF16Offset(0)..<0, with: "ink ")
        scene.inbox.run { scene.finder.count == 2 }
        #expect(scene.finder.isCountComplete)
    }

    @Test func requestsOfAnEarlierSearchAreNotAnswered() throws {
        let scene = Scene(String(repeating: "x", count: 300_000) + "ink")
        try scene.search(for: "ink")
        var isAnswered = false
        scene.finder.find(.forward, from: 0) { _ in isAnswered = true }
        try scene.search(for: "x")
        scene.waitForCount()
        #expect(scene.finder.count == 300_000 && !isAnswered)
    }

    @Test func replacingAllIsOneStepWhateverIsTypedMeanwhile() throws {
        let scene = Scene("a1 b2 c3")
        try scene.search(for: "(\\w)(\\d)", .regularExpression)
        var made: (transaction: Transaction?, count: Int)?
        scene.finder.findReplacement(with: "$2$1$2") { made = ($0, $1) }
        scene.store.replace(UTF16Offset(8)..<8, with: "!")
        scene.inbox.run { made != nil }
        #expect(made?.count == 3)
        if let transaction = made?.transaction { scene.store.apply(transaction) }
        #expect(scene.store.text == "1a1 2b2 3c3!")
        scene.store.undo()
        #expect(scene.store.text == "a1 b2 c3!")
    }

    /// Covers INT 71 of the checklist for interaction.
    @Test func anExpressionThatTakesTooLongIsReported() throws {
        let scene = Scene(String(repeating: "a", count: 40) + "b")
        try scene.search(for: "(a+)+$", .regularExpression)
        scene.waitForCount()
        #expect(scene.finder.error == .tooComplex(pattern: "(a+)+$"))
        try scene.search(for: "b")
        scene.waitForCount()
        #expect(scene.finder.error == nil && scene.finder.count == 1)
    }

    /// Counts and matches after many edits equal those of a fresh search.
    @Test func countsFollowRandomEdits() throws {
        var random = SeededGenerator()
        print("seed \(random.seed)")
        let scene = Scene(String(repeating: "word ink\n", count: 20_000))
        try scene.search(for: "ink")
        for _ in 0..<20 {
            for _ in 0..<random.below(8) {
                let length = scene.store.text.metrics.utf16
                let low = random.below(length)
                let high = min(length, low + (random.once(in: 3) ? random.below(20_000) : random.below(5)))
                scene.store.replace(
                    UTF16Offset(low)..<UTF16Offset(high), with: ["", "ink", "in", "k", "\n"][random.below(5)])
            }
            let text = scene.store.text
            var expected = 0
            try TextSearch("ink").forEachMatch(in: text) { _, _ in expected += 1 }
            scene.inbox.run { scene.finder.isCountComplete && scene.finder.count == expected }
            #expect(scene.finder.count == expected)
        }
    }
}
