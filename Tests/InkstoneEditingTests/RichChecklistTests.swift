import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// The points of a checklist for rich text that no other suite covers.
@Suite(.timeLimit(.minutes(5))) struct RichChecklistTests {
    private static let red = Color(rgb: 0xcc0000)

    /// Shows each unit's style: `b` bold, `r` red, `B` both, `.` neither.
    private func styles(_ store: TextStore) -> String {
        let text = store.styledText
        return (0..<text.rope.metrics.utf16).map { unit in
            let attributes = text.attributes(at: UTF16Offset(unit))
            let isBold = FontDescriptor.isBold(attributes[FontWeightAttribute.self])
            let isRed = attributes[ForegroundAttribute.self] != nil
            return isBold ? (isRed ? "B" : "b") : isRed ? "r" : "."
        }.joined()
    }

    private func scene(_ notation: String, bold: Range<UTF16Offset>? = nil, red: Range<UTF16Offset>? = nil)
        -> EditingScene
    {
        let scene = EditingScene(notation)
        scene.store.restyle {
            if let bold { $0.set(200, of: FontWeightAttribute.self, in: bold) }
            if let red { $0.set(Self.red, of: ForegroundAttribute.self, in: red) }
        }
        return scene
    }

    private func type(_ text: String, in scene: EditingScene) {
        for letter in text { scene.make(scene.state.inserting(String(letter))) }
    }

    private func mark(_ text: String, in scene: EditingScene) {
        scene.make(scene.state.marking(InputText(text), over: .composed, selected: .notFound))
    }

    private func copied(_ text: String, red range: Range<UTF16Offset>? = nil) -> CopiedText {
        var styled = StyledText(Rope(text))
        styled.restyle { $0.set(Self.red, of: ForegroundAttribute.self, in: range ?? 0..<100) }
        return CopiedText(styled)
    }

    /// Shows each unit's roles: `c` code, `i` emphasis, `C` both, `.` neither.
    private func roles(_ scene: EditingScene) -> String {
        let text = scene.store.styledText
        return (0..<text.rope.metrics.utf16).map { unit in
            let attributes = text.attributes(at: UTF16Offset(unit))
            let isEmphasized = attributes.hasRole(.emphasized)
            return attributes.hasRole(.code) ? (isEmphasized ? "C" : "c") : isEmphasized ? "i" : "."
        }.joined()
    }

    private func scene(_ notation: String, roles: [(InlinePresentationIntent, Range<UTF16Offset>)]) -> EditingScene {
        let scene = EditingScene(notation)
        scene.store.restyle {
            for (role, range) in roles { $0.set(role, of: InlinePresentationIntentAttribute.self, in: range) }
        }
        return scene
    }

    struct RoleCase: Sendable {
        var notation: String
        var roles: [(InlinePresentationIntent, Range<UTF16Offset>)]
        var expected: String
    }

    @Test(arguments: [
        RoleCase(notation: "a co| b", roles: [(.code, 2..<4)], expected: "..cc...."),
        RoleCase(notation: "a |co b", roles: [(.code, 2..<4)], expected: "....cc.."),
        RoleCase(notation: "|co b", roles: [(.code, 0..<2)], expected: "..cc.."),
        RoleCase(notation: "co|", roles: [(.code, 0..<2)], expected: "cc.."),
        RoleCase(notation: "c|o", roles: [(.code, 0..<2)], expected: "cccc"),
        RoleCase(notation: "[co|] b", roles: [(.code, 0..<2)], expected: "...."),
        RoleCase(notation: "c[o|]d b", roles: [(.code, 0..<3)], expected: "cccc.."),
        // The surrounding emphasis continues, and a gap between two pieces of code becomes code even if only one is
        // emphasized.
        RoleCase(notation: "co| b", roles: [([.code, .emphasized], 0..<2)], expected: "CCii.."),
        RoleCase(
            notation: "co|de", roles: [([.code, .emphasized], 0..<2), (.code, 2..<4)], expected: "CCCCcc"),
        RoleCase(notation: "em| b", roles: [(.emphasized, 0..<2)], expected: "iiii.."),
    ])
    func rt07CodeDoesNotGrowAtItsEnds(_ test: RoleCase) {
        let scene = scene(test.notation, roles: test.roles)
        type("xy", in: scene)
        #expect(roles(scene) == test.expected)
    }

    @Test func rt07HTMLAndSpacesThatWereLineEndsDoNotGrow() {
        for role in [InlinePresentationIntent.inlineHTML, .softBreak, .lineBreak] {
            let scene = scene("ab|", roles: [(role, 0..<2)])
            type("x", in: scene)
            #expect(!scene.store.styledText.attributes(at: 2).hasRole(role))
        }
        let block = scene("<p>|", roles: [(.blockHTML, 0..<3)])
        type("x", in: block)
        #expect(block.store.styledText.attributes(at: 3).hasRole(.blockHTML))
    }

    @Test func rt09RightStepsOutOfCodeThatIsTypedOnceWithoutMoving() {
        let scene = scene("a |b", roles: [])
        scene.make(scene.state.togglingRole(.code))
        type("xyz", in: scene)
        scene.perform(.deleteBackward)
        type("w", in: scene)
        #expect(roles(scene) == "..ccc." && scene.notation == "a xyw|b")
        #expect(scene.perform(.moveRight) == "a xyw|b" && !scene.state.typingAttributes.hasRole(.code))
        type("z", in: scene)
        #expect(roles(scene) == "..ccc..")
        #expect(scene.perform(.moveRight) == "a xywzb|")
    }

    @Test(arguments: [
        EditCommand.moveToEndOfLine, .moveToEndOfParagraph, .moveToEndOfDocument, .moveForward, .moveRight,
    ])
    func rt09AtALinesEndAnyMoveToItStepsOut(_ command: EditCommand) {
        let scene = scene("a |", roles: [])
        scene.make(scene.state.togglingBold())
        scene.make(scene.state.togglingRole(.code))
        type("xy", in: scene)
        scene.perform(command)
        type("z", in: scene)
        #expect(roles(scene) == "..cc." && styles(scene.store) == "..bbb" && scene.notation == "a xyz|")
        // Selecting does not leave the role; moving the caret back enters it.
        let other = self.scene("a |", roles: [])
        other.make(other.state.togglingRole(.code))
        type("xy", in: other)
        #expect(other.perform(.moveLeft) == "a x|y")
        type("z", in: other)
        #expect(roles(other) == "..ccc")
    }

    @Test func rt10ACompositionTakesWhatWasChosenBeforeIt() {
        let scene = scene("ab|")
        scene.make(scene.state.togglingBold())
        mark("に", in: scene)
        mark("にほ", in: scene)
        #expect(styles(scene.store) == "..bb")
        scene.make(scene.state.inserting("日本", over: .composed))
        #expect(styles(scene.store) == "..bb" && scene.notation == "ab日本|")
        let cancelled = self.scene("ab|")
        cancelled.make(cancelled.state.togglingBold())
        mark("に", in: cancelled)
        mark("", in: cancelled)
        #expect(cancelled.notation == "ab|" && cancelled.store.styledText.runs == nil)
    }

    @Test func rt18SeveralSelectionsAreStyledInOneStep() {
        let scene = scene("[a|]b[c|]d|e")
        scene.make(scene.state.togglingBold())
        #expect(styles(scene.store) == "b.b..")
        scene.perform(.undo)
        #expect(scene.store.styledText.runs == nil && scene.notation == "[a|]b[c|]d|e")
    }

    @Test func rt19AStyleChosenAtACaretInAWordIsOfWhatIsTypedAlone() {
        let scene = scene("wo|rd")
        scene.make(scene.state.togglingBold())
        #expect(styles(scene.store) == "....")
        type("xy", in: scene)
        #expect(styles(scene.store) == "..bb.." && scene.notation == "woxy|rd")
    }

    @Test func rt20AWordThatIsSelectedAndBoldTakesNoBlankAlong() throws {
        let scene = ViewScene(store: TextStore("one two three"))
        let place = try #require(scene.view.position(from: scene.view.beginningOfDocument, offset: 5))
        let caret = scene.view.caretRect(for: place)
        scene.click(at: ViewPoint(x: caret.minX, y: caret.minY + caret.height / 2), count: 2)
        #expect(scene.view.selection?.primary.range == 4..<7)
        scene.view.perform(.toggleBoldface)
        #expect(styles(scene.view.store) == "....bbb......")
    }

    @Test func rt21AColourOfANewlineIsTheEmptyLinesAndNotOfTheLineAbove() {
        let scene = scene("ab\n|\ncd", red: 3..<4)
        #expect(scene.state.typingAttributes[ForegroundAttribute.self] == Self.red)
        type("x", in: scene)
        #expect(styles(scene.store) == "...rr..")
        scene.select(Selection(caret: 2))
        type("y", in: scene)
        #expect(styles(scene.store) == "....rr..")
    }

    @Test func rt26WithoutItsNewlineTheLastParagraphKeepsItsStyle() {
        let scene = EditingScene("one\ntwo\n|")
        var style = ParagraphStyle()
        style.alignment = .center
        scene.store.restyle { $0.set(style, of: ParagraphStyleAttribute.self, in: 4..<5) }
        scene.perform(.deleteBackward)
        #expect(scene.notation == "one\ntwo|")
        #expect(scene.store.styledText.attributes(at: 6)[ParagraphStyleAttribute.self]?.alignment == .center)
        scene.perform(.undo)
        #expect(scene.store.styledText.attributes(at: 7)[ParagraphStyleAttribute.self]?.alignment == .center)
    }

    @Test func rt67ListsLeaveWithTheirMarkersAsPlainText() {
        let scene = EditingScene("[one\ntwo\nend|]")
        scene.store.restyle { $0.set(ListItem([TextList(.decimal)]), of: ListAttribute.self, in: 0..<8) }
        #expect(scene.state.selectedCopy?.outgoing.content.textWithMarkers == "1. one\n2. two\nend")
    }

    @Test func rt68PlainTextTakesAfterTheTextThatItComesInto() {
        let scene = scene("bo|ld", bold: 0..<4)
        scene.make(scene.state.pasting("xy"))
        #expect(styles(scene.store) == "bbbbbb")
        let chosen = self.scene("ab|")
        chosen.make(chosen.state.togglingBold())
        chosen.make(chosen.state.pasting("xy"))
        #expect(styles(chosen.store) == "..bb")
    }

    @Test func rt69APasteWithoutStylesTakesNoneAlong() {
        let scene = scene("bo|ld", bold: 0..<4)
        scene.make(scene.state.pasting(copied("xy").plain))
        #expect(styles(scene.store) == "bbbbbb")
        scene.make(scene.state.pasting(copied("z")))
        #expect(styles(scene.store) == "bbbbrbb")
    }

    @Test func rt71WhatIsPastedDoesNotColourWhatIsTypedBehindIt() {
        let scene = scene("ab|cd")
        scene.make(scene.state.pasting(copied("xy")))
        #expect(styles(scene.store) == "..rr..")
        type("z", in: scene)
        #expect(styles(scene.store) == "..rr..." && scene.notation == "abxyz|cd")
    }

    @Test func rt71BehindAPasteOverAllTextNoneOfItsStylesIsTyped() {
        let scene = scene("[bold|]", bold: 0..<4)
        scene.make(scene.state.pasting(copied("xy")))
        type("z", in: scene)
        #expect(styles(scene.store) == "rr." && scene.notation == "xyz|")
        // Pasted plain text does not become bold as a whole, as the replaced heading was.
        let plain = self.scene("[bold\nab|]", bold: 0..<4)
        plain.make(plain.state.pasting("x\ny"))
        type("z", in: plain)
        #expect(styles(plain.store) == "...." && plain.notation == "x\nyz|")
        // Pasting over a part of the bold text keeps bold for typing.
        let part = self.scene("[bo|]ld", bold: 0..<4)
        part.make(part.state.pasting(copied("xy")))
        type("z", in: part)
        #expect(styles(part.store) == "rrbbb")
    }

    @Test func rt78ADropIsOneStepAndLandsAtThePointer() {
        let view = ViewScene(store: TextStore("ab")).view
        #expect(view.drop(copied("xy", red: 0..<1), at: ViewPoint(x: 0, y: 5)))
        #expect(styles(view.store) == "r..." && view.store.text == "xyab")
        view.session.undo()
        #expect(view.store.text == "ab" && view.store.styledText.runs == nil)
    }

    struct Address: Sendable {
        var typed: String
        /// The UTF-16 range of a link.
        var link: Range<Int>?
    }

    @Test(arguments: [
        Address(typed: "see https://example.org/a ", link: 4..<25), Address(typed: "https://a.org/\n", link: 0..<14),
        Address(typed: "(http://a.org/b_(c)). ", link: 1..<19), Address(typed: "mailto:me@a.org, ", link: 0..<15),
        Address(typed: "https:// ", link: nil), Address(typed: "a.org ", link: nil),
        Address(typed: "https://a.org", link: nil), Address(typed: "javascript://x ", link: nil),
    ])
    func rt81AnAddressBecomesALinkBehindWhichOneTypesOn(_ test: Address) {
        let session = EditingSession(TextStore())
        session.options.makesLinks = true
        let scene = EditingScene("")
        func type(_ text: String) {
            for letter in text {
                if letter == "\n" {
                    _ = session.perform(.insertNewline) { scene.geometry }
                } else {
                    session.insert(String(letter))
                }
            }
        }
        func links() -> [Int] {
            (0..<session.state.text.metrics.utf16).filter {
                session.state.styledText.attributes(at: UTF16Offset($0))[LinkAttribute.self] != nil
            }
        }
        type(test.typed)
        #expect(links() == test.link.map(Array.init) ?? [])
        #expect(session.state.selection == Selection(caret: UTF16Offset(test.typed.utf16.count)))
        guard test.link != nil else { return }
        type("x")
        #expect(links() == test.link.map(Array.init), "what is typed behind it is none of it")
        session.store.undo()
        session.store.undo()
        #expect(links().isEmpty && session.state.text.string(in: session.state.textRange) == test.typed)
        type("y ")
        #expect(links().isEmpty, "it stays as it is")
    }

    /// Creates a session that makes links, with the caret at the end of a text.
    private func linking(_ text: String) -> EditingSession {
        let session = EditingSession(TextStore(Rope(text)))
        session.options.makesLinks = true
        session.select(Selection(caret: UTF16Offset(text.utf16.count)))
        return session
    }

    private func pressReturn(in session: EditingSession) {
        let scene = EditingScene("")
        _ = session.perform(.insertNewline) { scene.geometry }
    }

    private func hasLink(_ session: EditingSession) -> Bool {
        let text = session.state.styledText
        return text.attributes(in: text.rope.utf16Range).contains { $0.attributes[LinkAttribute.self] != nil }
    }

    @Test func rt81ReturnThatOnlyLeavesAListMakesNoLinkAgain() {
        let session = linking("https://a.org")
        session.store.restyle { $0.set(ListItem([TextList(.disc)]), of: ListAttribute.self, in: 0..<13) }
        pressReturn(in: session)
        #expect(hasLink(session))
        session.store.undo()
        #expect(!hasLink(session) && session.store.text == "https://a.org\n\n")
        #expect(session.state.typingAttributes[ListAttribute.self] != nil)
        pressReturn(in: session)
        #expect(session.store.text == "https://a.org\n\n" && session.state.typingAttributes[ListAttribute.self] == nil)
        #expect(!hasLink(session))
    }

    @Test(arguments: ["https://a.org", "  https://a.org"])
    func rt81ReturnMakesALinkWhateverTheIndentation(_ text: String) {
        let session = linking(text)
        session.options.keepsIndentation = true
        pressReturn(in: session)
        #expect(session.store.text == Rope(text + "\n" + text.prefix { $0 == " " }))
        #expect(hasLink(session))
    }

    @Test func rt81CodeAndHTMLTakeNoLinks() {
        let code = PresentationIntent(.codeBlock(languageHint: nil), identity: 1)
        let quoted = PresentationIntent(
            .codeBlock(languageHint: nil), identity: 1, parent: PresentationIntent(.blockQuote, identity: 2))
        for intent in [code, quoted] {
            let session = linking("https://a.org")
            session.store.restyle { $0.set(intent, of: PresentationIntentAttribute.self, in: 0..<13) }
            session.insert(" ")
            #expect(!hasLink(session))
            session.undo()
            pressReturn(in: session)
            #expect(!hasLink(session))
        }
        for role in [InlinePresentationIntent.code, .inlineHTML, .blockHTML, .emphasized] {
            let session = linking("https://a.org")
            session.store.restyle { $0.set(role, of: InlinePresentationIntentAttribute.self, in: 0..<13) }
            session.insert(" ")
            #expect(hasLink(session) == (role == .emphasized))
        }
    }
}
