import InkstoneBase
public import InkstoneText

/// The preedit state machine. It turns an input method's answers into calls to a text view. The counterpart of
/// Apple's `NSTextInputContext`.
///
/// Each view has one context and retains it. The context does not retain its client. It needs no display: the
/// events come from an ``InputSession``, from a trace or from a test. It guarantees to the client:
///
/// - Ranges are exact, in UTF-16 units, whatever the server has sent.
/// - A call that would change nothing is not made. The events of one batch become as few calls as possible: a
///   preedit that is cleared and then committed is one `insertText`.
/// - A commit never acts as a key, and contains no control characters.
/// - `compositionDidBegin` and `compositionDidEnd` bracket a composition, so that it is one undo step.
public final class TextInputContext {
    /// The view that receives the text; nil if it no longer exists.
    public private(set) weak var client: (any KeyInput)?
    /// The client as a client of input methods; nil for a view that does not support them.
    ///
    /// This property and the following ones store the client as other protocol types. Each key needs some ten such
    /// casts, and a cast is slow because it searches all conformances of a type.
    private(set) weak var inputClient: (any TextInputClient)?
    /// The client as a text input; nil for a view that is none.
    private(set) weak var textInput: (any TextInput)?
    private let isInputClient: Bool
    private let isTextInput: Bool
    /// The queue of keys for a client that handles keys asynchronously; nil for any other client.
    private(set) var keyEntries: KeyEntryQueue?
    /// The completions that an asynchronous client offers for the text being typed; empty for none.
    public internal(set) var candidateSuggestions: [TextSuggestion] = [] {
        didSet { if candidateSuggestions != oldValue { onCandidateSuggestionsChange?() } }
    }
    /// Called when ``candidateSuggestions`` have changed. Show them to the user.
    public var onCandidateSuggestionsChange: (() -> Void)?
    /// The client as a responder; nil if it is none.
    private(set) weak var responder: (any Responder)?
    /// The bindings of the view's keys.
    public var keyBindings: KeyBindingTable {
        didSet {
            pendingStrokes = []
            session?.recordBindings(of: self)
        }
    }
    /// The responder that receives keys and commands after the client and its chain: the view's window. So the
    /// window is part of the chain even if the view has no next responder. Not retained.
    package weak var chainEnd: (any Responder)?
    /// The keys of an unfinished chord, in order; empty if none has begun. The next key ends or continues the
    /// chord, and is not sent to an input method.
    public internal(set) var pendingStrokes: [KeyStroke] = [] {
        didSet { if pendingStrokes != oldValue { onPendingStrokesChange?() } }
    }
    /// Called when ``pendingStrokes`` has changed. Show the keys to the user.
    public var onPendingStrokesChange: (() -> Void)?
    /// The session of the view's window; nil for a view without a window. Set it when the view is added to a
    /// window. Not retained.
    public weak var session: InputSession? {
        willSet { if let session, session !== newValue { session.deactivate(self) } }
    }

    /// The preedit according to the messages of the input-method server.
    private var buffer = PreeditBuffer()
    /// Whether a commit has replaced the text in ``buffer``. The text must not be shown again until the server has
    /// changed the preedit.
    private var isBufferCommitted = false
    /// The marked text that was last set in the client; nil if no text is marked.
    private var shown: Shown?
    private var isStale = false
    /// The text that the input method cleared last, and that the client no longer shows. Kept until the next
    /// composition or commit; nil for none.
    private var cleared: InputText?
    private var batchDepth = 0
    /// The owner of the composition in progress, or of the next one. The owner is the input method, or a keyboard
    /// in another process, for example.
    public private(set) var owner = CompositionOwner.inputMethod

    private struct Shown: Equatable {
        var text: InputText
        var selectedRange: UTF16Range
    }

    /// Creates a context for a view. A view that adopts only ``KeyInput`` gets plain keys, and never an input
    /// method.
    public init(client: any KeyInput, session: InputSession? = nil, keyBindings: KeyBindingTable = .desktop) {
        self.client = client
        let (inputClient, textInput) = (client as? any TextInputClient, client as? any TextInput)
        (self.inputClient, self.textInput) = (inputClient, textInput)
        (isInputClient, isTextInput) = (inputClient != nil, textInput != nil)
        responder = client as? any Responder
        self.session = session
        self.keyBindings = keyBindings
        if let asynchronous = client as? any AsyncTextInput {
            keyEntries = KeyEntryQueue(self, asynchronous)
            asynchronous.asyncInputDelegate = self
        }
    }

    // MARK: State

    /// The active context of the window whose input this thread is handling, for example a key, an answer of the
    /// input method, or a change of the focus. Nil outside of such a call.
    public static var current: TextInputContext? { InputSession.current?.activeContext }

    /// Whether this context is composing: the client has marked text that this context has set, or will get such text
    /// at the end of the batch.
    public var isComposing: Bool { shown != nil || (isStale && !buffer.isEmpty) }

    /// Whether the client has marked text that this context has set and not ended.
    package var hasShownText: Bool { shown != nil }

    /// Returns whether exactly this text is shown as marked text, or will be at the end of the batch. If the input
    /// method has cleared the text, it counts as long as it is shown: the method may be about to commit it.
    func composes(_ text: String) -> Bool {
        let text = Self.withoutControls(text)
        return shown?.text.string == text || (isStale && buffer.text == text)
    }

    /// Whether an input method may be used. False for a client that is no ``TextInputClient``, and for a read-only
    /// or secure text.
    package var acceptsInputMethod: Bool {
        // The property is read for each key. So access the weak reference only if the client itself is needed.
        guard isTextInput else { return inputClient != nil }
        guard isInputClient, let input = textInput else { return false }
        return input.isEditable && !input.isSecureTextEntry
    }

    /// Whether this client must not be recorded, because its text is secret.
    var isSecret: Bool { textInput?.isSecureTextEntry ?? false }

    /// The preedit according to the messages of the input-method server, for tests and traces.
    package var preedit: PreeditBuffer { buffer }

    // MARK: Activation in the session

    /// Makes this context receive its session's keys. Ends the composition of the previous one.
    public func activate() { session?.activate(self) }

    /// Stops sending keys to this client. A composition ends, and its text is kept.
    public func deactivate() { session?.deactivate(self) }

    /// Reports to the input method that the characters or the caret have moved on the screen.
    ///
    /// Call it after any layout, scroll or move that may have moved them, once for each frame. Equal rectangles are
    /// not sent.
    public func invalidateCharacterCoordinates() {
        if let session, session.activeContext === self { session.updateSpot() }
    }

    /// Makes the input method discard its composition. The marked text becomes ordinary text: first the client's
    /// `unmarkText()` is called, and then the method is reset. Later answers about the composition are applied at
    /// its anchor.
    ///
    /// Calling `unmarkText()` alone is not enough. It ends only the client's side, and the method would continue to
    /// compose.
    public func discardMarkedText() {
        if let session {
            session.endComposition(of: self)
        } else {
            keepMarkedText()
        }
    }

    // MARK: Answers of the input method

    /// Makes another owner compose from now on. The marked text of the owner before becomes ordinary text. When the
    /// new owner's composition ends, the input method is the owner again.
    package func beginComposition(by owner: CompositionOwner) {
        guard owner != self.owner else { return }
        endCompositionIfAny()
        self.owner = owner
    }

    /// Applies events that have arrived together. Commits and keys reach the client at once. The client's marked text
    /// is updated once for all changes of the preedit: before a key, or when all events were applied.
    package func receive(_ events: [InputMethodEvent]) {
        batch { for event in events { receive(event) } }
    }

    /// Applies one event, or queues it while an asynchronous client handles an earlier key. Changes of the preedit are
    /// collected, and the client gets the last one at the end of the batch, or before a call that depends on the marked
    /// text. The client does not get the change if a commit replaces the preedit first. If the preedit was cleared, the
    /// client gets the change a moment later.
    package func receive(_ event: InputMethodEvent) { receive(event, inTurn: false) }

    /// Applies one event. If `inTurn` is true, applies it at once, even while the client handles an earlier key.
    func receive(_ event: InputMethodEvent, inTurn: Bool) {
        if !inTurn, let keyEntries, keyEntries.isBusy { return keyEntries.take(event) }
        guard acceptsInputMethod || event.isKey else { return }
        batch {
            switch event {
            case .preeditStart:
                buffer.start()
                isBufferCommitted = false
                isStale = true
            case .preeditDraw(let draw):
                // A commit has replaced the preedit. If a draw then replaces nothing and inserts at the start, the
                // server regards the preedit as cleared by the commit. So clear the buffer too.
                if isBufferCommitted, draw.changeFirst <= 0, draw.changeLength <= 0 { buffer.finish() }
                isBufferCommitted = false
                buffer.apply(draw)
                isStale = true
            case .preeditCaret(let move):
                buffer.apply(move)
                isStale = true
            case .preeditDone:
                buffer.finish()
                isBufferCommitted = false
                isStale = true
            case .commit(let text):
                commit(text)
            case .key(let key, _):
                type(key)
            case .resetReply(let text):
                // The input method has discarded its composition although this context has not requested a reset. If
                // the reply contains the discarded text, commit that text. Otherwise remove it from the client.
                buffer.finish()
                isStale = true
                if let text, !text.isEmpty { commit(text) }
            case .pause, .quiet, .stamp: break
            }
        }
    }

    /// Runs `work`, and then updates the client's marked text, once for all changes of the preedit since the last
    /// update. A nested batch leaves the update to the outermost one. Commits and keys reach the client at once. If the
    /// preedit was cleared, the client's marked text is updated a moment later (``flush(isFinal:)``).
    func batch(_ work: () -> Void) {
        batchDepth += 1
        work()
        batchDepth -= 1
        if batchDepth == 0 { flush(isFinal: false) }
    }

    /// Replaces the marked text by final text. The server may have cleared the preedit before the commit, or may
    /// clear it afterwards.
    private func commit(_ raw: String) {
        let text = Self.withoutControls(raw)
        isBufferCommitted = true
        isStale = false
        guard !text.isEmpty, let inputClient else {
            if shown != nil { cancel() }
            return
        }
        let wasShown = shown != nil
        defer { owner = .inputMethod }
        (shown, cleared) = (nil, nil)
        call(.insertText(text, .notFound))
        inputClient.insertText(text, replacementRange: .notFound)
        if wasShown {
            call(.compositionDidEnd)
            inputClient.compositionDidEnd()
        }
    }

    /// Updates the client's marked text if the preedit has changed.
    ///
    /// If the preedit was cleared, its text may be committed by the next message. So the session makes the update a
    /// moment later: otherwise the text would disappear for one frame. If `isFinal`, the update is made now.
    func flush(isFinal: Bool = true) {
        guard isStale else { return }
        if buffer.isEmpty, shown != nil, !isBufferCommitted, !isFinal, let session {
            session.expectCommit(for: self)
            return
        }
        isStale = false
        if isBufferCommitted { return }
        if buffer.isEmpty {
            if shown != nil { cancel() }
            return
        }
        let wanted = Shown(text: InputText(buffer), selectedRange: buffer.selectedRange)
        guard wanted != shown, let inputClient else { return }
        if shown == nil {
            call(.compositionDidBegin)
            inputClient.compositionDidBegin()
        }
        (shown, cleared) = (wanted, nil)
        call(.setMarkedText(wanted.text, wanted.selectedRange, .notFound))
        inputClient.setMarkedText(wanted.text, selectedRange: wanted.selectedRange, replacementRange: .notFound)
    }

    private func cancel() {
        defer { owner = .inputMethod }
        (cleared, shown) = (shown?.text, nil)
        guard let inputClient else { return }
        call(.setMarkedText("", UTF16Range(location: 0, length: 0), .notFound))
        inputClient.setMarkedText(
            "", selectedRange: UTF16Range(location: 0, length: 0), replacementRange: .notFound)
        call(.compositionDidEnd)
        inputClient.compositionDidEnd()
    }

    /// Ends a composition in the client, without notifying the input method. The composed text is kept, and the client
    /// moves its carets after it.
    ///
    /// - Parameter withCleared: whether the text that the input method has cleared last is kept too.
    /// - Returns: the range of the kept text, or the selection if nothing was composed; and the preedit as the
    ///   server has described it. Nil for a client that supports no input methods.
    @discardableResult
    func keepMarkedText(withCleared: Bool = false) -> (range: UTF16Range, buffer: PreeditBuffer)? {
        if withCleared { keepCleared() }
        keyEntries?.compositionWasEnded()
        flush()
        if !isBufferCommitted, buffer.removePlaceholders() {
            isStale = true
            flush()
        }
        let old = buffer
        owner = .inputMethod
        let wasCommitted = isBufferCommitted
        (buffer, cleared) = (PreeditBuffer(), nil)
        isBufferCommitted = false
        guard let inputClient else { return nil }
        let isOwn = shown != nil
        var marked = inputClient.markedRange()
        if shown != nil || !marked.isNotFound {
            // Track the range by an anchor. When the text is no longer marked, a filter or a length limit of the
            // client may change the text.
            let anchor = marked.isNotFound ? nil : (inputClient as? any AnchoredTextInput)?.makeInputAnchor(for: marked)
            call(.unmarkText)
            inputClient.unmarkText()
            if let anchor { marked = anchor.range }
        }
        if shown != nil {
            shown = nil
            call(.compositionDidEnd)
            inputClient.compositionDidEnd()
        }
        // If another caller than this context has marked the text, return only the selection. Later answers of the
        // input method must not replace that text.
        guard isOwn, !marked.isNotFound else { return (inputClient.selectedRange(), PreeditBuffer()) }
        return (marked, wasCommitted ? PreeditBuffer() : old)
    }

    /// Removes and returns the text that the input method cleared last. The client no longer shows this text. Nil
    /// if the method has composed or committed text since.
    func takeCleared() -> String? {
        guard buffer.isEmpty, !isBufferCommitted else { return nil }
        flush()
        defer { cleared = nil }
        return cleared?.string
    }

    /// Restores the text that the input method has cleared, because the method may have been about to commit it. If
    /// the text is still marked, keeps it.
    private func keepCleared() {
        guard buffer.isEmpty, !isBufferCommitted else { return }
        if shown != nil {
            isStale = false
        } else if let text = cleared?.string, let inputClient {
            call(.insertText(text, .notFound))
            inputClient.insertText(text, replacementRange: .notFound)
        }
    }

    /// Ends a composition and keeps its text. Returns whether there was one.
    @discardableResult
    func endCompositionIfAny() -> Bool {
        if isComposing {
            discardMarkedText()
        } else {
            // If another caller than this context has marked text, only end its marking. The input method does not
            // know about this text. So it is not reset, and its pending keys are not affected.
            guard inputClient?.hasMarkedText() ?? false else { return false }
            keepMarkedText()
        }
        return true
    }

    func call(_ call: ClientCall) { session?.record(call, of: self) }

    /// Returns the text without control characters except tabs and newlines. CR, and CR followed by LF, become LF
    /// (U+000A).
    package static func withoutControls(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7f...0x9f).contains($0.value) })
        else { return text }
        var result = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\t": result.append(scalar)
            case "\r": result.append("\n")
            case "\n": if previous != "\r" { result.append("\n") }
            default: if scalar.value >= 0x20, !(0x7f...0x9f).contains(scalar.value) { result.append(scalar) }
            }
            previous = scalar
        }
        return String(result)
    }
}

extension InputMethodEvent {
    var isKey: Bool {
        if case .key = self { true } else { false }
    }

    /// Whether the event concerns, or may concern, a composition.
    var isOfComposition: Bool {
        switch self {
        case .key, .stamp: false
        default: true
        }
    }
}
