import InkstoneBase
import InkstoneInput
import InkstoneTesting
import Testing

/// ibus gives keys back out of order when they come fast; a composition must not be broken up by it.
@Suite struct OutOfOrderTests {
    private final class Link: InputMethodLink {
        var isEngaged = true
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
}
