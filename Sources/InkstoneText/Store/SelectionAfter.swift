import InkstoneBase

/// What is selected after a transaction, in the view that makes it. Other views' selections move along.
public enum SelectionAfter: Hashable, Sendable {
    /// The selection moves along with the text; what is inserted at the ends of a range stays outside.
    case mapped
    /// The selection moves along, and a range takes in what is inserted at its ends.
    case grown
    /// A caret behind each inserted text, and where a range of the selection touches none, that range. A single range goes behind a
    /// single text wherever that is inserted.
    case afterInserted
    /// All from the first inserted text to the last.
    case selectInserted
    /// This, in the new text; nil for nothing. Ends are clamped.
    case set(Selection?)

    /// What it is for a change.
    ///
    /// - Parameters:
    ///   - changes: what was replaced.
    ///   - before: what was selected before, in the old text.
    /// - Complexity: O(n + k log n) for n ranges and k sections.
    public func resolved(after changes: TextChangeMap, from before: Selection?) -> Selection? {
        switch self {
        case .mapped: return before?.mapped { changes.map($0, bias: $1) }
        case .grown:
            return before?.map { range in
                // A caret goes behind; the ends of a range go apart.
                let isForward = range.anchor <= range.head
                var new = range
                new.anchor = changes.map(range.anchor, bias: isForward && !range.isCaret ? .upstream : .downstream)
                new.head = changes.map(range.head, bias: isForward || range.isCaret ? .downstream : .upstream)
                (new.goalX, new.rightIsForward) = (nil, nil)
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
