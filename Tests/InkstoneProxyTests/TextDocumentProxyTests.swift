import Glibc
import InkstoneBase
import InkstoneTesting
import Testing

@testable import InkstoneBus
@testable import InkstoneProxy

/// A keyboard and editors in one process, on a bus of the test's own.
@Suite(.timeLimit(.minutes(5))) struct TextDocumentProxyTests {
    let bus: PrivateBus
    let editor: FakeEditor
    let keyboard: InputController

    init() throws {
        bus = try PrivateBus()
        editor = try FakeEditor(bus.address, number: 1, "Hello.")
        keyboard = InputController(name: "Test", busAddress: bus.address)
        keyboard.start()
    }

    private func wait(_ what: String, also others: [FakeEditor] = [], until condition: () -> Bool) throws {
        let editors = [editor] + others
        try waitUntil(what, within: 10_000, watching: [keyboard.descriptor] + editors.map(\.bus.descriptor)) {
            for editor in editors { editor.bus.receive() }
            keyboard.processEvents()
            return condition()
        }
    }

    private func proxy() throws -> TextDocumentProxy {
        try wait("the context") { keyboard.textDocumentProxy?.hasContext == true }
        return try #require(keyboard.textDocumentProxy)
    }

    private func outcome(_ proxy: TextDocumentProxy) throws -> TextEditStatus? {
        var status: TextEditStatus?
        proxy.flush { status = $0 }
        try wait("the outcome") { status != nil }
        return status
    }

    @Test func theViewWithTheFocusIsFound() throws {
        editor.focus.traits.keyboardType = .url
        let proxy = try proxy()
        #expect(proxy.documentContextBeforeInput == "Hello." && proxy.documentContextAfterInput == nil)
        #expect(proxy.selectedText == nil && proxy.markedText == nil && proxy.hasText)
        #expect(proxy.documentIdentifier == "id" && proxy.documentInputMode == "de")
        #expect(proxy.traits.keyboardType == .url)
        #expect(keyboard.hasFullAccess)
        #expect(editor.requests.contains(.hello(version: 1, name: "Test")))
        #expect(editor.requests.contains(.watch(view: 1, .all)))
    }

    @Test func theEditsOfATurnAreOneBatch() throws {
        let proxy = try proxy()
        proxy.insertText(" a")
        proxy.deleteBackward()
        proxy.insertText("B")
        #expect(proxy.documentContextBeforeInput == "Hello. B", "a forecast")
        var outcomes: [TextEditStatus] = []
        proxy.perform(then: { outcomes.append($0) }) { $0.insertText("c\r\nd\u{1B}\u{FFFF}") }
        try wait("the outcome") { !outcomes.isEmpty }
        #expect(outcomes == [.applied])
        #expect(
            editor.batches.map(\.operations) == [[.insert(" a"), .deleteBackward(1), .insert("B")], [.insert("c\nd")]])
        #expect(editor.batches.map(\.serial) == [1, 2])
        #expect(String(editor.text) == "Hello. Bc\nd")
        #expect(proxy.documentContextBeforeInput == "Hello. Bc\nd")
    }

    /// Keyboards delete forwards by moving the caret forward and deleting backward.
    @Test func forwardDeletionEatsNothingAtTheEnd() throws {
        let proxy = try proxy()
        proxy.adjustTextPosition(byCharacterOffset: 1)
        proxy.deleteBackward()
        #expect(proxy.documentContextBeforeInput == "Hello.")
        #expect(try outcome(proxy) == .applied)
        #expect(String(editor.text) == "Hello.")
        proxy.adjustTextPosition(byCharacterOffset: -2)
        proxy.adjustTextPosition(byCharacterOffset: 1)
        proxy.deleteBackward()
        #expect(try outcome(proxy) == .applied)
        #expect(String(editor.text) == "Hell.")
    }

    @Test func aCapitalAfterASentenceIsOneStep() throws {
        let proxy = try proxy()
        proxy.insertText(" w")
        #expect(try outcome(proxy) == .applied)
        proxy.perform { proxy in
            proxy.replaceText(beforeInput: "w", with: "W")
            proxy.insertText("o")
        }
        #expect(try outcome(proxy) == .applied)
        #expect(String(editor.text) == "Hello. Wo")
        #expect(editor.batches.count == 2)
    }

    @Test func marksAreReplacedAsAccentAndAsCompletion() throws {
        let proxy = try proxy()
        proxy.setMarkedText("´", selectedRange: 1..<1)
        #expect(proxy.markedText == "´")
        proxy.insertText("é")
        proxy.setMarkedText("world", selectedRange: 2..<5)
        proxy.insertText("n")
        #expect(proxy.documentContextBeforeInput == "Hello.éwon")
        #expect(try outcome(proxy) == .applied)
        #expect(String(editor.text) == "Hello.éwon")
    }

    @Test func theForecastIsWhatTheEditorMakesOfRandomEdits() throws {
        let proxy = try proxy()
        var random = SeededGenerator()
        for step in 0..<400 {
            for _ in 0...random.below(4) {
                switch random.below(9) {
                case 0...2: proxy.insertText(["a", "ß", "👋🏽", "\n", "two words"][random.below(5)])
                case 3: proxy.deleteBackward()
                case 4: proxy.deleteForward()
                case 5, 6: proxy.adjustTextPosition(byCharacterOffset: random.below(7) - 3)
                case 7: proxy.setMarkedText(["", "x", "mark"][random.below(3)], selectedRange: random.below(3)..<4)
                default: proxy.unmarkText()
                }
            }
            let forecast = ProxyContext(
                revision: 0, before: proxy.documentContextBeforeInput, selected: proxy.selectedText,
                after: proxy.documentContextAfterInput)
            let marked = proxy.markedText
            #expect(try outcome(proxy) == .applied)
            let truth = editor.context
            guard forecast.before ?? "" == truth.before ?? "", forecast.after ?? "" == truth.after ?? "",
                forecast.selected == truth.selected, marked == truth.marked?.text
            else {
                Issue.record(
                    "step \(step): \(forecast) \(marked ?? "-") is \(truth) after \(String(describing: editor.batches.last))"
                )
                return
            }
            #expect(proxy.documentContextBeforeInput == truth.before && proxy.documentContextAfterInput == truth.after)
        }
    }

    @Test(arguments: [TextEditStatus.stale, .refused, .busy, .gone]) func editsThatAreNotMadeAreForgotten(
        _ status: TextEditStatus
    ) throws {
        let proxy = try proxy()
        editor.status = status
        proxy.insertText("x")
        #expect(proxy.documentContextBeforeInput == "Hello.x")
        #expect(try outcome(proxy) == status)
        #expect(proxy.documentContextBeforeInput == "Hello.")
        editor.status = .applied
        proxy.insertText("y")
        #expect(try outcome(proxy) == .applied)
        #expect(String(editor.text) == "Hello.y")
    }

    @Test func anEditorThatAnswersNonsenseIsNotBelieved() throws {
        let proxy = try proxy()
        for nonsense in [[], [.uint32(9), .uint64(1), .options([:])], [.string("applied")]] as [[BusValue]] {
            editor.nonsense = nonsense
            proxy.insertText("x")
            #expect(try outcome(proxy) == .gone)
            #expect(proxy.documentContextBeforeInput == "Hello.")
        }
    }

    @Test func longTextsAreSentInPieces() throws {
        let proxy = try proxy()
        let text = String(repeating: "0123456789👋🏽", count: 10_000)
        proxy.insertText(text)
        #expect(try outcome(proxy) == .applied)
        #expect(String(editor.text) == "Hello." + text)
        for _ in 0..<200 { proxy.insertText("x") }
        #expect(try outcome(proxy) == .applied)
        #expect(String(editor.text).hasSuffix("👋🏽" + String(repeating: "x", count: 200)))
        #expect(editor.batches.allSatisfy { (try? $0.check()) != nil })
    }

    @Test func changesByOthersAreNotified() throws {
        final class Delegate: TextInputDelegate {
            var calls: [String] = []
            func selectionWillChange(_ proxy: TextDocumentProxy) {
                calls.append("will \(proxy.documentContextBeforeInput ?? "-")")
            }
            func selectionDidChange(_ proxy: TextDocumentProxy) {
                calls.append("did \(proxy.documentContextBeforeInput ?? "-")")
            }
            func textWillChange(_ proxy: TextDocumentProxy) {}
            func textDidChange(_ proxy: TextDocumentProxy) {}
        }
        let proxy = try proxy()
        let delegate = Delegate()
        proxy.inputDelegate = delegate
        proxy.insertText("x")
        #expect(try outcome(proxy) == .applied)
        editor.replace(0..<5, with: "Bye")
        editor.selection = 3..<3
        editor.revision += 1
        editor.notify(causes: .key)
        try wait("the change") { proxy.documentContextBeforeInput == "Bye" }
        #expect(delegate.calls == ["will Hello.x", "did Bye"], "own edits are no news")
        #expect(proxy.documentContextAfterInput == ".x")
    }

    /// The editor's notification of a change arrives before an answer that lacks the context.
    @Test func aChangeWhileABatchIsOnItsWayIsSeen() throws {
        let proxy = try proxy()
        editor.nonsense = []
        editor.onApply = { [unowned editor] in
            editor.replace(0..<5, with: "Bye")
            editor.revision += 1
            editor.notify(causes: .key)
        }
        proxy.insertText("x")
        #expect(try outcome(proxy) == .gone)
        try wait("the change") { proxy.documentContextBeforeInput == "Bye" }
    }

    @Test func aRevisionThatNeverComesIsAskedForOnce() throws {
        let proxy = try proxy()
        func fetches() -> Int { editor.requests.count { if case .context = $0 { true } else { false } } }
        let before = fetches()
        editor.notify(causes: .key, revision: .max)
        try wait("the question") { fetches() > before }
        for _ in 0..<3 {
            proxy.insertText("x")
            #expect(try outcome(proxy) == .applied)
        }
        #expect(fetches() == before + 1)
    }

    @Test func aQuestionThatIsRefusedIsAskedAgainAndNotForEver() throws {
        let proxy = try proxy()
        func change(to text: String) {
            editor.replace(0..<editor.text.count, with: text)
            editor.revision += 1
            editor.notify(causes: .key)
        }
        editor.refusals = 20
        change(to: "Bye")
        try wait("the change") { proxy.documentContextBeforeInput == "Bye" }
        editor.refusals = .max
        change(to: "Unseen")
        try wait("the last question") { Int.max - editor.refusals == 65 }
        editor.refusals = 0
        change(to: "Seen")
        try wait("the next change") { proxy.documentContextBeforeInput == "Seen" }
    }

    @Test func aKeyboardThatIsForgottenEndsWhatWaits() throws {
        var other: InputController? = InputController(name: "Other", busAddress: bus.address)
        other?.start()
        try waitUntil("the context", watching: [other?.descriptor ?? -1, editor.bus.descriptor]) {
            editor.bus.receive()
            other?.processEvents()
            return other?.textDocumentProxy?.hasContext == true
        }
        let proxy = try #require(other?.textDocumentProxy)
        var outcomes: [TextEditStatus] = []
        for text in ["x", "y"] {
            proxy.insertText(text)
            proxy.flush { outcomes.append($0) }
        }
        other = nil
        #expect(outcomes == [.gone, .gone])
        #expect(!proxy.isValid)
    }

    @Test func theContextOutlivesAnAnswerThatRepeatsLittleOfIt() throws {
        let proxy = try proxy()
        let (before, after) = (String(repeating: "before ", count: 200), String(repeating: " after", count: 200))
        editor.replace(0..<editor.text.count, with: before + after)
        editor.selection = before.count..<before.count
        editor.revision += 1
        editor.notify(causes: .key)
        try wait("the context") { proxy.documentContextBeforeInput == before }
        proxy.insertText("x")
        #expect(try outcome(proxy) == .applied)
        #expect(proxy.documentContextBeforeInput == before + "x")
        #expect(proxy.documentContextAfterInput == after)
        // The text changes meanwhile, outside of the part that the answer repeats.
        editor.onApply = { [unowned editor] in
            editor.text[0] = "B"
            editor.revision += 1
        }
        proxy.insertText("y")
        #expect(try outcome(proxy) == .applied)
        try wait("the truth") { proxy.documentContextBeforeInput == "B" + before.dropFirst() + "xy" }
    }

    @Test func theProxyEndsWithTheFocus() throws {
        let first = try proxy()
        var changes = 0
        keyboard.onFocusChange = { changes += 1 }
        editor.move(to: 2)
        try wait("the other view") { changes == 1 && keyboard.textDocumentProxy?.hasContext == true }
        #expect(!first.isValid && keyboard.textDocumentProxy !== first)
        first.insertText("lost")
        #expect(try outcome(first) == .gone)
        #expect(String(editor.text) == "Hello.")
        let other = try FakeEditor(bus.address, number: 2, "Other", view: 9)
        try wait("the other editor", also: [other]) {
            keyboard.textDocumentProxy?.documentContextBeforeInput == "Other"
        }
        other.bus.close()
        try wait("the end") { keyboard.textDocumentProxy == nil }
        editor.move(to: 3)
        try wait("the first again") { keyboard.textDocumentProxy?.documentContextBeforeInput == "Hello." }
        editor.move(to: nil)
        try wait("no focus") { keyboard.textDocumentProxy == nil }
    }

    @Test func anEditorThatHasNoRoomIsAskedAgain() throws {
        let other = try FakeEditor(bus.address, number: 2, "Other", view: 9)
        other.fullHouses = 3
        try wait("the other editor", also: [other]) {
            keyboard.textDocumentProxy?.documentContextBeforeInput == "Other"
        }
        #expect(other.requests.count { $0 == .hello(version: 1, name: "Test") } == 4)
    }

    @Test func aBatchWithoutAnAnswerIsNeitherMadeNorGone() throws {
        var setup = BusSetup(address: bus.address)
        setup.timing.answer = 200
        let impatient = InputController(name: "Impatient", setup: setup)
        impatient.start()
        func wait(_ what: String, until condition: () -> Bool) throws {
            try waitUntil(what, watching: [impatient.descriptor, editor.bus.descriptor]) {
                editor.bus.receive()
                impatient.processEvents()
                return condition()
            }
        }
        try wait("the context") { impatient.textDocumentProxy?.hasContext == true }
        let proxy = try #require(impatient.textDocumentProxy)
        editor.isSilent = true
        var status: TextEditStatus?
        proxy.insertText("x")
        proxy.flush { status = $0 }
        try wait("the outcome") { status != nil }
        #expect(status == .unknown && proxy.documentContextBeforeInput == "Hello.")
        // A repetition has the same number, by which the editor recognizes it. Other edits end that.
        editor.isSilent = false
        repeat {
            status = nil
            #expect(proxy.resend { status = $0 })
            try wait("the outcome of the repetition") { status != nil }
        } while status == .unknown
        #expect(status == .applied && !proxy.resend())
        #expect(Set(editor.batches.map(\.serial)).count == 1 && editor.batches.count > 1)
        #expect(Set(editor.batches.map(\.operations)) == [[.insert("x")]])
        proxy.insertText("y")
        proxy.flush()
        try wait("other edits") { editor.batches.last?.operations == [.insert("y")] }
        #expect(Set(editor.batches.map(\.serial)).count == 2)
    }

    /// Editors without deadlines, with the same clock, and with another clock, as in a time namespace.
    @Test(arguments: [nil, 0, -1_000_000, 1_000_000] as [Int64?]) func batchesHaveADeadlineWhereItMeansTheSame(
        _ clock: Int64?
    ) throws {
        _ = try proxy()
        let other = try FakeEditor(bus.address, number: 2, "Other", view: 9)
        other.clock = clock
        try wait("the other editor", also: [other]) {
            keyboard.textDocumentProxy?.documentContextBeforeInput == "Other"
        }
        let before = MonotonicClock.milliseconds
        keyboard.textDocumentProxy?.insertText("x")
        try wait("the batch", also: [other]) { !other.batches.isEmpty }
        let deadline = other.batches.first?.deadline
        #expect((deadline != nil) == (clock == 0))
        if let deadline { #expect((before + 20_000...before + 25_000).contains(deadline)) }
    }

    @Test func anEditorThatHasNoRoomForLongIsAskedAgainLater() throws {
        var setup = BusSetup(address: bus.address)
        setup.timing.retry = 5
        let patient = InputController(name: "Patient", setup: setup)
        editor.fullHouses = 120
        patient.start()
        try waitUntil("the text", watching: [patient.descriptor, editor.bus.descriptor]) {
            editor.bus.receive()
            patient.processEvents()
            return patient.textDocumentProxy?.hasContext == true
        }
    }

    @Test func withoutAccessThereIsNoProxy() throws {
        _ = try proxy()
        let asking = try FakeEditor(bus.address, number: 3, "Secret", view: nil)
        asking.access = .asked
        var states: [ProxyAccess] = []
        keyboard.onAccessChange = { if $0 == asking.bus.uniqueNameForTests { states.append($1) } }
        try wait("the question", also: [asking]) { states == [.asked] }
        asking.move(to: 5)
        asking.set(.allowed)
        try wait("the access", also: [asking]) { keyboard.textDocumentProxy?.documentContextBeforeInput == "Secret" }
        asking.set(.refused)
        try wait("the end of it", also: [asking]) { states == [.asked, .allowed, .refused] }
        #expect(keyboard.textDocumentProxy == nil)
    }

    @Test func closingEndsWhatWaits() throws {
        let proxy = try proxy()
        var outcomes: [TextEditStatus] = []
        proxy.insertText("x")
        proxy.flush { outcomes.append($0) }
        proxy.insertText("y")
        proxy.flush { outcomes.append($0) }
        keyboard.close()
        #expect(outcomes == [.gone, .gone])
        #expect(!proxy.isValid && keyboard.textDocumentProxy == nil)
    }

    @Test func selectionsOfMarkedTextAreCutAtCharacters() {
        func cut(_ text: String, _ range: Range<Int>) -> [String] {
            let marked = ProxyText.marked(text, selected: range)
            return [marked.before, marked.selected, marked.after]
        }
        #expect(cut("abc", 1..<2) == ["a", "b", "c"])
        #expect(cut("abc", -5..<99) == ["", "abc", ""])
        #expect(cut("a👋🏽b", 2..<5) == ["a", "👋🏽", "b"])
        #expect(cut("a👋🏽b", 3..<4) == ["a", "", "👋🏽b"])
        #expect(cut("", 0..<0) == ["", "", ""])
    }
}

extension Bus {
    fileprivate var uniqueNameForTests: String? { if case .connected(let name) = state { name } else { nil } }
}
