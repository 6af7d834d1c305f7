import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

/// Blocks that are pasted at the end of a paragraph, or within one.
@Suite(.timeLimit(.minutes(5))) struct PastedBlockTests {
    private static let code = PresentationIntent(.codeBlock(languageHint: nil), identity: 3)
    private static let heading = PresentationIntent(.header(level: 1), identity: 4)

    /// Pastes paragraphs with an intent into a text of paragraphs that are separated by `/`. Returns the text, with `#`
    /// before headings, `>` before quotations and `=` before lines of code.
    private func pasting(
        _ copied: String, _ intent: PresentationIntent?, into notation: String, heading: Bool = false
    ) -> String {
        let scene = EditingScene(notation.replacing("/", with: "\n"))
        scene.options.acceptsStyles = true
        if heading {
            scene.store.restyle {
                $0.set(
                    Self.heading, of: PresentationIntentAttribute.self,
                    in: scene.store.text.utf16Range(of: ParagraphIndex(0)))
            }
        }
        let text = StyledText(
            Rope(copied.replacing("/", with: "\n")),
            intent.map { TextAttributes(PresentationIntentAttribute.self, $0) } ?? TextAttributes())
        scene.make(scene.state.pasting(CopiedText(text)))
        let styled = scene.store.styledText
        return scene.notation.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, line in
            let range = styled.rope.utf16Range(of: ParagraphIndex(index))
            guard !range.isEmpty else { return String(line) }
            let components = styled.attributes(at: range.lowerBound)[PresentationIntentAttribute.self]?.components
            let quotation = components?.contains { $0.kind == .blockQuote } == true ? ">" : ""
            switch components?.first?.kind {
            case .header?: return quotation + "#" + line
            case .codeBlock?: return quotation + "=" + line
            default: return quotation + line
            }
        }.joined(separator: "/")
    }

    @Test func codeAndHeadingsAreParagraphsOfTheirOwn() {
        #expect(pasting("x/", Self.code, into: "hello|", heading: true) == "#hello/=x|")
        #expect(pasting("x/", Self.code, into: "hello|/end") == "hello/=x|/end")
        #expect(pasting("x/y", Self.code, into: "hel|lo/end") == "hel/=x/=y/|lo/end")
        #expect(pasting("x/", Self.heading, into: "hel|lo/end") == "hel/#x/|lo/end")
        #expect(pasting("x/", Self.heading, into: "[hel|]lo/end") == "#x/|lo/end")
        #expect(pasting("x/y", Self.heading, into: "he[llo/e|]nd") == "he/#x/#y/|nd")
        let paragraph = PresentationIntent.IntentType(kind: .paragraph, identity: 0)
        let quotation = PresentationIntent.IntentType(kind: .blockQuote, identity: 5)
        let quoted = PresentationIntent(components: [paragraph, quotation])
        #expect(pasting("x/y/", quoted, into: "hello|/end") == "hello/>x/>y|/end")
    }

    @Test func otherTextIsJoined() {
        #expect(pasting("x/y", nil, into: "hel|lo", heading: true) == "#helx/y|lo")
        #expect(pasting("x/y/", nil, into: "hel|lo") == "helx/y/|lo")
        #expect(pasting("x", Self.heading, into: "hel|lo") == "helx|lo")
        #expect(pasting("x/y", Self.heading, into: "hel|lo", heading: true) == "#helx/#y|lo")
    }

    /// At the start of a paragraph, nothing of it is in front of the first pasted one, which stays the block that it is.
    @Test func aFirstBlockStaysAtTheStartOfAParagraph() {
        #expect(pasting("x/y", Self.heading, into: "|hello/end") == "#x/#y/|hello/end")
        #expect(pasting("x/y", Self.heading, into: "[hel|]lo/end") == "#x/#y/|lo/end")
        #expect(pasting("x/y", nil, into: "|hello/end", heading: true) == "#x/y|hello/end")
        #expect(pasting("x/y", Self.heading, into: "|hello/end", heading: true) == "#x/#y|hello/end")
        // A heading and a part of the paragraph below it.
        let intent = TextAttributes(PresentationIntentAttribute.self, Self.heading)
        var copied = StyledText(Rope("Head\n"), intent)
        copied.append(StyledText(Rope("Para")))
        for isDropped in [false, true] {
            let scene = EditingScene("|Last")
            scene.options.acceptsStyles = true
            let new = CopiedText(copied)
            scene.make(isDropped ? scene.state.dropping(new, at: 0) : scene.state.pasting(new))
            let text = scene.store.styledText
            #expect(text.rope.string(in: text.rope.utf16Range) == "Head\nParaLast")
            #expect(text.attributes(at: 0)[PresentationIntentAttribute.self] == Self.heading)
            #expect(text.attributes(at: 6)[PresentationIntentAttribute.self] == nil)
        }
    }

    /// An empty last line of code has no character but its line end, which is kept.
    @Test func anEmptyLastLineIsKept() {
        #expect(pasting("x//", Self.code, into: "hello|/end") == "hello/=x/=/|/end")
    }
}
