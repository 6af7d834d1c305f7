import InkstoneBase

/// Sequential layout of a document from start to end that keeps only some lines.
extension TextLayoutManager {
    /// Drops the lines of all fragments before an offset except the last, which determines where the following lines start. O(k + log n) for
    /// k fragments that have lines.
    package func forgetLines(before offset: UTF16Offset) { document.forgetLines(before: offset.value) }
}

extension DocumentLayout {
    fileprivate func forgetLines(before unit: Int) {
        let kept = unit > 0 ? tree.fragment(at: min(unit, tree.total.units) - 1).before.units : 0
        if kept > 0 { invalidate(0..<UTF16Offset(kept - 1)) }
        evict()
    }
}
