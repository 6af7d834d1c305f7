import InkstoneBase

/// A mapping of the positions that a transaction names, after it was rebased on others' changes since it was made.
/// In UTF-16 units. A position inside a text that the transaction inserts keeps its distance from the start of the
/// inserted text.
public struct TransactionMove: Sendable {
    /// The changes of the transaction as it was made.
    package let changes: TextChangeMap
    /// The changes that others have made since the transaction was made, oldest first.
    let others: [TextChangeMap]
    /// The changes of the transaction after rebasing.
    let moved: TextChangeMap
    /// For each section of ``changes``, the present start of the section's inserted text.
    private let starts: [UTF16Offset]
    /// The indices in ``changes`` of the sections that insert text, in order.
    private let inserting: [Int]

    init(_ changes: TextChangeMap, over others: [TextChangeMap], as moved: TextChangeMap, starts: [UTF16Offset]) {
        (self.changes, self.others, self.moved, self.starts) = (changes, others, moved, starts)
        inserting = changes.indices.filter { changes[$0].inserted != .zero }
    }

    /// The changes from the text after the transaction to the present text: the inverse of the transaction as it was
    /// made, the changes of others, and the transaction after rebasing. Offsets inside text that the transaction
    /// inserts are not preserved by these maps.
    package var maps: [TextChangeMap] { [changes.inverted] + others + [moved] }

    /// Maps a selection of the text before the transaction.
    func mapOld(_ selection: Selection) -> Selection {
        others.reduce(selection) { selection, other in selection.mapped { other.map($0, bias: $1) } }
    }

    /// Maps a selection of the text after the transaction.
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
            if new.head != range.head { new.place.forgetMoves() }
            return new
        }
    }

    /// Maps an offset of the text after the transaction. An offset at an end of a text that the transaction
    /// inserted stays at that end. At any other offset where others inserted text, `bias` decides on which side of
    /// that text the mapped offset is.
    public func map(_ offset: UTF16Offset, bias: TextAffinity) -> UTF16Offset {
        map(offset, bias, isAtEnd: false) { $0.lowerBound <= offset && offset <= $0.upperBound }
    }

    /// Maps a range of the text after the transaction. Text that others inserted at the ends of the range stays
    /// outside.
    public func map(_ range: Range<UTF16Offset>) -> Range<UTF16Offset> {
        let low = map(range.lowerBound, .downstream, isAtEnd: false) { $0.contains(range.lowerBound) }
        let high = map(range.upperBound, .upstream, isAtEnd: true) {
            $0.lowerBound < range.upperBound && range.upperBound <= $0.upperBound
        }
        return low..<max(low, high)
    }

    /// Maps an offset of the text after the transaction.
    ///
    /// - Parameters:
    ///   - isAtEnd: whether an offset at the start of a section of ``changes`` belongs to the text before the
    ///     section.
    ///   - isIn: returns whether the offset belongs to a section, given the range of the text that the section
    ///     inserts. If so, the offset keeps its distance from the start of that text. Otherwise it is mapped to the
    ///     old text and from there, through others' changes and the rebased transaction, to the present text.
    private func map(
        _ offset: UTF16Offset, _ bias: TextAffinity, isAtEnd: Bool, isIn: (Range<UTF16Offset>) -> Bool
    ) -> UTF16Offset {
        // Only the last section that starts before the offset can contain the offset.
        let next = changes.partitioningIndex(where: {
            isAtEnd ? $0.newRange.lowerBound >= offset : $0.newRange.lowerBound > offset
        })
        if next > 0, case let section = changes[next - 1], isIn(section.newRange) {
            return starts[next - 1] + (offset - section.newRange.lowerBound)
        }
        let old = changes.inverted.map(offset, bias: bias)
        var result = moved.map(others.reduce(old) { $1.map($0, bias: bias) }, bias: bias)
        // Keep the offset on its side of each text that the transaction inserts, even if others have replaced the text
        // around the inserted one.
        let behind = inserting(where: { $0.newRange.upperBound > offset })
        if behind > 0, case let before = inserting[behind - 1] {
            result = max(result, starts[before] + changes[before].inserted.utf16)
        }
        let first = inserting(where: { $0.newRange.lowerBound >= offset })
        if first < inserting.count { result = min(result, starts[inserting[first]]) }
        return result
    }

    /// Returns the index in ``inserting`` of the first section that meets a condition. If a section meets it, all later
    /// sections must meet it too. O(log n).
    private func inserting(where isBehind: (TextChangeMap.Section) -> Bool) -> Int {
        inserting.partitioningIndex { isBehind(changes[$0]) }
    }

    /// Returns the parts of a range of the text after the transaction that still exist, in order, without text that
    /// others inserted between them.
    package func remains(of range: Range<UTF16Offset>) -> [Range<UTF16Offset>] { parts(of: range).map(\.now) }

    /// Returns the parts of a range of the text after the transaction that still exist, in order: the distance of
    /// each part from the start of the range, and its present range.
    func parts(of range: Range<UTF16Offset>) -> [(from: Int, now: Range<UTF16Offset>)] {
        let range = range.lowerBound.value..<range.upperBound.value
        var kept = [(from: 0, range: range)]
        for map in maps {
            var left: [(from: Int, range: Range<Int>)] = []
            for (from, range) in kept {
                map.forEachKept(of: range, .utf16) { part, shift in
                    left.append(
                        (from + part.lowerBound - range.lowerBound, part.lowerBound + shift..<part.upperBound + shift))
                }
            }
            kept = left
        }
        var result = kept.map { part in
            (from: part.from, now: UTF16Offset(part.range.lowerBound)..<UTF16Offset(part.range.upperBound))
        }
        var next = changes.partitioningIndex(where: { $0.newEnd.utf16 > range.lowerBound })
        while next < changes.count, case let section = changes[next], section.newStart.utf16 < range.upperBound {
            let part = (section.newStart.utf16..<section.newEnd.utf16).clamped(to: range)
            if !part.isEmpty {
                let start = starts[next] + (part.lowerBound - section.newStart.utf16)
                result.append((part.lowerBound - range.lowerBound, start..<start + part.count))
            }
            next += 1
        }
        return result.sorted { $0.from < $1.from }
    }
}

extension Transaction {
    /// Rebases the transaction on others' changes since it was made.
    mutating func move(over others: [TextChangeMap], to text: StyledText) {
        let (moved, starts) = changes.placed(over: others, in: text, isFirst: false)
        let move = TransactionMove(changes.changeMap, over: others, as: moved.changeMap, starts: starts)
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
    /// Replaces changes, selection and typing attributes by those of a step of the undo history. The step's
    /// selection is restored only in the view that recorded it.
    mutating func take(_ step: UndoHistory.Step) {
        changes = step.changes
        let isOwn = view == nil || step.owner == nil || view == step.owner
        selection = (isOwn ? step.selection : nil).map { .set($0) } ?? .selectInserted
        typing = isOwn ? step.typing : nil
    }
}
