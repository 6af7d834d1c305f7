import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import TextTestSupport

@testable import InkstoneView

/// Random actions by the pointer.
extension RandomUser {
    func click() {
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

    func drag() {
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
        // A drag of selected text starts only beyond the threshold.
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

    func rectangle() {
        let start = anyPoint()
        let end = anyPoint()
        // Use either of the two modifiers for rectangles.
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
                // Carets are rounded to whole pixels, so skip points too close to an edge.
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

    func severalCarets() {
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
        // Pressing selected text would drag it; the view here accepts no drag, so the text is selected anew.
        let kept = takesText ? [] : old.ranges
        selected(CursorModel(kept + [.init(from, to)], primary: kept.count))
    }

    func middleClick() {
        let point = anyPoint()
        let offset = place(point)
        if let text = expectedPrimary {
            model.cursors[0] = CursorModel(caret: offset)
            model.replace([.init(offset, offset, text)], by: 0, .step, then: .afterInserted)
        }
        scene.click(at: point, button: .middle)
        note("middle click at \(point)")
    }

    // MARK: Scrolling

    private func turnWheel(at point: ViewPoint) {
        let clicks = Double([-2, -1, 1, 2][random.below(4)])
        let before = view.viewport.scroll.y
        let most = view.viewport.maximumScroll(in: view.layout)
        view.presenter.scroll(byClicks: Vector(dx: 0, dy: clicks))
        let expected = min(max(0, before + clicks * 3 * view.presenter.lineStep), most)
        expect(
            abs(view.viewport.scroll.y - expected) <= 1, "the wheel came to \(view.viewport.scroll.y), not \(expected)")
        scene.point(.scroll(Vector(dx: 0, dy: clicks)), at: point)
    }

    func scroll() {
        guard let thumb = view.presenter.scrollBars.thumb(.vertical), random.once(in: 2) else {
            turnWheel(at: anyPoint())
            return note("wheel")
        }
        let x = thumb.minX + 1
        view.presenter.scrollBars.press(at: ViewPoint(x: x, y: Double(random.below(Int(view.frame.height)))))
        let most = view.viewport.maximumScroll(in: view.layout)
        for _ in 0..<random.below(3) {
            view.presenter.scrollBars.drag(to: ViewPoint(x: x, y: Double(random.below(200)) - 50))
        }
        view.presenter.scrollBars.drag(to: ViewPoint(x: x, y: -500))
        expect(view.viewport.scroll.y == 0, "dragged up it is at \(view.viewport.scroll.y)")
        if random.once(in: 2) {
            view.presenter.scrollBars.drag(to: ViewPoint(x: x, y: 500))
            expect(view.viewport.scroll.y == most, "dragged down it is at \(view.viewport.scroll.y) of \(most)")
        }
        view.presenter.scrollBars.release()
        note("scroll bar")
    }
}
