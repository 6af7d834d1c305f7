import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

/// When the client has ended a composition, ibus commits its text later: at the composition's position, or nowhere
/// if it is there already.
@Suite(.timeLimit(.minutes(5))) struct LateCommitTests {
    private final class Link: MatchedMethod {
        let matched = MatchedAnswers()
        var isEngaged = true
        var traits = InputMethodTraits()
        var last = KeyTicket(rawValue: 0)
        func forward(_ key: KeyEvent, raw: (any Sendable)?, ticket: KeyTicket) {
            last = ticket
            matched.didSend(key, ticket, to: self)
        }
        func setSpot(_ rect: RootRect?) {}
        func reset() {}
        func focusIn() {}
        func focusOut() {}
    }

    /// Two views of a window; あ is being composed in the first.
    private final class Scene {
        var view: ReferenceTextView? = ReferenceTextView("<....>", columns: 40)
        let other = ReferenceTextView("", columns: 40)
        let link = Link()
        let session: InputSession
        let next: TextInputContext
        private var context: TextInputContext?
        private let time = Time()

        final class Time { var now = 1000.0 }

        init(isIBus: Bool) {
            session = InputSession(clock: { [time] in time.now })
            link.traits = InputMethodTraits(returnsKeysOutOfTurn: isIBus, reportsQuiet: isIBus)
            next = TextInputContext(client: other)
            next.session = session
            session.link = link
            view.map {
                $0.content.selection = 1..<1
                let context = TextInputContext(client: $0)
                session.activate(context)
                self.context = context
            }
            session.windowFocusChanged(true)
            type("a")
            session.deliver([.preeditStart, draw("あ", over: 0)])
            if isIBus { session.deliver([.quiet(through: link.last)]) }
            pass(100)
        }

        var text: String { view?.string ?? "" }

        func type(_ letter: Unicode.Scalar) {
            session.handle(KeyEvent(keysym: Keysym(letter), characters: String(letter)))
            // For a moment after a reset, keys wait.
            pass(30)
        }

        func draw(_ text: String, over length: Int) -> InputMethodEvent {
            .preeditDraw(
                PreeditDraw(caret: text.unicodeScalars.count, changeFirst: 0, changeLength: length, text: text))
        }

        func pass(_ milliseconds: Double) {
            time.now += milliseconds
            session.advance()
        }

        func end(_ how: Ending, reply: String?) {
            switch how {
            case .click: session.perform(.press) { [view] in view?.content.selection = 6..<6 }
            case .otherView: session.perform(.press) { [next] in next.activate() }
            case .escape:
                context?.perform(.cancelOperation)
                view?.content.selection = 6..<6
            case .focusLost:
                session.windowFocusChanged(false)
                view?.content.selection = 6..<6
            }
            pass(10)
            session.deliver([.resetReply(reply)])
            pass(20)
        }

        func dropView() { (view, context) = (nil, nil) }
    }

    enum Ending: String, CaseIterable, Sendable {
        case click, otherView, escape, focusLost
    }

    @Test(arguments: Ending.allCases, [nil, "あ"])
    func aCommitAfterTheResetStaysWhereItWasComposed(_ ending: Ending, reply: String?) {
        for isIBus in [false, true] {
            for (text, hasKey) in [("あ", false), ("あ", true), ("愛", false)] {
                for late in [5.0, 100, 300, 1500] {
                    let s = Scene(isIBus: isIBus)
                    s.end(ending, reply: reply)
                    if ending == .focusLost { s.session.windowFocusChanged(true) }
                    if hasKey { s.type("b") }
                    s.pass(late)
                    s.session.deliver([.commit(text)])
                    let inserted = reply == nil || reply == text ? text : "あ" + text
                    let label: Comment = "\(isIBus) \(text) \(hasKey) \(late)"
                    #expect(s.text == "<\(inserted)....>" && s.other.string == "", label)
                    // The next composition is at the caret.
                    if !hasKey { s.type("b") }
                    s.session.deliver([.preeditStart, s.draw("い", over: 0)])
                    s.session.deliver([.commit("い"), s.draw("", over: 1), .preeditDone])
                    let (here, there) = ending == .otherView ? ("", "い") : ("い", "")
                    #expect(s.text == "<\(inserted)....\(here)>" && s.other.string == there, label)
                }
            }
        }
    }

    @Test(arguments: [false, true], [false, true])
    func aCommitForALaterKeyIsForTheCaret(isIBus: Bool, isClearedFirst: Bool) {
        for late in [5.0, 300, 1500] {
            let s = Scene(isIBus: isIBus)
            s.end(.click, reply: nil)
            s.type("b")
            s.pass(late)
            s.session.deliver((isClearedFirst ? [s.draw("", over: 1), .preeditDone] : []) + [.commit("い")])
            #expect(s.text == "<あ....い>")
        }
    }

    @Test func aLateCommitFollowsItsAnchor() {
        let s = Scene(isIBus: false)
        s.end(.click, reply: nil)
        s.view?.content.replace(0..<0, with: "12")
        s.pass(400)
        s.session.deliver([.commit("愛")])
        #expect(s.text == "12<愛....>")
    }

    @Test(arguments: [nil, "あ"]) func aLateCommitForAViewThatIsGoneIsDropped(reply: String?) {
        let s = Scene(isIBus: false)
        s.end(.otherView, reply: reply)
        s.dropView()
        s.pass(400)
        s.session.deliver([.commit("愛")])
        #expect(s.other.string == "")
    }
}
