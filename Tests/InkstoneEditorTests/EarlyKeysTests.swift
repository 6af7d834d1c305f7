import Inkstone
import Testing

@testable import inkstone_editor

/// The keys that are struck before the user notices a question.
@Suite(.timeLimit(.minutes(5))) struct EarlyKeysTests {
    private let letter = KeyEvent(keysym: 0x61, characters: "a")
    private let enter = KeyEvent(keysym: .return, characters: "\r")
    private let down = KeyEvent(keysym: .down)
    private let escape = KeyEvent(keysym: .escape)
    private let overwrite = KeyEvent(keysym: 0x6f, characters: "o", modifiers: .alt)
    private let paste = KeyEvent(keysym: 0x76, characters: "v", modifiers: .control)
    private let save = KeyEvent(keysym: 0x73, characters: "s", modifiers: .control)

    /// Returns those of the keys that are for the document, one every 10 ms, if the question was painted
    /// before some of them.
    private func forText(
        _ keys: [KeyEvent], about topic: Question.Topic?, paintedBefore index: Int? = nil, milliseconds: Int64 = 10,
        isClosing: Bool = false
    ) -> [KeyEvent] {
        var early = EarlyKeys()
        let question = Question(text: "?", answers: [.init(label: "[O]verwrite") {}], topic: topic)
        var now: Int64 = 1_000
        var found: [KeyEvent] = []
        for (position, key) in keys.enumerated() {
            if position == index { early.questionDidAppear(at: now) }
            now += milliseconds
            let isForText = early.areForText(
                key, at: question, isCommand: key == save, isClosing: isClosing, now: now)
            if isForText { found.append(key) }
        }
        return found
    }

    @Test func keysTypedBehindASaveAreForTheText() {
        let typed = [letter, enter, down, letter, paste]
        #expect(forText(typed, about: .outsideChange) == typed)
        #expect(forText([enter, down], about: .saving(nil)) == [enter, down])
        #expect(forText(typed, about: nil, paintedBefore: 2) == typed, "somebody is typing on")
    }

    @Test func aSecondSaveIsNoSignThatTheQuestionIsNoticed() {
        #expect(forText([save, letter, letter], about: .outsideChange) == [letter, letter])
        #expect(forText([save, letter], about: .outsideChange, paintedBefore: 0, milliseconds: 600) == [])
    }

    /// Return behind Ctrl+W or behind the prompt for a name is an answer.
    @Test func keysThatChooseAnswerAQuestionThatIsExpected() {
        #expect(forText([enter, down], about: .closing, isClosing: true) == [])
        #expect(forText([enter], about: .outsideChange, isClosing: true) == [], "a close has begun the save")
        #expect(forText([down, enter], about: .saving("/other")) == [])
        #expect(forText([down, letter], about: .saving("/other")) == [letter])
        #expect(forText([enter], about: .outsideChange, paintedBefore: 0) == [])
    }

    /// Somebody who closes the window does not type on, but letters may have been on their way.
    @Test func atTheQuestionOfACloseOnlyLettersInFlightAreForTheText() {
        #expect(forText([letter, enter], about: .closing, isClosing: true) == [letter, enter])
        #expect(forText([letter], about: .closing, paintedBefore: 0, isClosing: true) == [])
    }

    @Test func answersAreNotForTheText() {
        #expect(forText([letter, overwrite, letter], about: .saving(nil)) == [letter])
        #expect(forText([letter, escape, letter], about: .outsideChange) == [letter])
    }

    @Test func aQuestionThatIsNoticedHasTheKeys() {
        #expect(forText([letter], about: .saving(nil), paintedBefore: 0, milliseconds: 499) == [letter])
        #expect(forText([letter], about: .saving(nil), paintedBefore: 0, milliseconds: 500) == [])
        #expect(forText([letter, letter, letter], about: nil, paintedBefore: 0, milliseconds: 499).count == 3)
        #expect(forText([down, letter], about: .saving(nil), paintedBefore: 0) == [])
    }

    /// A file that may be a program is not shown yet.
    @Test func withoutADocumentNoKeyIsForTheText() { #expect(forText([letter], about: .program) == []) }

    /// Returns whether each edit of an on-screen keyboard, sent at these times, is kept.
    private func keptEdits(
        at times: [Int64], paintedAt appearance: Int64?, about topic: Question.Topic? = .saving(nil),
        isClosing: Bool = false
    ) -> [Bool] {
        var early = EarlyKeys()
        let question = Question(text: "?", answers: [], topic: topic)
        if let appearance { early.questionDidAppear(at: appearance) }
        return times.map { early.keepsEdit(at: question, isClosing: isClosing, now: $0) }
    }

    /// The keyboard sends the first edit again and again, and later ones behind it.
    @Test func anEditThatIsKeptIsKeptUntilTheAnswer() {
        #expect(keptEdits(at: [1499, 1549, 4500, 7400], paintedAt: 1000) == [true, true, true, true])
        #expect(keptEdits(at: [1499, 4499], paintedAt: 1000) == [true, false], "the keyboard has given it up")
        #expect(keptEdits(at: [1500, 1550], paintedAt: 1000) == [false, false], "the question was there")
        #expect(keptEdits(at: [9000], paintedAt: nil, isClosing: true) == [true])
        #expect(keptEdits(at: [1010], paintedAt: 1000, isClosing: true) == [false])
        #expect(keptEdits(at: [10], paintedAt: nil, about: .program) == [false])
    }

    /// The edits of the on-screen keyboard do not make keys early, which may answer the question.
    @Test func editsAndKeysAreKeptEachForItself() {
        var early = EarlyKeys()
        let question = Question(text: "?", answers: [], topic: .saving(nil))
        early.questionDidAppear(at: 1000)
        var edits = [1400, 2000].map { early.keepsEdit(at: question, now: $0) }
        let isForText = early.areForText(letter, at: question, now: 2010)
        // The key has shown that the question is noticed.
        edits.append(early.keepsEdit(at: question, now: 2050))
        #expect(edits == [true, true, true] && !isForText)
        var noticed = EarlyKeys()
        noticed.questionDidAppear(at: 1000)
        let isAnswer = !noticed.areForText(escape, at: question, now: 1100)
        let isRefused = !noticed.keepsEdit(at: question, now: 1150)
        #expect(isAnswer && isRefused)
    }

    @Test func commandsOfTheEditorAreNotForTheText() {
        var early = EarlyKeys()
        let question = Question(text: "?", answers: [])
        let close = KeyEvent(keysym: 0x77, characters: "w", modifiers: .control)
        let release = KeyEvent(phase: .up, keysym: 0x61, characters: "a")
        let shift = KeyEvent(keysym: 0xffe1)
        let keys = [(release, false), (letter, false), (shift, false), (letter, false), (close, true), (letter, false)]
        let areForText = keys.map { early.areForText($0, at: question, isCommand: $1, now: 0) }
        // A command in flight is no sign that the user has noticed the question.
        #expect(areForText == [false, true, false, true, false, true])
    }
}
