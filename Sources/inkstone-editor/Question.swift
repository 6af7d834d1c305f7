import Inkstone

/// Something that the user has to decide.
///
/// It comes up while the user types, or before they have seen it: a letter alone is meant for the text, and answers nothing.
struct Question {
    /// One answer: the key that chooses it with Alt, and what it does.
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
    /// Whether Return is the first answer: where the question follows from what the user has just chosen.
    var takesReturn = false
    /// What it is about. Of one thing nothing else is asked at the same time.
    var topic: Topic?

    /// What more than one question may be about.
    enum Topic: Hashable {
        /// What another program has made of the file.
        case outsideChange
        /// Obstacle to a save.
        case saving
        /// Unsaved changes of a window that is to be closed.
        case closing
        /// A file that does not look like text.
        case program
        /// An encoding that was guessed at.
        case encoding
        /// A save that was cut off.
        case cutOff
    }

    /// What to do for a key: nil if it is no answer, and the question stays.
    func action(for key: KeyEvent) -> (() -> Void)? {
        if key.keysym == .escape { return cancel }
        if takesReturn, key.keysym == .return { return answers.first?.action }
        guard key.modifiers.intersection(.commanding) == .alt else { return nil }
        // On a layout without these letters the key counts that has them in the Latin one.
        for typed in [key.characters.first, key.latinKeysym.character] {
            guard let letter = typed?.lowercased().first else { continue }
            if let answer = answers.first(where: { $0.key == letter }) { return answer.action }
        }
        return nil
    }
}

/// The modifiers that an offer is answered with. An offer comes up unasked, so that no key that has a meaning already answers it.
enum OfferKeys {
    /// Alt and the letter.
    case alt
    /// Alt, Shift and the letter: with Alt alone a letter is a command, or may be one where the keys go.
    case altShift
    /// None: the user's table has other plans for them all.
    case none

    /// - Parameter isElsewhere: whether keys go elsewhere than to the text, to a bar with keys of its own.
    init(_ offer: Question, in table: KeyBindingTable, isElsewhere: Bool) {
        func areFree(_ modifiers: KeyModifiers) -> Bool {
            offer.answers.allSatisfy { answer in
                guard let scalar = answer.key.unicodeScalars.first else { return true }
                return table.match([KeyStroke(Keysym(rawValue: scalar.value), modifiers)]) == .none
            }
        }
        self = !isElsewhere && areFree(.alt) ? .alt : areFree([.alt, .shift]) ? .altShift : .none
    }

    /// What the user is told.
    var instruction: String {
        switch self {
        case .alt: "Answer with Alt, or the pointer."
        case .altShift: "Answer with Alt+Shift, or the pointer."
        case .none: "Answer with the pointer."
        }
    }

    /// What a key answers; nil for none.
    func action(for key: KeyEvent, of offer: Question, in table: KeyBindingTable) -> (() -> Void)? {
        switch self {
        case .none: return nil
        case .altShift where !key.modifiers.contains(.shift): return nil
        default: break
        }
        guard KeyStroke.candidates(for: key).allSatisfy({ table.match([$0]) == .none }) else { return nil }
        return offer.action(for: key)
    }
}

extension Keysym {
    /// The ASCII character that a keysym is; so answers can be chosen on any layout.
    var character: Character? {
        (0x20...0x7e).contains(rawValue) ? Unicode.Scalar(rawValue).map(Character.init) : nil
    }
}
