/// Which draws and commits of a server are one answer, by their order alone: the answer to a key is at most a deletion, a commit and a
/// new text, the first two in either order.
///
/// Servers never say which key an answer is for. Both who paces what is sent to one and who decides what it still owes count by this.
package struct AnswerGrammar: Hashable, Sendable {
    private var hasText = false
    private var hasCommit = false
    private var isFresh = true

    /// Before the first answer.
    package init() {}

    /// Whatever comes next begins an answer: a key has come back, or the first has been sent since all were answered.
    package mutating func beginAnew() { isFresh = true }

    /// A preedit change has come; whether it begins the answer to another key.
    package mutating func draws(hasText drawsText: Bool) -> Bool {
        let isNew = isFresh || hasText
        if isNew { begin() }
        if drawsText { hasText = true }
        return isNew
    }

    /// A commit has come; whether it begins the answer to another key.
    package mutating func commits() -> Bool {
        let isNew = isFresh || hasCommit || hasText
        if isNew { begin() }
        hasCommit = true
        return isNew
    }

    private mutating func begin() { (hasText, hasCommit, isFresh) = (false, false, false) }
}
