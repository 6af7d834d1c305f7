import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// A view's commands, keys and compositions have exactly the results of the state's functions without a view.
@Suite(.timeLimit(.minutes(5))) struct StateAndViewTests {
    private static let commands = EditCommand.all.filter {
        // Excluded: copying needs a host, paging needs the view's height, and the others are not the text's.
        ![
            .pageUp, .pageDown, .pageUpAndModifySelection, .pageDownAndModifySelection, .undo, .redo,
            .insertCharacterByCode,
        ].contains($0)
    }

    @Test(arguments: 1...25) func randomCommandsLeaveTheSame(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let text = "One two, three\n\tfour fünf 日本語 אבג דהו\r\nsix seven e\u{301}ight\n\nnine 🇩🇪👨‍👩‍👧 ten"
        let view = ViewScene(CaretNotation("|" + text), width: 400)
        let value = EditingScene("|" + text)
        value.options = view.view.options
        // The view's scroll bar and margins make its layout narrower. In right-to-left lines every x depends on the
        // width, so share it.
        value.layout.container = view.view.layout.container
        view.view.store.removeAllUndo()
        for step in 0..<80 {
            let what: String
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                let length = value.state.textRange.upperBound.value
                func place() -> UTF16Offset {
                    value.store.text.roundedDown(
                        toGrapheme: UTF16Offset(Int.random(in: 0...length, using: &random)))
                }
                let ranges = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    SelectionRange(anchor: place(), head: place())
                }
                let new = Selection(ranges)
                view.view.select(new)
                value.make(value.state.selecting(new))
                what = "select \(new.map(\.description) ?? "")"
            case 1, 2:
                let typed = ["a", " ", "日本", "e\u{301}", "\n"].randomElement(using: &random) ?? ""
                view.view.insertText(typed)
                value.make(value.state.ending(before: .selection))
                value.make(value.state.inserting(typed, over: .selection))
                what = "type \(typed.debugDescription)"
            case 3:
                let marked = ["に", "にほん", "x"].randomElement(using: &random) ?? ""
                view.view.setMarkedText(InputText(marked), selectedRange: .notFound, replacementRange: .notFound)
                value.make(value.state.marking(InputText(marked), over: .composed, selected: .notFound))
                what = "mark \(marked)"
            case 4:
                view.view.insertText("語", replacementRange: .notFound)
                value.make(value.state.inserting("語", over: .composed))
                what = "commit"
            case 5:
                let undoes = Bool.random(using: &random)
                guard view.view.perform(undoes ? .undo : .redo) else { continue }
                value.make(value.state.ending(.keeping))
                _ = undoes ? value.store.undo(in: value.state.view) : value.store.redo(in: value.state.view)
                what = undoes ? "undo" : "redo"
            default:
                // Skip commands that cannot be performed, as menus and keys do.
                guard let command = Self.commands.randomElement(using: &random), value.state.canPerform(command) else {
                    continue
                }
                view.view.perform(command)
                value.perform(command)
                what = command.rawValue
            }
            guard view.view.text == value.state.string(in: value.state.textRange),
                view.view.selection == value.state.selection,
                view.view.markedText == value.state.markedText
            else {
                let shown = EditingScene.write(view.view.text, view.view.selection)
                Issue.record("seed \(seed), step \(step), \(what):\nview  \(shown)\nstate \(value.notation)")
                return
            }
        }
    }

    /// Two views of one text with their own selections, and edits by the program: each selection follows its own
    /// view's transactions and is mapped through the others', and undo restores everything.
    @Test(arguments: 1...25) func twoViewsKeepTheirSelectionsApart(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let store = TextStore("0123456789")
        let a = ViewScene(store: store)
        let b = ViewScene(store: store)
        var model = Array("0123456789".utf16)
        // The caret of each view in the model.
        var carets = [0, 0]
        for step in 0..<60 {
            let index = Int.random(in: 0..<2, using: &random)
            let view = index == 0 ? a.view : b.view
            let at = carets[index]
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                carets[index] = Int.random(in: 0...model.count, using: &random)
                view.select(Selection(caret: UTF16Offset(carets[index])))
            case 1:
                let letter = UInt16(0x61 + step % 26)
                view.insertText(String(decoding: [letter], as: UTF16.self))
                model.insert(letter, at: at)
                for other in 0..<2 where carets[other] >= at { carets[other] += 1 }
            case 2:
                view.deleteBackward()
                guard at > 0 else { continue }
                model.remove(at: at - 1)
                for other in 0..<2 where carets[other] >= at { carets[other] -= 1 }
            default:
                let low = Int.random(in: 0...model.count, using: &random)
                let high = Int.random(in: low...model.count, using: &random)
                view.session.replaceText(in: UTF16Offset(low)..<UTF16Offset(high), with: "<>")
                model.replaceSubrange(low..<high, with: Array("<>".utf16))
                for other in 0..<2 {
                    let caret = carets[other]
                    if caret < low { continue }
                    // A caret at an end of a replaced range stays at this end; one inside moves after the new text.
                    if caret == low, low < high { continue }
                    carets[other] = caret > high ? caret + 2 - (high - low) : low + 2
                }
            }
            let found = [a, b].map { $0.view.selection?.range ?? 0..<0 }
            #expect(
                found == carets.map { UTF16Offset($0)..<UTF16Offset($0) } && Array(a.view.text.utf16) == model,
                "seed \(seed), step \(step)")
        }
        while store.canUndo { (Bool.random(using: &random) ? a : b).view.session.undo() }
        #expect(store.text == "0123456789" && a.view.text == b.view.text)
    }
}
