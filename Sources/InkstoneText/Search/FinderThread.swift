import Glibc
import InkstoneBase

/// The background thread of a ``TextFinder``. It has its own snapshot of the text and its own ``MatchIndex``, and
/// processes a queue of orders.
///
/// The owner's thread collects the results. State shared by both threads is protected by a monitor, and the
/// remaining state is used on the background thread only: therefore `Sendable`.
final class FinderThread: @unchecked Sendable {
    /// A version of the text to search.
    struct Snapshot: Sendable {
        var text: Rope
        var version: TextVersion
    }

    /// A question that the thread answers about the text.
    enum Question: Sendable {
        /// The first match that starts at or after an offset; if there is none, the first match of the text.
        case next(UTF16Offset)
        /// The last match that ends at or before an offset; if there is none, the last match of the text.
        case previous(UTF16Offset)
        /// The matches in a range, at most `limit`.
        case matches(Range<UTF16Offset>, limit: Int)
        /// The ordinal, from 1, of the match that starts at an offset.
        case ordinal(UTF16Offset)
        /// A change of the text that replaces all matches, or only the match at a range.
        ///
        /// - Parameters:
        ///   - newline: the line end that replaces the line ends of the template; nil to leave them.
        ///   - within: the ranges in which all matches are replaced; nil for the whole text.
        case replacement(
            String, newline: String?, at: Range<UTF16Offset>?, within: [Range<UTF16Offset>]? = nil)

        /// The answer to this question if nothing was found.
        var noAnswer: Answer {
            switch self {
            case .next, .previous: .found(nil, isWrapped: false)
            case .matches: .matches([])
            case .ordinal: .ordinal(nil)
            case .replacement: .replacement(nil, count: 0)
            }
        }
    }

    /// The answer to a question, in offsets of a version of the text.
    enum Answer: Sendable {
        case found(Range<UTF16Offset>?, isWrapped: Bool)
        case matches([Range<UTF16Offset>])
        case ordinal(Int?)
        case replacement(TextChangeSet?, count: Int)
    }

    /// Progress of the count of matches.
    struct Progress: Hashable, Sendable {
        var count = 0
        var isComplete = false
        var error: TextSearchError?
    }

    private struct Orders {
        /// A search that replaces the present one. If its `TextSearch` is nil, the present search only ends.
        var search: (TextSearch?, Snapshot, number: Int)?
        var edits: [(TextChangeMap, Snapshot)] = []
        var questions: [(id: Int, question: Question)] = []
        var isClosed = false
        var isEmpty: Bool { search == nil && edits.isEmpty && questions.isEmpty && !isClosed }
    }

    private struct Results {
        var progress: (Progress, number: Int)?
        var answers: [(id: Int, answer: Answer, version: TextVersion)] = []
        /// Whether the owner was already notified that there are results to collect.
        var isAnnounced = false
    }

    /// State shared by both threads.
    private struct Shared {
        var orders = Orders()
        var results = Results()
        var isRunning = false
    }

    private let shared = Monitor(Shared())
    private let announce: @Sendable () -> Void
    private let startThread: Start

    /// Runs a closure on a new thread.
    typealias Start = @Sendable (@escaping @Sendable () -> Void) throws(BackgroundThread.Failure) -> UInt

    // State used on the background thread only.
    private var matcher: TextMatcher?
    private var number = 0
    private var snapshot = Snapshot(text: Rope(), version: TextVersion(0))
    private var index = MatchIndex(length: 0)
    private var reported = Progress()
    private var lastReport: Int64 = 0

    /// Nanoseconds between two reports of the progress of the count.
    private static let reportInterval: Int64 = 50_000_000

    /// Creates a searcher whose thread is started when it is first needed.
    ///
    /// - Parameters:
    ///   - start: starts the thread.
    ///   - announce: called when there are results to collect, but not again before they are collected. Called on
    ///     the background thread, or on the owner's if no thread could be started.
    init(start: @escaping Start = BackgroundThread.start, announce: @escaping @Sendable () -> Void) {
        startThread = start
        self.announce = announce
    }

    // MARK: Called on the owner's thread

    private func order(_ change: (inout Orders) -> Void) {
        let isFirst = shared.withLock(waking: true) { shared in
            change(&shared.orders)
            let isFirst = !shared.isRunning && !shared.orders.isClosed
            if isFirst { shared.isRunning = true }
            return isFirst
        }
        guard isFirst else { return }
        do throws(BackgroundThread.Failure) {
            pthread_detach(try startThread { [self] in run() })
        } catch {
            refuse(.noThread(code: error.code))
        }
    }

    /// Reports an error and answers each pending question as if nothing were found, because no thread could be
    /// started. The order for a search stays in the queue: with the next order, the start of a thread is tried
    /// again, and the thread then begins with that search.
    private func refuse(_ error: TextSearchError) {
        let isFirst = shared.withLock { shared in
            shared.isRunning = false
            guard !shared.orders.isClosed else { return false }
            let version = shared.orders.search?.1.version ?? TextVersion(0)
            let answers = shared.orders.questions.map { ($0.id, $0.question.noAnswer, version) }
            shared.orders.questions = []
            shared.results.answers += answers
            if let number = shared.orders.search?.number {
                shared.results.progress = (Progress(isComplete: true, error: error), number)
            }
            defer { shared.results.isAnnounced = true }
            return !shared.results.isAnnounced
        }
        if isFirst { announce() }
    }

    /// Starts another search. Earlier questions are no longer answered.
    func begin(_ search: TextSearch?, in snapshot: Snapshot, number: Int) {
        order {
            $0.search = (search, snapshot, number)
            $0.edits = []
            $0.questions = []
        }
    }

    /// Reports a change of the text to the thread.
    func follow(_ changes: TextChangeMap, to snapshot: Snapshot) { order { $0.edits.append((changes, snapshot)) } }

    /// Asks a question; questions are answered in order.
    func ask(_ question: Question, id: Int) { order { $0.questions.append((id, question)) } }

    /// Ends the thread asynchronously. A search in progress is cancelled.
    func close() { order { $0.isClosed = true } }

    /// Returns the results since the last call.
    func collect() -> (progress: (Progress, number: Int)?, answers: [(id: Int, answer: Answer, version: TextVersion)]) {
        let taken = shared.withLock { shared in
            defer { shared.results = Results() }
            return shared.results
        }
        return (taken.progress, taken.answers)
    }

    /// Waits until a question is answered, at most `milliseconds`. Does not collect the answer.
    func wait(for id: Int, atMost milliseconds: Int) {
        _ = shared.wait(atMost: milliseconds) { $0.results.answers.contains { $0.id >= id } }
    }

    // MARK: Called on the background thread

    private func run() {
        while let orders = nextOrders() {
            if let (search, snapshot, number) = orders.search { start(search, snapshot, number) }
            for (changes, snapshot) in orders.edits {
                if let matcher { index.apply(changes, reach: matcher.reach) }
                self.snapshot = snapshot
            }
            for (id, question) in orders.questions { answer(question, id) }
            count()
        }
    }

    /// Waits for orders and returns them; nil if the owner has closed the thread.
    private func nextOrders() -> Orders? {
        shared.wait { shared, _ -> Orders?? in
            guard !shared.orders.isEmpty else { return nil }
            if shared.orders.isClosed {
                shared.isRunning = false
                return .some(nil)
            }
            defer { shared.orders = Orders() }
            return shared.orders
        }
    }

    /// Whether the present work has become useless: another search was ordered, or the thread closed.
    private var isSuperseded: Bool { shared.withLock { $0.orders.search != nil || $0.orders.isClosed } }

    private var hasOrders: Bool { shared.withLock { !$0.orders.isEmpty } }

    private func start(_ search: TextSearch?, _ snapshot: Snapshot, _ number: Int) {
        self.number = number
        self.snapshot = snapshot
        index = MatchIndex(length: snapshot.text.metrics.bytes)
        reported = Progress()
        matcher = nil
        guard let search else { return }
        do throws(TextSearchError) {
            matcher = try TextMatcher(search)
        } catch {
            fail(error)
        }
    }

    private func fail(_ error: TextSearchError) {
        matcher = nil
        report(Progress(count: index.count, isComplete: true, error: error))
    }

    /// Continues the count of matches until it is complete, or there are other orders.
    private func count() {
        guard let matcher else { return }
        do throws(TextSearchError) {
            while !hasOrders, try index.advance(in: snapshot.text, matcher, isCancelled: { isSuperseded }) {
                let now = MonotonicClock.nanoseconds
                if now - lastReport > Self.reportInterval { report(Progress(count: index.count, isComplete: false)) }
            }
            if index.isComplete { report(Progress(count: index.count, isComplete: true)) }
        } catch {
            fail(error)
        }
    }

    private func report(_ progress: Progress) {
        guard progress != reported else { return }
        reported = progress
        lastReport = MonotonicClock.nanoseconds
        post { $0.progress = (progress, number) }
    }

    private func post(_ change: (inout Results) -> Void) {
        let isFirst = shared.withLock(waking: true) { shared in
            // Drop these results if another search was ordered meanwhile, or if the thread was closed: they belong
            // to the former search.
            guard shared.orders.search == nil, !shared.orders.isClosed else { return false }
            change(&shared.results)
            defer { shared.results.isAnnounced = true }
            return !shared.results.isAnnounced
        }
        if isFirst { announce() }
    }

    private func answer(_ question: Question, _ id: Int) {
        let text = snapshot.text
        var answer = question.noAnswer
        if let matcher {
            do throws(TextSearchError) {
                answer = try self.answer(to: question, in: text, matcher)
            } catch {
                fail(error)
            }
        }
        post { $0.answers.append((id, answer, snapshot.version)) }
    }

    private func answer(
        to question: Question, in text: Rope, _ matcher: TextMatcher
    ) throws(TextSearchError) -> Answer {
        let isCancelled = { self.isSuperseded }
        func found(_ match: TextMatch?, _ isWrapped: Bool) -> Answer {
            .found(match.map { text.utf16Range(of: $0.range) }, isWrapped: isWrapped)
        }
        switch question {
        case .next(let offset):
            let start = text.byteOffset(at: offset.clamped(in: text.utf16Range))
            if let match = try index.first(from: start, in: text, matcher, isCancelled: isCancelled) {
                return found(match, false)
            }
            return found(try index.first(from: 0, in: text, matcher, isCancelled: isCancelled), true)
        case .previous(let offset):
            let end = text.byteOffset(at: offset.clamped(in: text.utf16Range))
            if let match = try index.last(before: end, in: text, matcher, isCancelled: isCancelled) {
                return found(match, false)
            }
            let all = text.byteRange.upperBound
            return found(try index.last(before: all, in: text, matcher, isCancelled: isCancelled), true)
        case .matches(let range, let limit):
            let range = text.byteRange(of: range.clamped(into: text.utf16Range))
            return .matches(
                try index.matches(in: range, of: text, matcher, limit: limit, isCancelled: isCancelled)
                    .map(text.utf16Range(of:)))
        case .ordinal(let offset):
            let offset = text.byteOffset(at: offset.clamped(in: text.utf16Range))
            return .ordinal(try index.count(before: offset, in: text, matcher).map { $0 + 1 })
        case .replacement(let template, let newline, let place?, _):
            let range = text.byteRange(of: place.clamped(into: text.utf16Range))
            guard let match = try matcher.search.match(at: range.lowerBound, in: text), match.range == range else {
                return question.noAnswer
            }
            let new = matcher.search.template(template, newline: newline).text(for: match, in: text)
            return .replacement(TextChangeSet(replacing: place, with: new, in: text), count: 1)
        case .replacement(let template, let newline, nil, let ranges):
            let parts = ranges.map { $0.map { text.byteRange(of: $0.clamped(into: text.utf16Range)) } }
            let all = try matcher.search.replacingAll(
                in: text, ranges: parts ?? [text.byteRange],
                with: matcher.search.template(template, newline: newline), isCancelled: isCancelled)
            // Keep the whole texts with the change. The store can then apply and undo it without work for each
            // match.
            all?.changes.prepare(for: text, isCancelled: isCancelled)
            return .replacement(all?.changes, count: all?.count ?? 0)
        }
    }
}
