import InkstoneBase
import InkstoneInput
import InkstoneText

/// Keys whose effect depends on the role of the caret's paragraph, with several carets.
extension EditorState {
    /// The greatest number of carets at each of which a key has its own effect. With more carets, the key has its
    /// usual effect at all of them.
    private static let mostCarets = 1000

    /// Returns the transaction of a key with several selected ranges, if the key has a special effect at one of them:
    /// at each range, the effect that the key would have with that range alone. Nil if the effect is the usual one at
    /// all of them. Nil also with a single range or more than 1,000, while text is marked, in a single-line view and in
    /// text without attributes.
    ///
    /// - Parameters:
    ///   - special: returns the effect for a state with a single range; nil for the usual one.
    ///   - usual: returns the usual effect for a state with a single range.
    func atEachRange(
        special: (EditorState) -> Transaction?, usual: (EditorState) -> Transaction?
    ) -> Transaction? {
        guard styledText.runs != nil, markedText == nil, !options.isSingleLine, let selection,
            (2...Self.mostCarets).contains(selection.count)
        else { return nil }
        var state = self
        var changes: [TextChangeSet] = []
        var ranges: [SelectionRange] = []
        var last: Transaction?
        var isSpecial = false
        // Process the last range first, so that the offsets of the ranges before it stay valid.
        for range in selection.ranges.reversed() {
            state.selection = Selection(range)
            let own = special(state)
            isSpecial = isSpecial || own != nil
            guard let step = own ?? usual(state) else {
                ranges.append(range)
                continue
            }
            let length = state.text.metrics.utf16
            state.perform(step)
            let shift = state.text.metrics.utf16 - length
            for i in ranges.indices { ranges[i] = ranges[i].moved(by: shift) }
            ranges.append(state.primary)
            changes.append(step.changes)
            if last == nil { last = step }
        }
        guard isSpecial, let last, let first = ranges.last, let all = TextChangeSet.composing(changes) else {
            return nil
        }
        var restyling = Restyling()
        let start = state.text.utf16Range(of: state.text.paragraphIndex(at: first.range.lowerBound)).lowerBound
        let changed = min(start, all.changeMap.first?.newRange.lowerBound ?? start)..<state.textRange.upperBound
        restyling.set(state.styledText.runs?.slice(changed) ?? AttributeRuns(), in: changed)
        var result = transaction(
            all, origin: last.origin, undo: .step,
            selection: .set(Selection(ranges.reversed(), primary: selection.primaryIndex)))
        result.restyling = restyling
        result.typing = last.typing
        return result
    }
}

extension SelectionRange {
    fileprivate func moved(by shift: Int) -> SelectionRange {
        var result = self
        (result.anchor, result.head) = (anchor + shift, head + shift)
        return result
    }
}
