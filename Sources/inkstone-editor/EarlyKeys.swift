import Inkstone

/// The distinction between keys for the document and keys for a new question. Keys that the user strikes before
/// noticing the question belong to the document, and are handled there at once, so that the journal records them.
struct EarlyKeys: Hashable {
    /// The time, in milliseconds, that distinguishes typing from answering. A key within this time after the question
    /// appeared, or after the last key that was typed under it, is typing: reading a question takes longer.
    static let typingPause: Int64 = 500

    /// The time when the question was painted, in milliseconds; nil before.
    private var appearance: Int64?
    /// The time of the last key that was for the document, in milliseconds; nil if none was.
    private var lastTyped: Int64?
    /// The maximum time, in milliseconds, between two attempts of an on-screen keyboard to make an edit that belongs to
    /// the document: the keyboard repeats the edit until the question is answered. Long enough for a slow editor.
    static let repetition: Int64 = 3000
    /// The time, in milliseconds, of the last attempt of an on-screen keyboard to make an edit that belongs to the
    /// document; nil for none.
    private var lastEdit: Int64?
    /// Whether a key has shown that the user has noticed the question. All later keys are then for the question.
    private var isNoticed = false

    /// Records that the question has been painted at a time, in milliseconds.
    mutating func questionDidAppear(at now: Int64) {
        if appearance == nil { appearance = now }
    }

    /// Returns whether a key is for the document.
    ///
    /// - Parameters:
    ///   - isCommand: whether the key is, or begins, one of the editor's own commands, such as closing the window.
    ///   - isClosing: whether the window is about to close: the user then does not continue to type.
    ///   - now: the time in milliseconds.
    mutating func areForText(
        _ key: KeyEvent, at question: Question, isCommand: Bool = false, isClosing: Bool = false, now: Int64
    ) -> Bool {
        guard !isNoticed, question.hasDocument, key.phase != .up, !key.keysym.isModifier else { return false }
        let isEarly = isClosing ? appearance == nil : isUnread(at: now)
        // A command struck before the question could be read is neither for the document nor taken as a sign that
        // the question was noticed. An example is a second Save before the question of the first one could be read.
        if isCommand, isEarly { return false }
        guard isTyping(at: now) || isEarly, !isCommand, !isMeant(key, for: question) else {
            isNoticed = true
            return false
        }
        if key.isChoice, !isTyping(at: now), appearance != nil || isClosing || !question.isAboutOwnSave {
            isNoticed = appearance != nil
            return false
        }
        lastTyped = now
        return true
    }

    /// Returns whether an edit of an on-screen keyboard belongs to the document rather than to the question. The
    /// keyboard sends such an edit again until the question is answered, and holds later edits back.
    mutating func keepsEdit(at question: Question, isClosing: Bool = false, now: Int64) -> Bool {
        let isRepeated = lastEdit.map { now - $0 < Self.repetition } ?? false
        let isEarly = isClosing ? appearance == nil : isUnread(at: now) || isTyping(at: now)
        guard isRepeated || isEarly && !isNoticed, question.hasDocument else { return false }
        lastEdit = now
        return true
    }

    private func isTyping(at now: Int64) -> Bool { lastTyped.map { now - $0 < Self.typingPause } ?? false }

    private func isUnread(at now: Int64) -> Bool { appearance.map { now - $0 < Self.typingPause } ?? true }

    /// Whether a key can only be meant for the question: Escape, or Alt with the letter or number of an answer.
    private func isMeant(_ key: KeyEvent, for question: Question) -> Bool {
        key.keysym == .escape || question.letterAction(for: key) != nil
    }
}

extension Question {
    /// Whether there is a document that gets the keys.
    fileprivate var hasDocument: Bool { topic != .program }

    /// Whether the question may follow a save of the document to its own file: it is about an obstacle to that save, or
    /// about a change of the file by another program. The user may have continued to type after the Save command,
    /// without expecting a question.
    fileprivate var isAboutOwnSave: Bool { topic == .saving(nil) || topic == .outsideChange }
}

extension KeyEvent {
    /// Whether the key confirms or changes the chosen answer of a question: a key that would edit text or move the
    /// caret in a document.
    fileprivate var isChoice: Bool {
        guard modifiers.isDisjoint(with: .commanding) else { return false }
        return [.return, Question.keypadEnter, .tab, .leftTab, .left, .right, .up, .down].contains(keysym)
    }
}
