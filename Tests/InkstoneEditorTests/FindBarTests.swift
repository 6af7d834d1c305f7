import Inkstone
import InkstoneTesting
import Testing

@testable import inkstone_editor

/// What the find bar says, and what it takes from the text.
@Suite(.timeLimit(.minutes(5))) struct FindBarTests {
    @Test func onlyAShortLineOfAnotherProgramIsLookedFor() {
        let line = String(repeating: "a", count: 1000)
        #expect(FindBar.pattern(of: "one\ntwo") == "one")
        #expect(FindBar.pattern(of: line + "\r\n" + line) == line)
        #expect(FindBar.pattern(of: line + "a") == nil)
        // One character, as a person counts.
        #expect(FindBar.pattern(of: "e" + String(repeating: "\u{301}", count: 1000)) == nil)
    }

    struct Saying: CustomTestStringConvertible {
        var status: FindSession.Status
        var isWrapped = false
        var text: String
        var isProblem = false
        var testDescription: String { text.debugDescription }
    }

    @Test(arguments: [
        Saying(status: .idle, text: ""), Saying(status: .searching, text: "Searching…"),
        Saying(status: .notFound, text: "Not found", isProblem: true),
        Saying(status: .found(ordinal: 3, count: 1204, isComplete: true), text: "3 of 1,204"),
        Saying(status: .found(ordinal: nil, count: 1_000_000, isComplete: false), text: "1,000,000+"),
        Saying(status: .found(ordinal: 1, count: 1, isComplete: true), isWrapped: true, text: "1 of 1, wrapped"),
        Saying(
            status: .failed(.syntax(pattern: "a(", at: 2)), text: "Not understood from character 3 on", isProblem: true),
        Saying(status: .failed(.tooComplex(pattern: "a")), text: "Takes too long: make it simpler", isProblem: true),
    ])
    func theBarSaysHowItStands(_ saying: Saying) {
        #expect(FindBar.text(of: saying.status, isWrapped: saying.isWrapped) == (saying.text, saying.isProblem))
    }

    /// What was replaced is nothing that went wrong, although nothing is found any more.
    @Test func whatWasDoneIsNoProblem() {
        #expect(FindBar.isProblem(.notFound, notice: ""))
        #expect(FindBar.isProblem(.failed(.unavailable), notice: ""))
        #expect(!FindBar.isProblem(.notFound, notice: "124 replaced"))
        #expect(!FindBar.isProblem(.found(ordinal: 1, count: 1, isComplete: true), notice: ""))
    }

    @Test func onlyShortSelectionsAreLookedFor() {
        let view = ViewScene(CaretNotation("[ink|] pen")).view
        #expect(view.selectedText(upTo: 3) == "ink" && view.selectedText(upTo: 2) == nil)
        view.select(Selection(caret: 1))
        #expect(view.selectedText(upTo: 100) == nil)
    }
}
