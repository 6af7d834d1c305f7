import Glibc
import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneProxy
@testable import InkstoneProxyServer

/// Batches on a session, without a bus.
@Suite(.timeLimit(.minutes(5))) struct ProxiedViewTests {
    let session: EditingSession
    let view: ProxiedView
    let peer = DocumentID()

    init() { self.init("Hello.") }

    private init(_ text: String) {
        session = EditingSession(TextStore(Rope(text)))
        session.select(Selection(caret: session.textRange.upperBound))
        view = ProxiedView(session, epoch: 1)
    }

    private var text: String { session.text }

    @discardableResult
    private func apply(
        _ operations: ProxyOperation..., mode: ProxyBatch.Mode = .now, base: UInt64 = 0, epoch: UInt64 = 1,
        by other: DocumentID? = nil
    ) -> ProxyAnswer {
        view.apply(
            ProxyBatch(epoch: epoch, serial: 1, base: base, mode: mode, operations: operations), by: other ?? peer)
    }

    private func batch(_ operations: [ProxyOperation]) -> ProxyBatch {
        ProxyBatch(epoch: 1, serial: 1, base: 0, mode: .now, operations: operations)
    }

    private func mark(_ before: String, _ selected: String = "", _ after: String = "") -> ProxyOperation {
        .setMarked(ProxyMarkedText(before: before, selected: selected, after: after))
    }

    @Test func aCapitalAfterASentenceIsOneStepOfUndo() {
        session.insert(" w")
        let answer = apply(.replaceBefore(expected: "w", "W"), .insert("o"))
        #expect(answer.status == .applied && text == "Hello. Wo")
        #expect(answer.context.before == "Hello. Wo" && answer.context.after == nil)
        session.undo()
        #expect(text == "Hello. w")
        session.undo()
        #expect(text == "Hello.", "what was typed before is a step of its own")
    }

    @Test func singleTextsJoinWithWhatIsTyped() {
        session.insert("a")
        apply(.insert("b"))
        session.insert("c")
        session.undo()
        #expect(text == "Hello.")
    }

    @Test(arguments: [
        ([ProxyOperation.deleteBackward(1)], "क"), ([.deleteBackward(1), .insert("x")], "कx"),
        ([.insert("x"), .deleteBackward(2)], "क"),
    ]) func aDeletionTakesAClusterWhateverTheScriptAndTheBatch(operations: [ProxyOperation], expected: String) {
        session.text = "ककि"
        session.select(Selection(caret: session.textRange.upperBound))
        var forecast = ProxyDraft(view.context(bytes: 100, for: peer))
        for operation in operations { forecast.apply(operation) }
        let answer = view.apply(batch(operations), by: peer)
        #expect(answer.status == .applied && text == expected)
        #expect(answer.context.before == expected && forecast.before == expected)
    }

    @Test func aBatchThatWouldTakeTooLongIsNotMade() {
        // Few steps in each of many operations, and operations without any step, take time too.
        for operation in [
            ProxyOperation.adjust(1), .deleteBackward(1), .replaceBefore(expected: "x", "x"),
            .replaceAfter(expected: "x", "x"), .insert("x"),
        ] {
            var asked = 0
            var draft = BatchDraft(
                Rope(String(repeating: "x", count: 100)), selection: SelectionRange(caret: 50), marked: nil,
                newline: "\n",
                isLate: {
                    asked += 1
                    return asked > 8
                })
            for _ in 0..<4 { _ = draft.apply(operation) }
            #expect(!draft.isTooSlow, "\(operation)")
            for _ in 0..<8 { _ = draft.apply(operation) }
            #expect(draft.isTooSlow, "\(operation)")
        }
        session.text = String(repeating: "\u{1F1E6}", count: 40_000)
        session.select(Selection(caret: session.textRange.upperBound))
        #expect(apply(.adjust(-4096), .adjust(-4096), .insert("x")).status == .refused)
        #expect(!text.contains("x"))
    }

    @Test func aSelectionThatOthersMoveOutOfTheMarkedTextIsNoneOfIt() {
        for start in [UTF16Offset(0), 8] {
            session.text = "Hello. You"
            session.select(Selection(caret: 6))
            apply(mark("wo"))
            session.select(Selection(anchor: start, head: start + 2))
            #expect(apply(.insert("x")).status == .applied)
            #expect(text == "Hello.x You" && session.markedText == nil)
        }
    }

    @Test func forwardDeletionEatsNothingAtTheEnd() {
        apply(.adjust(1), .deleteBackward(1))
        #expect(text == "Hello." && !session.store.canUndo)
        session.select(Selection(caret: 0))
        apply(.adjust(1), .deleteBackward(1))
        #expect(text == "ello." && session.selection == Selection(caret: 0))
    }

    @Test func stepsAreWholeClusters() {
        let (family, flag) = ("👨‍👩‍👧", "🇬🇷")
        session.text = "a\(family)\(flag)e\u{301}한\r\nb"
        session.select(Selection(caret: session.textRange.upperBound))
        #expect(apply(.adjust(-2)).context.after == "")
        #expect(apply(.adjust(-1)).context.after == "한")
        #expect(apply(.deleteBackward(1), .adjust(-1)).context.after == "\(flag)한")
        #expect(apply(.deleteForward(1)).context.before == "a\(family)")
        #expect(apply(.deleteBackward(1)).context.before == "a")
        #expect(apply(.replaceAfter(expected: "한", "x")).status == .applied && text == "ax\r\nb")
        session.text = "e\u{301}"
        session.select(Selection(caret: 2))
        #expect(apply(.replaceBefore(expected: "\u{301}", "x")).status == .stale, "half a cluster")
    }

    @Test func emptyContextDiffersFromNone() {
        #expect(apply(.adjust(0)).context.after == nil)
        session.text = ""
        let empty = view.context(bytes: 100, for: peer)
        #expect(empty.before == nil && empty.after == nil && empty.selected == nil)
        session.text = "a\nb"
        session.select(Selection(caret: 2))
        let second = view.context(bytes: 100, for: peer)
        #expect(second.before == "" && second.after == "b", "the paragraph begins here, and the document does not")
        session.select(Selection(anchor: 0, head: 3))
        let all = view.context(bytes: 100, for: peer)
        #expect(all.before == nil && all.after == nil && all.selected == "a\nb")
    }

    @Test func contextIsCutBetweenClusters() {
        let cluster = "e\u{301}"
        session.text = String(repeating: cluster, count: 100_000)
        session.select(Selection(caret: 100_000))
        let context = view.context(bytes: 1000, for: peer)
        #expect(context.before == String(repeating: cluster, count: 333))
        #expect(context.after == String(repeating: cluster, count: 333))
        #expect(context.identifier == view.context(bytes: 0, for: peer).identifier)
        session.text = "a\u{FFFE}\0b"
        session.select(Selection(caret: 4))
        #expect(view.context(bytes: 100, for: peer).before == "a\u{FFFD}\u{FFFD}b", "what D-Bus carries")
    }

    @Test func theContextOfAHugeLineIsMadeAtOnce() {
        var line = Rope(String(repeating: "e\u{301}", count: 1 << 16))
        while line.byteRange.length() < 1 << 30 {
            line.replace(line.byteRange.upperBound..<line.byteRange.upperBound, with: line)
        }
        let session = EditingSession(TextStore(line))
        session.select(Selection(caret: UTF16Offset(session.textRange.upperBound.value / 4 * 2)))
        let view = ProxiedView(session, epoch: 1)
        var (start, end) = (timespec(), timespec())
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start)
        let context = view.context(bytes: ProxyProtocol.maximumText, for: peer)
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
        let time = Double(end.tv_sec - start.tv_sec) * 1000 + Double(end.tv_nsec - start.tv_nsec) / 1e6
        print("context in a line of 1 GiB: \(time) ms")
        #expect(context.before?.utf8.count == 65535 && context.after?.utf8.count == 65535 && time < 50)
    }

    @Test func eachDeletionRemovesOneCharacterOfTheContext() throws {
        session.text = "x\na👨‍👩‍👧e\u{301}한🇬🇷"
        session.select(Selection(caret: session.textRange.upperBound))
        let before = try #require(view.context(bytes: 100, for: peer).before)
        #expect(before.count == 5)
        for _ in before { #expect(apply(.deleteBackward(1)).status == .applied) }
        #expect(text == "x\n")
    }

    @Test func aNewlineAloneKeepsTheIndentationAsReturnDoes() {
        session.options.keepsIndentation = true
        session.text = "  a"
        session.select(Selection(caret: session.textRange.upperBound))
        #expect(apply(.insert("\n")).status == .applied && text == "  a\n  ")
        #expect(apply(.insert("b\n")).status == .applied && text == "  a\n  b\n", "a script's text is taken as it is")
    }

    @Test func aBatchThatFailsDoesNothing() {
        session.mark("に", selected: .notFound)
        let revision = view.revision
        let state = (session.text, session.selection, session.markedText)
        #expect(apply(.insert("x"), .replaceBefore(expected: "no", "y")).status == .stale)
        #expect(apply(.insert("x"), mode: .exact, base: revision - 1).status == .stale)
        #expect(apply(.insert("x"), epoch: 2).status == .gone)
        #expect(apply(.deleteBackward(4096), .deleteBackward(4096), .deleteBackward(1)).status == .refused)
        #expect((session.text, session.selection, session.markedText) == state && view.revision == revision)
    }

    @Test func aBatchThatAViewDoesNotAcceptWhollyIsRefused() {
        session.options.maximumLength = 8
        #expect(apply(.insert("ab"), .insert("c")).status == .refused && text == "Hello.")
        #expect(apply(.insert("abc")).status == .refused && text == "Hello.")
        #expect(apply(.insert("a"), .insert("b")).status == .applied && text == "Hello.ab")
        session.options.maximumLength = nil
        session.options.isSingleLine = true
        #expect(apply(.insert("a\nb")).status == .refused && text == "Hello.ab")
        session.options.isEditable = false
        #expect(apply(.insert("x")).status == .refused && apply(.deleteBackward(1)).status == .refused)
        #expect(apply(mark("x")).status == .refused)
        #expect(apply(.adjust(-1)).status == .applied, "a caret may move")
        session.options.isSecureTextEntry = true
        let answer = apply(.adjust(-1))
        #expect(answer.status == .gone && answer.context == ProxyContext(revision: 0))
    }

    @Test func newlinesStayApartFromOtherLineEnds() {
        session.text = "a\rb"
        session.select(Selection(caret: 2))
        apply(.insert("\n"))
        #expect(text == "a\r\r\nb" && session.selection?.primary.head == 4)
        session.text = "a\rb"
        session.select(Selection(caret: 2))
        apply(mark("\nx", "y"))
        #expect(text == "a\r\r\nxyb" && session.markedText?.range == 2..<6)
        #expect(session.selection?.primary.range == 5..<6)
        apply(.unmark)
        #expect(text == "a\r\r\nxyb" && session.markedText == nil)
        session.newline = "\r"
        session.text = "a\nb"
        session.select(Selection(caret: 1))
        apply(mark("\n"))
        #expect(text == "a\r\n\nb")
        apply(mark("x"))
        #expect(text == "ax\nb")
    }

    @Test func newlinesAreThoseOfTheText() {
        session.newline = "\r\n"
        apply(.insert("a\nb"))
        #expect(text == "Hello.a\r\nb")
        apply(mark("c\n", "d\ne", "\nf"))
        #expect(text == "Hello.a\r\nbc\r\nd\r\ne\r\nf" && session.markedText?.range == 10..<20)
        #expect(session.selection == Selection(anchor: 13, head: 17))
        apply(.unmark)
        #expect(text == "Hello.a\r\nbc\r\nd\r\ne\r\nf" && session.markedText == nil)
    }

    @Test func marksAreReplacedAsAccentAndAsCompletion() {
        apply(mark("´"))
        #expect(text == "Hello.´" && session.markedText?.range == 6..<7)
        apply(.insert("é"))
        #expect(text == "Hello.é" && session.markedText == nil)
        apply(mark("wo", "rld"))
        #expect(session.selection == Selection(anchor: 9, head: 12))
        apply(.insert("n"))
        #expect(text == "Hello.éwon" && session.markedText == nil && session.selection == Selection(caret: 10))
        session.undo()
        #expect(text == "Hello.é", "a composition is one step")
        session.undo()
        #expect(text == "Hello.")
    }

    @Test func aLaterCompositionAcceptsTheEarlierOne() {
        apply(mark("´"))
        session.mark("に", selected: .notFound)
        #expect(text == "Hello.´に" && session.markedText?.range == 7..<8, "the input method")
        apply(mark("`"))
        #expect(text == "Hello.´に`" && session.markedText?.range == 8..<9, "the keyboard")
        let other = DocumentID()
        apply(mark("^"), by: other)
        #expect(text == "Hello.´に`^" && session.markedText?.range == 9..<10, "another keyboard")
        view.end(peer)
        #expect(session.markedText != nil && view.hasMarkedText(of: other))
        view.end(other)
        #expect(text == "Hello.´に`^" && session.markedText == nil, "it dies, and its text stays, once")
    }

    @Test func typedTextIsInsertedBehindMarkedText() {
        apply(mark("wo", "rld"))
        session.insert("!", over: .composed)
        #expect(text == "Hello.world!" && session.markedText == nil)
        apply(mark("x"))
        session.deleteBackward()
        #expect(text == "Hello.world!" && session.markedText == nil)
        apply(mark("x"))
        session.undo()
        #expect(text == "Hello.world!", "undo takes back what was marked")
    }

    @Test func aBatchFollowsThePositionThatItWasMadeFor() {
        let base = apply(.insert(" ")).context.revision
        session.select(Selection(caret: 0))
        session.insert(">> ")
        let answer = apply(.insert("wor"), .insert("ld"), mode: .follow, base: base)
        #expect(answer.status == .applied && text == ">> Hello. world")
        #expect(session.selection == Selection(caret: 3), "the person's caret stays")
        #expect(apply(.insert("!"), .adjust(0), mode: .follow, base: answer.context.revision).status == .applied)
        #expect(text == ">> Hello. world!")
        #expect(
            apply(.insert("!"), mode: .exact, base: view.revision).status == .applied && text == ">> !Hello. world!")
        #expect(apply(.insert("!"), mode: .follow, base: base).status == .stale, "an older report")
        #expect(apply(.insert("!"), mode: .exact, base: base).status == .stale)
    }

    @Test func aFollowingBatchIsInsertedWhereAnUndoLeavesItsPosition() {
        let base = apply(.insert(" one two"), .adjust(-4)).context.revision
        #expect(session.selection == Selection(caret: 10))
        session.undo()
        #expect(text == "Hello.", "the person takes back the text that the place lies in")
        session.select(Selection(caret: 0))
        #expect(apply(.insert("!"), .adjust(0), mode: .follow, base: base).status == .applied)
        #expect(text == "Hello.!" && session.selection == Selection(caret: 0))
        session.redo()
        let answer = apply(.insert("x"), mode: .follow, base: base)
        #expect(answer.status == .stale && !text.contains("x"), "its own batch was the last that it was notified of")
    }

    /// Edits of the program that touch what is composed wait for its end, which a batch brings about.
    @Test func editsThatABatchLetsThroughMoveItsPositionAndMakeItStale() {
        session.select(Selection(caret: 4))
        let base = view.context(bytes: 100, for: peer).revision
        session.select(Selection(caret: 6))
        session.mark("に", selected: .notFound)
        session.replaceText(in: 0..<7, with: "Ye")
        #expect(text == "Hello.に")
        let revision = view.revision
        #expect(apply(.insert("x"), .adjust(0), mode: .exact, base: revision).status == .stale)
        #expect(text == "Ye", "of another text than the batch was thought out for")
        session.text = "Hello. You"
        session.select(Selection(caret: 8))
        let next = view.context(bytes: 100, for: peer).revision
        session.select(Selection(caret: 5))
        session.mark("に", selected: .notFound)
        session.replaceText(in: 0..<7, with: "")
        #expect(next > base && text == "Helloに. You")
        #expect(apply(.insert("x"), .adjust(0), mode: .follow, base: next).status == .applied)
        #expect(text == " Yxou")
    }

    /// Not even the end of what others compose: filters and the delegate are asked before, and once.
    @Test(arguments: [false, true]) func aRefusedBatchLeavesWhatOthersCompose(isKeyboard: Bool) {
        let other = DocumentID()
        let delegate = Delegate()
        session.delegate = delegate
        if isKeyboard { apply(mark("に"), by: other) } else { session.mark("に", selected: .notFound) }
        let revision = view.revision
        func isAsBefore() -> Bool {
            session.text == "Hello.に" && session.markedText?.range == 6..<7 && view.revision == revision
                && view.hasMarkedText(of: other) == isKeyboard
        }
        delegate.isAllowing = false
        for operations: [ProxyOperation] in [
            [.insert("x")], [.insert("x"), .adjust(-1)], [.adjust(-1), .deleteBackward(1)],
        ] {
            delegate.questions = []
            #expect(view.apply(batch(operations), by: peer).status == .refused && isAsBefore(), "\(operations)")
            #expect(delegate.questions.count == 1)
        }
        delegate.isAllowing = true
        session.options.maximumLength = 8
        #expect(apply(.insert("xy")).status == .refused && isAsBefore())
        session.options.maximumLength = nil
        session.options.isSingleLine = true
        #expect(apply(.insert("x\ny")).status == .refused && isAsBefore())
        delegate.questions = []
        #expect(apply(.insert("x")).status == .applied && text == "Hello.にx" && session.markedText == nil)
        #expect(delegate.questions == ["7..<7 x", "6..<7 に"], "each once")
    }

    /// Composed text passes the filters when the composition ends, which may move later offsets.
    @Test func aFollowingBatchIsInsertedWhereTheCompositionIsCutOff() {
        let base = view.context(bytes: 100, for: peer).revision
        session.select(Selection(caret: 0))
        session.mark("にに", selected: .notFound)
        session.options.maximumLength = 7
        let other = apply(.insert("x"), .adjust(0), mode: .exact, base: view.revision, by: DocumentID())
        #expect(other.status == .refused)
        #expect(text == "ににHello." && session.markedText != nil)
        let answer = apply(.deleteBackward(1), .insert("!"), mode: .follow, base: base)
        #expect(answer.status == .applied && text == "にHello!")
    }

    /// An observer that is notified of the end of a composition may select elsewhere, or be done with the keyboard.
    @Test(arguments: [false, true]) func aBatchWhoseCaretOrKeyboardGoesAtTheEndOfACompositionEditsNothing(isGone: Bool)
    {
        session.mark("に", selected: .notFound)
        let base = view.context(bytes: 100, for: peer).revision
        var isOver = false
        let token = session.observe { [unowned session] _ in
            guard session.markedText == nil, !isOver else { return }
            isOver = true
            if isGone { view.end(peer) } else { session.select(Selection(caret: 0)) }
        }
        let answer = apply(.insert("x"), .adjust(0), mode: .exact, base: base)
        #expect(isOver && answer.status == (isGone ? .gone : .stale) && text == "Hello.に")
        withExtendedLifetime(token) {}
    }

    /// Without its place it would edit at the person's caret.
    @Test func aKeyboardThatGoesWhileItsBatchIsMadeLeavesNothing() {
        session.select(Selection(caret: 2))
        let base = view.context(bytes: 100, for: peer).revision
        session.select(Selection(caret: 6))
        session.mark("に", selected: .notFound)
        let token = session.observe { [unowned session] _ in
            if session.markedText == nil { view.end(peer) }
        }
        #expect(apply(.insert("x"), .adjust(0), mode: .follow, base: base).status == .gone && text == "Hello.に")
        #expect(apply(.insert("x"), .adjust(0), mode: .follow, base: base).status == .stale)
        withExtendedLifetime(token) {}
    }

    @Test func textThatABatchMakesSecretIsNotInItsAnswer() {
        let token = session.observe { [unowned session] update in
            if update.textChange != nil { session.options.isSecureTextEntry = true }
        }
        let answer = apply(.insert("secret"))
        #expect(answer.context == ProxyContext(revision: 0))
        #expect(view.context(bytes: 100, for: peer) == ProxyContext(revision: 0))
        withExtendedLifetime(token) {}
    }

    /// On a second monitor at a scale of 2, root pixels are what they are; far away nothing overflows.
    @Test func aCaretThatIsScrolledAwayIsNowhere() {
        let frame = RootRect(x: 1920, y: -300, width: 800, height: 600)
        func caret(_ x: Double, _ y: Double) -> ProxyContext.Caret? {
            ProxyContext.Caret(RootRect(x: x, y: y, width: 2, height: 40), in: frame)
        }
        #expect(caret(1925.4, -290.6) == .init(x: 1925, y: -290, width: 2, height: 40))
        #expect(caret(1919, 0) != nil && caret(2720, 0) != nil, "at the edges it is seen in part")
        #expect(caret(1925, -340) == nil && caret(1925, 300) == nil, "above and below")
        #expect(caret(1900, 0) == nil && caret(2721, 0) == nil, "to the left and to the right")
        #expect(caret(1925, -1e300) == nil && caret(.nan, 0) == nil && caret(1925, .infinity) == nil)
        #expect(caret(1925, -339.5)?.y == -339)
    }

    @Test func changesAreCountedWithTheirCause() {
        var received: [String] = []
        view.onChange = { [unowned view] changes, causes, author in
            received.append("\(view.revision) \(changes.rawValue) \(causes.rawValue) \(author != nil)")
        }
        session.insert("a")
        apply(.insert("b"), .insert("c"))
        session.select(Selection(caret: 0))
        session.replaceText(in: 0..<1, with: "J")
        session.mark("に", selected: .notFound)
        #expect(received == ["2 3 1 false", "3 3 4 true", "4 2 9 false", "5 1 16 false", "6 7 2 false"])
    }

    /// Keyboards, an input method and a person edit a text by turns, beside a model of it.
    @Test func randomBatchesDoWhatAModelDoes() throws {
        var random = SeededGenerator()
        print("random batches: seed \(random.seed)")
        let peers = [DocumentID(), DocumentID()]
        var model = ModelText("Hello.")
        /// The owner of the marked text; nil for the input method.
        var owner: DocumentID?
        func endComposition() {
            guard let end = model.marked?.range.upperBound else { return }
            model.marked = nil
            model.selection = end..<end
        }
        func piece() -> String { ["a", "ß", "👋🏽", "\n", "two words", "λόγος"][random.below(6)] }
        func mark() -> ProxyMarkedText {
            ProxyMarkedText(
                before: ["", "´", "wo"][random.below(3)], selected: ["", "rld"][random.below(2)],
                after: ["", "!"][random.below(2)])
        }
        var deed = ""
        for step in 0..<(getenv("INKSTONE_LONG_TESTS") == nil ? 3000 : 30_000) {
            let before = (text: session.text, revision: view.revision)
            switch random.below(8) {
            case 0...4:
                let peer = peers[random.below(2)]
                let operations = (0...random.below(4)).map { _ -> ProxyOperation in
                    switch random.below(12) {
                    case 0...2: .insert(piece())
                    case 3: .deleteBackward(UInt32(1 + random.below(3)))
                    case 4: .deleteForward(UInt32(1 + random.below(3)))
                    case 5, 6: .adjust(Int32(random.below(9) - 4))
                    case 7: .setMarked(mark())
                    case 8: .unmark
                    case 9: .select(Int32(random.below(7) - 3))
                    case 10: .replaceBefore(expected: String(model.text.last ?? "x"), piece())
                    default: .replaceSelection(expected: "", piece())
                    }
                }
                deed = "\(operations)"
                var wanted = model
                wanted.beginBatch()
                if wanted.marked != nil, owner != peer {
                    let end = wanted.marked?.range.upperBound ?? 0
                    wanted.marked = nil
                    wanted.selection = end..<end
                }
                let fits = operations.allSatisfy { wanted.apply($0) }
                let answer = view.apply(
                    ProxyBatch(epoch: 1, serial: 1, base: 0, mode: .now, operations: operations), by: peer)
                #expect(answer.status == (fits ? .applied : .stale), "step \(step): \(operations)")
                if fits {
                    model = wanted
                    owner = peer
                } else {
                    #expect(session.text == before.text && view.revision == before.revision, "step \(step)")
                }
                #expect(answer.context.revision == view.revision)
                let place = model.marked?.range.lowerBound ?? model.selection.lowerBound
                let paragraph = String(
                    model.text[..<place].split(separator: "\n", omittingEmptySubsequences: false).last ?? [])
                let reported = answer.context.before ?? "\n"
                #expect(place == 0 ? reported == "\n" : paragraph.hasSuffix(reported), "step \(step)")
                #expect(
                    place == 0 || reported == paragraph || paragraph.utf8.count > ProxyProtocol.answerContext,
                    "step \(step)")
            case 5:
                deed = "a key"
                // What an input method has marked it commits; all else stays.
                let composed = owner == nil ? model.marked?.range : nil
                if composed == nil { endComposition() }
                model.replace(composed ?? model.selection, with: "k")
                session.insert("k", over: .composed)
            case 6:
                deed = "a click"
                endComposition()
                let caret = random.below(model.text.count + 1)
                model.selection = caret..<caret
                session.endComposition()
                session.select(Selection(caret: UTF16Offset(String(model.text[..<caret]).utf16.count)))
            default:
                deed = "a draw of the method"
                if owner != nil || model.marked == nil { endComposition() }
                if model.marked == nil, !model.selection.isEmpty {
                    model.selection = model.selection.upperBound..<model.selection.upperBound
                    session.select(
                        Selection(caret: UTF16Offset(String(model.text[..<model.selection.upperBound]).utf16.count)))
                }
                _ = model.apply(.setMarked(ProxyMarkedText(before: "に", selected: "", after: "")))
                owner = nil
                session.mark("に", selected: .notFound)
            }
            func offset(_ count: Int) -> UTF16Offset { UTF16Offset(String(model.text[..<count]).utf16.count) }
            let selection = offset(model.selection.lowerBound)..<offset(model.selection.upperBound)
            let marked = model.marked.map { offset($0.range.lowerBound)..<offset($0.range.upperBound) }
            guard session.text == String(model.text), session.selection?.range == selection,
                session.markedText?.range == marked
            else {
                Issue.record(
                    """
                    step \(step), \(deed): \(session.text.debugDescription) \(String(describing: session.selection)) \
                    \(String(describing: session.markedText?.range)); the model has \(String(model.text).debugDescription) \
                    \(selection) \(String(describing: marked))
                    """)
                return
            }
            if model.text.count > 400 { model.replace(0..<model.text.count, with: "") }
            if session.text != String(model.text) {
                session.endComposition()
                session.text = ""
                session.select(Selection(caret: 0))
            }
        }
    }
}

/// A delegate that keeps what it is asked.
private final class Delegate: EditingSessionDelegate {
    var isAllowing = true
    var questions: [String] = []

    func session(
        _ session: EditingSession, shouldChangeTextIn range: Range<UTF16Offset>, replacementText text: String
    ) -> Bool {
        questions.append("\(range.lowerBound.value)..<\(range.upperBound.value) \(text)")
        return isAllowing
    }
}
