import InkstoneBase
import InkstoneText
import InkstoneUnicode
import Testing

@testable import InkstoneLayout

@Suite(.timeLimit(.minutes(5))) struct NearbyWordsTests {
    /// A million symbols may precede the next word, and the search must not read them all.
    @Test(arguments: ["-", "ab, ", "don't 3.5\n", "👨‍👩‍👧"], [true, false])
    func aWalkTakesUnitsOncePerThousandAndFindsTheSameWords(_ part: String, isForward: Bool) {
        let text = Rope(String(repeating: part, count: 10_000 / part.utf16.count))
        let count = text.metrics.utf16
        let newlines = text.metrics.newlines
        TextBreaker.withShared(.word) { walked in
            TextBreaker.withShared(.word) { fresh in
                var words = NearbyWords(text, .natural, walked)
                for step in 0..<count {
                    let unit = isForward ? step : count - 1 - step
                    let found = words.word(holding: unit)
                    guard step.isMultiple(of: 97) else { continue }
                    var alone = NearbyWords(text, .natural, fresh)
                    let expected = alone.word(holding: unit)
                    #expect(found?.range == expected?.range && found?.isWord == expected?.isWord, "\(unit)")
                }
                #expect(words.takings <= newlines + count / 1024 + 2)
            }
        }
    }
}
