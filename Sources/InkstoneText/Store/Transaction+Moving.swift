import InkstoneBase

/// Where places lie that a transaction names, after it was moved along with what others changed since it was made. In UTF-16
/// units; a place in what a section inserts stays as far from the start of that.
public struct TransactionMove: Sendable {
    /// What the transaction was to replace.
    package let changes: TextChangeMap
    /// What others changed since, the first first.
    package let others: [TextChangeMap]
    /// What it replaces now.
    let moved: TextChangeMap

    /// A selection of the text before the transaction.
    func mapOld(_ selection: Selection) -> Selection {
        others.reduce(selection) { selection, other in selection.mapped { other.map($0, bias: $1) } }
    }

    /// A selection of the text after the transaction.
    func map(_ selection: Selection) -> Selection {
        selection.map { range in
            let isForward = range.anchor <= range.head
            var moved = map(range.range)
            if range.isCaret {
                let place = map(range.head, bias: .downstream)
                moved = place..<place
            }
            var new = range
            new.anchor = isForward ? moved.lowerBound : moved.upperBound
            new.head = isForward ? moved.upperBound : moved.lowerBound
            if new.head != range.head { new.goalX = nil }
            return new
        }
    }

    /// An offset of the text after the transaction. One at an end of what a section inserts stays there; elsewhere it leans to a side of
    /// what others have inserted just there.
    public func map(_ offset: UTF16Offset, bias: TextAffinity) -> UTF16Offset {
        map(offset, bias, isAtEnd: false) { $0.lowerBound <= offset && offset <= $0.upperBound }
    }

    /// A range of the text after the transaction; what others have inserted at its ends stays outside.
    public func map(_ range: Range<UTF16Offset>) -> Range<UTF16Offset> {
        let low = map(range.lowerBound, .downstream, isAtEnd: false) { $0.contains(range.lowerBound) }
        let high = map(range.upperBound, .upstream, isAtEnd: true) {
            $0.lowerBound < range.upperBound && range.upperBound <= $0.upperBound
        }
        return low..<max(low, high)
    }

    /// - Parameters:
    ///   - isAtEnd: whether the offset goes with no section that starts there.
    ///   - isIn: whether the offset goes with what a section inserts, by where that is.
    private func map(
        _ offset: UTF16Offset, _ bias: TextAffinity, isAtEnd: Bool, isIn: (Range<UTF16Offset>) -> Bool
    ) -> UTF16Offset {
        // Only the last one that starts before it may hold it.
        let next = changes.firstIndex(whichIsBehind: {
            isAtEnd ? $0.newRange.lowerBound >= offset : $0.newRange.lowerBound > offset
        })
        if next > 0, case let section = changes[next - 1], isIn(section.newRange) {
            return start(of: section) + (offset - section.newRange.lowerBound)
        }
        let old = changes.inverted.map(offset, bias: bias)
        var result = moved.map(others.reduce(old) { $1.map($0, bias: bias) }, bias: bias)
        // Where others have replaced text around what a section inserts, the place stays on its side of that.
        let end = changes.firstIndex(whichIsBehind: { $0.newRange.upperBound > offset })
        if let before = changes[..<end].last(where: { $0.inserted != .zero }) {
            result = max(result, start(of: before) + before.inserted.utf16)
        }
        let first = changes.firstIndex(whichIsBehind: { $0.newRange.lowerBound >= offset })
        if let behind = changes[first...].first(where: { $0.inserted != .zero }) {
            result = min(result, start(of: behind))
        }
        return result
    }

    /// Where the text that a section inserts starts now.
    private func start(of section: TextChangeMap.Section) -> UTF16Offset {
        moved.map(others.reduce(section.oldRange.lowerBound) { $1.place($0) }, bias: .upstream)
    }
}

extension TextChangeMap {
    /// Where text comes that a change made at the same time inserts at an offset: behind what this one inserts there.
    fileprivate func place(_ offset: UTF16Offset) -> UTF16Offset {
        let next = firstIndex(whichIsBehind: { $0.oldRange.lowerBound > offset })
        guard next > 0, case let before = self[next - 1] else { return offset }
        return before.newRange.upperBound + Swift.max(0, offset - before.oldRange.upperBound)
    }
}

extension Transaction {
    /// Moves it along with what others changed since it was made.
    mutating func move(over others: [TextChangeMap], to text: StyledText) {
        let moved = changes.mapped(over: others, in: text, isFirst: false)
        let move = TransactionMove(changes: changes.changeMap, others: others, moved: moved.changeMap)
        effects = effects.map { $0.mapped(through: move) }
        changes = moved
        restyling = restyling?.mapped(through: move)
        selectionBefore = selectionBefore.map(move.mapOld)
        if case .set(let wanted?) = selection { selection = .set(move.map(wanted)) }
        if case .set(var composing?) = composition, let marked = composing.markedText {
            let range = move.map(marked.range)
            composing.markedText = MarkedText(range: range, clauses: marked.clauses)
            composition = .set(range.isEmpty ? nil : composing)
        }
    }
}

extension Transaction {
    /// Becomes a step of the undo history. What was selected is only told to the view whose selection it was.
    mutating func take(_ step: UndoHistory.Step) {
        changes = step.changes
        let isOwn = view == nil || step.owner == nil || view == step.owner
        selection = (isOwn ? step.selection : nil).map { .set($0) } ?? .selectInserted
    }
}
