import InkstoneBase
import InkstoneEditing
import InkstoneLayout
import InkstoneRichText
import InkstoneText
import InkstoneView
import InkstoneX11

/// A format that styled text goes to other programs in.
public struct CopiedFormat: Sendable {
    /// Its name as a target, such as `text/markdown`.
    public var type: String
    /// Writes a text when a program asks for it; nil where that cannot be done. Called on the display's thread.
    public var write: @Sendable (StyledText) -> [UInt8]?

    /// A format by its name and its writer.
    public init(_ type: String, write: @escaping @Sendable (StyledText) -> [UInt8]?) {
        (self.type, self.write) = (type, write)
    }
}

extension PasteboardItem {
    /// A text with all that is known of it: other programs get the styled form if they know it, and plain text.
    ///
    /// - Parameter formats: those that the view has beside the usual ones.
    init(_ copied: CopiedText, in formats: [CopiedFormat]) {
        self.init()
        if copied.isStyled {
            add(StyledFragment.type) { copied.outgoing.fragment.map { Bytes($0.bytes) } }
            // A program that takes a format of text before pictures would get no picture.
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

    /// Longest text in UTF-16 units that is written in another program's format: all of it is made at once.
    private static let formattedLimit = 1 << 20

    private static func written(_ copied: CopiedText, _ write: (StyledText) -> [UInt8]?) -> Bytes? {
        guard copied.content.rope.metrics.utf16 <= formattedLimit else { return nil }
        return write(copied.outgoing.content).map { Bytes($0) }
    }
}

extension PasteboardItem.Bytes {
    /// A text, of which no copy is made.
    init(_ rope: Rope) {
        self.init(count: rope.byteRange.count) { part in
            rope.bytes(in: ByteOffset(part.lowerBound)..<ByteOffset(part.upperBound))
        }
    }
}

extension CopiedText {
    /// What came of what was asked for; nil if it cannot be read.
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
    /// A text of another program in a format of styles; nil if it cannot be read. One without any styles takes after what it comes into.
    init?(_ bytes: [UInt8], type: String, keeping scope: RichTextFormat.Scope, baseSize: Double) {
        guard let format = RichTextFormat(type: type),
            let text = format.read(bytes, keeping: scope, baseSize: baseSize)
        else { return nil }
        self.init(text, isStyled: text.runs != nil)
    }
}

/// What is selected, as it was then; taken out of the text when somebody wants it, and once.
private final class SelectionSnapshot {
    private var state: EditorState?
    private lazy var text: PasteboardItem.Bytes? = {
        // Of the whole text no more is needed.
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

/// Called about texts that were to be pasted.
struct PasteHandlers {
    var failure: ((Clipboard.Failure) -> Void)?
    var replacement: ((Int) -> Void)?
    var end: (() -> Void)?
    /// Milliseconds that text is waited for in a format of styles, which may be large: beyond it comes without them.
    var patience = 10_000
    /// Pastes whose text is waited for in such a format, with what lets it come without styles, and the timer that does so.
    var styled: [(paste: DeferredEdit.ID, timer: TimerID, giveUp: () -> Void)] = []

    /// Takes the paste off those that are waited for; nil if it has come.
    mutating func takeStyled(_ paste: DeferredEdit.ID) -> (timer: TimerID, giveUp: () -> Void)? {
        styled.firstIndex { $0.paste == paste }.map { styled.remove(at: $0) }.map { ($0.timer, $0.giveUp) }
    }
}

// The view as owner and requestor of CLIPBOARD and PRIMARY.
extension TextView {
    /// How long keys that select are at rest before PRIMARY follows, in milliseconds: programs that keep histories read it at
    /// each change.
    private static let keysRest = 250

    /// Takes the focus for a press. False if someone else keeps it: then the press does nothing here either. A view that
    /// takes no focus can be selected from all the same.
    func takesFocus() -> Bool { !canBecomeFirstResponder || focus() }

    func own(_ copied: CopiedText) {
        guard let display = window?.display else { return }
        display.clipboard.own(PasteboardItem(copied, in: copiedFormats), timestamp: display.latestTimestamp)
    }

    // MARK: PRIMARY

    /// Makes PRIMARY of what is selected, as it is now. It stays so when the selection changes: it is what was selected last.
    func ownPrimary(timestamp: UInt32) {
        guard let display = window?.display else { return }
        display.cancel(primaryToCome?.timer)
        primaryToCome = nil
        // A composition's own selection is no text of the user's yet.
        guard selection?.isEmpty == false, markedText == nil, !isSecureTextEntry else { return }
        display.primary.own(SelectionSnapshot(state).item, timestamp: timestamp, by: self)
    }

    /// Keys have selected, and may go on.
    func keysDidSelect() {
        guard let display = window?.display else { return }
        display.cancel(primaryToCome?.timer)
        let timer = display.schedule(afterMilliseconds: Self.keysRest) { [weak self] in self?.keysAreAtRest() }
        primaryToCome = (timer, display.latestTimestamp)
    }

    /// What keys have selected becomes PRIMARY.
    func keysAreAtRest() {
        if let primaryToCome { ownPrimary(timestamp: primaryToCome.timestamp) }
    }

    /// Pastes PRIMARY at a place; the caret goes behind it.
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

    /// Reports how many sequences of what was pasted or dropped were no text, if the view is there still.
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
            // Of a newer version, or a picture for whatever is asked for. A picture may come with a page that only names it.
            case .success(nil), .failure(.unavailable): self?.requestImage(of: clipboard, timestamp, for: paste)
            case .failure(let failure): self?.pasteDidFail(paste, failure)
            }
        }
    }

    /// Asks for the formats of other programs.
    ///
    /// - Parameter plain: the same as plain text; nil if that has not come.
    func requestStyledText(
        of clipboard: Clipboard, _ timestamp: UInt32, or plain: CopiedText?, for paste: DeferredEdit.ID
    ) {
        guard let display = window?.display else { return session.cancelPaste(paste) }
        let finish: (CopiedText?) -> Void = { [weak self] copied in
            if let copied = copied ?? plain {
                self?.finishPaste(copied, for: paste)
            } else {
                self?.requestText(of: clipboard, timestamp, for: paste)
            }
        }
        let timer = display.schedule(afterMilliseconds: pasteHandlers.patience) { [weak self] in
            self?.pasteHandlers.takeStyled(paste)?.giveUp()
        }
        pasteHandlers.styled.append((paste, timer, { finish(nil) }))
        clipboard.request(firstOf: RichTextFormat.types, timestamp: timestamp, as: styledTextReader) {
            [weak self] copied in
            // Given up, it has come without styles.
            guard let waiting = self?.pasteHandlers.takeStyled(paste) else { return }
            display.cancel(waiting.timer)
            finish(copied)
        }
    }

    /// Milliseconds that text of other programs is waited for with its styles; after that it comes without them.
    package var stylesPatience: Int {
        get { pasteHandlers.patience }
        set { pasteHandlers.patience = newValue }
    }

    /// Has text that is waited for with its styles come without them. Returns whether any was.
    func endWaitForStyles() -> Bool {
        let waiting = pasteHandlers.styled
        pasteHandlers.styled = []
        for paste in waiting {
            window?.display.cancel(paste.timer)
            paste.giveUp()
        }
        return !waiting.isEmpty
    }

    /// Reads text in a format of another program as it is to come into this view.
    var styledTextReader: @Sendable (_ type: String, _ bytes: [UInt8]) -> CopiedText? {
        let (scope, size) = (pastedFormatting, font.size / layout.attributeScale)
        return { type, bytes in CopiedText(bytes, type: type, keeping: scope, baseSize: size) }
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
