import InkstoneBase
import InkstoneText

/// The anchor of an ended epoch (see ``KeyEpochs``): the position at which the keys of that epoch were typed. Answers
/// that arrive later are applied there.
///
/// The epoch's composition has become ordinary text. Late changes of the preedit replace this text. But a change to
/// a preedit without text deletes nothing, nor does the end of the preedit. A late commit replaces the text; if it
/// has the same text, nothing changes.
final class EpochAnchor {
    let epoch: Int
    let context: TextInputContext
    private let client: any TextInputClient
    /// The client, if it can replace text away from its caret; otherwise nil. If nil, late changes of the preedit are
    /// ignored, and late commits are inserted at the caret, unless they repeat the text of the composition.
    private let anchored: (any AnchoredTextInput)?
    private var anchor: (any InputAnchor)?
    /// The text at the anchor, while the input method may still finish the composition that this text comes from;
    /// otherwise nil.
    private(set) var kept: String?
    /// The text at the anchor, and the anchor, before another preedit began here. Some engines (m17n) draw the whole
    /// preedit again: if the new preedit first shows this text, it replaces the text instead of being inserted after
    /// it.
    private var former: (text: String, anchor: (any InputAnchor)?)?
    private var buffer: PreeditBuffer
    /// The preedit text that the input method cleared last and may be about to commit; nil for none.
    private var cleared: String?
    /// The final text of the composition; nil if it has none. The text is kept until another preedit, commit or
    /// reply to a reset follows. Servers may send it twice: in the reply to the reset, and as a commit.
    private var finished: String?

    /// Creates an anchor for `range`. This is the range of the composition, or the selection that pending keys were
    /// to replace. Nil if the context has no client.
    init?(epoch: Int, context: TextInputContext, range: UTF16Range, buffer: PreeditBuffer, cleared: String? = nil) {
        guard let client = context.inputClient else { return nil }
        self.epoch = epoch
        self.context = context
        self.client = client
        self.buffer = buffer
        self.cleared = cleared
        anchored = client as? any AnchoredTextInput
        anchor = anchored?.makeInputAnchor(for: range)
        kept = buffer.isEmpty ? nil : buffer.text
    }

    /// Applies an answer that belongs to this epoch.
    func receive(_ event: InputMethodEvent) {
        switch event {
        case .commit(let text) where absorb(text): return
        case .preeditStart, .preeditDraw, .commit, .resetReply: (cleared, finished) = (nil, nil)
        case .preeditCaret, .preeditDone, .key, .pause, .quiet, .stamp: break
        }
        switch event {
        case .preeditStart:
            former = kept.map { ($0, anchor) }
            acceptText()
            buffer.start()
        case .preeditDraw(let draw):
            buffer.apply(draw)
            guard !buffer.isEmpty else { return }
            if let former, former.text == buffer.text { (kept, anchor) = former }
            former = nil
            replace(with: buffer.text, isFinal: false)
        case .preeditCaret(let move): buffer.apply(move)
        case .preeditDone: buffer.finish()
        case .commit(let text): finish(with: text)
        case .key(let key, _): type(key)
        case .resetReply(let text):
            if let text {
                finish(with: text)
                finished = TextInputContext.withoutControls(text)
            }
            buffer.finish()
        case .pause, .quiet, .stamp: break
        }
    }

    /// The start and end of the anchor, in UTF-16 units. Nil for a client without anchors.
    var ends: (start: Int, end: Int)? {
        (anchor?.range).map { ($0.location, $0.location + $0.length) }
    }

    /// Moves this anchor after the text that an older anchor of the same client has just received at `start`. Needed
    /// only if this anchor is empty and lies where that text was inserted, because edits do not move empty anchors.
    /// Otherwise does nothing.
    func stay(behind other: EpochAnchor, from start: Int) {
        guard other.client === client, let end = other.ends?.end, let ends, ends.start == ends.end,
            start <= ends.start, ends.start < end
        else { return }
        anchor = anchored?.makeInputAnchor(for: UTF16Range(location: end, length: 0))
    }

    /// Inserts the text that the input method has cleared and not committed. Call when the method no longer exists.
    func keepCleared() {
        if let cleared { finish(with: cleared) }
        cleared = nil
    }

    /// Handles a commit that repeats the text at the anchor, or the final text of the composition. The text stays
    /// as it is, and becomes final. Returns false, and does nothing, for any other commit.
    func absorb(_ text: String) -> Bool {
        let text = TextInputContext.withoutControls(text)
        guard kept == text || finished == text else { return false }
        (cleared, finished) = (nil, kept)
        acceptText()
        return true
    }

    /// Replaces the composition by final text.
    private func finish(with raw: String) {
        let text = TextInputContext.withoutControls(raw)
        guard !text.isEmpty else { return }
        finished = kept == nil ? nil : text
        replace(with: text, isFinal: true)
        acceptText()
    }

    /// Makes the text at the anchor final. Later answers are inserted after it.
    private func acceptText() {
        guard kept != nil else { return }
        kept = nil
        guard let range = anchor?.range else { return }
        anchor = anchored?.makeInputAnchor(for: UTF16Range(location: range.location + range.length, length: 0))
    }

    private func replace(with text: String, isFinal: Bool) {
        defer { kept = text }
        guard kept != text else { return }
        if let anchor, let anchored {
            context.session?.record(.replaceText(anchor.range, text), of: context)
            anchored.replaceText(at: anchor, with: text)
        } else if isFinal {
            client.insertText(text, replacementRange: .notFound)
        }
    }

    /// Performs a key that the input method has returned late. It acts at the anchor, not at the caret.
    private func type(_ key: KeyEvent) {
        guard key.phase != .up, !key.keysym.isModifier else { return }
        acceptText()
        let text = TextInputContext.withoutControls(key.characters)
        let isTyped =
            key.modifiers.isDisjoint(with: .commanding) && !text.isEmpty && key.keysym != .return && key.keysym != .tab
        if isTyped { return finish(with: text) }
        // Perform the command at the caret if the client has no anchors. Do so also if the client is asynchronous:
        // it would perform the command only after the user's selection is restored.
        guard context.keyEntries == nil, let input = client as? any TextInput, let anchored, let here = anchor else {
            context.type(key)
            return
        }
        // A command acts on the selection. Move the selection to the anchor, and restore the user's selection
        // afterwards.
        let selectAll = anchored.makeSelectionAnchor()
        let user = anchored.makeInputAnchor(for: .notFound)
        input.selectedTextRange = position(here.range, in: input)
        context.type(key)
        anchor = anchored.makeInputAnchor(for: client.selectedRange())
        if let selectAll { selectAll() } else { input.selectedTextRange = position(user.range, in: input) }
    }

    private func position(_ range: UTF16Range, in input: any TextInput) -> TextRange? {
        guard let start = input.position(from: input.beginningOfDocument, offset: range.location),
            let end = input.position(from: start, offset: range.length)
        else { return nil }
        return input.textRange(from: start, to: end)
    }
}
