import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

/// The attributes of text typed next, and the user's choices of them.
@Suite(.timeLimit(.minutes(5))) struct TypingAttributesTests {
    private enum Weight: AttributeKey {
        typealias Value = Int
        static let name = "test.typing.weight"
    }

    private enum Link: AttributeKey {
        typealias Value = String
        static let name = "test.typing.link"
        static let inheritedByAddedText = false
    }

    private enum Marker: AttributeKey {
        typealias Value = Bool
        static let name = "test.typing.marker"
        static let invalidationConditions: Set<AttributeInvalidationCondition> = [.attributeChanged(Weight.self)]
    }

    /// The weights of all units, a digit each; `.` for none.
    private func weights(_ scene: EditingScene) -> String {
        let text = scene.store.styledText
        return (0..<text.rope.metrics.utf16).map { text.attributes(at: UTF16Offset($0))[Weight.self] }
            .map { $0.map(String.init) ?? "." }.joined()
    }

    private func type(_ text: String, in scene: EditingScene) {
        for letter in text { scene.make(scene.state.inserting(String(letter))) }
    }

    @Test func aCaretTakesAfterTheTextBeforeItButNotWhatIsNotInherited() {
        let scene = EditingScene("ab|cd")
        scene.store.restyle {
            $0.set(7, of: Weight.self, in: 0..<2)
            $0.set("there", of: Link.self, in: 0..<2)
        }
        #expect(scene.state.typingAttributes[Weight.self] == 7)
        #expect(scene.state.typingAttributes[Link.self] == nil)
        scene.make(scene.state.selecting(Selection(caret: 3)))
        #expect(scene.state.typingAttributes.isEmpty)
        // Over a selection, after what is replaced first.
        scene.make(scene.state.selecting(Selection(anchor: 4, head: 1)))
        #expect(scene.state.typingAttributes[Weight.self] == 7)
    }

    @Test func aStyleToggledAtACaretIsTypedUntilTheCaretMoves() {
        let scene = EditingScene("ab|cd")
        scene.make(scene.state.togglingStyle(3, of: Weight.self))
        #expect(scene.state.typingAttributes[Weight.self] == 3 && weights(scene) == "....")
        type("xy", in: scene)
        #expect(scene.notation == "abxy|cd" && weights(scene) == "..33..")
        scene.make(scene.state.togglingStyle(3, of: Weight.self))
        #expect(scene.state.typingAttributes[Weight.self] == nil)
        type("z", in: scene)
        #expect(weights(scene) == "..33...")
        scene.make(scene.state.togglingStyle(3, of: Weight.self))
        scene.perform(.moveLeft, .moveRight)
        #expect(scene.state.typingAttributes[Weight.self] == nil)
        type("z", in: scene)
        #expect(weights(scene) == "..33....")
    }

    @Test func aKeyThatIsNotInheritedGoesOnWhileItIsTyped() {
        let scene = EditingScene("|")
        scene.make(scene.state.styling("there", of: Link.self))
        type("ab", in: scene)
        let links = scene.store.styledText.attributes(in: 0..<2).map { $0.attributes[Link.self] }
        #expect(links == ["there"])
        scene.perform(.deleteBackward)
        #expect(scene.state.typingAttributes[Link.self] == nil, "deleting ends it")
    }

    @Test func aChoiceAtSeveralRangesIsEachRangesOwn() {
        let scene = EditingScene("ab| cd| [ef|]")
        scene.store.restyle { $0.set(1, of: Weight.self, in: 0..<2) }
        scene.make(scene.state.togglingStyle(true, of: Marker.self))
        type("x", in: scene)
        #expect(scene.notation == "abx| cdx| x|")
        #expect(weights(scene) == "111......", "what is not chosen is each caret's own")
        let marked = (0..<9).filter {
            scene.store.styledText.attributes(at: UTF16Offset($0))[Marker.self] == true
        }
        #expect(marked == [2, 6, 8])
    }

    @Test func aSelectionIsRestyledAsOneStepAndToggledBack() {
        let scene = EditingScene("[ab|] c[d|]")
        scene.store.restyle { $0.set(5, of: Weight.self, in: 0..<1) }
        scene.make(scene.state.togglingStyle(5, of: Weight.self))
        #expect(weights(scene) == "55..5", "given to all while one lacks it")
        #expect(scene.notation == "[ab|] c[d|]")
        scene.make(scene.state.togglingStyle(5, of: Weight.self))
        #expect(weights(scene) == ".....")
        scene.perform(.undo, .undo)
        #expect(weights(scene) == "5....")
    }

    @Test func aCompositionIsMarkedWithWhatWasChosen() {
        let scene = EditingScene("ab|")
        scene.make(scene.state.styling(4, of: Weight.self))
        for text in ["k", "か", "漢字"] {
            let marked = scene.state.markedText?.range ?? scene.state.primary.range
            scene.make(scene.state.marking(InputText(text), replacing: marked, selected: .notFound))
        }
        #expect(weights(scene) == "..44")
        if let marked = scene.state.markedText?.range {
            scene.make(scene.state.ending(.committing("漢字", over: marked)))
        }
        type("x", in: scene)
        #expect(scene.notation == "ab漢字x|" && weights(scene) == "..444")
    }

    @Test func editsByOthersKeepTheChosenStyleAndAReadOnlyStateHasNone() {
        let scene = EditingScene("ab|")
        scene.make(scene.state.styling(4, of: Weight.self))
        scene.store.replace(UTF16Offset(0)..<0, with: "zz")
        type("x", in: scene)
        #expect(scene.notation == "zzabx|" && weights(scene) == "....4")
        scene.options.isEditable = false
        #expect(scene.state.styling(4, of: Weight.self) == nil)
    }

    @Test func aStateOfNoStoreKeepsAttributesToo() {
        var state = EditorState("ab", selection: Selection(caret: 2))
        if let transaction = state.styling(2, of: Weight.self) { state.perform(transaction) }
        if let transaction = state.inserting("c") { state.perform(transaction) }
        #expect(state.styledText.attributes(at: 2)[Weight.self] == 2 && state.text == "abc")
        #expect(state.styledText.attributes(at: 1).isEmpty)
    }
}
