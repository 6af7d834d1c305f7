import InkstoneBase
public import InkstoneText
import InkstoneEditing
import InkstoneLayout

/// A search in a view while the user types the pattern. It selects the nearest match, marks and counts the matches,
/// moves among them, replaces them, and returns to the user's original position.
///
/// The session has no display of its own: a search bar shows ``pattern`` and ``status``, and uses ``onChange``.
/// Bound to the view's thread.
public final class FindSession {
    /// The status of a search, for a bar to show.
    public enum Status: Hashable, Sendable {
        /// No pattern is set, or the search has no result yet.
        case idle
        /// The search is taking so long that the user should be notified: see ``FindSession/reportSearching()``.
        case searching
        /// The text has matches. `ordinal` is the number of the selected match among them, from 1; nil if it is not
        /// known yet. `count` is the number of matches found so far, and `isComplete` tells whether all were
        /// counted.
        case found(ordinal: Int?, count: Int, isComplete: Bool)
        /// The text has no match.
        case notFound
        /// The pattern is invalid or the search failed.
        case failed(TextSearchError)
    }

    /// The view that is searched.
    public let view: EditorView
    /// The finder that searches the text.
    package let finder: TextFinder
    /// The pattern of the search.
    public private(set) var pattern = ""
    /// The syntax of ``pattern``.
    public private(set) var syntax = TextSearch.Syntax.literal
    /// Whether the search ignores case.
    public private(set) var ignoresCase = true
    /// Whether only whole words match.
    public private(set) var matchesWholeWords = false
    /// The status of the search.
    public private(set) var status = Status.idle
    /// Whether the search for the present match has continued from the other end of the text.
    public private(set) var isWrapped = false
    /// Whether a match was requested and has not been found yet.
    public private(set) var isSearching = false
    /// Whether ``replaceAll(with:inSelection:done:)`` is in progress, or ``replace(with:)`` is still computing its
    /// replacement.
    public private(set) var isReplacing = false {
        didSet { if oldValue, !isReplacing { onReplacingEnd?() } }
    }
    /// Called when ``status`` or ``isWrapped`` may have changed.
    public var onChange: (() -> Void)?
    /// Called when ``isReplacing`` becomes false.
    public var onReplacingEnd: (() -> Void)?

    /// The selection to return to when the search ends, the offset to search from, and the state by which the
    /// search recognizes that the user has moved.
    private struct Place {
        /// The selection when the search began, or the selection that the user has made since; nil while the search
        /// is not active.
        var origin: Selection?
        /// The offset from which the nearest match is sought.
        var anchor: UTF16Offset = 0
        /// Whether the user has moved to a match. If so, the end of the search does not return to the origin.
        var hasStepped = false
        /// The selection that the search made last. Any other selection was made by the user.
        var expected: Selection?

        /// Maps the position through a change that was made outside of the view.
        mutating func map(through applied: AppliedTransaction) {
            let changes = applied.changes.changeMap
            // Use the same bias as for the view's own selection. Both selections then stay equal.
            let bias: TextAffinity = applied.origin.isWithin(.load) ? .upstream : .downstream
            origin = origin?.mapped(caret: bias) { changes.map($0, bias: $1) }
            expected = expected?.mapped(caret: bias) { changes.map($0, bias: $1) }
            anchor = changes.map(anchor, bias: bias)
        }
    }

    /// The ranges and styles of the matches that are marked.
    private struct Marks {
        var ranges: [Range<UTF16Offset>] = []
        var version: TextVersion?
        var appearance: RenderingAttributes?
        var currentAppearance: RenderingAttributes?
    }

    private var place = Place()
    private var current: Range<UTF16Offset>?
    private var ordinal: Int?
    private var marks = Marks()
    private var observation: TextObservation?

    /// The longest time, in milliseconds, that a step to another match, or a replacement, blocks until its result is
    /// found. Text that is typed just after a step then replaces the match instead of the old selection.
    private static let stepWait = 20

    /// Creates an inactive session for a view.
    ///
    /// - Parameter post: runs a closure on the view's thread, soon.
    public init(in view: EditorView, post: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.view = view
        finder = TextFinder(in: view.store, post: post)
        finder.onProgress = { [weak self] in self?.didProgress() }
        observation = view.observe { [unowned self] update in
            if let applied = update.applied, !applied.changes.isEmpty {
                place.map(through: applied)
                // If the user has edited the text in this view, treat the caret as the user's new position.
                if applied.view == self.view.state.view, applied.origin.isUser { place.expected = nil }
            }
            if update.movesText { refresh() }
        }
    }

    /// Whether the search is active: between ``begin()`` and ``end(returning:)``.
    public var isActive: Bool { place.origin != nil }

    /// Begins a search at the user's position, for a bar that opens. If there is a ``pattern`` from before, its
    /// matches are marked and counted; the view does not move until a step or another pattern. A new pattern begins
    /// a search as well: ``search(for:syntax:ignoringCase:matchingWholeWords:goingToMatch:)``.
    public func begin() {
        beginHere()
        if !pattern.isEmpty { search(goingToMatch: false) }
    }

    private func beginHere() {
        place = Place(
            origin: view.selection ?? Selection(caret: 0), anchor: view.primary.range.lowerBound,
            expected: view.selection)
    }

    /// Adopts the selection as the user's new position, if the search did not make it. The search then continues
    /// from there. Returns whether the selection was adopted.
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

    /// Selects the user's original position, unless the user has stepped to a match.
    private func selectOrigin() {
        if let origin = place.origin, !place.hasStepped { select(origin.clamped(into: view.textRange)) }
    }

    /// Ends the search and removes its marks. Returns to the original selection, unless `returning` is false, or
    /// the user has moved to a match or has selected something else. Cancels a replacement in progress. Does
    /// nothing if the search is not active.
    public func end(returning: Bool = true) {
        guard isActive else { return }
        followUser()
        if returning { selectOrigin() }
        place.origin = nil
        finder.startSearch(for: nil)
        unmark()
        markCurrent()
        (status, isWrapped, isSearching) = (.idle, false, false)
        onChange?()
        isReplacing = false
    }

    /// Changes the pattern or its options, and searches from the position where the search began, or from the
    /// selection that the user has made since. Begins an inactive search if `pattern` is not nil.
    ///
    /// - Parameter goingToMatch: whether to select the nearest match. If not, the matches are only marked and
    ///   counted, as for a pattern that arrives while the user is working in the text.
    public func search(
        for pattern: String? = nil, syntax: TextSearch.Syntax? = nil, ignoringCase: Bool? = nil,
        matchingWholeWords: Bool? = nil, goingToMatch: Bool = true
    ) {
        if pattern != nil, !isActive { beginHere() }
        self.pattern = pattern ?? self.pattern
        self.syntax = syntax ?? self.syntax
        ignoresCase = ignoringCase ?? ignoresCase
        matchesWholeWords = matchingWholeWords ?? matchesWholeWords
        (current, ordinal, isWrapped, isSearching) = (nil, nil, false, false)
        defer { isReplacing = false }
        followUser()
        guard let search = makeSearch() else {
            finder.startSearch(for: nil)
            unmark()
            if goingToMatch { selectOrigin() }
            markCurrent()
            onChange?()
            return
        }
        finder.startSearch(for: search)
        if goingToMatch {
            isSearching = true
            finder.find(.forward, from: min(place.anchor, view.textRange.upperBound)) { [weak self] in self?.take($0) }
        }
        refresh()
    }

    /// Sets ``status`` to ``Status/searching`` if a match is still being sought. If no match is selected, also
    /// removes the marks of the previous pattern. Call this after a delay that the user notices, because an earlier
    /// call would make the display flicker.
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

    /// Selects the next or previous match, continuing from the other end at an end of the text.
    public func step(_ direction: TextStorageDirection) { step(direction, isAtEmptyMatch: false) }

    /// Selects the next or previous match.
    ///
    /// - Parameter isAtEmptyMatch: whether the caret is at an empty match, which must not be found again.
    private func step(_ direction: TextStorageDirection, isAtEmptyMatch: Bool) {
        if finder.search == nil {
            guard !pattern.isEmpty else { return }
            finder.startSearch(for: makeSearch())
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

    /// Selects a match that was found.
    ///
    /// - Parameter isAround: whether the search had already continued from the other end of the text when the match
    ///   was requested.
    private func take(_ found: TextFinder.Found?, isAround: Bool = false) {
        isSearching = false
        guard finder.error == nil else { return }
        // Do not move the selection of a user who has selected something else meanwhile.
        let hasMoved = followUser()
        isWrapped = found.map { isAround || $0.isWrapped } ?? false
        current = hasMoved ? nil : found?.range
        ordinal = nil
        if let current {
            select(Selection(anchor: current.lowerBound, head: current.upperBound))
            // If all matches are counted, the answer comes at once, and the status never lacks the ordinal.
            findOrdinal(waitingAtMost: isActive && finder.isCountComplete ? Self.stepWait : 0)
        } else if !hasMoved {
            selectOrigin()
        }
        markCurrent()
        updateStatus()
        if current != nil { rest() }
    }

    /// Stops the finder if the session is not active and is only used to move among matches. No marks and no count
    /// are shown then, and the finder need not follow edits.
    private func rest() {
        if !isActive, !isSearching, finder.search != nil { finder.startSearch(for: nil) }
    }

    /// Finds the ordinal of the selected match, and updates ``status`` when it is known.
    ///
    /// - Parameter wait: the longest time to block for the ordinal, in milliseconds.
    private func findOrdinal(waitingAtMost wait: Int = 0) {
        guard let current else { return }
        finder.findOrdinal(ofMatchAt: current.lowerBound, waitingAtMost: wait) { [weak self] in
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
            // The match or its ordinal will be known in a moment. Keep the present status until then, so that a bar
            // does not flicker. A status without an ordinal is of use only while matches are still being counted.
            let isAwaited = isActive && ordinal == nil && (isSearching || current != nil)
            if isAwaited, finder.isCountComplete || finder.count == 0 { return }
            let count = max(finder.count, ordinal ?? 1)
            status = .found(ordinal: ordinal, count: count, isComplete: finder.isCountComplete)
        } else if finder.isCountComplete {
            status = .notFound
        }
        onChange?()
    }

    // MARK: Marking the matches

    /// Marks the visible matches. The cost does not depend on the number of matches in the text.
    package func refresh() {
        guard isActive, finder.search != nil else { return }
        let margin = 2000
        let shown = view.presenter.visibleTextRange
        let range = max(0, shown.lowerBound - margin)..<min(view.textRange.upperBound, shown.upperBound + margin)
        finder.findMatches(in: range) { [weak self] in self?.mark($0) }
    }

    private func mark(_ ranges: [Range<UTF16Offset>]) {
        guard isActive else { return }
        markCurrent()
        let appearance = RenderingAttributes(background: view.theme.match)
        if ranges == marks.ranges, marks.version == view.store.version, marks.appearance == appearance { return }
        unmark()
        (marks.ranges, marks.version, marks.appearance) = (ranges, view.store.version, appearance)
        view.addDecorations(ranges, attributes: appearance, in: .search, showsEmpty: true)
    }

    /// Marks the current match in a style that also differs in its underline, for users who cannot distinguish the
    /// colours.
    private func markCurrent() {
        let layer = view.decorations(in: .currentMatch)
        let match = isActive && view.primary.range == current ? view.primary.range : 0..<0
        let appearance = RenderingAttributes(
            background: view.theme.currentMatch, underline: .thick, underlineColor: view.theme.text)
        guard
            match.isEmpty
                ? !layer.isEmpty : layer.isEmpty || layer.range(0) != match || appearance != marks.currentAppearance
        else { return }
        view.removeDecorations(in: .currentMatch)
        marks.currentAppearance = appearance
        view.addDecorations([match], attributes: appearance, in: .currentMatch)
    }

    private func unmark() {
        (marks.ranges, marks.version) = ([], nil)
        view.removeDecorations(in: .search)
    }

    // MARK: Replacing

    /// Replaces the selected match and selects the next one. If no match is selected, only selects the next one. A
    /// composition ends first, with its text kept. Returns false if the text cannot be edited, or if there is no
    /// search. Does nothing and returns true while another replacement is in progress.
    ///
    /// Computing the replacement of a regular expression may take time. An edit or another selection meanwhile
    /// cancels it.
    @discardableResult
    public func replace(with template: String) -> Bool {
        guard view.isEditable, finder.search != nil else { return false }
        if isReplacing { return true }
        view.session.endComposition()
        let (version, range) = (view.store.version, view.primary.range)
        (isSearching, isReplacing) = (true, true)
        finder.findReplacement(with: template, newline: view.session.newline, at: range, waitingAtMost: Self.stepWait) {
            [weak self] transaction, count in
            guard let self else { return }
            isSearching = false
            defer { isReplacing = false }
            guard finder.error == nil, view.store.version == version, view.primary.range == range else {
                return updateStatus()
            }
            if var transaction {
                let changes = view.state.keepingCells(transaction.changes)
                transaction.selection = changes.count > 1 ? .set(changes.caretAfterText) : .afterInserted
                transaction.changes = changes
                transaction.origin = .paste
                transaction.view = view.state.view
                transaction.selectionBefore = view.selection
                transaction.reveal = true
                transaction.restyling = view.store.styledText.restyling(keepingReplaced: transaction.changes)
                view.session.dispatch(transaction)
            }
            step(.forward, isAtEmptyMatch: count > 0 && range.isEmpty)
        }
        return true
    }

    /// Whether the selection to which the search returns contains text. It is the selection at the beginning of the
    /// search, or one that the user has made since.
    public var hasSelection: Bool { place.origin.map { !$0.isEmpty } ?? false }

    /// Replaces all matches in one undo step. A composition ends first, with its text kept. Changing the pattern or
    /// ending the search cancels the replacement.
    ///
    /// - Parameters:
    ///   - inSelection: whether to replace only matches within the selection in which the search began, or which
    ///     the user has made since.
    ///   - done: called with the number of replacements: 0 also if the text cannot be edited, if there is no
    ///     search, or if the edit was refused. Not called if the replacement is cancelled.
    public func replaceAll(with template: String, inSelection: Bool = false, done: @escaping (Int) -> Void) {
        isReplacing = true
        workOutReplacement(with: template, inSelection) { [weak self] count in
            done(count)
            self?.isReplacing = false
        }
    }

    /// Cancels a ``replaceAll(with:inSelection:done:)`` or ``replace(with:)`` in progress, and searches again.
    public func cancelReplacing() {
        if isReplacing { search() }
    }

    private func workOutReplacement(
        with template: String, _ inSelection: Bool, done: @escaping (Int) -> Void
    ) {
        guard view.isEditable, finder.search != nil else { return done(0) }
        followUser()
        place.hasStepped = true
        let ranges = inSelection ? place.origin?.ranges.map(\.range).filter { !$0.isEmpty } ?? [] : nil
        finder.findReplacement(with: template, newline: view.session.newline, within: ranges) {
            [weak self] transaction, count in
            guard let self else { return }
            guard var transaction else { return done(0) }
            // If the text was edited meanwhile, the matches may have changed. Compute the replacement again then.
            guard transaction.version == view.store.version else {
                return workOutReplacement(with: template, inSelection, done: done)
            }
            view.session.endComposition()
            guard transaction.version == view.store.version else {
                return workOutReplacement(with: template, inSelection, done: done)
            }
            transaction.changes = view.state.keepingCells(transaction.changes)
            transaction.origin = .paste
            transaction.view = view.state.view
            transaction.selectionBefore = view.selection
            transaction.restyling = view.store.styledText.restyling(keepingReplaced: transaction.changes)
            current = nil
            // Remove the marks before the replacement, since each mark would be mapped through every change. The
            // visible matches are marked again afterwards.
            unmark()
            markCurrent()
            let isMade = view.session.dispatch(transaction) != nil
            if !isMade { refresh() }
            place.expected = view.selection
            done(isMade ? count : 0)
        }
    }
}

extension TextChangeSet {
    /// The caret after the first text that the changes insert; if they only delete text, at the first deletion.
    fileprivate var caretAfterText: Selection? {
        let sections = Array(changeMap)
        let section = sections.first { $0.inserted.utf16 > 0 } ?? sections.first
        return section.map { Selection(caret: $0.newRange.upperBound) }
    }
}
