public import InkstoneBase
public import InkstoneEditing
import InkstoneInput
public import InkstoneText

/// A delegate of a ``WritingToolsCoordinator``, called on the session's thread. It may edit.
public protocol WritingToolsCoordinatorDelegate: AnyObject {
    /// The coordinator is about to be in another state. From the first state that is not `inactive` until `inactive` comes again, a program
    /// should not save by itself nor notify others of the text.
    func writingTools(_ coordinator: WritingToolsCoordinator, willChangeTo state: WritingToolsCoordinator.State)
    /// Marks, progress, or a proposal have changed, or a request has ended.
    func writingToolsDidUpdate(_ coordinator: WritingToolsCoordinator)
    /// Text at ranges of the present text, in order, is about to be replaced: the moment for pictures of it, as `EditorView.fadeOutText(of:)` keeps
    /// them. The text may not be edited here. Does nothing by default.
    func writingTools(_ coordinator: WritingToolsCoordinator, willReplace ranges: [Range<UTF16Offset>])
    /// Text was replaced, and is now at ranges of the text behind the replacement, in order: of the present text, unless an observer has edited it
    /// since. Without ranges, the replacement was refused, or waits behind another edit for the end of a composition. Does nothing by default.
    func writingTools(_ coordinator: WritingToolsCoordinator, didReplace ranges: [Range<UTF16Offset>])
}

extension WritingToolsCoordinatorDelegate {
    /// Does nothing.
    public func writingTools(_ coordinator: WritingToolsCoordinator, willReplace ranges: [Range<UTF16Offset>]) {}
    /// Does nothing.
    public func writingTools(_ coordinator: WritingToolsCoordinator, didReplace ranges: [Range<UTF16Offset>]) {}
}

/// Joins engines of writing tools to an `EditingSession`: gives them parts of the text as values, and puts what comes back where it belongs.
///
/// Each result is for the text as it was sent. It is followed through all edits since; where somebody has edited what is to be replaced,
/// that part of the result is refused. All of a session with tools, until it is ``accept()``ed, is one step of undo, also if the user types
/// in between; ``reject()`` takes it back and leaves what the user has typed.
///
/// ```swift
/// let coordinator = WritingToolsCoordinator(view.session)
/// if let context = coordinator.contexts(for: .selection).first {
///     try await coordinator.run(engine, .rewrite, on: context)
/// }
/// coordinator.accept()
/// ```
///
/// Bound to the thread of its session.
public final class WritingToolsCoordinator {
    /// The state of the coordinator.
    public enum State: Hashable, Sendable {
        /// No tool is at work.
        case inactive
        /// A tool works, and the text stays as it is: ``WritingToolsBehavior/limited``.
        case noninteractive
        /// Results wait to be accepted or rejected.
        case interactiveResting
        /// Results arrive.
        case interactiveStreaming
    }

    /// A request that an engine works on.
    public struct Run: Hashable, Sendable {
        let number: DocumentID

        /// Whether one was begun before another.
        static func < (first: Self, second: Self) -> Bool { first.number.rawValue < second.number.rawValue }
    }

    /// The end of a run.
    public enum RunEnd: Hashable, Sendable {
        /// The work is done, perhaps with a sentence for the user.
        case finished(String?)
        /// The run was given up: by the user, or for another of the same text.
        case cancelled
        /// The engine has failed, for the reason in this sentence.
        case failed(String)
    }

    /// A run with all that has come of it.
    struct Work {
        let context: WritingToolsContext
        let options: WritingToolsResultOptions
        var tracked: TrackedText
        /// Marks, with ranges of the present text.
        var marks: [WritingToolsMark] = []
        /// Events that wait for the end of a composition.
        var waiting: [WritingToolsEvent] = []
        var progress: Double?
        var proposals: [(range: Range<UTF16Offset>, text: WritingToolsText)] = []
        var end: RunEnd?
    }

    /// Most contexts that are followed before they are worked on, and most runs of a session whose results are.
    private static let contextLimit = 16
    /// Most marks of a run, and most events of it that wait.
    static let eventLimit = 10_000

    /// The session with the text.
    public let session: EditingSession
    /// The delegate.
    public weak var delegate: (any WritingToolsCoordinatorDelegate)?
    /// The behavior that the program wants.
    public var preferredBehavior = WritingToolsBehavior.complete
    /// The kinds of results that the program wants.
    public var preferredResultOptions: WritingToolsResultOptions = [.plain, .rich]
    /// Returns the part of the text in sight, in UTF-16 units; nil for a session without a view, where all is.
    public var visibleRange: (() -> Range<UTF16Offset>)?
    /// Whether code and quotations stay as they are, but for one that holds all that is to be worked on. True at first.
    public var protectsCodeAndQuotations = true
    /// Returns parts of a range of a text that stay as they are, beside those with ``WritingToolsExclusionAttribute``.
    public var protectedRanges: ((StyledText, Range<UTF16Offset>) -> [Range<UTF16Offset>])?
    /// The state.
    public private(set) var state = State.inactive

    var works: [Run: Work] = [:]
    /// Contexts that are not worked on, the oldest first.
    private var contexts: [(context: WritingToolsContext, tracked: TrackedText)] = []
    private(set) var group = UndoGroupID()
    /// The change from the present text to the text without what the tools have done; nil if they have done nothing.
    private var inverse: TextChangeSet?
    private var observation: TextObservation?

    /// A coordinator for a session.
    public init(_ session: EditingSession) {
        self.session = session
        session.store.addFollower(self)
        observation = session.observe { [unowned self] update in
            if update.markedText == nil, update.markedTextBefore != nil { handleWaiting() }
        }
    }

    /// The behavior that the text permits: a secret text has none, and one that may not be edited is not replaced.
    public var behavior: WritingToolsBehavior {
        if session.options.isSecureTextEntry { return .none }
        return session.options.isEditable ? preferredBehavior : preferredBehavior == .none ? .none : .limited
    }

    /// Whether a tool is at work or its results wait.
    public var isWritingToolsActive: Bool { state != .inactive }

    /// Whether a result is in the text that ``reject()`` would take back.
    public var canReject: Bool { inverse.map { !$0.isEmpty } ?? false }

    // MARK: Contexts

    /// Parts of the present text for an engine, whole paragraphs around what a scope means; none if ``behavior`` is `none`. The last 16 are
    /// followed through edits until they are used.
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
            // Who selects code means it.
            ranges += quoted.filter { !($0.lowerBound <= own.lowerBound && own.upperBound <= $0.upperBound) }
        }
        ranges += (protectedRanges?(text, text.rope.utf16Range) ?? []).map { $0.clamped(into: text.rope.utf16Range) }
        return Self.joined(ranges)
    }

    /// Ranges in order, and those that touch as one.
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

    /// Begins a run on a context. Others that work on text of it are cancelled; the results that they have brought stay.
    ///
    /// - Throws: ``WritingToolsRefusal/expired`` if the context is used already or is not among the last 16,
    ///   ``WritingToolsRefusal/notEditable`` if the text permits no tools.
    public func begin(_ request: WritingToolsRequest) throws(WritingToolsRefusal) -> Run {
        guard behavior != .none else { throw .notEditable }
        guard let index = contexts.firstIndex(where: { $0.context.id == request.context.id }) else { throw .expired }
        let (context, tracked) = contexts.remove(at: index)
        let own = tracked.place(of: context.range.lowerBound.value..<context.range.upperBound.value) ?? tracked.extent
        for (run, work) in works where work.end == nil {
            guard let own, let other = work.tracked.extent, own.overlaps(other) || own == other else { continue }
            end(run, .cancelled)
            // What is kept beside the text would be put in the place of what the new run is for.
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

    /// Ends a run; nothing of it that comes later has an effect. Its marks and results stay.
    public func end(_ run: Run, _ end: RunEnd) {
        guard works[run]?.end == nil, works[run] != nil else { return }
        works[run]?.end = end
        works[run]?.waiting = []
        if state == .interactiveStreaming, !works.values.contains(where: { $0.end == nil }) {
            change(to: .interactiveResting)
        }
        delegate?.writingToolsDidUpdate(self)
    }

    /// The end of a run; nil while it goes on, and for one whose results were accepted or rejected.
    public func end(of run: Run) -> RunEnd? { works[run]?.end }

    /// The part of a run's work that is done, from 0 to 1; nil if the engine has not said.
    public func progress(of run: Run) -> Double? { works[run]?.progress }

    /// The marks of a run in the present text, in order.
    public func marks(of run: Run) -> [WritingToolsMark] { works[run]?.marks ?? [] }

    /// Returns the mark on the character at an offset of the present text, of the run that was begun last; nil if there is none. For a point of a
    /// view, pass the start of the character there.
    public func mark(at offset: UTF16Offset) -> (run: Run, mark: WritingToolsMark)? {
        for (run, work) in works.sorted(by: { $1.key < $0.key }) {
            if let mark = work.marks.last(where: { $0.range.contains(offset) }) { return (run, mark) }
        }
        return nil
    }

    /// The proposals of a run, kept beside the text: ranges of its context, and texts.
    public func proposals(of run: Run) -> [(range: Range<UTF16Offset>, text: WritingToolsText)] {
        works[run]?.proposals ?? []
    }

    // MARK: The end of a session

    /// Ends all runs, and keeps their results as one step of undo. Proposals are put into the text if it may be edited, after the end of a
    /// composition.
    @discardableResult
    public func accept() -> [WritingToolsOutcome] {
        var outcomes: [WritingToolsOutcome] = []
        if session.options.isEditable {
            if works.values.contains(where: { !$0.proposals.isEmpty }) { session.endComposition() }
            // The first that was begun comes first.
            for (run, work) in works.sorted(by: { $0.key < $1.key }) {
                for (range, text) in work.proposals {
                    outcomes.append(replace(range, with: text, isFinal: true, of: run))
                }
            }
        }
        leave()
        return outcomes
    }

    /// Ends all runs, and takes their results back; what the user has typed since stays. A composition ends first, with its text kept.
    public func reject() {
        if canReject { session.endComposition() }
        if let inverse, !inverse.isEmpty {
            make(
                Transaction(
                    on: session.store, inverse, origin: .writingTool, undo: .group(group), view: session.id))
        }
        leave()
    }

    /// Gives up all runs; their results stay, and wait to be accepted or rejected.
    public func cancel() {
        for run in works.keys { end(run, .cancelled) }
    }

    /// Makes a transaction of a tool between two calls of the delegate.
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
        // A step taken back may be the tools' own: there is nothing to accept or to reject any more.
        if applied.origin.isWithin(.history) { leave() }
    }
}

extension TextAttributes {
    /// Whether text is code, or of a block of code or a quotation.
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
