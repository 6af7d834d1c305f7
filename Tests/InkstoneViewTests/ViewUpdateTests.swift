import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// The updates sent to observers of a view, and their order.
@Suite(.timeLimit(.minutes(5))) struct ViewUpdateTests {
    /// Records named updates in a shared log.
    private final class Log {
        var lines: [String] = []
        var updates: [ViewUpdate] = []

        func observe(_ view: EditorView, _ name: String, _ then: @escaping (ViewUpdate) -> Void = { _ in })
            -> TextObservation
        {
            view.observe { [unowned self] update in
                lines.append("\(name) \(Self.text(update))")
                updates.append(update)
                then(update)
            }
        }

        /// The text after the update, or else the changed properties.
        private static func text(_ update: ViewUpdate) -> String {
            if let applied = update.applied { return applied.text.string(in: applied.text.byteRange) }
            let selection = update.selection.map { "\($0.primary.anchor.value)-\($0.primary.head.value)" }
            return update.changes.contains(.selection) ? selection ?? "nil" : "\(update.changes.rawValue)"
        }
    }

    private static func caret(_ offset: Int) -> Selection { Selection(caret: UTF16Offset(offset)) }

    @Test func allObserversAreNotifiedOfEachTurnOnceInOrder() {
        let scene = ViewScene("ab|")
        let log = Log()
        let observations = [log.observe(scene.view, "1"), log.observe(scene.view, "2")]
        scene.view.insertText("c")
        scene.perform(.moveLeft)
        scene.view.store.replace(0..<1 as Range<UTF16Offset>, with: "")
        #expect(log.lines == ["1 abc", "2 abc", "1 2-2", "2 2-2", "1 bc", "2 bc"])
        withExtendedLifetime(observations) {}
    }

    @Test func anUpdateHasTheStatesBeforeAndAfterAndTheAuthor() throws {
        let scene = ViewScene("one two|")
        let view = scene.view
        view.select(Selection([SelectionRange(caret: 0), SelectionRange(caret: 7)]))
        let log = Log()
        let observation = log.observe(view, "")
        view.insertText("x")
        let update = try #require(log.updates.first)
        #expect(update.changes == [.text, .selection] && update.origin == .typing && update.isFromInputSystem)
        #expect(update.applied?.changes.changeMap.map(\.newRange) == [0..<1, 8..<9], "no covering range")
        #expect(
            update.selectionBefore?.ranges.map(\.head) == [0, 7] && update.selection?.ranges.map(\.head) == [1, 9])
        view.select(Self.caret(9))
        view.setMarkedText("に", selectedRange: UTF16Range(location: 1, length: 0))
        #expect(log.updates.last?.markedTextBefore == nil && log.updates.last?.markedText != nil)
        #expect(log.updates.last?.changes.contains(.markedText) == true)
        view.unmarkText()
        #expect(log.updates.last?.applied == nil && log.updates.last?.changes == .markedText)
        #expect(log.updates.last?.textChange != nil && log.updates.count == 4)
        withExtendedLifetime(observation) {}
    }

    @Test func eachOwnChangeOfTheViewIsOneTurn() {
        let scene = ViewScene(store: TextStore(Rope(String(repeating: "line\n", count: 100))))
        let view = scene.view
        let log = Log()
        let observation = log.observe(view, "")
        func expect(_ turns: [ViewUpdate.Changes], line: Int = #line, of work: () -> Void) {
            log.updates = []
            work()
            #expect(log.updates.map(\.changes) == turns, "line \(line)")
        }
        expect([.scrolling]) { view.scroll(by: 40) }
        expect([]) { view.scroll(by: 0) }
        expect([[.selection, .scrolling]]) { view.perform(.moveToEndOfDocument) }
        expect([]) { view.perform(.moveToEndOfDocument) }
        expect([.geometry]) { view.setFrame(WindowRect(x: 0, y: 0, width: 300, height: 150)) }
        expect([.geometry]) { view.wrapsLines = false }
        expect([.geometry]) { view.font = FontDescriptor(family: "DejaVu Sans Mono", size: 20) }
        expect([.focus]) { view.setFocused(false) }
        expect([.mode]) { view.session.isOverwriting = true }
        expect([[.selection, .scrolling]]) { view.perform(.moveToBeginningOfDocument) }
        expect([.selection]) {
            scene.press(at: ViewPoint(x: 0, y: 5))
            scene.drag(to: ViewPoint(x: 100, y: 30))
            scene.release(at: ViewPoint(x: 100, y: 30))
        }
        withExtendedLifetime(observation) {}
    }

    @Test func changesByAnObserverAreATurnOfTheirOwnAfterThisOne() {
        let scene = ViewScene("|")
        let view = scene.view
        let log = Log()
        let first = log.observe(view, "1") { update in
            guard update.applied?.text == "a" else { return }
            view.store.replace(1..<1 as Range<UTF16Offset>, with: "b")
            view.select(Self.caret(0))
            view.store.replace(2..<2 as Range<UTF16Offset>, with: "c")
            #expect(view.text == "abc", "it is made at once")
        }
        let second = log.observe(view, "2")
        view.insertText("a")
        #expect(log.lines == ["1 a", "2 a", "1 ab", "2 ab", "1 0-0", "2 0-0", "1 abc", "2 abc"])
        withExtendedLifetime((first, second)) {}
    }

    /// Also if the chain starts with a selection, which the store does not notify.
    @Test func editsByAnObserverOfTheSelectionComeAfterIt() {
        let scene = ViewScene("ab|")
        let view = scene.view
        let log = Log()
        let first = log.observe(view, "1") {
            if $0.applied == nil { view.store.replace(0..<0 as Range<UTF16Offset>, with: "x") }
        }
        let second = log.observe(view, "2")
        view.perform(.moveLeft)
        #expect(log.lines == ["1 1-1", "2 1-1", "1 xab", "2 xab"])
        withExtendedLifetime((first, second)) {}
    }

    /// Observers of the store precede those of views: a selection made there is notified after the transaction.
    @Test func turnsOfViewsAndStoreComeInTheOrderInWhichTheyHappened() {
        let scene = ViewScene("|ab")
        let view = scene.view
        let log = Log()
        let selects = view.store.observeTransactions { applied in
            if applied.text == "xab" {
                view.select(Self.caret(3))
                view.store.replace(0..<1 as Range<UTF16Offset>, with: "")
            }
        }
        let observation = log.observe(view, "")
        view.insertText("x")
        #expect(log.lines == [" xab", " 3-3", " ab"])
        for (one, next) in zip(log.updates, log.updates.dropFirst()) { #expect(next.selectionBefore == one.selection) }
        withExtendedLifetime((selects, observation)) {}
    }

    @Test func aRemovedObserverIsNotNotifiedAgainAndAnAddedOneIsNotifiedOfTheNextTurn() {
        let scene = ViewScene("|")
        let view = scene.view
        let log = Log()
        var second: TextObservation?
        var third: TextObservation?
        let first = log.observe(view, "1") { _ in
            guard third == nil else { return }
            second = nil
            view.insertText("b")
            third = log.observe(view, "3")
        }
        second = log.observe(view, "2")
        view.insertText("a")
        #expect(second == nil && log.lines == ["1 a", "1 ab"], "the third has seen b already")
        view.insertText("c")
        #expect(log.lines.suffix(2) == ["1 abc", "3 abc"])
        withExtendedLifetime(first) {}
    }

    @Test func observersThatAnswerEachSelectionAreCutOff() {
        let scene = ViewScene("a|b")
        let view = scene.view
        var refusals: [TextRefusal] = []
        view.store.refusalHandler = { refusals.append($0) }
        var received = 0
        let observation = view.observe { update in
            guard update.changes.contains(.selection) else { return }
            received += 1
            view.select(Self.caret(update.selection == Self.caret(0) ? 2 : 0))
        }
        view.select(Self.caret(0))
        #expect(received == TextStore.roundLimit && refusals == [.endlessAnswers])
        // Later updates work as before.
        observation.cancel()
        let log = Log()
        let other = log.observe(view, "")
        view.select(Self.caret(1))
        view.insertText("x")
        #expect(log.lines == [" 1-1", " axb"])
        withExtendedLifetime(other) {}
    }

    @Test func aReaderThatPausesGetsOneChangeAndTheNewestText() async throws {
        let scene = ViewScene("one two|")
        let view = scene.view
        var changes = view.session.changes.changes.makeAsyncIterator()
        view.store.replace(0..<0 as Range<UTF16Offset>, with: ">")
        for letter in ["a", "b", "c"] { view.insertText(letter) }
        view.store.replace(4..<5 as Range<UTF16Offset>, with: "")
        let first = try await changes.next()
        #expect(first?.description == "0..<0 → 0..<1, 3..<4 → 4..<4, 7..<7 → 7..<10" && first?.text == ">onetwoabc")
        view.insertText("d")
        #expect(try await changes.next()?.description == "10..<10 → 10..<11")
    }

    @Test func eachInputDelegateIsNotifiedOfBothEndsOfAChange() {
        final class Listener: TextInputDelegate {
            var log = ""
            func textWillChange(_ textInput: (any TextInput)?) { log += "(" }
            func textDidChange(_ textInput: (any TextInput)?) { log += ")" }
            func selectionWillChange(_ textInput: (any TextInput)?) { log += "<" }
            func selectionDidChange(_ textInput: (any TextInput)?) { log += ">" }
        }
        let scene = ViewScene("ab|")
        let (one, two, three) = (Listener(), Listener(), Listener())
        scene.view.inputDelegate = one
        // A delegate that was added twice is called once.
        scene.view.session.addInputDelegate(one)
        scene.view.session.addInputDelegate(two)
        scene.view.session.addInputDelegate(three)
        scene.view.session.paste("x")
        scene.view.session.removeInputDelegate(three)
        scene.perform(.moveLeft)
        scene.view.insertText("typed")
        #expect([one.log, two.log, three.log] == ["()<>", "()<>", "()"])
    }
}
