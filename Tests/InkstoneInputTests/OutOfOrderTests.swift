import InkstoneBase
import InkstoneInput
import InkstoneTesting
import Testing

/// ibus gives keys back out of order when they come fast; a composition must not be broken up by it.
@Suite(.timeLimit(.minutes(5))) struct OutOfOrderTests {
    private final class Link: InputMethodLink {
        var isEngaged = true
        var composesUnseen = false
        var sent: [(key: KeyEvent, ticket: KeyTicket)] = []
        var resets = 0
        func forward(_ key: KeyEvent, raw: (any Sendable)?, ticket: KeyTicket) { sent.append((key, ticket)) }
        func setSpot(_ rect: RootRect?) {}
        func reset() { resets += 1 }
        func focusIn() {}
        func focusOut() {}
    }

    private final class Scene {
        let view = ReferenceTextView("", columns: 40)
        let link = Link()
        let context: TextInputContext
        let session: InputSession
        var now = 1000.0

        init() {
            context = TextInputContext(client: view)
            var clock: () -> Double = { 0 }
            session = InputSession(clock: { clock() })
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

        func giveBack(_ index: Int) -> InputMethodEvent { .key(link.sent[index].key, link.sent[index].ticket) }
    }

    @Test func aReturnThatComesBackDuringTheNextWordGoesBeforeIt() {
        let s = Scene()
        s.type("a \nbc")
        s.session.receive([.preeditStart, s.draw("あ", over: 0)])
        s.session.receive([.commit("亜"), s.draw("", over: 1), .preeditDone])
        s.session.receive([.preeditStart, s.draw("b", over: 0)])
        s.session.receive([s.giveBack(2)])
        #expect(s.view.string == "亜\nb")
        #expect(s.link.resets == 0)
        s.session.receive([s.draw("bc", over: 1)])
        s.session.receive([.commit("墨"), s.draw("", over: 2), .preeditDone])
        #expect(s.view.string == "亜\n墨")
    }

    @Test func aReturnThatOvertakesTheCommitWaitsForIt() {
        let s = Scene()
        s.type("a \nbc")
        s.session.receive([.preeditStart, s.draw("あ", over: 0)])
        s.session.receive([s.draw("亜", over: 1)])
        s.session.receive([s.giveBack(2)])
        #expect(s.view.string == "亜")
        #expect(s.link.resets == 0)
        s.session.receive([.commit("亜"), s.draw("", over: 1), .preeditDone])
        #expect(s.view.string == "亜\n")
        s.session.receive([.preeditStart, s.draw("b", over: 0)])
        #expect(s.view.string == "亜\nb")
    }

    // ibus with m17n engines.
    @Test func aSpaceThatOvertakesTheCommitWaitsForItAlsoIfEachKeyShowsTheWordAnew() {
        let s = Scene()
        s.type("an ")
        s.session.receive([.preeditStart, s.draw("a", over: 0)])
        s.session.receive([
            s.draw("", over: 1), .preeditDone, .preeditStart, s.draw("a", over: 0), s.draw("an", over: 1),
        ])
        s.session.receive([
            s.giveBack(2), s.draw("", over: 2), .preeditDone, .preeditStart, s.draw("an", over: 0), s.draw("", over: 2),
            .preeditDone, .commit("an"),
        ])
        #expect(s.view.string == "an ")
    }

    // ibus with an m17n engine, when the window has just got the focus.
    @Test func aSpaceThatOvertakesTheWholeCompositionWaitsForIt() {
        let s = Scene()
        s.type("aa ")
        s.session.receive([s.giveBack(2)])
        #expect(s.view.string == "")
        s.now += 2
        s.session.receive([.preeditStart, s.draw("a", over: 0)])
        s.session.receive([s.draw("", over: 1), .preeditDone, .preeditStart, s.draw("â", over: 0)])
        s.now += 30
        s.session.advance()
        #expect(s.view.string == "â", "a composition that has begun is waited for longer")
        s.session.receive([s.draw("", over: 1), .preeditDone, .commit("â")])
        #expect(s.view.string == "â ")
        #expect(s.link.resets == 0)
    }

    // fcitx5 hangul: one commit for several keys, so that some have no answer of their own.
    @Test func aCommitThatFollowsAKeyGivenBackComesAfterIt() {
        for isHeard in [false, true] {
            let s = Scene()
            s.type("ab \ncd")
            if isHeard { s.session.receive([.commit("A")]) }
            s.session.receive([s.giveBack(2)])
            s.session.receive([s.giveBack(3)])
            #expect(s.view.string == (isHeard ? "A \n" : ""))
            s.session.receive([.commit("C")])
            #expect(s.view.string == (isHeard ? "A \nC" : " \nC"))
        }
    }

    // Draws that the server has merged leave keys without an answer too.
    @Test func aSpaceBetweenTwoMergedCompositionsStaysThere() {
        let s = Scene()
        s.type("abc de")
        s.session.receive([.preeditStart, s.draw("x", over: 0)])
        s.session.receive([.commit("x"), s.draw("", over: 1), .preeditDone])
        s.now += 30
        s.session.advance()
        s.session.receive([s.giveBack(3)])
        s.session.receive([.preeditStart, s.draw("y", over: 0)])
        #expect(s.view.string == "x y")
        s.session.receive([.commit("y"), s.draw("", over: 1), .preeditDone])
        #expect(s.view.string == "x y")
    }

    @Test func aKeyThatHasOvertakenASilentOneIsTypedInAMoment() {
        let s = Scene()
        s.type("a ")
        s.session.receive([s.giveBack(1)])
        #expect(s.view.string == "")
        #expect((s.session.nextDeadline ?? .infinity) <= s.now + 20)
        s.now += 20
        s.session.advance()
        #expect(s.view.string == " ")
    }

    @Test func whatComesAfterAKeyThatWaitsComesAfterIt() {
        let s = Scene()
        var seen: String?
        s.type("a ")
        s.session.receive([s.giveBack(1)])
        s.session.perform(.press) { seen = s.view.string }
        s.now = s.session.nextDeadline ?? 0
        s.session.advance()
        #expect(seen == " ")
    }

    @Test func aReturnThatNoCommitFollowsEndsTheComposition() {
        let s = Scene()
        s.type("a\nb")
        s.session.receive([.preeditStart, s.draw("あ", over: 0)])
        s.session.receive([s.giveBack(1)])
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
        s.session.receive([.commit("A")])
        s.now += 300
        s.session.advance()
        #expect(saved == nil)
        s.session.receive([.commit("B")])
        s.now = s.session.nextDeadline ?? 0
        s.session.advance()
        #expect(saved == "AB")
    }

    @Test func savingDoesNotWaitForAMethodThatNeverAnswers() {
        let s = Scene()
        var isSaved = false
        s.type("a")
        s.session.perform(.save) { isSaved = true }
        s.now += 2500
        s.session.advance()
        #expect(isSaved)
    }

    // What ibus with an m17n engine sends for the key that ends a word (1.5.27): the key first, then all of the word again.
    @Test func theKeyThatEndsAWordComesAfterIt() {
        let s = Scene()
        s.type("aa")
        s.session.receive([.preeditStart, s.draw("â", over: 0)])
        s.now += 100
        s.type(" ")
        s.session.receive([
            s.giveBack(2), s.draw("", over: 1), .preeditDone, .preeditStart, s.draw("â", over: 0), s.draw("", over: 1),
            .preeditDone, .commit("â"),
        ])
        #expect(s.view.string == "â ")
        #expect(s.link.resets == 0, "the composition is not broken up")
    }

    @Test func aWordThatIsDrawnAnewAfterItsEndStandsOnce() {
        let s = Scene()
        s.type("aa")
        s.session.receive([.preeditStart, s.draw("â", over: 0)])
        s.now += 100
        s.type(" ")
        s.session.receive([s.giveBack(2)])
        s.session.receive([
            s.draw("", over: 1), .preeditDone, .preeditStart, s.draw("â", over: 0), s.draw("", over: 1), .preeditDone,
            .commit("â"),
        ])
        s.session.receive([.resetReply(nil)])
        #expect(s.view.string == "â ")
    }

    @Test(arguments: [60.0, 500]) func whatOnlyTheMethodShowsStaysWhereItWasTyped(_ pause: Double) {
        let s = Scene()
        s.link.composesUnseen = true
        s.view.content.replace(0..<0, with: "<>")
        s.view.content.selection = 1..<1
        s.type("kana")
        s.now += pause
        s.session.perform(.press) { s.view.content.selection = 2..<2 }
        #expect(s.link.resets == 1)
        s.session.receive([.commit("かな"), .resetReply(nil)])
        s.now += 60
        s.session.advance()
        s.type("a")
        s.session.receive([.commit("あ")])
        #expect(s.view.string == "<かな>あ")
    }

    @Test func aKeyWithoutAnAnswerOfItsOwnDoesNotHoldTheNextPlaceBack() {
        let s = Scene()
        s.view.content.replace(0..<0, with: "<>")
        s.view.content.selection = 1..<1
        s.type("a")
        s.session.receive([.preeditStart, s.draw("あ", over: 0)])
        s.type("\u{1b}")
        s.session.receive([s.draw("", over: 1), .preeditDone])
        s.now += 60
        s.session.advance()
        s.session.perform(.press) { s.view.content.selection = 2..<2 }
        s.type("b")
        s.session.receive([.preeditStart, s.draw("い", over: 0), .commit("い"), s.draw("", over: 1), .preeditDone])
        #expect(s.view.string == "<>い")
    }

    /// Return and then BackSpace, typed fast: one clearing goes with the commit, the other answers BackSpace.
    @Test func aClearingSoonAfterACommitAnswersItsOwnKey() {
        let s = Scene()
        s.view.content.replace(0..<0, with: "<>")
        s.view.content.selection = 1..<1
        s.type("a\nb\u{8}")
        s.session.receive([
            .preeditStart, s.draw("あ", over: 0), .commit("あ"), s.draw("", over: 1), .preeditDone, .preeditStart,
            s.draw("い", over: 0), s.draw("", over: 1), .preeditDone,
        ])
        s.now += 40
        s.session.perform(.press) { s.view.content.selection = 3..<3 }
        #expect(s.link.resets == 0, "nothing is on its way")
        s.type("c")
        s.session.receive([.preeditStart, s.draw("う", over: 0)])
        #expect(s.view.string == "<あ>う")
    }

    /// BackSpace takes a letter away and the same is typed again: that is composed anew, and not only shown again.
    @Test func theSameLetterTypedAgainAfterBackSpaceIsAnAnswer() {
        let s = Scene()
        s.view.content.replace(0..<0, with: "<>")
        s.view.content.selection = 1..<1
        s.type("a\u{8}a")
        s.session.receive([
            .preeditStart, s.draw("あ", over: 0), s.draw("", over: 1), .preeditDone, .preeditStart, s.draw("あ", over: 0),
        ])
        s.now += 40
        s.session.perform(.press) { s.view.content.selection = 3..<3 }
        s.type("b")
        s.session.receive([.resetReply(nil)])
        s.now += 20
        s.session.advance()
        s.session.receive([.preeditStart, s.draw("い", over: 0)])
        #expect(s.view.string == "<あ>い")
    }

    // What ibus-anthy sends for BackSpace twice, now and then (1.5.27).
    @Test(arguments: [false, true]) func aCommandThatOvertakesTheEndOfACompositionWaitsForIt(together: Bool) {
        let s = Scene()
        s.view.content.replace(0..<0, with: "12")
        s.view.content.selection = 2..<2
        s.type("a")
        s.session.receive([.preeditStart, s.draw("あ", over: 0)])
        for _ in 0..<2 { s.session.handle(KeyEvent(keysym: .backSpace, characters: "\u{8}")) }
        let events = [s.giveBack(2), s.draw("", over: 1), .preeditDone]
        if together { s.session.receive(events) } else { for event in events { s.session.receive([event]) } }
        s.now += 10
        s.session.advance()
        #expect(s.view.string == "1")
        #expect(s.link.resets == 0, "the composition is not broken up")
    }

    // So does it with Return after a BackSpace that takes the only letter away.
    @Test func aReturnThatOvertakesTheEndOfACompositionWaitsForIt() {
        let s = Scene()
        s.type("te\u{8}")
        s.session.receive([.preeditStart, s.draw("t", over: 0)])
        s.type("\n")
        s.session.receive([s.giveBack(3)])
        #expect(s.view.string == "t")
        s.session.receive([s.draw("て", over: 1), s.draw("", over: 1), .preeditDone])
        s.now += 10
        s.session.advance()
        #expect(s.view.string == "\n")
        #expect(s.link.resets == 0, "the composition is not broken up")
    }
}
