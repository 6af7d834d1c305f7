import InkstoneBase
public import InkstoneText
import InkstoneEditing
import InkstoneLayout

/// A search in a view while someone types what to look for: the nearest match is selected, those in sight are marked, their number is
/// counted, and one can step, replace, and go back to where one was.
///
/// It shows nothing of its own; a bar or a host does that with ``pattern``, ``status`` and ``onChange``. On the view's thread.
public final class FindSession {
    /// What a bar says.
    public enum Status: Hashable, Sendable {
        /// Nothing is looked for, or the answer is still to come.
        case idle
        /// There are matches: which of them is selected, if that is known yet, and how many there are so far.
        case found(ordinal: Int?, count: Int, isComplete: Bool)
        /// There is none.
        case notFound
        /// The pattern cannot be looked for.
        case failed(TextSearchError)
    }

    /// The view that is searched.
    public let view: EditorView
    /// What finds.
    public let finder: TextFinder
    /// What is looked for.
    public private(set) var pattern = ""
    /// How ``pattern`` is read.
    public private(set) var syntax = TextSearch.Syntax.literal
    /// Whether upper and lower case are the same.
    public private(set) var ignoresCase = true
    /// Whether only whole words count.
    public private(set) var matchesWholeWords = false
    /// What has come of it.
    public private(set) var status = Status.idle
    /// Whether the last step went around an end of the text.
    public private(set) var isWrapped = false
    /// Whether a match has been asked for that is still to come.
    public private(set) var isSearching = false
    /// ``status`` or ``isWrapped`` has changed.
    public var onChange: (() -> Void)?

    /// What was selected when the search began; nil while it is not going on.
    private var origin: Selection?
    /// Where the nearest match is looked for from.
    private var anchor: UTF16Offset = 0
    /// Whether the user has gone to a match, to stay there.
    private var hasStepped = false
    private var current: Range<UTF16Offset>?
    private var ordinal: Int?
    private var marked: [Range<UTF16Offset>] = []
    private var markedVersion: TextVersion?

    /// Milliseconds that a step waits for its match at most, so that what is typed right after it comes behind it.
    private static let stepWait = 20

    /// A search in a view, which looks for nothing yet.
    ///
    /// - Parameter post: runs a closure on the view's thread, soon.
    public init(in view: EditorView, post: @escaping TextFinder.Post) {
        self.view = view
        finder = TextFinder(in: view.store, post: post)
        finder.onProgress = { [weak self] in self?.didProgress() }
    }

    /// Whether something may be looked for: between ``begin()`` and ``end(returning:)``.
    public var isActive: Bool { origin != nil }

    /// The search begins where the user is.
    public func begin() {
        origin = view.selection ?? Selection(caret: 0)
        anchor = view.primary.range.lowerBound
        hasStepped = false
        if !pattern.isEmpty { look() }
    }

    /// The search is over, and nothing is marked any more. The view shows what it did before if the user has not gone to a match.
    public func end(returning: Bool = true) {
        guard let origin else { return }
        self.origin = nil
        finder.look(for: nil)
        unmark()
        markCurrent()
        (status, isWrapped, isSearching) = (.idle, false, false)
        if returning, !hasStepped { view.select(origin.clamped(into: view.textRange)) }
        onChange?()
    }

    /// Looks for something else, from where the search began.
    public func look(
        for pattern: String? = nil, syntax: TextSearch.Syntax? = nil, ignoringCase: Bool? = nil,
        matchingWholeWords: Bool? = nil
    ) {
        self.pattern = pattern ?? self.pattern
        self.syntax = syntax ?? self.syntax
        ignoresCase = ignoringCase ?? ignoresCase
        matchesWholeWords = matchingWholeWords ?? matchesWholeWords
        (current, ordinal, isWrapped, isSearching) = (nil, nil, false, false)
        guard let search = makeSearch() else {
            finder.look(for: nil)
            unmark()
            if let origin, !hasStepped { view.select(origin.clamped(into: view.textRange)) }
            markCurrent()
            onChange?()
            return
        }
        finder.look(for: search)
        isSearching = true
        finder.find(.forward, from: min(anchor, view.textRange.upperBound)) { [weak self] in self?.take($0) }
        refresh()
    }

    private func makeSearch() -> TextSearch? {
        guard !pattern.isEmpty else {
            status = .idle
            return nil
        }
        do throws(TextSearchError) {
            return try TextSearch(
                pattern, syntax: syntax, ignoringCase: ignoresCase, matchingWholeWords: matchesWholeWords)
        } catch {
            status = .failed(error)
            return nil
        }
    }

    /// Goes to the next or the previous match from the selection, around the ends of the text.
    public func step(_ direction: TextStorageDirection) {
        if finder.search == nil {
            guard !pattern.isEmpty else { return }
            finder.look(for: makeSearch())
        }
        guard finder.search != nil else {
            onChange?()
            return
        }
        (hasStepped, isSearching) = (true, true)
        let range = view.primary.range
        var from = direction == .forward ? range.upperBound : range.lowerBound
        // Behind a match without text.
        if direction == .forward, range.isEmpty, current == range {
            from = view.store.text.graphemeBoundary(after: from)
        }
        finder.find(direction, from: from, waitingAtMost: Self.stepWait) { [weak self] in self?.take($0) }
        anchor = view.primary.range.lowerBound
    }

    private func take(_ found: TextFinder.Found?) {
        isSearching = false
        guard finder.error == nil else { return }
        isWrapped = found?.isWrapped ?? false
        current = found?.range
        ordinal = nil
        if let range = found?.range {
            view.select(Selection(anchor: range.lowerBound, head: range.upperBound))
            findOrdinal()
        } else if let origin, !hasStepped {
            view.select(origin.clamped(into: view.textRange))
        }
        markCurrent()
        updateStatus()
        refresh()
    }

    private func findOrdinal() {
        guard let current else { return }
        finder.findOrdinal(ofMatchAt: current.lowerBound) { [weak self] in
            guard let self, self.current == current, let found = $0 else { return }
            ordinal = found
            updateStatus()
        }
    }

    private func didProgress() {
        if current != nil, ordinal == nil || finder.isCountComplete { findOrdinal() }
        updateStatus()
        refresh()
    }

    private func updateStatus() {
        if let error = finder.error {
            status = .failed(error)
        } else if finder.count > 0 || current != nil {
            let count = max(finder.count, ordinal ?? 1)
            status = .found(ordinal: ordinal, count: count, isComplete: finder.isCountComplete)
        } else if finder.isCountComplete {
            status = .notFound
        }
        onChange?()
    }

    // MARK: Marks

    /// Marks the matches in sight; to be called when other text has come into sight. A million matches cost no more than a few.
    public func refresh() {
        guard isActive, finder.search != nil else { return }
        let margin = 2000
        let shown = view.visibleTextRange
        let range = max(0, shown.lowerBound - margin)..<min(view.textRange.upperBound, shown.upperBound + margin)
        finder.findMatches(in: range) { [weak self] in self?.mark($0) }
    }

    private func mark(_ ranges: [Range<UTF16Offset>]) {
        guard isActive else { return }
        markCurrent()
        if ranges == marked, markedVersion == view.store.version { return }
        unmark()
        (marked, markedVersion) = (ranges, view.store.version)
        view.addDecorations(ranges, looking: RenderingAttributes(background: view.theme.match), in: .search)
    }

    /// Marks the match that one has gone to, in a way that is told from the others' without colours too.
    private func markCurrent() {
        let layer = view.decorations(in: .currentMatch)
        let match = isActive && view.primary.range == current ? view.primary.range : 0..<0
        guard match.isEmpty ? !layer.isEmpty : layer.isEmpty || layer.range(0) != match else { return }
        view.removeDecorations(in: .currentMatch)
        let look = RenderingAttributes(
            background: view.theme.currentMatch, underline: .thick, underlineColor: view.theme.text)
        view.addDecorations([match], looking: look, in: .currentMatch)
    }

    private func unmark() {
        (marked, markedVersion) = ([], nil)
        view.removeDecorations(in: .search)
    }

    // MARK: Replacing

    /// Replaces the selected match and goes to the next; if no match is selected, only that. False if the text cannot be changed.
    @discardableResult
    public func replace(with template: String) -> Bool {
        guard view.isEditable, let search = finder.search else { return false }
        let text = view.store.text
        let bytes = text.byteRange(of: view.primary.range)
        if let match = try? search.match(at: bytes.lowerBound, in: text), match.range == bytes {
            view.endComposition()
            let new = ReplacementTemplate(template, for: search).text(for: match, in: text)
            view.dispatch(view.state.replacing(view.primary.range, with: new, origin: .paste))
        }
        step(.forward)
        return true
    }

    /// Replaces all matches as one step of undo.
    ///
    /// - Parameter done: told how many.
    public func replaceAll(with template: String, done: @escaping (Int) -> Void) {
        guard view.isEditable, finder.search != nil else { return done(0) }
        hasStepped = true
        finder.findReplacement(with: template) { [weak self] transaction, count in
            guard let self else { return }
            guard var transaction else { return done(0) }
            // What was typed meanwhile may be matches too, or the end of some.
            guard transaction.version == view.store.version else { return replaceAll(with: template, done: done) }
            view.endComposition()
            guard transaction.version == view.store.version else { return replaceAll(with: template, done: done) }
            transaction.origin = .paste
            transaction.view = view.id
            transaction.selectionBefore = view.selection
            current = nil
            let isMade = view.dispatch(transaction) != nil
            done(isMade ? count : 0)
        }
    }
}
