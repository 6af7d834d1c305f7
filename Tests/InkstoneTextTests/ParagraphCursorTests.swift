import InkstoneBase
import InkstoneTesting
import Testing
import TextTestSupport

@testable import InkstoneText

@Suite(.timeLimit(.minutes(5))) struct ParagraphCursorTests {
    private static let pieces: [[UInt8]] = [
        [0x0a], [0x0d, 0x0a], [0x0d], Array("abc".utf8), Array("é日😀".utf8), [0xff], [0xe2, 0x80],
        [UInt8](repeating: 0x61, count: 700), Array(String(repeating: "語", count: 300).utf8),
    ]

    private static func rope(_ count: Int, _ generator: inout SeededGenerator) -> Rope {
        var bytes: [UInt8] = []
        for _ in 0..<count { bytes += pieces.randomElement(using: &generator) ?? [] }
        return Rope(bytes: bytes)
    }

    private static func paragraphs(_ cursor: RopeParagraphCursor) -> [RopeParagraph] {
        var cursor = cursor
        return Array(AnyIterator { cursor.next() })
    }

    @Test(arguments: UInt64(1)...20) func paragraphsAreThoseOfTheirNumbers(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let rope = Self.rope(Int(seed) * 8, &generator)
        let all = Self.paragraphs(RopeParagraphCursor(rope))
        #expect(all.count == rope.paragraphCount)
        for (index, paragraph) in all.enumerated() {
            let number = ParagraphIndex(index)
            #expect(paragraph.bytes == rope.contentRange(of: number), "paragraph \(index)")
            #expect(paragraph.utf16 == rope.utf16ContentRange(of: number), "paragraph \(index)")
            #expect(paragraph.utf16WithNewline == rope.utf16Range(of: number), "paragraph \(index)")
        }
    }

    @Test(arguments: UInt64(1)...20) func aPartHasTheParagraphsThatItHasAlone(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let rope = Self.rope(40, &generator)
        for _ in 0..<10 {
            let ends = [0, 1].map { _ in
                rope.roundedDown(toScalar: ByteOffset(Int.random(in: 0...rope.metrics.bytes, using: &generator)))
            }.sorted()
            let bytes = ends[0]..<ends[1]
            let part = rope.utf16Range(of: bytes)
            let alone = Self.paragraphs(RopeParagraphCursor(Rope(bytes: rope.bytes(in: bytes))))
            let found = Self.paragraphs(RopeParagraphCursor(rope, in: part))
            let shift = part.lowerBound.value
            #expect(
                found.map(\.utf16) == alone.map { $0.utf16.lowerBound + shift..<$0.utf16.upperBound + shift })
            #expect(found.map(\.newlineLength) == alone.map(\.newlineLength))
        }
    }

    /// Each byte is read once; finding each paragraph by its number would measure up to a leaf each time.
    @Test func eachByteIsReadOnce() {
        let rope = Rope(String(repeating: "ab\n", count: 20_000) + String(repeating: "c", count: 20_000))
        var cursor = RopeParagraphCursor(rope)
        while cursor.next() != nil {}
        #expect(cursor.steps == 60_000 - 20_000 + 20_000)
    }

    @Test(arguments: UInt64(1)...20) func runsOfParagraphsAreThoseOfTheText(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let rope = Self.rope(Int(seed) * 3, &generator)
        var text = StyledText(rope)
        for _ in 0..<Int(seed % 5) * 4 {
            let start = UTF16Offset(Int.random(in: 0...rope.metrics.utf16, using: &generator))
            let value = Int.random(in: 1...3, using: &generator)
            text.restyle { $0.set(value, of: TestKeys.Weight.self, in: start..<start + 5) }
            if value == 1 { text.restyle { $0.set(value, of: TestKeys.Alignment.self, in: start..<start + 1) } }
        }
        var count = 0
        for (index, paragraph) in text.paragraphs.enumerated() {
            count += 1
            let content = rope.utf16ContentRange(of: ParagraphIndex(index))
            #expect(paragraph.attributes == text.attributes(at: content.lowerBound))
            let runs = text.attributes(in: content)
            #expect(paragraph.runs.map(\.attributes) == runs.map(\.attributes))
            #expect(paragraph.runs.map(\.text) == runs.map { rope.string(in: $0.range) })
        }
        #expect(count == rope.paragraphCount)
    }

    /// Runs whose paragraph attributes change within a paragraph are corrected in one pass, and only these are
    /// changed.
    @Test func paragraphsOfGivenRunsHaveTheValuesOfTheirFirstCharacters() {
        let rope = Rope(String(repeating: "ab\n", count: 1000))
        var runs = AttributeRuns()
        for index in 0..<1500 {
            runs.append(AttributeRuns(length: 2, TextAttributes(TestKeys.Alignment.self, index % 4)))
        }
        let text = StyledText(rope, runs: runs)
        #expect(text.checkInvariants().isEmpty)
        for index in 0..<1000 {
            let wanted = runs.run(at: UTF16Offset(3 * index))?.attributes[TestKeys.Alignment.self]
            let values = (0..<3).map { text.attributes(at: UTF16Offset(3 * index + $0))[TestKeys.Alignment.self] }
            #expect(values == [wanted, wanted, wanted], "paragraph \(index)")
        }
    }
}
