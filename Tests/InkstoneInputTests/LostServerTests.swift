import InkstoneBase
import InkstoneInput
import InkstoneTesting
import Testing

/// The text when a server is lost between clearing a composition and committing it.
@Suite(.timeLimit(.minutes(5))) struct LostServerTests {
    /// Creates a server that has drawn 한 and has received another key.
    private func composing(and key: Keysym = 0x72, _ characters: String = "r") -> Simulation {
        let s = Simulation("<....>", caret: 1, server: Simulation.Server(kind: .composing, delay: 100_000))
        s.type("g")
        s.session.deliver([.preeditStart, draw("한")])
        s.key(key, characters)
        return s
    }

    private func draw(_ text: String, over length: Int = 0) -> InputMethodEvent {
        .preeditDraw(
            PreeditDraw(
                caret: text.unicodeScalars.count, changeFirst: 0, changeLength: length, text: text.isEmpty ? nil : text)
        )
    }

    private func lose(_ s: Simulation) {
        s.method.isEngaged = false
        s.session.lose(afterSilence: 0)
    }

    /// The cleared text stays visible for a moment; later it is removed.
    @Test(arguments: [0, 100.0]) func clearedCompositionStaysWhenItsServerDies(after time: Milliseconds) {
        let s = composing()
        s.session.deliver([draw("", over: 1), .preeditDone])
        s.run(time)
        #expect(s.view.string == (time == 0 ? "<한....>" : "<....>"))
        lose(s)
        #expect(s.view.string == "<한r....>", "\(s.calls)")
        #expect(!s.view.hasMarkedText())
        s.type("x")
        #expect(s.view.string == "<한rx....>")
    }

    @Test(arguments: [0, 100.0]) func deletedTextStaysDeleted(after time: Milliseconds) {
        for key in [Keysym.backSpace, .escape] {
            let s = composing(and: key, "")
            s.session.deliver([draw("", over: 1), .preeditDone])
            s.run(time)
            lose(s)
            #expect(s.view.string == "<....>", "\(s.calls)")
        }
    }

    @Test func committedTextIsNotKeptTwice() {
        let s = composing()
        s.session.deliver([draw("", over: 1), .preeditDone, .commit("한")])
        lose(s)
        #expect(s.view.string == "<한....>", "\(s.calls)")
    }

    /// A click between the clearing and the commit.
    @Test(arguments: [0, 60.0]) func clearedTextStaysWhereItWasTyped(after time: Milliseconds) {
        for end in ["death", "commit", "reply"] {
            let s = composing()
            s.session.deliver([draw("", over: 1), .preeditDone])
            s.run(time)
            s.click(fromEnd: 1)
            s.run(60)
            #expect(s.view.string == "<....>")
            switch end {
            case "commit": s.session.deliver([.commit("한")])
            case "reply": s.session.deliver([.resetReply(nil)])
            default: break
            }
            lose(s)
            let kept = ["death": "<한r....>", "commit": "<한....>", "reply": "<....>"][end]
            #expect(s.view.string == kept, "\(end): \(s.calls)")
            s.type("x")
            #expect(s.view.string.hasSuffix("....x>"), "the caret is where the user has put it")
        }
    }

    /// Some servers end a composition without clearing it first.
    @Test(arguments: [0, 100.0]) func textOfAnEndedCompositionStaysToo(after time: Milliseconds) {
        var s = composing()
        s.session.deliver([.preeditDone])
        s.run(time)
        lose(s)
        #expect(s.view.string == "<한r....>", "\(s.calls)")
        s = composing(and: .backSpace, "")
        s.session.deliver([.preeditDone])
        s.run(time)
        lose(s)
        #expect(s.view.string == "<....>", "\(s.calls)")
        s = composing()
        s.session.deliver([.preeditDone, .commit("한")])
        lose(s)
        #expect(s.view.string == "<한....>", "\(s.calls)")
    }

    @Test func aBurstThatNobodyHasAnsweredIsTypedWhole() {
        let s = Simulation("", server: Simulation.Server(kind: .forwarding, delay: 100_000))
        let typed = String(repeating: "abcde", count: 600)
        s.type(typed)
        lose(s)
        #expect(s.view.string == typed)
    }
}
