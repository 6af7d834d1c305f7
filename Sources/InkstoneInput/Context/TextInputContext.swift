public import InkstoneBase
public import InkstoneText

/// Where an input method's answers become calls to a text view: the preedit state machine. Apple's `NSTextInputContext`.
///
/// Each view has one and keeps it; it holds its client weakly. It knows no display: the events come from an
/// ``InputSession``, from a trace or from a test. What it guarantees to the client:
/// - ranges are exact, in UTF-16 units, whatever the server sent;
/// - a call that would change nothing is not made, and several events of one batch become as few calls as they can: a
///   preedit cleared and then committed is one `insertText`;
/// - a commit never acts as a key, and control characters do not come through it;
/// - `compositionDidBegin` and `compositionDidEnd` bracket what was composed, so that it is one undo step.
public final class TextInputContext {
    /// The view that is typed into.
    public private(set) weak var client: (any KeyInput)?
    /// The client as input methods see it; nil for a view that takes no input method.
    ///
    /// This and the next two are the client as what else it is: each key asks some ten times, and a cast looks through all that a
    /// type conforms to.
    private(set) weak var inputClient: (any TextInputClient)?
    /// The client as keyboards see it; nil for a view that is no text input.
    private(set) weak var textInput: (any TextInput)?
    private let isInputClient: Bool
    private let isTextInput: Bool
    /// The keys of a client that handles them asynchronously; nil for any other.
    private(set) var keyEntries: KeyEntryQueue?
    /// The completions that an asynchronous client offers for what is being typed; empty for none.
    public internal(set) var candidateSuggestions: [TextSuggestion] = [] {
        didSet { if candidateSuggestions != oldValue { onCandidateSuggestionsChange?() } }
    }
    /// ``candidateSuggestions`` have changed, to be shown to the user.
    public var onCandidateSuggestionsChange: (() -> Void)?
    /// The client in its responder chain; nil for one that is in none.
    private(set) weak var responder: (any Responder)?
    /// Bindings of keys that type nothing.
    public var keyBindings: KeyBindingTable {
        didSet {
            pendingStrokes = []
            session?.recordBindings(of: self)
        }
    }
    /// Who is asked about keys and commands after the client and its chain: the window that the view is in, so that a
    /// view which names no next responder is in its chain all the same. Held weakly.
    public weak var chainEnd: (any Responder)?
    /// The keys of a chord that has begun and needs more of them, in order; empty if none has. The next key ends the
    /// chord or continues it, and no input method gets it.
    public internal(set) var pendingStrokes: [KeyStroke] = [] {
        didSet { if pendingStrokes != oldValue { onPendingStrokesChange?() } }
    }
    /// ``pendingStrokes`` has changed, to be shown to the user.
    public var onPendingStrokesChange: (() -> Void)?
    /// The session of the window that the view is in: set it when the view is put into one. Held weakly.
    public weak var session: InputSession? {
        willSet { if let session, session !== newValue { session.deactivate(self) } }
    }

    /// What the server says the preedit is.
    private var buffer = PreeditBuffer()
    /// The buffer holds text that a commit has replaced: it is not to be shown again before the next draw.
    private var isBufferCommitted = false
    /// What the client was told last; nil if it has nothing marked.
    private var shown: Shown?
    private var isStale = false
    /// What the method cleared last and the client shows no more, until something is composed or committed.
    private var cleared: InputText?
    private var batchDepth = 0
    /// The source of what is composed now, or would be.
    public private(set) var owner = CompositionOwner.inputMethod

    private struct Shown: Equatable {
        var text: InputText
        var selectedRange: UTF16Range
    }

    /// A context for a view. A view that is only ``KeyInput`` gets plain keys and never an input method.
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

    /// Whether the client has text of a composition marked that this context knows of.
    public var isComposing: Bool { shown != nil || (isStale && !buffer.isEmpty) }

    /// Whether the client was told to mark text, and not that this is over.
    package var hasShownText: Bool { shown != nil }

    /// Whether exactly this is being composed, or was until the method cleared it to commit it.
    func composes(_ text: String) -> Bool {
        let text = Self.withoutControls(text)
        return shown?.text.string == text || (isStale && buffer.text == text)
    }

    /// Whether an input method may be used: not for plain ``KeyInput``, read-only and secure views.
    public var acceptsInputMethod: Bool {
        // Asked with each key: a weak reference is read where there is more to know than whether it is there.
        guard isTextInput else { return inputClient != nil }
        guard isInputClient, let input = textInput else { return false }
        return input.isEditable && !input.isSecureTextEntry
    }

    /// Whether nothing of this client may be recorded.
    var isSecret: Bool { textInput?.isSecureTextEntry ?? false }

    /// The preedit as the server describes it, for tests and traces.
    public var preedit: PreeditBuffer { buffer }

    // MARK: Attaching

    /// Makes this the context that keys of its session go to. Ends the composition of the one before.
    public func activate() { session?.activate(self) }

    /// No keys come to this client any more. A composition ends; its text stays.
    public func deactivate() { session?.deactivate(self) }

    /// The characters have moved on the screen, or the caret has: tells the input method where it composes.
    ///
    /// Call it after any layout, scroll or move that can matter, once a frame; equal rectangles are dropped.
    public func invalidateCharacterCoordinates() { session?.updateSpot(of: self) }

    /// Makes the input method forget what it composes. The marked text stays, as ordinary text (first the client's
    /// `unmarkText()`, then the method's reset); what the method still sends of it goes to its anchor.
    ///
    /// `unmarkText()` alone only ends the client's side: the method would go on composing.
    public func discardMarkedText() {
        if let session {
            session.endComposition(of: self)
        } else {
            keepMarkedText()
        }
    }

    // MARK: Answers of the input method

    /// Has another source compose from now on: what the one before has marked becomes text. With the end of its composition the
    /// input method is the owner again.
    package func beginComposition(by owner: CompositionOwner) {
        guard owner != self.owner else { return }
        endCompositionIfAny()
        self.owner = owner
    }

    /// Takes events that came together; the client is called when all are known.
    public func receive(_ events: [InputMethodEvent]) {
        batch { for event in events { receive(event) } }
    }

    /// Takes one event. Draws reach the client at the end of the batch, or before anything else does.
    public func receive(_ event: InputMethodEvent) {
        if let keyEntries, keyEntries.isBusy { return keyEntries.take(event) }
        receiveNow(event)
    }

    /// Takes an event whose turn it is.
    func receiveNow(_ event: InputMethodEvent) {
        guard acceptsInputMethod || event.isKey else { return }
        batch {
            switch event {
            case .preeditStart:
                buffer.start()
                isBufferCommitted = false
                isStale = true
            case .preeditDraw(let draw):
                // An insertion at the start of what a commit has replaced: the server counts it as gone.
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
                // A reset that nobody here asked for: what it forgot stands in the client, or comes with the reply.
                buffer.finish()
                isStale = true
                if let text, !text.isEmpty { commit(text) }
            case .pause, .quiet, .progress: break
            }
        }
    }

    /// Runs `work`, then brings the client up to date once.
    func batch(_ work: () -> Void) {
        batchDepth += 1
        work()
        batchDepth -= 1
        if batchDepth == 0 { flush(isFinal: false) }
    }

    /// Finished text replaces the marked text, whether the server has cleared that already or will.
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

    /// Tells the client of the preedit if that is not what it shows.
    ///
    /// A cleared preedit may be about to be committed by the next message: unless this is final, the session comes back
    /// for it a moment later, so that the text does not vanish for one frame.
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

    /// Ends the client's side of a composition; the text stays, and the client puts its carets behind it. Returns where it stands, or the
    /// selection if nothing was composed, and the server's buffer. `withCleared`: what the method has cleared last stays as well.
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
            // A filter or a limit of the client may change the text when it is no longer composed.
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
        // What the method has still to say does not go over what others have marked.
        guard isOwn, !marked.isNotFound else { return (inputClient.selectedRange(), PreeditBuffer()) }
        return (marked, wasCommitted ? PreeditBuffer() : old)
    }

    /// What the method has cleared last, if nothing has followed; the client does not show it any more.
    func takeCleared() -> String? {
        guard buffer.isEmpty, !isBufferCommitted else { return nil }
        flush()
        defer { cleared = nil }
        return cleared?.string
    }

    /// What the method has cleared stands as text, or is still marked: the method may have been about to commit it.
    private func keepCleared() {
        guard buffer.isEmpty, !isBufferCommitted else { return }
        if shown != nil {
            isStale = false
        } else if let text = cleared?.string, let inputClient {
            call(.insertText(text, .notFound))
            inputClient.insertText(text, replacementRange: .notFound)
        }
    }

    /// Ends a composition, whose text stays. Returns whether there was one.
    @discardableResult
    func endCompositionIfAny() -> Bool {
        if isComposing {
            discardMarkedText()
        } else {
            // What others have marked the method knows nothing of: keys that are on their way to it come later.
            guard inputClient?.hasMarkedText() ?? false else { return false }
            keepMarkedText()
        }
        return true
    }

    func call(_ call: ClientCall) { session?.record(call, of: self) }

    /// The text without control characters: newlines are kept (all kinds as `\n`), tabs too.
    static func withoutControls(_ text: String) -> String {
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

    /// Whether it says, or may say, something of a composition.
    var isOfComposition: Bool {
        switch self {
        case .key, .progress: false
        default: true
        }
    }
}
