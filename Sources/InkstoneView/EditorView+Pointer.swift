import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// A drag in progress: what it started with, and what it extends by.
struct DragState: Hashable {
    /// What a click selected first, in UTF-16 code units: a place, a word or a paragraph. It stays selected.
    var origin: Range<UTF16Offset>
    var granularity: TextGranularity
    /// Where the pointer is, in view pixels.
    var location: ViewPoint
    /// When to scroll on because the pointer is held beyond an edge; nil if it is not.
    var nextScroll: Int64?

    func mapped(through changes: TextChangeMap) -> DragState {
        var result = self
        let low = changes.map(origin.lowerBound, bias: .upstream)
        result.origin = low..<max(low, changes.map(origin.upperBound, bias: .downstream))
        return result
    }
}

extension EditorView {
    /// Milliseconds between two steps while a drag is held beyond the edge.
    private static let autoscrollInterval: Int64 = 40

    /// The primary button went down.
    ///
    /// - Parameters:
    ///   - point: where, in view pixels.
    ///   - clickCount: 1 places the caret, 2 selects a word, 3 a paragraph.
    ///   - extending: whether the selection's fixed end stays (Shift).
    public func pointerDown(at point: ViewPoint, clickCount: Int, extending: Bool) {
        endComposition()
        store.breakUndoCoalescing()
        let place = caretPlace(at: point)
        let granularity: TextGranularity = clickCount >= 3 ? .paragraph : clickCount == 2 ? .word : .character
        if extending, let selection {
            drag = DragState(
                origin: selection.anchor..<selection.anchor, granularity: granularity, location: point)
            extendDrag(to: point)
            return
        }
        let origin = geometry.range(granularity, enclosing: place)
        drag = DragState(origin: origin, granularity: granularity, location: point)
        let affinity = granularity == .character ? place.affinity : .downstream
        select(
            Selection(
                anchor: origin.lowerBound, head: origin.upperBound, affinity: affinity, granularity: granularity),
            scrolling: granularity == .character)
    }

    /// The pointer moved while the primary button is down.
    public func pointerDragged(to point: ViewPoint) {
        guard drag != nil else { return }
        extendDrag(to: point)
        let isBeyond = point.y < 0 || point.y > frame.height || beyondSides(point) != 0
        if isBeyond, drag?.nextScroll == nil {
            drag?.nextScroll = clock() + Self.autoscrollInterval
        } else if !isBeyond {
            drag?.nextScroll = nil
        }
        host?.editorViewDeadlineDidChange(self)
    }

    /// The primary button came up. Returns whether text is selected now that others may have (it then becomes PRIMARY).
    @discardableResult
    public func pointerUp(at point: ViewPoint) -> Bool {
        drag = nil
        host?.editorViewDeadlineDidChange(self)
        return selection?.isEmpty == false && !isSecureTextEntry
    }

    /// Whether the primary button is down on the text.
    public var isDragging: Bool { drag != nil }

    /// The place in the text under a point of the view, in UTF-16 code units.
    public func offset(at point: ViewPoint) -> UTF16Offset {
        caretPlace(at: point).offset
    }

    private func caretPlace(at point: ViewPoint) -> CaretPlace {
        geometry.place(closestTo: documentPoint(point))
    }

    /// How far a point lies left (negative) or right of the text, in pixels; 0 where nothing scrolls sideways.
    private func beyondSides(_ point: ViewPoint) -> Double {
        guard !wraps else { return 0 }
        return point.x < 0 ? point.x : max(0, point.x - textArea.width)
    }

    /// Scrolls on and selects further while the pointer is held beyond an edge.
    func continueDragBeyondEdge() {
        guard let state = drag, let time = state.nextScroll, clock() >= time else { return }
        func steps(_ beyond: Double) -> Double {
            beyond == 0 ? 0 : (beyond < 0 ? -1 : 1) * min(6, 1 + abs(beyond) / lineStep).rounded()
        }
        let y = state.location.y
        let down = steps(y < 0 ? y : max(0, y - frame.height))
        scroll(by: down * lineStep, dx: steps(beyondSides(state.location)) * 4 * layout.columnWidth)
        extendDrag(to: state.location)
        drag?.nextScroll = clock() + Self.autoscrollInterval
    }

    private func extendDrag(to point: ViewPoint) {
        guard var state = drag else { return }
        state.location = point
        drag = state
        let range = geometry.extending(state.origin, to: caretPlace(at: point), by: state.granularity)
        select(Selection(range), scrolling: false)
    }
}
