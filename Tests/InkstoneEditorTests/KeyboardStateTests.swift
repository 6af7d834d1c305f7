import Inkstone
import Testing

@testable import inkstone_keyboard

/// The keys of the on-screen keyboard, without a window.
@Suite(.timeLimit(.minutes(5))) struct KeyboardStateTests {
    private func key(_ plain: String, in state: KeyboardState) throws -> Key {
        try #require(state.rows.joined().first { $0.plain == plain }, "no key \(plain)")
    }

    @Test func shiftIsForOneLetterThenForAllThenForNone() throws {
        var state = KeyboardState(layouts: [.german])
        var typed: [Deed] = []
        for name in ["⇧", "ö", "ö", "⇧", "⇧", "ß", "ö", "1", "⇧", "ö"] {
            typed += state.press(try key(name, in: state))
        }
        // Caps lock changes letters, but not digits.
        #expect(typed == ["Ö", "ö", "ẞ", "Ö", "1", "ö"].map { .insert($0) })
    }

    @Test func aCapitalThatIsDueGoesWithTheShiftKeyAndWithTheText() throws {
        var state = KeyboardState(layouts: [.american, .arabic])
        state.expectCapital(true)
        #expect(state.shift == .automatic)
        #expect(state.text(of: try key(".", in: state)) == ".")
        _ = state.press(try key("⇧", in: state))
        #expect(state.press(try key("a", in: state)) == [.insert("a")])
        state.expectCapital(true)
        state.expectCapital(false)
        #expect(state.shift == .off)
        _ = state.press(try key("us", in: state))
        state.expectCapital(true)
        #expect(state.shift == .off, "Arabic has no capitals")
    }

    @Test func aCapitalThatIsDeclinedStaysSmallUntilSomethingIsTyped() throws {
        var state = KeyboardState(layouts: [.american])
        state.expectCapital(true)
        _ = state.press(try key("⇧", in: state))
        state.expectCapital(true)
        #expect(state.shift == .off, "the text before the caret is the same")
        _ = state.press(try key("⇧", in: state))
        _ = state.press(try key("⇧", in: state))
        #expect(state.shift == .locked)
        _ = state.press(try key("⇧", in: state))
        state.expectCapital(true)
        #expect(state.press(try key("i", in: state)) == [.insert("i")])
        state.expectCapital(true)
        #expect(state.shift == .automatic)
        _ = state.press(try key("⇧", in: state))
        state.expectCapital(false)
        state.expectCapital(true)
        #expect(state.shift == .automatic, "another sentence begins")
    }

    @Test func aMarkTakesThePlaceOfTheBlankThatCameWithAWord() throws {
        var state = KeyboardState(layouts: [.american])
        state.ownBlank()
        #expect(state.press(try key(".", in: state)) == [.replaceBlank(with: ".")])
        #expect(state.press(try key(".", in: state)) == [.insert(".")])
        state.ownBlank()
        #expect(state.press(try key("a", in: state)) == [.insert("a")])
        #expect(state.press(try key(".", in: state)) == [.insert(".")])
        state.ownBlank()
        _ = state.press(try key("→", in: state))
        #expect(state.press(try key(".", in: state)) == [.insert(".")])
    }

    @Test func anAccentIsMarkedUntilItsLetterComes() throws {
        var state = KeyboardState(layouts: [.greek])
        func press(_ names: String...) throws -> [Deed] {
            try names.flatMap { state.press(try key($0, in: state)) }
        }
        #expect(try press("´", "ε") == [.mark("´"), .insert("έ")])
        #expect(try press("´", "β") == [.mark("´"), .insert("´β")])
        #expect(try press("´", "⌫", "⌫") == [.mark("´"), .mark(""), .deleteBackward])
        #expect(try press("´", "←", "α") == [.mark("´"), .unmark, .move(-1), .insert("α")])
    }

    @Test func correctionsOfAnotherLanguageAreAskedForAnew() {
        var memory = CorrectionMemory()
        let german = CorrectionMemory.Question(word: "Hund", language: "de")
        let english = CorrectionMemory.Question(word: "Hund", language: "en")
        #expect(memory.ask(german) == nil && memory.ask(german) == [])
        #expect(memory.take(["Hunde"], for: german) && memory.ask(german) == ["Hunde"])
        #expect(memory.ask(english) == nil, "the layout is another one, before the same word")
        #expect(!memory.take(["Hunde"], for: german) && memory.ask(english) == [])
        #expect(memory.take(["Hound"], for: english) && memory.ask(english) == ["Hound"])
        #expect(memory.ask(CorrectionMemory.Question(word: "Hu", language: "en")) == [], "too short to ask about")
    }

    @Test func capitalsAreDueWhereASentenceBegins() {
        for text in [nil, "", "  ", "Ja. ", "Ja! „", "(Ja.) ", "Was?” ", "Na … "] {
            #expect(Capitals.isSentenceStart(after: text), "after \(text ?? "nothing")")
        }
        for text in ["Ja", "Ja.", "Ja, ", "Ja ", "3.1"] {
            #expect(!Capitals.isSentenceStart(after: text), "after \(text)")
        }
        #expect(
            Capitals.isSentenceStart(after: "Τι κάνεις; ", in: "el")
                && !Capitals.isSentenceStart(after: "Ja; ", in: "de"))
        #expect(Capitals.isSentenceStart(after: "はい。 ") && Capitals.isSentenceStart(after: "لماذا؟ "))
    }

    @Test func aModifierMakesACommandOfTheNextKeyByItsLatinLetter() throws {
        var state = KeyboardState(layouts: [.greek])
        func press(_ names: String...) throws -> [Deed] {
            try names.flatMap { state.press(try key($0, in: state)) }
        }
        let letter = Keysym(rawValue: 0x73)
        #expect(try press("Ctrl") == [])
        #expect(try press("Ctrl", "σ", "σ") == [.strike(letter, [.control]), .insert("σ")])
        #expect(try press("Ctrl", "Alt", "⇧", "σ") == [.strike(letter, [.alt, .shift])])
        #expect(try press("Ctrl", "Ctrl", "⌫") == [.strike(Keysym(rawValue: 0xff08), [.control])])
        #expect(try press("´", "Ctrl", "Esc") == [.mark("´"), .unmark, .strike(Keysym(rawValue: 0xff1b), [])])
        #expect(try press("abc", "α") == [.insert("α")])
    }

    @Test(arguments: KeyLayout.all + [.signs])
    func keysFillTheWindowAndEachHasATextForShift(_ layout: KeyLayout) {
        let size = Size(width: 791, height: 283)
        let places = KeyPlaces(layout.rows, size: size, scale: 1)
        #expect(layout.rows.count == 5 && layout.rows[..<4].allSatisfy { $0.count >= 11 })
        let area = places.frames.reduce(0) { $0 + $1.width * $1.height }
        #expect(area == size.width * (size.height - places.bar.height))
        for (index, frame) in places.frames.enumerated() {
            #expect(places.index(at: WindowPoint(x: frame.maxX - 1, y: frame.minY)) == index)
            let choices = Accents.choices(for: places.keys[index].shifted)
            #expect(Set(choices).count == choices.count && choices.allSatisfy { $0.count == 1 })
            guard !choices.isEmpty else { continue }
            let strip = AccentStrip(choices, above: frame, in: size)
            #expect(strip.frame.minX >= 0 && strip.frame.maxX <= size.width && strip.frame.minY >= 0)
            for choice in choices.indices {
                let cell = strip.cell(choice)
                #expect(strip.index(at: cell.minX + cell.width / 2) == choice)
            }
        }
    }

    @Test func anOfferFindsAChoiceInAnyWindow() {
        let choices = ["a", "ä", "à"]
        let key = WindowRect(x: 0, y: 0, width: 0, height: 1)
        let strip = AccentStrip(choices, above: key, in: Size(width: 1, height: 1))
        #expect(choices.indices.contains(strip.index(at: 0)) && strip.index(at: 900) == 2)
    }

    @Test func anOfferThatIsDroppedLeavesWhatWasMarked() {
        var state = KeyboardState(layouts: [.american])
        #expect(state.withdrawn == .mark(""))
        _ = state.press(Key(action: .accent, plain: "´", shifted: "´"))
        #expect(state.withdrawn == .mark("´"))
    }

    @Test func completionsKeepTheCaseOfTheTypedLetters() {
        let words = WordList(language: "none")
        #expect(words.completions(of: "Tastatur, Taste: ta") == ["taste", "tastatur"])
        #expect(words.completions(of: "Tastatur, Taste: ") == [] && words.completions(of: nil) == [])
    }
}

/// The key codes borrowed for symbols that no key of the keyboard map has, without a server.
@Suite(.timeLimit(.minutes(5))) struct KeyLoanTests {
    private let codes = (200..<219).map(UInt8.init)

    private func keysyms(_ text: String) -> [Keysym] {
        text.unicodeScalars.map { Keysym(rawValue: 0x0100_0000 + $0.value) }
    }

    /// Each change of the keyboard map costs time: a busy window manager delays clicks, and the server loses some
    /// of them.
    @Test func aSentenceNeedsOneChangeOfTheMap() {
        var loans = KeyLoans()
        let likely = KeyboardState(layouts: [.greek]).likelyTexts.joined().filter(\.isLetter)
        loans.take(keysyms("κ" + likely), on: codes)
        let keys = loans.keys
        for keysym in keysyms("ξεσκεπάζωτηνψυχοφθόραβδελυγμίακαιγράφω") {
            #expect(loans.place(of: keysym) != nil, "\(keysym)")
            loans.strike(keysym)
        }
        #expect(loans.keys == keys && keys.count == codes.count)
    }

    @Test func noTwoSymbolsShareAPlace() {
        var loans = KeyLoans()
        let wanted = keysyms("αβγδεζηθικλμνξοπρστυφχψωάέήίόύώ")
        loans.take(wanted, on: codes)
        #expect(Set(wanted.compactMap(loans.place)).count == wanted.count)
        for keysym in wanted {
            let place = loans.place(of: keysym)
            #expect(place.map { loans.keys[$0.keycode]?[$0.needsShift ? 1 : 0] } == keysym)
        }
    }

    /// A program that reads the new keyboard map late would read an old key press as the new symbol. So the key
    /// code that was pressed longest ago is reused first.
    @Test func leastRecentlyPressedKeyCodeIsReusedOnlyIfNoneIsFree() throws {
        var loans = KeyLoans()
        for keysym in keysyms("αβγ") {
            loans.take([keysym], on: [200, 201])
            loans.strike(keysym)
        }
        let place = try #require(loans.place(of: keysyms("α")[0]))
        loans.take(keysyms("δ"), on: [200, 201])
        loans.strike(keysyms("δ")[0])
        #expect(keysyms("αβγδ").allSatisfy { loans.place(of: $0) != nil })
        loans.strike(keysyms("α")[0])
        loans.take(keysyms("ε"), on: [200, 201])
        #expect(loans.place(of: keysyms("β")[0]) == nil && loans.place(of: keysyms("α")[0]) == place)
        #expect(loans.place(of: keysyms("ε")[0]) != nil)
    }

    /// A likely symbol that lost its key code gets one again when it is pressed, but never the key code of another
    /// symbol that was pressed.
    @Test func likelySymbolTakesNoKeyCodeOfAPressedSymbol() {
        var loans = KeyLoans()
        let likely = keysyms("αβγδ")
        loans.take(likely, on: [200, 201])
        loans.strike(likely[1])
        for keysym in keysyms("цш") {
            loans.take([keysym], on: [200, 201])
            loans.strike(keysym)
            loans.take([keysym] + likely, on: [200, 201])
        }
        #expect(keysyms("βцш").allSatisfy { loans.place(of: $0) != nil })
        // All key codes but one belong to symbols that were pressed.
        #expect(likely.count { loans.place(of: $0) != nil } == 2)
        loans.take(keysyms("эβ"), on: [200, 201])
        #expect(keysyms("эβцш").allSatisfy { loans.place(of: $0) != nil })
    }

    @Test func aCodeThatAnotherHasTakenIsForgotten() {
        var loans = KeyLoans()
        loans.take(keysyms("αβ"), on: [200, 201])
        loans.take(keysyms("γ"), on: [201])
        #expect(Set(loans.keys.keys) == [201] && loans.place(of: keysyms("γ")[0]) != nil)
    }
}
