import InkstoneBase
import Testing

/// The draws and commits of real servers, separated into answers to keys by their order.
@Suite(.timeLimit(.minutes(5))) struct AnswerGrammarTests {
    /// A server's answers to some keys: `d` draws a text, `x` clears it, `c` commits, `k` returns a key. A capital
    /// begins an answer.
    struct Case: CustomTestStringConvertible, Sendable {
        let server: String
        let answers: String
        var testDescription: String { "\(server): \(answers)" }
    }

    static let cases = [
        Case(server: "each key draws", answers: "DDD"),
        Case(server: "each key is committed", answers: "CCC"),
        Case(server: "ibus and fcitx5 commit, then clear", answers: "DDCx"),
        Case(server: "ibus with Hangul clears, commits and draws the next syllable", answers: "DDDXcdDXc"),
        Case(server: "fcitx5 with Hangul draws the next syllable over the old one", answers: "DDCdDCx"),
        Case(server: "nabi clears, commits and draws", answers: "DDXcdD"),
        Case(server: "BackSpace takes the last letter away, and another is typed", answers: "DXd"),
        Case(server: "a key that comes back ends an answer", answers: "DXkCkD"),
        Case(server: "a key comes back between a commit and its deletion", answers: "DDCkxDX"),
        Case(server: "two commits for two keys, the second of them cleared", answers: "CCxdD"),
    ]

    @Test(arguments: cases) func eachAnswerIsThatOfOneKey(_ server: Case) {
        var grammar = AnswerGrammar()
        let parted = server.answers.map { message -> Character in
            let lower = Character(message.lowercased())
            switch lower {
            case "k": grammar.beginAnew()
            case "c": return grammar.commits() ? "C" : "c"
            default: return grammar.draws(hasText: lower == "d") ? Character(lower.uppercased()) : lower
            }
            return lower
        }
        #expect(String(parted) == server.answers)
    }

    @Test func aDeletionAndThenACommitIsASyllablesEnd() {
        var grammar = AnswerGrammar()
        _ = grammar.draws(hasText: false)
        #expect(!grammar.hasCommittedCleared)
        _ = grammar.commits()
        #expect(grammar.hasCommittedCleared)
        _ = grammar.draws(hasText: true)
        #expect(!grammar.hasCommittedCleared)
        _ = grammar.commits()
        _ = grammar.draws(hasText: false)
        #expect(!grammar.hasCommittedCleared, "a commit and then its deletion")
    }
}
