import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import TextTestSupport

@testable import InkstoneView

/// Random actions by keys.
extension RandomUser {
    /// Performs the command that the desktop's key table binds to a key.
    private func strike(_ name: String) {
        guard let stroke = KeyStroke(name), case .commands(let commands) = KeyBindingTable.desktop.match([stroke])
        else {
            return expect(false, "\(name) is not bound")
        }
        for command in commands { view.perform(command) }
        note(name)
    }

    private func isCaretShown() {
        guard let primary = view.selection?.primary else { return }
        let rect = caret(primary.head.value, primary.affinity)
        expect(rect.minY >= 0 && rect.maxY <= view.frame.height, "the caret at \(rect) is out of sight")
    }

    func type() {
        for _ in 0..<1 + random.below(4) {
            let text = ["a", "b", " ", "é", "日", "😀", "\n"][random.below(7)]
            replace(.typing) { ($0.low..<$0.high, text) }
            if text == "\n" {
                strike("Return")
            } else {
                view.insertText(text)
                note("type \(text)")
            }
            isCaretShown()
        }
    }

    func delete() {
        let key = ["BackSpace", "Delete", "Ctrl+BackSpace", "Ctrl+Delete"][random.below(4)]
        let places = boundaries
        let geometry = view.geometry
        let had = view.selection?.ranges ?? []
        replace(.deleting) { range in
            guard range.isCaret else { return (range.low..<range.high, "") }
            let at = range.head
            var other = at
            switch key {
            case "BackSpace": other = places.last { $0 < at } ?? 0
            case "Delete": other = places.first { $0 > at } ?? at
            default:
                let place = had.first { $0.head.value == at }?.place ?? CaretPlace(UTF16Offset(at))
                let direction: TextDirection = key == "Ctrl+Delete" ? .forward : .backward
                other = geometry.place(from: place, direction, .word).offset.value
                expect(key == "Ctrl+Delete" ? other >= at : other <= at, "a word the other way")
            }
            return (min(at, other)..<max(at, other), "")
        }
        strike(key)
    }

    func undo() {
        for _ in 0..<1 + random.below(3) {
            if random.once(in: 3) {
                model.redo(by: 0)
                strike(["Ctrl+Shift+z", "Ctrl+y"][random.below(2)])
            } else {
                model.undo(by: 0)
                strike("Ctrl+z")
            }
        }
    }

    // MARK: Clipboard

    func clipboard() {
        let pieces = pieces
        let expected = selectedText
        switch random.below(3) {
        case 0:
            scene.copiedText = nil
            strike("Ctrl+c")
            expect(
                scene.copied == expected, "copied is \(scene.copied.debugDescription), not \(expected.debugDescription)"
            )
        case 1:
            scene.copiedText = nil
            if expected != nil { replace(.deleting) { ($0.low..<$0.high, "") } }
            strike("Ctrl+x")
            expect(
                scene.copied == expected, "cut is \(scene.copied.debugDescription), not \(expected.debugDescription)")
        default:
            let foreign = ["one", "x\ny", "1\n2\n3\n"][random.below(3)]
            let copied = scene.copiedText
            let text = copied?.text ?? foreign
            let count = model.cursors[0].ranges.count
            var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            if text.hasSuffix("\n") { lines.removeLast() }
            let kept = copied?.pieces.map { $0.map { $0.rope.string(in: $0.rope.byteRange) } }
            let shares = count < 2 ? nil : [kept, lines].compactMap { $0 }.first { $0.count == count }
            var index = 0
            replace(.step) {
                defer { index += 1 }
                return ($0.low..<$0.high, shares?[index] ?? text)
            }
            strike("Ctrl+v")
            guard let paste = scene.pastes.popLast() else { return expect(false, "nothing was asked for") }
            if let copied { view.session.paste(copied, for: paste) } else { view.session.paste(foreign, for: paste) }
            note("paste \(text.debugDescription)")
            isCaretShown()
            // Another program replaces the clipboard.
            if random.once(in: 3) { scene.copiedText = nil }
        }
        if let copied = scene.copiedText, !pieces.isEmpty, copied.text == expected, model.cursors[0].ranges.count > 1 {
            expect(copied.pieces?.count == pieces.count, "it has \(copied.pieces?.count ?? 0) pieces")
        }
    }

    // MARK: Moving

    private static let moves = [
        "Left", "Right", "Up", "Down", "Home", "End", "PageUp", "PageDown", "Ctrl+Left", "Ctrl+Right", "Ctrl+Up",
        "Ctrl+Down", "Ctrl+Home", "Ctrl+End",
    ]
    private static let others = ["Ctrl+a", "Escape", "Ctrl+Alt+Up", "Ctrl+Alt+Down", "Ctrl+d", "Ctrl+Shift+l"]

    func move() {
        let old = model.cursors[0]
        if random.once(in: 3) { return select(Self.others[random.below(Self.others.count)], old) }
        let name = Self.moves[random.below(Self.moves.count)]
        let isExtending = random.once(in: 2)
        let places = boundaries
        strike(isExtending ? "Shift+" + name : name)
        isCaretShown()
        func moved(_ to: (CursorModel.Range) -> Int) {
            selected(
                CursorModel(
                    old.ranges.map { range in
                        let head = to(range)
                        return .init(isExtending ? range.anchor : head, head)
                    }, primary: old.primary), byPointer: false)
        }
        switch name {
        case "Left" where runsOneWay:
            moved { range in
                !isExtending && !range.isCaret ? range.low : places.last { $0 < range.head } ?? 0
            }
        case "Right" where runsOneWay:
            moved { range in
                !isExtending && !range.isCaret ? range.high : places.first { $0 > range.head } ?? range.head
            }
        case "Ctrl+Home": moved { _ in 0 }
        case "Ctrl+End": moved { _ in places.last ?? 0 }
        default: adoptSelection()
        }
    }

    private func select(_ name: String, _ old: CursorModel) {
        let before = view.selection
        strike(name)
        let count = view.selection?.count ?? 0
        switch name {
        case "Ctrl+a": selected(CursorModel([.init(0, model.units.count)], primary: 0), byPointer: false)
        case "Escape":
            let range = old.ranges[old.primary]
            if old.ranges.count == 1, range.isCaret { return }
            selected(
                CursorModel([old.ranges.count > 1 ? range : .init(range.head, range.head)], primary: 0),
                byPointer: false)
        case "Ctrl+Alt+Up", "Ctrl+Alt+Down":
            expect(abs(count - old.ranges.count) <= 1 || old.ranges.count > 1, "\(count) of \(old.ranges.count)")
            if view.selection != before { adoptSelection() }
        case "Ctrl+d":
            if view.selection == before { return }
            adoptSelection()
            guard !old.ranges.contains(where: \.isCaret) else { return }
            let wanted = old.ranges[old.primary]
            let texts = pieces
            expect(count == old.ranges.count + 1, "\(count) ranges of \(old.ranges.count)")
            let text = String(decoding: model.units[wanted.low..<wanted.high].map(\.letter), as: UTF16.self)
            expect(texts.filter { $0 == text }.count > 1, "\(text.debugDescription) is not selected once more")
        default:
            var parts: [CursorModel.Range] = []
            var primary = 0
            for (index, range) in old.ranges.enumerated() {
                var low = range.low
                let isForward = range.anchor <= range.head
                while true {
                    let whole = paragraph(at: low)
                    let hasEnd = whole.upperBound > low && model.units[whole.upperBound - 1].letter == 10
                    let high = min(range.high, hasEnd ? whole.upperBound - 1 : whole.upperBound)
                    if low < range.high || range.isCaret || low == range.low {
                        parts.append(isForward ? .init(low, high) : .init(high, low))
                    }
                    guard hasEnd, whole.upperBound <= range.high else { break }
                    low = whole.upperBound
                    if low == range.high, !range.isCaret { break }
                }
                if index == old.primary { primary = parts.count - 1 }
            }
            if parts.count > old.ranges.count { selected(CursorModel(parts, primary: primary), byPointer: false) }
        }
    }
}
