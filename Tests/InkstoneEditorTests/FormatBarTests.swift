import Inkstone
import InkstoneTesting
import Testing

@testable import inkstone_editor

/// The states and words of the style buttons for a text, without a window.
@Suite("Format bar", .timeLimit(.minutes(5))) struct FormatBarTests {
    private static func session(_ text: StyledText, _ selection: Selection) -> EditingSession {
        let session = EditingSession(TextStore(text))
        session.options.acceptsStyles = true
        session.select(selection)
        return session
    }

    private static func text(_ parts: (String, TextAttributes)...) -> StyledText {
        var result = StyledText()
        for (part, attributes) in parts { result.append(StyledText(Rope(part), attributes)) }
        return result
    }

    private static let bold = TextAttributes(FontWeightAttribute.self, 200)
    private static let link = TextAttributes(LinkAttribute.self, "https://example.org")

    private static func heading(_ level: Int) -> TextAttributes {
        var result = TextAttributes()
        result[PresentationIntentAttribute.self] = PresentationIntent(
            components: [.init(kind: .header(level: level), identity: 0)])
        return result
    }

    @Test func linksLeaveOutTheBlanksAtTheEndsOfASelection() {
        let text = Rope("a  b c  d")
        #expect(text.withoutBlanksAtEnds(1..<8) == 3..<6)
        #expect(text.withoutBlanksAtEnds(0..<1) == 0..<1 && text.withoutBlanksAtEnds(1..<3) == 1..<3)
    }

    /// Covers RT 12 of the checklist for rich text.
    @Test func aMixedSelectionIsShownAsMixedAndNeverAsOneOfBoth() {
        let text = Self.text(("ab", Self.bold), ("cd", TextAttributes()))
        let session = Self.session(text, Selection(anchor: 0, head: 2))
        func state() -> StyleState? { FormatBar.Content(session.state).states[.bold] }
        #expect(state() == .on)
        session.select(Selection(anchor: 1, head: 3))
        #expect(state() == .mixed)
        session.select(Selection(anchor: 2, head: 4))
        #expect(state() == nil)
        // At a caret, the button shows the style of the text that will be typed.
        session.select(Selection(caret: 2))
        #expect(state() == .on)
        session.dispatch(session.state.togglingBold())
        #expect(state() == nil)
    }

    @Test func kindsOfParagraphsAreNamed() {
        let text = Self.text(("one\n", Self.heading(1)), ("two\n", Self.heading(2)), ("body", TextAttributes()))
        let session = Self.session(text, Selection(caret: 1))
        func words() -> String { FormatBar.Content(session.state).paragraph }
        #expect(words() == Words.heading(1))
        session.select(Selection(caret: 9))
        #expect(words() == Words.bodyText)
        session.dispatch(session.state.togglingQuotation())
        #expect(words() == Words.quotation)
        session.dispatch(session.state.togglingCodeBlock())
        #expect(words() == Words.codeBlock)
        session.select(Selection(anchor: 1, head: 6))
        #expect(words() == Words.severalStyles)
    }

    @Test func aButtonThatWouldDoNothingIsDisabled() throws {
        let text = Self.text(("ab", TextAttributes()), ("cd", Self.link))
        let session = Self.session(text, Selection(anchor: 0, head: 1))
        func disabled() -> Set<FormatBar.Button> { FormatBar.Content(session.state).disabled }
        #expect(disabled() == [])
        // At a caret outside of links the link button is disabled: there is no text to link.
        session.select(Selection(caret: 1))
        #expect(disabled() == [.link])
        session.select(Selection(caret: 3))
        #expect(disabled() == [])
        let definition = try FormattingDefinition(
            scope: AttributeScope(FontWeightAttribute.self, LinkAttribute.self), [])
        session.filters.append(TransactionFilter(definition))
        session.select(Selection(anchor: 0, head: 1))
        #expect(disabled().isSuperset(of: [.italic, .underline, .strikethrough, .code, .paragraph]))
        #expect(!disabled().contains(.bold))
        session.options.isEditable = false
        #expect(disabled() == Set(FormatBar.Button.allCases))
    }

    @Test func itemsAreShownByTheButtonOfTheirKind() {
        let text = Self.text(("one\n", TextAttributes(ListAttribute.self, ListItem([TextList(.decimal)]))))
        let session = Self.session(text, Selection(caret: 1))
        let states = FormatBar.Content(session.state).states
        #expect(states == [.numbers: .on])
    }
}
