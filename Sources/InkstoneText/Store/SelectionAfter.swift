import InkstoneBase

/// The selection after a transaction, in the view that makes the transaction. Other views' selections are mapped
/// through the changes.
public enum SelectionAfter: Hashable, Sendable {
    /// The selection is mapped; text inserted at the ends of a selected range stays outside, and a caret moves
    /// after text inserted at it.
    case mapped
    /// The selection is mapped; a selected range grows by text inserted at its ends, and a caret moves after text
    /// inserted at it.
    case grown
    /// A caret at the end of each replaced range, after its new text; a range that no section touches is kept. A
    /// single section and a single range give a single caret at the end of the section, wherever the range was.
    case afterInserted
    /// A range from the start of the first inserted text to the end of the last; the present selection if no
    /// section was replaced.
    case selectInserted
    /// A selection of the new text; nil for none. Ends are clamped.
    case set(Selection?)

    /// Returns the selection after some changes.
    ///
    /// - Parameters:
    ///   - changes: the replaced ranges.
    ///   - before: the selection before the changes, in the old text.
    /// - Complexity: O(n + k log n) for n ranges and k sections.
    public func resolved(after changes: TextChangeMap, from before: Selection?) -> Selection? {
        switch self {
        case .mapped: return before?.mapped { changes.map($0, bias: $1) }
        case .grown:
            return before?.map { range in
                // Move a caret after text inserted at it, and the ends of a selected range outwards, beyond text
                // inserted at them.
                let isForward = range.anchor <= range.head
                var new = range
                new.anchor = changes.map(range.anchor, bias: isForward && !range.isCaret ? .upstream : .downstream)
                new.head = changes.map(range.head, bias: isForward || range.isCaret ? .downstream : .upstream)
                new.place.forgetMoves()
                return new
            }
        case .set(let selection):
            return selection?.clamped(into: 0..<UTF16Offset(changes.newLength.utf16))
        case .afterInserted:
            if changes.count == 1, before?.count ?? 1 == 1, let end = changes.last?.newRange.upperBound {
                return Selection(caret: end)
            }
            return Self.behindInserted(changes, before)
        case .selectInserted:
            guard let first = changes.first, let last = changes.last else { return before }
            return Selection(anchor: first.newRange.lowerBound, head: last.newRange.upperBound)
        }
    }

    private static func behindInserted(_ changes: TextChangeMap, _ before: Selection?) -> Selection? {
        var carets = changes.map { SelectionRange(caret: $0.newRange.upperBound) }
        var primary: Int?
        for (index, range) in (before?.ranges ?? []).enumerated() {
            let isPrimary = index == before?.primaryIndex
            if changes.touches(range.range) {
                guard isPrimary else { continue }
                primary = changes.prefix(while: { $0.oldRange.upperBound < range.range.lowerBound }).count
            } else {
                if isPrimary { primary = carets.count }
                carets.append(range.mapped(caret: .downstream) { changes.map($0, bias: $1) })
            }
        }
        return Selection(carets, primary: primary)
    }
}
