import InkstoneBase
import InkstoneEditing
import InkstoneText
import InkstoneView
import InkstoneX11

extension PasteboardItem {
    /// A text with all that is known of it: other programs get the styled form if they know it, and plain text.
    init(_ copied: CopiedText) {
        self.init()
        if copied.isStyled { add(StyledFragment.type) { copied.outgoing.fragment.map { Bytes($0.bytes) } } }
        addText { Bytes(copied.outgoing.content.rope) }
        local = copied
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

/// What is selected, as it was then; taken out of the text when somebody wants it, and once.
private final class SelectionSnapshot {
    private var state: EditorState?
    private lazy var text: PasteboardItem.Bytes? = {
        // Of the whole text no more is needed.
        defer { state = nil }
        return state?.selectedCopy.map { PasteboardItem.Bytes($0.outgoing.content.rope) }
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
        display.clipboard.own(PasteboardItem(copied), timestamp: display.latestTimestamp)
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
        guard source == .clipboard else {
            return requestText(of: clipboard, timestamp, for: paste)
        }
        clipboard.request(
            preferring: StyledFragment.type, timestamp: timestamp,
            onReplacement: reportReplacement, as: { CopiedText($0) }
        ) { [weak self] result in
            switch result {
            case .success(let copied?): self?.finishPaste(copied, for: paste)
            // A newer version's, perhaps.
            case .success(nil): self?.requestText(of: clipboard, timestamp, for: paste)
            case .failure(let failure): self?.pasteDidFail(paste, failure)
            }
        }
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

    private func finishPaste(_ copied: CopiedText, for paste: DeferredEdit.ID) {
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
