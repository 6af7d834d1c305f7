import InkstoneBase
import InkstoneBus
import InkstoneEditing
import InkstoneInput
import InkstoneProxy
import InkstoneText

/// A text with the focus, as keyboards in other processes see and edit it. It has a number and an epoch of its own for each time that it gets
/// the focus, so that nothing meant for it before acts on it now.
///
/// Needs no bus and no display: batches in, answers out. Belongs to the thread of its session.
package final class ProxiedView {
    /// The place that a keyboard knows: the selection of the revision that it was last given, moved along with the text.
    private struct Report {
        var revision: UInt64
        var place: Range<UTF16Offset>
    }

    package let session: EditingSession
    package let epoch: UInt64
    /// Grows with each change of text, selection or marked text.
    package private(set) var revision: UInt64 = 1
    /// Called after each change, with the keyboard whose batch made it.
    package var onChange: ((ProxyChanges, ProxyCauses, _ author: DocumentID?) -> Void)?
    /// The place of the caret on the screen, in root pixels.
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

    /// Makes all edits of a batch as one transaction, or none: then the text, what is composed and what can be undone are as before.
    ///
    /// - Parameter peer: the keyboard.
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
        // First on the text as it is when what others compose has ended: a batch that fails ends nothing.
        var state = session.state
        let endsOthers = state.composition.map { $0.owner != .proxy(peer) } ?? false && state.markedText != nil
        var place = place(of: batch, by: peer)
        if endsOthers, var ending = state.ending(.keeping) {
            // What is composed goes through the filters only now, and they may take a part of it.
            _ = state.prepare(&ending)
            place = place.map(ending.changes.changeMap.map)
            state.perform(ending)
        }
        var plan = BatchPlan(batch, at: place, in: state, by: peer)
        if case .fail(let status) = plan { return status }
        let isReported = reports[peer] != nil
        var isApproved = false
        if endsOthers {
            // The same version is the same text.
            let endsAsItIs = state.version == session.state.version
            if case .edit(let transaction, _) = plan {
                guard session.approvesWhole(transaction, in: state) else { return .refused }
                isApproved = true
            }
            // Who was asked may have edited.
            guard batch.mode != .exact || endsAsItIs && batch.base == revision else { return .stale }
            session.endComposition()
            // Work of the program may have waited for that: text and selection are others then, and the place has moved or is gone.
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

    /// The place that a batch is for; nil for the person's own.
    private func place(of batch: ProxyBatch, by peer: DocumentID) -> Range<UTF16Offset>? {
        batch.mode == .follow ? reports[peer]?.place : nil
    }

    /// Whether a keyboard has text marked.
    package func hasMarkedText(of peer: DocumentID) -> Bool {
        session.markedText != nil && session.state.composition?.owner == .proxy(peer)
    }

    /// Forgets a keyboard: what it has marked stays as text.
    package func end(_ peer: DocumentID) {
        reports[peer] = nil
        if hasMarkedText(of: peer) { session.endComposition() }
    }

    // MARK: Context

    /// The text around the selection, within its paragraph, cut between clusters; nothing of one that is secret by now.
    ///
    /// - Parameters:
    ///   - bytes: the bytes of UTF-8 on each side, and of what is selected.
    ///   - peer: the keyboard, which is taken to know this revision from now on.
    package func context(bytes: Int, for peer: DocumentID) -> ProxyContext {
        let state = session.state
        // A batch may have made it so, or who heard of it.
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

    /// The document's identifier: the same as long as this process runs.
    private static func identifier(of document: DocumentID) -> String { "\(token)-\(document.rawValue)" }

    private static let token = String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
}

/// The outcome of a batch before it is made.
private enum BatchPlan {
    /// A transaction, and the caret that a keyboard's place is after it; nil if that is the person's.
    case edit(Transaction, Range<UTF16Offset>?)
    case nothing
    case fail(TextEditStatus)

    /// - Parameter place: the place of the edits; nil for the person's selection.
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
            // Marked text is at the person's caret.
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

    /// A single text, newline or deletion is made as a key would make it: at all carets, over what is typed over, with the line's indentation or the next
    /// item of a list, and one step of undo with what was typed before. Nil for any other operation.
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
    /// The transaction at the person's caret.
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
    /// A caret in root pixels; nil for one that is scrolled out of the part of the screen that its view has.
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
    /// The cause of a change with an origin.
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
    /// The start of a range, at most so many bytes long and cut between clusters, with U+FFFD for what D-Bus does not carry.
    fileprivate func head(of range: Range<UTF16Offset>, bytes: Int) -> String {
        let all = byteRange(of: range)
        guard all.length() > bytes else { return carried(range) }
        let end = utf16Offset(at: roundedDown(toScalar: all.lowerBound + bytes))
        return carried(range.lowerBound..<max(range.lowerBound, roundedDown(toGrapheme: end)))
    }

    /// The end of a range, likewise.
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
