import InkstoneBase
import InkstoneInput
import InkstoneTesting
import Testing

/// Windows that share an input method send it their input in one order, although each waits for its own keys.
@Suite(.timeLimit(.minutes(5))) struct InputQueueTests {
    /// Two windows, and a server that composes in the focused one and drops the composition when the focus leaves,
    /// as ibus does.
    final class Desk {
        final class Side: MatchedMethod {
            let matched = MatchedAnswers()
            let name: String
            let view: ReferenceTextView
            let context: TextInputContext
            let session: InputSession
            unowned let desk: Desk
            var isEngaged = true
            var preedit = ""

            init(_ name: String, _ desk: Desk, _ queue: InputQueue) {
                self.name = name
                self.desk = desk
                view = ReferenceTextView("", columns: 40)
                context = TextInputContext(client: view)
                session = InputSession(queue: queue, clock: { [unowned desk] in desk.now })
                session.link = self
                session.activate(context)
            }

            func forward(_ key: KeyEvent, raw: (any Sendable)?, ticket: KeyTicket) {
                matched.didSend(key, ticket, to: self)
                guard key.phase != .up else { return }
                desk.log.append("\(name) \(key.characters)")
                desk.attend(to: self)
                desk.later(desk.delay) { [self] in
                    let old = preedit.unicodeScalars.count
                    if key.keysym == .backSpace { preedit.removeLast() } else { preedit += key.characters }
                    return (self, [desk.draw(preedit, over: old)])
                }
            }

            func reset() {
                desk.later(0.3) { [self] in
                    preedit = ""
                    return (self, [.resetReply(nil)])
                }
            }

            func focusIn() {
                desk.log.append("\(name) in")
                desk.attend(to: self)
            }

            func focusOut() {
                desk.log.append("\(name) out")
                desk.attend(to: nil)
            }

            func setSpot(_ rect: RootRect?) {}
        }

        var now = 1000.0
        var log: [String] = []
        let delay: Double
        private(set) var sides: [Side] = []
        private var attended: Side?
        private var queue: [(at: Double, answer: () -> (Side, [InputMethodEvent]))] = []
        private var busyUntil = 0.0

        init(delay: Double) {
            self.delay = delay
            let queue = InputQueue()
            sides = ["one", "two"].map { Side($0, self, queue) }
        }

        func draw(_ text: String, over length: Int) -> InputMethodEvent {
            let count = text.unicodeScalars.count
            return .preeditDraw(
                PreeditDraw(
                    caret: count, changeFirst: 0, changeLength: length, text: text.isEmpty ? nil : text,
                    feedback: Array(repeating: .underline, count: count)))
        }

        func later(_ delay: Double, _ answer: @escaping () -> (Side, [InputMethodEvent])) {
            busyUntil = max(busyUntil, now) + delay
            queue.append((busyUntil, answer))
        }

        /// When the server handles a focus change, it drops the other window's composition.
        func attend(to side: Side?) {
            guard side !== attended else { return }
            if let old = attended {
                later(0.1) { [self] in
                    defer { old.preedit = "" }
                    return (
                        old,
                        old.preedit.isEmpty ? [] : [draw("", over: old.preedit.unicodeScalars.count), .preeditDone]
                    )
                }
            }
            attended = side
        }

        func focus(_ index: Int) {
            sides[1 - index].session.windowFocusChanged(false)
            sides[index].session.windowFocusChanged(true)
        }

        func type(_ index: Int, _ character: Character) {
            strike(index, Keysym(character.unicodeScalars.first ?? " "), String(character))
        }

        func strike(_ index: Int, _ keysym: Keysym, _ characters: String = "") {
            for phase in [KeyEvent.Phase.down, .up] {
                sides[index].session.handle(
                    KeyEvent(phase: phase, keycode: 38, keysym: keysym, characters: characters))
            }
        }

        func run(_ milliseconds: Double) {
            let end = now + milliseconds
            while true {
                let due = (sides.compactMap(\.session.nextDeadline) + queue.map(\.at)).min()
                guard let due, due <= end else { break }
                now = max(now, due)
                if let first = queue.first, first.at <= now {
                    queue.removeFirst()
                    let (side, events) = first.answer()
                    side.session.deliver(events)
                } else {
                    for side in sides where side.session.nextDeadline.map({ $0 <= now }) ?? false {
                        side.session.advance()
                    }
                }
            }
            now = end
        }
    }

    @Test(arguments: [0.2, 3, 15, 40, 100])
    func focusThatSwingsLosesNothing(delay: Double) {
        let desk = Desk(delay: delay)
        var expected: [String] = []
        var texts = ["", ""]
        desk.focus(0)
        desk.log = []
        for (number, letter) in "abcdefghij".enumerated() {
            let index = number % 2
            if number > 0 {
                desk.focus(index)
                expected += [["one", "two"][1 - index] + " out", ["one", "two"][index] + " in"]
            }
            desk.type(index, letter)
            expected.append("\(["one", "two"][index]) \(letter)")
            texts[index].append(letter)
            desk.run(1)
        }
        desk.run(5000)
        #expect(desk.log == expected)
        #expect(desk.sides.map(\.view.string) == texts)
    }

    @Test func entriesThatWaitForAnotherWindowContinueWhenItIsGone() {
        let desk = Desk(delay: 40)
        desk.focus(0)
        desk.type(0, "a")
        desk.focus(1)
        desk.type(1, "b")
        #expect(desk.sides[1].session.isWaiting)
        // Nobody calls the closed window for its deadlines.
        let two = desk.sides[1].session
        while let due = two.nextDeadline, desk.log.last != "two b", due < desk.now + 1000 {
            desk.now = max(desk.now, due)
            two.advance()
        }
        #expect(desk.log == ["one in", "one a", "one out", "two in", "two b"])
    }

    @Test func aWindowWithNothingToWaitForHoldsUpNobody() {
        let desk = Desk(delay: 0.2)
        desk.focus(0)
        desk.type(0, "a")
        desk.run(100)
        desk.focus(1)
        desk.type(1, "b")
        #expect(desk.log.last == "two b")
    }

    /// The key that deleted the last letter has been answered: a composition after a click is not another answer to
    /// that key.
    @Test func aCompositionAfterAClickIsNotTheAnswerToAnEarlierClearingKey() {
        let desk = Desk(delay: 0.2)
        let side = desk.sides[0]
        desk.focus(0)
        side.view.insertText("12", replacementRange: .notFound)
        desk.type(0, "a")
        desk.run(10)
        desk.strike(0, .backSpace)
        desk.run(30)
        #expect(side.view.string == "12" && !side.view.hasMarkedText())
        side.session.perform(.press) { side.view.select(0..<0) }
        desk.type(0, "b")
        desk.type(0, "c")
        desk.run(1000)
        #expect(side.view.string == "bc12")
    }

    /// The method is reset while it composes あ, and the user composes the same letter again at once: the commit
    /// belongs to the second.
    @Test func aCommitThatReadsLikeTheTextBeforeBelongsToWhatIsComposed() {
        let desk = Desk(delay: 0.2)
        let side = desk.sides[0]
        desk.focus(0)
        desk.type(0, "a")
        desk.run(30)
        side.session.perform(.press) {}
        desk.run(30)
        desk.type(0, "a")
        desk.run(30)
        #expect(side.view.string == "aa" && side.view.hasMarkedText())
        side.session.deliver([.commit("a"), desk.draw("", over: 1), .preeditDone])
        side.preedit = ""
        desk.run(1000)
        #expect(side.view.string == "aa" && !side.view.hasMarkedText())
        // The caret is after both.
        desk.type(0, "b")
        desk.run(1000)
        #expect(side.view.string == "aab")
    }
}
