import InkstoneBus

/// The text in which a keyboard of another process types: that of the view with the focus.
///
/// Edits are sent together, as one step of undo that is made whole or not at all: those of one ``perform(then:_:)``, or else those made up to the
/// next ``InputController/processEvents()`` or ``flush(then:)``. Between an edit and its answer the context is a forecast, which the answer
/// replaces. Belongs to the thread of its ``InputController``.
public final class TextDocumentProxy {
    /// Edits to be sent together.
    private struct Edits {
        var operations: [ProxyOperation] = []
        var bytes = 0
        /// Whether they are the return action of a view of one line, to which nothing is added.
        var isReturn = false
        var completions: [(TextEditStatus) -> Void] = []
    }

    /// The wishes of the view.
    public let traits: TextInputTraits
    /// Whether the view still has the focus: edits are dropped once it has not.
    public private(set) var isValid = true
    /// Notified of changes by others than this keyboard, in pairs, when the new context has arrived.
    public weak var inputDelegate: (any TextInputDelegate)?

    let view: UInt64
    let epoch: UInt64
    private weak var editor: ProxyEditor?
    private var context: ProxyContext?
    /// The context with the edits that have no answer yet; nil while nobody has looked at it since an answer came.
    private var drawn: ProxyDraft?
    private var waiting: [Edits] = []
    /// Edits made outside of ``perform(then:_:)`` since the last flush.
    private var open = Edits()
    private var isPerforming = false
    private var inFlight: Edits?
    private var isFetching = false
    /// The questions for the context that were refused one after another, and how many may be.
    private var refusals = 0
    private static let refusalLimit = 64
    /// The revision that a notice has named.
    private var noticed: UInt64 = 0
    /// Whether the context may be more than the editor has last said of it.
    private var isPatched = false

    init(_ focus: ProxyFocus, view: UInt64, editor: ProxyEditor) {
        self.view = view
        self.editor = editor
        epoch = focus.epoch
        traits = focus.traits
    }

    // MARK: Context

    private var draft: ProxyDraft {
        if let drawn { return drawn }
        var draft = newDraft
        for operation in (inFlight?.operations ?? []) + waiting.flatMap(\.operations) + open.operations {
            draft.apply(operation)
        }
        drawn = draft
        return draft
    }

    /// The text before the caret, in its paragraph; nil if the document begins there, or if it is not known yet. At most 64 KiB.
    public var documentContextBeforeInput: String? { draft.before }
    /// The text after the caret, in its paragraph; nil if the document ends there, or if it is not known yet. At most 64 KiB.
    public var documentContextAfterInput: String? { draft.after }
    /// The selected text; nil for a caret.
    public var selectedText: String? { draft.selected }
    /// The marked text; nil for none.
    public var markedText: String? { draft.marked?.text }
    /// Whether there is text around the caret, as far as is known.
    public var hasText: Bool { draft.hasText }
    /// The document's identifier, the same in all views of it; nil if it is not known yet.
    public var documentIdentifier: String? { context?.identifier }
    /// The language tag of the text at the caret; nil if it is not known.
    public var documentInputMode: String? { context?.language }
    /// Whether the context has arrived.
    public var hasContext: Bool { context != nil }

    // MARK: Edits

    /// Inserts a text in place of the selection, of an inline completion, or of marked text. Returns become newlines, other controls are left out.
    ///
    /// A newline alone, in a view of one line, is its return action: it finds the next match, or answers a prompt.
    public func insertText(_ text: String) {
        if traits.isSingleLine, !isPerforming, ["\n", "\r", "\r\n"].contains(text) {
            // With other text it would be refused.
            closeEdits()
            add(.insert("\n"))
            return open.isReturn = true
        }
        for piece in ProxyText.pieces(ProxyText.typable(text)) { add(.insert(piece)) }
    }

    /// Deletes the selection, or the cluster before the caret; right after an adjustment forwards at most what that has passed.
    public func deleteBackward() { add(.deleteBackward(1)) }

    /// Moves the caret by grapheme clusters, forwards or backwards; it stops at the document's ends.
    public func adjustTextPosition(byCharacterOffset offset: Int) {
        let limit = Int(ProxyProtocol.maximumCount)
        add(.adjust(Int32(min(max(-limit, offset), limit))))
    }

    /// Deletes the cluster after the caret, or nothing at the document's end.
    public func deleteForward() { add(.deleteForward(1)) }

    /// Shows a text as marked, in place of the selection or of what was marked.
    ///
    /// - Parameter selectedRange: UTF-16 units of `text`.
    public func setMarkedText(_ text: String, selectedRange: Range<Int>) {
        add(.setMarked(ProxyText.marked(text, selected: selectedRange)))
    }

    /// Makes ordinary text of the marked text.
    public func unmarkText() { add(.unmark) }

    /// Replaces a text that stands before the caret, as a correction does. If it does not stand there, nothing of the edits around this one is made.
    public func replaceText(beforeInput expected: String, with text: String) {
        add(.replaceBefore(expected: expected, ProxyText.typable(text)))
    }

    /// Makes the edits of `body` one step, unless they are more than a batch holds (64, or 64 KiB). `completion` is called with the outcome of the last.
    public func perform(then completion: ((TextEditStatus) -> Void)? = nil, _ body: (TextDocumentProxy) -> Void) {
        guard !isPerforming else { return body(self) }
        closeEdits()
        isPerforming = true
        body(self)
        isPerforming = false
        flush(then: completion)
    }

    /// Sends the edits that wait. `completion` is called with their outcome, applied if there are none.
    public func flush(then completion: ((TextEditStatus) -> Void)? = nil) {
        if let completion { open.completions.append(completion) }
        closeEdits()
        send()
    }

    /// Sends the edits that wait, and returns their outcome.
    public func flush(isolation: isolated (any Actor)? = #isolation) async -> TextEditStatus {
        await withCheckedContinuation { continuation in flush { continuation.resume(returning: $0) } }
    }

    private func add(_ operation: ProxyOperation) {
        guard isValid else { return }
        let bytes = operation.byteCount
        if open.isReturn || open.operations.count == ProxyProtocol.maximumOperations
            || open.bytes + bytes > ProxyProtocol.maximumText
        {
            closeEdits()
        }
        drawn?.apply(operation)
        open.operations.append(operation)
        open.bytes += bytes
        editor?.wake()
    }

    /// Ends the step that edits are added to.
    private func closeEdits() {
        guard !open.operations.isEmpty || !open.completions.isEmpty else { return }
        waiting.append(open)
        open = Edits()
    }

    // MARK: The wire

    private func send() {
        while inFlight == nil, !waiting.isEmpty {
            let edits = waiting.removeFirst()
            guard isValid, !edits.operations.isEmpty else {
                for completion in edits.completions { completion(isValid ? .applied : .gone) }
                continue
            }
            let batch = ProxyBatch(
                epoch: epoch, serial: editor?.nextSerial() ?? 0, base: context?.revision ?? 0, mode: .now,
                operations: edits.operations, deadline: editor?.deadline)
            guard (try? batch.check()) != nil else {
                forecast()
                for completion in edits.completions { completion(editor == nil ? .gone : .refused) }
                continue
            }
            inFlight = edits
            // The edits outlive their owner's interest in the proxy.
            editor?.call(.apply(view: view, batch)) { self.receive($0) }
        }
    }

    private func receive(_ result: Result<[BusValue], BusFailure>) {
        guard let edits = inFlight else { return }
        inFlight = nil
        var status = TextEditStatus.gone
        switch result {
        case .success(let body):
            if let answer = try? ProxyAnswer(body) {
                status = answer.status
                take(completed(answer, to: edits))
            }
        case .failure(.timedOut): status = .unknown
        case .failure(.error(let error)) where error.name == BusError.noReply.name: status = .unknown
        case .failure(.error), .failure(.invalid), .failure(.tooLarge): status = .refused
        case .failure(.busy): status = .busy
        case .failure: break
        }
        forecast()
        for completion in edits.completions { completion(status) }
        send()
        catchUp()
    }

    /// An answer's context, which shows little of the text, with what is known from before where the two agree.
    private func completed(_ answer: ProxyAnswer, to edits: Edits) -> ProxyContext {
        let new = answer.context
        var (complete, known) = (new, newDraft)
        for operation in edits.operations where answer.status == .applied { known.apply(operation) }
        let isShort = [new.before, new.after].allSatisfy { $0?.utf8.count ?? 0 <= ProxyProtocol.answerContext / 2 }
        // It shows all that there is.
        guard !isShort else { return new }
        isPatched = true
        if let before = new.before, let known = known.before, known.utf8.reversed().starts(with: before.utf8.reversed())
        {
            complete.before = known
        }
        if let after = new.after, let known = known.after, known.utf8.starts(with: after.utf8) {
            complete.after = known
        }
        return complete
    }

    /// Takes over a context from the editor unless a newer one is known; the edits that the editor has not seen are applied to it again when
    /// it is next read.
    private func take(_ new: ProxyContext) {
        guard new.revision >= context?.revision ?? 0 else { return }
        var complete = new
        // An answer need not repeat what is the document's.
        complete.language = new.language ?? context?.language
        complete.identifier = new.identifier ?? context?.identifier
        context = complete
        forecast()
    }

    private var newDraft: ProxyDraft {
        var draft = ProxyDraft(context)
        draft.isSingleLine = traits.isSingleLine
        return draft
    }

    /// Has the context drawn up anew when somebody looks at it: after each answer, all that waits may be long.
    private func forecast() { drawn = nil }

    /// Asks for the context, once at a time: a change meanwhile is noticed after the answer.
    func fetch() {
        guard isValid, !isFetching, let editor else { return }
        isFetching = true
        editor.call(.context(view: view, bytes: UInt32(ProxyProtocol.maximumText))) { [weak self] result in
            guard let self else { return }
            isFetching = false
            // Changes came faster than they may be asked about, for a moment; and of the last one nobody speaks again.
            if case .failure(.error(let error)) = result, error.name == BusError.limitsExceeded.name,
                refusals < Self.refusalLimit
            {
                refusals += 1
                return fetch()
            }
            refusals = 0
            guard isValid, let body = try? result.get(), let new = try? ProxyContext(body) else { return }
            // What was noticed before this answer is in it, or is nothing.
            (noticed, isPatched) = (min(noticed, new.revision), false)
            let isNews = new.revision > context?.revision ?? 0
            if isNews {
                inputDelegate?.selectionWillChange(self)
                inputDelegate?.textWillChange(self)
            }
            take(new)
            if isNews {
                inputDelegate?.textDidChange(self)
                inputDelegate?.selectionDidChange(self)
            }
        }
    }

    func receive(_ notice: ProxyNotice) {
        guard notice.epoch == epoch else { return }
        noticed = max(noticed, notice.revision)
        catchUp()
    }

    /// Asks for the context where more of it may have changed than is known, unless an answer to a batch is still to come.
    private func catchUp() {
        if inFlight == nil, isPatched || noticed > context?.revision ?? 0 { fetch() }
    }

    /// Ends it: the focus is elsewhere.
    func invalidate() {
        guard isValid else { return }
        isValid = false
        closeEdits()
        send()
    }
}

/// An object that is notified of changes in the text by others than the keyboard.
///
/// The text has already changed when *will* is called: what has not changed yet is the context that the keyboard sees.
public protocol TextInputDelegate: AnyObject {
    /// Called before the selection that the keyboard sees changes.
    func selectionWillChange(_ proxy: TextDocumentProxy)
    /// Called after it has.
    func selectionDidChange(_ proxy: TextDocumentProxy)
    /// Called before the text that the keyboard sees changes.
    func textWillChange(_ proxy: TextDocumentProxy)
    /// Called after it has.
    func textDidChange(_ proxy: TextDocumentProxy)
}
