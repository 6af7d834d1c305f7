import InkstoneBase
import InkstoneText
import Testing

@Suite("Presentation intents", .timeLimit(.minutes(5)))
struct PresentationIntentTests {
    private static let list = PresentationIntent(
        .listItem(ordinal: 12, isDone: true), identity: 3,
        parent: PresentationIntent(.orderedList, identity: 2, parent: PresentationIntent(.blockQuote, identity: 1)))

    @Test(
        "Each kind is itself again after it was written down",
        arguments: [
            .paragraph, .header(level: 3), .orderedList, .unorderedList, .listItem(ordinal: 7),
            .listItem(ordinal: 0, isDone: false), .codeBlock(languageHint: nil),
            .codeBlock(languageHint: "c++ title=\"a b\""),
            .blockQuote, .thematicBreak,
            .table(columns: [.init(alignment: .left), .init(), .init(alignment: .center)]),
            .table(columns: []), .tableHeaderRow, .tableRow(rowIndex: 4), .tableCell(columnIndex: 2),
        ] as [PresentationIntent.Kind])
    func coding(_ kind: PresentationIntent.Kind) {
        let intent = PresentationIntent(kind, identity: -5, parent: Self.list)
        #expect(PresentationIntentAttribute.decode(PresentationIntentAttribute.encode(intent)) == intent)
    }

    @Test(
        "Bytes that are no intent are none",
        arguments: [
            "", "paragraph", "paragraph x", "header 1", "header 1 x", "table 1 lq", "nothing 1", "paragraph 1\n",
        ])
    func wrongBytes(_ bytes: String) {
        #expect(PresentationIntentAttribute.decode(Array(bytes.utf8)) == nil)
    }

    @Test("Numbers, names and depth are put in range")
    func range() {
        var deep = PresentationIntent(.blockQuote, identity: 0)
        for i in 1...100 { deep = PresentationIntent(.blockQuote, identity: i, parent: deep) }
        let checked = PresentationIntentAttribute.checked(
            PresentationIntent(.header(level: 9), identity: 7, parent: deep))
        #expect(checked?.components.map(\.identity) == Array((0..<64).reversed()))
        let header = TextAttributes(
            PresentationIntentAttribute.self, PresentationIntent(.header(level: 9), identity: 7))
        #expect(header[PresentationIntentAttribute.self]?.components.first?.kind == .header(level: 6))
        let code = PresentationIntent(.codeBlock(languageHint: "a\nb"), identity: 1)
        #expect(PresentationIntentAttribute.checked(code)?.components.first?.kind == .codeBlock(languageHint: "ab"))
    }

    @Test("An intent is that of all of its paragraph, and survives a copy to another process")
    func paragraphBound() throws {
        var text = StyledText(Rope("one\ntwo"))
        text.restyle { restyling in
            restyling.set(Self.list, of: PresentationIntentAttribute.self, in: UTF16Offset(5)..<UTF16Offset(6))
            restyling.set(
                [.emphasized, .code], of: InlinePresentationIntentAttribute.self, in: UTF16Offset(0)..<UTF16Offset(2))
        }
        #expect(text.attributes(at: UTF16Offset(6))[PresentationIntentAttribute.self] == Self.list)
        #expect(text.attributes(at: UTF16Offset(3))[PresentationIntentAttribute.self] == nil)
        let copy = try #require(StyledFragment(bytes: StyledFragment(text).bytes))
        #expect(copy.text == text)
        #expect(Self.list.indentationLevel == 2)
    }

    @Test("The bits are Foundation's")
    func bits() {
        let all: [InlinePresentationIntent] = [
            .emphasized, .stronglyEmphasized, .code, .strikethrough, .softBreak, .lineBreak, .inlineHTML, .blockHTML,
        ]
        #expect(all.map(\.rawValue) == [1, 2, 4, 32, 64, 128, 256, 512])
        #expect(InlinePresentationIntentAttribute.checked(.init(rawValue: 1 << 20)) == nil)
    }
}
