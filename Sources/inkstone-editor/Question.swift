import Inkstone
import InkstoneWords

/// Something that the user has to decide.
///
/// As a question it has the keys: Return is the chosen answer, at first the safe one, Tab and the arrows choose, Escape cancels. As an offer it
/// stands beside the text, and has Alt and a letter alone. A letter without Alt is meant for the text, and answers nothing.
struct Question {
    /// One answer.
    struct Answer {
        /// What the user reads, with the letter that chooses it with Alt in brackets: `[R]eload`.
        var label: String
        var action: () -> Void

        /// The letter that chooses it with Alt, in lower case; nil if there is none.
        var key: Character? {
            label.firstIndex(of: "[").flatMap { label[label.index(after: $0)...].first?.lowercased().first }
        }

        /// The key of a Latin layout that types an Arabic letter on Arabic keyboards; nil for other letters.
        var latinKey: Character? {
            key.flatMap { key in Self.arabicKeys.first { $0.letter == key }?.key }
        }

        /// The letters of the Arabic layout, with the keys of the American one.
        private static let arabicKeys = Array(
            zip("qwertyuiop[]asdfghjkl;'zxcvnm,./`", "ضصثقفغعهخحجدشسيبلاتنمكطئءؤرىةوزظذ")
        )
        .map { (key: $0, letter: $1) }
    }

    var text: String
    var answers: [Answer]
    /// What Escape does.
    var cancel: () -> Void = {}
    /// Index of the answer that Return gives, unless another one is chosen: the one that loses nothing.
    var chosen = 0
    /// Whether keys that are no answers go to the text, and the question beside it from then on: who types on behind a save has not seen what it
    /// has met.
    var leavesText = false
    /// Milliseconds after it has come up in which nothing answers it: what comes then was meant for something else.
    var ripening: Int64 = 0
    /// The same as it is asked after an edit of the text, for an offer of which an answer says what becomes of edits.
    var renewed: (() -> Question?)?
    /// What it is about. Of one thing nothing else is asked at the same time.
    var topic: Topic?

    /// What more than one question may be about.
    enum Topic: Hashable {
        /// What another program has made of the file.
        case outsideChange
        /// Obstacle to a save: to another file, or to the window's own.
        case saving(FilePath?)
        /// Unsaved changes of a window that is to be closed.
        case closing
        /// A file that does not look like text.
        case program
        /// An encoding that was guessed at.
        case encoding
        /// A save that was cut off.
        case cutOff
        /// A program that asks to type.
        case keyboard(ProxyProgram)
    }

    /// Whether a close that waits for a save goes on when it is answered.
    var isAboutSave: Bool {
        switch topic {
        case .saving, .outsideChange: true
        default: false
        }
    }

    /// XK_KP_Enter.
    private static let keypadEnter: Keysym = 0xff8d

    /// Chooses another answer by Tab, Shift+Tab or an arrow. Returns whether the key was one of these.
    mutating func choose(by key: KeyEvent) -> Bool {
        guard key.modifiers.isDisjoint(with: .commanding), !answers.isEmpty else { return false }
        let isBack = key.modifiers.contains(.shift)
        // The answers stand from the right where the language runs so.
        let (next, previous): (Keysym, Keysym) = say.language.isRightToLeft ? (.left, .right) : (.right, .left)
        switch key.keysym {
        case .tab where !isBack, next, .down: chosen = (chosen + 1) % answers.count
        case .tab, .leftTab, previous, .up: chosen = (chosen + answers.count - 1) % answers.count
        default: return false
        }
        return true
    }

    /// The action for a key while the question has the keys; nil if it is no answer, and the question stays.
    func action(for key: KeyEvent) -> (() -> Void)? {
        switch key.keysym {
        case .escape: return cancel
        case .return where key.modifiers.isDisjoint(with: .commanding),
            Self.keypadEnter where key.modifiers.isDisjoint(with: .commanding):
            return answers.indices.contains(chosen) ? answers[chosen].action : nil
        default: return letterAction(for: key)
        }
    }

    /// The action for Alt and a letter or the number of an answer, from 1; nil if that is no answer.
    func letterAction(for key: KeyEvent) -> (() -> Void)? {
        guard key.modifiers.intersection(.commanding) == .alt else { return nil }
        // On a layout without these letters the key counts that has them in the Latin one.
        let typed = [key.characters.first, key.latinKeysym.character].compactMap { $0?.lowercased().first }
        for letter in typed {
            if let answer = answers.first(where: { $0.key == letter }) { return answer.action }
        }
        // Nor has a Latin layout Arabic letters: it has the keys that Arabic keyboards have them on, and digits.
        for letter in typed {
            if let answer = answers.first(where: { $0.latinKey == letter }) { return answer.action }
            if let number = letter.wholeNumberValue, answers.indices.contains(number - 1) {
                return answers[number - 1].action
            }
        }
        return nil
    }
}

extension [Question] {
    /// Takes a question to be asked behind the others. One that asks the same as an open one takes its place, with the answer chosen that was
    /// chosen there: it knows of more that was agreed to. A save may meet several obstacles, and all are asked about; of another thing, and of
    /// what became of the file, one question is asked at a time. Returns whether it is a question more.
    mutating func add(_ question: Question) -> Bool {
        guard let topic = question.topic,
            let index = firstIndex(where: { $0.topic == topic && !$0.differs(from: question) })
        else {
            append(question)
            return true
        }
        guard question.isAboutSave else { return false }
        var question = question
        if self[index].text == question.text { question.chosen = self[index].chosen }
        self[index] = question
        return false
    }
}

extension Question {
    /// Whether both are asked, although they are of the same topic.
    fileprivate func differs(from other: Question) -> Bool {
        if case .saving = topic { text != other.text } else { false }
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
            offer.answers.flatMap { [$0.key, $0.latinKey] }.compactMap { $0?.unicodeScalars.first }.allSatisfy {
                table.match([KeyStroke(Keysym($0), modifiers)]) == .none
            }
        }
        self = !isElsewhere && areFree(.alt) ? .alt : areFree([.alt, .shift]) ? .altShift : .none
    }

    /// Words about keys that differ from Alt and the underlined letter; nil for these.
    var instruction: String? {
        switch self {
        case .alt: nil
        case .altShift: Words.withAltShift
        case .none: Words.withPointer
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
        return offer.letterAction(for: key)
    }
}

extension Keysym {
    /// The ASCII character that a keysym is; so answers can be chosen on any layout.
    var character: Character? {
        (0x20...0x7e).contains(rawValue) ? Unicode.Scalar(rawValue).map(Character.init) : nil
    }
}
