import Inkstone
import InkstoneWords

/// A decision that the user has to make.
///
/// A question gets all keys: Return gives the chosen answer, at first the safe one, Tab and the arrows choose, Escape cancels. An offer
/// is shown beside the text, and gets only Alt and a letter. A letter without Alt is typed into the text.
struct Question {
    /// An answer with its action.
    struct Answer {
        /// The label for the user, with the access letter in brackets, which chooses it with Alt: `[R]eload`.
        var label: String
        var action: () -> Void

        /// The access letter, in lower case; nil if there is none.
        var key: Character? {
            label.firstIndex(of: "[").flatMap { label[label.index(after: $0)...].first?.lowercased().first }
        }

        /// The Latin letter on the key of an Arabic access letter; nil for other letters.
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
    /// The action of Escape.
    var cancel: () -> Void = {}
    /// The index of the answer that Return gives, unless another one is chosen: the one that loses nothing.
    var chosen = 0
    /// Whether keys that are no answers go to the text, and turn the question into an offer: a user who types on after a save has not noticed
    /// the question.
    var leavesText = false
    /// The time in milliseconds after it appears in which input does not answer it: such input was meant for something else.
    var ripening: Int64 = 0
    /// Returns the question updated after an edit of the text, for an offer with an answer about edits.
    var renewed: (() -> Question?)?
    /// The topic. At most one question of a topic is asked at a time, except about obstacles to a save.
    var topic: Topic?

    /// A topic of questions.
    enum Topic: Hashable {
        /// A change of the file by another program.
        case outsideChange
        /// An obstacle to a save: to another file, or to the window's own.
        case saving(FilePath?)
        /// The unsaved changes of a window that is to be closed.
        case closing
        /// A file that is probably not text.
        case program
        /// An encoding that was guessed.
        case encoding
        /// A save that was interrupted.
        case cutOff
        /// A program that asks for permission to type.
        case keyboard(ProxyProgram)
    }

    /// Whether a close that waits for a save continues after the answer.
    var isAboutSave: Bool {
        switch topic {
        case .saving, .outsideChange: true
        default: false
        }
    }

    /// The keysym XK_KP_Enter.
    private static let keypadEnter: Keysym = 0xff8d

    /// Chooses another answer by Tab, Shift+Tab or an arrow. Returns whether the key was one of these.
    mutating func choose(by key: KeyEvent) -> Bool {
        guard key.modifiers.isDisjoint(with: .commanding), !answers.isEmpty else { return false }
        let isBack = key.modifiers.contains(.shift)
        // In right-to-left languages the answers start at the right.
        let (next, previous): (Keysym, Keysym) = say.language.isRightToLeft ? (.left, .right) : (.right, .left)
        switch key.keysym {
        case .tab where !isBack, next, .down: chosen = (chosen + 1) % answers.count
        case .tab, .leftTab, previous, .up: chosen = (chosen + answers.count - 1) % answers.count
        default: return false
        }
        return true
    }

    /// Returns the action for a key while the question has the keys; nil if it is no answer, and the question stays.
    func action(for key: KeyEvent) -> (() -> Void)? {
        switch key.keysym {
        case .escape: return cancel
        case .return where key.modifiers.isDisjoint(with: .commanding),
            Self.keypadEnter where key.modifiers.isDisjoint(with: .commanding):
            return answers.indices.contains(chosen) ? answers[chosen].action : nil
        default: return letterAction(for: key)
        }
    }

    /// Returns the action for Alt and a letter or the number of an answer, from 1; nil if that is no answer.
    func letterAction(for key: KeyEvent) -> (() -> Void)? {
        guard key.modifiers.intersection(.commanding) == .alt else { return nil }
        // On a layout without these letters, use the key's letter in the Latin layout.
        let typed = [key.characters.first, key.latinKeysym.character].compactMap { $0?.lowercased().first }
        for letter in typed {
            if let answer = answers.first(where: { $0.key == letter }) { return answer.action }
        }
        // A Latin layout has no Arabic letters: use the keys at their positions on Arabic keyboards, and digits.
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
    /// Adds a question after the others. It replaces an open one with the same topic, and keeps the chosen answer: it knows of later
    /// agreements. A save may meet several obstacles, and all are asked about; of any other topic, outside changes included, one question
    /// is asked at a time. Returns whether the number of questions has grown.
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
    /// Whether both questions are asked, although they have the same topic.
    fileprivate func differs(from other: Question) -> Bool {
        if case .saving = topic { text != other.text } else { false }
    }
}

/// The appearance of an offer, which can be answered a while later: what comes sooner was meant for something else.
struct OfferAppearance {
    private var text: String?
    private var time: Int64 = 0

    /// Notes the offer that is shown at a time, in milliseconds; another text is another offer.
    mutating func follow(_ offer: Question?, at now: Int64) {
        if offer?.text != text { (text, time) = (offer?.text, now) }
    }

    /// Whether the offer takes an answer at a time. One that has not been shown yet takes none unless it takes them at once.
    func isRipe(_ offer: Question, at now: Int64) -> Bool {
        offer.ripening == 0 || offer.text == text && now - time >= offer.ripening
    }
}

/// The modifiers for answering an offer. An offer appears unasked, so that a key with another meaning must not answer it.
enum OfferKeys {
    /// Alt and the letter answer.
    case alt
    /// Alt, Shift and the letter answer: with Alt alone a letter is a command, or may be one in the focused bar.
    case altShift
    /// The key bindings use all of these keys, so that only the pointer answers.
    case none

    /// - Parameter isElsewhere: whether the focus is not in the text but in a bar with keys of its own.
    init(_ offer: Question, in table: KeyBindingTable, isElsewhere: Bool) {
        func areFree(_ modifiers: KeyModifiers) -> Bool {
            offer.answers.flatMap { [$0.key, $0.latinKey] }.compactMap { $0?.unicodeScalars.first }.allSatisfy {
                table.match([KeyStroke(Keysym($0), modifiers)]) == .none
            }
        }
        self = !isElsewhere && areFree(.alt) ? .alt : areFree([.alt, .shift]) ? .altShift : .none
    }

    /// The instruction for keys other than Alt and the underlined letter; nil for these.
    var instruction: String? {
        switch self {
        case .alt: nil
        case .altShift: Words.withAltShift
        case .none: Words.withPointer
        }
    }

    /// Returns the action of a key; nil for none.
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
    /// The ASCII character of a keysym, so that answers can be chosen on any layout.
    var character: Character? {
        (0x20...0x7e).contains(rawValue) ? Unicode.Scalar(rawValue).map(Character.init) : nil
    }
}
