import InkstoneBase
import InkstoneText
import Testing

@testable import InkstoneLayout

@Suite("Style sheets of intents", .timeLimit(.minutes(5)))
struct PresentationStyleSheetTests {
    private static let font = FontDescriptor(family: "DejaVu Sans", size: 16)

    private static func resolver(_ sheet: PresentationStyleSheet = .standard) -> StyleResolver {
        var options = LayoutOptions(font: font, container: TextContainer(width: 400))
        options.presentationStyleSheet = sheet
        return StyleResolver(options)
    }

    private static func style(_ attributes: TextAttributes, _ resolver: StyleResolver = resolver()) -> ResolvedStyle {
        resolver.style(of: AttributeRuns(length: 1, attributes).id(at: UTF16Offset(0)))
    }

    private static let header = TextAttributes(
        PresentationIntentAttribute.self, PresentationIntent(.header(level: 1), identity: 1))

    @Test("Headings are larger and bold, code in a heading monospaced, quotes in lists indented twice")
    func standard() {
        #expect(Self.style(Self.header).font?.size == 32)
        #expect(Self.style(Self.header).font?.weight == 200)
        var code = Self.header
        code[InlinePresentationIntentAttribute.self] = .code
        #expect(Self.style(code).font?.size == 32)
        #expect(Self.style(code).font?.family == "monospace")
        #expect(Self.style(code).rendering?.background != nil)
        let quote = PresentationIntent(
            .paragraph, identity: 3,
            parent: PresentationIntent(
                .blockQuote, identity: 2, parent: PresentationIntent(.unorderedList, identity: 1)))
        let style = Self.style(TextAttributes(PresentationIntentAttribute.self, quote))
        #expect(style.paragraph?.indent == 64)
        #expect(style.font == nil)
    }

    @Test("What the text itself says counts more, and an empty sheet shows nothing")
    func explicit() {
        var attributes = Self.header
        attributes[FontSizeAttribute.self] = 20
        attributes[InlinePresentationIntentAttribute.self] = .emphasized
        attributes[FontSlantAttribute.self] = .roman
        let style = Self.style(attributes)
        #expect(style.font?.size == 20)
        #expect(style.font?.slant == .roman)
        #expect(style.font?.weight == 200)
        #expect(Self.style(Self.header, Self.resolver(PresentationStyleSheet())).isPlain)
    }

    @Test("Another sheet restyles and leaves text and version alone")
    func replaced() {
        let store = TextStore(Rope("Title"))
        store.restyle { $0.merge(Self.header, in: store.text.utf16Range) }
        let layout = TextLayoutManager(store: store, container: TextContainer(width: 400), font: Self.font)
        let version = store.version
        func height() -> Double {
            _ = layout.refineHeights { false }
            return layout.usageHeight
        }
        let large = height()
        layout.presentationStyleSheet = PresentationStyleSheet()
        #expect(height() < large)
        #expect(store.version == version)
    }
}
