import InkstoneBase
import InkstoneLayout

/// Work for when nothing else is to be done.
extension EditorView {
    /// Whether ``refineHeights(until:)`` has something to do.
    public var hasEstimatedHeights: Bool {
        // Where lines do not wrap, counting them is exact.
        wraps && !layout.isExact && layout.length.value <= Self.largestRefined
    }

    /// Texts with more UTF-16 units keep estimated heights where nobody has been.
    static let largestRefined = 1 << 25

    /// Makes heights exact that are only estimated, until `stop` says so; it is asked after each paragraph. What is seen does
    /// not move: only the scroll bar's thumb does, unless it is held. Returns whether nothing is left to do.
    @discardableResult
    public func refineHeights(until stop: () -> Bool) -> Bool {
        guard hasEstimatedHeights else { return true }
        guard thumbDrag == nil else { return false }
        let isDone = layout.refineHeights(limit: Self.largestRefined, until: stop)
        restoreScrollAnchor()
        damageThumb()
        return isDone
    }
}
