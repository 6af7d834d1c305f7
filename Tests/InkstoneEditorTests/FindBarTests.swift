import Inkstone
import InkstoneTesting
import Testing

@testable import inkstone_editor

/// The words that the find bar shows, and the text that it searches for.
@Suite(.timeLimit(.minutes(5))) struct FindBarTests {
    @Test func buttonsSayWhatTheyDoAndByWhichKey() {
        #expect(FindBarLayout.Action.ignoreCase.hint == "Match case (Alt+C)")
        #expect(FindBarLayout.Action.previous.hint == "Previous match (Shift+Enter)")
        #expect(FindBarLayout.Action.replaceInSelection.hint == "Replace all in the selection (Ctrl+Shift+Enter)")
        #expect(Set(FindBarLayout.Action.allCases.map(\.hint)).count == FindBarLayout.Action.allCases.count)
    }

    @Test func onlyAShortLineOfAnotherProgramIsSearchedFor() {
        let line = String(repeating: "a", count: 1000)
        #expect(FindBar.pattern(of: "one\ntwo") == "one")
        #expect(FindBar.pattern(of: line + "\r\n" + line) == line)
        #expect(FindBar.pattern(of: line + "a") == nil)
        // A letter with 1,000 combining marks is one character to the user, yet too long to be a search pattern.
        #expect(FindBar.pattern(of: "e" + String(repeating: "\u{301}", count: 1000)) == nil)
    }

    struct Message: CustomTestStringConvertible {
        var status: FindSession.Status
        var around: TextStorageDirection?
        var text: String
        var isProblem = false
        var testDescription: String { text.debugDescription }
    }

    @Test(arguments: [
        Message(status: .idle, text: ""), Message(status: .searching, text: "Searching…"),
        Message(status: .notFound, text: "Not found", isProblem: true),
        Message(status: .found(ordinal: 3, count: 1204, isComplete: true), text: "3 of 1,204"),
        Message(status: .found(ordinal: nil, count: 1_000_000, isComplete: false), text: "1,000,000+"),
        Message(status: .found(ordinal: 1, count: 1, isComplete: true), around: .forward, text: "1 of 1, from the top"),
        Message(
            status: .found(ordinal: 2, count: 2, isComplete: true), around: .backward, text: "2 of 2, from the bottom"),
        Message(
            status: .failed(.syntax(pattern: "a(", at: 2)), text: "Missing “)” for “(” at position 2", isProblem: true),
        Message(status: .failed(.tooComplex(pattern: "a")), text: "Expression is too complex", isProblem: true),
    ])
    func theBarShowsTheStatusOfTheSearch(_ message: Message) {
        #expect(FindBar.text(of: message.status, around: message.around) == (message.text, message.isProblem))
    }

    @Test(arguments: [
        ("(unclosed", "Missing “)” for “(”", 1), ("a\\(b(c|[()]d", "Missing “)” for “(”", 5),
        ("a)b", "Missing “(” for “)”", 2),
        ("👍🏽e\u{301}[a-z", "Missing “]” for “[”", 3), ("[a[b]", "Missing “]” for “[”", 1),
        ("*a", "Nothing to repeat before “*”", 1),
        ("(?:+)", "Nothing to repeat before “+”", 4), ("ab\\", "“\\” with nothing behind it", 3),
        ("\\Q(*\\E(", "Missing “)” for “(”", 7),
    ])
    func mistakesInExpressionsAreNamedWhereTheyAre(_ pattern: String, _ text: String, _ position: Int) throws {
        let error = try #require(throws: TextSearchError.self) {
            _ = try TextSearch(pattern, syntax: .regularExpression)
        }
        guard case .syntax(_, let end) = error else {
            Issue.record("\(error)")
            return
        }
        let mistake = ExpressionMistake(in: pattern, at: end)
        #expect(mistake.text == text && mistake.position == position, "\(mistake)")
    }

    @Test func expressionsThatAreRightHaveNoMistakeOfTheirs() throws {
        for pattern in ["a+?b*+c??", "(?i)x{2,3}?", "(?<n>a)\\k<n>", "\\p{L}+", "a|", "[[a-z]&&[^b]]", "(|a)"] {
            #expect((try? TextSearch(pattern, syntax: .regularExpression)) != nil)
            #expect(ExpressionMistake(in: pattern, at: 1).text == "Invalid regular expression", "\(pattern)")
        }
    }

    @Test func theLastPatternComesBack() {
        var history = SearchHistory()
        #expect(history.step(back: true, from: "x") == nil)
        for text in ["one", "two", "", "three", "two"] { history.note(text) }
        #expect(history.texts == ["one", "three", "two"])
        #expect(history.step(back: false, from: "draft") == nil)
        #expect(history.step(back: true, from: "draft") == "two" && history.step(back: true, from: "two") == "three")
        #expect(history.step(back: true, from: "three") == "one" && history.step(back: true, from: "one") == nil)
        #expect(history.step(back: false, from: "one") == "three" && history.step(back: false, from: "three") == "two")
        #expect(history.step(back: false, from: "two") == "draft" && history.step(back: false, from: "draft") == nil)
        // The text already in the field is no step of the history. After other text was typed, stepping starts
        // again at the latest entry.
        #expect(history.step(back: true, from: "two") == "three" && history.step(back: true, from: "other") == "two")
        for number in 0..<100 { history.note("\(number)") }
        #expect(history.texts.count == SearchHistory.limit && history.texts.last == "99")
    }

    /// After a replacement, “not found” is no error, because the last match was replaced.
    @Test func notFoundAfterReplacingIsNoProblem() {
        #expect(FindBar.isProblem(.notFound, notice: ""))
        #expect(FindBar.isProblem(.failed(.unavailable), notice: ""))
        #expect(!FindBar.isProblem(.notFound, notice: "124 replaced"))
        #expect(!FindBar.isProblem(.found(ordinal: 1, count: 1, isComplete: true), notice: ""))
    }

    @Test func onlyShortSelectionsAreSearchedFor() {
        let view = ViewScene(CaretNotation("[ink|] pen")).view
        #expect(view.selectedText(upTo: 3) == "ink" && view.selectedText(upTo: 2) == nil)
        view.select(Selection(caret: 1))
        #expect(view.selectedText(upTo: 100) == nil)
    }
}
