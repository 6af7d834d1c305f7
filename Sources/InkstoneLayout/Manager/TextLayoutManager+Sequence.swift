import InkstoneBase

/// Sequential layout of a document from start to end, for printing, in which only the lines last laid out are kept.
extension TextLayoutManager {
    /// Drops the lines of all fragments before an offset, except the last fragment, which determines where the next
    /// lines start. O(k + log n) for k fragments that have lines.
    package func forgetLines(before offset: UTF16Offset) { document.forgetLines(before: offset.value) }
}

extension DocumentLayout {
    fileprivate func forgetLines(before unit: Int) {
        let kept = unit > 0 ? tree.fragment(at: min(unit, tree.total.units) - 1).before.units : 0
        if kept > 0 { invalidate(0..<UTF16Offset(kept - 1)) }
        evict()
    }
}
