import ArgumentParser
import Glibc
import InkstoneBase
import InkstoneEditing
import InkstoneFiles
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Synchronization

/// A benchmark of finding. Measures replacing a million matches and undoing that, and finding the nearest match in
/// a large text. Also measures a key while a million matches are counted and the visible ones are marked.
struct FindBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find", abstract: "Find and replace in large texts.")

    @Option(help: "Size of the text that is searched, in megabytes.") var size = 1000
    @Option(help: "How many matches are replaced, each in 100 bytes of text.") var matches = 1_000_000

    func run() throws {
        try replaceAll()
        try findNear()
        try key()
    }

    /// Measures replacing all matches in a text that has a view and a recovery journal, and undo and redo of that:
    /// the elapsed time, and the processor time of the thread that paints and reads keys.
    private func replaceAll() throws {
        let line = String(repeating: "payload of a line ", count: 5) + "needle 12\n"
        let unit = line.utf8.count
        let store = TextStore(Rope(repeating: line, bytes: matches * unit))
        let view = EditorView(store: store, font: FontDescriptor(family: "DejaVu Sans Mono", size: 14))
        view.setFrame(WindowRect(x: 0, y: 0, width: 800, height: 600))
        view.setFocused(true)
        let directory = try TemporaryDirectory.make()
        defer { TemporaryDirectory.remove(directory) }
        let journal = RecoveryJournal(
            of: store, base: JournalBase(path: nil, identity: nil), directory: FilePath(directory))
        defer { journal.close() }
        let queue = ClosureQueue()
        let finder = TextFinder(in: store) { queue.post($0) }
        finder.startSearch(for: try TextSearch("needle"))
        queue.run { finder.isCountComplete }
        precondition(finder.count == matches)
        let before = store.text
        var made: Transaction?
        let start = Int(MonotonicClock.nanoseconds)
        finder.findReplacement(with: "pin") { transaction, _ in made = transaction }
        queue.run { made != nil }
        guard let made else { return }
        func show(_ name: String, _ work: () -> Void) {
            let start = Stopwatch.processorTime()
            work()
            Figure.show("find-replace-all-\(name)", Double(Stopwatch.processorTime() - start) / 1e6, "ms")
        }
        show("on-this-thread") { store.apply(made) }
        Figure.show("find-replace-all", Double(Int(MonotonicClock.nanoseconds) - start) / 1e6, "ms")
        precondition(store.text.metrics.bytes == before.metrics.bytes - 3 * matches)
        show("undo") { store.undo() }
        precondition(store.text.metrics == before.metrics && !store.canUndo)
        show("redo") { store.redo() }
        store.undoByteLimit = 1 << 30
        show("key-behind-it") { view.insertText("x") }
        store.undo()
        show("undo-behind-a-key") { store.undo() }
        precondition(store.text.metrics == before.metrics && !store.canUndo)
    }

    /// Measures the time from a request to its result, in a text whose single match is a screen away.
    private func findNear() throws {
        let line = "2026-03-01 12:10:10 worker-3 request 7919 took 12 ms payload payload payload\n"
        let store = TextStore(Rope(repeating: line, bytes: size * 1_000_000))
        let middle = UTF16Offset(store.text.metrics.utf16 / 2)
        store.replace((middle + 4000)..<(middle + 4000), with: "needle")
        let queue = ClosureQueue()
        let finder = TextFinder(in: store) { queue.post($0) }
        var times: [Int] = []
        for _ in 0..<20 {
            var found: TextFinder.Found??
            let start = Int(MonotonicClock.nanoseconds)
            finder.startSearch(for: try TextSearch("needle", ignoringCase: true))
            finder.find(.forward, from: middle) { found = .some($0) }
            queue.run { found != nil }
            times.append(Int(MonotonicClock.nanoseconds) - start)
            precondition(found??.range.lowerBound == middle + 4000)
        }
        times.sort()
        Figure.show("find-near-median", Double(times[10]) / 1e6, "ms")
        Figure.show("find-near-worst", Double(times[19]) / 1e6, "ms")
    }

    private func key() throws {
        func median(finding: Bool) throws -> Double {
            let store = TextStore(Rope(repeating: "ink and paper\n", bytes: matches * 14))
            let view = EditorView(store: store, font: FontDescriptor(family: "DejaVu Sans Mono", size: 14))
            view.setFrame(WindowRect(x: 0, y: 0, width: 800, height: 600))
            view.setFocused(true)
            let queue = ClosureQueue()
            let session = FindSession(in: view) { queue.post($0) }
            if finding {
                session.begin()
                session.search(for: "ink")
                queue.run { session.finder.isCountComplete }
                precondition(session.finder.count == matches)
            }
            view.select(Selection(caret: 8))
            var times: [Int] = []
            for _ in 0..<2000 {
                let start = Stopwatch.processorTime()
                view.insertText("x")
                queue.runWhatIsThere()
                times.append(Stopwatch.processorTime() - start)
            }
            return Double(times.sorted()[1000])
        }
        let (without, with) = (try median(finding: false), try median(finding: true))
        Figure.show("find-key-without", without / 1000, "µs")
        Figure.show("find-key-with-all-matches", with / 1000, "µs")
        Figure.show("find-key-ratio", with / without, "×")
    }
}

/// A queue of closures that are posted by another thread, and run on the requesting thread.
private final class ClosureQueue: Sendable {
    private let closures = Mutex<[@Sendable () -> Void]>([])
    private let ends: [CInt] = {
        var ends: [CInt] = [-1, -1]
        pipe(&ends)
        return ends
    }()

    deinit { for end in ends { close(end) } }

    func post(_ closure: @escaping @Sendable () -> Void) {
        closures.withLock { $0.append(closure) }
        var one: UInt8 = 1
        write(ends[1], &one, 1)
    }

    func runWhatIsThere() {
        let all = closures.withLock { queue in
            defer { queue = [] }
            return queue
        }
        for closure in all { closure() }
    }

    func run(until isDone: () -> Bool) {
        while !isDone() {
            var polled = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, 60_000) > 0 else { return }
            var byte: UInt8 = 0
            read(ends[0], &byte, 1)
            runWhatIsThere()
        }
    }
}
