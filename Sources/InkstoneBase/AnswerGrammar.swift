/// A grammar that groups the messages of an input method server, changes of the preedit and commits, into answers
/// to keys, by their order alone.
///
/// The answer to a key consists of at most a deletion of the preedit, a commit and a new preedit, the first two in
/// either order. Servers never report which key an answer is for: ``AnswerMatcher`` infers it. One answer to a key,
/// by server (`Tests/Traces`):
///
/// - ibus, fcitx5 and scim commit, then clear; fcitx5 with Hangul commits, and draws the next syllable over the old
///   one;
/// - ibus with Hangul and uim clear, commit, and draw the next syllable; nabi does the same, but sends no start of
///   a preedit before the next syllable;
/// - ibus with m17n clears, draws the same text again, and then draws the new text.
///
/// A preedit that follows a commit may also be the answer to the next key. It counts as part of the current answer,
/// so that the next key still counts as unanswered and cannot get lost.
package struct AnswerGrammar: Hashable, Sendable {
    private var hasText = false
    private var hasCommit = false
    private var isFresh = true
    private var hasCleared = false
    /// Whether a preedit is shown, and whether its text has been committed, so that a deletion of it is expected.
    private var isShown = false
    private var isClearingDue = false
    /// Whether the present answer has deleted the preedit and then committed text, and the server has drawn nothing
    /// since. Servers do so when a Hangul syllable ends; a preedit drawn next is the next syllable.
    package private(set) var hasCommittedCleared = false

    /// A grammar before the first answer.
    package init() {}

    /// Makes the next message begin an answer. Call this when a key was returned, or when a key was sent and all
    /// earlier keys were answered.
    package mutating func beginAnew() { isFresh = true }

    /// Counts a change of the preedit. Returns whether the change begins the answer to another key. `drawsText`:
    /// whether the preedit has text after the change.
    package mutating func draws(hasText drawsText: Bool) -> Bool {
        // A deletion that is due after a commit begins no answer, even if a key was returned or sent between the
        // commit and the deletion.
        let isNew = (isFresh || hasText) && (drawsText || !isClearingDue)
        if isNew { begin() }
        if drawsText {
            hasText = true
        } else {
            hasCleared = true
        }
        (isShown, isClearingDue, hasCommittedCleared) = (drawsText, false, false)
        return isNew
    }

    /// Counts a commit. Returns whether the commit begins the answer to another key.
    package mutating func commits() -> Bool {
        let isNew = isFresh || hasCommit || hasText
        if isNew { begin() }
        hasCommit = true
        (isClearingDue, hasCommittedCleared) = (isShown, hasCleared)
        return isNew
    }

    private mutating func begin() { (hasText, hasCommit, hasCleared, isFresh) = (false, false, false, false) }
}

extension KeyEvent {
    /// Whether the key types text, and is no command.
    package var typesText: Bool {
        (characters.unicodeScalars.first?.value ?? 0) >= 0x20 && modifiers.isDisjoint(with: .commanding)
    }

    /// Whether engines react to this key by deleting from a composition or cancelling it: BackSpace, Delete,
    /// Escape, and keys whose text is one of the control characters ^G, ^H, ^[ and DEL. Other shortcuts may have
    /// any meaning, and commit a composition rather than cancel it.
    package var clearsComposition: Bool {
        // BackSpace, Escape, Delete.
        [0xff08, 0xff1b, 0xffff].contains(keysym.rawValue)
            || characters.unicodeScalars.first.map { [0x07, 0x08, 0x1b, 0x7f].contains($0.value) } ?? false
    }
}
