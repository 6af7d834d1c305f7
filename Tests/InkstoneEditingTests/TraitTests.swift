import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Synchronization
import Testing

/// Font traits: a command changes its own trait, and each run keeps the others.
@Suite(.timeLimit(.minutes(5))) struct TraitTests {
    /// Shows the value of a key for each unit, `.` for none.
    private func values<Key: AttributeKey>(
        _ key: Key.Type, _ scene: EditingScene, _ name: (Key.Value) -> String
    ) -> String {
        let text = scene.store.styledText
        return (0..<text.rope.metrics.utf16).map { text.attributes(at: UTF16Offset($0))[key].map(name) ?? "." }.joined()
    }

    private func bold(_ scene: EditingScene) -> String {
        values(FontWeightAttribute.self, scene) { $0 >= 180 ? "b" : "r" }
    }
    private func italic(_ scene: EditingScene) -> String { values(FontSlantAttribute.self, scene) { _ in "i" } }
    private func sizes(_ scene: EditingScene) -> [Double?] {
        scene.store.styledText.attributes(in: scene.store.text.utf16Range).map { $0.attributes[FontSizeAttribute.self] }
    }

    private func type(_ text: String, in scene: EditingScene) {
        for letter in text { scene.make(scene.state.inserting(String(letter))) }
    }

    /// Covers RT 13, RT 14 of the checklist for rich text.
    @Test func boldOverMixedSizesKeepsThemAndGoesOnBeforeItGoesOff() {
        let scene = EditingScene("[small LARGE|]")
        scene.store.restyle {
            $0.setFont(FontDescriptor(family: "Serif", size: 12), in: 0..<6)
            $0.setFont(FontDescriptor(family: "Sans", size: 24, weight: 200), in: 6..<11)
        }
        let before = scene.store.styledText
        scene.make(scene.state.togglingBold())
        #expect(bold(scene) == "bbbbbbbbbbb" && sizes(scene) == [12, 24])
        scene.make(scene.state.togglingBold())
        #expect(bold(scene) == "..........." && sizes(scene) == [12, 24])
        #expect(scene.store.styledText.attributes(at: 8)[FontFamilyAttribute.self] == "Sans")
        scene.perform(.undo, .undo)
        #expect(scene.store.styledText == before)
    }

    /// Covers RT 16 of the checklist for rich text.
    @Test func sizesThatDifferKeepTheirDifference() {
        let scene = EditingScene("[abcdef|]")
        scene.store.restyle {
            $0.set(12, of: FontSizeAttribute.self, in: 0..<2)
            $0.set(24, of: FontSizeAttribute.self, in: 2..<4)
        }
        scene.make(scene.state.changingFontSize(by: 2, base: 16))
        #expect(sizes(scene) == [14, 26, 18])
        scene.make(scene.state.changingFontSize(by: -20, base: 16))
        #expect(sizes(scene) == [1, 6, 1], "no size is below a pixel")
        scene.perform(.undo, .undo)
        #expect(sizes(scene) == [12, 24, nil])
    }

    struct Toggle: Sendable {
        var notation: String
        /// The ranges that are bold before the command.
        var isBold: [Range<UTF16Offset>]
        var after: String
    }

    @Test(arguments: [
        Toggle(notation: "[ab|]", isBold: [], after: "bb"),
        Toggle(notation: "[ab|]", isBold: [0..<1], after: "bb"),
        Toggle(notation: "[ab|]", isBold: [0..<2], after: ".."),
        // Spaces and line ends beside bold words are ignored.
        Toggle(notation: "[ab \n|]", isBold: [0..<2], after: "...."),
        Toggle(notation: "[ a b |]", isBold: [1..<2, 3..<4], after: "....."),
        Toggle(notation: "[ \n|]", isBold: [], after: "bb"),
        Toggle(notation: "[ \n|]", isBold: [0..<1], after: "bb"),
        Toggle(notation: "[ \n|]", isBold: [0..<2], after: ".."),
        // All selected ranges are treated as one.
        Toggle(notation: "[a|]b[c|]", isBold: [0..<1], after: "b.b"),
        Toggle(notation: "[a|]b[c|]", isBold: [0..<3], after: ".b."),
    ])
    func boldGoesOffWhereAllIsBold(_ test: Toggle) {
        let scene = EditingScene(test.notation)
        scene.store.restyle { for range in test.isBold { $0.set(200, of: FontWeightAttribute.self, in: range) } }
        scene.make(scene.state.togglingBold())
        #expect(bold(scene) == test.after)
    }

    @Test func anyBoldOrSlantedStyleCountsAsOn() {
        let scene = EditingScene("[ab|]")
        scene.store.restyle {
            $0.set(180, of: FontWeightAttribute.self, in: 0..<1)
            $0.set(210, of: FontWeightAttribute.self, in: 1..<2)
            $0.set(.oblique, of: FontSlantAttribute.self, in: 0..<1)
            $0.set(.wavy, of: UnderlineAttribute.self, in: 0..<1)
        }
        scene.make(scene.state.togglingItalic())
        #expect(scene.store.styledText.attributes(at: 0)[FontSlantAttribute.self] == .oblique, "on as it is")
        #expect(italic(scene) == "ii")
        scene.make(scene.state.togglingUnderline())
        #expect(values(UnderlineAttribute.self, scene, \.rawValue) == "wavysingle")
        scene.make(scene.state.togglingUnderline())
        scene.make(scene.state.togglingItalic())
        scene.make(scene.state.togglingBold())
        #expect(scene.store.styledText.runs == nil)
    }

    /// Covers RT 01, RT 02, RT 05 of the checklist for rich text.
    @Test func togglesAtACaretAreTypedAndKeepEachOther() {
        let scene = EditingScene("ab|")
        scene.make(scene.state.togglingBold())
        scene.make(scene.state.togglingItalic())
        type("cd", in: scene)
        scene.make(scene.state.togglingBold())
        type("ef", in: scene)
        #expect(bold(scene) == "..bb.." && italic(scene) == "..iiii")
        scene.make(scene.state.changingFontSize(by: 4, base: 16))
        type("g", in: scene)
        #expect(sizes(scene).last == 20)
        // At the end of a run, text inherits the style before it; at the start of a paragraph, the style after it.
        scene.make(scene.state.selecting(Selection(caret: 4)))
        type("x", in: scene)
        #expect(bold(scene) == "..bbb...")
        scene.make(scene.state.selecting(Selection(caret: 2)))
        type("\n", in: scene)
        type("y", in: scene)
        #expect(bold(scene) == "...bbbb...")
    }

    /// Among thousands of runs, each different set of attributes is mapped once.
    @Test func aMapIsAskedOnceForEachSet() {
        let store = TextStore(Rope(String(repeating: "ab", count: 500)))
        store.restyle {
            for i in 0..<500 {
                $0.set(12, of: FontSizeAttribute.self, in: UTF16Offset(2 * i)..<UTF16Offset(2 * i + 1))
            }
        }
        let asked = Mutex(0)
        store.restyle {
            $0.map(FontSizeAttribute.self, in: 0..<1_000) { size in
                asked.withLock { $0 += 1 }
                return (size ?? 10) * 2
            }
        }
        #expect(asked.withLock { $0 } == 2)
        #expect(store.styledText.attributes(at: 998)[FontSizeAttribute.self] == 24)
        #expect(store.styledText.attributes(at: 999)[FontSizeAttribute.self] == 20)
        store.undo()
        #expect(store.styledText.attributes(at: 999).isEmpty)
    }

    /// A program without a view has sessions alone.
    @Test func aProcessWithASessionReadsStylesThatAnotherWrote() async {
        let bytes = StyledFragment(StyledText("red", TextAttributes(UnderlineAttribute.self, .wavy))).bytes
        await #expect(processExitsWith: .success) { [bytes = bytes as [UInt8]] in
            let session = EditingSession(TextStore())
            let piece = StyledFragment(bytes: bytes)
            precondition(piece?.text.attributes(at: 0).names == ["inkstone.underline"])
            withExtendedLifetime(session) {}
        }
    }

    /// Paragraphs that follow each other are one piece: filters and delegate are asked once.
    @Test func aligningManyParagraphsIsOneChange() throws {
        let scene = EditingScene("[a\nb\n|]c\n|d\ne\nf|")
        var asked: [Range<UTF16Offset>] = []
        var transaction = try #require(scene.state.aligning(.center))
        _ = scene.state.prepare(&transaction) { range, _ in
            asked.append(range)
            return true
        }
        #expect(asked == [0..<4, 6..<8, 10..<11])
    }

    /// A paragraph key that is mapped in a part of a paragraph changes in all of it.
    @Test func aMappedParagraphKeyStaysOneValueAParagraph() {
        let scene = EditingScene("[a|]b[c|]d\nef")
        scene.make(
            scene.state.styling(ParagraphStyleAttribute.self) { style in
                var style = style ?? ParagraphStyle()
                style.indent += 10
                return style
            })
        #expect(values(ParagraphStyleAttribute.self, scene) { "\(Int($0.indent)) " } == "10 10 10 10 10 ..")
    }
}
