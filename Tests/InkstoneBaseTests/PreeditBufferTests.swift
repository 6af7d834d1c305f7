import InkstoneBase
import Testing

@Suite(.timeLimit(.minutes(5))) struct PreeditBufferTests {
    private func buffer(_ text: String) -> PreeditBuffer {
        var buffer = PreeditBuffer()
        buffer.apply(PreeditDraw(caret: .max, changeFirst: 0, changeLength: 0, text: text))
        return buffer
    }

    struct Change: Sendable, CustomTestStringConvertible {
        var old: String
        var first: Int
        var length: Int
        var text: String?
        var new: String
        var testDescription: String { "\(old) \(first)+\(length) -> \(text ?? "nil")" }
    }

    @Test(arguments: [
        Change(old: "にほ", first: 2, length: 0, text: "ん", new: "にほん"),
        Change(old: "にほん", first: 1, length: 1, text: nil, new: "にん"),
        Change(old: "a😀b", first: 1, length: 1, text: "😀😀", new: "a😀😀b"),
        Change(old: "abc", first: 0, length: 3, text: "", new: ""),
        Change(old: "abc", first: -7, length: .max, text: "x", new: "x"),
        Change(old: "abc", first: .max, length: .max, text: "x", new: "abcx"),
        Change(old: "abc", first: 1, length: -4, text: "x", new: "axbc"),
        Change(old: "", first: 0, length: 0, text: nil, new: ""),
    ])
    func drawsReplaceScalarsAndClamp(_ change: Change) {
        var buffer = buffer(change.old)
        buffer.apply(
            PreeditDraw(caret: 0, changeFirst: change.first, changeLength: change.length, text: change.text))
        #expect(buffer.text == change.new)
        #expect(buffer.feedback.count == buffer.scalars.count)
    }

    /// A server that only ever inserts would make each change dearer than the one before.
    @Test func noPreeditGrowsBeyondItsLimit() {
        let limit = PreeditBuffer.limit
        let piece = String(repeating: "あ", count: 30_000)
        var buffer = PreeditBuffer()
        for _ in 0..<5 { buffer.apply(PreeditDraw(caret: 9, changeFirst: 1, changeLength: 0, text: piece)) }
        #expect(buffer.scalars.count == limit && buffer.feedback.count == limit && buffer.caret == 9)
        buffer.apply(PreeditDraw(caret: .max, changeFirst: limit - 1, changeLength: 1, text: "bc"))
        #expect(buffer.scalars.count == limit && buffer.scalars.last == "b" && buffer.caret == limit)
        buffer.apply(PreeditDraw(caret: 1, changeFirst: 0, changeLength: limit, text: "d"))
        #expect(buffer.text == "d")
    }

    @Test func shortFeedbackIsFilledAndLongFeedbackCut() {
        var buffer = PreeditBuffer()
        buffer.apply(PreeditDraw(caret: 9, changeFirst: 0, changeLength: 0, text: "abc", feedback: [.reverse]))
        #expect(buffer.feedback == [.reverse, [], []])
        #expect(buffer.caret == 3)
        buffer.apply(
            PreeditDraw(
                caret: -1, changeFirst: 0, changeLength: 3, text: "x", feedback: [.underline, .reverse, .reverse]))
        #expect(buffer.feedback == [.underline])
        #expect(buffer.caret == 0)
    }

    @Test(arguments: [
        (PreeditCaret.Direction.forwardCharacter, 3), (.backwardCharacter, 1), (.forwardWord, 3),
        (.backwardWord, 0), (.up, 2), (.down, 2), (.nextLine, 2), (.previousLine, 2), (.lineStart, 0),
        (.lineEnd, 5), (.absolute, 4), (.unchanged, 2),
    ])
    func everyCaretDirectionRepliesWithTheNewPosition(_ direction: PreeditCaret.Direction, expected: Int) {
        var buffer = buffer("ab de")
        buffer.apply(PreeditCaret(direction: .absolute, position: 2, style: .primary))
        #expect(buffer.apply(PreeditCaret(direction: direction, position: 4, style: .primary)) == expected)
        #expect(buffer.caret == expected)
    }

    @Test func utf16OffsetsCountSurrogates() {
        let buffer = buffer("a😀b")
        #expect((0...4).map(buffer.utf16Offset(ofScalar:)) == [0, 1, 3, 4, 4])
    }

    @Test func clausesAreRunsOfEqualFeedback() {
        var buffer = PreeditBuffer()
        buffer.apply(
            PreeditDraw(
                caret: 0, changeFirst: 0, changeLength: 0, text: "今日は",
                feedback: [.reverse, .reverse, .underline]))
        #expect(buffer.clauses.map(\.range) == [0..<2, 2..<3])
        #expect(buffer.targetClause == 0..<2)
    }
}
