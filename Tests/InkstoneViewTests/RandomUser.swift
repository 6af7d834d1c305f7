import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import TextTestSupport

@testable import InkstoneView

/// Uses a view at random, and predicts the results.
final class RandomUser: TextInteractionHost {
    /// Texts whose lines are left-to-right only, and one with mixed directions.
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
    /// Whether x grows with the offset on each line.
    let runsOneWay: Bool
    /// The PRIMARY selection, for the middle button.
    private var primary: String?
    var expectedPrimary: String?
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

    func note(_ step: String) {
        steps.append(
            "\(step) → \(view.text.debugDescription) \(view.selection?.description ?? "none"), at \(view.viewport.scroll.y)"
        )
    }

    // MARK: What the program around the view does

    func textInteraction(_ interaction: TextInteraction, didSelectAt time: UInt32) {
        primary = view.session.selectedText
    }

    func textInteraction(_ interaction: TextInteraction, pastePrimaryAt position: TextPosition, time: UInt32) {
        guard let primary else { return }
        let paste = view.session.deferPaste(over: position.offset..<position.offset)
        view.select(Selection(caret: position.offset), scrolling: false)
        view.session.paste(primary, for: paste)
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

    /// Checks the invariants.
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
        // The visible part must be laid out.
        let canvas = scene.paint()
        if random.once(in: 8) { checkPicture(canvas) }
    }

    /// Checks that exactly the selected characters are painted on the selection's colour.
    private func checkPicture(_ canvas: RecordingCanvas) {
        let fills = canvas.fills(view.theme.selection)
        let units = Array(view.text.utf16)
        // Of trailing spaces beyond this edge, only the part before the edge has the colour.
        let edge = view.theme.margin + view.layout.container.width.rounded(.down)
        for (low, high) in zip(boundaries, boundaries.dropFirst()) where units[low] != 10 {
            let rect = view.firstRect(for: view.range(UTF16Offset(low)..<UTF16Offset(high)))
            let middle = WindowPoint(x: (rect.minX + min(rect.maxX, edge)) / 2, y: rect.minY + rect.height / 2)
            guard (1..<view.frame.height - 1).contains(middle.y), min(rect.maxX, edge) - rect.minX > 1 else { continue }
            let isSelected = model.cursors[0].ranges.contains { $0.low <= low && high <= $0.high }
            expect(
                fills.contains { $0.contains(middle) } == isSelected,
                "\(low)..<\(high) at \(middle) is\(isSelected ? " not" : "") shown as selected")
        }
    }

    /// Undoes all steps, and redoes them.
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

    // MARK: The model

    func selected(_ cursor: CursorModel, byPointer: Bool = true) {
        model.cursors[0] = cursor
        model.close()
        if byPointer, let text = selectedText { expectedPrimary = text }
    }

    /// Takes over the view's selection into the model, after some checks.
    func adoptSelection(byPointer: Bool = false) {
        guard let selection = view.selection else { return expect(false, "nothing is selected") }
        selected(CursorModel(selection), byPointer: byPointer)
    }

    func replace(_ joining: DocumentModel.Joining, _ edit: (CursorModel.Range) -> (Range<Int>, String)) {
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

    /// The selected pieces of text.
    var pieces: [String] {
        model.cursors[0].ranges.filter { !$0.isCaret }.map {
            String(decoding: model.units[$0.low..<$0.high].map(\.letter), as: UTF16.self)
        }
    }

    /// The selected pieces as one text, each on lines of its own; nil if nothing is selected.
    var selectedText: String? {
        let pieces = pieces
        guard let last = pieces.last else { return nil }
        return pieces.dropLast().map { $0.hasSuffix("\n") ? $0 : $0 + "\n" }.joined() + last
    }
}
