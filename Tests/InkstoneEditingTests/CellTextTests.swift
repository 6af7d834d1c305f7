import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneText
import Testing

/// Line ends and tabs in texts that are inserted into the rows of tables by other ways than pastes.
extension TableEditingTests {
    @Test(arguments: [
        (":a¦b¦c/:4¦5|¦6/x", "x\ny", "!a¦b¦c/:4¦5x⏎y|¦6/x"),
        (":a¦b¦c/:4¦5|¦6/x", "x\r\ny\rz", "!a¦b¦c/:4¦5x⏎y⏎z|¦6/x"),
        (":a¦b¦c/:4¦5|¦6/x", "\t", "!a¦b¦c/:4¦5 |¦6/x"),
        (":a¦b|/x", "\n", "!a¦b⏎|/x"),
        (":a¦b/:|1¦2/x", "p\n", "!a¦b/:p⏎|1¦2/x"),
        (":a¦b/:[1¦2|]/x", "p\tq\nr", "!a¦b/:p q⏎r|¦/x"),
        (":a¦b/:1[2¦3/:4¦5|]6/x", "p\n", "!a¦b/:1p⏎|¦/:¦6/x"),
        ("p|/:a¦b/x", "q\tr\ns", "pq¦r/s|/!a¦b/x"),
        (":a¦b/:1¦2/|", "q\tr\ns", "!a¦b/:1¦2/q¦r/s|"),
        ("p[q/:a|]¦b/x", "r\ts", "pr¦s|/!¦b/x"),
    ])
    func committedTextStaysInItsCell(notation: String, text: String, result: String) {
        let typed = scene(notation)
        typed.make(typed.state.inserting(text, over: .composed))
        #expect(shown(typed) == result)
        let given = scene(notation)
        given.make(given.state.inserting(text, over: .range(given.state.primary.range)))
        #expect(shown(given) == result)
        let late = scene(notation)
        late.make(late.state.inserting(text, over: .beside(late.state.primary.range)))
        #expect(shown(late).replacing("|", with: "") == result.replacing("|", with: ""))
        let composed = scene(notation)
        composed.make(composed.state.beginningComposition())
        composed.make(composed.state.marking(InputText("m\nk\tl"), over: .selection, selected: .notFound))
        #expect(composed.store.text.paragraphCount >= result.count { $0 == "/" })
        composed.make(composed.state.marking(InputText("mk"), over: .composed, selected: .notFound))
        composed.make(composed.state.ending(.committing(text, over: composed.state.markedText?.range ?? 0..<0)))
        #expect(shown(composed) == result)
    }

    @Test func markedTextStaysInItsCell() {
        let scene = scene(":a¦b/:1|¦2/x")
        scene.make(scene.state.marking(InputText("m\r\nk\tl"), over: .selection, selected: UTF16Range(3..<4)))
        #expect(shown(scene) == "!a¦b/:1m⏎[k|] l¦2/x")
        scene.make(scene.state.ending(.keeping))
        #expect(shown(scene).replacing("|", with: "") == "!a¦b/:1m⏎k l¦2/x")
        scene.store.undo()
        #expect(shown(scene) == "!a¦b/:1|¦2/x")
    }

    @Test func eachCaretGetsTheTextInTheFormOfItsPlace() {
        let scene = scene("p|/:a¦b/:5|¦6/x")
        scene.make(scene.state.inserting("x\ny", over: .composed))
        #expect(shown(scene) == "px/y|/!a¦b/:5x⏎y|¦6/x")
    }

    /// Replacements of matches and results of writing tools, of which the ranges are selected here.
    @Test(arguments: [
        (":a¦b/:1[x|]¦2/:4¦5[x|]/e", "x\ny", "!a¦b/:1x⏎y¦2/:4¦5x⏎y/e"),
        (":a¦b/:1[x|]¦2/e", "x\ty", "!a¦b/:1x y¦2/e"),
        (":a¦b/:1[x¦|]2/e", "X", "!a¦b/:1X¦2/e"),
        (":a¦b[/:|]1¦2/e", "C", "!a¦bC/:1¦2/e"),
        (":a¦b[/:|]1¦2[/|]e", "", "!a¦b/:1¦2/e"),
        (":a¦b/:[1¦2|]/e", "9", "!a¦b/:9¦/e"),
        ("p[/:|]a[¦|]b[/:|]1[¦|]2[/|]e[/|]f", " ", "p /!a ¦b /:1 ¦2 /e f"),
        ("p[q|]/:a¦b", "x\n\ty", "px/¦y/!a¦b"),
        ("[p/:a¦b/:1¦2/e|]", "new", "new"),
    ])
    func replacedPartsKeepTheBordersOfCells(notation: String, text: String, result: String) {
        let scene = scene(notation)
        var builder = TextChangeSet.Builder(over: scene.store.text)
        for range in scene.state.selection?.ranges ?? [] { builder.replace(range.range, with: text) }
        let changes = scene.state.keepingCells(builder.finish())
        scene.make(Transaction(on: scene.store, changes, origin: .paste, undo: .step))
        let shown = shown(scene).filter { !"[]|".contains($0) }
        #expect(shown == result)
        scene.store.undo()
        #expect(self.shown(scene).filter { !"[]|!:".contains($0) } == notation.filter { !"[]|:".contains($0) })
    }
}
