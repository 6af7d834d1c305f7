import InkstoneBase
import InkstoneBus
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing
import TextTestSupport

@testable import InkstoneAccessibility

/// A tree of one window with one text, and the events sent to readers.
final class TreeScene {
    let scene: ViewScene
    let tree = AccessibleTree("test")
    let window = AccessibleNode(.frame, name: "window")
    let node: AccessibleNode
    var notices: [AccessibleTree.Notice] = []

    init(_ text: String, secure: Bool = false) {
        scene = ViewScene(text: text, secure: secure)
        node = AccessibleNode(scene.view, name: "text")
        window.add(node)
        tree.root.add(window)
        tree.onNotice = { [unowned self] in notices.append($0) }
    }

    var view: EditorView { scene.view }

    /// Returns the events since the last call, in short form.
    func take() -> [String] {
        defer { notices = [] }
        return notices.map { notice in
            var line = notice.member
            if !notice.detail.isEmpty { line += " " + notice.detail }
            if case .text(let text) = notice.value, notice.member == "TextChanged" {
                return line + " \(notice.first) \(notice.second) \(text)"
            }
            return notice.member == "TextSelectionChanged" ? line : line + " \(notice.first)"
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct AccessibleEventTests {
    @Test func oneEditIsADeletionAnInsertionTheCaretAndTheSelection() {
        let scene = TreeScene("Hello there")
        scene.view.insertText("x")
        #expect(scene.take() == ["TextChanged insert 0 1 x", "TextCaretMoved 1"])
        scene.view.deleteBackward()
        #expect(scene.take() == ["TextChanged delete 0 1 x", "TextCaretMoved 0"])
        scene.view.perform(.deleteForward)
        #expect(scene.take() == ["TextChanged delete 0 1 H"])
        scene.view.select(Selection(anchor: 0, head: 4))
        #expect(scene.take() == ["TextCaretMoved 4", "TextSelectionChanged"])
        scene.view.insertText("😀q")
        #expect(
            scene.take() == [
                "TextChanged delete 0 4 ello", "TextChanged insert 0 2 😀q", "TextCaretMoved 2", "TextSelectionChanged",
            ])
        scene.view.session.undo()
        #expect(scene.take().prefix(2) == ["TextChanged delete 0 2 😀q", "TextChanged insert 0 4 ello"])
    }

    @Test func aMachinesEditsAreMarked() {
        let scene = TreeScene("abc")
        scene.view.session.replaceText(in: 1..<2, with: "xy")
        #expect(scene.take().prefix(2) == ["TextChanged delete/system 1 1 b", "TextChanged insert/system 1 2 xy"])
    }

    @Test func aCompositionIsTheMachinesUntilItIsCommitted() {
        let scene = TreeScene("ab")
        scene.view.select(Selection(caret: 1))
        _ = scene.take()
        let range = UTF16Range(1..<1)
        scene.view.setMarkedText("か", selectedRange: range, replacementRange: .notFound)
        #expect(scene.take() == ["TextChanged insert/system 1 1 か", "TextCaretMoved 2"])
        scene.view.setMarkedText("かな", selectedRange: UTF16Range(2..<2), replacementRange: .notFound)
        #expect(
            scene.take() == ["TextChanged delete/system 1 1 か", "TextChanged insert/system 1 2 かな", "TextCaretMoved 3"])
        scene.view.insertText("仮名", replacementRange: .notFound)
        #expect(scene.take() == ["TextChanged delete/system 1 2 かな", "TextChanged insert 1 2 仮名", "TextCaretMoved 3"])
        scene.view.setMarkedText("x", selectedRange: range, replacementRange: .notFound)
        _ = scene.take()
        scene.view.unmarkText()
        #expect(scene.take() == ["TextChanged delete/system 3 1 x", "TextChanged insert 3 1 x", "TextCaretMoved 4"])
        scene.view.setMarkedText("y", selectedRange: range, replacementRange: .notFound)
        scene.view.setMarkedText("", selectedRange: UTF16Range(0..<0), replacementRange: .notFound)
        #expect(scene.take().contains("TextChanged delete/system 4 1 y"))
    }

    /// Orca announces “selection deleted” when selected text is removed, so the target clause must not be reported
    /// as selected.
    @Test func theClauseOfACompositionIsNotSelected() {
        let scene = TreeScene("ab")
        scene.view.setMarkedText("かな", selectedRange: UTF16Range(0..<2), replacementRange: .notFound)
        #expect(!scene.take().contains { $0.contains("SelectionChanged") })
        #expect(scene.node.text?.current?.selections == [])
        scene.view.insertText("仮名", replacementRange: .notFound)
        #expect(!scene.take().contains { $0.contains("SelectionChanged") })
        scene.view.select(Selection(anchor: 0, head: 2))
        #expect(scene.take().contains { $0.contains("SelectionChanged") })
        #expect(scene.node.text?.current?.selections == [0..<2])
    }

    @Test func aPasswordsEventsAreBullets() {
        let scene = TreeScene("ab", secure: true)
        scene.view.insertText("c")
        scene.view.deleteBackward()
        #expect(
            scene.take() == [
                "TextChanged insert 0 1 •", "TextCaretMoved 1", "TextChanged delete 0 1 •", "TextCaretMoved 0",
            ])
        #expect(scene.node.role == .passwordText)
    }

    @Test func focusAndOptionsAreStates() {
        let scene = TreeScene("ab")
        #expect(scene.node.states.isSuperset(of: [.editable, .focused, .multiLine, .focusable, .showing, .visible]))
        scene.view.setFocused(false)
        scene.view.isEditable = false
        scene.view.options.isSingleLine = true
        #expect(
            scene.take() == [
                "StateChanged focused 0", "StateChanged editable 0", "StateChanged read-only 1",
                "StateChanged multi-line 0", "StateChanged single-line 1",
            ])
        scene.window.ownStates.insert(.active)
        #expect(scene.take() == ["Activate 0", "StateChanged active 1"])
        scene.window.ownStates.remove(.showing)
        #expect(scene.take() == ["StateChanged showing 0", "StateChanged showing 0"])
        scene.window.name = "other"
        #expect(scene.take() == ["PropertyChange accessible-name 0"])
        let bar = AccessibleNode(.panel)
        scene.window.add(bar)
        scene.window.remove(bar)
        #expect(scene.take() == ["ChildrenChanged add 1", "ChildrenChanged remove 1"])
        #expect(bar.id == 0 && scene.tree.node(4) == nil)
    }

    @Test func largeChangesCarryTheirLengthAndTheirBeginning() {
        let scene = TreeScene("")
        scene.view.session.replaceText(in: 0..<0, with: String(repeating: "é", count: 100_000))
        let notice = scene.notices[0]
        guard case .text(let text) = notice.value else {
            Issue.record("no text")
            return
        }
        #expect(notice.second == 100_000 && text.unicodeScalars.count == AccessibleTextSource.longestText / 2)
    }

    /// 2,000 edits, or 10⁴ in the long tests.
    @Test(arguments: UInt64(1)...(isLongTier ? 40 : 8)) func textRebuiltFromEventsIsTheText(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let scene = TreeScene("abc\nשלום\r\n👩‍👩‍👧 日本")
        let view = scene.view
        var model = Array(view.text.unicodeScalars)
        let parts = ["a", "word ", "\n", "é", "日本", "👩‍👩‍👧", "𝒳", "e\u{301}", "ש", "\r\n"]
        for step in 0..<250 {
            let length = view.textRange.upperBound.value
            let place = UTF16Offset(random.below(length + 1))
            switch random.below(9) {
            case 0: view.select(Selection(caret: view.store.text.roundedDown(toGrapheme: place)))
            case 1:
                let end = min(UTF16Offset(length), place + random.below(8))
                view.select(
                    Selection(
                        anchor: view.store.text.roundedDown(toGrapheme: place),
                        head: view.store.text.roundedDown(toGrapheme: end)))
            case 2: view.deleteBackward()
            case 3: view.session.undo()
            case 4: view.session.redo()
            case 5:
                view.setMarkedText(
                    InputText(parts[random.below(parts.count)]), selectedRange: UTF16Range(0..<0),
                    replacementRange: .notFound)
            case 6:
                let ranges = [place, UTF16Offset(random.below(length + 1))].map {
                    view.store.text.roundedDown(toGrapheme: $0)
                }
                if let several = Selection(ranges.map { SelectionRange(caret: $0) }) { view.select(several) }
            case 7: _ = AccessibleText(of: view).delete(from: random.below(length + 1), to: random.below(length + 1))
            default: view.insertText(parts[random.below(parts.count)])
            }
            for notice in scene.notices where notice.member == "TextChanged" {
                guard case .text(let text) = notice.value else { continue }
                let changed = Array(text.unicodeScalars)
                if notice.detail.hasPrefix("insert") {
                    model.insert(contentsOf: changed, at: notice.first)
                } else {
                    let range = notice.first..<notice.first + notice.second
                    #expect(range.upperBound <= model.count && Array(model[range]) == changed, "step \(step)")
                    guard range.upperBound <= model.count else { return }
                    model.removeSubrange(range)
                }
            }
            if let moved = scene.notices.last(where: { $0.member == "TextCaretMoved" }) {
                #expect(moved.first == AccessibleText(of: view).caret)
            }
            scene.notices = []
            #expect(model == Array(view.text.unicodeScalars), "seed \(seed), step \(step)")
            if model != Array(view.text.unicodeScalars) { return }
        }
    }
}
