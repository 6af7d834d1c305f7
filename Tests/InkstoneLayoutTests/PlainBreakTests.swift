import InkstoneUnicode
import InkstoneTesting
import Testing

@testable import InkstoneLayout

@Suite(.timeLimit(.minutes(5))) struct PlainBreakTests {
    /// The fast path for plain words agrees with ICU, or leaves the decision to it.
    @Test func plainWordsBreakAsByICU() {
        var random = SeededGenerator(seed: 21)
        let alphabet = Array("abzAZ 019  .,:;!?-'(\t".utf16)
        let breaker = TextBreaker(.line)
        var answered = 0
        var flags: [UInt8] = []
        for round in 0..<40_000 {
            let letters = round % 2 == 0 ? alphabet.count : 17
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                alphabet[Int.random(in: 0..<letters, using: &random)]
            }
            guard LineBreaker.findPlainOpportunities(text, &flags) else { continue }
            answered += 1
            breaker.setText(text)
            var expected = [UInt8](repeating: 0, count: text.count + 1)
            var at = 0
            while let next = breaker.following(at) {
                expected[next] = 1
                at = next
            }
            #expect(flags == expected, "“\(String(decoding: text, as: UTF16.self))”")
        }
        #expect(answered > 10_000)
    }
}
