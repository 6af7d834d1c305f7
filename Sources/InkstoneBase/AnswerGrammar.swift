/// A grammar that groups the draws and commits of a server into answers to keys, by their order alone.
///
/// The answer to a key is at most a deletion, a commit and a new text, the first two in either order. Servers never report which key an answer
/// is for. The pacing of keys, the count of keys still owed and the assignment of answers to keys all use this grammar.
/// One answer to a key, by server (`Tests/Traces`):
///
/// - ibus, fcitx5 and scim commit, then clear; fcitx5 with Hangul commits and draws the next syllable over the old one;
/// - ibus with Hangul and uim clear, commit, and draw the next syllable; nabi draws it without a start;
/// - ibus with m17n clears, and draws the same text and then the new one.
///
/// A text that follows a commit may also be the answer to the next key. It counts as part of the current answer, so that a key is owed rather
/// than lost.
package struct AnswerGrammar: Hashable, Sendable {
    private var hasText = false
    private var hasCommit = false
    private var isFresh = true
    private var hasCleared = false
    /// Whether a text is shown, and whether the shown text has been committed and is still to be cleared.
    private var isShown = false
    private var isClearingDue = false
    /// Whether the last message was a deletion without a commit in the same answer: some servers clear a text before they commit it.
    package private(set) var hasOnlyCleared = false

    /// Whether the present answer has removed the preedit and then committed text: servers do so when a Hangul syllable ends, and a preedit after
    /// that is the next syllable.
    package private(set) var hasCommittedCleared = false

    /// Before the first answer.
    package init() {}

    /// Makes the next message begin an answer: a key has come back, or the first key was sent since all were answered.
    package mutating func beginAnew() { isFresh = true }

    /// Counts a preedit change; returns whether the change begins the answer to another key.
    package mutating func draws(hasText drawsText: Bool) -> Bool {
        // A key may come back, or be sent, between a commit and the deletion that goes with it.
        let isNew = (isFresh || hasText) && (drawsText || !isClearingDue)
        if isNew { begin() }
        if drawsText {
            hasText = true
        } else {
            hasCleared = true
        }
        (isShown, isClearingDue, hasCommittedCleared) = (drawsText, false, false)
        hasOnlyCleared = !drawsText && !hasCommit
        return isNew
    }

    /// Counts a commit; returns whether the commit begins the answer to another key.
    package mutating func commits() -> Bool {
        let isNew = isFresh || hasCommit || hasText
        if isNew { begin() }
        hasCommit = true
        hasOnlyCleared = false
        (isClearingDue, hasCommittedCleared) = (isShown, hasCleared)
        return isNew
    }

    /// Discards the cleared text: the next commit is not a commit of it.
    package mutating func forgetClearing() { hasOnlyCleared = false }

    private mutating func begin() { (hasText, hasCommit, hasCleared, isFresh) = (false, false, false, false) }
}

extension KeyEvent {
    /// Whether engines delete from a composition at this key, or cancel it: BackSpace, Delete, Escape and their equivalents with Control (H, G, [).
    /// Commands may have any meaning, and commit a composition rather than cancel it.
    package var clearsComposition: Bool {
        // BackSpace, Escape, Delete.
        [0xff08, 0xff1b, 0xffff].contains(keysym.rawValue)
            || characters.unicodeScalars.first.map { [0x07, 0x08, 0x1b, 0x7f].contains($0.value) } ?? false
    }
}
