import InkstoneBase
import InkstoneText

/// What an epoch of the ledger left behind: where its keys were typed, for answers that come later.
///
/// The text that was composed there stands as ordinary text. Late draws replace it; empty ones and the preedit's end
/// delete nothing; a late commit replaces it, so that one that repeats it changes nothing.
final class EpochAnchor {
    let epoch: Int
    let context: TextInputContext
    private let client: any TextInputClient
    /// Nil for a client that takes no text away from its caret: then late draws are dropped, and late commits that do
    /// not repeat what stands go to the caret.
    private let anchored: (any AnchoredTextInput)?
    private var anchor: (any InputAnchor)?
    /// What stands at the anchor of a composition that the method may still finish; nil if nothing does.
    private(set) var kept: String?
    /// What stood here when another preedit began: engines that draw everything anew (m17n) begin with the same text.
    private var former: (text: String, anchor: (any InputAnchor)?)?
    private var buffer: PreeditBuffer
    /// What the method has cleared last, and may be about to commit.
    private var cleared: String?
    /// The text that the composition here was finished with, until something follows: servers may send it in the reply to the reset and
    /// commit it as well.
    private var finished: String?

    /// An anchor over `range`: what was composed, or the selection that keys on their way were to replace.
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

    /// An answer that belongs here.
    func receive(_ event: InputMethodEvent) {
        switch event {
        case .commit(let text) where absorb(text): return
        case .preeditStart, .preeditDraw, .commit, .resetReply: (cleared, finished) = (nil, nil)
        case .preeditCaret, .preeditDone, .key, .pause, .quiet, .progress: break
        }
        switch event {
        case .preeditStart:
            former = kept.map { ($0, anchor) }
            settle()
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
        case .pause, .quiet, .progress: break
        }
    }

    /// Where it begins and ends now, in UTF-16 units; nil for a client without anchors.
    var ends: (start: Int, end: Int)? {
        (anchor?.range).map { ($0.location, $0.location + $0.length) }
    }

    /// An older one of the same client that began at `start` has got text: this one, if it began there too and is empty,
    /// comes after it. Edits leave empty anchors where they are.
    func stay(behind other: EpochAnchor, from start: Int) {
        guard other.client === client, let end = other.ends?.end, let ends, ends.start == ends.end,
            start <= ends.start, ends.start < end
        else { return }
        anchor = anchored?.makeInputAnchor(for: UTF16Range(location: end, length: 0))
    }

    /// The method has gone: what it had only cleared stands here as text.
    func keepCleared() {
        if let cleared { finish(with: cleared) }
        cleared = nil
    }

    /// Takes a commit for what stands here already, if it repeats that. Returns whether it did.
    func absorb(_ text: String) -> Bool {
        let text = TextInputContext.withoutControls(text)
        guard kept == text || finished == text else { return false }
        (cleared, finished) = (nil, kept)
        settle()
        return true
    }

    /// Text replaces what was composed and is final.
    private func finish(with raw: String) {
        let text = TextInputContext.withoutControls(raw)
        guard !text.isEmpty else { return }
        finished = kept == nil ? nil : text
        replace(with: text, isFinal: true)
        settle()
    }

    /// What stands here is final: what still comes goes after it.
    private func settle() {
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

    /// A key that came back late does here what it does at the caret.
    private func type(_ key: KeyEvent) {
        guard key.phase != .up, !key.keysym.isModifier else { return }
        settle()
        let text = TextInputContext.withoutControls(key.characters)
        let isTyped =
            key.modifiers.isDisjoint(with: .commanding) && !text.isEmpty && key.keysym != .return && key.keysym != .tab
        if isTyped { return finish(with: text) }
        // An asynchronous client does not perform a command before its selection is put back.
        guard context.keyEntries == nil, let input = client as? any TextInput, let anchored, let here = anchor else {
            context.type(key)
            return
        }
        // A command knows only the selection: it is moved here, and the user's put back.
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
