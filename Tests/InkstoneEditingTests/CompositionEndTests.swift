import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

/// The end of a composition at all ranges of the selection: texts, carets, undo.
@Suite(.timeLimit(.minutes(5))) struct CompositionEndTests {
    private func mark(_ scene: EditingScene, _ text: String) {
        scene.make(scene.state.marking(InputText(text), over: .composed, selected: .notFound))
    }

    private func commit(_ scene: EditingScene, _ text: String) {
        scene.make(scene.state.inserting(text, over: .composed))
    }

    /// A change rounds its range to whole scalars, and the marked range is that of the change.
    @Test func aCompositionWithinASurrogatePairBeginsBeforeThePair() {
        for target in [EditorState.InsertionTarget.composed, .range(2..<2)] {
            let scene = EditingScene("a😀bcdef")
            scene.select(Selection(caret: 2))
            #expect(scene.state.selection == Selection(caret: 1))
            scene.make(scene.state.marking(InputText("に"), over: target, selected: .notFound))
            #expect(scene.state.markedText?.range == 1..<2)
            mark(scene, "にほ")
            mark(scene, "に")
            commit(scene, "日本")
            #expect(scene.notation == "a日本|😀bcdef")
        }
    }

    /// A commit overwrites the same characters at each caret as a typed key, even if the overwritten ranges of
    /// adjacent carets overlap.
    @Test(arguments: [
        "|a|bcdef", "a|bc|def", "|abcdef|", "|a|b|c|d|e|f|", "ab|\n|cd", "[ab|]cd|ef", "|ab[cd|]ef", "|a👋🏽|é\ncd|",
    ])
    func overwritingIsTheSameByCommitAndByKey(_ notation: String) {
        for text in ["x", "日本", "", "a\nb", "👋🏽"] {
            for primary in 0..<(EditingScene.read(notation).selection?.count ?? 0) {
                func scene() -> EditingScene {
                    let scene = EditingScene(notation)
                    scene.select(scene.state.selection.flatMap { Selection($0.ranges, primary: primary) })
                    scene.change(.overwriting(true))
                    return scene
                }
                let (typed, composed) = (scene(), scene())
                typed.make(typed.state.inserting(text))
                for draw in ["n", "に", "にほ"] { mark(composed, draw) }
                commit(composed, text)
                if text.isEmpty { continue }
                #expect(composed.notation == typed.notation, "\(text) in \(notation), primary \(primary)")
                composed.store.undo(in: composed.state.view)
                #expect(composed.notation == notation, "undo of \(text) in \(notation), primary \(primary)")
            }
        }
    }

    /// Newlines in a commit are converted to the text's line ends, wherever it is inserted; a late commit's too.
    @Test(arguments: ["\r\n", "\r"]) func aCommitHasTheLineEndsOfTheText(_ newline: String) {
        let new = "x\ny\r\nz\r"
        let own = ["x", "y", "z", ""].joined(separator: newline)
        func scene(marks: Bool) -> EditingScene {
            let scene = EditingScene("a|b")
            scene.change(.newline(newline))
            if marks { mark(scene, "に") }
            return scene
        }
        for (target, marks) in [
            (EditorState.InsertionTarget.composed, true), (.composed, false), (.selection, false),
            (.range(1..<2), true),
            (.range(1..<1), false), (.beside(1..<1), false),
        ] {
            let scene = scene(marks: marks)
            scene.make(scene.state.inserting(new, over: target))
            #expect(scene.state.text.string(in: scene.state.text.byteRange) == "a\(own)b", "\(target)")
            #expect(scene.state.selection == Selection(caret: UTF16Offset(1 + own.utf16.count)), "\(target)")
        }
    }

    /// A line end inserted beside another kind of line end does not combine with it, whether by a commit, a paste,
    /// a drop or a key.
    @Test(arguments: [("\r", "a|\nb", "a\r\n\nb"), ("\n", "a\r|b", "a\r\r\nb")])
    func aLineEndBesideOneOfAnotherKindStaysOne(_ newline: String, _ before: String, _ after: String) {
        let edits: [(EditorState) -> Transaction?] = [
            { $0.inserting("\n", over: .composed) }, { $0.inserting("\n", over: .range($0.primary.range)) },
            { $0.marking("\n", over: .selection, selected: UTF16Range(location: 0, length: 0)) },
            { $0.pasting(CopiedText("\n")) },
            { $0.dropping(CopiedText("\n"), at: $0.primary.head) },
            { $0.replacing($0.primary.range, withLateText: "\n") },
        ]
        for (index, edit) in edits.enumerated() {
            let scene = EditingScene(before)
            scene.change(.newline(newline))
            scene.make(edit(scene.state))
            #expect(scene.state.text.string(in: scene.state.text.byteRange) == after, "edit \(index)")
        }
    }

    /// A CR and an LF that a deletion would bring together stay two line ends, whatever deletes; the caret stays on
    /// the line between them.
    @Test func lineEndsThatADeletionBringsTogetherStayTwo() {
        typealias Edit = (String, String, (EditingScene) -> Void)
        func transaction(_ make: @escaping (EditorState) -> Transaction?) -> (EditingScene) -> Void {
            { scene in scene.make(make(scene.state)) }
        }
        let edits: [Edit] = [
            ("backspace", "a\rx|\nb", { $0.perform(.deleteBackward) }),
            ("delete", "a\r|x\nb", { $0.perform(.deleteForward) }),
            ("selection", "a\r[xyz|]\nb", { $0.perform(.deleteBackward) }),
            ("a line with its end", "a\r[x\n|]\nb", { $0.perform(.deleteForward) }),
            ("end of paragraph", "a\r|x y\nb", { $0.perform(.deleteToEndOfParagraph) }),
            ("cut", "a\r[x|]\nb", { $0.perform(.cut) }),
            ("method", "a\r[x|]\nb", transaction { $0.inserting("", over: .range($0.primary.range)) }),
            ("replacing", "a\r[x|]\nb", transaction { $0.replacing($0.primary.range, with: "", origin: .deletion) }),
            (
                "late text", "a\r[x|]\nb",
                transaction { $0.replacing($0.primary.range, withLateText: "", takesCaret: true) }
            ),
            ("paste of nothing", "a\r[x|]\nb", transaction { $0.pasting(CopiedText("")) }),
            (
                "cancelled", "a\r[x|]\nb",
                { scene in
                    let end = UTF16Range(location: 1, length: 0)
                    scene.make(scene.state.marking("k", over: .selection, selected: end))
                    scene.make(scene.state.marking("", over: .composed, selected: UTF16Range(location: 0, length: 0)))
                }
            ),
            (
                "committed as nothing", "a\r[x|]\nb",
                { scene in
                    let end = UTF16Range(location: 1, length: 0)
                    scene.make(scene.state.marking("k", over: .selection, selected: end))
                    scene.make(scene.state.inserting("", over: .composed))
                }
            ),
        ]
        for (name, before, edit) in edits {
            let scene = EditingScene(before)
            edit(scene)
            #expect(scene.notation == "a\r\n|\nb", "\(name)")
            scene.perform(.undo, .undo)
            #expect(scene.state.text.string(in: scene.state.text.byteRange).hasPrefix("a\rx"), "\(name)")
        }
        // If they were one line end before, or something stays between them, nothing is inserted.
        for (before, after) in [("a\r\n[x|]\nb", "a\r\n|\nb"), ("a\r[x|]y\nb", "a\r|y\nb"), ("a\n[x|]\rb", "a\n|\rb")] {
            #expect(EditingScene(before).perform(.deleteBackward) == after)
        }
    }

    /// Marked text has the text's line ends already, because it may be saved meanwhile and a click keeps it.
    @Test(arguments: ["\r\n", "\r"]) func markedTextHasTheLineEndsOfTheText(_ newline: String) {
        let scene = EditingScene("a|b")
        scene.change(.newline(newline))
        let clauses = [MarkedClause(range: 0..<2, kind: .converted), MarkedClause(range: 2..<3, kind: .target)]
        for _ in 0..<2 {
            scene.make(
                scene.state.marking(
                    InputText("x\ny", clauses: clauses), over: .composed, selected: UTF16Range(location: 2, length: 1)))
        }
        let end = UTF16Offset(2 + newline.utf16.count)
        #expect(scene.state.string(in: scene.state.textRange) == "ax\(newline)yb")
        #expect(scene.state.selection == Selection(anchor: end, head: end + 1))
        #expect(scene.state.markedText?.segments.map(\.range) == [1..<end, end..<end + 1])
        scene.make(scene.state.ending(.keeping))
        #expect(scene.notation == "ax\(newline)y|b" && scene.state.markedText == nil)
        scene.perform(.undo)
        #expect(scene.notation == "a|b")
    }

    /// When a method converts existing text again, unchanged parts keep their bytes: invalid UTF-8, which the
    /// method sees as U+FFFD, and line ends other than the text's.
    @Test(arguments: [[0x61, 0xff, 0x0a, 0xfe, 0x62], [0x0a, 0xe3, 0x81, 0x0d, 0x0a] as [UInt8]])
    func reconvertedTextKeepsItsBytes(_ bytes: [UInt8]) {
        let string = String(decoding: bytes, as: UTF8.self)
        for newline in ["\n", "\r\n"] {
            for end in [nil, string, "x" + string, string + "x", string + "\u{fffd}x"] {
                let scene = EditingScene("|")
                scene.change(.newline(newline))
                scene.store.replace(0..<0 as Range<ByteOffset>, with: Rope(bytes: bytes))
                let text = end ?? string
                for over in [EditorState.InsertionTarget.range(scene.state.textRange), .composed] {
                    scene.make(scene.state.marking(InputText(text), over: over, selected: .notFound))
                }
                scene.make(scene.state.ending(end.map { .committing($0, over: scene.state.textRange) } ?? .keeping))
                let parts = text.components(of: string)
                let wanted = Array(parts.before.utf8) + bytes + Array(parts.after.utf8)
                #expect(scene.state.text.bytes(in: scene.state.text.byteRange) == wanted, "\(text.debugDescription)")
                #expect(scene.state.markedText == nil)
            }
        }
    }

    /// The text between two invalid bytes is deleted: the bytes must not combine into a character, because the
    /// method counts them as two.
    @Test func keptBytesBecomeNoCharacterTogether() {
        let scene = EditingScene("|")
        scene.store.replace(0..<0 as Range<ByteOffset>, with: Rope(bytes: [0xe2, 0x78, 0x82, 0xac]))
        let given = "\u{fffd}\u{fffd}\u{fffd}"
        let clauses = [MarkedClause(range: 0..<1, kind: .converted), MarkedClause(range: 1..<3, kind: .target)]
        scene.make(
            scene.state.marking(
                InputText(given, clauses: clauses), over: .range(scene.state.textRange),
                selected: UTF16Range(location: 1, length: 2)))
        #expect(scene.state.string(in: scene.state.textRange) == given)
        #expect(scene.state.markedText?.segments.map(\.range) == [0..<1, 1..<3])
        #expect(scene.state.selection == Selection(anchor: 1, head: 3))
    }

    /// A method may send a preedit with as many clauses as lines.
    @Test func offsetsBehindManyLineEndsAreFoundAtOnce() {
        let count = 100_000
        let text = AdmittedText(
            String(repeating: "a\n", count: count), replacing: 0..<0, of: Rope(), newline: "\r\n")
        #expect(text.content.metrics.utf16 == 3 * count)
        let wrong = (0...2 * count).first { text.offset(UTF16Offset($0)) != UTF16Offset($0 + $0 / 2) }
        #expect(wrong == nil)
    }

    @Test func aLimitLeavesEachCaretBehindWhatWasTaken() {
        let scene = EditingScene("a|bcd|")
        scene.options.inputFilter = { String($0.prefix(1)) }
        for text in ["に", "にほ"] { mark(scene, text) }
        commit(scene, "日本語")
        #expect(scene.notation == "a日|bcd日|")
        scene.options.inputFilter = { $0.filter { $0 != "x" } }
        mark(scene, "x")
        commit(scene, "xxx")
        #expect(scene.notation == "a日|bcd日|")
        scene.options.inputFilter = nil
        scene.options.maximumLength = 8
        mark(scene, "に")
        commit(scene, "日本")
        #expect(scene.notation == "a日日|bcd日日|")
    }

    @Test func keptTextGoesToAllCaretsWhereverTheMethodsCaretIs() {
        let scene = EditingScene("a|bc|d|")
        scene.make(
            scene.state.marking(
                InputText("にほん"), over: .composed, selected: UTF16Range(location: 0, length: 2)))
        scene.make(scene.state.ending(.keeping))
        #expect(scene.notation == "aにほん|bcにほん|dにほん|")
    }

    @Test func aViewThatBecomesReadOnlyKeepsWhatIsMarkedAndAllCarets() {
        let scene = EditingScene("a|bc|d|")
        mark(scene, "にほ")
        scene.options.isEditable = false
        scene.make(scene.state.ending(.keeping))
        #expect(scene.state.markedText == nil && scene.notation == "a|bc|dにほ|")
    }

    /// The delegate edits while it is asked; its first answer refers to the text before its own edit.
    @Test(arguments: [true, false]) func aDelegateThatEditsWhileItIsAskedLeavesRightCarets(isKept: Bool) {
        let scene = EditingScene("ab|")
        mark(scene, "にほ")
        let state = scene.state
        let transaction = isKept ? state.ending(.keeping) : state.inserting("日本", over: .composed)
        guard var transaction else { return #expect(Bool(false), "nothing to end") }
        var isFirst = true
        let verdict = state.prepare(&transaction) { _, _ in
            if isFirst { scene.store.replace(UTF16Offset(0)..<UTF16Offset(0), with: "12345") }
            isFirst = false
            return true
        }
        guard case .accept = verdict else { return #expect(Bool(false), "refused") }
        scene.store.make(transaction) { scene.state.adopt($0) }
        #expect(scene.state.markedText == nil && scene.notation == (isKept ? "12345abにほ|" : "12345ab日本|"))
    }

    /// Only another view's or the program's edits during a composition leave an undo step.
    /// Korean input methods select the syllable that they compose. A commit of the same text is no edit.
    @Test(arguments: ["", "한"]) func redoOfAComposedSyllableSelectsNothing(_ before: String) {
        let scene = EditingScene(before + "|")
        for draw in ["ㄱ", "구", "국"] {
            scene.make(
                scene.state.marking(InputText(draw), over: .composed, selected: UTF16Range(location: 0, length: 1)))
        }
        #expect(scene.notation == before + "[국|]")
        commit(scene, "국")
        #expect(scene.notation == before + "국|")
        #expect(scene.perform(.undo) == before + "|")
        #expect(scene.perform(.redo) == before + "국|")
        scene.make(scene.state.inserting("q"))
        #expect(scene.notation == before + "국q|")
    }

    @Test func anInterruptedCompositionIsOneStepAtAllCarets() {
        let scene = EditingScene("ab|cd|")
        mark(scene, "n")
        scene.store.replace(UTF16Offset(0)..<UTF16Offset(1), with: "XYZ")
        mark(scene, "に")
        scene.store.replace(UTF16Offset(0)..<UTF16Offset(0), with: "-")
        mark(scene, "にほ")
        commit(scene, "日本")
        #expect(scene.notation == "-XYZb日本|cd日本|")
        #expect(scene.perform(.undo) == "-XYZb|cd|")
        #expect(scene.perform(.undo).filter { !"[|]".contains($0) } == "XYZbcd")
        #expect(scene.perform(.undo).filter { !"[|]".contains($0) } == "abcd" && !scene.store.canUndo)
        for _ in 0..<3 { scene.perform(.redo) }
        #expect(scene.notation.filter { !"[|]".contains($0) } == "-XYZb日本cd日本")
    }

    @Test func anInterruptedCompositionThatIsGivenUpIsNoStep() {
        let scene = EditingScene("ab|")
        mark(scene, "n")
        scene.store.replace(UTF16Offset(0)..<UTF16Offset(1), with: "XY")
        mark(scene, "に")
        mark(scene, "")
        #expect(scene.notation == "XYb|")
        #expect(scene.perform(.undo).filter { !"[|]".contains($0) } == "ab" && !scene.store.canUndo)
        #expect(scene.perform(.redo).filter { !"[|]".contains($0) } == "XYb" && !scene.store.canRedo)
    }

    @Test func anEditThatIsNotRecordedInterruptsNoComposition() {
        let scene = EditingScene("ab|")
        mark(scene, "n")
        scene.store.replace(UTF16Offset(0)..<UTF16Offset(1), with: "XY", undo: .notRecorded)
        mark(scene, "に")
        scene.store.replace(UTF16Offset(0)..<UTF16Offset(0), with: "-", undo: .notRecorded)
        commit(scene, "日")
        #expect(scene.notation == "-XYb日|")
        #expect(scene.perform(.undo) == "-XYb|" && !scene.store.canUndo)
        #expect(scene.perform(.redo) == "-XYb日|")
    }

    @Test func twoViewsThatComposeAtOnceHaveAStepEach() {
        let (one, other) = (EditingScene("ab|"), ViewID())
        let theirs = UndoJoining.group(UndoGroupID())
        mark(one, "n")
        one.store.replace(UTF16Offset(0)..<UTF16Offset(0), with: "k", undo: theirs, view: other)
        mark(one, "に")
        one.store.replace(UTF16Offset(0)..<UTF16Offset(1), with: "か", undo: theirs, view: other)
        commit(one, "二")
        one.store.replace(UTF16Offset(0)..<UTF16Offset(1), with: "下", undo: theirs, view: other)
        func text() -> String { one.notation.filter { !"[|]".contains($0) } }
        #expect(text() == "下ab二")
        one.store.undo()
        #expect(text() == "ab二")
        one.store.undo()
        #expect(text() == "ab" && !one.store.canUndo)
        one.store.redo()
        one.store.redo()
        #expect(text() == "下ab二")
    }

    /// A composition has one owner: when another begins, the first one's marked text is committed, once.
    @Test func aLaterOwnerEndsTheCompositionOfTheEarlierOne() {
        let scene = EditingScene("a|")
        mark(scene, "にほ")
        #expect(scene.state.composition?.owner == .inputMethod)
        scene.make(scene.state.ending(before: .composed, by: .characterCode))
        #expect(scene.notation == "aにほ|" && scene.state.composition == nil)
        scene.make(scene.state.beginningComposition(by: .characterCode))
        mark(scene, "u2")
        #expect(scene.state.composition?.owner == .characterCode)
        #expect(scene.state.ending(before: .composed, by: .characterCode) == nil)
        commit(scene, "2")
        #expect(scene.notation == "aにほ2|")
    }
}

extension String {
    /// Returns the text before and after the first occurrence of `part`.
    fileprivate func components(of part: String) -> (before: String, after: String) {
        let (all, part) = (Array(unicodeScalars), Array(part.unicodeScalars))
        let start = (0...all.count - part.count).first { all[$0..<$0 + part.count].elementsEqual(part) } ?? 0
        func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String { String(String.UnicodeScalarView(scalars)) }
        return (text(all[..<start]), text(all[(start + part.count)...]))
    }
}
