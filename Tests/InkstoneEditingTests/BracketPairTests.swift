import InkstoneBase
import InkstoneEditing
import InkstoneText
import Testing

@Suite(.timeLimit(.minutes(5))) struct BracketPairTests {
    private func pair(_ offset: Int, _ text: String) -> [Int]? {
        BracketPair(beside: UTF16Offset(offset), in: Rope(text)).map {
            [$0.opening.lowerBound.value, $0.closing.lowerBound.value]
        }
    }

    @Test func bracketsOfOneKindAreCounted() {
        #expect(pair(0, "(a(b)c)") == [0, 6] && pair(7, "(a(b)c)") == [0, 6] && pair(3, "(a(b)c)") == [2, 4])
        #expect(pair(1, "([)]") == [0, 2], "other kinds are text")
        #expect(pair(1, ")(") == nil && pair(0, "") == nil && pair(5, "(") == nil && pair(-3, "()") == [0, 1])
        #expect(pair(2, "a)(b)") == [2, 4], "the one behind where the one before has no counterpart")
        #expect(pair(3, "👍(👍)") == [2, 5] && pair(6, "👍(👍)") == [2, 5])
    }

    /// The text is read in parts, whose ends split surrogate pairs.
    @Test func bracketsAreFoundAcrossParts() {
        for length in [240, 249, 250, 251, 499, 500, 900] {
            for shift in ["", "x"] {
                let text = "(" + shift + String(repeating: "👍", count: length) + ")"
                let end = text.utf16.count
                #expect(pair(0, text) == [0, end - 1] && pair(end, text) == [0, end - 1], "\(length)\(shift)")
            }
        }
    }

    @Test func theSearchIsBounded() {
        let text = "(" + String(repeating: "x", count: BracketPair.reach - 1) + ")"
        #expect(pair(0, text) == [0, BracketPair.reach] && pair(text.count, text) == [0, BracketPair.reach])
        let longer = "(x" + text.dropFirst()
        #expect(pair(0, longer) == nil && pair(longer.count, longer) == nil)
    }
}
