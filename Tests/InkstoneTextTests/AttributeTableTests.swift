import InkstoneBase
import Testing
import TextTestSupport

@testable import InkstoneText

@Suite(.timeLimit(.minutes(5))) struct AttributeTableTests {
    private enum Inline: CodedAttributeKey {
        typealias Value = Int
        static let name = "test.table.inline"
    }

    private enum Aligned: CodedAttributeKey {
        typealias Value = Int
        static let name = "test.table.aligned"
        static let runBoundaries: AttributeRunBoundaries? = .paragraph
    }

    private enum Shared: AttributeKey {
        typealias Value = Int
        static let name = "test.table.shared"
    }

    private static var pastedSets: Int {
        AttributeTable.count { $0[Inline.self] != nil || $0[Aligned.self] != nil }
    }

    /// The bytes of a styled text: 1,000 paragraphs in different styles, and 50 runs with 1,000 inline styles.
    private static var pasted: [UInt8] {
        var runs = AttributeRuns()
        for paragraph in 0..<1000 {
            runs.append(AttributeRuns(length: 1, TextAttributes(Aligned.self, paragraph)))
            for run in 0..<50 {
                runs.append(AttributeRuns(length: 1, TextAttributes(Inline.self, (paragraph + run * 20) % 1000)))
            }
        }
        let text = Rope(String(repeating: String(repeating: "a", count: 50) + "\n", count: 1000))
        return StyledFragment(StyledText(unchecked: text, runs)).bytes
    }

    @Test func stylesThatWerePastedGoWithTheText() throws {
        let store = TextStore(StyledText())
        do {
            let fragment = try #require(StyledFragment(bytes: Self.pasted))
            store.replace(0..<0, with: fragment.text)
        }
        #expect(store.styledText.checkInvariants().isEmpty)
        let middle = store.styledText.attributes(at: UTF16Offset(51 * 500 + 3))
        #expect(middle[Aligned.self] == 500 && middle[Inline.self] == 540)
        #expect(Self.pastedSets > 50_000)
        store.replace(store.text.utf16Range, with: "", origin: .program)
        #expect(Self.pastedSets > 50_000, "undo has nothing to bring back")
        store.removeAllUndo()
        #expect(Self.pastedSets == 0)
    }

    @Test func threadsThatTakeAndGiveBackTheSameSetsAgreeOnThem() async {
        let all = (0..<4).map { TextAttributes(Shared.self, $0) }
        await withTaskGroup(of: Int.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    var wrong = 0
                    for i in 0..<20_000 {
                        let attributes = all[(i + thread) % all.count]
                        let id = AttributeTable.id(of: attributes)
                        if AttributeTable.id(of: attributes) != id || id.attributes != attributes { wrong += 1 }
                    }
                    return wrong
                }
            }
            for await wrong in group { #expect(wrong == 0) }
        }
        #expect(AttributeTable.count { $0[Shared.self] != nil } == 0)
        let id = AttributeTable.id(of: all[0])
        #expect(AttributeTable.count { $0[Shared.self] != nil } == 1 && id.attributes == all[0])
    }

    @Test func partsOfASetAreThoseOfItsKeys() {
        var attributes = TextAttributes(TestKeys.Weight.self, -1)
        let inline = AttributeTable.id(of: attributes)
        #expect(inline.added == inline && inline.paragraphPart == .none)
        attributes[TestKeys.Alignment.self] = -1
        attributes[TestKeys.Spelling.self] = -1
        let all = AttributeTable.id(of: attributes)
        let aligned = AttributeTable.id(of: TextAttributes(TestKeys.Alignment.self, -1))
        #expect(all.paragraphPart == aligned && aligned.paragraphPart == aligned)
        attributes[TestKeys.Spelling.self] = nil
        #expect(all.added == AttributeTable.id(of: attributes))
        #expect(AttributeID.none.added == .none && AttributeID.none.paragraphPart == .none)
    }
}
