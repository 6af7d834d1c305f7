import InkstoneBase
import InkstoneEditing
import InkstoneLayout
import InkstoneRichText
import InkstoneText
import InkstoneView
import InkstoneX11

/// A format in which styled text is offered to other programs.
public struct CopiedFormat: Sendable {
    /// The name of the selection target, such as `text/markdown`.
    public var type: String
    /// Writes a text in this format; nil if that is not possible. Called on the display's thread when a program
    /// requests the format.
    public var write: @Sendable (StyledText) -> [UInt8]?

    /// Creates a format from its name and its writer.
    public init(_ type: String, write: @escaping @Sendable (StyledText) -> [UInt8]?) {
        (self.type, self.write) = (type, write)
    }
}

extension PasteboardItem {
    /// Creates an item that offers a text in all formats: with styles for programs that know one of these formats,
    /// and plain.
    ///
    /// - Parameter formats: the formats of the view in addition to the usual ones.
    init(_ copied: CopiedText, in formats: [CopiedFormat]) {
        self.init()
        if copied.isStyled {
            add(StyledFragment.type) { copied.outgoing.fragment.map { Bytes($0.bytes) } }
            // Do not offer text formats for a single image: a program that prefers text would not get the image.
            for format in RichTextFormat.allCases where copied.singleImage == nil {
                for type in format.types { add(type) { Self.written(copied) { format.write($0) } } }
            }
            for format in formats where copied.singleImage == nil {
                add(format.type) { Self.written(copied, format.write) }
            }
        }
        if let image = copied.singleImage { add(image) }
        addText { Bytes(copied.outgoing.described.textWithMarkers) }
        local = copied
    }

    /// The maximum length, in UTF-16 units, of text that is provided in the formats of other programs. Longer text is
    /// only provided plain and in this library's format, because the whole output in a format is made at once.
    private static let formattedLimit = 1 << 20

    private static func written(_ copied: CopiedText, _ write: (StyledText) -> [UInt8]?) -> Bytes? {
        guard copied.content.rope.metrics.utf16 <= formattedLimit else { return nil }
        return write(copied.outgoing.content).map { Bytes($0) }
    }
}

extension PasteboardItem.Bytes {
    /// Creates the bytes of a text without copying it.
    init(_ rope: Rope) {
        self.init(count: rope.byteRange.count) { part in
            rope.bytes(in: ByteOffset(part.lowerBound)..<ByteOffset(part.upperBound))
        }
    }
}

extension CopiedText {
    /// Creates a text from the answer of a clipboard's owner; nil if it cannot be read.
    init?(_ contribution: Clipboard.Contribution) {
        switch contribution {
        case .text(let text): self.init(text)
        case .bytes(let bytes):
            guard let fragment = StyledFragment(bytes: bytes) else { return nil }
            self.init(fragment)
        }
    }
}

extension CopiedText {
    /// Creates a text that was read from another program's format; nil if `text` is nil. A text without any styles
    /// takes on those of the text around it.
    init?(read text: StyledText?) {
        guard let text else { return nil }
        self.init(text, isStyled: text.runs != nil)
    }
}

/// A snapshot of the selected text. The text is extracted when a program requests it for the first time.
private final class SelectionSnapshot {
    private var state: EditorState?
    private lazy var text: PasteboardItem.Bytes? = {
        // Release the state: only the extracted text is used from here on.
        defer { state = nil }
        return state?.selectedCopy.map { PasteboardItem.Bytes($0.outgoing.described.textWithMarkers) }
    }()

    init(_ state: EditorState) { self.state = state }

    var item: PasteboardItem {
        var item = PasteboardItem()
        item.addText { self.text }
        return item
    }
}

/// The callbacks for pastes, and the pastes that wait for styled text.
struct PasteHandlers {
    var failure: ((Clipboard.Failure) -> Void)?
    var replacement: ((Int) -> Void)?
    var end: (() -> Void)?
    /// The pastes that were cancelled, and whose requests have not ended yet.
    var cancelled: Set<DeferredEdit.ID> = []
    /// The longest wait for text in a format with styles, which may be large, in milliseconds. After that the text
    /// is pasted without styles.
    var maximumWait = 10_000
    /// The pastes that wait for text with styles. `timer` calls `giveUp`, which pastes the text without styles.
    var styled: [(paste: DeferredEdit.ID, timer: TimerID, giveUp: () -> Void)] = []

    /// Removes a paste from those that wait for styles, and returns its timer and closure; nil if it is not among
    /// them.
    mutating func takeStyled(_ paste: DeferredEdit.ID) -> (timer: TimerID, giveUp: () -> Void)? {
        styled.firstIndex { $0.paste == paste }.map { styled.remove(at: $0) }.map { ($0.timer, $0.giveUp) }
    }
}

// The view as owner and requestor of CLIPBOARD and PRIMARY.
extension TextView {
    /// The pause after which PRIMARY is updated when keys have changed the selection, in milliseconds. Do not
    /// update PRIMARY for each key: clipboard managers read it at each change.
    private static let selectionPause = 250

    /// Requests the focus for a press. Returns false if another responder refuses to give up the focus; the caller
    /// then has to ignore the press. Returns true for a view that does not accept the focus, because text can still
    /// be selected in it.
    func takesFocus() -> Bool { !canBecomeFirstResponder || focus() }

    func own(_ copied: CopiedText) {
        guard let display = window?.display else { return }
        display.clipboard.own(PasteboardItem(copied, in: copiedFormats), timestamp: display.latestTimestamp)
    }

    // MARK: PRIMARY

    /// Makes the selected text PRIMARY. PRIMARY keeps this text when the selection changes. Does nothing without a
    /// selection, during a composition, and in a secure view.
    func ownPrimary(timestamp: UInt32) {
        guard let display = window?.display else { return }
        display.cancel(primaryToCome?.timer)
        primaryToCome = nil
        // Leave PRIMARY unchanged during a composition: a selection within it belongs to the input method, not to
        // the user.
        guard selection?.isEmpty == false, markedText == nil, !isSecureTextEntry else { return }
        display.primary.own(SelectionSnapshot(state).item, timestamp: timestamp, by: self)
    }

    /// Schedules the update of PRIMARY after keys have changed the selection, unless further keys follow.
    func keysDidSelect() {
        guard let display = window?.display else { return }
        display.cancel(primaryToCome?.timer)
        let timer = display.schedule(afterMilliseconds: Self.selectionPause) { [weak self] in
            self?.takePrimaryAfterKeys()
        }
        primaryToCome = (timer, display.latestTimestamp)
    }

    /// Makes text that was selected with keys PRIMARY now instead of after the pause.
    func takePrimaryAfterKeys() {
        if let primaryToCome { ownPrimary(timestamp: primaryToCome.timestamp) }
    }

    /// Pastes PRIMARY at an offset and moves the caret after the pasted text.
    func pastePrimary(at offset: UTF16Offset, timestamp: UInt32) {
        guard let display = window?.display, isEditable else { return }
        takePrimaryAfterKeys()
        let paste = session.deferPaste(over: offset..<offset)
        select(Selection(caret: offset), scrolling: false)
        display.primary.request(
            timestamp: timestamp, onReplacement: reportReplacement,
            as: { CopiedText($0) }
        ) { [weak self] result in
            switch result {
            case .success(let copied):
                guard self?.pasteHandlers.cancelled.remove(paste) == nil else { return }
                self?.session.paste(copied, for: paste)
                self?.onPasteEnd?()
            case .failure(let failure): self?.pasteDidFail(paste, failure)
            }
        }
    }

    // MARK: Pasting

    /// Reports the number of invalid sequences in pasted or dropped data to ``onPasteReplacement``.
    var reportReplacement: (Int) -> Void { { [weak self] in self?.onPasteReplacement?($0) } }

    func request(_ source: PasteSource, for paste: DeferredEdit.ID) {
        guard let display = window?.display else { return session.cancelPaste(paste) }
        let timestamp = display.latestTimestamp
        if source == .selection { takePrimaryAfterKeys() }
        let clipboard = source == .selection ? display.primary : display.clipboard
        if var copied = clipboard.localItem?.local as? CopiedText {
            if source == .plainClipboard { copied = copied.plain }
            return finishPaste(copied, for: paste)
        }
        guard source == .clipboard, state.options.takesStyles else {
            return requestText(of: clipboard, timestamp, for: paste)
        }
        guard let onPlaceFiles else { return requestStyles(of: clipboard, timestamp, for: paste) }
        // Request a list of files before text: a file manager also offers the names of copied files as text.
        clipboard.request(formats: [Self.listType], timestamp: timestamp) { [weak self] result in
            guard let self else { return }
            let files = (try? result.get()).map { URIList($0).localPaths } ?? []
            // Request an image if the list has no local files: it may be the address of an image that a browser offers
            // as well. Do not check whether files exist, because a disk may hang.
            if (try? result.get()) != nil, files.isEmpty { return requestImage(of: clipboard, timestamp, for: paste) }
            let isTaken =
                !files.isEmpty
                && onPlaceFiles(files) { [weak self] text in
                    guard let self else { return }
                    if let text { return finishPaste(CopiedText(text), for: paste) }
                    session.cancelPaste(paste)
                    onPasteEnd?()
                }
            if !isTaken { requestStyles(of: clipboard, timestamp, for: paste) }
        }
    }

    /// Requests the text with this library's own styles, and otherwise a picture or text in another format.
    private func requestStyles(of clipboard: Clipboard, _ timestamp: UInt32, for paste: DeferredEdit.ID) {
        clipboard.request(
            preferring: StyledFragment.type, timestamp: timestamp,
            onReplacement: reportReplacement, as: { CopiedText($0) }
        ) { [weak self] result in
            switch result {
            case .success(let copied?) where copied.isStyled: self?.finishPaste(copied, for: paste)
            case .success(let plain?): self?.requestStyledText(of: clipboard, timestamp, or: plain, for: paste)
            // Neither this library's format nor plain text could be read: the owner may offer only other formats with
            // styles, a newer version of this format, or a picture. Request the picture first, because HTML may only
            // contain a reference to it.
            case .success(nil), .failure(.unavailable): self?.requestImage(of: clipboard, timestamp, for: paste)
            case .failure(let failure): self?.pasteDidFail(paste, failure)
            }
        }
    }

    /// Requests the text in the formats with styles that other programs use, and pastes it. If none arrives in time,
    /// pastes what could be read so far, or else `plain`; if there is neither, requests the text without styles.
    ///
    /// - Parameter plain: the text as already received without styles; nil if there is none.
    func requestStyledText(
        of clipboard: Clipboard, _ timestamp: UInt32, or plain: CopiedText?, for paste: DeferredEdit.ID
    ) {
        guard let display = window?.display else { return session.cancelPaste(paste) }
        let reader = styledTextReader
        let finish: (CopiedText?) -> Void = { [weak self] copied in
            if let copied = copied ?? CopiedText(read: reader.rest) ?? plain {
                self?.finishPaste(copied, for: paste)
            } else {
                self?.requestText(of: clipboard, timestamp, for: paste)
            }
        }
        let timer = display.schedule(afterMilliseconds: pasteHandlers.maximumWait) { [weak self] in
            self?.pasteHandlers.takeStyled(paste)?.giveUp()
        }
        pasteHandlers.styled.append((paste, timer, { finish(nil) }))
        clipboard.request(
            firstOf: RichTextFormat.types, timestamp: timestamp,
            as: { CopiedText(read: reader.read($1, type: $0)) }
        ) { [weak self] copied in
            // Do nothing if the wait has ended: the text was pasted without styles, or the paste was cancelled.
            guard let waiting = self?.pasteHandlers.takeStyled(paste) else { return }
            display.cancel(waiting.timer)
            finish(copied)
        }
    }

    /// The longest wait for other programs' text with its styles, in milliseconds. After that the text is pasted
    /// without styles.
    package var maximumStylesWait: Int {
        get { pasteHandlers.maximumWait }
        set { pasteHandlers.maximumWait = newValue }
    }

    /// Pastes, without styles, the texts that wait for their styled form. Returns whether any was waiting.
    func endWaitForStyles() -> Bool {
        let waiting = pasteHandlers.styled
        pasteHandlers.styled = []
        for paste in waiting {
            window?.display.cancel(paste.timer)
            paste.giveUp()
        }
        return !waiting.isEmpty
    }

    /// Cancels all pastes and drops whose text is pending. Their failures are not reported any more.
    package func cancelAwaitedText() {
        let awaited = session.cancelAwaitedText()
        pasteHandlers.cancelled.formUnion(awaited)
        for paste in awaited {
            if let (timer, _) = pasteHandlers.takeStyled(paste) { window?.display.cancel(timer) }
        }
    }

    /// A reader of other programs' formats, for a paste or drop into this view.
    var styledTextReader: RichTextReader {
        RichTextReader(keeping: pastedFormatting, baseSize: font.size / layout.attributeScale)
    }

    private func requestText(of clipboard: Clipboard, _ timestamp: UInt32, for paste: DeferredEdit.ID) {
        clipboard.request(
            timestamp: timestamp, onReplacement: reportReplacement,
            as: { CopiedText($0) }
        ) { [weak self] result in
            switch result {
            case .success(let copied): self?.finishPaste(copied, for: paste)
            case .failure(let failure): self?.pasteDidFail(paste, failure)
            }
        }
    }

    func finishPaste(_ copied: CopiedText, for paste: DeferredEdit.ID) {
        guard pasteHandlers.cancelled.remove(paste) == nil else { return }
        session.paste(copied, for: paste)
        scrollToCaret()
        onPasteEnd?()
    }

    func pasteDidFail(_ paste: DeferredEdit.ID, _ failure: Clipboard.Failure) {
        guard pasteHandlers.cancelled.remove(paste) == nil else { return }
        session.cancelPaste(paste)
        onPasteFailure?(failure)
        onPasteEnd?()
    }
}
