/// Which draws and commits of a server are one answer, by their order alone: the answer to a key is at most a deletion, a commit and a
/// new text, the first two in either order.
///
/// Servers never say which key an answer is for. Both who paces what is sent to one and who decides what it still owes count by this.
package struct AnswerGrammar: Hashable, Sendable {
    private var hasText = false
    private var hasCommit = false
    private var isFresh = true
    /// Whether a deletion has come that no commit came with, and nothing since: some servers clear a text before they commit it.
    package private(set) var hasOnlyCleared = false

    /// Before the first answer.
    package init() {}

    /// Whatever comes next begins an answer: a key has come back, or the first has been sent since all were answered.
    package mutating func beginAnew() { isFresh = true }

    /// A preedit change has come; whether it begins the answer to another key.
    package mutating func draws(hasText drawsText: Bool) -> Bool {
        let isNew = isFresh || hasText
        if isNew { begin() }
        if drawsText { hasText = true }
        hasOnlyCleared = !drawsText && !hasCommit
        return isNew
    }

    /// A commit has come; whether it begins the answer to another key.
    package mutating func commits() -> Bool {
        let isNew = isFresh || hasCommit || hasText
        if isNew { begin() }
        hasCommit = true
        hasOnlyCleared = false
        return isNew
    }

    /// What has been cleared is not to be committed.
    package mutating func forgetClearing() { hasOnlyCleared = false }

    private mutating func begin() { (hasText, hasCommit, isFresh) = (false, false, false) }
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
