public import InkstoneBase
public import InkstoneEditing
import InkstoneInput
public import InkstoneText

/// A delegate of a ``WritingToolsCoordinator``, called on the session's thread. The delegate may edit the text,
/// except where noted.
public protocol WritingToolsCoordinatorDelegate: AnyObject {
    /// Called before the coordinator's state changes. Until the state is `inactive` again, a program should not
    /// save the text automatically, nor publish it.
    func writingTools(_ coordinator: WritingToolsCoordinator, willChangeTo state: WritingToolsCoordinator.State)
    /// Called when marks, progress or proposals have changed, or a run has ended.
    func writingToolsDidUpdate(_ coordinator: WritingToolsCoordinator)
    /// Called before text at ranges of the present text, in order, is replaced, for example to animate the
    /// replacement with `EditorView.fadeOutText(of:)`. Must not edit the text. Does nothing by default.
    func writingTools(_ coordinator: WritingToolsCoordinator, willReplace ranges: [Range<UTF16Offset>])
    /// Called after text was replaced, with the ranges of the new text, in order. The ranges are those of the text
    /// right after the replacement, which an observer may have edited since. They are empty if the replacement was
    /// refused, or waits for the end of a composition. Does nothing by default.
    func writingTools(_ coordinator: WritingToolsCoordinator, didReplace ranges: [Range<UTF16Offset>])
}

extension WritingToolsCoordinatorDelegate {
    /// Does nothing: the default for a delegate that does not animate replacements.
    public func writingTools(_ coordinator: WritingToolsCoordinator, willReplace ranges: [Range<UTF16Offset>]) {}
    /// Does nothing: the default for a delegate that does not animate replacements.
    public func writingTools(_ coordinator: WritingToolsCoordinator, didReplace ranges: [Range<UTF16Offset>]) {}
}

/// A coordinator that connects writing tools engines to an `EditingSession`: it gives engines parts of the text as
/// values, and applies their results to the text.
///
/// An engine's result refers to the text as it was sent. The coordinator tracks that text through all later edits;
/// parts of a result that would replace text edited by the user are refused. All changes by tools until
/// ``accept()`` are one undo step, even if the user types in between; ``reject()`` reverts them and keeps what the
/// user has typed.
///
/// ```swift
/// let coordinator = WritingToolsCoordinator(view.session)
/// if let context = coordinator.contexts(for: .selection).first {
///     try await coordinator.run(engine, .rewrite, on: context)
/// }
/// coordinator.accept()
/// ```
///
/// Use the coordinator on the session's thread only.
public final class WritingToolsCoordinator {
    /// The states of a coordinator.
    public enum State: Hashable, Sendable {
        /// No tool is running, and there are no results.
        case inactive
        /// Tools are running or have ended, and their results are kept as proposals: ``WritingToolsBehavior/limited``.
        case noninteractive
        /// All runs have ended, and their results can be accepted or rejected.
        case interactiveResting
        /// A run has not ended, and its results are applied as they arrive.
        case interactiveStreaming
    }

    /// The processing of one request by an engine.
    public struct Run: Hashable, Sendable {
        let number: DocumentID

        /// Whether the first run was begun before the second.
        static func < (first: Self, second: Self) -> Bool { first.number.rawValue < second.number.rawValue }
    }

    /// The reason for which a run has ended.
    public enum RunEnd: Hashable, Sendable {
        /// The engine has finished, perhaps with a sentence for the user.
        case finished(String?)
        /// The run was cancelled, for example by the user or by another run on the same text.
        case cancelled
        /// The engine has failed, or has sent too many marks, proposals or events; the sentence is the reason.
        case failed(String)
    }

    /// A run's context, tracked text, and results.
    struct Work {
        let context: WritingToolsContext
        let options: WritingToolsResultOptions
        var tracked: TrackedText
        /// The marks, with ranges of the present text, in order.
        var marks: [WritingToolsMark] = []
        /// Events that wait for the end of a composition.
        var waiting: [WritingToolsEvent] = []
        var progress: Double?
        var proposals: [(range: Range<UTF16Offset>, text: WritingToolsText)] = []
        var end: RunEnd?
    }

    /// The maximum number of contexts that are tracked before a run uses them. The oldest ones expire.
    private static let contextLimit = 16
    /// The maximum number of marks of a run, of its proposals, and of its events that wait for the end of a
    /// composition. With more, the run is ended.
    static let eventLimit = 10_000

    /// The editing session whose text the tools work on.
    public let session: EditingSession
    /// The delegate; nil for none.
    public weak var delegate: (any WritingToolsCoordinatorDelegate)?
    /// The behaviour that the program prefers; the text may permit less: see ``behavior``.
    public var preferredBehavior = WritingToolsBehavior.complete
    /// The kinds of results that the program accepts.
    public var preferredResultOptions: WritingToolsResultOptions = [.plain, .rich]
    /// Returns the visible part of the text, in UTF-16 units; nil for a session without a view, whose whole text
    /// counts as visible.
    public var visibleRange: (() -> Range<UTF16Offset>)?
    /// Whether code and quotations are protected, unless they contain the whole range to work on. True by default.
    public var protectsCodeAndQuotations = true
    /// Returns the protected parts of a range of a text, in addition to those with
    /// ``WritingToolsExclusionAttribute``; nil for none.
    public var protectedRanges: ((StyledText, Range<UTF16Offset>) -> [Range<UTF16Offset>])?
    /// The present state. The delegate is called before each change of it.
    public private(set) var state = State.inactive

    var works: [Run: Work] = [:]
    /// The contexts that no run has used yet, the oldest first.
    private var contexts: [(context: WritingToolsContext, tracked: TrackedText)] = []
    private(set) var group = UndoGroupID()
    /// The change from the present text to the text without the tools' changes; nil if there are none.
    private var inverse: TextChangeSet?
    private var observation: TextObservation?

    /// Creates a coordinator for an editing session, in the state `inactive`.
    public init(_ session: EditingSession) {
        self.session = session
        session.store.addFollower(self)
        observation = session.observe { [unowned self] update in
            if update.markedText == nil, update.markedTextBefore != nil { handleWaiting() }
        }
    }

    /// The behaviour that the text permits. Secure text entry permits no tools; text that is not editable is not
    /// replaced.
    public var behavior: WritingToolsBehavior {
        if session.options.isSecureTextEntry { return .none }
        return session.options.isEditable ? preferredBehavior : preferredBehavior == .none ? .none : .limited
    }

    /// Whether a tool is running, or results can be accepted or rejected.
    public var isWritingToolsActive: Bool { state != .inactive }

    /// Whether the text has changes by tools that ``reject()`` would revert.
    public var canReject: Bool { inverse.map { !$0.isEmpty } ?? false }

    // MARK: Contexts

    /// Returns the parts of the present text that a scope stands for, extended to whole paragraphs. Empty if
    /// ``behavior`` is `none`, and for the scope `selection` if there is no selection. A caret stands for its
    /// paragraph. The last 16 contexts are tracked through edits until they are used.
    ///
    /// - Parameter language: the language of the text, such as `de_DE`.
    public func contexts(for scope: WritingToolsScope, language: String? = nil) -> [WritingToolsContext] {
        guard behavior != .none else { return [] }
        let text = session.store.styledText
        let ranges: [Range<UTF16Offset>] =
            switch scope {
            case .document: [text.rope.utf16Range]
            case .visible: [(visibleRange?() ?? text.rope.utf16Range).clamped(into: text.rope.utf16Range)]
            case .selection: session.selection?.ranges.map(\.range) ?? []
            }
        return ranges.map { range in
            let first = text.rope.utf16Range(of: text.rope.paragraphIndex(at: range.lowerBound))
            let last = text.rope.utf16Range(of: text.rope.paragraphIndex(at: range.upperBound))
            let whole = first.lowerBound..<last.upperBound
            let content = text.rope.utf16ContentRange(of: text.rope.paragraphIndex(at: range.lowerBound))
            let start = whole.lowerBound
            let work = scope == .selection && range.isEmpty ? content : range
            let part = text.slice(whole)
            let own = UTF16Offset(work.lowerBound - start)..<UTF16Offset(work.upperBound - start)
            let context = WritingToolsContext(
                id: DocumentID(), version: session.store.version, start: start, text: part,
                range: own, language: language, protected: protected(in: part, workingOn: own))
            contexts.append((context, TrackedText(context)))
            if contexts.count > Self.contextLimit { contexts.removeFirst() }
            return context
        }
    }

    private func protected(in text: StyledText, workingOn own: Range<UTF16Offset>) -> [Range<UTF16Offset>] {
        let runs = text.attributes(in: text.rope.utf16Range)
        var ranges = runs.filter { $0.attributes[WritingToolsExclusionAttribute.self] == true }.map(\.range)
        if protectsCodeAndQuotations {
            let quoted = Self.joined(runs.filter(\.attributes.isCodeOrQuotation).map(\.range))
            // Do not protect code or a quotation that contains the whole range: the user has selected text within it on
            // purpose.
            ranges += quoted.filter { !($0.lowerBound <= own.lowerBound && own.upperBound <= $0.upperBound) }
        }
        ranges += (protectedRanges?(text, text.rope.utf16Range) ?? []).map { $0.clamped(into: text.rope.utf16Range) }
        return Self.joined(ranges)
    }

    /// Returns ranges in order, without the empty ones, and with those that touch or overlap joined.
    private static func joined(_ ranges: [Range<UTF16Offset>]) -> [Range<UTF16Offset>] {
        let sorted = ranges.sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
        return sorted.reduce(into: []) { joined, range in
            guard !range.isEmpty else { return }
            if let last = joined.last, range.lowerBound <= last.upperBound {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
    }

    // MARK: Runs

    /// Begins a run on a context. Other runs on overlapping text that have not ended are cancelled: their results stay
    /// in the text, and their proposals are dropped.
    ///
    /// - Throws: ``WritingToolsRefusal/expired`` if the context has been used or is not among the last 16,
    ///   ``WritingToolsRefusal/notEditable`` if ``behavior`` is `none`.
    public func begin(_ request: WritingToolsRequest) throws(WritingToolsRefusal) -> Run {
        guard behavior != .none else { throw .notEditable }
        guard let index = contexts.firstIndex(where: { $0.context.id == request.context.id }) else { throw .expired }
        let (context, tracked) = contexts.remove(at: index)
        let own = tracked.place(of: context.range.lowerBound.value..<context.range.upperBound.value) ?? tracked.extent
        for (run, work) in works where work.end == nil {
            guard let own, let other = work.tracked.extent, own.overlaps(other) || own == other else { continue }
            end(run, .cancelled)
            // Drop the proposals of the cancelled run: accepting them would replace the text that the new run works
            // on.
            works[run]?.proposals = []
        }
        let run = Run(number: DocumentID())
        works[run] = Work(context: context, options: request.resultOptions, tracked: tracked)
        if state == .inactive { group = UndoGroupID() }
        if behavior == .limited {
            change(to: .noninteractive)
        } else {
            if state != .interactiveStreaming { change(to: .interactiveResting) }
            change(to: .interactiveStreaming)
        }
        return run
    }

    /// Ends a run. Events of it that come later, or are not handled yet, are ignored. Its marks and results stay.
    /// Does nothing if the run has ended already.
    public func end(_ run: Run, _ end: RunEnd) {
        guard works[run]?.end == nil, works[run] != nil else { return }
        works[run]?.end = end
        works[run]?.waiting = []
        if state == .interactiveStreaming, !works.values.contains(where: { $0.end == nil }) {
            change(to: .interactiveResting)
        }
        delegate?.writingToolsDidUpdate(self)
    }

    /// Returns the reason for which a run has ended; nil while it continues, and after its results were accepted or
    /// rejected.
    public func end(of run: Run) -> RunEnd? { works[run]?.end }

    /// Returns the part of a run's work that is done, from 0 to 1; nil if the engine has not reported it.
    public func progress(of run: Run) -> Double? { works[run]?.progress }

    /// Returns the marks of a run, in order, with ranges of the present text.
    public func marks(of run: Run) -> [WritingToolsMark] { works[run]?.marks ?? [] }

    /// Returns the mark on the character at an offset of the present text; nil if there is none. Of several runs,
    /// the latest one's mark is returned. For a point of a view, pass the start of the character at that point.
    public func mark(at offset: UTF16Offset) -> (run: Run, mark: WritingToolsMark)? {
        for (run, work) in works.sorted(by: { $1.key < $0.key }) {
            if let mark = work.marks.last(where: { $0.range.contains(offset) }) { return (run, mark) }
        }
        return nil
    }

    /// Returns the proposals of a run, which are not in the text: ranges of its context, and their replacements.
    public func proposals(of run: Run) -> [(range: Range<UTF16Offset>, text: WritingToolsText)] {
        works[run]?.proposals ?? []
    }

    // MARK: Accepting, rejecting and cancelling

    /// Ends all runs, and keeps their results as one undo step. If the text is editable, the proposals are applied;
    /// a composition is ended before. Returns the outcomes of the proposals.
    @discardableResult
    public func accept() -> [WritingToolsOutcome] {
        var outcomes: [WritingToolsOutcome] = []
        if session.options.isEditable {
            if works.values.contains(where: { !$0.proposals.isEmpty }) { session.endComposition() }
            // Apply the proposals in the order in which the runs were begun.
            for (run, work) in works.sorted(by: { $0.key < $1.key }) {
                for (range, text) in work.proposals {
                    outcomes.append(replace(range, with: text, isFinal: true, of: run))
                }
            }
        }
        leave()
        return outcomes
    }

    /// Ends all runs, and reverts their changes. Text that the user has typed since stays. If there are changes to
    /// revert, a composition is ended first, and its text kept.
    public func reject() {
        if canReject { session.endComposition() }
        if let inverse, !inverse.isEmpty {
            make(
                Transaction(
                    on: session.store, inverse, origin: .writingTool, undo: .group(group), view: session.id))
        }
        leave()
    }

    /// Cancels all runs. Their results stay, and can be accepted or rejected.
    public func cancel() {
        for run in works.keys { end(run, .cancelled) }
    }

    /// Applies a transaction of a tool, and calls the delegate before and after. Returns the applied transaction;
    /// nil if none was made.
    @discardableResult
    func make(_ transaction: Transaction) -> AppliedTransaction? {
        delegate?.writingTools(self, willReplace: transaction.changes.changeMap.map(\.oldRange))
        let applied = session.dispatch(transaction)
        delegate?.writingTools(self, didReplace: applied?.changes.changeMap.map(\.newRange) ?? [])
        return applied
    }

    private func leave() {
        guard state != .inactive else { return }
        for run in works.keys { end(run, .cancelled) }
        works = [:]
        inverse = nil
        change(to: .inactive)
    }

    private func change(to new: State) {
        guard new != state else { return }
        delegate?.writingTools(self, willChangeTo: new)
        state = new
    }
}

extension WritingToolsCoordinator: TextStoreFollower {
    package func storeDidApply(_ applied: AppliedTransaction) {
        let map = applied.changes.changeMap
        let piece = applied.transaction.effects.lazy.compactMap { $0 as? WritingToolsPieces }.first
        for index in contexts.indices { contexts[index].tracked.follow(map) }
        for run in Array(works.keys) {
            guard var work = works.removeValue(forKey: run) else { continue }
            if let piece, piece.run == run {
                work.tracked.follow(map, replacing: piece.pieces, with: piece.new, sent: piece.sent, own: piece.own)
            } else {
                work.tracked.follow(map)
            }
            work.marks = work.marks.compactMap { mark in
                if map.touches(mark.range) { return nil }
                var mark = mark
                mark.range = map.map(mark.range)
                return mark
            }
            works[run] = work
        }
        if applied.transaction.undo == .group(group) {
            inverse = inverse.map { applied.changes.inverted.composed(with: $0) } ?? applied.changes.inverted
        } else if let inverse {
            self.inverse = inverse.mapped(over: applied.changes, in: applied.styledText, isFirst: false)
        }
    }

    package func storeDidDeliver(_ applied: AppliedTransaction) {
        // After undo or redo, stop tracking the tools' changes. They may have been reverted: there may be no result
        // to accept or reject any more.
        if applied.origin.isWithin(.history) { leave() }
    }
}

extension TextAttributes {
    /// Whether the text is code, or belongs to a code block or a quotation.
    fileprivate var isCodeOrQuotation: Bool {
        if hasRole(.code) { return true }
        return self[PresentationIntentAttribute.self]?.components.contains { component in
            switch component.kind {
            case .codeBlock, .blockQuote: true
            default: false
            }
        } ?? false
    }
}
