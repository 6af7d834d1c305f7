import InkstoneBase

/// A document laid out once from its start to its end, of which only some lines are kept.
extension TextLayoutManager {
    /// Forgets the lines of all fragments before an offset but the last, which says where the lines behind it start. O(k + log n) for k
    /// fragments that have lines.
    package func forgetLines(before offset: UTF16Offset) { document.forgetLines(before: offset.value) }
}

extension DocumentLayout {
    fileprivate func forgetLines(before unit: Int) {
        let kept = unit > 0 ? tree.fragment(at: min(unit, tree.total.units) - 1).before.units : 0
        if kept > 0 { invalidate(0..<UTF16Offset(kept - 1)) }
        evict()
    }
}
