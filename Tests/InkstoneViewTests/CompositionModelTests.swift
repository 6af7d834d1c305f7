import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// Compositions at several carets, compared with a simple model of letters and ranges.
@Suite(.timeLimit(.minutes(5))) struct CompositionModelTests {
    /// The expected state of a view. All letters are one UTF-16 unit long, and lines end with "\n".
    private struct Model {
        var text: [Character]
        var ranges: [Range<Int>] = [0..<0]
        var primary = 0
        var marked: Range<Int>?
        /// Whether the composition began over selected text.
        var replacesText = false
        var isOverwriting = false
        var isEditable = true
        /// Whether the view has a filter that removes some letters.
        var isFiltered = false

        /// Whether the filter removes a letter.
        static func isTaken(_ letter: Character) -> Bool {
            !letter.isUppercase && (letter.unicodeScalars.first?.value ?? 0) % 4 == 0
        }

        /// Returns a text after the filter.
        private func filtered(_ new: [Character]) -> [Character] {
            isFiltered ? new.filter { !Self.isTaken($0) } : new
        }

        /// Replaces ranges in order by a text, each cut off at the end of the one before; the carets are then after
        /// the inserted texts.
        private mutating func replace(_ targets: [Range<Int>], with new: [Character]) {
            var (result, end, carets): ([Character], Int, [Range<Int>]) = ([], 0, [])
            for target in targets {
                let low = max(end, target.lowerBound)
                result += text[end..<low] + new
                end = max(low, target.upperBound)
                carets.append(result.count..<result.count)
            }
            text = result + text[end...]
            ranges = carets
        }

        private func typed(over range: Range<Int>, by new: [Character], overwrites: Bool) -> Range<Int> {
            guard overwrites, isOverwriting, range.isEmpty, !new.contains("\n") else { return range }
            let limit = text[range.lowerBound...].firstIndex(of: "\n") ?? text.count
            return range.lowerBound..<max(range.lowerBound, min(limit, range.lowerBound + new.count))
        }

        mutating func type(_ new: [Character]) {
            let kept = filtered(new)
            if kept.isEmpty { return }
            replace(ranges.map { typed(over: $0, by: new, overwrites: true) }, with: kept)
        }

        mutating func mark(_ new: [Character]) {
            if marked == nil { replacesText = !ranges[primary].isEmpty }
            let old = marked ?? ranges[primary]
            text.replaceSubrange(old, with: new)
            let end = old.lowerBound + new.count
            for index in ranges.indices where index > primary {
                ranges[index] = ranges[index].moved(end - old.upperBound)
            }
            ranges[primary] = end..<end
            marked = new.isEmpty ? nil : old.lowerBound..<end
        }

        /// Removes the marked text, and inserts the committed text as a key would.
        mutating func end(with new: [Character], overwrites: Bool) {
            guard let marked else { return type(new) }
            let over = replacesText
            text.removeSubrange(marked)
            for index in ranges.indices where index > primary { ranges[index] = ranges[index].moved(-marked.count) }
            ranges[primary] = marked.lowerBound..<marked.lowerBound
            self.marked = nil
            let kept = filtered(new)
            guard !kept.isEmpty else {
                // Only the marked text is removed, and the ranges become carets.
                ranges = ranges.map { $0.lowerBound..<$0.lowerBound }
                return
            }
            replace(
                ranges.enumerated().map {
                    typed(over: $1, by: new, overwrites: overwrites && !($0 == primary && over))
                }, with: kept)
        }

        mutating func keep() {
            guard let marked else { return }
            if isEditable { return end(with: Array(text[marked]), overwrites: false) }
            mark(filtered(Array(text[marked])))
            self.marked = nil
        }

        /// Applies an edit by the program or another view that touches no range.
        mutating func edit(_ range: Range<Int>, _ new: [Character]) {
            text.replaceSubrange(range, with: new)
            let shift = new.count - range.count
            for index in ranges.indices where ranges[index].lowerBound > range.upperBound {
                ranges[index] = ranges[index].moved(shift)
            }
            if let old = marked, old.lowerBound > range.upperBound { marked = old.moved(shift) }
        }

        /// The parts of the text that neither a range nor the marked text touches.
        var free: [Range<Int>] {
            var result: [Range<Int>] = []
            var low = 0
            for (index, range) in ranges.enumerated() {
                let range = index == primary ? marked ?? range : range
                if low < range.lowerBound { result.append(low..<range.lowerBound - 1) }
                low = range.upperBound + 1
            }
            if low <= text.count { result.append(low..<text.count) }
            return result.filter { $0.lowerBound <= $0.upperBound }
        }

        var description: String { "\(String(text).debugDescription) \(ranges) \(primary) \(marked as Any)" }
    }

    /// Ten thousand steps: keys, draws, commits, ends of compositions, undo and redo, edits by the program and by
    /// another view, a read-only view, a filter, overwriting, additional carets. At the end, everything is undone
    /// and redone.
    @Test(arguments: 0..<10) func allStepsAreAsAModelSays(run: Int) {
        var random = SeededGenerator(seed: SeededGenerator.seedOfThisRun &* 1000 &+ UInt64(run))
        let seed = random.seed
        let original = "one two three\nfour five\nsix\n\nseven eight nine ten\n"
        var model = Model(text: Array(original))
        let scene = ViewScene("|")
        let view = scene.view
        view.store.replace(UTF16Offset(0)..<UTF16Offset(0), with: original)
        view.store.removeAllUndo()
        view.select(Selection(caret: 0))
        let other = ViewScene(store: view.store)
        let context = view.inputContext
        var steps: [String] = []
        var drawn = 0
        func letters(_ count: Int, _ first: UInt32) -> String {
            String((0..<count).compactMap { _ in Unicode.Scalar(first + UInt32(random.below(20))).map(Character.init) })
        }
        func draw(_ text: String?) -> InputMethodEvent {
            defer { drawn = text?.count ?? 0 }
            return .preeditDraw(
                PreeditDraw(caret: text?.count ?? 0, changeFirst: 0, changeLength: drawn, text: text))
        }
        for _ in 0..<1000 {
            let step: String
            switch random.below(17) {
            case 0, 1, 2:
                let text = letters(1 + random.below(4), 0x3042)
                step = "draw \(text)"
                context.receive((model.marked == nil ? [.preeditStart] : []) + [draw(text)])
                model.mark(Array(text))
            case 3, 4:
                let text = letters(1 + random.below(3), 0x4e00)
                step = "commit \(text)"
                context.receive(model.marked == nil ? [.commit(text)] : [draw(nil), .preeditDone, .commit(text)])
                model.end(with: Array(text), overwrites: true)
            case 5:
                step = "give up"
                guard model.marked != nil else { continue }
                context.receive([draw(nil), .preeditDone])
                model.mark([])
            case 6:
                step = "keep"
                context.discardMarkedText()
                drawn = 0
                model.keep()
            case 7, 8:
                let text = random.once(in: 8) ? "\n" : letters(1, 0x61)
                step = "type \(text)"
                if model.marked != nil { context.discardMarkedText() }
                drawn = 0
                model.keep()
                view.insertText(text)
                model.type(Array(text))
            case 9:
                step = "undo and redo"
                context.discardMarkedText()
                drawn = 0
                model.keep()
                let (before, count) = (view.text, 1 + random.below(3))
                var undone = 0
                while undone < count, view.store.canUndo {
                    view.session.undo()
                    undone += 1
                }
                for _ in 0..<undone { view.session.redo() }
                #expect(view.text == before, "seed \(seed): redo gives another text")
                view.select(selection(of: model))
            case 10, 11:
                let gap = model.free.randomElement(using: &random) ?? 0..<0
                if model.free.isEmpty { continue }
                let low = gap.lowerBound + random.below(gap.count + 1)
                let high = min(gap.upperBound, low + random.below(3))
                let new = letters(random.below(3), 0x41)
                step = "others replace \(low)..<\(high) by \(new)"
                if random.once(in: 2) {
                    view.session.replaceText(in: UTF16Offset(low)..<UTF16Offset(high), with: new)
                } else {
                    other.view.select(Selection(anchor: UTF16Offset(low), head: UTF16Offset(high)))
                    if new.isEmpty, low < high { other.view.deleteBackward() } else { other.view.insertText(new) }
                }
                model.edit(low..<high, Array(new))
            case 12:
                step = "read-only and back"
                view.isEditable = false
                drawn = 0
                model.isEditable = false
                model.keep()
                model.isEditable = true
                view.isEditable = true
            case 13:
                guard model.marked == nil else { continue }
                step = "overwrite"
                view.session.isOverwriting.toggle()
                model.isOverwriting.toggle()
            case 14:
                step = "filter"
                model.isFiltered.toggle()
                view.options.inputFilter = nil
                if model.isFiltered { view.options.inputFilter = { text in text.filter { !Model.isTaken($0) } } }
            default:
                step = "select"
                context.discardMarkedText()
                drawn = 0
                model.keep()
                var (ranges, at): ([Range<Int>], Int) = ([], random.below(5))
                while at <= model.text.count, ranges.count < 4 {
                    let end = min(model.text.count, at + (random.once(in: 3) ? random.below(3) : 0))
                    ranges.append(at..<end)
                    at = end + 1 + random.below(random.once(in: 2) ? 2 : 12)
                }
                if ranges.isEmpty { ranges = [0..<0] }
                model.ranges = ranges
                model.primary = random.below(ranges.count)
                view.select(selection(of: model))
            }
            steps.append(step)
            let marked = view.markedText.map { $0.range.lowerBound.value..<$0.range.upperBound.value }
            let ranges = view.selection?.ranges.map { $0.range.lowerBound.value..<$0.range.upperBound.value } ?? []
            guard view.text == String(model.text), marked == model.marked, ranges == model.ranges else {
                Issue.record(
                    """
                    seed \(seed), run \(run), after \(steps.suffix(6)):
                    is \(view.text.debugDescription) \(ranges) \(marked as Any)
                    not \(model.description)
                    """)
                return
            }
            // The model does not predict the primary range of carets that merge; take the view's.
            model.primary = view.selection?.primaryIndex ?? 0
        }
        context.discardMarkedText()
        let final = view.text
        while view.store.canUndo { view.session.undo() }
        #expect(view.text == original, "seed \(seed): all undone")
        while view.store.canRedo { view.session.redo() }
        #expect(view.text == final, "seed \(seed): all made again")
    }

    private func selection(of model: Model) -> Selection? {
        Selection(
            model.ranges.map {
                SelectionRange(anchor: UTF16Offset($0.lowerBound), head: UTF16Offset($0.upperBound))
            }, primary: model.primary)
    }

    // MARK: Examples

    private func composing(_ text: String, _ carets: [Int], _ marked: String) -> ViewScene {
        let scene = ViewScene("|")
        scene.view.text = text
        scene.view.select(Selection(carets.map { SelectionRange(caret: UTF16Offset($0)) }))
        scene.view.setMarkedText(
            marked, selectedRange: UTF16Range(location: 0, length: marked.utf16.count), replacementRange: .notFound)
        return scene
    }

    private func carets(_ scene: ViewScene) -> [Int] { scene.view.selection?.ranges.map(\.head.value) ?? [] }

    @Test func aViewThatBecomesReadOnlyTakesTheProgramsText() {
        let scene = composing("abcdef", [1, 4], "にほ")
        var reported = 0
        scene.onTextChange = { _ in reported += 1 }
        scene.view.isEditable = false
        #expect(scene.view.markedText == nil && scene.view.text == "abcdにほef" && reported == 1)
        scene.view.text = "new"
        #expect(scene.view.text == "new" && reported == 2)
    }

    /// Keeping marked text as Ctrl+S does: the target clause is selected.
    @Test func keptTextLeavesAllCarets() {
        let scene = composing("abcdef", [1, 3, 5], "にほ")
        scene.view.inputContext.discardMarkedText()
        #expect(scene.view.text == "aにほbcにほdeにほf" && carets(scene) == [3, 7, 11])
    }

    @Test func theClickThatEndsACompositionLandsWhereItWasMade() {
        let scene = composing((0..<100).map { "line \($0)\n" }.joined(), [3], "にほ")
        scene.view.presenter.scroll(byClicks: Vector(dx: 0, dy: 10))
        _ = scene.paint()
        let point = ViewPoint(x: 20, y: 100)
        let wanted = scene.view.offset(at: point)
        scene.click(at: point)
        #expect(carets(scene) == [wanted.value] && scene.view.offset(at: point) == wanted)
    }

    @Test func aLateCommandAtItsAnchorLeavesAllCarets() {
        let scene = composing("abcdef", [1, 3, 5], "に")
        scene.view.inputContext.discardMarkedText()
        let select = scene.view.makeSelectionAnchor()
        scene.view.selectedTextRange = scene.view.range(0, 0)
        scene.view.insertText("xy")
        select?()
        #expect(scene.view.text == "xyaにbcにdeにf" && carets(scene) == [4, 7, 10])
    }

    @Test func aMoveBetweenTwoViewsOfATextIsOneStep() throws {
        let one = ViewScene("ab[cd|]ef\n")
        let other = ViewScene(store: one.view.store)
        one.view.store.removeAllUndo()
        let (dragged, copied) = try #require(one.view.session.beginDragging())
        #expect(other.view.drop(copied, at: ViewPoint(x: 0, y: 5)))
        one.view.session.endDragging(dragged, deleting: true)
        #expect(one.view.text == "cdabef\n")
        other.view.session.undo()
        #expect(one.view.text == "abcdef\n" && !one.view.store.canUndo)
        other.view.session.redo()
        #expect(one.view.text == "cdabef\n" && !one.view.store.canRedo)
    }

    /// Arbitrary texts that an input method may send.
    @Test(arguments: ["", "\u{0}", "a\u{0}b", "日\n本", String(repeating: "長", count: 3000)])
    func anyTextCanBeDrawnAndCommittedInALimitedField(text: String) {
        for (isSecure, carets) in [(false, [0]), (true, [0]), (false, [0, 2, 4])] {
            let scene = ViewScene("|")
            let view = scene.view
            view.text = "abcd"
            view.options.maximumLength = 8
            view.options.isSingleLine = true
            view.options.isSecureTextEntry = isSecure
            view.select(Selection(carets.map { SelectionRange(caret: UTF16Offset($0)) }))
            for _ in 0..<3 {
                view.inputContext.receive([
                    .preeditStart,
                    .preeditDraw(
                        PreeditDraw(caret: 9999, changeFirst: -3, changeLength: 50, text: text, feedback: [.reverse])),
                    .preeditCaret(PreeditCaret(direction: .absolute, position: 77, style: .primary)),
                ])
                view.inputContext.receive([.commit(text), .commit(text), .preeditDone])
                view.inputContext.discardMarkedText()
                #expect(view.markedText == nil && view.text.count <= 8 && !view.text.contains("\n"))
            }
            while view.store.canUndo { view.session.undo() }
        }
    }
}

extension Range<Int> {
    fileprivate func moved(_ distance: Int) -> Range<Int> { lowerBound + distance..<upperBound + distance }
}
