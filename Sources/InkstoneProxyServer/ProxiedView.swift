import InkstoneBase
import InkstoneBus
import InkstoneEditing
import InkstoneInput
import InkstoneProxy
import InkstoneText

/// A text with the focus, as keyboards in other processes see and edit it. Each time a text gets the focus, it gets
/// a new object and a new epoch. Requests for an earlier epoch have no effect.
///
/// Uses neither bus nor display: it handles batches and returns answers. Use it on the session's thread only.
package final class ProxiedView {
    /// The range at which a keyboard's batches of the mode `follow` are applied: the selection of the last revision
    /// that was reported to the keyboard, moved by the edits since.
    private struct Report {
        var revision: UInt64
        var place: Range<UTF16Offset>
    }

    package let session: EditingSession
    package let epoch: UInt64
    /// The number of the present revision. It increases at each change of text, selection or marked text.
    package private(set) var revision: UInt64 = 1
    /// Called after each change of text, selection or marked text. `author` is the keyboard whose batch made the
    /// change; nil if the change has another cause.
    package var onChange: ((ProxyChanges, ProxyCauses, _ author: DocumentID?) -> Void)?
    /// Returns the position of the caret on the screen, in root pixels; nil if it is not visible.
    package var caret: () -> ProxyContext.Caret? = { nil }

    private var observation: TextObservation?
    private var reports: [DocumentID: Report] = [:]
    private var author: DocumentID?

    package init(_ session: EditingSession, epoch: UInt64) {
        self.session = session
        self.epoch = epoch
        observation = session.observe { [unowned self] in viewDidUpdate($0) }
    }

    private func viewDidUpdate(_ update: ViewUpdate) {
        if let map = update.applied?.changes.changeMap {
            reports = reports.mapValues { Report(revision: $0.revision, place: map.map($0.place)) }
        }
        var changes: ProxyChanges = []
        if update.changes.contains(.text) { changes.insert(.text) }
        if update.changes.contains(.selection) { changes.insert(.selection) }
        if update.changes.contains(.markedText) { changes.insert(.marked) }
        guard !changes.isEmpty else { return }
        revision += 1
        onChange?(changes, ProxyCauses(of: update.origin), author)
    }

    // MARK: Batches

    /// Applies all operations of a batch as one transaction, or none of them. Before that, ends the composition of
    /// another owner, but only if the batch fits. If no operation is applied, neither text nor undo history is
    /// changed by the batch.
    ///
    /// - Parameter peer: the identifier of the keyboard.
    package func apply(_ batch: ProxyBatch, by peer: DocumentID) -> ProxyAnswer {
        let status = status(of: batch, by: peer)
        guard status != .gone else { return ProxyAnswer(status: .gone, context: ProxyContext(revision: 0)) }
        return ProxyAnswer(status: status, context: context(bytes: ProxyProtocol.answerContext, for: peer))
    }

    private func status(of batch: ProxyBatch, by peer: DocumentID) -> TextEditStatus {
        guard batch.epoch == epoch, !session.options.isSecureTextEntry else { return .gone }
        guard (try? batch.check()) != nil, session.selection != nil else { return .refused }
        switch batch.mode {
        case .now: break
        case .exact: guard batch.base == revision else { return .stale }
        case .follow: guard reports[peer]?.revision == batch.base else { return .stale }
        }
        // Compute the batch first for the text as it would be after the end of another owner's composition, which must
        // end only if the batch fits.
        var state = session.state
        let endsOthers = state.composition.map { $0.owner != .proxy(peer) } ?? false && state.markedText != nil
        var place = place(of: batch, by: peer)
        if endsOthers, var ending = state.ending(.keeping) {
            // Let the transaction filters change the composed text now, because they process it only when the
            // composition ends.
            _ = state.prepare(&ending)
            place = place.map(ending.changes.changeMap.map)
            state.perform(ending)
        }
        var plan = BatchPlan(batch, at: place, in: state, by: peer)
        if case .fail(let status) = plan { return status }
        let isReported = reports[peer] != nil
        var isApproved = false
        if endsOthers {
            // The version is the same if the end of the composition changes nothing.
            let endsAsItIs = state.version == session.state.version
            if case .edit(let transaction, _) = plan {
                guard session.approvesWhole(transaction, in: state) else { return .refused }
                isApproved = true
            }
            // Refuse a batch of the mode `exact` if the handlers that were asked for approval have edited the text.
            guard batch.mode != .exact || endsAsItIs && batch.base == revision else { return .stale }
            session.endComposition()
            // Check the range and the state again: work of the program that has waited for the end of the composition
            // may have changed text and selection, and moved or removed the keyboard's range.
            guard !isReported || reports[peer] != nil else { return .gone }
            let now = session.state
            let isAsPlanned = endsAsItIs && now.version == state.version && now.selection == state.selection
            guard batch.mode != .exact || isAsPlanned else { return .stale }
            guard !now.options.isSecureTextEntry else { return .gone }
            if !isAsPlanned {
                isApproved = false
                plan = BatchPlan(batch, at: self.place(of: batch, by: peer), in: now, by: peer)
            }
        }
        switch plan {
        case .fail(let status): return status
        case .nothing: break
        case .edit(let transaction, let end):
            author = peer
            defer { author = nil }
            guard session.dispatchWhole(transaction, isApproved: isApproved) else { return .refused }
            guard !isReported || reports[peer] != nil else { return .gone }
            if let end { reports[peer] = Report(revision: revision, place: end) }
        }
        return .applied
    }

    /// Returns the range at which a batch is to be applied; nil for the user's selection.
    private func place(of batch: ProxyBatch, by peer: DocumentID) -> Range<UTF16Offset>? {
        batch.mode == .follow ? reports[peer]?.place : nil
    }

    /// Whether the marked text was marked by the given keyboard.
    package func hasMarkedText(of peer: DocumentID) -> Bool {
        session.markedText != nil && session.state.composition?.owner == .proxy(peer)
    }

    /// Forgets a keyboard. Text that it has marked becomes ordinary text.
    package func end(_ peer: DocumentID) {
        reports[peer] = nil
        if hasMarkedText(of: peer) { session.endComposition() }
    }

    // MARK: Context

    /// Returns the text around the selection for a keyboard. If text is marked, returns the text around the marked
    /// text. Text before and after is limited to the paragraph, and cut between grapheme clusters. Empty if the
    /// text has become secure.
    ///
    /// - Parameters:
    ///   - bytes: the maximum number of UTF-8 bytes of each part: the text before, the text after, and the selected
    ///     text, or each of the three parts of the marked text.
    ///   - peer: the identifier of the keyboard. The keyboard is recorded as knowing this revision.
    package func context(bytes: Int, for peer: DocumentID) -> ProxyContext {
        let state = session.state
        // Return no text if a batch, or an observer of its change, has made the text secure.
        guard !state.options.isSecureTextEntry else { return ProxyContext(revision: 0) }
        let text = state.text
        let selection = state.primary.range
        if reports[peer]?.revision != revision { reports[peer] = Report(revision: revision, place: selection) }
        let marked = state.markedText?.range
        let whole = marked ?? selection
        var context = ProxyContext(revision: revision)
        let low = text.utf16ContentRange(of: text.paragraphIndex(at: whole.lowerBound)).lowerBound
        let high = text.utf16ContentRange(of: text.paragraphIndex(at: whole.upperBound)).upperBound
        if whole.lowerBound > 0 {
            context.before = text.tail(of: min(low, whole.lowerBound)..<whole.lowerBound, bytes: bytes)
        }
        if whole.upperBound < text.utf16Range.upperBound {
            context.after = text.head(of: whole.upperBound..<max(high, whole.upperBound), bytes: bytes)
        }
        if let marked {
            let inner = selection.clamped(into: marked)
            let parts = [
                marked.lowerBound..<inner.lowerBound, inner, inner.upperBound..<marked.upperBound,
            ].map { text.head(of: $0, bytes: bytes) }
            context.marked = ProxyMarkedText(before: parts[0], selected: parts[1], after: parts[2])
        } else if !selection.isEmpty {
            context.selected = text.head(of: selection, bytes: bytes)
        }
        context.caret = caret()
        context.identifier = Self.identifier(of: session.store.id)
        return context
    }

    /// Returns the identifier of a document for keyboards, which stays the same while this process runs.
    private static func identifier(of document: DocumentID) -> String { "\(token)-\(document.rawValue)" }

    /// A random number that distinguishes this process in the identifiers of documents.
    private static let token = String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
}

/// The result of computing a batch.
private enum BatchPlan {
    /// The transaction to apply. The range is the keyboard's range after the transaction; nil if the batch was made
    /// for the user's selection.
    case edit(Transaction, Range<UTF16Offset>?)
    case nothing
    case fail(TextEditStatus)

    /// Creates the result by computing a batch on a state.
    ///
    /// - Parameter place: the range at which to apply the batch; nil for the user's selection.
    init(_ batch: ProxyBatch, at place: Range<UTF16Offset>?, in state: EditorState, by peer: DocumentID) {
        let place = place == state.primary.range ? nil : place
        if batch.operations.count == 1, place == nil, state.markedText == nil,
            let plan = BatchPlan(single: batch, in: state)
        {
            self = plan
            return
        }
        let own = state.composition?.owner == .proxy(peer) ? state.markedText?.range : nil
        let start = place.map { SelectionRange(anchor: $0.lowerBound, head: $0.upperBound) } ?? state.primary
        var draft = BatchDraft(
            state.text, selection: start, marked: place == nil ? own : nil, newline: state.newline,
            isLate: ProcessorTime.limit(nanoseconds: 50_000_000))
        for operation in batch.operations {
            let fits = draft.apply(operation)
            guard !draft.isTooSlow else {
                self = .fail(.refused)
                return
            }
            guard fits else {
                self = .fail(.stale)
                return
            }
        }
        guard place == nil else {
            // Refuse a batch at another range if it marks text, which is only possible at the user's caret.
            guard draft.marked == nil, !draft.changes.isEmpty else {
                self = draft.marked == nil ? .nothing : .fail(.stale)
                return
            }
            self = .edit(
                state.transaction(draft.changes, origin: .proxy, undo: .step, selection: .mapped),
                draft.selection.range)
            return
        }
        let isMarking = own != nil || draft.marked != nil
        guard isMarking || !draft.changes.isEmpty || draft.selection != state.primary else {
            self = .nothing
            return
        }
        self = .edit(draft.transaction(in: state, by: peer, isMarking: isMarking), nil)
    }

    /// Creates the result for a batch of a single operation that is applied as for a key: an insertion, a newline or a
    /// deletion backwards. It is applied at all carets, in overwrite mode, with indentation and list items, and joined
    /// to the undo step of the typing before. Nil for any other batch.
    private init?(single batch: ProxyBatch, in state: EditorState) {
        let made: Transaction?
        switch batch.operations[0] {
        case .insert(let text) where batch.mode == .now && !text.utf8.contains(UInt8(ascii: "\n")):
            made = state.inserting(text, origin: .proxy)
        case .insert("\n") where batch.mode == .now && state.composition == nil && !state.options.isSingleLine:
            made = state.insertingNewline()
        case .deleteBackward(1) where batch.mode == .now: made = state.deletingClusterBackward()
        default: return nil
        }
        guard var made else {
            self = .nothing
            return
        }
        made.origin = .proxy
        self = .edit(made, nil)
    }
}

extension BatchDraft {
    /// Returns the transaction for a draft at the user's selection.
    fileprivate func transaction(in state: EditorState, by peer: DocumentID, isMarking: Bool) -> Transaction {
        var composition: Composition?
        if let marked {
            let old = state.composition.flatMap { $0.owner == .proxy(peer) ? $0 : nil }
            composition = old ?? Composition(in: state.version, selection: state.selection, owner: .proxy(peer))
            composition?.markedText = MarkedText(range: marked, clauses: [])
        }
        var result = state.composing(changes, as: composition, selecting: selection)
        result.origin = changes.isEmpty && !isMarking ? .inputSelection : .proxy
        if !isMarking { result.composition = .mapped }
        if changes.isEmpty { result.typing = nil }
        return result
    }
}

extension ProxyContext.Caret {
    /// Creates a caret in root pixels; nil if the caret is scrolled out of its view's visible area.
    package init?(_ caret: RootRect, in view: RootRect) {
        guard caret.minX <= view.maxX, view.minX <= caret.maxX, caret.minY < view.maxY, view.minY < caret.maxY else {
            return nil
        }
        func number(_ value: Double) -> Int32 { Int32(min(max(-1e6, value), 1e6)) }
        self.init(
            x: number(caret.minX), y: number(caret.minY), width: number(max(0, caret.width)),
            height: number(max(0, caret.height)))
    }
}

extension ProxyCauses {
    /// Creates the causes of a change with this origin. A change without an origin was made by the program.
    init(of origin: Origin?) {
        switch origin {
        case nil: self = .program
        case let origin? where origin == .proxy || origin == .inputSelection: self = .proxy
        case let origin? where origin == .inputMethod: self = .method
        case let origin? where origin.isWithin(.selection): self = [.key, .pointer]
        case let origin? where origin.isWithin(.drop): self = .pointer
        case let origin? where origin.isUser: self = .key
        default: self = .program
        }
    }
}

extension Rope {
    /// Returns the start of a range, at most `bytes` long and cut between grapheme clusters. Characters that D-Bus
    /// cannot transmit are replaced by U+FFFD.
    fileprivate func head(of range: Range<UTF16Offset>, bytes: Int) -> String {
        let all = byteRange(of: range)
        guard all.length() > bytes else { return carried(range) }
        let end = utf16Offset(at: roundedDown(toScalar: all.lowerBound + bytes))
        return carried(range.lowerBound..<max(range.lowerBound, roundedDown(toGrapheme: end)))
    }

    /// Returns the end of a range, at most `bytes` long and cut between grapheme clusters. Characters that D-Bus
    /// cannot transmit are replaced by U+FFFD.
    fileprivate func tail(of range: Range<UTF16Offset>, bytes: Int) -> String {
        let all = byteRange(of: range)
        guard all.length() > bytes else { return carried(range) }
        var start = utf16Offset(at: roundedDown(toScalar: all.upperBound - bytes))
        if byteOffset(at: start) < all.upperBound - bytes { start = graphemeBoundary(after: start) }
        return carried(min(range.upperBound, roundedUp(toGrapheme: start))..<range.upperBound)
    }

    private func carried(_ range: Range<UTF16Offset>) -> String {
        if case .string(let text) = BusValue.text(string(in: range)) { text } else { "" }
    }
}
