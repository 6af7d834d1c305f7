import InkstoneBase
public import InkstoneText

/// The preedit state machine, which turns an input method's answers into calls to a text view. Apple's `NSTextInputContext`.
///
/// Each view has one and keeps it; the context holds its client weakly. It has no display: the events come from an
/// ``InputSession``, from a trace or from a test. Guarantees to the client:
/// - ranges are exact, in UTF-16 units, whatever the server sent;
/// - a call that would change nothing is not made, and several events of one batch become as few calls as possible: a
///   preedit cleared and then committed is one `insertText`;
/// - a commit never acts as a key, and contains no control characters;
/// - `compositionDidBegin` and `compositionDidEnd` bracket a composition, so that it is one undo step.
public final class TextInputContext {
    /// The view that is typed into; nil once it is gone.
    public private(set) weak var client: (any KeyInput)?
    /// The client for input methods; nil for a view that supports none.
    ///
    /// This and the following properties are the client cast to other protocols: each key needs some ten such casts, and a cast searches all
    /// conformances of a type.
    private(set) weak var inputClient: (any TextInputClient)?
    /// The client for keyboards; nil for a view that is no text input.
    private(set) weak var textInput: (any TextInput)?
    private let isInputClient: Bool
    private let isTextInput: Bool
    /// The key queue of a client that handles keys asynchronously; nil for any other.
    private(set) var keyEntries: KeyEntryQueue?
    /// The completions that an asynchronous client offers for the text being typed; empty for none.
    public internal(set) var candidateSuggestions: [TextSuggestion] = [] {
        didSet { if candidateSuggestions != oldValue { onCandidateSuggestionsChange?() } }
    }
    /// Called when ``candidateSuggestions`` have changed, to show them to the user.
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
    /// The responder for keys and commands after the client and its chain: the view's window, so that a
    /// view without a next responder is in its chain nevertheless. Held weakly.
    package weak var chainEnd: (any Responder)?
    /// The keys of an unfinished chord, in order; empty if none has begun. The next key ends the
    /// chord or continues it, and is not sent to an input method.
    public internal(set) var pendingStrokes: [KeyStroke] = [] {
        didSet { if pendingStrokes != oldValue { onPendingStrokesChange?() } }
    }
    /// Called when ``pendingStrokes`` has changed, to show the keys to the user.
    public var onPendingStrokesChange: (() -> Void)?
    /// The session of the view's window: set it when the view is added to one. Held weakly.
    public weak var session: InputSession? {
        willSet { if let session, session !== newValue { session.deactivate(self) } }
    }

    /// The preedit as the server describes it.
    private var buffer = PreeditBuffer()
    /// Whether the buffer holds text that a commit has replaced: it must not be shown again before the next draw.
    private var isBufferCommitted = false
    /// The marked text last set in the client; nil if none is marked.
    private var shown: Shown?
    private var isStale = false
    /// The text that the method cleared last and the client no longer shows, until the next composition or commit.
    private var cleared: InputText?
    private var batchDepth = 0
    /// The source of the current or next composition.
    public private(set) var owner = CompositionOwner.inputMethod

    private struct Shown: Equatable {
        var text: InputText
        var selectedRange: UTF16Range
    }

    /// Creates a context for a view. A view that is only ``KeyInput`` gets plain keys and never an input method.
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

    /// The active context of the window whose keys are being handled.
    public static var current: TextInputContext? { InputSession.current?.activeContext }

    /// Whether the client has marked text of a composition that this context knows of.
    public var isComposing: Bool { shown != nil || (isStale && !buffer.isEmpty) }

    /// Whether the client has been given marked text, and not its end.
    package var hasShownText: Bool { shown != nil }

    /// Whether exactly this text is being composed, or was until the method cleared it to commit it.
    func composes(_ text: String) -> Bool {
        let text = Self.withoutControls(text)
        return shown?.text.string == text || (isStale && buffer.text == text)
    }

    /// Whether an input method may be used: not for plain ``KeyInput``, read-only and secure views.
    package var acceptsInputMethod: Bool {
        // Called for each key: read weak references only if more than their presence is needed.
        guard isTextInput else { return inputClient != nil }
        guard isInputClient, let input = textInput else { return false }
        return input.isEditable && !input.isSecureTextEntry
    }

    /// Whether recording this client is forbidden.
    var isSecret: Bool { textInput?.isSecureTextEntry ?? false }

    /// The preedit as the server describes it, for tests and traces.
    package var preedit: PreeditBuffer { buffer }

    // MARK: Attaching

    /// Makes this context receive its session's keys. Ends the composition of the previous one.
    public func activate() { session?.activate(self) }

    /// Stops sending keys to this client. A composition ends; its text stays.
    public func deactivate() { session?.deactivate(self) }

    /// Reports to the input method that the characters or the caret have moved on the screen.
    ///
    /// Call it after any layout, scroll or move that can matter, once a frame; equal rectangles are dropped.
    public func invalidateCharacterCoordinates() { session?.updateSpot(of: self) }

    /// Makes the input method discard its composition. The marked text stays, as ordinary text (first the client's
    /// `unmarkText()`, then the method's reset); later answers about it go to its anchor.
    ///
    /// `unmarkText()` alone only ends the client's side: the method would continue composing.
    public func discardMarkedText() {
        if let session {
            session.endComposition(of: self)
        } else {
            keepMarkedText()
        }
    }

    // MARK: Answers of the input method

    /// Makes another source compose from now on: the marked text of the previous one becomes ordinary text. At the end of its composition the
    /// input method is the owner again.
    package func beginComposition(by owner: CompositionOwner) {
        guard owner != self.owner else { return }
        endCompositionIfAny()
        self.owner = owner
    }

    /// Applies events that came together; the client is called once all are known.
    package func receive(_ events: [InputMethodEvent]) {
        batch { for event in events { receive(event) } }
    }

    /// Applies one event. Draws reach the client at the end of the batch, or before any other call.
    package func receive(_ event: InputMethodEvent) {
        if let keyEntries, keyEntries.isBusy { return keyEntries.take(event) }
        receiveNow(event)
    }

    /// Applies an event in its turn.
    func receiveNow(_ event: InputMethodEvent) {
        guard acceptsInputMethod || event.isKey else { return }
        batch {
            switch event {
            case .preeditStart:
                buffer.start()
                isBufferCommitted = false
                isStale = true
            case .preeditDraw(let draw):
                // An insertion at the start of text that a commit has replaced: for the server that text is gone.
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
                // An unsolicited reset: the discarded text is in the client, or comes with the reply.
                buffer.finish()
                isStale = true
                if let text, !text.isEmpty { commit(text) }
            case .pause, .quiet, .progress: break
            }
        }
    }

    /// Runs `work`, then updates the client once.
    func batch(_ work: () -> Void) {
        batchDepth += 1
        work()
        batchDepth -= 1
        if batchDepth == 0 { flush(isFinal: false) }
    }

    /// Replaces the marked text by final text, whether the server has cleared it already or will.
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
    /// A cleared preedit may be about to be committed by the next message: unless this call is final, the session repeats it
    /// a moment later, so that the text does not vanish for one frame.
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

    /// Ends the client's side of a composition; the text stays, and the client moves its carets behind it. Returns its range, or the
    /// selection if nothing was composed, and the server's buffer. `withCleared`: the text that the method has cleared last stays as well.
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
            // A filter or a limit of the client may change the text when it is no longer marked.
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
        // Later answers of the method must not replace text that others have marked.
        guard isOwn, !marked.isNotFound else { return (inputClient.selectedRange(), PreeditBuffer()) }
        return (marked, wasCommitted ? PreeditBuffer() : old)
    }

    /// Removes and returns the text that the method has cleared last, if nothing has followed; the client does not show it any more.
    func takeCleared() -> String? {
        guard buffer.isEmpty, !isBufferCommitted else { return nil }
        flush()
        defer { cleared = nil }
        return cleared?.string
    }

    /// Restores the text that the method has cleared, if it is not still marked: the method may have been about to commit it.
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
            // The method does not know of text that others have marked: its pending keys come later.
            guard inputClient?.hasMarkedText() ?? false else { return false }
            keepMarkedText()
        }
        return true
    }

    func call(_ call: ClientCall) { session?.record(call, of: self) }

    /// Returns the text without control characters except tabs and newlines, of which all kinds become U+000A.
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
        case .key, .progress: false
        default: true
        }
    }
}
