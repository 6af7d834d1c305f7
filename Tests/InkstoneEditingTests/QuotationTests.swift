import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

/// Quotations of lists and tables, and body text and code that are made of styled paragraphs.
@Suite(.timeLimit(.minutes(5))) struct QuotationTests {
    /// Returns the paragraphs with signs in front: `>` for each quotation around an item's list or around another
    /// paragraph, `-` for an item, `>` for each quotation within the item, `:` for a row of a table, `#` for a heading
    /// and `~` for a line of code.
    private func shown(_ scene: EditingScene) -> String {
        let text = scene.store.styledText
        return scene.notation.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, line in
            let range = text.rope.utf16Range(of: ParagraphIndex(index))
            guard !range.isEmpty else { return String(line) }
            let attributes = text.attributes(at: range.lowerBound)
            let components = attributes[PresentationIntentAttribute.self]?.components ?? []
            let quotations = components.count { $0.kind == .blockQuote }
            var signs = String(repeating: ">", count: quotations)
            if let item = attributes[ListAttribute.self] {
                let outer = String(repeating: ">", count: item.enclosingQuotations)
                signs = outer + "-" + String(repeating: ">", count: quotations - item.enclosingQuotations)
            }
            switch components.first?.kind {
            case .tableRow, .tableHeaderRow: signs += ":"
            case .header: signs += "#"
            case .codeBlock: signs += "~"
            default: break
            }
            return signs + line.replacing("\t", with: "¦")
        }.joined(separator: "/")
    }

    private func quoting(_ notation: String, times: Int = 1) -> String {
        let scene = EditingScene(tables: notation)
        for _ in 0..<times { scene.make(scene.state.togglingQuotation()) }
        return shown(scene)
    }

    @Test func quotationsAreMadeOfWholeLists() {
        #expect(quoting("-a[1/-b/c|]2/d") == ">-a[1/>-b/>c|]2/d")
        #expect(quoting("a/-b[1/-b|]2/-c/d") == "a/>-b[1/>-b|]2/>-c/d")
        #expect(quoting("#h[1/-a/:k¦v/:1¦2/e|]nd/x") == ">#h[1/>-a/>:k¦v/>:1¦2/>e|]nd/x")
        #expect(quoting("a/-b[1/-b|]2/-c/d", times: 2) == "a/-b[1/-b|]2/-c/d")
        #expect(quoting("#h[1/-a/:k¦v/:1¦2/e|]nd/x", times: 2) == "#h[1/-a/:k¦v/:1¦2/e|]nd/x")
    }

    /// With the caret in one item, its text is quoted, and not the list.
    @Test func aSingleItemHasItsOwnQuotation() {
        #expect(quoting("-a/-b|c/-d") == "-a/->b|c/-d")
        #expect(quoting("-a/-b|c/-d", times: 2) == "-a/-b|c/-d")
        // A list that is quoted already is taken out as a whole.
        let scene = EditingScene(tables: "-a[1/-b|]2/-c/d")
        scene.make(scene.state.togglingQuotation())
        scene.select(Selection(caret: 4))
        scene.make(scene.state.togglingQuotation())
        #expect(shown(scene) == "-a1/-b|2/-c/d")
    }

    /// An item with a quotation of its own is quoted together with the others.
    @Test func quotationsWithinItemsStay() {
        let scene = EditingScene(tables: "-a|1/-b2/c")
        scene.make(scene.state.togglingQuotation())
        scene.select(Selection(anchor: 0, head: scene.store.text.utf16Range.upperBound))
        scene.make(scene.state.togglingQuotation())
        #expect(shown(scene).replacing("[", with: "").replacing("|]", with: "") == ">->a1/>-b2/>c")
        scene.make(scene.state.togglingQuotation())
        #expect(shown(scene).replacing("[", with: "").replacing("|]", with: "") == "->a1/-b2/c")
    }

    @Test func aTableIsQuotedAsAWhole() {
        #expect(quoting("x/:k¦v/:b|b¦2/:a¦1/y") == "x/>:k¦v/>:b|b¦2/>:a¦1/y")
        #expect(quoting("x/:k¦v/:b|b¦2/:a¦1/y", times: 2) == "x/:k¦v/:b|b¦2/:a¦1/y")
        let scene = EditingScene(tables: "x/:k¦v/:b|b¦2/y")
        scene.make(scene.state.togglingQuotation())
        let quotations = Set(
            (1...2).compactMap { index in
                let start = scene.store.text.utf16Range(of: ParagraphIndex(index)).lowerBound
                return scene.store.styledText.attributes(at: start)[PresentationIntentAttribute.self]?.components.last
            })
        #expect(quotations.count == 1)
    }

    /// Body takes plain paragraphs out of their quotation; a heading or code in a quotation becomes a quoted paragraph.
    @Test func bodyLeavesAQuotation() {
        for (notation, once, twice) in [
            ("a|b/c", "a|b/c", "a|b/c"), ("#a|b/c", ">a|b/c", "a|b/c"), ("~a|b/c", ">a|b/c", "a|b/c"),
        ] {
            let scene = EditingScene(tables: notation)
            scene.make(scene.state.togglingQuotation())
            scene.make(scene.state.settingBody())
            #expect(shown(scene) == once)
            scene.make(scene.state.settingBody())
            #expect(shown(scene) == twice)
        }
    }

    /// Code has no styles within its lines, so making code of styled text removes them.
    @Test func codeHasNoStylesOrLinks() {
        let scene = EditingScene("Some bold and a li[nk\nplain\nrest|] of it\nbold")
        scene.options.acceptsStyles = true
        scene.store.restyle {
            $0.set(.stronglyEmphasized, of: InlinePresentationIntentAttribute.self, in: 5..<9)
            $0.set(200, of: FontWeightAttribute.self, in: 10..<13)
            $0.set("http://x.y", of: LinkAttribute.self, in: 16..<20)
            $0.set(.single, of: UnderlineAttribute.self, in: 16..<20)
            $0.set(200, of: FontWeightAttribute.self, in: 38..<42)
        }
        scene.make(scene.state.togglingCodeBlock())
        let text = scene.store.styledText
        let runs = text.attributes(in: 0..<37)
        #expect(runs.allSatisfy { $0.attributes.names == [PresentationIntentAttribute.name] }, "\(runs)")
        #expect(text.attributes(at: 39)[FontWeightAttribute.self] == 200)
        scene.perform(.undo)
        #expect(scene.store.styledText.attributes(at: 17)[LinkAttribute.self] == "http://x.y")
    }
}
