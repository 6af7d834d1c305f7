import InkstoneBase
import InkstoneText

extension Selection {
    /// Creates a selection with one caret.
    public init(_ place: CaretPlace) { self.init(SelectionRange(place)) }

    /// Returns the selection after a move of each of its ranges. Ranges that meet are merged.
    ///
    /// - Parameters:
    ///   - extending: whether anchors stay, so that the move selects. Otherwise each range becomes a caret. If text
    ///     is selected and the move is by one character forward, backward, left or right, the caret is at the
    ///     range's end on that side; for other moves, the range's head moves.
    ///   - geometry: the positions on the screen and the boundaries of text units.
    /// - Complexity: O(n) moves for n ranges. A move is O(log n) in the text's length, plus the layout of the text
    ///   that it reads.
    public func moved(
        _ direction: TextDirection, _ destination: Destination, extending: Bool = false, in geometry: TextGeometry
    ) -> Selection {
        map { geometry.moved($0, direction, destination, extending: extending) }
    }

    /// Returns the selection with each range expanded to whole units of text, such as words.
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
