import InkstoneBase
import InkstoneText

extension SelectionRange {
    /// Creates a caret at a position.
    public init(_ place: CaretPlace) {
        self.init(caret: place.offset, affinity: place.affinity, goalX: place.goalX)
        rightIsForward = place.rightIsForward
    }

    /// The moving end.
    public var place: CaretPlace {
        var place = CaretPlace(head, affinity: affinity, goalX: goalX)
        place.rightIsForward = rightIsForward
        return place
    }

    /// Returns a caret at a position, or with `extending` the range from the anchor to it.
    public func moved(to place: CaretPlace, extending: Bool) -> SelectionRange {
        guard extending else { return SelectionRange(place) }
        var range = SelectionRange(
            anchor: anchor, head: place.offset, affinity: place.affinity, goalX: place.goalX, granularity: granularity)
        range.rightIsForward = place.rightIsForward
        return range
    }
}

extension Selection {
    /// Creates a selection with one caret.
    public init(_ place: CaretPlace) { self.init(SelectionRange(place)) }

    /// Returns the selection after a move of each of its ranges; ranges that meet are merged.
    ///
    /// - Parameters:
    /// - extending: whether anchors stay. Otherwise each range becomes a caret: a range with selected text collapses to its
    /// end on that side if the move is by a character forward, backward, left or right, and otherwise moves from its
    /// head.
    /// - geometry: the positions on the screen and the boundaries of text units.
    /// - Complexity: O(n) moves for n ranges; a move O(log of the text) and what it lays out.
    public func moved(
        _ direction: TextDirection, _ destination: Destination, extending: Bool = false, in geometry: TextGeometry
    ) -> Selection {
        map { geometry.moved($0, direction, destination, extending: extending) }
    }

    /// Returns the selection with each range expanded to whole units of text.
    public func expanded(to granularity: TextGranularity, in geometry: TextGeometry) -> Selection {
        map { range in
            let last = range.isCaret ? range.place : CaretPlace(range.range.upperBound, affinity: .upstream)
            let low = geometry.range(
                granularity, enclosing: range.isCaret ? range.place : CaretPlace(range.range.lowerBound))
            let high = range.isCaret ? low : geometry.range(granularity, enclosing: last)
            let whole = min(low.lowerBound, range.range.lowerBound)..<max(high.upperBound, range.range.upperBound)
            let isReversed = range.head < range.anchor
            return SelectionRange(
                anchor: isReversed ? whole.upperBound : whole.lowerBound,
                head: isReversed ? whole.lowerBound : whole.upperBound, granularity: granularity)
        }
    }
}
