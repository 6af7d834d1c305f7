import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

/// A paste whose text comes late: what was typed since stays, behind it.
@Suite(.timeLimit(.minutes(5))) struct PasteTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var before: String
        var meanwhile: @Sendable (EditingScene) -> Void
        var after: String
        init(_ before: String, to after: String, _ meanwhile: @escaping @Sendable (EditingScene) -> Void) {
            (self.before, self.after, self.meanwhile) = (before, after, meanwhile)
        }
        var testDescription: String { "\(before) → \(after)" }
    }

    private static func type(_ text: String) -> @Sendable (EditingScene) -> Void {
        { scene in for letter in text { scene.make(scene.state.inserting(String(letter))) } }
    }

    @Test(arguments: [
        Case("a[bc|]d", to: "aP|d") { _ in },
        Case("a|d", to: "aP|d") { _ in },
        Case("a[|bc]d", to: "aPxy|d", type("xy")),
        Case("a|d", to: "aPxy|d", type("xy")),
        // The caret was moved before anything was typed: the paste replaces what it was to replace.
        Case("a[bc|]d", to: "xaPd|") { scene in
            scene.perform(.moveToBeginningOfDocument)
            type("x")(scene)
            scene.perform(.moveToEndOfDocument)
        },
        // Typed within what the paste is to replace: that stays.
        Case("a[bcde|]f", to: "aPx|f") { scene in
            scene.select(Selection(caret: 3))
            type("x")(scene)
        },
        Case("[a|] b [c|]", to: "P| b P|") { _ in },
        Case("[a|] b [c|]", to: "Px| b Px|", type("x")),
        // What of the range was deleted meanwhile is gone all the same.
        Case("a[bc|]d", to: "aP|d") { scene in scene.perform(.deleteBackward) },
    ])
    func whatIsTypedMeanwhileIsKept(_ test: Case) throws {
        let scene = EditingScene(test.before)
        let edit = scene.state.pasteToCome()
        scene.state.defer(edit)
        test.meanwhile(scene)
        let taken = scene.state.takeDeferred(edit.id)
        var answered = try #require(taken)
        answered.content = CopiedText("P")
        scene.make(scene.state.paste(answered))
        #expect(scene.notation == test.after)
    }
}
