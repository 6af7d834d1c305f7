import InkstoneBase
import InkstoneEditing
import InkstoneLayout
import InkstoneRichText
import InkstoneText
import InkstoneView
import InkstoneX11

/// A format in which styled text is offered to other programs.
public struct CopiedFormat: Sendable {
    /// The name of the target, such as `text/markdown`.
    public var type: String
    /// Writes a text when a program requests it; nil if that is not possible. Called on the display's thread.
    public var write: @Sendable (StyledText) -> [UInt8]?

    /// Creates a format from its name and its writer.
    public init(_ type: String, write: @escaping @Sendable (StyledText) -> [UInt8]?) {
        (self.type, self.write) = (type, write)
    }
}

extension PasteboardItem {
    /// Creates an item with all forms of a text: other programs get the styled form if they know it, and plain text.
    ///
    /// - Parameter formats: the view's formats beside the usual ones.
    init(_ copied: CopiedText, in formats: [CopiedFormat]) {
        self.init()
        if copied.isStyled {
            add(StyledFragment.type) { copied.outgoing.fragment.map { Bytes($0.bytes) } }
            // Omit text formats for a lone image: a program that prefers them to pictures would get no picture.
            for format in RichTextFormat.allCases where copied.loneImage == nil {
                for type in format.types { add(type) { Self.written(copied) { format.write($0) } } }
            }
            for format in formats where copied.loneImage == nil {
                add(format.type) { Self.written(copied, format.write) }
            }
        }
        if let image = copied.loneImage { add(image) }
        addText { Bytes(copied.outgoing.described.textWithMarkers) }
        local = copied
    }

    /// Longest text written in another program's format, in UTF-16 units: the whole output is made at once.
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
    /// Creates a text from a clipboard's answer; nil if it cannot be read.
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
    /// Creates a text from another program's format with styles; nil without one. A text without any styles gets those of its new
    /// surroundings.
    init?(read text: StyledText?) {
        guard let text else { return nil }
        self.init(text, isStyled: text.runs != nil)
    }
}

/// A snapshot of the selection; its text is extracted once, when a program requests it.
private final class SelectionSnapshot {
    private var state: EditorState?
    private lazy var text: PasteboardItem.Bytes? = {
        // Releases the state: only the extracted text is used from here on.
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
    /// Longest time to wait for text in a format with styles, which may be large, in milliseconds: the text is then pasted without styles.
    var patience = 10_000
    /// Pastes that wait for text in such a format, each with a function that pastes it without styles, and the timer that calls it.
    var styled: [(paste: DeferredEdit.ID, timer: TimerID, giveUp: () -> Void)] = []

    /// Removes a paste from the waiting ones; nil if it is not waiting any more.
    mutating func takeStyled(_ paste: DeferredEdit.ID) -> (timer: TimerID, giveUp: () -> Void)? {
        styled.firstIndex { $0.paste == paste }.map { styled.remove(at: $0) }.map { ($0.timer, $0.giveUp) }
    }
}

// The view as owner and requestor of CLIPBOARD and PRIMARY.
extension TextView {
    /// Pause of the selecting keys before PRIMARY is updated, in milliseconds: programs that keep histories read it at each change.
    private static let keysRest = 250

    /// Requests the focus for a press. Returns false if another responder keeps it: then the press has no effect here either. A view that does not
    /// accept the focus can still be selected in.
    func takesFocus() -> Bool { !canBecomeFirstResponder || focus() }

    func own(_ copied: CopiedText) {
        guard let display = window?.display else { return }
        display.clipboard.own(PasteboardItem(copied, in: copiedFormats), timestamp: display.latestTimestamp)
    }

    // MARK: PRIMARY

    /// Makes the present selection PRIMARY. PRIMARY keeps this text when the selection changes.
    func ownPrimary(timestamp: UInt32) {
        guard let display = window?.display else { return }
        display.cancel(primaryToCome?.timer)
        primaryToCome = nil
        // The selection within a composition is not the user's text yet.
        guard selection?.isEmpty == false, markedText == nil, !isSecureTextEntry else { return }
        display.primary.own(SelectionSnapshot(state).item, timestamp: timestamp, by: self)
    }

    /// Schedules the update of PRIMARY after keys have selected, which may continue.
    func keysDidSelect() {
        guard let display = window?.display else { return }
        display.cancel(primaryToCome?.timer)
        let timer = display.schedule(afterMilliseconds: Self.keysRest) { [weak self] in self?.keysAreAtRest() }
        primaryToCome = (timer, display.latestTimestamp)
    }

    /// Makes the text that keys have selected PRIMARY.
    func keysAreAtRest() {
        if let primaryToCome { ownPrimary(timestamp: primaryToCome.timestamp) }
    }

    /// Pastes PRIMARY at an offset; the caret goes behind it.
    func pastePrimary(at offset: UTF16Offset, timestamp: UInt32) {
        guard let display = window?.display, isEditable else { return }
        keysAreAtRest()
        let paste = session.deferPaste(over: offset..<offset)
        select(Selection(caret: offset), scrolling: false)
        display.primary.request(
            timestamp: timestamp, onReplacement: reportReplacement,
            as: { CopiedText($0) }
        ) { [weak self] result in
            switch result {
            case .success(let copied):
                self?.session.paste(copied, for: paste)
                self?.onPasteEnd?()
            case .failure(let failure): self?.pasteDidFail(paste, failure)
            }
        }
    }

    // MARK: Pasting

    /// A function that reports the number of sequences in pasted or dropped data that were no text, if the view still exists.
    var reportReplacement: (Int) -> Void { { [weak self] in self?.onPasteReplacement?($0) } }

    func request(_ source: PasteSource, for paste: DeferredEdit.ID) {
        guard let display = window?.display else { return session.cancelPaste(paste) }
        let timestamp = display.latestTimestamp
        if source == .selection { keysAreAtRest() }
        let clipboard = source == .selection ? display.primary : display.clipboard
        if var copied = clipboard.localItem?.local as? CopiedText {
            if source == .plainClipboard { copied = copied.plain }
            return finishPaste(copied, for: paste)
        }
        guard source == .clipboard, state.options.takesStyles else {
            return requestText(of: clipboard, timestamp, for: paste)
        }
        clipboard.request(
            preferring: StyledFragment.type, timestamp: timestamp,
            onReplacement: reportReplacement, as: { CopiedText($0) }
        ) { [weak self] result in
            switch result {
            case .success(let copied?) where copied.isStyled: self?.finishPaste(copied, for: paste)
            case .success(let plain?): self?.requestStyledText(of: clipboard, timestamp, or: plain, for: paste)
            // A newer version of the format, or a picture offered for any target. A picture may be accompanied by a page that only names it.
            case .success(nil), .failure(.unavailable): self?.requestImage(of: clipboard, timestamp, for: paste)
            case .failure(let failure): self?.pasteDidFail(paste, failure)
            }
        }
    }

    /// Requests the formats of other programs.
    ///
    /// - Parameter plain: the same text as plain text; nil if there is none.
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
        let timer = display.schedule(afterMilliseconds: pasteHandlers.patience) { [weak self] in
            self?.pasteHandlers.takeStyled(paste)?.giveUp()
        }
        pasteHandlers.styled.append((paste, timer, { finish(nil) }))
        clipboard.request(
            firstOf: RichTextFormat.types, timestamp: timestamp,
            as: { CopiedText(read: reader.read($1, type: $0)) }
        ) { [weak self] copied in
            // A cancelled wait has already pasted the text without styles.
            guard let waiting = self?.pasteHandlers.takeStyled(paste) else { return }
            display.cancel(waiting.timer)
            finish(copied)
        }
    }

    /// Longest time to wait for other programs' text with its styles, in milliseconds; after that the text is pasted without them.
    package var stylesPatience: Int {
        get { pasteHandlers.patience }
        set { pasteHandlers.patience = newValue }
    }

    /// Pastes text that waits for its styles without them. Returns whether any was waiting.
    func endWaitForStyles() -> Bool {
        let waiting = pasteHandlers.styled
        pasteHandlers.styled = []
        for paste in waiting {
            window?.display.cancel(paste.timer)
            paste.giveUp()
        }
        return !waiting.isEmpty
    }

    /// A reader of other programs' formats for a paste or drop into this view.
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
        session.paste(copied, for: paste)
        scrollToCaret()
        onPasteEnd?()
    }

    func pasteDidFail(_ paste: DeferredEdit.ID, _ failure: Clipboard.Failure) {
        session.cancelPaste(paste)
        onPasteFailure?(failure)
        onPasteEnd?()
    }
}
