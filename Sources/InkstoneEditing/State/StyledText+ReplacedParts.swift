import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// The parts of a range that are replaced if the range is edited as a whole. Tables keep the borders of their cells:
/// all replacements by the user, from typed letters to moves by the pointer, divide their ranges by
/// ``StyledText/replacedParts(of:inserting:)``.
struct ReplacedParts {
    /// The part that the new text replaces. May be empty, and need not be the first one.
    var place: Range<UTF16Offset>
    /// The parts that are deleted, in order. They are not empty and do not overlap the place. The last one may end behind
    /// the divided range, with the line end of a row that is deleted as a whole.
    var emptied: [Range<UTF16Offset>] = []

    /// All parts that are not empty, in order.
    var all: [Range<UTF16Offset>] {
        guard !place.isEmpty else { return emptied }
        return emptied.filter { $0.lowerBound < place.lowerBound } + [place]
            + emptied.filter { $0.lowerBound > place.lowerBound }
    }

    /// The number of UTF-16 units that are deleted before the place.
    var emptiedBefore: Int {
        emptied.reduce(0) { $1.lowerBound < place.lowerBound ? $0 + $1.length() : $0 }
    }
}

extension StyledText {
    /// Returns the parts of a range that an edit of the range replaces.
    ///
    /// - Within one table, they are the texts of the cells. Whole rows and whole tables are deleted. New text in place of
    ///   whole rows stays in the first of them, so that it does not join the row below.
    /// - If the range begins or ends in a row and its other end is not in the same table, the paragraphs at its two ends
    ///   are not joined. Rows and other paragraphs that are selected whole are deleted. New text stays in the
    ///   paragraph at the start or, if rows at the start are deleted, in the one at the end.
    /// - Other ranges are replaced as a whole.
    ///
    /// - Parameter inserting: whether a text is inserted; otherwise the range is deleted.
    func replacedParts(of range: Range<UTF16Offset>, inserting: Bool) -> ReplacedParts {
        guard runs != nil, !range.isEmpty else { return ReplacedParts(place: range) }
        let first = rope.paragraphIndex(at: range.lowerBound)
        let last = rope.paragraphIndex(at: range.upperBound)
        let (above, below) = (row(first.value)?.table, row(last.value)?.table)
        guard above != nil || below != nil else { return ReplacedParts(place: range) }
        if above == below {
            if let cells = cells(in: range) { return Self.parts(cells) }
            if inserting, isWholeRows(range) { return keepingFirstRow(of: range, first) }
            let content = rope.utf16ContentRange(of: last)
            let isWhole = first < last && range.upperBound == content.upperBound && !content.isEmpty
            guard isWhole else { return ReplacedParts(place: range) }
            if inserting { return Self.parts(texts(in: range, isRow: true)) }
            return ReplacedParts(place: range.lowerBound..<rope.utf16Range(of: last).upperBound)
        }
        return partsAcrossTables(range, first, last, inserting: inserting)
    }

    /// Returns the parts of a range that begins in a row or ends in one, and has its other end outside of that table.
    private func partsAcrossTables(
        _ range: Range<UTF16Offset>, _ first: ParagraphIndex, _ last: ParagraphIndex, inserting: Bool
    ) -> ReplacedParts {
        let (isRowAbove, isRowBelow) = (row(first.value) != nil, row(last.value) != nil)
        let (head, tail) = (rope.utf16ContentRange(of: first), rope.utf16ContentRange(of: last))
        let start = tail.lowerBound
        let isWholeBelow =
            range.upperBound == tail.upperBound && (range.upperBound > start || tail.isEmpty && !isRowBelow)
        let below = start..<max(start, range.upperBound)
        if head.lowerBound == range.lowerBound, isRowAbove || !inserting {
            let removed = range.lowerBound..<start
            if inserting {
                // New text must not join a row that is not selected.
                if isRowBelow, below.isEmpty { return keepingFirstRow(of: range, first) }
                var parts = Self.parts(texts(in: below, isRow: isRowBelow))
                parts.emptied.insert(removed, at: 0)
                return parts
            }
            guard isRowBelow, isWholeBelow else { return Self.parts([removed] + texts(in: below, isRow: isRowBelow)) }
            // Delete the row together with its line end. An emptied paragraph above keeps its own line end.
            let end = rope.utf16Range(of: last).upperBound
            if isRowAbove || end == tail.upperBound { return ReplacedParts(place: range.lowerBound..<end) }
            return Self.parts([head, rope.utf16Range(of: first).upperBound..<end])
        }
        var parts = texts(in: range.lowerBound..<max(range.lowerBound, head.upperBound), isRow: isRowAbove)
        if isWholeBelow {
            let end = rope.utf16Range(of: last).upperBound
            if isRowBelow, end > tail.upperBound {
                // The remaining line end must not be that of the deleted row: it would be an empty row below a new line end.
                parts.append(rope.utf16Range(of: first).upperBound..<end)
            } else {
                parts.append(max(range.lowerBound, head.upperBound)..<range.upperBound)
            }
        } else {
            parts.append(rope.utf16Range(of: first).upperBound..<start)
            parts += texts(in: below, isRow: isRowBelow)
        }
        return Self.parts(parts)
    }

    /// Returns the parts of a range of whole rows of which the first is emptied and the others are deleted.
    private func keepingFirstRow(of range: Range<UTF16Offset>, _ first: ParagraphIndex) -> ReplacedParts {
        let rest = rope.utf16Range(of: first).upperBound..<range.upperBound
        return Self.parts(texts(in: rope.utf16ContentRange(of: first), isRow: true) + [rest])
    }

    /// Whether a range consists of whole rows of a table, with their line ends, and ends at the start of another row of
    /// that table.
    func isWholeRows(_ range: Range<UTF16Offset>) -> Bool {
        let (first, last) = (rope.paragraphIndex(at: range.lowerBound), rope.paragraphIndex(at: range.upperBound))
        guard first < last, let table = row(first.value)?.table, row(last.value)?.table == table else { return false }
        return rope.utf16Range(of: first).lowerBound == range.lowerBound
            && rope.utf16Range(of: last).lowerBound == range.upperBound
    }

    /// Returns parts of which the first is the place of new text. Adjacent parts are joined.
    private static func parts(_ ranges: [Range<UTF16Offset>]) -> ReplacedParts {
        var result = ReplacedParts(place: ranges[0])
        for range in ranges.dropFirst() where !range.isEmpty {
            if let last = result.emptied.last {
                if last.upperBound == range.lowerBound {
                    result.emptied[result.emptied.count - 1] = last.lowerBound..<range.upperBound
                    continue
                }
            } else if result.place.upperBound == range.lowerBound {
                result.place = result.place.lowerBound..<range.upperBound
                continue
            }
            result.emptied.append(range)
        }
        return result
    }

    /// Returns the parts of a range that are texts of cells, or the range itself if it is not in rows of a table. They
    /// are in order and may be empty; at least one.
    private func texts(in range: Range<UTF16Offset>, isRow: Bool) -> [Range<UTF16Offset>] {
        guard isRow else { return [range] }
        var result: [Range<UTF16Offset>] = []
        var start = range.lowerBound
        for (index, unit) in rope.utf16(in: range).enumerated() where [0x09, 0x0a, 0x0d].contains(unit) {
            let end = range.lowerBound + index
            result.append(start..<end)
            start = end + 1
        }
        return result + [start..<range.upperBound]
    }

    /// Returns the parts of a range within one table that are in its cells, without the borders of the cells. They are
    /// in order and may be empty. Nil if there is no border in the range, and for whole rows and the whole table.
    func cells(in range: Range<UTF16Offset>) -> [Range<UTF16Offset>]? {
        let first = rope.paragraphIndex(at: range.lowerBound).value
        let last = rope.paragraphIndex(at: range.upperBound).value
        guard !range.isEmpty, let table = row(first)?.table, row(last)?.table == table else { return nil }
        if range.lowerBound == rope.utf16Range(of: ParagraphIndex(first)).lowerBound, first < last {
            let end = rope.utf16ContentRange(of: ParagraphIndex(last))
            let isWhole = row(first - 1)?.table != table && row(last + 1)?.table != table
            if range.upperBound == end.lowerBound || isWhole && range.upperBound == end.upperBound { return nil }
        }
        let cells = texts(in: range, isRow: true)
        return cells.count > 1 ? cells : nil
    }
}
