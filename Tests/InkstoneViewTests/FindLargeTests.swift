import Dispatch
import InkstoneBase
import InkstoneEditing
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Synchronization
import Testing
import TextTestSupport

/// Incremental search in a gigabyte (four megabytes in a debug build): the work on the view's own thread.
@Suite(.timeLimit(.minutes(5))) struct FindLargeTests {
    private static let size = LargeText.isOptimized ? 1_000_000_000 : 4_000_000
    private static let line = "2026-03-01 12:10:10 worker-3 request 7919 took 12 ms payload payload payload\n"

    /// Forwards the searching thread's messages, and blocks that thread until each was received. So the thread does
    /// no more between two messages than it would by itself.
    private final class Gate: Sendable {
        let inbox = Inbox()
        private let isOpen = Mutex(false)
        private let handled = DispatchSemaphore(value: 0)

        func post(_ body: @escaping @Sendable () -> Void) {
            inbox.post { [handled] in
                body()
                handled.signal()
            }
            if !isOpen.withLock({ $0 }) { handled.wait() }
        }

        /// Lets the searching thread run without waiting.
        func open() {
            isOpen.withLock { $0 = true }
            handled.signal()
        }
    }

    /// A large text with a match one screen after the caret, and another one far away.
    private final class Scene {
        let view: ViewScene
        let session: FindSession
        let gate = Gate()
        let middle: UTF16Offset
        /// The longest call in processor time of this thread, in milliseconds.
        private(set) var longest = 0.0

        init() {
            let store = TextStore(LargeText.repeating(FindLargeTests.line, bytes: FindLargeTests.size))
            // The caret is at the start of a line for any size.
            let unit = FindLargeTests.line.utf8.count
            let middle = UTF16Offset(store.text.metrics.utf16 / unit / 2 * unit)
            for place in [middle + 4000, 100] { store.replace(place..<place, with: "needle") }
            self.middle = middle + 6
            view = ViewScene(store: store, frame: WindowRect(x: 0, y: 0, width: 700, height: 400))
            view.view.select(Selection(caret: middle + 6))
            let gate = gate
            session = FindSession(in: view.view) { gate.post($0) }
            session.begin()
        }

        func measure(_ body: () -> Void) {
            let start = LargeText.processorTime
            body()
            longest = max(longest, LargeText.processorTime - start)
        }

        /// Handles the searching thread's messages until a condition holds.
        func handle(until condition: () -> Bool) {
            var last = LargeText.processorTime
            gate.inbox.run {
                longest = max(longest, LargeText.processorTime - last)
                let isDone = condition()
                last = LargeText.processorTime
                return isDone
            }
        }
    }

    /// The part of the text, up to 1, searched so far; computed from the count of a word that is in every line.
    private static func share(_ finder: TextFinder) -> Double {
        Double(finder.count) * Double(line.utf8.count) / Double(size)
    }

    /// INT 69: typing into the find bar does not wait. The limit is what a user notices; reading the whole text
    /// even once would take longer.
    @Test func eachLetterLeavesTheReadingToTheOtherThread() {
        let scene = Scene()
        defer { scene.gate.open() }
        let session = scene.session
        // The thread is blocked from its first message on, and no call here waits for it.
        for pattern in ["n", "ne", "nee", "need", "needl", "needle", "needl", "needle"] {
            scene.measure { session.search(for: pattern) }
            scene.measure { session.refresh() }
            scene.measure { session.reportSearching() }
            #expect(session.isSearching && !session.finder.isCountComplete)
        }
        scene.handle { !session.isSearching }
        let found = scene.middle + 4000
        #expect(scene.view.view.selection == Selection(anchor: found, head: found + 6), "the nearest behind the caret")
        #expect(!session.finder.isCountComplete, "and it was found before the rest was read")
        // A step waits some milliseconds for the thread at most, and computes nothing here meanwhile.
        scene.measure { session.step(.forward) }
        scene.measure { session.step(.backward) }
        scene.measure { session.end() }
        print("\(Self.size / 1_000_000) MB: finding takes \(scene.longest) ms of the view's thread at a time at most")
        #expect(scene.longest <= 50)
    }

    /// The nearest match is found before all others are counted: less than a hundredth of the text was read.
    @Test func theNearestMatchIsFoundBeforeTheTextIsRead() {
        let scene = Scene()
        defer { scene.gate.open() }
        // The word is in every line, so its count shows how much of the text was read.
        scene.session.search(for: "worker")
        scene.handle { !scene.session.isSearching }
        let share = Self.share(scene.session.finder)
        print("\(Self.size / 1_000_000) MB: \(share * 100) % of it was read before the nearest match was found")
        let found = scene.view.view.selection?.range ?? 0..<0
        #expect(found.lowerBound < scene.middle + 100 && found.count == 6)
        #expect(share < (LargeText.isOptimized ? 0.01 : 0.1))
    }

    /// Only visible matches are marked, however many there are elsewhere, and a key costs the same.
    @Test func onlyVisibleMatchesAreMarked() {
        let scene = Scene()
        defer { scene.gate.open() }
        let view = scene.view.view
        scene.measure { scene.session.search(for: "payload") }
        func marks() -> Int { view.decorations(in: .search).runs(in: view.textRange).count }
        scene.handle { marks() > 0 }
        #expect(marks() < 500, "of \(3 * Self.size / Self.line.utf8.count)")
        for _ in 0..<20 {
            scene.measure {
                view.insertText("x")
                scene.session.refresh()
            }
        }
        #expect(scene.longest <= 50, "ms of this thread")
    }
}
