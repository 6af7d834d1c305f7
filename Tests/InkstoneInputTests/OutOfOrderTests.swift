import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import Testing

/// ibus returns fast keys out of order; this must not break up a composition.
@Suite(.timeLimit(.minutes(5))) struct OutOfOrderTests {
    private final class Link: MatchedMethod {
        let matched = MatchedAnswers()
        var isEngaged = true
        var composesUnseen = false
        var traits = InputMethodTraits()
        var sent: [(key: KeyEvent, ticket: KeyTicket)] = []
        var resets = 0
        func forward(_ key: KeyEvent, raw: (any Sendable)?, ticket: KeyTicket) {
            sent.append((key, ticket))
            matched.didSend(key, ticket, to: self)
        }
        func setSpot(_ rect: RootRect?) {}
        func reset() { resets += 1 }
        func focusIn() {}
        func focusOut() {}
    }

    /// A view whose program runs code before each command.
    private final class CommandView: ReferenceTextView {
        var beforeCommand: (() -> Void)?
        override func doCommand(by command: EditCommand) -> Bool {
            beforeCommand?()
            return super.doCommand(by: command)
        }
    }

    private final class Scene {
        let view = CommandView("", columns: 40)
        let link = Link()
        let context: TextInputContext
        let session: InputSession
        var now = 1000.0

        init(queue: InputQueue = InputQueue()) {
            context = TextInputContext(client: view)
            var clock: () -> Double = { 0 }
            session = InputSession(queue: queue, clock: { clock() })
            clock = { [unowned self] in now }
            session.link = link
            session.activate(context)
            session.windowFocusChanged(true)
        }

        func type(_ text: String) {
            for character in text {
                let keysym: Keysym = character == "\n" ? .return : Keysym(character.unicodeScalars.first ?? " ")
                session.handle(
                    KeyEvent(keysym: keysym, characters: character == "\n" ? "\r" : String(character)))
            }
        }

        func draw(_ text: String, over length: Int) -> InputMethodEvent {
            .preeditDraw(
                PreeditDraw(
                    caret: text.unicodeScalars.count, changeFirst: 0, changeLength: length,
                    text: text.isEmpty ? nil : text))
        }

        func pass(_ time: Milliseconds) {
            now += time
            session.advance()
        }

        func click(_ offset: UTF16Offset) {
            session.perform(.press) { [view] in view.content.selection = offset..<offset }
        }

        func giveBack(_ index: Int) -> InputMethodEvent { .key(link.sent[index].key, link.sent[index].ticket) }
    }

    @Test func aReturnThatComesBackDuringTheNextWordGoesBeforeIt() {
        let s = Scene()
        s.type("a \nbc")
        s.session.deliver([.preeditStart, s.draw("あ", over: 0)])
        s.session.deliver([.commit("亜"), s.draw("", over: 1), .preeditDone])
        s.session.deliver([.preeditStart, s.draw("b", over: 0)])
        s.session.deliver([s.giveBack(2)])
        #expect(s.view.string == "亜\nb")
        #expect(s.link.resets == 0)
        s.session.deliver([s.draw("bc", over: 1)])
        s.session.deliver([.commit("墨"), s.draw("", over: 2), .preeditDone])
        #expect(s.view.string == "亜\n墨")
    }

    @Test func aReturnThatOvertakesTheCommitWaitsForIt() {
        let s = Scene()
        s.type("a \nbc")
        s.session.deliver([.preeditStart, s.draw("あ", over: 0)])
        s.session.deliver([s.draw("亜", over: 1)])
        s.session.deliver([s.giveBack(2)])
        #expect(s.view.string == "亜")
        #expect(s.link.resets == 0)
        s.session.deliver([.commit("亜"), s.draw("", over: 1), .preeditDone])
        #expect(s.view.string == "亜\n")
        s.session.deliver([.preeditStart, s.draw("b", over: 0)])
        #expect(s.view.string == "亜\nb")
    }

    // ibus with m17n engines, which draw the whole word for each key.
    @Test func aSpaceThatOvertakesTheCommitWaitsForItAlsoIfEachKeyShowsTheWordAnew() {
        let s = Scene()
        s.type("an ")
        s.session.deliver([.preeditStart, s.draw("a", over: 0)])
        s.session.deliver([
            s.draw("", over: 1), .preeditDone, .preeditStart, s.draw("a", over: 0), s.draw("an", over: 1),
        ])
        s.session.deliver([
            s.giveBack(2), s.draw("", over: 2), .preeditDone, .preeditStart, s.draw("an", over: 0), s.draw("", over: 2),
            .preeditDone, .commit("an"),
        ])
        #expect(s.view.string == "an ")
    }

    // ibus with an m17n engine, right after the window got the focus.
    @Test func aSpaceThatOvertakesTheWholeCompositionWaitsForIt() {
        let s = Scene()
        s.type("aa ")
        s.session.deliver([s.giveBack(2)])
        #expect(s.view.string == "")
        s.now += 2
        s.session.deliver([.preeditStart, s.draw("a", over: 0)])
        s.session.deliver([s.draw("", over: 1), .preeditDone, .preeditStart, s.draw("â", over: 0)])
        s.now += 30
        s.session.advance()
        #expect(s.view.string == "â", "a composition that has begun is waited for longer")
        s.session.deliver([s.draw("", over: 1), .preeditDone, .commit("â")])
        #expect(s.view.string == "â ")
        #expect(s.link.resets == 0)
    }

    // ibus-hangul sends the end of a syllable together with the start of the next.
    private func endSyllable(_ s: Scene, _ syllable: String, next: String?) {
        s.session.deliver([s.draw("", over: 1), .preeditDone, .commit(syllable)])
        if let next { s.session.deliver([.preeditStart, s.draw(next, over: 0)]) }
    }

    @Test(arguments: [0.0, 30, 300]) func aKeyThatOvertakesAWholeSyllableComesBehindIt(_ pause: Double) {
        let s = Scene()
        s.link.traits.returnsKeysOutOfTurn = true
        // An earlier answer, so that this is not the case of a new focus.
        s.type("r")
        s.session.deliver([.commit("r")])
        s.type("gks rmf")
        s.session.deliver([s.giveBack(4)])
        s.now += pause
        s.session.advance()
        #expect(s.view.string == "r", "the answers to the keys before it are still to come")
        s.session.deliver([.preeditStart, s.draw("ㅎ", over: 0)])
        s.session.deliver([s.draw("하", over: 1)])
        s.session.deliver([s.draw("한", over: 1)])
        endSyllable(s, "한", next: "ㄱ")
        #expect(s.view.string == "r한 ㄱ")
        s.session.deliver([s.draw("그", over: 1)])
        s.session.deliver([s.draw("글", over: 1)])
        #expect(s.view.string == "r한 글")
        #expect(s.link.resets == 0)
    }

    /// The end of a syllable ends one composition, but not all those that the key has overtaken.
    @Test(arguments: 1...8) func aCommandThatOvertakesManySyllablesWaitsForAll(_ answeredCount: Int) {
        let s = Scene()
        s.link.traits.returnsKeysOutOfTurn = true
        let syllables = ["가", "나", "다", "라", "마", "바"]
        let letters = ["ㄱ", "ㄴ", "ㄷ", "ㄹ", "ㅁ", "ㅂ"]
        s.type("rkskek\nfkakqk")
        var count = 0
        func deliver(_ events: [InputMethodEvent]) {
            s.session.deliver(events)
            s.now += 1
            s.session.advance()
            count += 1
            if count == answeredCount, answeredCount <= 6 { s.session.deliver([s.giveBack(6)]) }
        }
        for (index, syllable) in syllables.enumerated() {
            if index == 3 {
                // The answer to Return: it commits the composition; the next key starts another.
                s.session.deliver([s.draw("", over: 1), .preeditDone, .commit(syllables[2])])
                if answeredCount > 6 { s.session.deliver([s.giveBack(6)]) }
            }
            if index > 0, index != 3 {
                deliver([
                    s.draw("", over: 1), .preeditDone, .commit(syllables[index - 1]), .preeditStart,
                    s.draw(letters[index], over: 0),
                ])
            } else {
                deliver([.preeditStart, s.draw(letters[index], over: 0)])
            }
            deliver([s.draw(syllable, over: 1)])
        }
        #expect(s.view.string == "가나다\n라마바")
        #expect(s.link.resets == 0)
    }

    /// The trace records how keys were returned, so that a replay makes the same decisions.
    @Test func aReplayHoldsTheSameKeys() {
        let s = Scene()
        s.link.traits.returnsKeysOutOfTurn = true
        var records: [TraceRecord] = []
        s.session.onRecord = { records.append($0) }
        s.session.windowFocusChanged(true)
        s.type("r")
        s.session.deliver([.commit("r")])
        s.type("gks ")
        s.session.deliver([s.giveBack(4)])
        s.now += 30
        s.session.advance()
        for (text, length) in [("ㅎ", 0), ("하", 1), ("한", 1)] { s.session.deliver([s.draw(text, over: length)]) }
        endSyllable(s, "한", next: nil)
        #expect(s.view.string == "r한 ")
        let lines = records.map(\.line)
        let (read, bad) = TraceRecord.parse(lines.joined(separator: "\n"))
        #expect(bad.isEmpty && read == records)
        let view = ReferenceTextView("", columns: 40)
        #expect(TraceReplay(read).run(on: view).isEmpty)
        #expect(view.string == "r한 ")
    }

    /// Recorded with ibus on a busy machine: only releases arrive for most of a second, and then everything that
    /// the engine has drawn.
    @Test(arguments: [0.0, 9]) func aSaveAmongKeysWaitsUntilTheServerReportsQuiet(_ apart: Double) {
        let s = Scene()
        s.link.traits = InputMethodTraits(returnsKeysOutOfTurn: true, reportsQuiet: true)
        var records: [TraceRecord] = []
        s.session.onRecord = { records.append($0) }
        s.session.windowFocusChanged(true)
        s.session.activate(s.context)
        s.type("gksrmf")
        var saved: String?
        s.session.perform(.save) { saved = s.view.string }
        s.type("ek")
        #expect(s.link.sent.count == 6, "what stands behind the command waits too")
        func pass(_ time: Double) {
            s.now += time
            s.session.advance()
        }
        for index in 0..<6 {
            var release = s.link.sent[index].key
            release.phase = .up
            s.session.deliver([.key(release, s.link.sent[index].ticket)])
            pass(150)
        }
        #expect(saved == nil)
        for event in [
            .preeditStart, s.draw("ㅎ", over: 0), s.draw("하", over: 1), s.draw("한", over: 1), s.draw("", over: 1),
            .preeditDone,
            .commit("한"), .preeditStart, s.draw("ㄱ", over: 0), s.draw("그", over: 1), s.draw("글", over: 1),
        ] {
            s.session.deliver([event])
            pass(apart)
        }
        pass(500)
        #expect(saved == nil && s.link.resets == 0)
        s.session.deliver([.quiet(through: s.link.sent[5].ticket)])
        #expect(saved == "한글" && s.link.resets == 1)
        // ibus commits the text at a reset, and only then reports that it is done.
        s.session.deliver([s.draw("", over: 1), .preeditDone, .commit("글")])
        pass(60)
        #expect(s.link.sent.count == 8)
        s.session.deliver([.resetReply(nil)])
        s.session.deliver([.preeditStart, s.draw("ㄷ", over: 0), s.draw("다", over: 1)])
        #expect(s.view.string == "한글다")
        let (read, bad) = TraceRecord.parse(records.map(\.line).joined(separator: "\n"))
        #expect(bad.isEmpty && read == records)
        let view = ReferenceTextView("", columns: 40)
        #expect(TraceReplay(read).run(on: view).isEmpty)
        #expect(view.string == "한글다")
    }

    // fcitx5 hangul sends one commit for several keys, so that some keys have no answer of their own.
    @Test func aCommitThatFollowsAKeyGivenBackComesAfterIt() {
        for isAnswered in [false, true] {
            let s = Scene()
            s.type("ab \ncd")
            if isAnswered { s.session.deliver([.commit("A")]) }
            s.session.deliver([s.giveBack(2)])
            s.session.deliver([s.giveBack(3)])
            #expect(s.view.string == (isAnswered ? "A \n" : ""))
            s.session.deliver([.commit("C")])
            #expect(s.view.string == (isAnswered ? "A \nC" : " \nC"))
        }
    }

    // Draws that the server has merged leave keys without an answer too.
    @Test func aSpaceBetweenTwoMergedCompositionsStaysThere() {
        let s = Scene()
        s.type("abc de")
        s.session.deliver([.preeditStart, s.draw("x", over: 0)])
        s.session.deliver([.commit("x"), s.draw("", over: 1), .preeditDone])
        s.now += 30
        s.session.advance()
        s.session.deliver([s.giveBack(3)])
        s.session.deliver([.preeditStart, s.draw("y", over: 0)])
        #expect(s.view.string == "x y")
        s.session.deliver([.commit("y"), s.draw("", over: 1), .preeditDone])
        #expect(s.view.string == "x y")
    }

    @Test func aKeyThatHasOvertakenASilentOneIsTypedInAMoment() {
        let s = Scene()
        s.type("a ")
        s.session.deliver([s.giveBack(1)])
        #expect(s.view.string == "")
        #expect((s.session.nextDeadline ?? .infinity) <= s.now + 20)
        s.now += 20
        s.session.advance()
        #expect(s.view.string == " ")
    }

    @Test func entriesBehindAHeldKeyArePerformedAfterIt() {
        let s = Scene()
        var seen: String?
        s.type("a ")
        s.session.deliver([s.giveBack(1)])
        s.session.perform(.press) { seen = s.view.string }
        s.now = s.session.nextDeadline ?? 0
        s.session.advance()
        #expect(seen == " ")
    }

    @Test func aReturnThatNoCommitFollowsEndsTheComposition() {
        let s = Scene()
        s.type("a\nb")
        s.session.deliver([.preeditStart, s.draw("あ", over: 0)])
        s.session.deliver([s.giveBack(1)])
        #expect(s.view.string == "あ")
        s.now = s.session.nextDeadline ?? 0
        s.session.advance()
        #expect(s.view.string == "あ\n")
        #expect(s.link.resets == 1)
    }

    @Test func savingWaitsForASlowMethodAsFarAsItAnswers() {
        let s = Scene()
        var saved: String?
        s.type("ab")
        s.session.perform(.save) { saved = s.view.string }
        s.now += 300
        s.session.advance()
        #expect(saved == nil)
        s.session.deliver([.commit("A")])
        s.now += 300
        s.session.advance()
        #expect(saved == nil)
        s.session.deliver([.commit("B")])
        s.now = s.session.nextDeadline ?? 0
        s.session.advance()
        #expect(saved == "AB")
    }

    @Test func savingDoesNotWaitForAMethodThatNeverAnswers() {
        let s = Scene()
        var isSaved = false
        s.type("a")
        s.session.perform(.save) { isSaved = true }
        s.now += InputTiming().saveLimit
        s.session.advance()
        #expect(isSaved)
    }

    // ibus 1.5.27 with an m17n engine answers the key that ends a word in this order: the key first, then the whole
    // word again.
    @Test func theKeyThatEndsAWordComesAfterIt() {
        let s = Scene()
        s.type("aa")
        s.session.deliver([.preeditStart, s.draw("â", over: 0)])
        s.now += 100
        s.type(" ")
        s.session.deliver([
            s.giveBack(2), s.draw("", over: 1), .preeditDone, .preeditStart, s.draw("â", over: 0), s.draw("", over: 1),
            .preeditDone, .commit("â"),
        ])
        #expect(s.view.string == "â ")
        #expect(s.link.resets == 0, "the composition is not broken up")
    }

    @Test func aWordThatIsDrawnAnewAfterItsEndStandsOnce() {
        let s = Scene()
        s.type("aa")
        s.session.deliver([.preeditStart, s.draw("â", over: 0)])
        s.now += 100
        s.type(" ")
        s.session.deliver([s.giveBack(2)])
        s.session.deliver([
            s.draw("", over: 1), .preeditDone, .preeditStart, s.draw("â", over: 0), s.draw("", over: 1), .preeditDone,
            .commit("â"),
        ])
        s.session.deliver([.resetReply(nil)])
        #expect(s.view.string == "â ")
    }

    @Test(arguments: [60.0, 500]) func aCompositionShownOnlyByTheMethodStaysWhereItWasTyped(_ pause: Double) {
        let s = Scene()
        s.link.composesUnseen = true
        s.view.content.replace(0..<0, with: "<>")
        s.view.content.selection = 1..<1
        s.type("kana")
        s.now += pause
        s.session.perform(.press) { s.view.content.selection = 2..<2 }
        #expect(s.link.resets == 1)
        s.session.deliver([.commit("かな"), .resetReply(nil)])
        s.now += 60
        s.session.advance()
        s.type("a")
        s.session.deliver([.commit("あ")])
        #expect(s.view.string == "<かな>あ")
    }

    /// A save leaves the composition alone. A close ends it, because it would be lost with the window, and comes
    /// after its text; without an answer of the method, after a while.
    @Test(arguments: [true, false]) func aCloseComesAfterTheTextThatOnlyTheMethodShows(_ answers: Bool) {
        let s = Scene()
        s.link.composesUnseen = true
        s.type("kana")
        s.pass(500)
        var seen: [String] = []
        s.session.perform(.save) { seen.append(s.view.string) }
        #expect(seen == [""] && s.link.resets == 0)
        s.session.perform(.close) { seen.append(s.view.string) }
        #expect(seen == [""] && s.link.resets == 1)
        if answers { s.session.deliver([.commit("かな"), .resetReply(nil)]) }
        #expect(seen == [""], "the method may commit after its reply")
        for _ in 0..<10 {
            guard let deadline = s.session.nextDeadline else { break }
            s.pass(max(1, deadline - s.now))
        }
        #expect(seen == ["", answers ? "かな" : ""])
        s.session.perform(.close) { seen.append("again") }
        #expect(seen.last == "again" && s.link.resets == 1)
    }

    @Test func aKeyWithoutAnAnswerOfItsOwnDoesNotHoldTheNextPlaceBack() {
        let s = Scene()
        s.view.content.replace(0..<0, with: "<>")
        s.view.content.selection = 1..<1
        s.type("a")
        s.session.deliver([.preeditStart, s.draw("あ", over: 0)])
        s.type("\u{1b}")
        s.session.deliver([s.draw("", over: 1), .preeditDone])
        s.now += 60
        s.session.advance()
        s.session.perform(.press) { s.view.content.selection = 2..<2 }
        s.type("b")
        s.session.deliver([.preeditStart, s.draw("い", over: 0), .commit("い"), s.draw("", over: 1), .preeditDone])
        #expect(s.view.string == "<>い")
    }

    /// Return and BackSpace typed fast: one clearing belongs to the commit, the other answers BackSpace.
    @Test func aClearingSoonAfterACommitAnswersItsOwnKey() {
        let s = Scene()
        s.view.content.replace(0..<0, with: "<>")
        s.view.content.selection = 1..<1
        s.type("a\nb\u{8}")
        s.session.deliver([
            .preeditStart, s.draw("あ", over: 0), .commit("あ"), s.draw("", over: 1), .preeditDone, .preeditStart,
            s.draw("い", over: 0), s.draw("", over: 1), .preeditDone,
        ])
        s.now += 40
        s.session.perform(.press) { s.view.content.selection = 3..<3 }
        #expect(s.link.resets == 0, "nothing is on its way")
        s.type("c")
        s.session.deliver([.preeditStart, s.draw("う", over: 0)])
        #expect(s.view.string == "<あ>う")
    }

    /// BackSpace deletes a letter, and the same one is typed again: the draw is a new answer, not a repeated one.
    @Test func theSameLetterTypedAgainAfterBackSpaceIsAnAnswer() {
        let s = Scene()
        s.view.content.replace(0..<0, with: "<>")
        s.view.content.selection = 1..<1
        s.type("a\u{8}a")
        s.session.deliver([
            .preeditStart, s.draw("あ", over: 0), s.draw("", over: 1), .preeditDone, .preeditStart, s.draw("あ", over: 0),
        ])
        s.now += 40
        s.session.perform(.press) { s.view.content.selection = 3..<3 }
        s.type("b")
        s.session.deliver([.resetReply(nil)])
        s.now += 20
        s.session.advance()
        s.session.deliver([.preeditStart, s.draw("い", over: 0)])
        #expect(s.view.string == "<あ>い")
    }

    // ibus-anthy 1.5.27 sometimes sends this for two BackSpaces.
    @Test(arguments: [false, true]) func aCommandThatOvertakesTheEndOfACompositionWaitsForIt(together: Bool) {
        let s = Scene()
        s.view.content.replace(0..<0, with: "12")
        s.view.content.selection = 2..<2
        s.type("a")
        s.session.deliver([.preeditStart, s.draw("あ", over: 0)])
        for _ in 0..<2 { s.session.handle(KeyEvent(keysym: .backSpace, characters: "\u{8}")) }
        let events = [s.giveBack(2), s.draw("", over: 1), .preeditDone]
        if together { s.session.deliver(events) } else { for event in events { s.session.deliver([event]) } }
        s.now += 10
        s.session.advance()
        #expect(s.view.string == "1")
        #expect(s.link.resets == 0, "the composition is not broken up")
    }

    // The same order with Return after a BackSpace that deletes the only letter.
    @Test func aReturnThatOvertakesTheEndOfACompositionWaitsForIt() {
        let s = Scene()
        s.type("te\u{8}")
        s.session.deliver([.preeditStart, s.draw("t", over: 0)])
        s.type("\n")
        s.session.deliver([s.giveBack(3)])
        #expect(s.view.string == "t")
        s.session.deliver([s.draw("て", over: 1), s.draw("", over: 1), .preeditDone])
        s.now += 10
        s.session.advance()
        #expect(s.view.string == "\n")
        #expect(s.link.resets == 0, "the composition is not broken up")
    }

    // MARK: What programs do in between

    /// A dialog's Return is returned late, and closes it in another window's turn.
    @Test(arguments: ["x", ""]) func aWindowThatClosesInTheTurnOfAnotherLeavesItsKeysAlone(_ typed: String) {
        let queue = InputQueue()
        let (dialog, other) = (Scene(queue: queue), Scene(queue: queue))
        dialog.link.traits.returnsKeysOutOfTurn = true
        dialog.view.beforeCommand = { [unowned dialog] in dialog.session.end() }
        dialog.type("a\n")
        dialog.session.deliver([dialog.giveBack(1)])
        dialog.session.perform(.press) {}
        #expect(dialog.session.isWaiting && !dialog.session.isEnded)
        let later = dialog.now + 600
        (dialog.now, other.now) = (later, later)
        other.type(typed)
        other.session.advance()
        #expect(dialog.session.isEnded && dialog.link.sent.count == 2)
        #expect(other.link.sent.map(\.key.characters).joined() == typed)
    }

    @Test func aLateReturnMayEndTheMethod() {
        let s = Scene()
        s.view.content.replace(0..<0, with: "<>")
        s.view.content.selection = 1..<1
        s.link.traits.returnsKeysOutOfTurn = true
        s.type("a\n")
        s.pass(60)
        s.click(2)
        s.view.beforeCommand = { [unowned s] in
            s.view.beforeCommand = nil
            s.session.lose(afterSilence: 0)
        }
        s.session.deliver([s.giveBack(1)])
        #expect(s.view.string.sorted() == "<a\n>".sorted(), "\(s.view.string)")
    }

    /// The program moves the focus while a returned key waits.
    @Test(arguments: [true, false]) func aKeyThatWaitsStaysInItsView(hasNext: Bool) {
        let s = Scene()
        let next = ReferenceTextView("", columns: 40)
        let nextContext = TextInputContext(client: next)
        s.type("a ")
        s.session.deliver([s.giveBack(1)])
        #expect(s.view.string == "")
        if hasNext { s.session.activate(nextContext) } else { s.session.deactivate(s.context) }
        s.pass(20)
        #expect(s.view.string == " " && next.string == "")
    }

    /// The user has moved to a password field, or to something that is no text, when the method's answer arrives.
    @Test(arguments: [true, false], [true, false])
    func lateTextStaysWhereItWasTypedIfTheFocusAllowsNoMethod(hasNext: Bool, isComposing: Bool) {
        let s = Scene()
        let next = ReferenceTextView("", columns: 40)
        next.isSecureTextEntry = true
        let nextContext = TextInputContext(client: next)
        s.type("a")
        if isComposing { s.session.deliver([.preeditStart, s.draw("あ", over: 0)]) }
        if hasNext { s.session.activate(nextContext) } else { s.session.deactivate(s.context) }
        #expect(s.link.resets == 1)
        s.pass(150)
        s.session.deliver(isComposing ? [.resetReply("亜")] : [.commit("亜"), .resetReply(nil)])
        #expect(s.view.string == "亜" && next.string == "")
        s.type("b")
        #expect(next.string == (hasNext ? "b" : "") && s.link.sent.count == 1)
        s.session.activate(s.context)
        s.pass(60)
        s.type("c")
        #expect(s.link.sent.count == 2)
    }

    @Test func aViewThatIsGoneTakesItsCompositionAlong() {
        let s = Scene()
        var view: ReferenceTextView? = ReferenceTextView("", columns: 40)
        let context = view.map { TextInputContext(client: $0) }
        context.map(s.session.activate)
        s.type("a")
        s.session.deliver([.preeditStart, s.draw("あ", over: 0)])
        #expect(view?.string == "あ")
        view = nil
        s.session.activate(s.context)
        #expect(s.link.resets == 1)
        s.session.deliver([s.draw("あい", over: 1), .commit("あい"), .resetReply(nil)])
        #expect(s.view.string == "")
    }

    /// The method stops for a while; the user types on, each letter at another position.
    @Test func lateCommitsGoToTheirOwnPositions() {
        let s = Scene()
        s.view.content.replace(0..<0, with: "............")
        s.view.content.selection = 0..<0
        for place in 1...12 {
            s.type("k")
            s.pass(50)
            s.click(UTF16Offset(place))
            s.pass(50)
        }
        #expect(s.link.sent.count == 12 && s.link.resets == 12)
        for letter in "ABCDEFGHIJKL" { s.session.deliver([.commit(String(letter)), .resetReply(nil)]) }
        #expect(s.view.string == "A.B.C.D.E.F.G.H.I.J.K.L.")
    }
}
