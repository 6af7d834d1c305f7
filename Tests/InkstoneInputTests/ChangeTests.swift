import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

@Suite(.timeLimit(.minutes(5))) struct ChangeTests {
    @Test func editsCombineIntoOneChange() {
        var random = SeededGenerator()
        for _ in 0..<2000 {
            let store = TextStore(Rope("0123456789"))
            let old = Array("0123456789")
            var change: TextChange?
            let token = store.observeTransactions {
                let next = TextChange($0.changes, to: $0.text)
                if change == nil { change = next } else { change?.append(next) }
            }
            for step in 0..<3 {
                let length = store.text.utf16Range.length()
                let a = Int.random(in: 0...length, using: &random)
                let b = Int.random(in: a...length, using: &random)
                store.replace(UTF16Offset(a)..<UTF16Offset(b), with: String(repeating: "abc"[step], count: step))
            }
            _ = token
            guard let change else { continue }
            let new = store.text.string(in: store.text.byteRange)
            var rebuilt = old
            for section in change.changes.changeMap.reversed() {
                let piece = Array(new)[section.newStart.utf16..<section.newEnd.utf16]
                rebuilt.replaceSubrange(section.oldStart.utf16..<section.oldEnd.utf16, with: piece)
            }
            #expect(String(rebuilt) == new && change.text == store.text, "seed \(random.seed)")
        }
    }

    @Test func aCompositionIsReportedOnceAndACancelledOneNever() async throws {
        let view = ReferenceTextView("ab")
        var received: [String] = []
        view.onTextChange = { _ in received.append(view.string) }
        var stream = view.changes.changes.makeAsyncIterator()
        let s = Simulation("")
        let context = TextInputContext(client: view, session: s.session)
        s.session.activate(context)
        s.session.link = nil
        let draw = { (text: String, length: Int) in
            InputMethodEvent.preeditDraw(PreeditDraw(caret: 9, changeFirst: 0, changeLength: length, text: text))
        }
        context.receive([draw("に", 0)])
        context.receive([draw("にほ", 1)])
        #expect(received.isEmpty)
        context.receive([.commit("日")])
        #expect(received == ["ab日"])
        context.receive([.preeditDone, .preeditStart, draw("x", 0)])
        context.receive([draw("", 1), .preeditDone])
        s.run(20)
        #expect(view.string == "ab日")
        #expect(received == ["ab日"])
        #expect(view.changes.revision.value == 1)
        #expect(try await stream.next()?.description == "2..<2 → 2..<3")
    }

    @Test func focusGoesOnlyToThoseWhoTakeItAndStaysWithThoseWhoRefuse() {
        final class Stubborn: Responder {
            var canBecomeFirstResponder: Bool { true }
            func resignFirstResponder() -> Bool { false }
        }
        final class Plain: Responder {}
        let focus = FocusSystem()
        let view = ReferenceTextView("a")
        let stubborn = Stubborn()
        let plain = Plain()
        var changes: [FocusSystem.Change] = []
        focus.onChange = { changes.append($0) }
        #expect(!focus.makeFirstResponder(plain))
        #expect(focus.makeFirstResponder(view))
        #expect(changes == [.responder, .inputViews])
        #expect(focus.makeFirstResponder(stubborn))
        #expect(!focus.makeFirstResponder(view))
        #expect(focus.firstResponder === stubborn)
        #expect(focus.responder(after: view, in: [view, plain, stubborn]) === stubborn)
        #expect(focus.responder(after: stubborn, in: [view, plain, stubborn]) === view)
    }

    @Test func aHalfImplementedClientIsWarnedOfWhatWillNotWork() {
        let pin = TextInputCapabilities(of: PinField())
        #expect(pin.supports(.keyInput) && pin.supports(.focus))
        #expect(pin.missing[.inputMethod]?.contains("TextInputClient") == true)
        let view = ReferenceTextView("")
        #expect(TextInputCapabilities(of: view).missing.isEmpty)
        view.isSecureTextEntry = true
        #expect(TextInputCapabilities(of: view).missing[.inputMethod]?.contains("secure") == true)
    }
}

extension String {
    fileprivate subscript(_ index: Int) -> Character { self[self.index(startIndex, offsetBy: index)] }
}
