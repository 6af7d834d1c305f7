import InkstoneBase
import InkstoneText

/// Making estimated heights exact while nothing else is to be done.
extension TextLayoutManager {
    /// Lays out stretches that have only estimated heights, from the start of the document on, until `deadline` says
    /// stop; keeps their heights and not their lines. Returns whether everything is exact now.
    ///
    /// Heights above what is seen may change: hold on to a ``ScrollAnchor``. Texts above `limit` UTF-16 units stay
    /// estimated. `deadline` is asked after each paragraph, or segment of a long one.
    @discardableResult
    public func refineHeights(limit: Int = 1 << 25, until deadline: () -> Bool) -> Bool {
        guard text.metrics.utf16 <= limit else { return isExact }
        while tree.total.gapUnits > 0 {
            guard let unit = tree.firstGap() else { return true }
            let (kept, units) = (live.count, liveUnits)
            let placed = placedPiece(at: unit)
            // Only the height is wanted.
            live.removeSubrange(kept...)
            liveUnits = units
            lastPlaced = nil
            tree.dropLayout(at: placed.start)
            if deadline() { return tree.total.gapUnits == 0 }
        }
        return true
    }
}
