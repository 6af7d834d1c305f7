/// Which draws and commits of a server are one answer, by their order alone: the answer to a key is at most a deletion, a commit and a
/// new text, the first two in either order.
///
/// Servers never say which key an answer is for. Who paces what is sent to one, who decides what it still owes and who decides what an answer
/// belongs to count by this. One answer to a key, by server (`Tests/Traces`):
///
/// - ibus, fcitx5 and scim commit, then clear; fcitx5 with Hangul commits and draws the next syllable over the old one;
/// - ibus with Hangul and uim clear, commit, and draw the next syllable; nabi draws it without a start;
/// - ibus with m17n clears, and draws the same text and then the new one.
///
/// A text that follows a commit may as well be the answer to the next key: in doubt it goes on with the answer, so that a key is owed rather
/// than lost.
package struct AnswerGrammar: Hashable, Sendable {
    private var hasText = false
    private var hasCommit = false
    private var isFresh = true
    private var hasCleared = false
    /// Whether a text is shown, and whether that has been committed and is still to be cleared.
    private var isShown = false
    private var isClearingDue = false
    /// Whether a deletion has come that no commit came with, and nothing since: some servers clear a text before they commit it.
    package private(set) var hasOnlyCleared = false

    /// Whether the answer so far is a deletion and then a commit: what a syllable's end looks like, behind which the next begins.
    package private(set) var hasCommittedCleared = false

    /// Before the first answer.
    package init() {}

    /// Whatever comes next begins an answer: a key has come back, or the first has been sent since all were answered.
    package mutating func beginAnew() { isFresh = true }

    /// A preedit change has come; whether it begins the answer to another key.
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

    /// A commit has come; whether it begins the answer to another key.
    package mutating func commits() -> Bool {
        let isNew = isFresh || hasCommit || hasText
        if isNew { begin() }
        hasCommit = true
        hasOnlyCleared = false
        (isClearingDue, hasCommittedCleared) = (isShown, hasCleared)
        return isNew
    }

    /// What has been cleared is not to be committed.
    package mutating func forgetClearing() { hasOnlyCleared = false }

    private mutating func begin() { (hasText, hasCommit, hasCleared, isFresh) = (false, false, false, false) }
}

extension KeyEvent {
    /// Whether engines take away from a composition at this key, or give it up: BackSpace, Delete, Escape and what stands for them with
    /// Control (H, G, [). Commands may mean anything, and end a composition rather than give it up.
    package var clearsComposition: Bool {
        // BackSpace, Escape, Delete.
        [0xff08, 0xff1b, 0xffff].contains(keysym.rawValue)
            || characters.unicodeScalars.first.map { [0x07, 0x08, 0x1b, 0x7f].contains($0.value) } ?? false
    }
}
