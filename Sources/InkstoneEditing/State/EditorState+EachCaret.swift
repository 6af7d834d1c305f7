import InkstoneBase
import InkstoneInput
import InkstoneText

/// Keys whose effect depends on the role of the caret's paragraph, with several carets.
extension EditorState {
    /// The greatest number of carets at each of which a key has its own effect. With more carets, the key has its
    /// usual effect at all of them.
    private static let mostCarets = 1000

    /// Returns the transaction of a key with several selected ranges, if the key has a special effect at one of them:
    /// at each range, the effect that the key would have with that range alone, from the last range to the first. Nil
    /// if the effect is the usual one at all of them. Nil also with a single range or more than 1,000, while text is
    /// marked, in a single-line view and in text without attributes.
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
        var pending = selection.ranges.indices.map {
            (range: selection.ranges[$0], isPrimary: $0 == selection.primaryIndex)
        }
        var ranges: [(range: SelectionRange, isPrimary: Bool)] = []
        var last: Transaction?
        var (isSpecial, edits) = (false, false)
        // Process the last range first: most edits leave the offsets of the ranges before it as they are.
        while let next = pending.popLast() {
            let range = next.range
            var isPrimary = next.isPrimary
            state.selection = Selection(range)
            let own = special(state)
            isSpecial = isSpecial || own != nil
            guard let step = own ?? usual(state) else {
                ranges.append((range, isPrimary))
                continue
            }
            edits = edits || step.edits
            let map = step.changes.changeMap
            if own != nil {
                // The key may remove more than is selected, such as the cells of a row, with carets in it. Those
                // carets become one with the edited range, and have no effect of their own.
                let start = state.contentOfParagraph(at: range.range.lowerBound).lowerBound
                let removed = map.map(\.oldRange).filter { !$0.isEmpty }
                pending.removeAll { other in
                    guard other.range.isCaret, other.range.head >= start,
                        removed.contains(where: { $0.touches(other.range.head) })
                    else { return false }
                    isPrimary = isPrimary || other.isPrimary
                    return true
                }
            }
            state.perform(step)
            for i in pending.indices {
                pending[i].range = pending[i].range.mapped(caret: .upstream) { map.map($0, bias: $1) }
            }
            for i in ranges.indices {
                // Text inserted at the edited range comes before the ranges that begin there.
                let bias: TextAffinity = ranges[i].range.head == range.range.lowerBound ? .downstream : .upstream
                ranges[i].range = ranges[i].range.mapped(caret: bias) { map.map($0, bias: $1) }
            }
            ranges.append((state.primary, isPrimary))
            changes.append(step.changes)
            if last == nil { last = step }
        }
        ranges.reverse()
        let after = Selection(ranges.map(\.range), primary: ranges.firstIndex(where: \.isPrimary))
        if isSpecial, !edits { return selecting(after) }
        guard isSpecial, let last, let first = ranges.first?.range, let all = TextChangeSet.composing(changes) else {
            return nil
        }
        var restyling = Restyling()
        let start = state.text.utf16Range(of: state.text.paragraphIndex(at: first.range.lowerBound)).lowerBound
        let changed = min(start, all.changeMap.first?.newRange.lowerBound ?? start)..<state.textRange.upperBound
        restyling.set(state.styledText.runs?.slice(changed) ?? AttributeRuns(), in: changed)
        var result = transaction(all, origin: last.origin, undo: .step, selection: .set(after))
        result.restyling = restyling
        result.typing = last.typing
        return result
    }
}
