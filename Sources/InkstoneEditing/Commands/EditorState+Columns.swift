import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// The rectangular selection by keys, in steps: the equivalent of a drag with Shift and Alt.
extension EditorState {
    static let columnCommands: [EditCommand: Command] = [
        .selectColumnUp: columns(.up), .selectColumnDown: columns(.down), .selectColumnLeft: columns(.left),
        .selectColumnRight: columns(.right),
    ]

    private static func columns(_ side: TextLayoutDirection) -> Command {
        Command { state, geometry in CommandOutcome(state.selectingColumn(side, geometry)) }
    }

    /// The largest number of visual lines that one step up or down examines, because it skips lines that are too
    /// short to reach the rectangle. If none of these lines reaches it, the rectangle stays the same.
    private static let mostSkipped = 1000

    /// Moves the moving corner of the rectangle, which is the head of the primary range, by one step. The fixed
    /// corner is the anchor of the range that is farthest from it. A caret or an ordinary selection thus becomes a
    /// rectangle too. Nil if the rectangle stays the same, for example at the edge of the text.
    ///
    /// Up and down, the corner keeps its x and skips lines that are too short. To the right, it continues beyond
    /// the end of its line, because other lines may be longer.
    func selectingColumn(_ side: TextLayoutDirection, _ geometry: TextGeometry) -> Transaction? {
        guard let selection else { return nil }
        let head = selection.primary
        let isLast = selection.primaryIndex == selection.count - 1
        let far = (isLast ? selection.ranges.first : selection.ranges.last) ?? head
        let corner = middle(geometry.caretRect(at: far.anchor))
        let here = geometry.caretRect(at: head.head, affinity: head.affinity)
        let x = head.goalX ?? here.minX
        switch side {
        case .left, .right:
            let sign: Double = side == .right ? 1 : -1
            let next = geometry.place(from: head.place, .layout(side), .character)
            let rect = geometry.caretRect(at: next.offset, affinity: next.affinity)
            let isInside = x == here.minX && rect.minY == here.minY && (rect.minX - x) * sign > 0
            let newX = isInside ? rect.minX : x + sign * max(1, here.height / 2)
            return selectingColumn(from: corner, x: max(0, newX), y: middle(here).y, geometry)
        case .up, .down:
            var place = CaretPlace(head.head, affinity: head.affinity, goalX: x)
            var y = middle(here).y
            for _ in 0..<Self.mostSkipped {
                place = geometry.place(from: place, .layout(side), .character)
                place.goalX = x
                let reached = middle(geometry.caretRect(at: place.offset, affinity: place.affinity)).y
                guard reached != y else { return nil }
                y = reached
                guard geometry.rectangle(from: corner.x, to: x, meetsLineAt: place) else { continue }
                return selectingColumn(from: corner, x: x, y: y, geometry)
            }
            return nil
        }
    }

    /// Selects a rectangle; nil if the same ranges are selected already.
    private func selectingColumn(
        from corner: DocumentPoint, x: Double, y: Double, _ geometry: TextGeometry
    ) -> Transaction? {
        let new = geometry.selection(inRectangleFrom: corner, to: DocumentPoint(x: x, y: y))
        var ranges = new.ranges
        ranges[new.primaryIndex].goalX = x
        let old = selection?.ranges ?? []
        let isSame =
            ranges.count == old.count && (selection?.primary.goalX ?? x) == x
            && zip(ranges, old).allSatisfy { $0.anchor == $1.anchor && $0.head == $1.head }
        return isSame ? nil : Selection(ranges, primary: new.primaryIndex).map { selecting($0) }
    }

    private func middle(_ rect: DocumentRect) -> DocumentPoint {
        DocumentPoint(x: rect.minX, y: rect.minY + rect.height / 2)
    }
}
