import InkstoneBase
import Testing

@testable import InkstoneInput

/// Typing a character by its code point, without a display.
@Suite(.timeLimit(.minutes(5))) struct CharacterCodeTests {
    private static let held: KeyModifiers = [.control, .shift]

    private static func key(_ symbol: Keysym, _ modifiers: KeyModifiers = []) -> KeyEvent {
        KeyEvent(keysym: symbol, modifiers: modifiers)
    }

    private func keys(_ text: String, _ modifiers: KeyModifiers = []) -> [KeyEvent] {
        text.unicodeScalars.map {
            switch $0 {
            case "\n": Self.key(.return, modifiers)
            case "←": Self.key(.backSpace, modifiers)
            case "⎋": Self.key(.escape, modifiers)
            default: Self.key(Keysym($0), modifiers)
            }
        }
    }

    /// Returns the shown text after these keys, and the outcome of the last one.
    private func type(_ keys: [KeyEvent], symbols: [Keysym] = []) -> (String, CharacterCodeEntry.Outcome) {
        var entry = CharacterCodeEntry()
        var outcome = CharacterCodeEntry.Outcome.shown
        for key in keys { outcome = entry.take(key, symbols: symbols) }
        return (entry.text, outcome)
    }

    struct Typing: CustomTestStringConvertible {
        var keys: String
        var outcome: CharacterCodeEntry.Outcome
        var testDescription: String { keys.debugDescription }
    }

    @Test(arguments: [
        Typing(keys: "263a ", outcome: .ended("☺")), Typing(keys: "1F600\n", outcome: .ended("😀")),
        Typing(keys: "12←4\n", outcome: .ended("\u{14}")), Typing(keys: "0000e9 ", outcome: .ended("é")),
        Typing(keys: "00000041 ", outcome: .ended("A")), Typing(keys: "10ffff ", outcome: .ended("\u{10ffff}")),
        // Surrogates, numbers that are too large, and no number.
        Typing(keys: "d800 ", outcome: .ended(nil)), Typing(keys: "dfff\n", outcome: .ended(nil)),
        Typing(keys: "110000 ", outcome: .ended(nil)), Typing(keys: "ffffffff ", outcome: .ended(nil)),
        Typing(keys: " ", outcome: .ended(nil)), Typing(keys: "263a⎋", outcome: .ended(nil)),
        Typing(keys: "2←←", outcome: .ended(nil)),
        // A key that is no digit is ignored.
        Typing(keys: "26g3a ", outcome: .ended("☺")), Typing(keys: "26", outcome: .shown),
    ])
    func digitsAreACharactersNumber(_ typing: Typing) {
        #expect(type(keys(typing.keys)).1 == typing.outcome)
    }

    @Test func theDigitsAreShownBehindAU() {
        #expect(CharacterCodeEntry().text == "u")
        #expect(type(keys("1F6←00")).0 == "u1f00")
        #expect(type(keys("123456789")).0 == "u12345678", "no more than eight")
    }

    @Test func lettingGoEndsWhatWasTypedWithControlAndShift() {
        func up(_ symbol: Keysym) -> KeyEvent { KeyEvent(phase: .up, keysym: symbol, modifiers: Self.held) }
        let (control, shift): (Keysym, Keysym) = (0xffe3, 0xffe1)
        #expect(type(keys("263A", Self.held) + [up(control)]).1 == .ended("☺"))
        #expect(type(keys("263A", Self.held) + [up(shift)]).1 == .ended("☺"))
        #expect(type(keys("D800", Self.held) + [up(shift)]).1 == .ended(nil))
        #expect(type(keys("263A", Self.held) + [up(0x61)]).1 == .passed, "a digit's own release")
        // The modifiers were released before the first digit, or unnoticed: then Space ends the number, and Shift
        // may be used for digits.
        #expect(type([up(shift), up(control)] + keys("263A") + [up(shift)]).1 == .passed)
        #expect(type(keys("263A") + [up(shift)]).1 == .passed)
        #expect(type([up(shift), up(control)] + keys("263a ")).1 == .ended("☺"))
    }

    /// With Shift, or in another script, digit keys type other symbols; they still count as digits.
    @Test func aDigitIsTakenFromWhateverItsKeyMeans() {
        #expect(type([Self.key(0x21, Self.held)], symbols: [0x31, 0x21]).0 == "u1")
        #expect(type([Self.key(0x21, Self.held)]).0 == "u")
        #expect(type([KeyEvent(keysym: 0x6c6, latinKeysym: 0x61)]).0 == "ua")
        #expect(type([Self.key(0xffb0), Self.key(0xffb9), Self.key(0xff8d)]).1 == .ended("\t"), "the keypad")
    }

    @Test func keysThatDoSomethingElseGiveItUp() {
        for key in [
            Self.key(.left), Self.key(.home, .shift), Self.key(0x61, .control), Self.key(0x31, .alt),
            Self.key(0x61, [.control, .shift, .alt]),
        ] {
            #expect(type(keys("26") + [key]).1 == .abandoned, "\(key)")
            #expect(!CharacterCodeEntry().isOwn(key))
        }
        for key in keys("a1F \n←⎋") + keys("af", Self.held) { #expect(CharacterCodeEntry().isOwn(key), "\(key)") }
        #expect(!CharacterCodeEntry().isOwn(Self.key(0x67)) && !CharacterCodeEntry().isOwn(Self.key(0xffe1)))
        // The key that began the number repeats while it is held.
        #expect(type([KeyEvent(phase: .repeat, keysym: 0x55, modifiers: Self.held)]).1 == .shown)
    }

    @Test func bothTablesHaveAKeyForIt() {
        for table in [KeyBindingTable.desktop, .emacs] {
            #expect(table.strokes(for: .insertCharacterByCode)?.map(\.description) == ["Ctrl+Shift+U"])
        }
    }
}
