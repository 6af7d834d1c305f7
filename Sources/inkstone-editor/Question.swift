import Inkstone
import InkstoneWords

/// A question to the user, with answers to choose from.
///
/// A question that blocks the window gets all keys: Return gives the chosen answer, at first the safe one; Alt and a
/// letter give another answer; Tab and the arrow keys choose another one; Escape cancels. A question that is shown as
/// an offer beside the text only gets Alt (or Alt and Shift) and a letter; other keys go to the text.
struct Question {
    /// An answer to a question, with its action.
    struct Answer {
        /// The label of the answer, with the access letter in brackets, as in `[R]eload`. Alt and the access letter
        /// give the answer.
        var label: String
        var action: () -> Void

        /// The access letter, in lower case; nil if there is none.
        var key: Character? {
            label.firstIndex(of: "[").flatMap { label[label.index(after: $0)...].first?.lowercased().first }
        }

        /// The Latin letter on the key that has an Arabic access letter; nil for other access letters.
        var latinKey: Character? {
            key.flatMap { key in Self.arabicKeys.first { $0.letter == key }?.key }
        }

        /// The letters of the Arabic keyboard layout, each with the key's character in the American layout.
        private static let arabicKeys = Array(
            zip("qwertyuiop[]asdfghjkl;'zxcvnm,./`", "ضصثقفغعهخحجدشسيبلاتنمكطئءؤرىةوزظذ")
        )
        .map { (key: $0, letter: $1) }
    }

    var text: String
    var answers: [Answer]
    /// The action if the question is cancelled, as with Escape.
    var cancel: () -> Void = {}
    /// The index of the answer that Return gives. It should initially be an answer that loses no data.
    var chosen = 0
    /// The time, in milliseconds after its appearance, in which an offer cannot be answered, nor a question by the
    /// pointer. An offer appears unrequested over the last lines of the text, so the user may have aimed at what was
    /// there before.
    static let ripening: Int64 = 500
    /// Returns the question with the labels that apply after an edit of the document; nil if the labels do not depend
    /// on edits.
    var renewed: (() -> Question?)?
    /// The topic of the question; nil for none. At most one question on a topic is asked at a time, except about
    /// obstacles to a save.
    var topic: Topic?

    /// A topic of questions.
    enum Topic: Hashable {
        /// A change of the file by another program.
        case outsideChange
        /// An obstacle to a save: to the given file, or with nil to the document's own file.
        case saving(FilePath?)
        /// The unsaved changes of a window that is about to close.
        case closing
        /// A file that is probably not text.
        case program
        /// An encoding that was guessed, or in which bytes are invalid.
        case encoding
        /// A save that was interrupted in an earlier session.
        case cutOff
        /// A program that asks for permission to type.
        case keyboard(ProxyProgram)
    }

    /// Whether the question is about a save, or about a change of the file by another program: a window that waits
    /// for a save before it closes still does so after the answer.
    var isAboutSave: Bool {
        switch topic {
        case .saving, .outsideChange: true
        default: false
        }
    }

    /// The keysym XK_KP_Enter, of the Enter key on the keypad.
    static let keypadEnter: Keysym = 0xff8d

    /// Chooses the next or previous answer if the key is Tab, Shift+Tab or an arrow. Returns true for these keys,
    /// if no command modifier is held.
    mutating func choose(by key: KeyEvent) -> Bool {
        guard key.modifiers.isDisjoint(with: .commanding), !answers.isEmpty else { return false }
        let isBack = key.modifiers.contains(.shift)
        // In right-to-left languages the answers are laid out from the right.
        let (next, previous): (Keysym, Keysym) = say.language.isRightToLeft ? (.left, .right) : (.right, .left)
        switch key.keysym {
        case .tab where !isBack, next, .down: chosen = (chosen + 1) % answers.count
        case .tab, .leftTab, previous, .up: chosen = (chosen + answers.count - 1) % answers.count
        default: return false
        }
        return true
    }

    /// Returns the action of a key while the question gets all keys; nil if the key is no answer.
    func action(for key: KeyEvent) -> (() -> Void)? {
        switch key.keysym {
        case .escape: return cancel
        case .return where key.modifiers.isDisjoint(with: .commanding),
            Self.keypadEnter where key.modifiers.isDisjoint(with: .commanding):
            return answers.indices.contains(chosen) ? answers[chosen].action : nil
        default: return letterAction(for: key)
        }
    }

    /// Returns the action of the answer for Alt and its access letter, or its number from 1; nil if the key is no
    /// answer.
    func letterAction(for key: KeyEvent) -> (() -> Void)? {
        guard key.modifiers.intersection(.commanding) == .alt else { return nil }
        // If the layout has no such letters, use the letter of the key in a Latin layout.
        let typed = [key.characters.first, key.latinKeysym.character].compactMap { $0?.lowercased().first }
        for letter in typed {
            if let answer = answers.first(where: { $0.key == letter }) { return answer.action }
        }
        // Arabic access letters are not on a Latin layout. Use the keys at their positions on Arabic keyboards, and
        // the digits.
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
    /// Adds a question after the open ones. Returns true if it was added there; false if it was dropped or has
    /// replaced another one.
    ///
    /// If an open question is about the same obstacle to a save, the new one takes its place, because it includes
    /// agreements that the user has given since. The same applies if both are about a change of the file by another
    /// program. If both have the same text, the chosen answer stays. If an open question has the same topic
    /// otherwise, the new one is dropped. Questions about different obstacles to a save are all asked.
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
    /// Whether this question and another one of the same topic are both to be asked. True if they are about
    /// different obstacles to a save.
    fileprivate func differs(from other: Question) -> Bool {
        if case .saving = topic { text != other.text } else { false }
    }
}

/// The time of the last click on an answer in any window of the program. The second click of a double click must not
/// answer the next question, which may appear under the pointer, also in another window.
final class AnswerPresses {
    /// The time of the last press, in milliseconds of the monotonic clock.
    var last: Int64 = 0
}

/// The time at which an offer appeared. An offer can be answered only some time later, because earlier input was
/// meant for something else.
struct OfferAppearance {
    private var text: String?
    private var time: Int64 = 0

    /// Records the offer that is shown at a time, in milliseconds. If its text differs from the previous one, the offer
    /// has appeared at this time. Returns whether it has.
    @discardableResult
    mutating func follow(_ offer: Question?, at now: Int64) -> Bool {
        guard offer?.text != text else { return false }
        (text, time) = (offer?.text, now)
        return offer != nil
    }

    /// Records a click in an offer, or a key that would answer it, at a time in milliseconds. If the offer cannot be
    /// answered yet, the user is still clicking or typing in the text below it: the time until it can be answered
    /// starts anew. Otherwise nothing changes.
    mutating func note(inputFor offer: Question, at now: Int64) {
        if offer.text == text, !isRipe(offer, at: now) { time = now }
    }

    /// Whether an offer can be answered at a time, in milliseconds: it has been shown for the time
    /// ``Question/ripening``.
    func isRipe(_ offer: Question, at now: Int64) -> Bool { offer.text == text && now - time >= Question.ripening }
}

/// The modifiers for answering an offer by keys. Offers appear while the user types, so a key that has another
/// meaning must not answer them.
enum OfferKeys {
    /// Alt and the access letter give the answer.
    case alt
    /// Alt, Shift and the access letter give the answer, because Alt and the letter are a command, or may be one in
    /// the find bar or prompt that is open.
    case altShift
    /// Only the pointer can give an answer: the key bindings use both Alt and Alt with Shift for the access
    /// letters.
    case none

    /// Creates the modifiers for an offer.
    ///
    /// - Parameter isElsewhere: whether the find bar or a prompt is open, which may have commands of its own.
    init(_ offer: Question, in table: KeyBindingTable, isElsewhere: Bool) {
        func areFree(_ modifiers: KeyModifiers) -> Bool {
            offer.answers.flatMap { [$0.key, $0.latinKey] }.compactMap { $0?.unicodeScalars.first }.allSatisfy {
                table.match([KeyStroke(Keysym($0), modifiers)]) == .none
            }
        }
        self = !isElsewhere && areFree(.alt) ? .alt : areFree([.alt, .shift]) ? .altShift : .none
    }

    /// The sentence that says how to answer the offer; nil for Alt and the underlined letter, which need no sentence.
    var instruction: String? {
        switch self {
        case .alt: nil
        case .altShift: Words.withAltShift
        case .none: Words.withPointer
        }
    }

    /// Returns the action of the answer that a key gives; nil if the key is no answer.
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
