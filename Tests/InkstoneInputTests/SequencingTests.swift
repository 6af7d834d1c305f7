import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

/// Keys, clicks and commands keep their order, whatever the input method does and however slow it is.
@Suite(.timeLimit(.minutes(5))) struct SequencingTests {
    static let servers: [Simulation.Server] = {
        var all: [Simulation.Server] = []
        for delay in [0.2, 1, 15, 100, 300] {
            for kind in [Simulation.Kind.forwarding, .committing] {
                all.append(Simulation.Server(kind: kind, delay: delay))
                all.append(Simulation.Server(kind: kind, delay: delay, repliesEarly: true))
            }
            for kind in [Simulation.Kind.composing, .mixed] {
                for reset in Simulation.ResetKind.allCases {
                    for early in [false, true] where !(early && delay > 15) {
                        all.append(Simulation.Server(kind: kind, reset: reset, delay: delay, repliesEarly: early))
                    }
                }
            }
        }
        return all
    }()

    @Test(arguments: servers, [0.0, 3, 30])
    func lettersStandWhereTheyWereTypedAroundAClick(_ server: Simulation.Server, interval: Double) {
        let s = Simulation("<....>", caret: 1, server: server)
        s.type("abc", every: interval)
        s.click(fromEnd: 1)
        s.type("d", every: interval)
        s.waitUntilIdle()
        #expect(s.view.string == "<abc....d>", "\(s.method.log) \(s.calls)")
    }

    /// The text that a composition leaves when something else ends it, for each kind of server (FEATURES I7).
    struct Ending: Sendable, CustomTestStringConvertible {
        var reset: Simulation.ResetKind
        var early: Bool
        var action: String
        var testDescription: String { "\(action), reset \(reset)\(early ? " answered early" : "")" }
    }
    static let endings: [Ending] = Simulation.ResetKind.allCases.flatMap { reset in
        [false, true].flatMap { early in
            ["click elsewhere", "click inside", "focus lost", "deactivated", "command"].map {
                Ending(reset: reset, early: early, action: $0)
            }
        }
    }

    @Test(arguments: endings, [0.2, 40])
    func anEndedCompositionIsInsertedOnceAtItsOldPosition(_ ending: Ending, delay: Double) {
        let server = Simulation.Server(
            kind: .composing, reset: ending.reset, delay: delay, repliesEarly: ending.early)
        let s = Simulation("<....>", caret: 1, server: server)
        s.type("abc", every: 60)
        switch ending.action {
        case "click elsewhere": s.click(fromEnd: 1)
        case "click inside": s.click(fromEnd: 6)
        case "focus lost": s.session.windowFocusChanged(false)
        case "deactivated": s.context.deactivate()
        default: s.session.perform(.command) { s.context.perform(.moveToEndOfDocument) }
        }
        s.waitUntilIdle()
        #expect(s.view.string == "<abc....>", "\(s.method.log) \(s.calls)")
        #expect(!s.view.hasMarkedText())
        #expect(s.view.content.store.canUndo)
        #expect(s.method.log.filter { $0 == "reset" }.count == 1)
    }

    @Test func aPressWaitsForKeysThatAreNotBackYetAndNoLonger() {
        let s = Simulation("", server: Simulation.Server(kind: .forwarding, delay: 7))
        var pressedAt: Double?
        let start = s.now
        s.type("a")
        s.session.perform(.press) { pressedAt = s.now - start }
        s.waitUntilIdle()
        #expect(pressedAt == 7)
    }

    @Test func aPressWaitsForQuietWhenKeysAreConsumed() {
        let s = Simulation("", server: Simulation.Server(kind: .composing, delay: 7))
        var pressedAt: Double?
        let start = s.now
        s.session.handle(KeyEvent(keysym: 0x61, characters: "a"))
        s.session.perform(.press) { pressedAt = s.now - start }
        s.waitUntilIdle()
        #expect(pressedAt == 27)
    }

    @Test func noActionWaitsLongerThanTheLimit() {
        let s = Simulation("", server: Simulation.Server(kind: .composing, delay: 15))
        var pressedAt: Double?
        let start = s.now
        for letter: Unicode.Scalar in ["a", "b", "c", "d", "e", "f", "g", "h"] {
            s.session.handle(KeyEvent(keysym: Keysym(letter), characters: String(letter)))
        }
        s.session.perform(.press) { pressedAt = s.now - start }
        s.waitUntilIdle()
        #expect(pressedAt == 50)
    }

    @Test func aPressWithNothingOnItsWayActsAtOnce() {
        let s = Simulation("", server: Simulation.Server(kind: .composing, delay: 1))
        s.type("abc")
        s.run(100)
        var isPressed = false
        s.session.perform(.press) { isPressed = true }
        #expect(isPressed)
        s.waitUntilIdle()
        #expect(s.view.string == "abc")
    }

    @Test func withoutAMethodEverythingActsAtOnce() {
        let s = Simulation("")
        s.type("ab")
        var text = ""
        s.session.perform(.press) { text = s.view.string }
        #expect(text == "ab")
        #expect(s.session.nextDeadline == nil)
    }

    @Test(arguments: servers)
    func aPriorityCommandComesAfterTheTextBeforeIt(_ server: Simulation.Server) {
        let s = Simulation("<....>", caret: 1, server: server)
        s.view.keyCommands = [
            KeyCommand(
                input: 0x6a, modifierFlags: .control, action: .moveToEndOfDocument,
                wantsPriorityOverSystemBehavior: true)
        ]
        s.type("abc")
        s.run(70)
        // During a composition, the method gets the key, and returns it.
        let isComposing = s.context.isComposing
        s.key(0x6a, "", .control)
        s.type("d")
        s.waitUntilIdle()
        if !isComposing {
            #expect(s.view.string == "<abc....>d", "\(s.method.log) \(s.calls)")
        }
        #expect(s.view.string.contains("abc"), "\(s.calls)")
    }

    @Test func aPasteKeepsItsPlaceAmongKeysButWaitsForNone() {
        let s = Simulation("", server: Simulation.Server(kind: .forwarding, delay: 10))
        s.type("ab")
        s.session.perform(.edit, endsComposition: false) { s.view.insertText("<p>") }
        #expect(s.view.string == "<p>")
        s.waitUntilIdle()
        #expect(s.view.string == "<p>ab")
    }

    @Test(arguments: servers.filter { $0.delay < 2 && $0.reset == .nothing && !$0.repliesEarly })
    func manyKeysAtOnceComeOutInOrder(_ server: Simulation.Server) {
        let s = Simulation("", server: server)
        let isComposing = server.kind == .composing || server.kind == .mixed
        let letters = (0..<(isComposing ? 100 : 1000)).map { String(UnicodeScalar(UInt8(97 + $0 % 26))) }
        for letter in letters { s.type(letter) }
        s.waitUntilIdle()
        #expect(s.view.string == letters.joined())
    }

    @Test func backSpaceThatComesBackLateDeletesWhereItWasTyped() {
        let s = Simulation("<....>", caret: 1, server: Simulation.Server(kind: .forwarding, delay: 100))
        s.type("abx")
        s.key(.backSpace)
        s.type("c")
        s.click(fromEnd: 1)
        s.type("d")
        s.waitUntilIdle()
        #expect(s.view.string == "<abc....d>", "\(s.calls)")
    }

    @Test func keysOnTheirWayReplaceTheSelectionThatTheyWereTypedOver() {
        let s = Simulation("<old....>", server: Simulation.Server(kind: .forwarding, delay: 100))
        s.view.content.selection = 1..<4
        s.type("new")
        s.click(fromEnd: 1)
        s.type("d")
        s.waitUntilIdle()
        #expect(s.view.string == "<new....d>", "\(s.calls)")
    }

    @Test(arguments: Simulation.ResetKind.allCases)
    func twoViewsOfAWindowEachGetTheirOwnText(_ reset: Simulation.ResetKind) {
        let s = Simulation("", server: Simulation.Server(kind: .composing, reset: reset, delay: 30))
        let other = ReferenceTextView("")
        let second = TextInputContext(client: other)
        second.session = s.session
        s.type("abc")
        s.session.perform(.press) { second.activate() }
        s.type("def")
        s.session.perform(.press) { s.context.activate() }
        s.type("ghi ")
        s.waitUntilIdle()
        #expect(s.view.string == "abcghi", "\(s.method.log) \(s.calls)")
        #expect(other.string == "def")
    }

    @Test func keysOfAMethodThatDiesAreTypedInOrder() {
        let s = Simulation("<>", caret: 1, server: Simulation.Server(kind: .composing, delay: 1))
        s.type("ab")
        s.run(50)
        #expect(s.view.string == "<ab>")
        let start = s.now
        // The method hangs while two keys are in flight.
        s.type("cd")
        s.method.isEngaged = false
        s.session.lose(afterSilence: 2000)
        s.type("e")
        #expect(s.view.string == "<abcde>")
        #expect(s.now == start)
        #expect(!s.view.hasMarkedText())
    }

    /// A click and a save wait for keys that the method has when it dies: these keys are inserted first, at their
    /// own position.
    @Test(arguments: [InputItemKind.press, .action, .save])
    func keysThatADeadMethodHadComeBeforeWhatWaitedForThem(_ kind: InputItemKind) {
        let s = Simulation("<....>", caret: 1, server: Simulation.Server(kind: .composing, delay: 1000))
        let keys = ["a", "b"].map { KeyEvent(keysym: Keysym(Unicode.Scalar($0) ?? " "), characters: $0) }
        for key in keys { s.session.handle(key) }
        var seen: String?
        s.session.perform(kind) { [view = s.view] in
            seen = view.string
            view.select(UTF16Offset(view.content.length - 1)..<UTF16Offset(view.content.length - 1))
        }
        #expect(seen == nil && s.session.isWaiting)
        s.method.isEngaged = false
        s.session.lose(afterSilence: 2000)
        #expect(seen == "<ab....>")
        s.type("c")
        #expect(s.view.string == "<ab....c>")
    }

    @Test(arguments: [Simulation.Kind.composing, .mixed], [true, false])
    func aResetThatIsNeverAnsweredDoesNotTakeLaterTextAway(_ kind: Simulation.Kind, keysComeBack: Bool) {
        let s = Simulation("<....>", caret: 1, server: Simulation.Server(kind: kind, reset: .silent))
        s.type("ab", every: 60)
        s.click(fromEnd: 1)
        s.run(100)
        if keysComeBack { s.key(.escape) } else { s.run(2000) }
        s.run(20)
        s.type("cd", every: 60)
        s.waitUntilIdle()
        #expect(s.view.string == "<ab....cd>", "\(s.method.log) \(s.calls)")
    }
}
