import InkstoneBus

/// The text of the focused view, for a keyboard in another process that edits it.
///
/// Edits are sent in groups. Each group is one undo step, and is made as a whole or not at all. The edits of one
/// ``perform(then:_:)`` are a group. Other edits form a group until the next ``InputController/processEvents()`` or
/// ``flush(then:)``. Until an edit is answered, the context is a forecast; the answer replaces it. Bound to the
/// thread of the ``InputController``.
public final class TextDocumentProxy {
    /// A group of edits that are sent as one batch.
    private struct Edits {
        var operations: [ProxyOperation] = []
        /// The number of bytes of the texts in ``operations``.
        var bytes = 0
        /// Whether the group is the return action of a single-line view. Such a group has no other edit.
        var isReturn = false
        var completions: [(TextEditStatus) -> Void] = []
        /// The number of the batch; nil before the group is sent.
        var serial: UInt64?
    }

    /// The view's requirements for its keyboard. ``InputController/onTraitsChange`` is called when they change.
    public private(set) var traits: TextInputTraits
    /// Whether the view still has the focus. While false, new edits are ignored.
    public private(set) var isValid = true
    /// The object that is notified when the context has first arrived, and of changes that others than this
    /// keyboard have made. When the new context has arrived, its *will* and *did* methods are called, those for the
    /// text as well as those for the selection.
    public weak var inputDelegate: (any TextInputDelegate)?

    let view: UInt64
    let epoch: UInt64
    private weak var editor: ProxyEditor?
    /// The view whose place this proxy's view has taken; nil for none.
    private let former: UInt64?
    private var context: ProxyContext?
    /// The context as it will be after the edits that have no answer yet; nil if it must be computed again.
    private var drawn: ProxyDraft?
    private var waiting: [Edits] = []
    /// The edits made outside of ``perform(then:_:)`` since the last flush.
    private var open = Edits()
    private var isPerforming = false
    private var inFlight: Edits?
    private var isFetching = false
    /// The number of times that the editor has refused a request for the context, one after another.
    private var refusals = 0
    /// The number of refusals after which the proxy requests the context no more, until the next change.
    private static let refusalLimit = 64
    /// The latest revision of the text that the editor has named in a notice.
    private var noticed: UInt64 = 0
    /// Whether the context contains text that was kept from before, because the editor's last answer included too
    /// little text.
    private var isPatched = false

    init(_ focus: ProxyFocus, view: UInt64, editor: ProxyEditor) {
        self.view = view
        self.editor = editor
        epoch = focus.epoch
        traits = focus.traits
        former = focus.former
    }

    /// Whether the view has taken the place of another proxy's view to show the same text: for example, the editor
    /// now shows styles instead of their source. If so, make those edits again in this proxy that ended with
    /// ``TextEditStatus/busy`` in the other.
    public func takesPlace(of other: TextDocumentProxy) -> Bool {
        former == other.view && editor != nil && editor === other.editor
    }

    /// Sets new traits of the view. Returns whether they differ from those before.
    func take(_ new: TextInputTraits) -> Bool {
        guard new != traits else { return false }
        traits = new
        forecast()
        return true
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

    /// The text before the caret, within the caret's paragraph, at most 64 KiB; nil at the start of the document,
    /// or if it is not known yet.
    public var documentContextBeforeInput: String? { draft.before }
    /// The text after the caret, within the caret's paragraph, at most 64 KiB; nil at the end of the document, or
    /// if it is not known yet.
    public var documentContextAfterInput: String? { draft.after }
    /// The selected text; nil if no text is selected, or if the context is not known yet.
    public var selectedText: String? { draft.selected }
    /// The marked text; nil for none.
    public var markedText: String? { draft.marked?.text }
    /// Whether the known context has any text.
    public var hasText: Bool { draft.hasText }
    /// The identifier of the document, which is the same in all its views; nil if it is not known yet.
    public var documentIdentifier: String? { context?.identifier }
    /// The language tag of the text at the caret; nil if it is not known.
    public var documentInputMode: String? { context?.language }
    /// Whether the context has arrived from the editor.
    public var hasContext: Bool { context != nil }

    // MARK: Edits

    /// Inserts a text in place of the selection, of an inline completion, or of marked text. Returns become
    /// newlines. Other control characters are left out, except tabs.
    ///
    /// In a single-line view, a single newline performs the view's return action instead: it finds the next match,
    /// for example, or answers a prompt.
    public func insertText(_ text: String) {
        if traits.isSingleLine, !isPerforming, ["\n", "\r", "\r\n"].contains(text) {
            // The return action needs a batch of its own: the view performs it only for a batch of a single
            // newline.
            closeEdits()
            add(.insert("\n"))
            return open.isReturn = true
        }
        for piece in ProxyText.pieces(ProxyText.typable(text)) { add(.insert(piece)) }
    }

    /// Deletes the marked text, or the selection, or else the cluster before the caret. Directly after
    /// ``adjustTextPosition(byCharacterOffset:)`` forwards, deletes only what the caret has moved over.
    public func deleteBackward() { add(.deleteBackward(1)) }

    /// Moves the caret forwards by grapheme clusters, or backwards if `offset` is negative. The caret stops at the
    /// ends of the document. If text is selected, the caret moves only to an end of the selection. One call moves
    /// it by 4,096 clusters at most.
    public func adjustTextPosition(byCharacterOffset offset: Int) {
        let limit = Int(ProxyProtocol.maximumCount)
        add(.adjust(Int32(min(max(-limit, offset), limit))))
    }

    /// Deletes the marked text, or the selection, or else the cluster after the caret. Does nothing if there is
    /// none of these.
    public func deleteForward() { add(.deleteForward(1)) }

    /// Shows a text as marked text, in place of the selection or of the present marked text, or at the caret. An
    /// empty text only removes what it replaces.
    ///
    /// - Parameter selectedRange: the selected range of `text`, in UTF-16 units.
    public func setMarkedText(_ text: String, selectedRange: Range<Int>) {
        add(.setMarked(ProxyText.marked(text, selected: selectedRange)))
    }

    /// Turns the marked text into ordinary text.
    public func unmarkText() { add(.unmark) }

    /// Replaces the text before the caret, as a correction does. If that text is not `expected`, or if text is
    /// selected or marked, none of the edits in the same group is made.
    public func replaceText(beforeInput expected: String, with text: String) {
        add(.replaceBefore(expected: expected, ProxyText.typable(text)))
    }

    /// Makes the edits of `body` one group, if they do not exceed the limits of a batch (64 edits, 64 KiB).
    /// Otherwise they become several groups. `completion` is called with the outcome of the last one. A call within
    /// another `body` only adds its edits to the group of the outer call, and its `completion` is not called.
    public func perform(then completion: ((TextEditStatus) -> Void)? = nil, _ body: (TextDocumentProxy) -> Void) {
        guard !isPerforming else { return body(self) }
        closeEdits()
        isPerforming = true
        body(self)
        isPerforming = false
        flush(then: completion)
    }

    /// Sends the waiting edits. `completion` is called with the outcome of the edits since the last flush, or of
    /// the last group of them. Without any, it is called with ``TextEditStatus/applied``, or with
    /// ``TextEditStatus/gone`` if the view has lost the focus.
    public func flush(then completion: ((TextEditStatus) -> Void)? = nil) {
        if let completion { open.completions.append(completion) }
        closeEdits()
        send()
    }

    /// Sends the waiting edits, and returns their outcome like ``flush(then:)``.
    public func flush(isolation: isolated (any Actor)? = #isolation) async -> TextEditStatus {
        await withCheckedContinuation { continuation in flush { continuation.resume(returning: $0) } }
    }

    /// Sends the edits again that have just ended with ``TextEditStatus/unknown``. The edits keep their number, so an
    /// editor that has already made them does not make them twice. `completion` is called with the outcome.
    ///
    /// - Returns: whether there are such edits. False if other edits were made since, if the view has lost the focus,
    ///   and if the editor has ended; `completion` is not called then.
    @discardableResult
    public func resend(then completion: ((TextEditStatus) -> Void)? = nil) -> Bool {
        guard isValid, inFlight == nil, waiting.isEmpty, open.operations.isEmpty, let editor,
            let (serial, operations) = editor.unanswered
        else { return false }
        var edits = Edits(operations: operations, serial: serial)
        if let completion { edits.completions.append(completion) }
        waiting.append(edits)
        send()
        return true
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

    /// Ends the present group of edits, so that later edits form another group.
    private func closeEdits() {
        guard !open.operations.isEmpty || !open.completions.isEmpty else { return }
        waiting.append(open)
        open = Edits()
    }

    // MARK: Sending and receiving

    private func send() {
        while inFlight == nil, !waiting.isEmpty {
            var edits = waiting.removeFirst()
            guard isValid, !edits.operations.isEmpty else {
                for completion in edits.completions { completion(isValid ? .applied : .gone) }
                continue
            }
            let serial = edits.serial ?? editor?.nextSerial() ?? 0
            edits.serial = serial
            let batch = ProxyBatch(
                epoch: epoch, serial: serial, base: context?.revision ?? 0, mode: .now,
                operations: edits.operations, deadline: editor?.deadline)
            guard (try? batch.check()) != nil else {
                forecast()
                for completion in edits.completions { completion(editor == nil ? .gone : .refused) }
                continue
            }
            inFlight = edits
            // The closure retains the proxy until the answer: the completions must be called even if the keyboard
            // no longer uses the proxy.
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
        editor?.unanswered = status == .unknown ? edits.serial.map { ($0, edits.operations) } : nil
        for completion in edits.completions { completion(status) }
        send()
        catchUp()
    }

    /// Returns the context of an answer. An answer includes little text, so its context is extended by the text known
    /// before, if the two agree.
    private func completed(_ answer: ProxyAnswer, to edits: Edits) -> ProxyContext {
        let new = answer.context
        var (complete, known) = (new, newDraft)
        for operation in edits.operations where answer.status == .applied { known.apply(operation) }
        let isShort = [new.before, new.after].allSatisfy { $0?.utf8.count ?? 0 <= ProxyProtocol.answerContext / 2 }
        // If the answer has little text on both sides, no text was cut off, so there is nothing to add.
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

    /// Takes over a context from the editor, unless a newer one is known. Discards the draft of the text around the
    /// caret; the next access computes it from the new context.
    private func take(_ new: ProxyContext) {
        guard new.revision >= context?.revision ?? 0 else { return }
        var complete = new
        // An answer may leave out the language and the identifier, which belong to the document.
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

    /// Discards the draft. The next access to the context computes a new one. Computing it after each answer would
    /// be slow while many edits wait.
    private func forecast() { drawn = nil }

    /// Requests the context, unless a request is pending. The answer to the pending request will also include the
    /// changes noticed until it arrives.
    func fetch() {
        guard isValid, !isFetching, let editor else { return }
        isFetching = true
        editor.call(.context(view: view, bytes: UInt32(ProxyProtocol.maximumText))) { [weak self] result in
            guard let self else { return }
            isFetching = false
            // The editor has refused the request because too many came too fast. Ask again: no other notice of the
            // last change follows.
            if case .failure(.error(let error)) = result, error.name == BusError.limitsExceeded.name,
                refusals < Self.refusalLimit
            {
                refusals += 1
                return fetch()
            }
            refusals = 0
            guard isValid, let body = try? result.get(), let new = try? ProxyContext(body) else { return }
            // The new context includes all changes that were noticed before it arrived. If a notice has named a higher
            // revision, the notice was wrong: do not wait for that revision.
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

    /// Requests the context if it may be incomplete or out of date. Does nothing while a batch is not answered.
    private func catchUp() {
        if inFlight == nil, isPatched || noticed > context?.revision ?? 0 { fetch() }
    }

    /// Ends the proxy when the focus has moved elsewhere. Edits that were not sent end with
    /// ``TextEditStatus/gone``.
    func invalidate() {
        guard isValid else { return }
        isValid = false
        closeEdits()
        send()
    }
}

/// An object that is notified when the context of a proxy has first arrived, and when others than the keyboard have
/// changed text or selection.
///
/// When the *will* methods are called, the text has changed already, but the proxy still has the old context.
public protocol TextInputDelegate: AnyObject {
    /// Called before the selection that the keyboard sees may change: before the proxy gets a newer context, even if
    /// only the text differs.
    func selectionWillChange(_ proxy: TextDocumentProxy)
    /// Called after the selection that the keyboard sees has changed.
    func selectionDidChange(_ proxy: TextDocumentProxy)
    /// Called before the text that the keyboard sees may change: before the proxy gets a newer context, even if only
    /// the selection or the marked text differs.
    func textWillChange(_ proxy: TextDocumentProxy)
    /// Called after the text that the keyboard sees has changed.
    func textDidChange(_ proxy: TextDocumentProxy)
}
