import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneView
import Testing
import TextTestSupport

@testable import InkstoneText

/// A search in a view: its start, the selected and marked matches, and replacing.
@Suite(.timeLimit(.minutes(5))) struct FindSessionTests {
    private final class Scene {
        let view: ViewScene
        let inbox = Inbox()
        let session: FindSession
        init(_ notation: CaretNotation) {
            view = ViewScene(notation)
            let inbox = inbox
            session = FindSession(in: view.view) { inbox.post($0) }
            view.view.store.removeAllUndo()
            session.begin()
        }

        /// Types the pattern, and waits until the search is complete.
        func search(for pattern: String, _ syntax: TextSearch.Syntax = .literal) -> String {
            session.search(for: pattern, syntax: syntax)
            return notationWhenFound
        }

        func step(_ direction: TextStorageDirection) -> String {
            session.step(direction)
            return notationWhenFound
        }

        var notationWhenFound: String {
            inbox.run {
                guard !session.isSearching else { return false }
                switch session.status {
                case .found(let ordinal, let count, _):
                    return ordinal != nil && session.finder.isCountComplete && count == session.finder.count
                case .notFound: return session.finder.isCountComplete
                case .failed: return true
                case .idle: return session.pattern.isEmpty
                case .searching: return false
                }
            }
            return notation
        }

        /// The same as ``notationWhenFound``, when no match is selected.
        var notationWithCount: String {
            inbox.run { !session.isSearching && session.finder.isCountComplete }
            return notation
        }

        var notation: String { CaretNotation(view.view).description }
        var marks: [Range<UTF16Offset>] {
            view.view.decorations(in: .search).runs(in: view.view.textRange).map(\.range)
        }
    }

    /// Covers INT 67 of the checklist for interaction.
    @Test func firstPatternBeginsTheSearchAndNoFullCountLacksItsOrdinal() {
        let view = ViewScene("|one two two")
        let inbox = Inbox()
        let session = FindSession(in: view.view) { inbox.post($0) }
        var statuses: [FindSession.Status] = []
        session.onChange = { statuses.append(session.status) }
        session.search(for: "two")
        #expect(session.isActive)
        inbox.run { session.status == .found(ordinal: 1, count: 2, isComplete: true) }
        session.step(.forward)
        inbox.run { session.status == .found(ordinal: 2, count: 2, isComplete: true) }
        // While matches are being counted, the count may come before the ordinal.
        let withoutOrdinal = statuses.filter { if case .found(nil, _, isComplete: true) = $0 { true } else { false } }
        #expect(withoutOrdinal.isEmpty)
        session.end()
        #expect(!session.isActive && session.pattern == "two")
    }

    @Test func theAnchorHoldsWhileOneTypesAndDeletingGoesBack() {
        let scene = Scene("in | in ink inkwell")
        #expect(scene.search(for: "in") == "in  [in|] ink inkwell")
        #expect(scene.search(for: "ink") == "in  in [ink|] inkwell")
        #expect(scene.search(for: "inkw") == "in  in ink [inkw|]ell")
        #expect(scene.session.status == .found(ordinal: 1, count: 1, isComplete: true))
        #expect(scene.search(for: "in") == "in  [in|] ink inkwell")
        #expect(scene.search(for: "inx") == "in | in ink inkwell")
        #expect(scene.session.status == .notFound)
    }

    /// The search asks for a match, its ordinal, and once for the visible matches.
    @Test func aStepAsksForWhatIsInSightOnce() {
        let scene = Scene("|a b a")
        _ = scene.search(for: "a")
        let before = scene.session.finder.lastQuestion
        #expect(scene.step(.forward) == "a b [a|]" && scene.session.finder.lastQuestion == before + 3)
        #expect(scene.marks == [0..<1, 4..<5])
    }

    /// Covers INT 68 of the checklist for interaction.
    @Test func stepsWrapAroundAndReportIt() {
        let scene = Scene("|a b a")
        #expect(scene.search(for: "A") == "[a|] b a")
        #expect(scene.session.status == .found(ordinal: 1, count: 2, isComplete: true))
        #expect(scene.step(.forward) == "a b [a|]" && !scene.session.isWrapped)
        #expect(scene.session.status == .found(ordinal: 2, count: 2, isComplete: true))
        #expect(scene.step(.forward) == "[a|] b a" && scene.session.isWrapped)
        #expect(scene.step(.backward) == "a b [a|]" && scene.session.isWrapped)
    }

    /// Covers INT 68 of the checklist for interaction.
    @Test func aSingleMatchIsOneOfOneAfterEachStep() {
        let scene = Scene("|an ink stone")
        #expect(scene.search(for: "ink") == "an [ink|] stone")
        for direction in [TextStorageDirection.forward, .forward, .backward] {
            #expect(scene.step(direction) == "an [ink|] stone")
            #expect(scene.session.status == .found(ordinal: 1, count: 1, isComplete: true))
            #expect(scene.session.isWrapped)
        }
    }

    /// Covers INT 68 of the checklist for interaction.
    @Test func matchesWithoutLengthAreGoneThroughOneByOne() {
        let scene = Scene("a|b\ncd\nef")
        #expect(scene.search(for: "^", .regularExpression) == "ab\n|cd\nef")
        #expect(scene.session.status == .found(ordinal: 2, count: 3, isComplete: true))
        #expect(scene.step(.forward) == "ab\ncd\n|ef")
        #expect(scene.step(.forward) == "|ab\ncd\nef" && scene.session.isWrapped)
        #expect(scene.step(.forward) == "ab\n|cd\nef" && !scene.session.isWrapped)
        #expect(scene.step(.backward) == "|ab\ncd\nef")
    }

    @Test func selectionReturnsUnlessTheUserHasStepped() {
        let scene = Scene("one| two one")
        #expect(scene.search(for: "two") == "one [two|] one")
        scene.session.end()
        #expect(scene.notation == "one| two one" && scene.marks.isEmpty)
        scene.session.begin()
        // The selection does not move to a match of the former pattern, because the user has not asked for one.
        #expect(scene.notationWithCount == "one| two one")
        scene.inbox.run { scene.marks == [4..<7] }
        #expect(scene.marks == [4..<7] && scene.notation == "one| two one")
        #expect(scene.session.status == .found(ordinal: nil, count: 1, isComplete: true))
        #expect(scene.step(.forward) == "one [two|] one")
        scene.session.end()
        #expect(scene.notation == "one [two|] one")
    }

    @Test func visibleMatchesAreMarkedAndFollowEdits() {
        let scene = Scene("|ink pen ink")
        _ = scene.search(for: "ink")
        scene.inbox.run { scene.marks.count == 2 }
        #expect(scene.marks == [0..<3, 8..<11])
        scene.view.view.select(Selection(caret: 4))
        scene.view.view.insertText("ink ")
        scene.inbox.run { scene.marks.count == 3 }
        #expect(scene.marks == [0..<3, 4..<7, 12..<15])
    }

    /// The current match is marked so that it differs without colours too, and the selection does not hide the
    /// mark.
    @Test func theMatchThatOneHasGoneToIsMarkedInAWayOfItsOwn() {
        let scene = Scene("|ink pen ink")
        let view = scene.view.view
        func current() -> [RenderingRun] { view.decorations(in: .currentMatch).runs(in: view.textRange) }
        _ = scene.search(for: "ink")
        scene.inbox.run { scene.marks.count == 2 }
        #expect(current().map(\.range) == [0..<3] && current().allSatisfy { $0.attributes.underline == .thick })
        let canvas = scene.view.paint()
        #expect(canvas.fills(view.theme.currentMatch).count == 1 && canvas.fills(view.theme.selection).isEmpty)
        #expect(!canvas.fills(view.theme.match).isEmpty)
        _ = scene.step(.forward)
        #expect(current().map(\.range) == [8..<11])
        // A selection that extends beyond the match is visible.
        view.select(Selection(anchor: 4, head: 11))
        #expect(!scene.view.paint().fills(view.theme.selection).isEmpty)
        scene.session.end()
        #expect(current().isEmpty)
    }

    /// Covers INT 72 of the checklist for interaction.
    @Test func replacingGoesOnBehindWhatItInserts() {
        let scene = Scene("|a b a")
        _ = scene.search(for: "a")
        scene.session.replace(with: "aa")
        #expect(scene.notationWhenFound == "aa b [a|]")
        scene.session.replace(with: "aa")
        scene.inbox.run { scene.view.view.text == "aa b aa" }
        #expect(scene.view.view.text == "aa b aa")
    }

    /// A replacement keeps the link, code or style of the match, whether that covers the whole match or a part.
    @Test(arguments: ["bar", "longer", "f"]) func replacementKeepsTheMatchsStyles(new: String) {
        let scene = Scene("|foo foobar foo foo foo")
        let store = scene.view.view.store
        store.restyle {
            $0.set("http://x.y", of: LinkAttribute.self, in: 4..<10)
            $0.set(.code, of: InlinePresentationIntentAttribute.self, in: 11..<14)
            $0.set(.stronglyEmphasized, of: InlinePresentationIntentAttribute.self, in: 15..<18)
        }
        func styles() -> [String] {
            store.styledText.attributes(in: store.text.utf16Range).map { run in
                let link = run.attributes[LinkAttribute.self] ?? ""
                let roles = run.attributes[InlinePresentationIntentAttribute.self]?.rawValue ?? 0
                return store.text.string(in: run.range) + "|\(link)|\(roles)"
            }
        }
        _ = scene.search(for: "foo")
        var count: Int?
        scene.session.replaceAll(with: new) { count = $0 }
        scene.inbox.run { count != nil }
        let expected = ["\(new) ||0", "\(new)bar|http://x.y|0", " ||0", "\(new)||4", " ||0", "\(new)||2", " \(new)||0"]
        #expect(styles() == expected)
        scene.view.view.session.undo()
        let old = ["foo ||0", "foobar|http://x.y|0", " ||0", "foo||4", " ||0", "foo||2", " foo||0"]
        #expect(styles() == old)
        scene.view.view.select(Selection(anchor: 4, head: 7))
        scene.session.replace(with: new)
        scene.inbox.run { !scene.session.isReplacing }
        #expect(styles().prefix(2) == ["foo ||0", "\(new)bar|http://x.y|0"])
    }

    /// The view's thread does not wait for a slow regular expression; but a save waits for the replacement.
    @Test func anExpressionThatTakesItsTimeIsReplacedLater() {
        let scene = Scene("|")
        let view = scene.view.view
        view.text = String(repeating: "line\n", count: 3_000_000) + "x"
        _ = scene.search(for: "[\\s\\S]*x", .regularExpression)
        var ends = 0
        scene.session.onReplacingEnd = { ends += 1 }
        scene.session.replace(with: "short")
        #expect(scene.session.isReplacing && view.store.text.byteRange.count > 100)
        scene.inbox.run { !scene.session.isReplacing }
        #expect(view.text == "short" && ends == 1)
        // An edit or a selection meanwhile cancels the replacement.
        view.session.undo()
        view.select(Selection(anchor: 0, head: view.textRange.upperBound))
        scene.session.replace(with: "short")
        view.insertText("typed")
        scene.inbox.run { !scene.session.isReplacing }
        #expect(view.text == "typed")
    }

    @Test func matchesWithoutTextAreReplacedOnceEachAndGoneAround() {
        let scene = Scene("|a\nb")
        #expect(scene.search(for: "$", .regularExpression) == "a|\nb")
        scene.session.replace(with: ";")
        #expect(scene.notationWhenFound == "a;\nb|" && !scene.session.isWrapped)
        scene.session.replace(with: ";")
        #expect(scene.notationWhenFound == "a;|\nb;" && scene.session.isWrapped)
        #expect(scene.step(.forward) == "a;\nb;|" && !scene.session.isWrapped)
        #expect(scene.step(.forward) == "a;|\nb;" && scene.session.isWrapped)
        #expect(scene.step(.forward) == "a;\nb;|")
        #expect(scene.step(.backward) == "a;|\nb;" && !scene.session.isWrapped)
        let starts = Scene("|a\nb")
        #expect(starts.search(for: "^", .regularExpression) == "|a\nb")
        #expect(starts.step(.backward) == "a\n|b" && starts.session.isWrapped)
    }

    @Test func aMatchOutOfSightIsRevealedWithTextAroundIt() {
        let scene = Scene("|")
        let view = scene.view.view
        let lines = (0..<100).map { $0 == 3 || $0 == 60 || $0 == 62 ? "ink \($0)" : "line \($0)" }
        view.set(CaretNotation("|" + lines.joined(separator: "\n")))
        func scrolled() -> Double { view.documentPoint(ViewPoint(x: 0, y: 0)).y }
        func head() -> UTF16Offset { view.selection?.head ?? 0 }
        scene.session.begin()
        _ = scene.search(for: "ink")
        #expect(scrolled() <= 0 && head() > 0, "in sight: nothing scrolls")
        _ = scene.step(.forward)
        let (before, match) = (scrolled(), head())
        let top = view.geometry.caretRect(at: match, affinity: .downstream).minY - before
        #expect((50...90).contains(top), "\(top) of \(view.frame.height)")
        _ = scene.step(.forward)
        #expect(scrolled() == before && head() > match)
    }

    @Test(arguments: [
        ("^", "> ", "a\n\nbc", "> a\n> \n> bc"), ("$", ";", "a\n\nbc", "a;\n;\nbc;"), ("x*", "-", "axb", "-a--b-"),
        ("\\b", "'", "one two", "'one' 'two'"),
    ])
    func matchesWithoutTextAreCountedMarkedAndAllReplaced(
        _ pattern: String, _ template: String, _ text: String, _ result: String
    ) {
        let scene = Scene("|")
        let view = scene.view.view
        view.set(CaretNotation("|" + text))
        view.store.removeAllUndo()
        scene.session.begin()
        _ = scene.search(for: pattern, .regularExpression)
        let total = scene.session.finder.count
        scene.inbox.run { view.decorations(in: .search).count == total }
        #expect(!scene.view.paint().fills(view.theme.match).isEmpty)
        #expect(scene.view.paint().fills(view.theme.match).count >= total - 1)
        // Stepping reaches each match once before the first one again.
        var places: [Range<UTF16Offset>] = []
        while places.count <= total, let place = view.selection?.range, place != places.first {
            places.append(place)
            _ = scene.step(.forward)
        }
        #expect(places.count == total && Set(places).count == total, "\(places)")
        var count: Int?
        scene.session.replaceAll(with: template) { count = $0 }
        scene.inbox.run { count != nil }
        #expect(count == total && view.text == result)
        view.session.undo()
        #expect(view.text == text && !view.store.canUndo)
        scene.session.end()
        #expect(scene.view.paint().fills(view.theme.match).isEmpty)
    }

    @Test func theSearchGoesOnFromWhereTheUserHasGone() {
        let scene = Scene("|one two one two")
        #expect(scene.search(for: "two") == "one [two|] one two")
        scene.view.view.select(Selection(caret: 8))
        scene.view.view.insertText("x")
        #expect(scene.search(for: "one") == "one two x[one|] two")
        scene.session.end()
        #expect(scene.notation == "one two x|one two")
        // Also if no search was made in between.
        scene.session.begin()
        #expect(scene.search(for: "two") == "one two xone [two|]")
        scene.view.view.select(Selection(caret: 3))
        scene.session.end()
        #expect(scene.notation == "one| two xone two")
    }

    @Test func textTypedOverAMatchStaysWhereItIs() {
        let scene = Scene("one| two")
        _ = scene.search(for: "two")
        scene.view.view.insertText("2")
        scene.session.end()
        #expect(scene.notation == "one 2|")
    }

    @Test func theStartOfTheSearchMovesWithTheText() {
        let scene = Scene("one| two")
        _ = scene.search(for: "two")
        scene.view.view.store.replace(ByteOffset(0)..<0, with: "ab")
        scene.session.end()
        #expect(scene.notation == "abone| two")
    }

    /// A late result does not move the selection.
    @Test func lateMatchDoesNotMoveAMovedCaret() {
        let scene = Scene("|one two")
        scene.session.search(for: "two")
        scene.view.view.select(Selection(caret: 2))
        #expect(scene.notationWithCount == "on|e two")
    }

    @Test func otherColoursAreTakenAtOnce() {
        let scene = Scene("|ink pen ink")
        let view = scene.view.view
        func colors(_ layer: DecorationLayerID) -> [Color?] {
            view.decorations(in: layer).runs(in: view.textRange).map(\.attributes.background)
        }
        _ = scene.search(for: "ink")
        scene.inbox.run { scene.marks.count == 2 }
        view.theme = view.theme.colored(like: .dark)
        scene.session.refresh()
        scene.inbox.run { colors(.search) == [view.theme.match, view.theme.match] }
        #expect(colors(.search) == [view.theme.match, view.theme.match])
        #expect(colors(.currentMatch) == [view.theme.currentMatch])
    }

    @Test func aLongSearchIsReported() {
        let scene = Scene("|ink pen ink")
        _ = scene.search(for: "ink")
        scene.session.reportSearching()
        #expect(scene.session.status == .found(ordinal: 1, count: 2, isComplete: true))
        scene.session.search(for: "pen")
        #expect(scene.session.status == .found(ordinal: 1, count: 2, isComplete: true))
        scene.session.reportSearching()
        #expect(scene.session.status == .searching && scene.marks.isEmpty)
        #expect(scene.notationWhenFound == "ink [pen|] ink")
        #expect(scene.session.status == .found(ordinal: 1, count: 1, isComplete: true))
    }

    /// INT 72.
    /// Without a bar nobody sees the number of matches, so typing does not wake the search thread.
    @Test func aStepWithoutABarEndsItsSearch() {
        let scene = Scene("|one two one")
        _ = scene.search(for: "one")
        scene.session.end(returning: false)
        for (direction, expected) in [
            (TextStorageDirection.forward, "one two [one|]"), (.forward, "[one|] two one"),
            (.backward, "one two [one|]"),
        ] {
            scene.session.step(direction)
            scene.inbox.run { scene.session.finder.search == nil }
            #expect(scene.notation == expected)
        }
        scene.session.search(for: "three")
        scene.session.step(.forward)
        scene.inbox.run { scene.session.finder.search == nil }
        #expect(scene.session.status == .notFound)
    }

    @Test func programEditsDoNotMoveTheSearchStart() {
        let scene = Scene("x |one two one")
        _ = scene.search(for: "one")
        #expect(scene.notation == "x [one|] two one")
        scene.view.view.session.replaceText(in: 0..<0, with: "one ")
        // The new pattern is searched from the position where the search began.
        #expect(scene.search(for: "on") == "one x [on|]e two one")
        scene.session.end()
        #expect(scene.notation == "one x |one two one")
    }

    @Test func replacingAllIsOneStepOfUndo() {
        let scene = Scene("|a1 b2 c3")
        _ = scene.search(for: "(\\w)(\\d)", .regularExpression)
        var count: Int?
        scene.session.replaceAll(with: "$2$1") { count = $0 }
        scene.inbox.run { count != nil }
        #expect(count == 3 && scene.view.view.text == "1a 2b 3c")
        scene.view.view.session.undo()
        #expect(scene.view.view.text == "a1 b2 c3" && !scene.view.view.store.canUndo)
        scene.view.view.isEditable = false
        scene.session.replaceAll(with: "x") { count = $0 }
        #expect(count == 0 && !scene.session.replace(with: "x"))
    }

    /// In the rows of a table, line ends and tabs of a replacement are parts of a cell, and matches over borders of cells
    /// leave these where they are.
    @Test(arguments: [
        ("x", "x\\ny", "p\na\tb\n1x\u{2028}y\t2\n4\t5x\u{2028}y\nend x\ny"),
        ("x\\t", "X\\t", "p\na\tb\n1X \t2\n4\t5x\nend x"),
        ("\\s+", "_", "p_\na_\tb_\n1x_\t2_\n4_\t5x_\nend_x"),
    ])
    func replacingKeepsTheCellsOfTables(_ pattern: String, _ template: String, _ result: String) {
        let scene = Scene("p\na\tb\n1x\t2\n4\t5x\nend x|")
        let store = scene.view.view.store
        let table = PresentationIntent(
            .table(columns: [.init(alignment: .natural), .init(alignment: .natural)]), identity: 7)
        store.restyle {
            for row in 0..<3 {
                let intent = PresentationIntent(
                    row == 0 ? .tableHeaderRow : .tableRow(rowIndex: row), identity: 11 + row, parent: table)
                $0.set(
                    intent, of: PresentationIntentAttribute.self, in: store.text.utf16Range(of: ParagraphIndex(row + 1))
                )
            }
        }
        store.removeAllUndo()
        _ = scene.search(for: pattern, .regularExpression)
        var count: Int?
        scene.session.replaceAll(with: template) { count = $0 }
        scene.inbox.run { count != nil }
        #expect(scene.view.view.text == result)
        scene.view.view.session.undo()
        #expect(scene.view.view.text == "p\na\tb\n1x\t2\n4\t5x\nend x" && !store.canUndo)
        scene.view.view.select(Selection(caret: 0))
        _ = scene.search(for: "b\\n1", .regularExpression)
        _ = scene.session.replace(with: "B")
        #expect(scene.view.view.text == "p\na\tB\nx\t2\n4\t5x\nend x")
    }

    /// `\n` in a replacement becomes the text's line end; text from the match stays unchanged.
    @Test func replacementsHaveTheLineEndsOfTheText() {
        let scene = Scene("[a, b|]\n, c")
        scene.view.view.session.newline = "\r\n"
        _ = scene.search(for: "(\n?), ", .regularExpression)
        #expect(scene.session.replace(with: "$1;\\n"))
        #expect(scene.view.view.text == "a;\r\nb\n, c")
        var count: Int?
        scene.session.replaceAll(with: "$1;\\n") { count = $0 }
        scene.inbox.run { count != nil }
        #expect(count == 1 && scene.view.view.text == "a;\r\nb\n;\r\nc")
    }

    @Test func aReplacementThatIsCancelledChangesNothingAndTheSearchGoesOn() {
        let scene = Scene("|a b a")
        _ = scene.search(for: "a")
        scene.session.replaceAll(with: "x") { _ in Issue.record("it was given up") }
        #expect(scene.session.isReplacing)
        scene.session.cancelReplacing()
        #expect(!scene.session.isReplacing)
        #expect(scene.notationWhenFound == "[a|] b a" && scene.marks.count == 2)
        // The replacement can be started again, and no removed match is marked.
        var count: Int?
        scene.session.replaceAll(with: "x") { count = $0 }
        scene.inbox.run { count != nil }
        #expect(count == 2 && scene.view.view.text == "x b x")
        #expect(scene.notationWithCount == scene.notation && scene.marks.isEmpty)
    }

    /// The selection at the start of the search counts, not the match selected since.
    @Test func allMatchesInTheSelectionAreReplaced() {
        let scene = Scene("a\n[a a\na|]\na a")
        _ = scene.search(for: "a")
        scene.session.step(.forward)
        #expect(scene.session.hasSelection)
        var count: Int?
        scene.session.replaceAll(with: "bb", inSelection: true) { count = $0 }
        scene.inbox.run { count != nil }
        #expect(count == 3 && scene.view.view.text == "a\nbb bb\nbb\na a")
        count = nil
        _ = scene.search(for: "b")
        scene.session.replaceAll(with: "", inSelection: true) { count = $0 }
        scene.inbox.run { count != nil }
        #expect(count == 6 && scene.view.view.text == "a\n \n\na a")
        scene.view.perform(.undo, .undo)
        #expect(scene.view.view.text == "a\na a\na\na a")
    }

    @Test func anInvalidExpressionIsReportedAndSelectsNothing() {
        let scene = Scene("|a(b")
        #expect(scene.search(for: "a(b", .regularExpression) == "|a(b")
        #expect(scene.session.status == .failed(.syntax(pattern: "a(b", at: 3)))
    }

    /// If the pattern arrives late, while the user works in the text, the selection stays: matches are marked and
    /// counted, and a step starts from the user's position.
    @Test func aPatternMayComeWithoutGoingToItsMatch() {
        let scene = Scene("ink pen| ink")
        scene.session.search(for: "ink", goingToMatch: false)
        #expect(scene.notationWithCount == "ink pen| ink")
        #expect(scene.session.status == .found(ordinal: nil, count: 2, isComplete: true))
        scene.inbox.run { scene.marks.count == 2 }
        #expect(scene.step(.forward) == "ink pen [ink|]")
        scene.session.search(for: "none", goingToMatch: false)
        scene.inbox.run { scene.session.status == .notFound }
        #expect(scene.notation == "ink pen [ink|]")
        scene.session.search(for: "", goingToMatch: false)
        #expect(scene.session.status == .idle && scene.notation == "ink pen [ink|]")
    }
}
