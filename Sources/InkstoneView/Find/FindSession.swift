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
        /// The answer is still to come, and has been for long: see ``FindSession/reportSearching()``.
        case searching
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
    /// Whether ``replaceAll(with:inSelection:done:)`` is at work, or ``replace(with:)`` has still to find out what it replaces.
    public private(set) var isReplacing = false {
        didSet { if oldValue, !isReplacing { onReplacingEnd?() } }
    }
    /// ``status`` or ``isWrapped`` has changed.
    public var onChange: (() -> Void)?
    /// ``isReplacing`` is false again.
    public var onReplacingEnd: (() -> Void)?

    /// Where the user is, as far as the search knows.
    private struct Place {
        /// What was selected when the search began, or what the user has selected since; nil while no search is going on.
        var origin: Selection?
        /// Where the nearest match is looked for from.
        var anchor: UTF16Offset = 0
        /// Whether the user has gone to a match, to stay there.
        var hasStepped = false
        /// What the search has left selected; any other selection is the user's.
        var expected: Selection?

        /// Moves it along with a change that was made elsewhere than in the view.
        mutating func map(through applied: AppliedTransaction) {
            let changes = applied.changes.changeMap
            // As the view's selection moves.
            let bias: TextAffinity = applied.origin.isWithin(.load) ? .upstream : .downstream
            origin = origin?.mapped(caret: bias) { changes.map($0, bias: $1) }
            expected = expected?.mapped(caret: bias) { changes.map($0, bias: $1) }
            anchor = changes.map(anchor, bias: bias)
        }
    }

    /// What is marked, and how that looks.
    private struct Marks {
        var ranges: [Range<UTF16Offset>] = []
        var version: TextVersion?
        var look: RenderingAttributes?
        var currentLook: RenderingAttributes?
    }

    private var place = Place()
    private var current: Range<UTF16Offset>?
    private var ordinal: Int?
    private var marks = Marks()
    private var observation: TextObservation?

    /// Milliseconds that a step waits for its match at most, so that what is typed right after it comes behind it.
    private static let stepWait = 20

    /// A search in a view, which looks for nothing yet.
    ///
    /// - Parameter post: runs a closure on the view's thread, soon.
    public init(in view: EditorView, post: @escaping TextFinder.Post) {
        self.view = view
        finder = TextFinder(in: view.store, post: post)
        finder.onProgress = { [weak self] in self?.didProgress() }
        observation = view.observe { [unowned self] update in
            if let applied = update.applied, !applied.changes.isEmpty {
                place.map(through: applied)
                // What the user edits in the view is where they are now.
                if applied.view == self.view.state.view, applied.origin.isUser { place.expected = nil }
            }
            if update.movesText { refresh() }
        }
    }

    /// Whether something may be looked for: between ``begin()`` and ``end(returning:)``.
    public var isActive: Bool { place.origin != nil }

    /// The search begins where the user is.
    public func begin() {
        place = Place(
            origin: view.selection ?? Selection(caret: 0), anchor: view.primary.range.lowerBound,
            expected: view.selection)
        if !pattern.isEmpty { look() }
    }

    /// Notices if the user has selected something else than the search did: the search goes on from there. Returns whether they have.
    @discardableResult
    private func followUser() -> Bool {
        guard view.selection != place.expected else { return false }
        if isActive { (place.origin, place.hasStepped) = (view.selection ?? Selection(caret: 0), false) }
        (place.anchor, place.expected) = (view.primary.range.lowerBound, view.selection)
        return true
    }

    private func select(_ selection: Selection) {
        view.go(to: selection)
        place.expected = view.selection
    }

    /// Back to where the user was, unless that is at a match by now.
    private func selectOrigin() {
        if let origin = place.origin, !place.hasStepped { select(origin.clamped(into: view.textRange)) }
    }

    /// The search is over, and nothing is marked any more. The view shows what it did before if the user has neither gone to a match
    /// nor selected anything else.
    public func end(returning: Bool = true) {
        guard isActive else { return }
        followUser()
        if returning { selectOrigin() }
        place.origin = nil
        finder.look(for: nil)
        unmark()
        markCurrent()
        (status, isWrapped, isSearching) = (.idle, false, false)
        onChange?()
        isReplacing = false
    }

    /// Looks for something else, from where the search began, or where the user has gone since.
    ///
    /// - Parameter goingToMatch: whether the nearest match is selected; else matches are marked and counted alone, for a pattern that has come
    ///   while the user is at work in the text.
    public func look(
        for pattern: String? = nil, syntax: TextSearch.Syntax? = nil, ignoringCase: Bool? = nil,
        matchingWholeWords: Bool? = nil, goingToMatch: Bool = true
    ) {
        self.pattern = pattern ?? self.pattern
        self.syntax = syntax ?? self.syntax
        ignoresCase = ignoringCase ?? ignoresCase
        matchesWholeWords = matchingWholeWords ?? matchesWholeWords
        (current, ordinal, isWrapped, isSearching) = (nil, nil, false, false)
        defer { isReplacing = false }
        followUser()
        guard let search = makeSearch() else {
            finder.look(for: nil)
            unmark()
            if goingToMatch { selectOrigin() }
            markCurrent()
            onChange?()
            return
        }
        finder.look(for: search)
        if goingToMatch {
            isSearching = true
            finder.find(.forward, from: min(place.anchor, view.textRange.upperBound)) { [weak self] in self?.take($0) }
        }
        refresh()
    }

    /// Takes back what is known of something that was looked for before, and has ``status`` say ``Status/searching``, if a match is
    /// still to come. For whoever thinks that the user has waited long enough to be told; sooner it would flicker.
    public func reportSearching() {
        guard isSearching, status != .searching else { return }
        status = .searching
        if current == nil { unmark() }
        markCurrent()
        onChange?()
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
    public func step(_ direction: TextStorageDirection) { step(direction, isAtEmptyMatch: false) }

    /// - Parameter isAtEmptyMatch: whether the caret is where a match without text was, which is not to be found again.
    private func step(_ direction: TextStorageDirection, isAtEmptyMatch: Bool) {
        if finder.search == nil {
            guard !pattern.isEmpty else { return }
            finder.look(for: makeSearch())
        }
        guard finder.search != nil else {
            onChange?()
            return
        }
        followUser()
        (place.hasStepped, isSearching) = (true, true)
        let (text, range) = (view.store.text, view.primary.range)
        var from = direction == .forward ? range.upperBound : range.lowerBound
        var isAround = false
        if range.isEmpty, isAtEmptyMatch || current == range {
            let next = direction == .forward ? text.graphemeBoundary(after: from) : text.graphemeBoundary(before: from)
            isAround = next == from
            from = !isAround ? next : direction == .forward ? 0 : view.textRange.upperBound
        }
        finder.find(direction, from: from, waitingAtMost: Self.stepWait) { [weak self] found in
            self?.take(found, isAround: isAround)
        }
        place.anchor = view.primary.range.lowerBound
    }

    /// - Parameter isAround: whether an end of the text had been gone around before it was asked for.
    private func take(_ found: TextFinder.Found?, isAround: Bool = false) {
        isSearching = false
        guard finder.error == nil else { return }
        // Who has gone elsewhere meanwhile stays there.
        let hasMoved = followUser()
        isWrapped = found.map { isAround || $0.isWrapped } ?? false
        current = hasMoved ? nil : found?.range
        ordinal = nil
        if let current {
            select(Selection(anchor: current.lowerBound, head: current.upperBound))
            findOrdinal()
        } else if !hasMoved {
            selectOrigin()
        }
        markCurrent()
        updateStatus()
        if current != nil { rest() }
    }

    /// Ends the search for one that only steps, with its marks and count shown by nobody: the finder follows no edits then.
    private func rest() {
        if !isActive, !isSearching, finder.search != nil { finder.look(for: nil) }
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
        if finder.isCountComplete { rest() }
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

    /// Marks the matches in sight. A million matches cost no more than a few.
    package func refresh() {
        guard isActive, finder.search != nil else { return }
        let margin = 2000
        let shown = view.visibleTextRange
        let range = max(0, shown.lowerBound - margin)..<min(view.textRange.upperBound, shown.upperBound + margin)
        finder.findMatches(in: range) { [weak self] in self?.mark($0) }
    }

    private func mark(_ ranges: [Range<UTF16Offset>]) {
        guard isActive else { return }
        markCurrent()
        let look = RenderingAttributes(background: view.theme.match)
        if ranges == marks.ranges, marks.version == view.store.version, marks.look == look { return }
        unmark()
        (marks.ranges, marks.version, marks.look) = (ranges, view.store.version, look)
        view.addDecorations(ranges, looking: look, in: .search, showsEmpty: true)
    }

    /// Marks the match that one has gone to, in a way that is told from the others' without colours too.
    private func markCurrent() {
        let layer = view.decorations(in: .currentMatch)
        let match = isActive && view.primary.range == current ? view.primary.range : 0..<0
        let look = RenderingAttributes(
            background: view.theme.currentMatch, underline: .thick, underlineColor: view.theme.text)
        guard
            match.isEmpty ? !layer.isEmpty : layer.isEmpty || layer.range(0) != match || look != marks.currentLook
        else { return }
        view.removeDecorations(in: .currentMatch)
        marks.currentLook = look
        view.addDecorations([match], looking: look, in: .currentMatch)
    }

    private func unmark() {
        (marks.ranges, marks.version) = ([], nil)
        view.removeDecorations(in: .search)
    }

    // MARK: Replacing

    /// Replaces the selected match and goes to the next; if no match is selected, only that. False if the text cannot be changed.
    ///
    /// What an expression matches may take its time: who edits or selects something else meanwhile gives it up.
    @discardableResult
    public func replace(with template: String) -> Bool {
        guard view.isEditable, finder.search != nil else { return false }
        if isReplacing { return true }
        view.session.endComposition()
        let (version, range) = (view.store.version, view.primary.range)
        (isSearching, isReplacing) = (true, true)
        finder.findReplacement(with: template, at: range, waitingAtMost: Self.stepWait) {
            [weak self] transaction, count in
            guard let self else { return }
            isSearching = false
            defer { isReplacing = false }
            guard finder.error == nil, view.store.version == version, view.primary.range == range else {
                return updateStatus()
            }
            if var transaction {
                transaction.origin = .paste
                transaction.view = view.state.view
                transaction.selection = .afterInserted
                transaction.selectionBefore = view.selection
                transaction.reveal = true
                view.session.dispatch(transaction)
            }
            step(.forward, isAtEmptyMatch: count > 0 && range.isEmpty)
        }
        return true
    }

    /// Whether text was selected when the search began, or has been since by the user.
    public var hasSelection: Bool { place.origin.map { !$0.isEmpty } ?? false }

    /// Replaces all matches as one step of undo. Looking for something else meanwhile, or ending the search, gives it up.
    ///
    /// - Parameters:
    ///   - inSelection: whether only matches count that lie in what was selected when the search began, or what the user has selected since.
    ///   - done: told how many; not called if it is given up.
    public func replaceAll(with template: String, inSelection: Bool = false, done: @escaping (Int) -> Void) {
        isReplacing = true
        workOutReplacement(with: template, inSelection) { [weak self] count in
            done(count)
            self?.isReplacing = false
        }
    }

    /// Gives up what ``replaceAll(with:inSelection:done:)`` or ``replace(with:)`` has not made yet, and looks on.
    public func cancelReplacing() {
        if isReplacing { look() }
    }

    private func workOutReplacement(
        with template: String, _ inSelection: Bool, done: @escaping (Int) -> Void
    ) {
        guard view.isEditable, finder.search != nil else { return done(0) }
        followUser()
        place.hasStepped = true
        let ranges = inSelection ? place.origin?.ranges.map(\.range).filter { !$0.isEmpty } ?? [] : nil
        finder.findReplacement(with: template, within: ranges) { [weak self] transaction, count in
            guard let self else { return }
            guard var transaction else { return done(0) }
            // What was typed meanwhile may be matches too, or the end of some.
            guard transaction.version == view.store.version else {
                return workOutReplacement(with: template, inSelection, done: done)
            }
            view.session.endComposition()
            guard transaction.version == view.store.version else {
                return workOutReplacement(with: template, inSelection, done: done)
            }
            transaction.origin = .paste
            transaction.view = view.state.view
            transaction.selectionBefore = view.selection
            current = nil
            // They would follow each of the replacements; those in sight are looked for anew.
            unmark()
            markCurrent()
            let isMade = view.session.dispatch(transaction) != nil
            if !isMade { refresh() }
            place.expected = view.selection
            done(isMade ? count : 0)
        }
    }
}
