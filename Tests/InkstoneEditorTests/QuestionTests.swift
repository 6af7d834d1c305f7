import Inkstone
import Testing

@testable import inkstone_editor

/// How questions in the status line are answered.
@Suite(.timeLimit(.minutes(5))) struct QuestionTests {
    /// What was answered to a question with the answers s and d.
    private func answer(_ key: KeyEvent) -> String? {
        var given = ""
        let question = Question(
            text: "Save?",
            answers: [
                .init(key: "s", label: "[S]ave") { given = "save" },
                .init(key: "d", label: "[D]iscard") { given = "discard" },
            ], cancel: { given = "cancel" })
        guard let action = question.action(for: key) else { return nil }
        action()
        return given
    }

    @Test func lettersChooseWhateverTheirCase() {
        #expect(answer(KeyEvent(keysym: 0x73, characters: "s")) == "save")
        #expect(answer(KeyEvent(keysym: 0x44, characters: "D", modifiers: .shift)) == "discard")
    }

    @Test func lettersChooseOnOtherLayouts() {
        // Cyrillic ы is on the key that has s in the Latin group.
        #expect(answer(KeyEvent(keysym: 0x06d9, latinKeysym: 0x73, characters: "ы")) == "save")
    }

    @Test func whatComesUpWhileOneTypesIsAnsweredWithAltAlone() {
        var given = ""
        let question = Question(
            text: "Recover?", answers: [.init(key: "d", label: "[D]elete") { given = "delete" }], isSudden: true)
        #expect(question.action(for: KeyEvent(keysym: 0x64, characters: "d")) == nil)
        #expect(question.action(for: KeyEvent(keysym: 0x64, characters: "d", modifiers: [.control, .alt])) == nil)
        question.action(for: KeyEvent(keysym: 0x64, characters: "d", modifiers: .alt))?()
        #expect(given == "delete")
    }

    @Test func escapeCancels() {
        #expect(answer(KeyEvent(keysym: .escape)) == "cancel")
    }

    @Test func shortcutsAreNoAnswers() {
        #expect(answer(KeyEvent(keysym: 0x64, characters: "d", modifiers: .control)) == nil)
        #expect(answer(KeyEvent(keysym: 0x64, characters: "d", modifiers: .capsLock)) == "discard")
    }

    @Test func otherKeysLeaveTheQuestion() {
        #expect(answer(KeyEvent(keysym: 0x78, characters: "x")) == nil)
        #expect(answer(KeyEvent(keysym: .return)) == nil)
        #expect(answer(KeyEvent(keysym: 0xffe1)) == nil)
    }
}
