import InkstoneBase
import InkstoneEditing
import InkstoneTesting
import InkstoneView
import Testing
import TextTestSupport

@testable import InkstoneText

/// Two views of one text, each with several ranges: random keys, transactions, style changes, undo and redo,
/// compared with ``DocumentModel``.
@Suite(.timeLimit(.minutes(5))) struct TwoViewModelTests {
    private typealias Replacement = DocumentModel.Replacement

    private static func cursor(_ random: inout SeededGenerator, in length: Int) -> CursorModel {
        let ranges = (0..<1 + random.below(3)).map { _ in
            let anchor = random.below(length + 1)
            let head = random.once(in: 2) ? anchor : min(length, max(0, anchor + random.below(9) - 4))
            return CursorModel.Range(anchor, head)
        }
        return CursorModel(ranges, primary: random.below(ranges.count))
    }

    /// Returns random replacements in order; some touch, and some insert the text that they remove.
    private static func replacements(_ random: inout SeededGenerator, in text: String) -> [Replacement] {
        let letters = Array(text.utf8)
        var result: [Replacement] = []
        var at = 0
        for _ in 0..<1 + random.below(3) {
            let low = at + random.below(random.once(in: 3) ? 1 : 6)
            guard low <= letters.count else { break }
            let high = min(letters.count, low + random.below(4))
            var new = String(decoding: letters[low..<high], as: UTF8.self)
            if !random.once(in: 3) { new = ["", "x", "ab", "abc"][random.below(4)] }
            guard low < high || !new.isEmpty else { continue }
            // At one offset there is at most one insertion.
            if low == high, result.last?.high == low { continue }
            result.append(Replacement(low, high, new))
            at = high
        }
        return result
    }

    @Test(arguments: UInt64(1)...20) func randomEditsInTwoViewsEqualTheModel(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let store = TextStore("abcabcabca")
        store.clock = { 0 }
        let scenes = [ViewScene(store: store), ViewScene(store: store)]
        defer { withExtendedLifetime(scenes) {} }
        let views = scenes.map(\.view)
        var model = DocumentModel("abcabcabca", views: 2)
        var groups = 0
        var steps: [String] = []
        for _ in 0..<150 {
            let index = random.below(2)
            let view = views[index]
            let cursor = model.cursors[index]
            let what: String
            switch random.below(14) {
            case 0, 1:
                let new = Self.cursor(&random, in: model.units.count)
                if new != cursor { model.active = index }
                model.cursors[index] = new
                view.select(new.selection)
                what = "select \(new.ranges)"
            case 2, 3, 4:
                let letter = ["a", "b", "x"][random.below(3)]
                model.replace(
                    cursor.ranges.map { Replacement($0.low, $0.high, letter) }, by: index, .typing, then: .afterInserted
                )
                view.insertText(letter)
                what = "type \(letter)"
            case 5, 6:
                let gone = cursor.ranges.map { Replacement($0.isCaret ? max(0, $0.low - 1) : $0.low, $0.high, "") }
                model.replace(gone, by: index, .deleting, then: .afterInserted)
                view.deleteBackward()
                // Continuing with the style of deleted text depends on the view; the model leaves that to
                // StyleEditingTests.
                var forgetting = view.session.state.changing()
                forgetting.typing = AttributeOverrides()
                view.session.dispatch(forgetting)
                what = "delete \(gone)"
            case 7:
                let parts = Self.replacements(&random, in: model.text)
                let (after, asAfter) = Self.after(&random, parts, model.units.count)
                let weight = random.once(in: 2) ? random.below(2) : nil
                let given = random.once(in: 2) ? Int??.some(weight) : nil
                let recordsSelection = random.once(in: 2)
                model.replace(parts, by: index, .step, then: after, weight: given, recordsSelection: recordsSelection)
                Self.apply(parts, store, undo: .step, asAfter, view, given, recordsSelection: recordsSelection)
                what = "replace \(parts), then \(asAfter)"
            case 8:
                let parts = Self.replacements(&random, in: model.text)
                model.replace(parts, by: nil, .step, then: .mapped)
                Self.apply(parts, store, undo: .step, .mapped, nil, nil)
                what = "the program replaces \(parts)"
            case 9:
                groups += 1
                let group = UndoJoining.group(UndoGroupID())
                var all: [[Replacement]] = []
                for _ in 0..<1 + random.below(4) {
                    let parts = Self.replacements(&random, in: model.text)
                    model.replace(parts, by: index, .group(groups), then: .afterInserted)
                    Self.apply(parts, store, undo: group, .afterInserted, view, nil)
                    all.append(parts)
                }
                what = "group \(all)"
            case 10:
                let low = random.below(model.units.count + 1)
                let high = min(model.units.count, low + random.below(5))
                let weight = random.once(in: 2) ? random.below(2) : nil
                model.weigh(low, high, weight, by: index)
                store.restyle(view: view.session.id) {
                    $0.set(weight, of: TestKeys.Weight.self, in: UTF16Offset(low)..<UTF16Offset(high))
                }
                what = "weigh \(low)..<\(high) \(weight as Any)"
            case 11 where random.once(in: 3):
                model.load("ab")
                let end = store.text.utf16Range.upperBound
                store.replace(end..<end, with: "ab", origin: .load)
                what = "load"
            case 11, 12:
                model.undo(by: index)
                view.session.undo()
                what = "undo"
            default:
                model.redo(by: index)
                view.session.redo()
                what = "redo"
            }
            steps.append("\(index): \(what) → \(model.text) \(model.cursors.map { $0.selection?.description ?? "" })")
            guard Self.compare(store, views, model, "seed \(seed):\n\(steps.suffix(12).joined(separator: "\n"))") else {
                return
            }
        }
        while model.canUndo {
            let index = random.below(2)
            model.undo(by: index)
            views[index].session.undo()
            steps.append("\(index): undo → \(model.text) \(model.cursors.map { $0.selection?.description ?? "" })")
            guard Self.compare(store, views, model, "seed \(seed):\n\(steps.suffix(12).joined(separator: "\n"))") else {
                return
            }
        }
        #expect(!store.canUndo)
    }

    private static func after(
        _ random: inout SeededGenerator, _ parts: [Replacement], _ length: Int
    ) -> (DocumentModel.After, SelectionAfter) {
        switch random.below(5) {
        case 0: return (.mapped, .mapped)
        case 1: return (.grown, .grown)
        case 2: return (.afterInserted, .afterInserted)
        case 3: return (.selectInserted, .selectInserted)
        default:
            let new = length + parts.reduce(0) { $0 + $1.text.utf8.count - ($1.high - $1.low) }
            let cursor = cursor(&random, in: new)
            return (.set(cursor), .set(cursor.selection))
        }
    }

    private static func apply(
        _ parts: [Replacement], _ store: TextStore, undo: UndoJoining, _ after: SelectionAfter, _ view: EditorView?,
        _ weight: Int??, recordsSelection: Bool = true
    ) {
        var builder = TextChangeSet.Builder(over: store.text)
        for part in parts { builder.replace(UTF16Offset(part.low)..<UTF16Offset(part.high), with: part.text) }
        var attributes: TextAttributes?
        if let weight {
            attributes = TextAttributes()
            attributes?[TestKeys.Weight.self] = weight
        }
        store.apply(
            Transaction(
                on: store, builder.finish(), undo: undo, selection: after,
                selectionBefore: recordsSelection ? view?.selection : nil, view: view?.session.id,
                insertedAttributes: attributes))
    }

    private static func compare(
        _ store: TextStore, _ views: [EditorView], _ model: DocumentModel, _ place: @autoclosure () -> String
    ) -> Bool {
        let found = StyledModel(store.styledText).units.map {
            DocumentModel.Unit(UInt16($0.scalar.value), weight: $0.values[TestKeys.Weight.name])
        }
        let cursors = views.map { $0.selection.map(CursorModel.init) }
        let shown = views.map { $0.selection?.description ?? "" }
        #expect(found == model.units, "\(place())")
        #expect(cursors == model.cursors, "\(shown)\n\(place())")
        #expect(store.canUndo == model.canUndo && store.canRedo == model.canRedo, "\(place())")
        return found == model.units && cursors == model.cursors
    }
}
