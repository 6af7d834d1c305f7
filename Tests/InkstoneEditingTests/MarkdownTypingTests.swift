import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

/// Text typed in a view that makes blocks, lists and styles of Markdown's signs.
@Suite(.timeLimit(.minutes(5))) struct MarkdownTypingTests {
    private func session(_ text: String = "") -> EditingSession {
        let session = EditingSession(TextStore(Rope(text)))
        session.options.makesLists = true
        session.options.makesBlocks = true
        session.options.acceptsStyles = true
        session.options.insertsLineSeparators = true
        session.select(Selection(caret: session.store.text.utf16Range.upperBound))
        return session
    }

    private func type(_ text: String, in session: EditingSession) {
        for character in text {
            if character == "\n" {
                session.dispatch(session.state.insertingNewline())
            } else {
                session.insert(String(character))
            }
        }
    }

    /// Returns the text with styled stretches between the marks of their roles, as in `<b:text>`.
    private func styled(_ session: EditingSession) -> String {
        let text = session.store.styledText
        return text.attributes(in: text.rope.utf16Range).map { run in
            let words = text.rope.string(in: run.range)
            let roles = run.attributes[InlinePresentationIntentAttribute.self] ?? []
            let names: KeyValuePairs<String, InlinePresentationIntent> = [
                "b": .stronglyEmphasized, "i": .emphasized, "c": .code, "s": .strikethrough,
            ]
            let name = names.filter { roles.contains($0.value) }.map(\.key).joined()
            return name.isEmpty ? words : "<\(name):\(words)>"
        }.joined()
    }

    @Test(arguments: [
        ("a **b c** d", "a <b:b c> d"), ("*a* b", "<i:a> b"), ("_a_ b", "<i:a> b"), ("__a__", "<b:a>"),
        ("`a*b*` *c*", "<c:a*b*> <i:c>"), ("~~a~~b", "<s:a>b"), ("***a***b", "<bi:a>b"),
        ("**a *b* c** d", "<b:a ><bi:b><b: c> d"), ("庭*花*庭", "庭<i:花>庭"), ("a**b**c", "a<b:b>c"),
        // Marks that are no marks.
        ("2 * 3 * 4", "2 * 3 * 4"), ("2*3*4", "2*3*4"), ("snake_case_x", "snake_case_x"), ("a ** b **", "a ** b **"),
        ("\\*a*", "\\*a*"), ("`` `", "`` `"), ("**a*", "**a*"), ("~a~", "~a~"), ("``a`", "``a`"), ("* a*b", "a*b"),
    ])
    func closingMarksMakeStyles(typed: String, expected: String) {
        let session = session()
        type(typed, in: session)
        #expect(styled(session).filter { $0 != "\n" } == expected)
        let plain = self.session()
        plain.options.makesBlocks = false
        plain.options.makesLists = false
        type(typed, in: plain)
        #expect(plain.store.text == Rope(typed))
    }

    @Test func codeHasNoMarks() {
        let session = session()
        type("```\n*a* `b`", in: session)
        #expect(session.store.text.string(in: session.store.text.utf16Range).hasPrefix("*a* `b`"))
    }

    /// A list that has checkboxes and numbers is expressed by intents, and not shown as a list.
    @Test func itemsOfListsThatAreNotShownGetNoOtherList() {
        let session = session("one\ntwo\n")
        let list = PresentationIntent(.orderedList, identity: 3)
        let item = PresentationIntent(.listItem(ordinal: 1), identity: 4, parent: list)
        session.store.restyle {
            $0.set(
                PresentationIntent(.paragraph, identity: 5, parent: item), of: PresentationIntentAttribute.self,
                in: 0..<3)
        }
        session.select(Selection(caret: 0))
        type("- ", in: session)
        #expect(session.store.text == Rope("- one\ntwo\n"))
        #expect(session.store.styledText.attributes(at: 0)[ListAttribute.self] == nil)
        #expect(session.state.togglingList(.disc) == nil && session.state.togglingList(.checkbox) == nil)
        session.select(Selection(caret: 6))
        #expect(session.state.togglingList(.disc) != nil)
    }

    @Test func oneUndoOrBackspaceBringsTheMarksBack() {
        func undone(_ work: (EditingSession) -> Void) -> String {
            let session = session()
            type("x *a*", in: session)
            #expect(styled(session) == "x <i:a>")
            work(session)
            return styled(session)
        }
        func backspace(_ session: EditingSession) {
            let scene = EditingScene("")
            session.perform(.deleteBackward) { scene.geometry }
        }
        #expect(undone { $0.undo() } == "x *a*")
        #expect(undone { backspace($0) } == "x *a*")
        // Once the caret has moved, or more was typed, Backspace deletes a character.
        #expect(
            undone {
                $0.select(Selection(caret: 1))
                $0.select(Selection(caret: 3))
                backspace($0)
            } == "x ")
        #expect(
            undone {
                type("b", in: $0)
                backspace($0)
            } == "x <i:a>")
    }

    /// Returns the paragraphs, each after its blocks: `>` for a quotation, `-` and `1` for lists.
    private func blocks(_ session: EditingSession) -> [String] {
        let text = session.store.styledText
        return (0..<text.rope.paragraphCount).map { index in
            let range = text.rope.utf16Range(of: ParagraphIndex(index))
            let content = text.rope.string(in: text.rope.utf16ContentRange(of: ParagraphIndex(index)))
            guard !range.isEmpty else { return content }
            let attributes = text.attributes(at: range.lowerBound)
            let kinds = attributes[PresentationIntentAttribute.self]?.components.map(\.kind) ?? []
            let quotations = String(repeating: ">", count: kinds.count { $0 == .blockQuote })
            let heading = kinds.contains { if case .header = $0 { true } else { false } } ? "#" : ""
            let item = attributes[ListAttribute.self]
            let outside = quotations.prefix(item?.enclosingQuotations ?? 0)
            let list = item.map { item in
                let mark = item.list?.isNumbered == true ? "\(item.list?.startingNumber ?? 0)" : "-"
                return String(repeating: mark, count: item.level) + (item.hasMarker ? "" : "…")
            }
            return outside + (list ?? "") + quotations.dropFirst(outside.count) + heading + content
        }
    }

    @Test func aListTypedInAQuotationIsInIt() {
        let session = session()
        type("> quote\n- item\nsecond\n", in: session)
        #expect(blocks(session) == [">quote", ">-item", ">-second", ">-", ""])
        type("\n", in: session)
        #expect(blocks(session) == [">quote", ">-item", ">-second", ">", ""])
        type("still\n\n", in: session)
        #expect(blocks(session) == [">quote", ">-item", ">-second", ">still", "", ""])
        // A quotation in an item stays in it.
        let nested = self.session()
        type("- a\n", in: nested)
        nested.dispatch(nested.state.togglingQuotation())
        type("b\n\n", in: nested)
        #expect(blocks(nested) == ["-a", "->b", "-", ""])
    }

    @Test func aTypedNumberThatIsNotTheNextBeginsAList() {
        let session = session()
        type("1. a\nb\n\n5. c", in: session)
        #expect(blocks(session) == ["1a", "1b", "5c", ""])
        for number in ["3", "1"] {
            let other = self.session()
            type("1. a\nb\n\n\(number). c", in: other)
            #expect(blocks(other) == ["1a", "1b", "1c", ""])
        }
    }

    @Test func aCheckboxTakesTheHeadingFromALine() {
        let session = session()
        type("# T", in: session)
        session.dispatch(session.state.togglingList(.checkbox))
        #expect(blocks(session).first == "-T")
        let typed = self.session()
        type("# T", in: typed)
        typed.select(Selection(caret: 0))
        type("[ ] ", in: typed)
        #expect(blocks(typed).first == "-T")
        let bullet = self.session()
        type("# T", in: bullet)
        bullet.dispatch(bullet.state.togglingList(.disc))
        #expect(blocks(bullet).first == "-#T")
    }

    /// The search for the opening mark may begin within a surrogate pair.
    @Test func marksAfterManyCharactersOutsideTheBasicPlaneBecomeStyles() {
        for prefix in [String(repeating: "😀", count: 1500), "a" + String(repeating: "😀", count: 1500)] {
            let session = session(prefix)
            type(" *word*", in: session)
            #expect(styled(session).hasSuffix("😀 <i:word>"), "\(styled(session).suffix(12))")
        }
    }

    @Test func addressesAfterManyCharactersOutsideTheBasicPlaneBecomeLinks() {
        for prefix in [String(repeating: "😀", count: 1500), "a" + String(repeating: "😀", count: 1500)] {
            let session = session(prefix)
            session.options.makesLinks = true
            type(" https://a.example ", in: session)
            let text = session.store.styledText
            let links = text.attributes(in: text.rope.utf16Range).filter { $0.attributes[LinkAttribute.self] != nil }
            #expect(links.map { text.rope.string(in: $0.range) } == ["https://a.example"])
        }
    }
}
