import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import InkstoneView
import Synchronization
import Testing

/// The chain of transaction filters: which edits the user may make, and which part of inserted text is accepted.
@Suite(.timeLimit(.minutes(5))) struct FilterTests {
    private func scene(_ notation: String, _ set: (inout TextInputOptions) -> Void) -> EditingScene {
        let scene = EditingScene(notation)
        set(&scene.options)
        return scene
    }

    @Test func aReadOnlyStateRefusesAllThatTheUserDoes() {
        let scene = scene("a[b|]c") { $0.isEditable = false }
        for transaction in [
            scene.state.inserting("x"), scene.state.pasting("x"), scene.state.deletingBackward(),
            scene.state.marking("x", replacing: 1..<2, selected: .notFound),
        ] {
            guard var transaction else { return #expect(Bool(false), "no transaction") }
            guard case .refuse = scene.state.filter(&transaction) else {
                return #expect(Bool(false), "accepted: \(transaction)")
            }
        }
        scene.make(scene.state.programEdit(DeferredEdit(replacing: [0..<1], with: "x", origin: .program)))
        #expect(scene.notation == "x[b|]c", "the program may")
    }

    @Test func aReadOnlyStateRefusesUndoAndAttributes() throws {
        let scene = scene("a[b|]c") { _ in }
        let styling = try #require(scene.state.styling(1, of: Weight.self))
        scene.make(scene.state.inserting("x"))
        let undo = try #require(scene.store.undoing(in: scene.state.view))
        scene.make(undo)
        let redo = try #require(scene.store.redoing(in: scene.state.view))
        scene.options.isEditable = false
        for var transaction in [styling, undo, redo] {
            guard case .refuse = scene.state.filter(&transaction) else {
                return #expect(Bool(false), "accepted: \(transaction.origin)")
            }
        }
    }

    private enum Weight: AttributeKey {
        typealias Value = Int
        static let name = "weight of filters"
    }

    @Test func aFieldMakesLinesOneAsAViewDoes() {
        let field = EditableText("", isSingleLine: true)
        field.session.insert("a\nb")
        #expect(field.string == "a b")
        field.session.compositionDidBegin()
        field.session.mark("c", selected: .notFound)
        field.session.insert("d\r\ne", over: .composed)
        field.session.compositionDidEnd()
        #expect(field.string == "a bd e" && field.selection == 6..<6)
        field.isSingleLine = false
        field.session.insert("\n")
        #expect(field.string == "a bd e\n")
    }

    @Test func theFiltersTakeTheirPartInOrder() {
        let scene = scene("|") {
            $0.isSingleLine = true
            $0.inputFilter = { $0.filter { $0 != "x" } }
            $0.maximumLength = 5
        }
        // Lines are joined first, then the filter sees a space, and then the remaining length is counted.
        scene.make(scene.state.pasting("x1\nx2\n3x4"))
        #expect(scene.notation == "1 2 3|")
        scene.make(scene.state.pasting("9"))
        #expect(scene.notation == "1 2 3|")
        scene.select(Selection(anchor: 0, head: 1))
        scene.make(scene.state.pasting("xxx"))
        #expect(scene.notation == "[1|] 2 3", "nothing is taken: what was selected stays")
        scene.make(scene.state.pasting("x89"))
        #expect(scene.notation == "8| 2 3")
    }

    /// Texts pasted one after the other into a view with a maximum length in clusters, and the result of each.
    struct RoomCase: Sendable {
        var before: String
        var limit: Int
        var pasted: [(text: String, after: String)]
    }

    @Test(arguments: [
        // A text that is too long may be replaced by one of the same length.
        RoomCase(before: "ab[cd|]ef", limit: 3, pasted: [("123", "ab12|ef"), ("3", "ab12|ef")]),
        // A combining accent adds no cluster.
        RoomCase(before: "e|", limit: 1, pasted: [("\u{301}", "e\u{301}|"), ("x", "e\u{301}|")]),
        // All ranges share the remaining room.
        RoomCase(before: "a|b|c|", limit: 5, pasted: [("x", "ax|bx|c|")]),
    ])
    func noMoreComesInThanThereIsRoomFor(_ test: RoomCase) {
        let scene = scene(test.before) { $0.maximumLength = test.limit }
        for (text, after) in test.pasted {
            scene.make(scene.state.pasting(text))
            #expect(scene.notation == after)
        }
    }

    /// Only as much of a paste is examined as there is room for.
    @Test func aMegabyteIntoAShortFieldIsCut() {
        let scene = scene("|") { $0.maximumLength = 1000 }
        scene.make(scene.state.pasting(String(repeating: "e\u{301}", count: 990)))
        let text = String(repeating: "0123456789abcde\u{301}", count: 1 << 16)
        let clock = ContinuousClock()
        let time = clock.measure { scene.make(scene.state.pasting(text)) }
        print("1 MB into a field of maximum length 1,000 with room for 10: \(time)")
        #expect(scene.state.string(in: scene.state.textRange).count == 1000)
        #expect(scene.store.text.metrics.utf16 == 1990)
    }

    /// The maintained count equals a count of the whole text after any edit.
    @Test(arguments: 1...20) func theLimitHoldsForRandomEdits(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let parts = [
            "a", "e\u{301}", "🇩🇪", "🇩", "👨\u{200d}👩", "\u{200d}", "\r", "\n", "ก", "日本", "\u{600}", "कि", "\u{301}",
        ]
        let limit = Int.random(in: 1...12, using: &random)
        let scene = scene("|") { $0.maximumLength = limit }
        for step in 0..<60 {
            let length = scene.state.textRange.upperBound.value
            let ranges = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                SelectionRange(
                    anchor: scene.store.text.roundedDown(
                        toGrapheme: UTF16Offset(Int.random(in: 0...length, using: &random))),
                    head: scene.store.text.roundedDown(
                        toGrapheme: UTF16Offset(Int.random(in: 0...length, using: &random))))
            }
            scene.select(Selection(ranges))
            let new = (0..<Int.random(in: 0...4, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }
            let before = scene.state.string(in: scene.state.textRange)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: scene.make(scene.state.deletingBackward())
            case 1: scene.make(scene.state.pasting(new.joined()))
            default: scene.make(scene.state.inserting(new.joined()))
            }
            let after = scene.state.string(in: scene.state.textRange)
            // Deleting may split clusters; but insertions never exceed the limit.
            #expect(
                after.count <= max(limit, before.count + 2),
                "seed \(seed), step \(step): \(after.debugDescription) of \(limit), before \(before.debugDescription)")
            var measured = scene.state
            for limit in [nil, limit] {
                var options = measured.options
                options.maximumLength = limit
                measured.adopt(measured.changing(.options(options)))
            }
            #expect(
                measured.knownLength == scene.state.knownLength, "seed \(seed), step \(step): \(after.debugDescription)"
            )
        }
    }

    /// A filtered text passes the filters unchanged: f(f(T)) is f(T).
    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func filteringIsIdempotent(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let parts = ["a", "b", "e\u{301}", "🇩🇪", "\u{301}", "\r", "\n", "日本", "b\nb", "👨\u{200d}👩"]
        func some(_ most: Int) -> String {
            (0..<Int.random(in: 0...most, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }
                .joined()
        }
        for step in 0..<60 {
            let scene = EditingScene("|")
            scene.make(scene.state.inserting(some(12)))
            for _ in 0..<3 {
                let low = UTF16Offset(random.below(scene.state.textRange.upperBound.value + 1))
                scene.store.restyle { $0.set(random.below(2), of: Weight.self, in: low..<low + 2) }
            }
            if random.once(in: 2) { scene.options.isSingleLine = true }
            if random.once(in: 2) { scene.options.inputFilter = { $0.filter { $0 != "b" } } }
            if random.once(in: 2) { scene.options.maximumLength = random.below(16) }
            let text = scene.store.text
            func place() -> UTF16Offset {
                text.roundedDown(toGrapheme: UTF16Offset(random.below(text.metrics.utf16 + 1)))
            }
            scene.select(
                Selection((0..<random.below(3) + 1).map { _ in SelectionRange(anchor: place(), head: place()) }))
            let transaction: Transaction?
            switch random.below(5) {
            case 0: transaction = scene.state.inserting(some(5))
            case 1: transaction = scene.state.pasting(some(5))
            case 2: transaction = scene.state.deletingBackward()
            case 3: transaction = scene.state.draggedText().flatMap { scene.state.moving($0, to: place()) }
            default: transaction = scene.state.dropping(CopiedText(scene.state.styledText), at: place())
            }
            guard var once = transaction, case .accept = scene.state.filter(&once) else { continue }
            var twice = once
            guard case .accept = scene.state.filter(&twice) else {
                Issue.record("seed \(seed), step \(step): refused the second time")
                continue
            }
            func result(_ transaction: Transaction) -> StyledText {
                var text = scene.state.styledText
                text.apply(transaction.changes, restyling: transaction.restyling)
                return text
            }
            #expect(
                once.changes.changeMap == twice.changes.changeMap && once.selection == twice.selection
                    && result(once) == result(twice),
                "seed \(seed), step \(step): \(once.changes) then \(twice.changes)")
        }
    }

    // MARK: Filters of a program

    @Test func aProgramsFilterIsAskedByTransactionsAndByCommands() {
        let scene = EditingScene("ab|")
        let noDeletion = TransactionFilter("no deletion", allows: { origin, _ in !origin.isWithin(.deletion) }) {
            transaction, _ in transaction.origin.isWithin(.deletion) ? .refuse : .accept
        }
        scene.change(.filters(TransactionFilter.standard + [noDeletion]))
        for command in [EditCommand.deleteBackward, .deleteForward, .deleteWordBackward, .cut] {
            #expect(!scene.state.canPerform(command), "\(command)")
        }
        #expect(scene.state.canPerform(.insertNewline) && scene.state.canPerform(.undo))
        scene.make(scene.state.deletingBackward())
        #expect(scene.notation == "ab|")
        scene.make(scene.state.inserting("c"))
        #expect(scene.notation == "abc|")
        scene.change(.filters(scene.state.filters.filter { $0.id != noDeletion.id }))
        scene.perform(.deleteBackward)
        #expect(scene.notation == "ab|")
    }

    @Test func theSelectionIsMappedOverWhatAProgramsFilterTakes() {
        let scene = EditingScene("a|b|")
        let once = TransactionFilter("once") { transaction, state in
            guard transaction.insertsText else { return .accept }
            return transaction.rewrite(in: state) { _, text in
                text.slice(0..<UTF16Offset(min(1, text.rope.metrics.utf16)))
            }
        }
        scene.change(.filters(TransactionFilter.standard + [once]))
        scene.make(scene.state.marking("にほ", over: .composed, selected: .notFound))
        scene.make(scene.state.inserting("日本", over: .composed))
        #expect(scene.notation == "a日|b日|")
    }

    /// A read-only copy of another text is never edited, even if the program removes all filters.
    @Test func aCopyIsNotEditedWithoutFiltersEither() {
        let store = TextStore("ab")
        var state = EditorState(of: store, view: ViewID(), isCopy: true)
        state.adopt(state.changing(.filters([])))
        #expect(state.filters.isEmpty)
        for origin in [Origin.typing, .program] {
            var transaction = Transaction(
                on: store, TextChangeSet(replacing: 0..<1 as Range<UTF16Offset>, with: "x", in: store.text),
                origin: origin, view: state.view)
            #expect(isRefused(state.prepare(&transaction)))
        }
    }

    /// The delegate is asked about an attribute by its own key and by each name above it in the hierarchy.
    @Test func aDelegateIsAskedAboutAttributesByAnyName() throws {
        let scene = EditingScene("ab|")
        scene.select(Selection(anchor: 0, head: 2))
        var styling = try #require(scene.state.styling(7, of: Weight.self))
        styling.origin = "style.bold"
        #expect(isRefused(scene.state.prepare(&styling, asking: { _, _ in false })))
    }

    /// Styles and text of a command are one: for example the rows of a table, which a command deletes.
    @Test func aDelegateIsAskedAboutTheTextOfStylingCommands() {
        var asked: [String] = []
        func verdict(refusing refused: String?) -> (FilterVerdict, Transaction) {
            asked = []
            let scene = EditingScene("abcd|")
            var restyling = Restyling()
            // The offsets are those of the new text: `xyz`, `cd`.
            restyling.set(5, of: Weight.self, in: 1..<5)
            var transaction = Transaction(
                on: scene.store, TextChangeSet(replacing: UTF16Offset(0)..<2, with: "xyz", in: scene.store.text),
                origin: .styling, view: scene.state.view, restyling: restyling)
            let verdict = scene.state.prepare(&transaction) { range, text in
                let question = "\(range.lowerBound.value)-\(range.upperBound.value) \(text)"
                asked.append(question)
                return question != refused
            }
            return (verdict, transaction)
        }
        let (accepted, transaction) = verdict(refusing: nil)
        #expect(asked == ["0-2 xyz", "2-4 cd"] && !isRefused(accepted))
        #expect(!transaction.changes.isEmpty && transaction.restyling?.isEmpty == false)
        for refused in ["0-2 xyz", "2-4 cd"] { #expect(isRefused(verdict(refusing: refused).0), "\(refused)") }
    }

    private func isRefused(_ verdict: FilterVerdict) -> Bool {
        if case .refuse = verdict { true } else { false }
    }

    /// A constraint sees attributes that text inherits from its surroundings, and those chosen for typing.
    @Test func aConstraintSeesTheAttributesThatTextWillHave() throws {
        let scene = EditingScene("ab|")
        scene.store.restyle { $0.set(7, of: Weight.self, in: 0..<2) }
        let limit = TransactionFilter("light") { attributes in
            var new = attributes
            if let weight = new[Weight.self], weight > 4 { new[Weight.self] = 4 }
            return new
        }
        scene.change(.filters(TransactionFilter.standard + [limit]))
        func weights() -> [Int?] {
            (0..<scene.state.textRange.upperBound.value).map {
                scene.state.styledText.attributes(at: UTF16Offset($0))[Weight.self]
            }
        }
        scene.make(scene.state.inserting("c"))
        #expect(weights() == [7, 7, 4], "it is inherited")
        scene.make(scene.state.styling(9, of: Weight.self))
        scene.make(scene.state.inserting("d"))
        #expect(weights() == [7, 7, 4, 4], "it is chosen")
        scene.select(Selection(anchor: 0, head: 1))
        scene.make(scene.state.styling(6, of: Weight.self))
        #expect(weights() == [4, 7, 4, 4], "it is given")
        scene.make(scene.state.programEdit(DeferredEdit(replacing: [2..<2], with: "x", origin: .program)))
        #expect(weights() == [4, 7, 4, 4, 4], "the program's edits are asked about as well")
        while scene.store.canUndo { scene.store.undo(in: scene.state.view) }
        #expect(weights() == [nil, nil] && scene.notation.contains("ab"), "undo is not")
    }

    /// Returns the weight of each UTF-16 unit.
    private func weights(_ text: StyledText) -> [Int?] {
        (0..<text.rope.metrics.utf16).map { text.attributes(at: UTF16Offset($0))[Weight.self] }
    }

    /// Returns a filter that sets a weight on inserted text.
    private func giving(_ weight: Int) -> TransactionFilter {
        TransactionFilter("weight \(weight)", readsAttributes: true) { transaction, _ in
            guard transaction.insertsText else { return .accept }
            var restyling = transaction.restyling ?? Restyling()
            for section in transaction.changes.changeMap {
                restyling.set(weight, of: Weight.self, in: section.newRange)
            }
            transaction.restyling = restyling
            return .accept
        }
    }

    /// A filter sees the attributes set by earlier filters, even if one between has removed text.
    @Test func eachFilterOfAttributesSeesWhatThoseBeforeItHaveLeft() {
        let scene = EditingScene("ab|")
        let taking = TransactionFilter("no x") { transaction, state in
            transaction.rewrite(in: state) { _, text in
                text.rope.string(in: text.rope.byteRange) == "cx" ? text.slice(0..<1) : text
            }
        }
        let seen = Mutex<[[Int?]]>([])
        let seeing = TransactionFilter("seeing", readsAttributes: true) { transaction, state in
            var text = state.styledText
            text.apply(transaction.changes)
            let weights = (0..<text.rope.metrics.utf16).map { text.attributes(at: UTF16Offset($0))[Weight.self] }
            seen.withLock { $0.append(weights) }
            return .accept
        }
        scene.change(.filters(TransactionFilter.standard + [giving(3), seeing, taking, seeing]))
        scene.make(scene.state.inserting("cx"))
        #expect(seen.withLock { $0 } == [[nil, nil, 3, 3], [nil, nil, 3]])
        #expect(scene.notation == "abc|" && weights(scene.state.styledText) == [nil, nil, 3])
    }

    /// Attributes set on text beside an insertion are kept if a filter removes inserted text.
    @Test func aFilterThatTakesTextLeavesTheAttributesThatAreGivenBesideIt() throws {
        let scene = EditingScene("ab|")
        scene.options.inputFilter = { $0.filter { $0 != "x" } }
        var transaction = try #require(scene.state.inserting("xc"))
        var restyling = Restyling()
        restyling.set(5, of: Weight.self, in: 0..<1)
        restyling.set(6, of: Weight.self, in: 3..<4)
        transaction.restyling = restyling
        scene.make(transaction)
        #expect(scene.notation == "abc|" && weights(scene.state.styledText) == [5, nil, 6])
    }

    /// Committed text keeps its attributes and gets those of the filters.
    @Test func keptTextOfACompositionGetsWhatFiltersGive() {
        let scene = EditingScene("a|b|")
        scene.make(scene.state.marking("にほ", over: .composed, selected: .notFound))
        scene.store.restyle { $0.set("there", of: Place.self, in: 2..<3) }
        scene.change(.filters(TransactionFilter.standard + [giving(3), giving(4)]))
        scene.make(scene.state.ending(.keeping))
        #expect(scene.state.string(in: scene.state.textRange) == "aにほbにほ")
        let text = scene.state.styledText
        #expect(weights(text) == [nil, 4, 4, nil, 4, 4])
        #expect(text.attributes(at: 1)[Place.self] == nil && text.attributes(at: 4)[Place.self] == "there")
    }

    private enum Place: AttributeKey {
        typealias Value = String
        static let name = "place of filters"
    }

    /// With a filter that defers everything, no action of the user is lost or reordered.
    @Test func userActionsDeferredByAFilterAreNotLost() {
        let patient = TransactionFilter("patient") { _, _ in .wait }
        let scene = ViewScene("ab|")
        let view = scene.view
        view.session.filters.append(patient)
        view.insertText("c")
        view.session.paste("d")
        view.deleteBackward()
        view.session.paste("e", for: view.session.deferPaste())
        view.session.replaceText(in: 0..<1, with: "A")
        #expect(view.text == "Abce", "there is nothing to wait for")
        view.setMarkedText("に", selectedRange: .notFound, replacementRange: .notFound)
        view.setMarkedText("にほ", selectedRange: .notFound, replacementRange: .notFound)
        #expect(view.text == "Abceにほ" && view.markedTextRange != nil, "steps of the composition do not wait")
        view.session.replaceText(in: 1..<2, with: "B")
        #expect(view.text == "Abceにほ", "an edit by the program waits")
        view.replaceText(at: view.makeInputAnchor(for: UTF16Range(location: 2, length: 1)), with: "C")
        #expect(view.text == "ABCeにほ" && view.markedTextRange == nil, "for one by the user the composition ends")
        view.setMarkedText("n", selectedRange: .notFound, replacementRange: .notFound)
        view.insertText("日本", replacementRange: .notFound)
        #expect(view.text == "ABCeにほ日本" && view.markedTextRange == nil)
    }

    @Test func anEditThatHasWaitedIsAskedAbout() {
        let scene = ViewScene("ab|")
        let view = scene.view
        view.session.filters.append(
            TransactionFilter("no x") { transaction, state in
                transaction.rewrite(in: state) { _, text in
                    text.rope.string(in: text.rope.byteRange) == "x" ? nil : text
                }
            })
        view.setMarkedText("に", selectedRange: .notFound, replacementRange: .notFound)
        view.session.replaceText(in: 2..<3, with: "x")
        view.unmarkText()
        #expect(view.text == "abに")
    }
}
