import Glibc
import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Synchronization
import Testing

/// Keys of a view that answers later: one at a time, in order with other input, and with a time-out.
@Suite(.timeLimit(.minutes(5))) struct AsyncInputTests {
    private static let letters = (0..<200).map { Character(Unicode.Scalar(UInt8(97 + $0 % 26))) }

    /// Keys, a click and a paste keep their order with a handler that takes 300 ms for each of 200 keys.
    @Test(arguments: [nil, .forwarding, .committing, .mixed] as [Simulation.Kind?])
    func twoHundredFastKeysKeepTheirOrderWithASlowHandler(_ kind: Simulation.Kind?) {
        let server = kind.map { Simulation.Server(kind: $0, delay: 2) }
        let (simulation, view) = Simulation.asynchronous(server: server, plan: .handled(after: 300))
        for (index, letter) in Self.letters.enumerated() {
            simulation.press(letter)
            if index == 60 { simulation.session.perform(.edit, endsComposition: false) { view.insertText("<paste>") } }
            if index == 120 { simulation.session.perform(.press) { view.insertText("<click>") } }
            simulation.run(3)
        }
        #expect(simulation.session.isWaiting || kind == .committing)
        simulation.run(80_000)
        #expect(!simulation.session.isWaiting)
        var expected = String(Self.letters[...60]) + "<paste>"
        expected += String(Self.letters[61...120]) + "<click>"
        expected += String(Self.letters[121...])
        // A paste does not wait for the input method's answers, so an earlier key may come after it.
        let (got, wanted) =
            kind == nil ? (view.string, expected) : (without("<paste>", view.string), without("<paste>", expected))
        #expect(got == wanted)
        #expect(view.string.contains("<paste>"))
    }

    private func without(_ part: String, _ text: String) -> String { text.replacing(part, with: "") }

    @Test func oneEntryIsGivenAtATime() {
        let (simulation, view) = Simulation.asynchronous(plan: .handled(after: 100))
        simulation.press("a")
        simulation.press("b", [.down, .repeat, .up])
        #expect(view.log == ["+a"])
        #expect(simulation.context.isAwaitingAnswer)
        simulation.run(99)
        #expect(view.log == ["+a"])
        simulation.run(1)
        #expect(view.log == ["+a", "a", "-a", "+b"])
        simulation.waitUntilIdle()
        #expect(view.log == ["+a", "a", "-a", "+b", "b", "~b", "b", "-b"])
        #expect(view.given.map(\.entry.number) == [1, 2, 3, 4, 5])
    }

    @Test func anEntryThatIsNeverAnsweredCountsAsHandled() {
        let (simulation, view) = Simulation.asynchronous()
        view.plans["a"] = .silent
        simulation.press("a")
        simulation.press("b")
        simulation.run(499)
        #expect(view.log == ["+a"])
        simulation.run(1)
        #expect(view.log == ["+a", "-a", "+b", "b", "-b"])
        #expect(view.string == "b")
    }

    /// With a client that never answers, only the first key waits for half a second; later keys and clicks do not.
    @Test func aSilentClientIsNotWaitedForAgainAndAgain() {
        let (simulation, view) = Simulation.asynchronous(plan: .silent)
        var clicks = 0
        for letter in Self.letters[..<20] { simulation.press(letter, [.down]) }
        simulation.session.perform(.press) { clicks += 1 }
        simulation.run(999)
        #expect(clicks == 0)
        simulation.run(1)
        #expect(clicks == 1)
        #expect(view.given.map(\.entry.key.characters) == Self.letters[..<20].map { String($0) })
        // The client answers again, so later keys wait for it again.
        view.completions[19](true)
        view.plan = .handled(after: 100)
        simulation.press("y", [.down])
        simulation.press("z", [.down])
        #expect(view.log.last == "+y")
        simulation.waitUntilIdle()
        #expect(view.string == "yz")
    }

    @Test func theFirstAnswerCounts() {
        let (simulation, view) = Simulation.asynchronous()
        view.plans = ["a": .answered([true, false, false], after: 50), "b": .declined(after: 50)]
        simulation.press("a")
        simulation.press("b")
        simulation.waitUntilIdle()
        #expect(view.string == "ab")
        // Late answers after all.
        for completion in view.completions { completion(false) }
        simulation.waitUntilIdle()
        #expect(view.string == "ab")
    }

    @Test func aLateAnswerChangesNothing() {
        let (simulation, view) = Simulation.asynchronous(plan: .declined(after: 700))
        simulation.press("a", [.down])
        simulation.run(600)
        simulation.waitUntilIdle()
        #expect(view.string == "")
    }

    @Test(arguments: [true, false]) func answersAfterTheEndChangeNothing(_ isHandled: Bool) {
        let (simulation, view) = Simulation.asynchronous(plan: .silent)
        simulation.press("a")
        simulation.press("b")
        simulation.session.end()
        view.completions[0](isHandled)
        simulation.waitUntilIdle()
        #expect(view.log == ["+a"])
        #expect(view.string == "")
        #expect(simulation.session.nextDeadline == nil)
    }

    @Test func answersOfAClientThatIsGoneChangeNothing() {
        var completions: [KeyEntryCompletion] = []
        do {
            let (simulation, view) = Simulation.asynchronous(plan: .silent)
            simulation.press("a")
            completions = view.completions
        }
        for completion in completions { completion(false) }
    }

    @Test func anAnswerFromAnotherThreadComesByTheLoop() throws {
        let (simulation, view) = Simulation.asynchronous(plan: .silent)
        let wakes = Mutex(0)
        simulation.context.deactivate()
        simulation.session.onAnswer = { wakes.withLock { $0 += 1 } }
        simulation.context.activate()
        simulation.press("a", [.down])
        simulation.press("b", [.down])
        let thread = try BackgroundThread.start { [completion = view.completions[0]] in
            completion(false)
            completion(true)
        }
        pthread_join(thread, nil)
        #expect(wakes.withLock { $0 } == 1)
        #expect(view.log == ["+a"])
        simulation.session.advance()
        #expect(view.string == "a")
        #expect(view.log == ["+a", "+b"])
    }

    @Test func releaseWithoutItsPressIsNotDelivered() {
        let (simulation, view) = Simulation.asynchronous(server: .init(kind: .composing, delay: 1))
        simulation.press("x", [.up])
        simulation.press("a")
        simulation.press(" ")
        simulation.waitUntilIdle()
        // The method has handled both presses, and returns only the releases.
        #expect(view.given.isEmpty)
        #expect(view.string == "a")
    }

    @Test func aPressWhoseReleaseWasLostIsReleasedFirst() {
        let (simulation, view) = Simulation.asynchronous()
        simulation.press("a", [.down])
        simulation.press("a", [.down, .up])
        #expect(view.log == ["+a", "a", "-a", "+a", "a", "-a"])
    }

    @Test func theFocusTakesPressedKeysAlong() {
        let (simulation, view) = Simulation.asynchronous(plan: .handled(after: 100))
        simulation.press("a", [.down])
        simulation.session.windowFocusChanged(false)
        simulation.run(100)
        #expect(view.log == ["+a", "a", "-a"])
        simulation.session.windowFocusChanged(true)
        simulation.press("b", [.down])
        // The program deactivates the context at once: the client receives the waiting keys.
        simulation.context.deactivate()
        #expect(view.log == ["+a", "a", "-a", "+b", "-b"])
        simulation.waitUntilIdle()
        #expect(view.string == "ab")
    }

    /// The client inserts nothing itself; a key that it declines after losing the focus is still typed.
    @Test func aKeyThatIsDeclinedAfterTheFocusHasGoneIsTyped() {
        let (simulation, view) = Simulation.asynchronous(plan: .declined(after: 50))
        simulation.press("a", [.down])
        simulation.context.deactivate()
        simulation.waitUntilIdle()
        #expect(view.string == "a")
    }

    @Test func anEntryOfBeforeTheFocusWentHasADeadlineToo() {
        let (simulation, view) = Simulation.asynchronous(plan: .declined(after: 700))
        simulation.press("a", [.down])
        simulation.context.deactivate()
        simulation.run(600)
        simulation.session.advance()
        simulation.waitUntilIdle()
        #expect(view.string == "")
    }

    @Test func theSystemDoesWhatIsNotHandled() {
        let (simulation, view) = Simulation.asynchronous("one two", plan: .declined(after: 30))
        simulation.press("a")
        simulation.key(.backSpace)
        simulation.key(.backSpace, "", .control)
        simulation.waitUntilIdle()
        #expect(view.string == "one ")
        #expect(view.given.filter { $0.entry.state == .down }.count == 3)
    }

    @Test func aClientMayDeferWhileItHasTheEntry() {
        let (simulation, view) = Simulation.asynchronous(plan: .deferred(after: 40))
        simulation.press("a")
        simulation.press("b")
        #expect(view.string == "a")
        simulation.waitUntilIdle()
        #expect(view.string == "ab")
        // The client may not defer the entry a second time.
        let entry = view.given[0].entry
        #expect(!simulation.context.shouldDeferEventHandlingToSystem(for: view, context: KeyEntryContext(entry)))
        #expect(view.string == "ab")
    }

    @Test func aContextSaysWhatTheSystemMayDo() {
        let (simulation, view) = Simulation.asynchronous("a", plan: .silent)
        func offer(_ keysym: Keysym, _ characters: String, _ change: (inout KeyEntryContext) -> Void) -> Bool {
            simulation.session.handle(KeyEvent(keycode: 99, keysym: keysym, characters: characters))
            guard let entry = view.given.last?.entry else { return false }
            var context = KeyEntryContext(entry)
            change(&context)
            let isDone = simulation.context.shouldDeferEventHandlingToSystem(for: view, context: context)
            view.completions.last?(true)
            return isDone
        }
        #expect(!offer(0x62, "b") { $0.shouldInsertCharacter = false })
        #expect(!offer(0x62, "b") { $0.isDocumentEditable = false })
        #expect(!offer(.backSpace, "") { $0.shouldEvaluateForInputSystemHandling = false })
        #expect(view.string == "a")
        #expect(offer(0x62, "b") { $0.shouldEvaluateForInputSystemHandling = false })
        #expect(offer(.backSpace, "") { $0.shouldInsertCharacter = false })
        #expect(view.string == "a")
    }

    /// The program's own delegate may refuse to pass keys to the system.
    @Test func aDelegateMayRefuse() {
        final class Refusing: AsyncTextInputDelegate {
            func selectionWillChange(_ textInput: any AsyncTextInput) {}
            func selectionDidChange(_ textInput: any AsyncTextInput) {}
            func shouldDeferEventHandlingToSystem(for _: any AsyncTextInput, context: KeyEntryContext) -> Bool { false }
            func textInput(_: any AsyncTextInput, setCandidateSuggestions suggestions: [TextSuggestion]?) {}
            func invalidateTextEntryContext(for textInput: any AsyncTextInput) {}
        }
        let (simulation, view) = Simulation.asynchronous(plan: .declined(after: 10))
        let delegate = Refusing()
        view.asyncInputDelegate = delegate
        simulation.press("a")
        simulation.waitUntilIdle()
        #expect(view.string == "")
    }

    @Test func shiftIsReportedBeforeItsEntry() {
        let (simulation, view) = Simulation.asynchronous()
        let shift = Keysym(rawValue: 0xffe1)
        simulation.session.handle(KeyEvent(keycode: 50, keysym: shift))
        #expect(view.shiftStates == [.shift])
        simulation.press("A", [.down, .up], .shift)
        simulation.session.handle(KeyEvent(phase: .up, keycode: 50, keysym: shift, modifiers: .shift))
        simulation.session.handle(KeyEvent(keycode: 66, keysym: Keysym(rawValue: 0xffe5)))
        simulation.session.handle(
            KeyEvent(phase: .up, keycode: 66, keysym: Keysym(rawValue: 0xffe5), modifiers: .capsLock))
        simulation.press("B", [.down, .up], .capsLock)
        simulation.session.windowFocusChanged(false)
        simulation.waitUntilIdle()
        #expect(view.shiftStates == [.shift, [], .capsLock, []])
        #expect(view.string.contains("A") && view.string.contains("B"))
    }

    /// The second release waits for the first one's answer.
    @Test func shiftIsOverWithTheFocus() {
        let (simulation, view) = Simulation.asynchronous()
        simulation.session.handle(KeyEvent(keycode: 50, keysym: Keysym(rawValue: 0xffe1)))
        simulation.press("A", [.down], .shift)
        view.answersReleases = false
        simulation.session.windowFocusChanged(false)
        simulation.run(1100)
        #expect(view.log.last == "-A")
        #expect(view.shiftStates == [.shift, []])
    }

    /// A key ends the composition that exists when its turn comes, but not a later one.
    @Test func aKeyEndsNoLaterComposition() throws {
        let view = AsyncView("", columns: 40)
        view.plan = .silent
        let context = TextInputContext(client: view)
        func key(_ text: String, _ keycode: UInt8) -> InputMethodEvent {
            .key(KeyEvent(keycode: keycode, keysym: Keysym(rawValue: 0x61), characters: text), nil)
        }
        context.receive(key("a", 38))
        try #require(view.completions.count == 1)
        context.receive([ContextTests.draw("に"), key("b", 56), ContextTests.draw("ほ")])
        view.completions[0](true)
        try #require(view.completions.count == 2)
        view.completions[1](true)
        #expect(view.string == "にほ")
        #expect(view.markedRange() == UTF16Range(location: 1, length: 1))
        #expect(!context.isAwaitingAnswer)
    }

    @Test func repetitionsOfAHeldKeyDoNotPileUp() {
        let (simulation, view) = Simulation.asynchronous(plan: .handled(after: 500))
        simulation.press("a", [.down])
        for _ in 0..<1000 { simulation.press("a", [.repeat]) }
        simulation.press("a", [.up])
        simulation.press("b")
        simulation.run(60_000)
        #expect(view.given.count { $0.entry.isRepeating } == 1)
        #expect(view.log.suffix(4) == ["-a", "+b", "b", "-b"])
    }

    @Test func asynchronousMembersWin() {
        final class Own: ReferenceTextView, AsyncTextInput {
            weak var asyncInputDelegate: (any AsyncTextInputDelegate)?
            var calls: [String] = []
            func delete(in direction: TextStorageDirection, to granularity: TextGranularity) {
                calls.append("delete \(direction) \(granularity)")
            }
            func moveSelection(
                atBoundary granularity: TextGranularity, in direction: TextStorageDirection,
                completion: @escaping (Bool) -> Void
            ) { calls.append("move \(direction) \(granularity)") }
            func transposeCharactersAroundSelection() { calls.append("transpose") }
        }
        let view = Own("abc", columns: 40)
        let context = TextInputContext(client: view)
        for command in [
            EditCommand.deleteBackward, .deleteWordForward, .deleteToEndOfLine, .moveWordForward, .moveBackward,
            .transpose,
        ] { context.perform(command) }
        #expect(
            view.calls == [
                "delete backward character", "delete forward word", "delete forward line", "move forward word",
                "move backward character", "transpose",
            ])
        #expect(view.performedCommands.isEmpty)
        // A command for which the client has no method of its own.
        context.perform(.selectAll)
        #expect(view.performedCommands == [.selectAll])
    }

    @Test func suggestionsComeToTheContext() {
        let (simulation, view) = Simulation.asynchronous("Anth")
        var reportCount = 0
        simulation.context.onCandidateSuggestionsChange = { reportCount += 1 }
        view.asyncInputDelegate?.textInput(
            view, setCandidateSuggestions: [TextSuggestion("Anthony", replacing: "Anth")])
        #expect(simulation.context.candidateSuggestions.map(\.inputText) == ["Anthony"])
        view.insert(simulation.context.candidateSuggestions[0])
        #expect(view.string == "Anthony")
        view.asyncInputDelegate?.invalidateTextEntryContext(for: view)
        #expect(simulation.context.candidateSuggestions.isEmpty && reportCount == 2)
    }
}
