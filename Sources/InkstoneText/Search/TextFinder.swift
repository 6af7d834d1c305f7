import InkstoneBase

/// A search in the text of a store while the text is edited. It runs on a background thread, so that neither
/// editing nor typing a search term ever waits. The nearest match is found first, then the number of all matches.
///
/// ```swift
/// let finder = TextFinder(in: store, post: { poster.post($0) })
/// finder.onProgress = { show(finder.count, isFinal: finder.isCountComplete) }
/// finder.startSearch(for: try TextSearch("ink", ignoringCase: true))
/// finder.find(.forward, from: caret) { found in if let found { select(found.range) } }
/// ```
///
/// The finder stores the number of matches in each 64 KB of the text, not their positions. After an edit, the parts
/// around the edit are searched again. Ranges of matches are mapped to the present text when they arrive. Offsets
/// are UTF-16 units. The finder is bound to the store's thread.
package final class TextFinder {
    /// Runs a closure on the store's thread, asynchronously.
    package typealias Post = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// A match that was found.
    package struct Found: Hashable, Sendable {
        /// The range of the match.
        package var range: Range<UTF16Offset>
        /// Whether the search reached an end of the text and continued from the other end.
        package var isWrapped: Bool
    }

    /// The present search; nil for none.
    package private(set) var search: TextSearch?
    /// Number of matches found so far.
    package private(set) var count = 0
    /// Whether ``count`` is final.
    package private(set) var isCountComplete = false
    /// The reason why the search failed; nil if it did not fail.
    package private(set) var error: TextSearchError?
    /// Called when ``count``, ``isCountComplete`` or ``error`` has changed, on the store's thread.
    package var onProgress: (() -> Void)?

    private let store: TextStore
    private let thread: FinderThread
    private let target: Target
    private var observation: TextObservation?
    private var number = 0
    /// Number of questions sent to the search thread so far.
    private(set) var lastQuestion = 0
    private var waiting: [Int: (FinderThread.Answer, TextVersion) -> Void] = [:]

    /// A weak reference to the finder. The search thread holds it only to pass it back to the store's thread.
    private final class Target: @unchecked Sendable {
        weak var finder: TextFinder?
    }

    /// Creates a finder in a store's text, without a search yet.
    ///
    /// - Parameter post: runs a closure on the store's thread.
    package convenience init(in store: TextStore, post: @escaping Post) {
        self.init(in: store, startingThreadsBy: BackgroundThread.start, post: post)
    }

    init(in store: TextStore, startingThreadsBy start: @escaping FinderThread.Start, post: @escaping Post) {
        self.store = store
        let target = Target()
        self.target = target
        thread = FinderThread(start: start) { post { target.finder?.collect() } }
        target.finder = self
        observation = store.observeTransactions { [weak self] applied in
            guard let self, search != nil, !applied.changes.isEmpty else { return }
            thread.follow(applied.changes.changeMap, to: .init(text: applied.text, version: applied.after))
        }
    }

    deinit { thread.close() }

    /// Starts a search; nil only ends the present one. Closures of earlier calls that still wait for an answer are
    /// not called any more.
    package func startSearch(for search: TextSearch?) {
        self.search = search
        (count, isCountComplete, error) = (0, false, nil)
        number += 1
        waiting = [:]
        thread.begin(
            search, in: .init(text: search == nil ? Rope() : store.text, version: store.version), number: number)
    }

    /// Finds the next or the previous match. If there is none as far as the end (or start) of the text, continues
    /// from the other end.
    ///
    /// - Parameters:
    ///   - offset: the first offset at which the match may start (forward), or the last at which it may end
    ///     (backward).
    ///   - milliseconds: longest time to block for the match. If the match is found in that time, `then` is called
    ///     before this returns, otherwise later.
    ///   - then: called with the match; with nil if there is none, if the search failed, or if the match was
    ///     deleted meanwhile. Not called if another search starts meanwhile.
    package func find(
        _ direction: TextStorageDirection, from offset: UTF16Offset, waitingAtMost milliseconds: Int = 0,
        then: @escaping (Found?) -> Void
    ) {
        ask(direction == .forward ? .next(offset) : .previous(offset), waiting: milliseconds) {
            [weak self] answer, version in
            guard let self, case .found(let range, let isWrapped) = answer else { return }
            then(range.flatMap { self.map($0, from: version) }.map { Found(range: $0, isWrapped: isWrapped) })
        }
    }

    /// Finds the matches that overlap or touch a range, in order, at most `limit`: for showing the matches in the
    /// viewport.
    package func findMatches(
        in range: Range<UTF16Offset>, limit: Int = 10_000, then: @escaping ([Range<UTF16Offset>]) -> Void
    ) {
        ask(.matches(range, limit: limit)) { [weak self] answer, version in
            guard let self, case .matches(let ranges) = answer else { return }
            then(ranges.compactMap { self.map($0, from: version) })
        }
    }

    /// Finds the ordinal, from 1, of the match that starts at an offset. Calls `then` with nil if the text before
    /// the match has not been searched yet.
    ///
    /// - Parameter milliseconds: longest time to block for the answer, as in
    ///   ``find(_:from:waitingAtMost:then:)``.
    package func findOrdinal(
        ofMatchAt offset: UTF16Offset, waitingAtMost milliseconds: Int = 0, then: @escaping (Int?) -> Void
    ) {
        ask(.ordinal(offset), waiting: milliseconds) { answer, _ in
            if case .ordinal(let ordinal) = answer { then(ordinal) }
        }
    }

    /// Computes a transaction that replaces all matches as one step of undo, and the number of matches. The transaction
    /// is nil if there are no matches, or if the search failed. The transaction is for the version of the text that was
    /// searched; the store rebases it.
    ///
    /// - Parameters:
    ///   - template: see ``ReplacementTemplate``.
    ///   - newline: the line end that replaces the line ends of the template; nil to leave them.
    ///   - place: the range of the only match to replace, which must be exactly a match; nil for all matches.
    ///   - ranges: the ranges in which matches are replaced, ordered and disjoint; nil for the whole text.
    ///   - milliseconds: longest time to block for the answer, as in ``find(_:from:waitingAtMost:then:)``.
    ///   - then: called with the result. Not called if another search starts meanwhile.
    package func findReplacement(
        with template: String, newline: String? = nil, at place: Range<UTF16Offset>? = nil,
        within ranges: [Range<UTF16Offset>]? = nil,
        waitingAtMost milliseconds: Int = 0, then: @escaping (Transaction?, Int) -> Void
    ) {
        let document = store.id
        ask(.replacement(template, newline: newline, at: place, within: ranges), waiting: milliseconds) {
            answer, version in
            guard case .replacement(let changes, let count) = answer else { return }
            then(changes.map { Transaction(on: document, version, $0) }, count)
        }
    }

    // MARK: Questions to the search thread, and their answers

    private func ask(
        _ question: FinderThread.Question, waiting milliseconds: Int = 0,
        then: @escaping (FinderThread.Answer, TextVersion) -> Void
    ) {
        lastQuestion += 1
        waiting[lastQuestion] = then
        thread.ask(question, id: lastQuestion)
        guard milliseconds > 0 else { return }
        thread.wait(for: lastQuestion, atMost: milliseconds)
        collect()
    }

    private func collect() {
        let (progress, answers) = thread.collect()
        let isCurrent = progress?.number == number
        // Set count and error before the answers are delivered: the receiver of an empty answer must see that the
        // search failed.
        if isCurrent, let (progress, _) = progress {
            (count, isCountComplete, error) = (progress.count, progress.isComplete, progress.error)
        }
        for (id, answer, version) in answers { waiting.removeValue(forKey: id)?(answer, version) }
        if isCurrent, progress?.number == number { onProgress?() }
    }

    /// Returns a range of an older version mapped to the present text; nil if its text was deleted.
    private func map(_ range: Range<UTF16Offset>, from version: TextVersion) -> Range<UTF16Offset>? {
        if version == store.version { return range }
        func end(_ offset: UTF16Offset, _ affinity: TextAffinity) -> UTF16Offset {
            store.offset(of: TextPosition(document: store.id, version: version, offset: offset, affinity: affinity))
        }
        let low = end(range.lowerBound, .downstream)
        let high = end(range.upperBound, .upstream)
        return low < high ? low..<high : range.isEmpty ? high..<high : nil
    }
}
