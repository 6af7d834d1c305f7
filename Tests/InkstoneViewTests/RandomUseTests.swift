import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing
import TextTestSupport

@testable import InkstoneView

/// 10,000 random actions of pointer, keys, wheel and scroll bar, against ``DocumentModel`` and plain geometry: text, undo, clipboard and what
/// several selections do exactly; where lines lie, what any user could see.
@Suite(.timeLimit(.minutes(5))) struct RandomUseTests {
    @Test(arguments: UInt64(1)...50) func twoHundredActionsDoWhatTheModelSays(run: UInt64) {
        let seed = SeededGenerator.seedOfThisRun &* 1000 &+ run
        let user = RandomUser(seed: seed)
        for _ in 0..<200 {
            user.act()
            user.check()
            // What comes after the first fault is only its consequence.
            if !user.faults.isEmpty { break }
        }
        if user.faults.isEmpty { user.takeEverythingBack() }
        #expect(user.faults.isEmpty, "INKSTONE_SEED=\(SeededGenerator.seedOfThisRun), run \(run):\n\(user.report)")
    }
}

/// Uses a view at random, and knows what has to come of it.
final class RandomUser: TextInteractionHost {
    /// Texts whose lines run from left to right alone, and one where they do not.
    private static let texts = [
        "one two three\nfour five\n\nsix seven eight nine ten eleven twelve thirteen fourteen\nfif\tteen\tend\nlast",
        "naïve cafe\u{301} 日本語の本 x\n😀 👩‍👩‍👧 family 🇩🇪🇫🇷 flags\n\n\te\u{301}e\u{301} wide\nab",
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omikron pi rho sigma tau\n\n\nend\n",
        "abc שלום עולם def\nשורה אחת\nplain one\nשתי abc מילים 123 סוף\n",
    ]

    let scene: ViewScene
    var view: EditorView { scene.view }
    var model: DocumentModel
    var random: SeededGenerator
    let original: String
    /// Whether the x of carets grows with their offsets on each line.
    let runsOneWay: Bool
    /// What is selected, for others to paste.
    private var primary: String?
    private var expectedPrimary: String?
    private var steps: [String] = []
    private(set) var faults: [String] = []

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        let number = random.below(Self.texts.count)
        original = Self.texts[number]
        runsOneWay = number < 3
        let store = TextStore(Rope(original))
        store.clock = { 0 }
        scene = ViewScene(store: store, frame: WindowRect(x: 0, y: 0, width: 260, height: 110))
        model = DocumentModel(original, views: 1)
        scene.view.interaction.host = self
        _ = scene.paint()
    }

    var report: String {
        "\(faults.joined(separator: "\n"))\nafter:\n\(steps.suffix(8).joined(separator: "\n"))"
    }

    func expect(_ isRight: Bool, _ what: @autoclosure () -> String) { if !isRight { faults.append(what()) } }

    private func note(_ step: String) {
        steps.append(
            "\(step) → \(view.text.debugDescription) \(view.selection?.description ?? "none"), at \(view.viewport.scroll.y)"
        )
    }

    // MARK: What the program around the view does

    func textInteraction(_ interaction: TextInteraction, didSelectAt time: UInt32) { primary = view.selectedText }

    func textInteraction(_ interaction: TextInteraction, pastePrimaryAt position: TextPosition, time: UInt32) {
        guard let primary else { return }
        let paste = view.deferPaste(over: position.offset..<position.offset)
        view.select(Selection(caret: position.offset), scrolling: false)
        view.paste(primary, for: paste)
    }

    // MARK: Actions

    func act() {
        switch random.below(20) {
        case 0..<4: click()
        case 4..<7: drag()
        case 7: rectangle()
        case 8: severalCarets()
        case 9: middleClick()
        case 10: scroll()
        case 11..<15: type()
        case 15..<17: delete()
        case 17: clipboard()
        case 18: random.once(in: 2) ? undo() : move()
        default: move()
        }
    }

    /// What always holds.
    func check() {
        let text = view.text
        expect(text.utf16.elementsEqual(model.text.utf16), "the text is not \(model.text.debugDescription)")
        let cursor = view.selection.map(CursorModel.init)
        expect(cursor == model.cursors[0], "the selection is not \(model.cursors[0].selection?.description ?? "none")")
        expect(
            view.store.canUndo == model.canUndo && view.store.canRedo == model.canRedo,
            "undo \(model.canUndo), redo \(model.canRedo)")
        expect(primary == expectedPrimary, "PRIMARY is \(primary ?? "nil"), not \(expectedPrimary ?? "nil")")
        let places = Set(boundaries)
        var last = -1
        for range in cursor?.ranges ?? [] {
            expect(places.contains(range.low) && places.contains(range.high), "\(range) splits a character")
            expect(range.low > last || range.low == last && !range.isCaret, "\(range) is not behind \(last)")
            last = range.high
        }
        let end = caret(text.utf16.count)
        let height = end.maxY + view.viewport.scroll.y - view.theme.margin
        let room = view.frame.height - 2 * view.theme.margin
        let most = max(0, (height - room).rounded(.up))
        expect(
            view.viewport.scroll.y >= 0 && view.viewport.scroll.y <= most && view.viewport.scroll.x == 0,
            "scrolled to \(view.viewport.scroll), at most \(most)")
        // What one sees has been laid out.
        let canvas = scene.paint()
        if random.once(in: 8) { checkPicture(canvas) }
    }

    /// Each character is painted on the selection's colour if it is selected, and no other is.
    private func checkPicture(_ canvas: RecordingCanvas) {
        let fills = canvas.fills(view.theme.selection)
        let units = Array(view.text.utf16)
        for (low, high) in zip(boundaries, boundaries.dropFirst()) where units[low] != 10 {
            let rect = view.firstRect(for: view.range(UTF16Offset(low)..<UTF16Offset(high)))
            let middle = WindowPoint(x: rect.minX + rect.width / 2, y: rect.minY + rect.height / 2)
            guard (1..<view.frame.height - 1).contains(middle.y), rect.width > 1 else { continue }
            let isSelected = model.cursors[0].ranges.contains { $0.low <= low && high <= $0.high }
            expect(
                fills.contains { $0.contains(middle) } == isSelected,
                "\(low)..<\(high) at \(middle) is\(isSelected ? " not" : "") shown as selected")
        }
    }

    /// All steps back, and all of them again.
    func takeEverythingBack() {
        let last = view.text
        let hadMore = view.store.canRedo
        var count = 0
        while view.store.canUndo {
            view.perform(.undo)
            model.undo(by: 0)
            count += 1
        }
        expect(view.text == original, "undone it is \(view.text.debugDescription)")
        check()
        for _ in 0..<count {
            view.perform(.redo)
            model.redo(by: 0)
        }
        expect(view.text == last && view.store.canRedo == hadMore, "made again it is \(view.text.debugDescription)")
        check()
    }

    // MARK: Geometry

    /// Where characters begin and end, in UTF-16 units.
    var boundaries: [Int] {
        var at = 0
        return [0]
            + model.text.map {
                at += $0.utf16.count; return at
            }
    }

    private func caret(_ offset: Int, _ affinity: TextAffinity = .downstream) -> ViewRect {
        view.caretRect(for: view.position(UTF16Offset(offset), affinity))
    }

    private func anyPoint(beyond: Double = 0) -> ViewPoint {
        let width = Int(view.viewport.textArea.width + 2 * beyond)
        let height = Int(view.frame.height + 2 * beyond)
        return ViewPoint(
            x: Double(random.below(width)) - beyond + 0.5, y: Double(random.below(height)) - beyond + 0.5)
    }

    /// The offsets whose carets lie nearest to a point: of those on its line, or the nearest one, by their x. Carets are as high as their
    /// lines but for a part of a pixel, so that there may be two lines.
    private func nearest(_ point: ViewPoint) -> Set<Int> {
        var rows: [Double: (dy: Double, carets: [(offset: Int, dx: Double)])] = [:]
        var distance = Double.infinity
        for offset in boundaries {
            for affinity in [TextAffinity.downstream, .upstream] {
                let rect = caret(offset, affinity)
                let dy = max(0, rect.minY - point.y, point.y - rect.maxY)
                rows[rect.minY, default: (dy, [])].carets.append((offset, abs(rect.minX - point.x)))
                distance = min(distance, dy)
            }
        }
        return Set(
            rows.values.filter { $0.dy <= distance + 1 }.flatMap { row in
                let least = row.carets.map(\.dx).min() ?? 0
                return row.carets.filter { $0.dx <= least + 1.5 }.map(\.offset)
            })
    }

    /// An offset that the view says is at a point, which has to be one of the nearest.
    private func place(_ point: ViewPoint) -> Int {
        let found = view.offset(at: point).value
        let nearest = nearest(point)
        expect(!runsOneWay || nearest.contains(found), "at \(point) is \(found), not \(nearest)")
        return found
    }

    /// Whether a click at a point scrolls nothing, because its line is in sight: else the next click may meet another.
    private func isWhole(at point: ViewPoint) -> Bool {
        let place = view.place(closestTo: point)
        let rect = caret(place.offset.value, place.affinity)
        let margin = view.theme.margin
        return rect.minY >= margin && rect.maxY <= view.frame.height - margin && rect.minY + 1 < point.y
            && point.y < rect.maxY - 1
    }

    /// The character under a point, if there is one.
    private func character(at point: ViewPoint) -> Range<Int>? {
        view.characterRange(at: point).map { $0.start.offset.value..<$0.end.offset.value }
    }

    private func isSelected(at point: ViewPoint) -> Bool {
        guard let character = character(at: point), model.units[character.lowerBound].letter != 10 else { return false }
        return model.cursors[0].ranges.contains { $0.low <= character.lowerBound && character.lowerBound < $0.high }
    }

    private func paragraph(at offset: Int) -> Range<Int> {
        let letters = model.units.map(\.letter)
        let start = letters[..<offset].lastIndex(of: 10).map { $0 + 1 } ?? 0
        let end = letters[offset...].firstIndex(of: 10).map { $0 + 1 } ?? letters.count
        return start..<end
    }

    // MARK: Selecting

    private func selected(_ cursor: CursorModel, byPointer: Bool = true) {
        model.cursors[0] = cursor
        model.close()
        if byPointer, let text = selectedText { expectedPrimary = text }
    }

    /// What the view has selected is taken for right, but for what is checked of it.
    private func adoptSelection(byPointer: Bool = false) {
        guard let selection = view.selection else { return expect(false, "nothing is selected") }
        selected(CursorModel(selection), byPointer: byPointer)
    }

    private func click() {
        let point = anyPoint()
        let count = isWhole(at: point) ? 1 + random.below(3) : 1
        let offset = place(point)
        let under = character(at: point)
        if random.once(in: 4) {
            let old = view.selection?.primary
            scene.click(at: point, .shift)
            note("click with Shift at \(point)")
            guard old?.granularity == .character else { return adoptSelection(byPointer: true) }
            return selected(CursorModel([.init(old?.anchor.value ?? 0, offset)], primary: 0))
        }
        scene.click(at: point, count: count)
        note("\(count) clicks at \(point)")
        switch count {
        case 1: selected(CursorModel(caret: offset))
        case 2:
            adoptSelection(byPointer: true)
            if let under { expect(covers(under), "the word has not what was clicked, \(under)") }
        default:
            let whole = paragraph(at: offset)
            selected(CursorModel([.init(whole.lowerBound, whole.upperBound)], primary: 0))
        }
    }

    private func covers(_ range: Range<Int>) -> Bool {
        model.units[range.lowerBound].letter == 10
            || model.cursors[0].ranges.contains { $0.low <= range.lowerBound && range.upperBound <= $0.high }
    }

    private func drag() {
        let start = anyPoint()
        let count = isWhole(at: start) ? 1 + random.below(3) : 1
        let anchor = place(start)
        let under = character(at: start)
        scene.press(at: start, count: count)
        var end = start
        for _ in 0..<1 + random.below(3) {
            end = anyPoint(beyond: 40)
            scene.drag(to: end)
            if random.once(in: 4) { scene.pass(milliseconds: 200) }
            if random.once(in: 4) { turnWheel(at: end) }
        }
        // A drag of selected text begins beyond the threshold only.
        let isFar = end.isBeyond(scene.view.interaction.settings.dragThreshold, from: start)
        let head = place(end)
        let last = character(at: end)
        scene.release(at: end)
        note("drag by \(count) from \(start) to \(end)")
        switch count {
        case 1 where isFar: selected(CursorModel([.init(anchor, head)], primary: 0))
        case 1: adoptSelection(byPointer: true)
        case 2:
            adoptSelection(byPointer: true)
            for range in [under, last].compactMap({ $0 }) { expect(covers(range), "\(range) is not in the words") }
        default:
            let (first, other) = (paragraph(at: anchor), paragraph(at: head))
            let isForward = other.lowerBound >= first.lowerBound
            selected(
                CursorModel(
                    [
                        isForward
                            ? .init(first.lowerBound, other.upperBound) : .init(first.upperBound, other.lowerBound)
                    ], primary: 0))
        }
    }

    private func rectangle() {
        let start = anyPoint()
        let end = anyPoint()
        // Both ways that there are.
        let modifiers: KeyModifiers = random.once(in: 2) ? .alt : [.control, .shift]
        scene.press(at: start, modifiers)
        scene.drag(to: end, modifiers)
        var inside: [(Range<Int>, isInside: Bool)] = []
        if runsOneWay {
            let rects = zip(boundaries, boundaries.dropFirst()).map { ($0..<$1, caret($0), caret($1, .upstream)) }
            let bottom = caret(model.units.count).maxY - 2
            let low = min(max(min(start.y, end.y), caret(0).minY + 2), bottom)
            let high = max(low, min(max(start.y, end.y), bottom))
            for (range, left, right) in rects where left.minY == right.minY && right.minX > left.minX {
                let x = (left.minX + right.minX) / 2
                // Carets lie on whole pixels.
                if min(abs(x - start.x), abs(x - end.x)) < 1.5 { continue }
                if [low, high].contains(where: { min(abs($0 - left.minY), abs($0 - left.maxY)) < 1.5 }) { continue }
                let isBetween = (min(start.x, end.x)...max(start.x, end.x)).contains(x)
                inside.append((range, isBetween && left.minY <= high && left.maxY > low))
            }
        }
        scene.release(at: end, modifiers)
        note("rectangle from \(start) to \(end)")
        adoptSelection(byPointer: true)
        for (range, isInside) in inside {
            let isSelected = model.cursors[0].ranges.contains {
                $0.low <= range.lowerBound && range.upperBound <= $0.high
            }
            expect(
                isSelected == isInside,
                "\(range) at \(caret(range.lowerBound)) is\(isInside ? " not" : "") in the rectangle")
        }
    }

    private func severalCarets() {
        let start = anyPoint()
        let old = model.cursors[0]
        let from = place(start)
        if random.once(in: 2) {
            scene.click(at: start, .control)
            note("click with Ctrl at \(start)")
            let hit = old.ranges.firstIndex { $0.low <= from && from <= $0.high }
            guard let hit else {
                return selected(CursorModel(old.ranges + [.init(from, from)], primary: old.ranges.count))
            }
            var rest = old.ranges
            rest.remove(at: hit)
            let primary = old.primary < hit ? old.primary : max(0, old.primary - 1)
            return selected(rest.isEmpty ? old : CursorModel(rest, primary: primary))
        }
        let end = anyPoint()
        guard end.isBeyond(20, from: start) else { return }
        let takesText = isSelected(at: start)
        scene.press(at: start, .control)
        scene.drag(to: end, .control)
        let to = place(end)
        scene.release(at: end, .control)
        note("drag with Ctrl from \(start) to \(end)")
        // What is selected would be dragged away; nobody takes it, so it is selected anew.
        let kept = takesText ? [] : old.ranges
        selected(CursorModel(kept + [.init(from, to)], primary: kept.count))
    }

    // MARK: Scrolling

    private func turnWheel(at point: ViewPoint) {
        let clicks = Double([-2, -1, 1, 2][random.below(4)])
        let before = view.viewport.scroll.y
        let most = view.viewport.maximumScroll(in: view.layout)
        view.scroll(byClicks: Vector(dx: 0, dy: clicks))
        let expected = min(max(0, before + clicks * 3 * view.lineStep), most)
        expect(
            abs(view.viewport.scroll.y - expected) <= 1, "the wheel came to \(view.viewport.scroll.y), not \(expected)")
        scene.point(.scroll(Vector(dx: 0, dy: clicks)), at: point)
    }

    private func scroll() {
        guard let thumb = view.scrollThumb, random.once(in: 2) else {
            turnWheel(at: anyPoint())
            return note("wheel")
        }
        let x = thumb.minX + 1
        view.scrollBarPressed(at: ViewPoint(x: x, y: Double(random.below(Int(view.frame.height)))))
        let most = view.viewport.maximumScroll(in: view.layout)
        for _ in 0..<random.below(3) {
            view.scrollBarDragged(to: ViewPoint(x: x, y: Double(random.below(200)) - 50))
        }
        view.scrollBarDragged(to: ViewPoint(x: x, y: -500))
        expect(view.viewport.scroll.y == 0, "dragged up it is at \(view.viewport.scroll.y)")
        if random.once(in: 2) {
            view.scrollBarDragged(to: ViewPoint(x: x, y: 500))
            expect(view.viewport.scroll.y == most, "dragged down it is at \(view.viewport.scroll.y) of \(most)")
        }
        view.scrollBarReleased()
        note("scroll bar")
    }

    // MARK: Keys

    /// Performs what a key of the desktop's table stands for.
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

    private func replace(_ joining: DocumentModel.Joining, _ edit: (CursorModel.Range) -> (Range<Int>, String)) {
        var end = 0
        var parts: [DocumentModel.Replacement] = []
        for range in model.cursors[0].ranges {
            let (wanted, new) = edit(range)
            let low = max(end, wanted.lowerBound)
            end = max(end, wanted.upperBound)
            parts.append(.init(low, end, new))
        }
        model.replace(parts, by: 0, joining, then: .afterInserted)
    }

    private func type() {
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

    private func delete() {
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

    private func undo() {
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

    /// The pieces of text that are selected.
    private var pieces: [String] {
        model.cursors[0].ranges.filter { !$0.isCaret }.map {
            String(decoding: model.units[$0.low..<$0.high].map(\.letter), as: UTF16.self)
        }
    }

    /// They as one text, each on lines of its own; nil if there are none.
    private var selectedText: String? {
        let pieces = pieces
        guard let last = pieces.last else { return nil }
        return pieces.dropLast().map { $0.hasSuffix("\n") ? $0 : $0 + "\n" }.joined() + last
    }

    private func clipboard() {
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
            if let copied { view.paste(copied, for: paste) } else { view.paste(foreign, for: paste) }
            note("paste \(text.debugDescription)")
            isCaretShown()
            // Another program copies.
            if random.once(in: 3) { scene.copiedText = nil }
        }
        if let copied = scene.copiedText, !pieces.isEmpty, copied.text == expected, model.cursors[0].ranges.count > 1 {
            expect(copied.pieces?.count == pieces.count, "it has \(copied.pieces?.count ?? 0) pieces")
        }
    }

    private func middleClick() {
        let point = anyPoint()
        let offset = place(point)
        if let text = expectedPrimary {
            model.cursors[0] = CursorModel(caret: offset)
            model.replace([.init(offset, offset, text)], by: 0, .step, then: .afterInserted)
        }
        scene.click(at: point, button: .middle)
        note("middle click at \(point)")
    }

    // MARK: Moving

    private static let moves = [
        "Left", "Right", "Up", "Down", "Home", "End", "PageUp", "PageDown", "Ctrl+Left", "Ctrl+Right", "Ctrl+Up",
        "Ctrl+Down", "Ctrl+Home", "Ctrl+End",
    ]
    private static let others = ["Ctrl+a", "Escape", "Alt+Up", "Alt+Down", "Ctrl+d", "Ctrl+Shift+l"]

    private func move() {
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
        case "Alt+Up", "Alt+Down":
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
