import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

/// Edits by the user beside a rule: a paragraph that is a thematic break and has one character.
@Suite(.timeLimit(.minutes(5))) struct RuleEditingTests {
    /// Creates a text from a notation: paragraphs that begin with `=` are rules.
    private func scene(_ notation: String) -> EditingScene {
        let paragraphs = notation.split(separator: "/", omittingEmptySubsequences: false)
        let scene = EditingScene(paragraphs.map { $0.replacing("=", with: "\u{2e3b}") }.joined(separator: "\n"))
        scene.options.acceptsStyles = true
        scene.store.restyle {
            for (index, paragraph) in paragraphs.enumerated() where paragraph.contains("=") {
                $0.set(
                    PresentationIntent(.thematicBreak, identity: index + 1), of: PresentationIntentAttribute.self,
                    in: scene.store.text.utf16Range(of: ParagraphIndex(index)))
            }
        }
        return scene
    }

    /// Returns the text in the same notation. A paragraph that is a rule but has other text is marked by `!`, and the
    /// character of a rule in another paragraph by `?`.
    private func shown(_ scene: EditingScene) -> String {
        scene.notation.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, paragraph in
            let range = scene.store.text.utf16Range(of: ParagraphIndex(index))
            let intent =
                range.isEmpty
                ? nil : scene.store.styledText.attributes(at: range.lowerBound)[PresentationIntentAttribute.self]
            let isBreak = intent?.components.first?.kind == .thematicBreak
            let isRule = paragraph.filter { !"|[]".contains($0) } == "\u{2e3b}"
            if isBreak == isRule { return paragraph.replacing("\u{2e3b}", with: "=") }
            return (isBreak ? "!" : "?") + paragraph
        }.joined(separator: "/")
    }

    struct RuleCase: Sendable {
        var before: String
        var after: String
        init(_ before: String, _ after: String) { (self.before, self.after) = (before, after) }
    }

    @Test(
        "Backspace behind a rule removes the rule",
        arguments: [
            RuleCase("a/=/|b/", "a/|b/"), RuleCase("a/=|/b/", "a/|b/"), RuleCase("a/=/|/b", "a/|/b"),
            RuleCase("=/|b", "|b"), RuleCase("a/=/=/|b", "a/=/|b"), RuleCase("a/=|", "a|"),
            RuleCase("a/[=/|]b", "a/|b"),
            RuleCase("a/[=|]/b", "a/|b"), RuleCase("a[x/|]=/b/", "a|/b/"), RuleCase("[a/|]=/b", "|=/b"),
            RuleCase("=/[b|]", "=/|"), RuleCase("a[b/=/c|]d/", "a|d/"), RuleCase("a/=[/b|]c/", "a/|c/"),
            RuleCase("a/=/b|/", "a/=/|/"), RuleCase("a/|=/b", "a|/b"), RuleCase("[=/a/=|]/b/", "|/b/"),
        ])
    func backspace(_ example: RuleCase) {
        let scene = scene(example.before)
        scene.perform(.deleteBackward)
        #expect(shown(scene) == example.after)
        scene.store.undo(in: scene.state.view)
        #expect(!shown(scene).contains { "!?".contains($0) })
    }

    @Test(
        "Delete before a rule removes the rule",
        arguments: [
            RuleCase("a|/=/b/", "a|/b/"), RuleCase("a/|=/b/", "a/|b/"), RuleCase("a/|=", "a|"),
            RuleCase("a/|/=/b", "a/|=/b"), RuleCase("a/=|/b/", "a/|b/"), RuleCase("a|/=", "a|"),
        ])
    func delete(_ example: RuleCase) {
        let scene = scene(example.before)
        scene.perform(.deleteForward)
        #expect(shown(scene) == example.after)
    }

    @Test(
        "Typed text beside a rule is a paragraph of its own",
        arguments: [
            RuleCase("a/|=/b/", "a/x|/=/b/"), RuleCase("a/=|/b/", "a/=/x|/b/"), RuleCase("a/=|", "a/=/x|"),
            RuleCase("|=", "x|/="), RuleCase("a/[=|]/b/", "a/x|/b/"), RuleCase("a/=[/b|]c/", "a/=/x|c/"),
            RuleCase("a[b/|]=/c/", "ax|/=/c/"), RuleCase("=[/|]=/c", "=/x|/=/c"), RuleCase("a|/=|/=|", "ax|/=/x|/=/x|"),
        ])
    func typing(_ example: RuleCase) {
        for isPasted in [false, true] {
            let scene = scene(example.before)
            scene.make(isPasted ? scene.state.pasting("x") : scene.state.inserting("x"))
            #expect(shown(scene) == example.after)
            if isPasted { continue }
            scene.make(scene.state.inserting("y"))
            #expect(shown(scene) == example.after.replacing("x", with: "xy"))
        }
    }

    @Test(
        "Pasted lines beside a rule are paragraphs of their own",
        arguments: [
            RuleCase("a/|=/b/", "a/x/y|/=/b/"), RuleCase("a/=|/b/", "a/=/x/y|/b/"), RuleCase("a/[=|]/b/", "a/x/y|/b/"),
        ])
    func pastingLines(_ example: RuleCase) {
        let scene = scene(example.before)
        scene.make(scene.state.pasting("x\ny"))
        #expect(shown(scene) == example.after)
    }

    @Test(
        "Composed text beside a rule is a paragraph of its own",
        arguments: [
            RuleCase("a/|=/b/", "a/かな|/=/b/"), RuleCase("a/=|/b/", "a/=/かな|/b/"), RuleCase("=|", "=/かな|"),
        ])
    func composing(_ example: RuleCase) {
        let scene = scene(example.before)
        for text in ["k", "か", "かn", "かな"] {
            scene.make(scene.state.marking(InputText(text), over: .composed, selected: .notFound))
        }
        #expect(shown(scene) == example.after)
        #expect(scene.state.markedText.map { scene.state.string(in: $0.range) } == "かな")
        scene.make(scene.state.ending(.keeping))
        #expect(shown(scene) == example.after)
    }

    @Test("A line end at a rule makes body text")
    func newline() {
        for (before, after) in [("a/=|/b", "a/=/|/b"), ("a/|=/b", "a//|=/b")] {
            let scene = scene(before)
            scene.make(scene.state.inserting("\n", origin: .newline))
            #expect(shown(scene) == after)
        }
    }

    @Test func linesAreNotJoinedWithRules() {
        for (before, after) in [("a|/=/b", "a|/=/b"), ("=|/b", "=|/b"), ("[a/b/=/c/d|]", "[a b/=/c d|]")] {
            let scene = scene(before)
            scene.perform(.joinLines)
            #expect(shown(scene) == after)
        }
    }

    @Test func aRuleBecomesNeitherHeadingNorCode() {
        for change in [{ $0.settingHeading(2) }, { $0.togglingCodeBlock() }] as [(EditorState) -> Transaction?] {
            let scene = scene("a/=|/b")
            if let transaction = change(scene.state) { scene.make(transaction) }
            #expect(shown(scene) == "a/=|/b")
        }
    }

    @Test func textAtVeryManyRulesIsKeptApart() {
        let scene = scene(String(repeating: "a/=/", count: 1200))
        var builder = TextChangeSet.Builder(over: scene.store.text)
        for index in 0..<1200 {
            let end = UTF16Offset(index * 4 + 3)
            builder.replace(end..<end, with: Rope(index % 2 == 0 ? "x" : "x\ny"))
        }
        scene.make(Transaction(on: scene.store, builder.finish(), origin: .typing, selection: .mapped))
        #expect(shown(scene) == String(repeating: "a/=/x/a/=/x/y/", count: 600))
    }

    /// Drops, and text from keyboards in other processes, are made whole or not at all.
    @Test func anEditMadeAsAWholeIsKeptApartToo() {
        let scene = scene("a/=|/b")
        let end = scene.store.text.utf16ContentRange(of: ParagraphIndex(1)).upperBound
        var transaction = Transaction(
            on: scene.store, TextChangeSet(replacing: end..<end, with: Rope("x"), in: scene.store.text),
            origin: .typing, selection: .afterInserted)
        guard case .accept = scene.state.prepare(&transaction, isWhole: true) else {
            Issue.record("refused")
            return
        }
        scene.store.make(transaction) { scene.state.adopt($0) }
        #expect(shown(scene) == "a/=/x|/b")
    }
}
