import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

/// The calls at the client that result from an input method's events: exact texts and ranges.
@Suite(.timeLimit(.minutes(5))) struct ContextTests {
    /// Batches of events, and the view's text after each.
    struct Script: Sendable, CustomTestStringConvertible {
        var name: String
        var before: CaretNotation = "ab|cd"
        var steps: [(events: [InputMethodEvent], after: CaretNotation)]
        var testDescription: String { name }
    }

    static func draw(
        _ text: String?, _ first: Int = 0, _ length: Int = 0, caret: Int = 99, _ feedback: [PreeditFeedback] = []
    ) -> InputMethodEvent {
        .preeditDraw(
            PreeditDraw(caret: caret, changeFirst: first, changeLength: length, text: text, feedback: feedback))
    }
    static func caret(_ direction: PreeditCaret.Direction, _ position: Int = 0) -> InputMethodEvent {
        .preeditCaret(PreeditCaret(direction: direction, position: position, style: .primary))
    }

    static let scripts: [Script] = [
        Script(
            name: "start, draw, commit, clear, done",
            steps: [
                ([.preeditStart], "ab|cd"), ([draw("に")], "ab⟨に|⟩cd"), ([draw("にほ", 0, 1)], "ab⟨にほ|⟩cd"),
                ([.commit("日本")], "ab日本|cd"), ([draw(nil, 0, 2)], "ab日本|cd"), ([.preeditDone], "ab日本|cd"),
            ]),
        Script(
            name: "clear, done, commit together",
            steps: [
                ([draw("한")], "ab⟨한|⟩cd"), ([draw(nil, 0, 1), .preeditDone, .commit("한")], "ab한|cd"),
            ]),
        Script(
            name: "clear, done, commit one by one",
            steps: [
                ([draw("한")], "ab⟨한|⟩cd"), ([draw(nil, 0, 1)], "ab⟨한|⟩cd"), ([.preeditDone], "ab⟨한|⟩cd"),
                ([.commit("한")], "ab한|cd"),
            ]),
        Script(
            name: "draw without start, done without clear",
            steps: [([draw("x")], "ab⟨x|⟩cd"), ([.preeditDone, .commit("y")], "aby|cd")]),
        Script(name: "done without draw, twice", steps: [([.preeditDone], "ab|cd"), ([.preeditDone], "ab|cd")]),
        Script(
            name: "commit without done, then a full redraw",
            steps: [
                ([draw("가")], "ab⟨가|⟩cd"), ([.commit("가"), draw("나", 0, 1)], "ab가⟨나|⟩cd"),
            ]),
        Script(
            name: "commit without done, then a new preedit without start",
            steps: [
                ([draw("xy")], "ab⟨xy|⟩cd"), ([.commit("XY")], "abXY|cd"), ([draw("z")], "abXY⟨z|⟩cd"),
            ]),
        Script(
            name: "commit of a part, the rest redrawn by an incremental change",
            steps: [
                ([draw("AB")], "ab⟨AB|⟩cd"), ([.commit("a"), draw(nil, 0, 1)], "aba⟨B|⟩cd"),
            ]),
        Script(
            name: "commit without done, then only a caret",
            steps: [([draw("xy")], "ab⟨xy|⟩cd"), ([.commit("XY"), caret(.lineStart)], "abXY|cd")]),
        Script(
            name: "commit and the next syllable",
            steps: [
                ([draw("한", 0, 0, [.reverse])], "ab⟨[한|]⟩cd"),
                (
                    [draw(nil, 0, 1), .preeditDone, .commit("한"), .preeditStart, draw("그", 0, 0, [.reverse])],
                    "ab한⟨[그|]⟩cd"
                ),
            ]),
        Script(
            name: "incremental insertion, deletion and replacement around emoji",
            steps: [
                ([draw("a😀b")], "ab⟨a😀b|⟩cd"), ([draw("😀", 1, 0, caret: 2)], "ab⟨a😀|😀b⟩cd"),
                ([draw(nil, 1, 1, caret: 1)], "ab⟨a|😀b⟩cd"), ([draw("日", 1, 1, caret: 2)], "ab⟨a日|b⟩cd"),
            ]),
        Script(
            name: "the reversed clause is selected, in UTF-16",
            steps: [
                (
                    [draw("😀今日は", 0, 0, caret: 0, [.underline, .reverse, .highlight, .underline])],
                    "ab⟨😀[今日|]は⟩cd"
                )
            ]),
        Script(
            name: "feedback shorter than the text, ranges out of bounds",
            steps: [
                ([draw("abc", -5, .max, caret: -3, [.reverse])], "ab⟨[a|]bc⟩cd"),
                ([draw("Z", .max, .max, caret: .max)], "ab⟨[a|]bcZ⟩cd"),
            ]),
        Script(
            name: "carets",
            steps: [
                (
                    [
                        draw(
                            "a b")
                    ], "ab⟨a b|⟩cd"
                ), ([caret(.absolute, 1)], "ab⟨a| b⟩cd"), ([caret(.lineStart)], "ab⟨|a b⟩cd"),
                (
                    [caret(.forwardWord)],
                    "ab⟨a |b⟩cd"
                ), ([caret(.unchanged)], "ab⟨a |b⟩cd"), ([caret(.lineEnd)], "ab⟨a b|⟩cd"),
            ]),
        Script(
            name: "cancelled", steps: [([draw("xy")], "ab⟨xy|⟩cd"), ([draw(nil, 0, 2), .preeditDone], "ab⟨xy|⟩cd")]),
        Script(
            name: "control characters of a commit",
            steps: [([.commit("a\u{8}b\u{7f}c\r\nd\te\u{9b}f")], "ababc\nd\tef|cd")]),
        Script(name: "a commit that is only control characters", steps: [([.commit("\u{3}")], "ab|cd")]),
        Script(
            name: "a commit replaces the selection", before: "a[b|]cd", steps: [([.commit("x")], "ax|cd")]),
        Script(
            name: "a preedit replaces the selection", before: "a[bc|]d",
            steps: [([draw("x")], "a⟨x|⟩d"), ([.commit("y")], "ay|d")]),
        Script(
            name: "empty start and done around nothing keep the selection", before: "a[bc|]d",
            steps: [([.preeditStart, draw(nil), .preeditDone], "a[bc|]d")]),
    ]

    @Test(arguments: scripts)
    func eventsBecomeExactTextAndRanges(_ script: Script) {
        let s = Simulation(script.before.text, server: Simulation.Server(kind: .forwarding))
        s.view.content.selection = script.before.selection
        for (index, step) in script.steps.enumerated() {
            s.session.deliver(step.events)
            #expect(CaretNotation(s.view) == step.after, "step \(index): \(s.calls)")
        }
    }

    @Test func aClearedPreeditGoesAwayWhenNoCommitFollows() {
        let s = Simulation("ab", server: Simulation.Server(kind: .forwarding))
        s.session.deliver([Self.draw("xy")])
        s.session.deliver([Self.draw(nil, 0, 2), .preeditDone])
        #expect(CaretNotation(s.view) == "ab⟨xy|⟩")
        s.run(7)
        #expect(CaretNotation(s.view) == "ab⟨xy|⟩")
        s.run(1)
        #expect(CaretNotation(s.view) == "ab|")
        #expect(s.session.nextDeadline == nil)
    }

    @Test func clearAndCommitOfOneBatchAreOneCall() {
        let s = Simulation("", server: Simulation.Server(kind: .forwarding))
        s.session.deliver([.preeditStart, Self.draw("한")])
        s.records = []
        s.session.deliver([Self.draw(nil, 0, 1), .preeditDone, .commit("한")])
        #expect(s.calls == ["insert 한", "end"])
    }

    @Test func sameDrawTwiceIsOneCall() {
        let s = Simulation("", server: Simulation.Server(kind: .forwarding))
        s.session.deliver([Self.draw("に")])
        s.session.deliver([Self.draw("に", 0, 1)])
        #expect(s.calls == ["begin", "mark に [1, 1)"])
    }

    @Test func clausesCarryTheirKinds() {
        let s = Simulation("", server: Simulation.Server(kind: .forwarding))
        s.session.deliver([Self.draw("今日😀は", 0, 0, [.underline, .reverse, .reverse, .underline])])
        #expect(
            s.view.content.markedText?.clauses == [
                MarkedClause(range: 0..<1, kind: .converted), MarkedClause(range: 1..<4, kind: .target),
                MarkedClause(range: 4..<5, kind: .converted),
            ])
        s.session.deliver([Self.draw("かな", 0, 4)])
        #expect(s.view.content.markedText?.clauses == [MarkedClause(range: 0..<2, kind: .raw)])
    }

    @Test func aCompositionIsOneStepOfUndo() {
        let s = Simulation("ab", server: Simulation.Server(kind: .forwarding))
        for text in ["に", "にほ", "にほん"] {
            s.session.deliver([Self.draw(text, 0, max(0, text.unicodeScalars.count - 1))])
        }
        s.session.deliver([.commit("日本"), Self.draw(nil, 0, 3), .preeditDone])
        #expect(CaretNotation(s.view) == "ab日本|")
        #expect(s.view.doCommand(by: .undo))
        #expect(CaretNotation(s.view) == "ab|")
        #expect(s.view.doCommand(by: .redo))
        #expect(CaretNotation(s.view) == "ab日本|")
    }

    @Test func aCommitFiresNoShortcut() {
        let s = Simulation("x", server: Simulation.Server(kind: .forwarding))
        s.session.deliver([.commit("\u{1}"), .commit("a")])
        #expect(s.view.performedCommands.isEmpty)
        #expect(s.view.string == "xa")
    }

    @Test func anUnconsumedShortcutFiresOnce() {
        let s = Simulation("x", server: Simulation.Server(kind: .forwarding))
        s.key(0x61, "", .control)
        s.waitUntilIdle()
        #expect(s.view.performedCommands == [.selectAll])
    }

    @Test func aKeyThatComesBackInACompositionKeepsItsText() {
        let s = Simulation("", server: Simulation.Server(kind: .composing, reset: .nothing))
        s.type("ab")
        s.run(100)
        s.session.deliver([.key(KeyEvent(keysym: 0x78, characters: "x"), nil)])
        s.waitUntilIdle()
        #expect(CaretNotation(s.view) == "abx|")
        #expect(s.method.log.last == "reset")
    }

    @Test func copyingGoesOnComposing() {
        let s = Simulation("", server: Simulation.Server(kind: .composing))
        s.type("ab")
        s.run(100)
        s.session.deliver([.key(KeyEvent(keysym: 0x63, modifiers: .control), nil)])
        #expect(CaretNotation(s.view) == "⟨ab|⟩")
        #expect(s.view.performedCommands == [.copy])
    }

    @Test func theSpotIsTheTargetClauseOrTheCaretInRootPixels() {
        let s = Simulation("abc", server: Simulation.Server(kind: .forwarding))
        #expect(s.method.spots.last == RootRect(x: 330, y: 200, width: 1, height: 20))
        s.session.deliver([Self.draw("にほんご")])
        #expect(s.method.spots.last == RootRect(x: 370, y: 200, width: 1, height: 20))
        s.session.deliver([Self.draw("日本語", 0, 4, [.underline, .reverse, .reverse])])
        #expect(s.method.spots.last == RootRect(x: 340, y: 200, width: 20, height: 20))
        s.view.textInputViewOrigin = RootPoint(x: 310, y: 250)
        s.context.invalidateCharacterCoordinates()
        #expect(s.method.spots.last == RootRect(x: 350, y: 250, width: 20, height: 20))
    }

    @Test func secureAndReadOnlyViewsGetNoMethodAndNoTrace() {
        for isSecret in [true, false] {
            let s = Simulation("", server: Simulation.Server(kind: .composing))
            s.view.isSecureTextEntry = isSecret
            s.view.isEditable = isSecret
            s.session.clientTraitsDidChange()
            s.records = []
            s.type("abc")
            s.session.deliver([Self.draw("x"), .commit("y")])
            s.waitUntilIdle()
            #expect(s.method.log.last == "focus out")
            #expect(s.view.string == (isSecret ? "abc" : ""))
            #expect(s.records.isEmpty == isSecret)
        }
    }

    /// Keys are typed ahead of a click on a secure field: whether they must stay out of the trace is known only
    /// once the field has the focus.
    @Test func keysThatComeToASecureFieldBehindAClickAreNotTraced() {
        let s = Simulation("", server: Simulation.Server(kind: .composing, delay: 10))
        let secret = ReferenceTextView("")
        secret.isSecureTextEntry = true
        let second = TextInputContext(client: secret)
        second.session = s.session
        s.type("ab")
        s.session.perform(.press) { second.activate() }
        s.type("xyz")
        s.session.perform(.press) { s.context.activate() }
        s.type("c")
        s.waitUntilIdle()
        #expect(secret.string == "xyz" && s.view.string == "abc")
        let traced = s.records.compactMap { record -> String? in
            guard case .key(let key) = record.event, key.phase == .down else { return nil }
            return key.characters
        }
        #expect(traced == ["a", "b", "c"])
        #expect(s.records.map(\.time) == s.records.map(\.time).sorted())
    }

    /// The release of a password's last key may arrive when another field has the focus. Its press may also precede
    /// the recording.
    @Test(arguments: [false, true]) func aKeyThatWentDownInASecureFieldIsNotTracedWhenItComesUp(beginsLate: Bool) {
        let s = Simulation("", server: Simulation.Server(kind: .composing))
        let record = s.session.onRecord
        if beginsLate { s.session.onRecord = nil }
        let secret = ReferenceTextView("")
        secret.isSecureTextEntry = true
        let second = TextInputContext(client: secret)
        second.session = s.session
        second.activate()
        func key(_ phase: KeyEvent.Phase, _ characters: String, keycode: UInt8) {
            let keysym = Keysym(rawValue: UInt32(characters.utf8.first ?? 0))
            s.session.handle(KeyEvent(phase: phase, keycode: keycode, keysym: keysym, characters: characters))
        }
        key(.down, "x", keycode: 53)
        key(.down, "y", keycode: 29)
        key(.repeat, "y", keycode: 29)
        s.session.perform(.press) { s.context.activate() }
        s.waitUntilIdle()
        s.session.onRecord = record
        key(.down, "a", keycode: 38)
        key(.up, "x", keycode: 53)
        key(.up, "y", keycode: 29)
        key(.up, "a", keycode: 38)
        // A key that is pressed and released here is traced, even if it is the same key.
        key(.down, "x", keycode: 53)
        key(.up, "x", keycode: 53)
        s.waitUntilIdle()
        #expect(secret.string == "xyy")
        let traced = s.records.compactMap { record -> String? in
            guard case .key(let key) = record.event else { return nil }
            return "\(key.phase) \(key.characters)"
        }
        #expect(traced == ["down a", "up a", "down x", "up x"])
    }

    /// A task started by a client during a call runs outside of it.
    @Test func theCurrentContextIsThatOfTheCallAndOfNoTaskBegunInIt() async {
        final class View: ReferenceTextView {
            var seen: TextInputContext?
            var task: Task<Bool, Never>?
            override func insertText(_ string: String, replacementRange: UTF16Range) {
                seen = TextInputContext.current
                task = Task { TextInputContext.current != nil }
                super.insertText(string, replacementRange: replacementRange)
            }
        }
        let view = View("")
        let session = InputSession(clock: { 0 })
        let context = TextInputContext(client: view, session: session)
        context.activate()
        session.handle(KeyEvent(keysym: 0x61, characters: "a"))
        #expect(view.seen === context)
        #expect(TextInputContext.current == nil)
        #expect(await view.task?.value == false)
    }

    /// The dot shown for the compose key is no text.
    @Test(arguments: ["·", "·o"]) func aPlaceholderIsNotKept(_ pending: String) {
        let s = Simulation("<>", caret: 1, server: Simulation.Server(kind: .composing))
        let feedback = pending.unicodeScalars.map {
            $0 == "·" ? [.underline, .placeholder] : PreeditFeedback.underline
        }
        s.session.deliver([.preeditStart, Self.draw(pending, 0, 0, feedback)])
        #expect(s.view.string == "<\(pending)>")
        #expect(InputText(s.context.preedit).clauses.count == 1, "it looks like the rest")
        s.session.perform(.press) {}
        s.waitUntilIdle()
        #expect(s.view.string == "<\(pending.dropFirst())>")
        #expect(!s.view.hasMarkedText())
    }

    @Test func aPinViewTakesPlainKeysOnly() {
        final class PIN: KeyInput {
            var digits = ""
            var hasText: Bool { !digits.isEmpty }
            func insertText(_ text: String) { digits += text }
            func deleteBackward() { _ = digits.popLast() }
        }
        let s = Simulation("", server: Simulation.Server(kind: .composing))
        let pin = PIN()
        let context = TextInputContext(client: pin, session: s.session)
        context.activate()
        s.type("12a")
        s.key(.backSpace)
        s.type("3")
        #expect(pin.digits == "123")
        #expect(s.method.log.last == "focus out")
    }

    @Test func aViewWithoutAnchorsStillKeepsItsTextOnce() {
        // A client with KeyInput and TextInputClient only: a late commit that repeats the existing text is dropped.
        final class Bare: TextInputClient {
            let view = ReferenceTextView("")
            var hasText: Bool { view.hasText }
            func insertText(_ text: String) { view.insertText(text) }
            func deleteBackward() { view.deleteBackward() }
            func insertText(_ string: String, replacementRange: UTF16Range) {
                view.insertText(string, replacementRange: replacementRange)
            }
            func setMarkedText(_ string: InputText, selectedRange: UTF16Range, replacementRange: UTF16Range) {
                view.setMarkedText(string, selectedRange: selectedRange, replacementRange: replacementRange)
            }
            func unmarkText() { view.unmarkText() }
            func selectedRange() -> UTF16Range { view.selectedRange() }
            func markedRange() -> UTF16Range { view.markedRange() }
            func attributedSubstring(
                forProposedRange range: UTF16Range
            ) -> (string: InputText, actualRange: UTF16Range)? { view.attributedSubstring(forProposedRange: range) }
            func attributedString() -> InputText { view.attributedString() }
            func firstRect(forCharacterRange range: UTF16Range) -> (rect: RootRect, actualRange: UTF16Range) {
                view.firstRect(forCharacterRange: range)
            }
            func characterIndex(for point: RootPoint) -> Int { view.characterIndex(for: point) }
            func fractionOfDistanceThroughGlyph(for point: RootPoint) -> Double { 0 }
            func baselineDeltaForCharacter(at index: Int) -> Double { 0 }
            func doCommand(by command: EditCommand) -> Bool { view.doCommand(by: command) }
            var textInputViewOrigin: RootPoint { view.textInputViewOrigin }
        }
        for reset in Simulation.ResetKind.allCases {
            let s = Simulation("", server: Simulation.Server(kind: .composing, reset: reset))
            let bare = Bare()
            let context = TextInputContext(client: bare, session: s.session)
            context.activate()
            s.type("abc", every: 50)
            s.session.windowFocusChanged(false)
            s.waitUntilIdle()
            #expect(bare.view.string == "abc", "\(reset)")
        }
    }

    /// The cost of a preedit with a clause for each character is proportional to its length.
    @Test func aClauseForEachCharacterOfALongPreedit() {
        let view = ReferenceTextView("", columns: 40)
        let context = TextInputContext(client: view)
        let feedback = (0..<PreeditBuffer.limit).map { $0 % 2 == 0 ? PreeditFeedback.underline : [] }
        let text = String(repeating: "😀", count: PreeditBuffer.limit)
        context.receive(Self.draw(text, 0, 0, caret: 1, feedback))
        #expect(view.content.marked == 0..<UTF16Offset(2 * PreeditBuffer.limit))
        #expect(context.preedit.clauses.count == PreeditBuffer.limit)
        let clauses = InputText(context.preedit).clauses
        #expect(clauses.indices.allSatisfy { clauses[$0].range == UTF16Offset(2 * $0)..<UTF16Offset(2 * $0 + 2) })
    }
}
