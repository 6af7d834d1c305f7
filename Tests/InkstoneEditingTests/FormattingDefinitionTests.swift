import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

/// Formatting definitions constrain the attributes of text from every source.
@Suite(.timeLimit(.minutes(5))) struct FormattingDefinitionTests {
    private static let green = Color(red: 0, green: 128, blue: 0)
    private static let red = Color(red: 255, green: 0, blue: 0)

    private enum Ingredient: AttributeKey {
        typealias Value = String
        static let name = "ingredient of definitions"
    }

    private static func recipe() throws -> FormattingDefinition {
        try FormattingDefinition(
            scope: AttributeScope(Ingredient.self, ForegroundAttribute.self, FontWeightAttribute.self),
            [
                ValueConstraint("ingredients are green", for: ForegroundAttribute.self) { color, text in
                    color = text[Ingredient.self] == nil ? nil : green
                }
            ])
    }

    private static func onlyGreen() throws -> FormattingDefinition {
        try FormattingDefinition([
            ValueConstraint(for: ForegroundAttribute.self, values: [nil, green], default: green)
        ])
    }

    private func session(_ text: StyledText, _ definition: FormattingDefinition) -> EditingSession {
        let session = EditingSession(TextStore(text))
        session.filters.append(TransactionFilter(definition))
        return session
    }

    private func colors(_ session: EditingSession) -> [Color?] {
        session.store.styledText.attributes(in: session.textRange).map { $0.attributes[ForegroundAttribute.self] }
    }

    /// Covers RT 79 of the checklist for rich text.
    @Test func aRedPasteIntoATextThatKnowsOnlyGreenIsGreen() throws {
        let session = session(StyledText("ab"), try Self.onlyGreen())
        session.options.acceptsStyles = true
        session.select(Selection(caret: 1))
        session.paste(
            CopiedText(StyledText("x", TextAttributes(ForegroundAttribute.self, Self.red)), isStyled: true),
            for: session.deferPaste())
        #expect(session.text == "axb" && colors(session) == [nil, Self.green, nil])
        session.undo()
        #expect(session.text == "ab" && colors(session) == [nil])
        session.redo()
        #expect(colors(session) == [nil, Self.green, nil])
    }

    /// RT 79: drops and edits by the program, like pastes.
    @Test func aDropAndAnEditByTheProgramAreConstrained() throws {
        let session = session(StyledText("ab"), try Self.onlyGreen())
        let red = StyledText("x", TextAttributes(ForegroundAttribute.self, Self.red))
        session.options.acceptsStyles = true
        session.drop(CopiedText(red, isStyled: true), for: session.deferDrop(at: 2))
        #expect(colors(session) == [nil, Self.green])
        var restyling = Restyling()
        restyling.set(Self.red, of: ForegroundAttribute.self, in: 0..<1)
        session.dispatch(Transaction(on: session.store, TextChangeSet(none: session.store.text), restyling: restyling))
        #expect(colors(session) == [Self.green, nil, Self.green])
    }

    @Test func typingAttributesAreConstrainedBeforeTyping() throws {
        let session = session(StyledText("ab"), try Self.onlyGreen())
        session.setAttribute(Self.red, of: ForegroundAttribute.self)
        #expect(session.typingAttributes[ForegroundAttribute.self] == Self.green)
        session.insert("x")
        #expect(colors(session) == [Self.green, nil])
    }

    @Test func aConstraintReadsOtherKeysAndKeysOutsideTheScopeGo() throws {
        let session = session(StyledText("milk and eggs"), try Self.recipe())
        session.select(Selection(anchor: 0, head: 4))
        session.setAttribute("milk", of: Ingredient.self)
        session.select(Selection(anchor: 0, head: 13))
        session.toggleAttribute(.single, of: UnderlineAttribute.self)
        #expect(colors(session) == [Self.green, nil])
        #expect(!session.store.styledText.attributes(at: 8).names.contains(UnderlineAttribute.name))
        session.select(Selection(anchor: 0, head: 4))
        session.setAttribute(nil, of: Ingredient.self)
        #expect(session.store.styledText.runs == nil, "the colour goes with the ingredient")
    }

    @Test(arguments: ["[ab|]", "a|b"]) func commandsWhoseEffectWouldBeRevertedCannotBePerformed(_ notation: String)
        throws
    {
        let scene = EditingScene(notation)
        scene.change(.filters(scene.state.filters + [TransactionFilter(try Self.recipe())]))
        #expect(scene.state.canPerform(.toggleBoldface), "in the scope")
        #expect(!scene.state.canPerform(.toggleItalics) && !scene.state.canPerform(.toggleUnderline))
        #expect(!scene.state.canPerform(.alignCenter))
        scene.make(scene.state.togglingItalic())
        scene.make(scene.state.inserting("x"))
        #expect(scene.store.styledText.runs == nil, "not even by force")
    }

    @Test func aCommandThatIsRevertedForOneRunAloneCanBePerformed() throws {
        let definition = try FormattingDefinition([
            ValueConstraint("ingredients are not bold", for: FontWeightAttribute.self) { weight, text in
                if text[Ingredient.self] != nil { weight = nil }
            }
        ])
        let session = session(StyledText("milk and"), definition)
        session.store.restyle { $0.set("milk", of: Ingredient.self, in: 0..<4) }
        session.select(Selection(anchor: 0, head: 4))
        #expect(!session.canPerform(.toggleBoldface))
        session.select(Selection(anchor: 0, head: 6))
        #expect(session.canPerform(.toggleBoldface))
    }

    @Test func constraintsThatDoNotConvergeInTwoPassesAreRefusedByName() {
        let converging = ValueConstraint("bold as red", for: FontWeightAttribute.self) { weight, text in
            weight = text[ForegroundAttribute.self] == nil ? nil : 200
        }
        let cycle = ValueConstraint("red unless bold", for: ForegroundAttribute.self) { color, text in
            color = text[FontWeightAttribute.self] == nil ? Self.red : nil
        }
        #expect(throws: FormattingDefinitionError.unsettled(constraints: ["bold as red", "red unless bold"])) {
            try FormattingDefinition([converging, cycle])
        }
        let late = try? FormattingDefinition([
            converging,
            ValueConstraint(for: ForegroundAttribute.self, values: [Self.green], default: Self.green),
        ])
        #expect(late?.constrained(TextAttributes())[FontWeightAttribute.self] == 200, "the second pass resolves it")
    }

    /// Values that the constraints never agree on: the typed text is kept without the disputed attributes, and
    /// applying the definition again changes nothing.
    @Test func attributesThatDoNotConvergeLoseTheKeysInDispute() throws {
        let definition = try FormattingDefinition([
            ValueConstraint("turns", for: FontWeightAttribute.self) { weight, text in
                if text[Ingredient.self] != nil { weight = weight == 200 ? 80 : 200 }
            }
        ])
        let session = session(StyledText("ab", TextAttributes(Ingredient.self, "egg")), definition)
        session.select(Selection(caret: 1))
        session.insert("x")
        #expect(session.text == "axb")
        let once = definition.constrained(session.store.styledText.attributes(at: 1))
        #expect(once.names == [Ingredient.name] && definition.constrained(once) == once)
    }

    /// A text set in the store directly keeps its attributes, but is laid out as the definition says.
    @Test func textSetByTheProgramIsShownAsTheDefinitionHasIt() throws {
        let store = TextStore(StyledText("ab", TextAttributes(FontSizeAttribute.self, 40)))
        let layout = TextLayoutManager(
            store: store, container: TextContainer(width: 400), font: ViewScene.font, settings: FontSettings())
        func height() -> Double {
            layout.ensureLayout(for: store.text.utf16Range)
            return layout.usageHeight
        }
        let large = height()
        layout.formattingDefinition = try FormattingDefinition(scope: AttributeScope(FontWeightAttribute.self), [])
        #expect(height() < large)
        layout.formattingDefinition = nil
        #expect(height() == large && store.styledText.attributes(at: 0)[FontSizeAttribute.self] == 40)
    }
}
