import InkstoneBase

/// Where places lie that a transaction names, after it was moved along with what others changed since it was made. In UTF-16
/// units; a place in what a section inserts stays as far from the start of that.
struct TransactionMove {
    /// What the transaction was to replace.
    let changes: TextChangeMap
    /// What others changed since, the first first.
    let others: [TextChangeMap]
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
                let place = map(range.head, .downstream) { $0.lowerBound <= range.head && range.head <= $0.upperBound }
                moved = place..<place
            }
            var new = range
            new.anchor = isForward ? moved.lowerBound : moved.upperBound
            new.head = isForward ? moved.upperBound : moved.lowerBound
            if new.head != range.head { new.goalX = nil }
            return new
        }
    }

    /// A range of the text after the transaction; what others have inserted at its ends stays outside.
    func map(_ range: Range<UTF16Offset>) -> Range<UTF16Offset> {
        let low = map(range.lowerBound, .downstream) { $0.contains(range.lowerBound) }
        let high = map(range.upperBound, .upstream) {
            $0.lowerBound < range.upperBound && range.upperBound <= $0.upperBound
        }
        return low..<max(low, high)
    }

    /// - Parameter isIn: whether the offset goes with what a section inserts, by where that is.
    private func map(
        _ offset: UTF16Offset, _ bias: TextAffinity, isIn: (Range<UTF16Offset>) -> Bool
    ) -> UTF16Offset {
        if let section = changes.last(where: { isIn($0.newRange) }) {
            return start(of: section) + (offset - section.newRange.lowerBound)
        }
        let old = changes.inverted.map(offset, bias: bias)
        var result = moved.map(others.reduce(old) { $1.map($0, bias: bias) }, bias: bias)
        // Where others have replaced text around what a section inserts, the place stays on its side of that.
        if let before = changes.last(where: { $0.inserted != .zero && $0.newRange.upperBound <= offset }) {
            result = max(result, start(of: before) + before.inserted.utf16)
        }
        if let behind = changes.first(where: { $0.inserted != .zero && $0.newRange.lowerBound >= offset }) {
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
        guard let before = last(where: { $0.oldRange.lowerBound <= offset }) else { return offset }
        return before.newRange.upperBound + Swift.max(0, offset - before.oldRange.upperBound)
    }
}

extension Transaction {
    /// Moves it along with what others changed since it was made.
    mutating func move(over others: [TextChangeMap], to text: StyledText) {
        let moved = changes.mapped(over: others, in: text, isFirst: false)
        let move = TransactionMove(changes: changes.changeMap, others: others, moved: moved.changeMap)
        if !effects.isEmpty {
            let path = [changes.changeMap.inverted] + others + [moved.changeMap]
            effects = effects.map { path.reduce($0) { $0.mapped(through: $1) } }
        }
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
