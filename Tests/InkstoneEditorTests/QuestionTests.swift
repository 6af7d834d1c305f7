import Inkstone
import Testing

@testable import inkstone_editor

/// Answering questions in the status line.
@Suite(.timeLimit(.minutes(5))) struct QuestionTests {
    /// Returns the answer that a key gives to a question with the answers s and d, after other keys that change the
    /// chosen one.
    private func answer(_ key: KeyEvent, after keys: KeyEvent...) -> String? {
        var given = ""
        var question = Question(
            text: "Save?",
            answers: [
                .init(label: "[S]ave") { given = "save" },
                .init(label: "[D]iscard") { given = "discard" },
            ], cancel: { given = "cancel" }, chosen: 1)
        for key in keys where !question.choose(by: key) { return nil }
        guard let action = question.action(for: key) else { return nil }
        action()
        return given
    }

    /// A key or a click in flight when the offer appears was meant for the text, so it does not answer the offer.
    @Test func anOfferThatAppearsTakesNoAnswerUntilItIsRipe() {
        let offer = Question(text: "May it type?", answers: [])
        let other = Question(text: "Reload?", answers: [])
        var appearance = OfferAppearance()
        #expect(!appearance.isRipe(offer, at: 10_000), "nobody has seen it")
        let appears = appearance.follow(offer, at: 10_000)
        #expect(appears)
        #expect(!appearance.isRipe(offer, at: 10_499))
        let appearsAgain = appearance.follow(offer, at: 10_499)
        #expect(!appearsAgain)
        #expect(appearance.isRipe(offer, at: 10_500), "a layout meanwhile is no new appearance")
        appearance.follow(other, at: 10_500)
        #expect(!appearance.isRipe(other, at: 10_999) && appearance.isRipe(other, at: 11_000))
        appearance.follow(nil, at: 11_000)
        appearance.follow(other, at: 12_000)
        #expect(!appearance.isRipe(other, at: 12_499), "it has gone and come again")
    }

    /// Somebody clicks again and again into the text that the offer has covered.
    @Test func anOfferRipensFromTheLastClickThatCameTooSoon() {
        let offer = Question(text: "May it type?", answers: [])
        var appearance = OfferAppearance()
        appearance.follow(offer, at: 10_000)
        for time in [10_300, 10_600, 10_900] as [Int64] {
            #expect(!appearance.isRipe(offer, at: time))
            appearance.note(inputFor: offer, at: time)
        }
        #expect(!appearance.isRipe(offer, at: 11_399) && appearance.isRipe(offer, at: 11_400))
        appearance.note(inputFor: offer, at: 11_400)
        #expect(appearance.isRipe(offer, at: 11_400), "the click is an answer")
        appearance.note(inputFor: Question(text: "Reload?", answers: []), at: 11_400)
        #expect(appearance.isRipe(offer, at: 11_400))
    }

    @Test func lettersChooseWhateverTheirCase() {
        #expect(answer(KeyEvent(keysym: 0x73, characters: "s", modifiers: .alt)) == "save")
        #expect(answer(KeyEvent(keysym: 0x44, characters: "D", modifiers: [.alt, .shift])) == "discard")
    }

    @Test func lettersChooseOnOtherLayouts() {
        // Cyrillic ы is on the key that has s in the keyboard's Latin group.
        #expect(answer(KeyEvent(keysym: 0x06d9, latinKeysym: 0x73, characters: "ы", modifiers: .alt)) == "save")
    }

    /// A Latin layout has no Arabic letters: each answer also has the key that bears its letter on Arabic
    /// keyboards, and a number.
    @Test func arabicAnswersCanBeGivenOnAnyLayout() {
        var given = 0
        let question = Question(
            text: "",
            answers: [.init(label: "أ[ع]د التحميل") { given = 1 }, .init(label: "[ح]وّل") { given = 2 }])
        func answer(_ keysym: Keysym, _ characters: String, latin: Keysym? = nil) -> Int {
            given = 0
            let key = KeyEvent(keysym: keysym, latinKeysym: latin, characters: characters, modifiers: .alt)
            question.letterAction(for: key)?()
            return given
        }
        #expect(answer(0x05d9, "ع", latin: 0x75) == 1)
        #expect(answer(0x75, "u") == 1 && answer(0x70, "p") == 2 && answer(0x78, "x") == 0)
        #expect(answer(0x31, "1") == 1 && answer(0x32, "2") == 2 && answer(0x33, "3") == 0)
        #expect(answer(0x0100_0662, "٢", latin: 0x32) == 2)
        // Emacs's key table binds Alt+U, and a user's table may bind the letter itself.
        #expect(OfferKeys(question, in: .desktop, isElsewhere: false) == .alt)
        #expect(OfferKeys(question, in: .emacs, isElsewhere: false) == .altShift)
        var table = KeyBindingTable()
        table.add(KeyBinding("Alt+ح", .undo))
        #expect(OfferKeys(question, in: table, isElsewhere: false) == .altShift)
    }

    /// A user who is typing has not seen the offer yet.
    @Test func lettersAloneAreMeantForTheText() {
        for letter in ["s", "d"] {
            #expect(
                answer(KeyEvent(keysym: Keysym(rawValue: letter.unicodeScalars.first?.value ?? 0), characters: letter))
                    == nil)
        }
    }

    @Test func escapeCancels() {
        #expect(answer(KeyEvent(keysym: .escape)) == "cancel")
    }

    @Test func returnGivesTheChosenAnswer() {
        let enter = KeyEvent(keysym: .return)
        #expect(answer(enter) == "discard")
        #expect(answer(KeyEvent(keysym: 0xff8d)) == "discard")
        #expect(answer(KeyEvent(keysym: .return, modifiers: .control)) == nil)
        for key in [KeyEvent(keysym: .tab), KeyEvent(keysym: .right), KeyEvent(keysym: .down)] {
            #expect(answer(enter, after: key) == "save")
            #expect(answer(enter, after: key, key) == "discard")
        }
        for key in [KeyEvent(keysym: .leftTab, modifiers: .shift), KeyEvent(keysym: .left), KeyEvent(keysym: .up)] {
            #expect(answer(enter, after: key) == "save")
        }
        #expect(answer(enter, after: KeyEvent(keysym: .right, modifiers: .alt)) == nil)
    }

    @Test func shortcutsAreNoAnswers() {
        #expect(answer(KeyEvent(keysym: 0x64, characters: "d", modifiers: .control)) == nil)
        #expect(answer(KeyEvent(keysym: 0x64, characters: "d", modifiers: [.control, .alt])) == nil)
        #expect(answer(KeyEvent(keysym: 0x64, characters: "d", modifiers: [.alt, .capsLock])) == "discard")
    }

    @Test func otherKeysLeaveTheQuestion() {
        #expect(answer(KeyEvent(keysym: 0x78, characters: "x", modifiers: .alt)) == nil)
        #expect(answer(KeyEvent(keysym: 0xffe1)) == nil)
    }

    // MARK: Offers

    private static var offer: Question {
        Question(
            text: "Reload?",
            answers: [.init(label: "[R]eload") {}, .init(label: "[D]iscard") {}])
    }

    /// The offer stands below a text that keeps the focus, so Return, Escape and Tab go to the text.
    @Test func anOfferTakesNeitherReturnNorEscape() {
        for key in [KeyEvent(keysym: .return), KeyEvent(keysym: .escape), KeyEvent(keysym: .tab)] {
            #expect(OfferKeys.alt.action(for: key, of: Self.offer, in: KeyBindingTable()) == nil)
        }
    }

    private static func key(_ letter: UInt32, _ modifiers: KeyModifiers) -> KeyEvent {
        KeyEvent(keysym: Keysym(rawValue: letter), modifiers: modifiers)
    }

    /// Returns the letters that answer the offer with Alt, and those with Alt and Shift.
    private static func answers(_ keys: OfferKeys, _ table: KeyBindingTable) -> (alt: String, altShift: String) {
        func letters(_ modifiers: KeyModifiers, _ typed: (Character) -> UInt32) -> String {
            "dr".filter {
                let key = key(typed($0), modifiers)
                return keys.action(for: key, of: offer, in: table) != nil
            }
        }
        return (
            letters(.alt) { $0.unicodeScalars.first?.value ?? 0 },
            letters([.alt, .shift]) { ($0.unicodeScalars.first?.value ?? 0) - 0x20 }
        )
    }

    @Test func anOfferIsAnsweredWithKeysThatDoNothingElse() {
        var table = KeyBindingTable.desktop
        #expect(OfferKeys(Self.offer, in: table, isElsewhere: false) == .alt)
        #expect(Self.answers(.alt, table) == ("dr", "dr"))
        // The find bar uses Alt+R, so the offer uses Alt+Shift.
        #expect(OfferKeys(Self.offer, in: table, isElsewhere: true) == .altShift)
        #expect(Self.answers(.altShift, table) == ("", "dr"))
        // In Emacs's key table, Alt+D deletes a word.
        #expect(OfferKeys(Self.offer, in: .emacs, isElsewhere: false) == .altShift)
        #expect(Self.answers(.alt, .emacs).alt == "r")
        #expect(Self.answers(.altShift, .emacs) == ("", "dr"))
        // A user's own key table takes the keys away, here with a chord that begins with Alt+R.
        table.add(KeyBinding("Alt+r a", .undo))
        #expect(OfferKeys(Self.offer, in: table, isElsewhere: false) == .altShift)
        table.add(KeyBinding("Alt+Shift+d", .undo))
        #expect(OfferKeys(Self.offer, in: table, isElsewhere: false) == .none)
        #expect(Self.answers(.none, table) == ("", ""))
    }

    @Test func escapeAndTheKeysBoundToItCancel() {
        #expect(KeyEvent(keysym: .escape).isCancel(in: .desktop))
        #expect(!KeyEvent(keysym: .escape, modifiers: .shift).isCancel(in: .desktop))
        #expect(Self.key(0x67, .control).isCancel(in: .emacs))
        #expect(!Self.key(0x67, .control).isCancel(in: .desktop))
    }

    private func question(_ text: String, _ topic: Question.Topic?) -> Question {
        Question(text: text, answers: [.init(label: "Yes") {}, .init(label: "No") {}], chosen: 1, topic: topic)
    }

    /// Several obstacles may stop one save, one after the other; the user is asked about each.
    @Test func allObstaclesOfASaveAreAskedAbout() {
        var open: [Question] = []
        let first = open.add(question("Bytes would be lost", .saving(nil)))
        let second = open.add(question("It has two names", .saving(nil)))
        let other = open.add(question("It exists already", .saving("/a")))
        #expect(first && second && other)
        #expect(open.map(\.text) == ["Bytes would be lost", "It has two names", "It exists already"])
    }

    /// A repeated question replaces the first one, since it includes what the user has agreed to meanwhile. The
    /// chosen answer is kept.
    @Test func repeatedQuestionReplacesTheFirst() {
        var given = ""
        var open = [question("It has two names", .saving(nil)), question("Discard?", .closing)]
        open[0].chosen = 0
        var again = question("It has two names", .saving(nil))
        again.answers[0].action = { given = "again" }
        let isMore = open.add(again)
        #expect(!isMore && open.count == 2 && open[0].chosen == 0)
        open[0].answers[0].action()
        #expect(given == "again")
        let closing = open.add(question("Discard them?", .closing))
        #expect(!closing && open[1].text == "Discard?", "asked once")
        let plain = [open.add(question("Same", nil)), open.add(question("Same", nil))]
        #expect(plain == [true, true] && open.count == 4)
    }

    @Test func theQuestionIsAboutTheFilesPresentState() {
        var open = [question("It was changed", .outsideChange)]
        open[0].chosen = 0
        let isMore = open.add(question("It is gone", .outsideChange))
        #expect(!isMore && open.map(\.text) == ["It is gone"] && open[0].chosen == 1)
    }
}
