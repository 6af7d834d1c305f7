import Inkstone

/// Something that the user has to decide before all else: keys go to it until one of its answers is chosen.
struct Question {
    /// One answer: the key that chooses it and what it does.
    struct Answer {
        /// A letter; its case does not matter.
        var key: Character
        /// What the user reads.
        var label: String
        var action: () -> Void
    }

    var text: String
    var answers: [Answer]
    /// What Escape does.
    var cancel: () -> Void = {}
    /// Whether it comes up while the user types: letters that were meant for the text are no answers then, unless with Alt.
    var isSudden = false

    /// What to do for a key: nil if it is no answer, and the question stays.
    func action(for key: KeyEvent) -> (() -> Void)? {
        if key.keysym == .escape { return cancel }
        // Shortcuts are meant for the text: Ctrl+D is not to discard it.
        guard key.modifiers.intersection(.commanding) == (isSudden ? .alt : []) else { return nil }
        // On a layout without these letters the key counts that has them in the Latin one.
        for typed in [key.characters.first, key.latinKeysym.character] {
            guard let letter = typed?.lowercased().first else { continue }
            if let answer = answers.first(where: { $0.key == letter }) { return answer.action }
        }
        return nil
    }
}

extension Keysym {
    /// The ASCII character that a keysym is; so answers can be chosen on any layout.
    var character: Character? {
        (0x20...0x7e).contains(rawValue) ? Unicode.Scalar(rawValue).map(Character.init) : nil
    }
}
