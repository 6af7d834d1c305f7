import Inkstone

/// The keys that a user strikes before noticing a new question. They belong to the document: they are kept, and
/// handled there when the question is answered. A value.
struct EarlyKeys: Hashable {
    /// The time, in milliseconds, within which nobody reads a question, and within which the next key of somebody
    /// who types on follows the last one.
    static let patience: Int64 = 500

    /// The time when the question was painted, in milliseconds; nil before.
    private var appearance: Int64?
    /// The time of the last key that was kept, in milliseconds; nil if none was.
    private var lastKept: Int64?
    /// Whether the user has noticed the question.
    private var isNoticed = false

    /// Records that the question has been painted at a time, in milliseconds.
    mutating func questionDidAppear(at now: Int64) {
        if appearance == nil { appearance = now }
    }

    /// Returns whether to keep a key for the document.
    ///
    /// - Parameters:
    ///   - isCommand: whether the key is, or begins, one of the editor's own commands, such as closing the window.
    ///   - isClosing: whether the window is about to close, so that nobody goes on typing.
    ///   - now: the time in milliseconds.
    mutating func keeps(
        _ key: KeyEvent, at question: Question, isCommand: Bool = false, isClosing: Bool = false, now: Int64
    ) -> Bool {
        guard !isNoticed, question.hasDocument, key.phase != .up, !key.keysym.isModifier else { return false }
        let isEarly = isClosing ? appearance == nil : isUnread(at: now)
        // For example, a second Save that was struck before the question of the first one could be read.
        if isCommand, isEarly { return false }
        guard isTyping(at: now) || isEarly, !isCommand, !isMeant(key, for: question) else {
            isNoticed = true
            return false
        }
        if key.isChoice, !isTyping(at: now), appearance != nil || isClosing || !question.isAboutOwnSave {
            isNoticed = appearance != nil
            return false
        }
        lastKept = now
        return true
    }

    private func isTyping(at now: Int64) -> Bool { lastKept.map { now - $0 < Self.patience } ?? false }

    private func isUnread(at now: Int64) -> Bool { appearance.map { now - $0 < Self.patience } ?? true }

    /// Whether a key has no other use than to answer the question.
    private func isMeant(_ key: KeyEvent, for question: Question) -> Bool {
        key.keysym == .escape || question.letterAction(for: key) != nil
    }
}

extension Question {
    /// Whether there is a document that gets the keys when the question is answered.
    fileprivate var hasDocument: Bool { topic != .program }

    /// Whether the question is about a save of the document to its own file. The user may have typed on after that
    /// command, without expecting a question.
    fileprivate var isAboutOwnSave: Bool { topic == .saving(nil) || topic == .outsideChange }
}

extension KeyEvent {
    /// Whether the key gives or changes the chosen answer of a question, but edits a document as well.
    fileprivate var isChoice: Bool {
        guard modifiers.isDisjoint(with: .commanding) else { return false }
        return [.return, Question.keypadEnter, .tab, .leftTab, .left, .right, .up, .down].contains(keysym)
    }
}
