import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Deletions across the first or last row of a table.
extension StyledText {
    /// Returns the parts of a range that are deleted if the range begins or ends within a row, and its other end is
    /// outside of the row's table. The parts contain whole paragraphs, text of paragraphs, and text of cells, but not
    /// the borders of the remaining cells and not the line end between the remaining text of a row and of a paragraph.
    /// In order, not empty. Nil for other ranges, which are deleted as a whole.
    func partsAcrossTables(_ range: Range<UTF16Offset>) -> [Range<UTF16Offset>]? {
        guard runs != nil else { return nil }
        let first = rope.paragraphIndex(at: range.lowerBound)
        let last = rope.paragraphIndex(at: range.upperBound)
        let (above, below) = (row(first.value)?.table, row(last.value)?.table)
        guard first < last, above != below else { return nil }
        let (head, start) = (rope.utf16ContentRange(of: first), rope.utf16Range(of: last).lowerBound)
        func hasTab(_ range: Range<UTF16Offset>) -> Bool { rope.utf16(in: range).contains(0x09) }
        let keepsHead = head.lowerBound < range.lowerBound
        let keepsTail = range.upperBound < rope.utf16ContentRange(of: last).upperBound
        let tearsRowAbove =
            above != nil && keepsHead
            && (keepsTail || hasTab(range.lowerBound..<max(range.lowerBound, head.upperBound)))
        let tearsRowBelow = below != nil && keepsTail && (keepsHead || hasTab(start..<range.upperBound))
        guard tearsRowAbove || tearsRowBelow else { return nil }
        var parts: [Range<UTF16Offset>] = []
        func add(_ part: Range<UTF16Offset>) {
            guard !part.isEmpty else { return }
            if let before = parts.last, before.upperBound == part.lowerBound {
                parts[parts.count - 1] = before.lowerBound..<part.upperBound
            } else {
                parts.append(part)
            }
        }
        func addText(_ range: Range<UTF16Offset>, isRow: Bool) {
            var start = range.lowerBound
            if isRow {
                for (index, unit) in rope.utf16(in: range).enumerated() where unit == 0x09 {
                    add(start..<range.lowerBound + index)
                    start = range.lowerBound + index + 1
                }
            }
            add(start..<range.upperBound)
        }
        if keepsHead { addText(range.lowerBound..<max(range.lowerBound, head.upperBound), isRow: above != nil) }
        add((keepsHead ? rope.utf16Range(of: first).upperBound : head.lowerBound)..<start)
        addText(start..<range.upperBound, isRow: below != nil)
        return parts
    }
}
