/// A grammar that groups the messages of an input method server into answers to keys, by their order alone. The
/// messages are changes of the preedit, and commits.
///
/// The answer to a key consists of a deletion of the preedit, a commit and a new preedit. Each of them may be
/// missing, and the first two may come in either order. Servers never report which key an answer is for:
/// ``AnswerMatcher`` infers it. One answer to a key, by server (`Tests/Traces`):
///
/// - ibus, fcitx5 and scim commit, then clear; fcitx5 with Hangul commits, and draws the next syllable over the old
///   one;
/// - ibus with Hangul and uim clear, commit, and draw the next syllable; nabi does the same, but sends no start of
///   a preedit before the next syllable;
/// - ibus with m17n clears, draws the same text again, and then draws the new text.
///
/// A preedit that follows a commit may also be the answer to the next key. It counts as part of the present answer
/// all the same: the next key then still counts as unanswered, and cannot get lost.
package struct AnswerGrammar: Hashable, Sendable {
    private var hasText = false
    private var hasCommit = false
    private var isFresh = true
    private var hasCleared = false
    /// Whether the server shows a preedit now.
    private var isShown = false
    /// Whether the text of the shown preedit was committed, so that the deletion of the preedit must follow.
    private var isClearingDue = false
    /// Whether the present answer has deleted the preedit and then committed text, and the server has drawn nothing
    /// since. Servers do so at the end of a Hangul syllable. If they draw a preedit next, it is the next syllable.
    package private(set) var hasCommittedCleared = false

    /// Creates a grammar in its state before the first answer.
    package init() {}

    /// Makes the next message count as the beginning of an answer. Call when a key was returned. Also call when a key
    /// was sent and all earlier keys were answered.
    package mutating func beginAnew() { isFresh = true }

    /// Counts a change of the preedit. Returns whether an answer begins with this change. If not, the change belongs to
    /// the present answer.
    ///
    /// - Parameter drawsText: whether the preedit has text after the change.
    package mutating func draws(hasText drawsText: Bool) -> Bool {
        // A deletion that must follow a commit begins no answer, even if a key was returned or sent between the
        // two.
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

    /// Counts a commit. Returns whether an answer begins with this commit. If not, the commit belongs to the present
    /// answer.
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
    /// Whether the key types text instead of being a command.
    package var typesText: Bool {
        (characters.unicodeScalars.first?.value ?? 0) >= 0x20 && modifiers.isDisjoint(with: .commanding)
    }

    /// Whether engines react to this key by deleting from a composition or cancelling it. This is so for BackSpace,
    /// Delete and Escape, and for Control with G, H or `[`, which stand for the same in many engines. Other shortcuts
    /// may have any meaning; rather than cancel a composition, they commit it.
    package var clearsComposition: Bool {
        // The keysyms of BackSpace, Escape and Delete.
        if [0xff08, 0xff1b, 0xffff].contains(keysym.rawValue) { return true }
        // Keys that a program makes may have the control characters ^G, ^H, ^[ and DEL themselves.
        let first = characters.unicodeScalars.first?.value ?? 0
        if [0x07, 0x08, 0x1b, 0x7f].contains(first) { return true }
        guard modifiers.intersection(.commanding) == .control else { return false }
        // The keysyms of G, g, H, h and `[`. With Control, `characters` is the letter and not a control character.
        return [0x47, 0x67, 0x48, 0x68, 0x5b].contains(latinKeysym.rawValue)
    }
}
