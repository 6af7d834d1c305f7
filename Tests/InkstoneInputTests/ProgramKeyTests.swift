import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import Testing

/// Keys with an action of the program, such as Return in a prompt, which is performed if no input method has used
/// the key.
@Suite(.timeLimit(.minutes(5))) struct ProgramKeyTests {
    private final class Link: MatchedMethod {
        let matched = MatchedAnswers()
        var isEngaged = true
        var traits = InputMethodTraits()
        var sent: [InputMethodEvent] = []
        var action: ((KeyEvent) -> Void)?
        func forward(_ key: KeyEvent, raw: (any Sendable)?, ticket: KeyTicket) {
            sent.append(.key(key, ticket))
            matched.didSend(key, ticket, to: self)
        }
        func isForProgram(_ key: KeyEvent) -> Bool { key.keysym == .return && action != nil }
        func performForProgram(_ key: KeyEvent) { action?(key) }
        func setSpot(_ rect: RootRect?) {}
        func reset() {}
        func focusIn() {}
        func focusOut() {}
    }

    private final class Scene {
        let view = ReferenceTextView("", columns: 40)
        let other = ReferenceTextView("", columns: 40)
        let link = Link()
        let (context, otherContext): (TextInputContext, TextInputContext)
        let session: InputSession
        var now = 1000.0
        /// The actions in order: the text at a Return, and `behind` for input that waited for it.
        var done: [String] = []

        init(returnsKeysOutOfTurn: Bool = true) {
            (context, otherContext) = (TextInputContext(client: view), TextInputContext(client: other))
            var clock: () -> Double = { 0 }
            session = InputSession(clock: { clock() })
            clock = { [unowned self] in now }
            link.traits.returnsKeysOutOfTurn = returnsKeysOutOfTurn
            link.action = { [unowned self] _ in done.append(view.string) }
            session.link = link
            session.activate(context)
            session.windowFocusChanged(true)
        }

        func type(_ text: String) {
            for character in text {
                let keysym: Keysym = character == "\n" ? .return : Keysym(character.unicodeScalars.first ?? " ")
                session.handle(KeyEvent(keysym: keysym, characters: character == "\n" ? "\r" : String(character)))
            }
        }

        func waitBehind() {
            session.perform(.command, endsComposition: false) { [unowned self] in done.append("behind") }
        }

        func draw(_ text: String, over length: Int) -> InputMethodEvent {
            let count = text.unicodeScalars.count
            return .preeditDraw(
                PreeditDraw(caret: count, changeFirst: 0, changeLength: length, text: text.isEmpty ? nil : text))
        }
    }

    // The order of ibus-hangul's answers.
    @Test func aReturnThatComesBackBeforeTheMarkedSyllableIsCommittedWaitsForIt() {
        let s = Scene()
        s.type("g")
        s.session.deliver([.preeditStart, s.draw("ㅎ", over: 0)])
        s.type("\n")
        s.waitBehind()
        s.session.deliver([s.link.sent[1]])
        #expect(s.done == [] && s.view.string == "ㅎ")
        s.session.deliver([s.draw("", over: 1), .preeditDone, .commit("ㅎ")])
        #expect(s.done == ["ㅎ", "behind"])
        #expect(s.view.string == "ㅎ")
    }

    @Test func aReturnThatOvertakesTheWholeSyllableWaitsForIt() throws {
        let s = Scene()
        s.type("g\n")
        s.waitBehind()
        s.session.deliver([s.link.sent[1]])
        #expect(s.done == [])
        s.session.deliver([.preeditStart, s.draw("ㅎ", over: 0)])
        #expect(s.done == [])
        s.session.deliver([.commit("ㅎ"), s.draw("", over: 1), .preeditDone])
        #expect(s.done == ["ㅎ"])
        s.now = try #require(s.session.nextDeadline)
        s.session.advance()
        #expect(s.done == ["ㅎ", "behind"])
    }

    @Test func aReturnIsNoAnswerWhileTheMethodGoesOnComposing() throws {
        let s = Scene()
        s.type("g")
        s.session.deliver([.preeditStart, s.draw("ㅎ", over: 0)])
        s.type("\n")
        s.waitBehind()
        s.session.deliver([s.link.sent[1]])
        s.now = try #require(s.session.nextDeadline)
        s.session.advance()
        #expect(s.done == ["behind"], "the key was the view's")
    }

    @Test(arguments: [false, true]) func aReturnThatComesBackLateAnswersNoOtherPrompt(_ isOutOfTurn: Bool) {
        let s = Scene(returnsKeysOutOfTurn: isOutOfTurn)
        s.type("\n")
        s.now += 20000
        s.session.activate(s.otherContext)
        s.session.deliver([s.link.sent[0]])
        #expect(s.done == [] && s.other.string == "")
        s.type("\n")
        s.session.deliver([s.link.sent[1]])
        #expect(s.done == [""], "one that was struck there does")
    }

    @Test func aClickInTheSameFieldTakesNoReturnFromTheProgram() {
        let s = Scene(returnsKeysOutOfTurn: false)
        s.type("\n")
        s.session.perform(.press) { s.view.content.selection = 0..<0 }
        s.now += 20000
        s.session.advance()
        s.session.deliver([s.link.sent[0]])
        #expect(s.done == [""] && s.view.string == "")
    }

    @Test func theAnswersBeforeAKeyDecideWhatItDoes() {
        let s = Scene(returnsKeysOutOfTurn: false)
        s.link.action = { _ in
            s.done.append("opened")
            s.session.activate(s.otherContext)
        }
        s.type("\n\n")
        s.session.deliver([s.link.sent[0], s.link.sent[1]])
        #expect(s.done == ["opened"] && s.other.string == "")
    }

    @Test func aReturnThatWaitedWhenTheMethodDiedIsTheProgramsAlso() {
        let s = Scene()
        s.type("g\n")
        s.session.deliver([s.link.sent[1]])
        #expect(s.done == [])
        s.link.isEngaged = false
        s.session.lose(afterSilence: 10000)
        #expect(s.done == ["g"] && s.view.string == "g")
    }

    @Test func aReturnThatWasNeverAnsweredIsTheProgramsAlso() {
        let s = Scene()
        s.type("g\n")
        s.link.isEngaged = false
        s.session.lose(afterSilence: 10000)
        #expect(s.done == ["g"] && s.view.string == "g")
    }

    /// A replay has no program, and would type these keys.
    @Test func aTraceShowsNoKeysOfTheProgram() throws {
        let s = Scene(returnsKeysOutOfTurn: false)
        var records: [TraceRecord] = []
        s.session.onRecord = { records.append($0) }
        s.type("g\n")
        s.session.deliver(s.link.sent)
        #expect(s.done == ["g"])
        let keys = records.compactMap { record -> Keysym? in
            guard case .event(.key(let key, _), _) = record.event else { return nil }
            return key.keysym
        }
        #expect(keys == [Keysym("g"), 0xffe1])
    }
}
