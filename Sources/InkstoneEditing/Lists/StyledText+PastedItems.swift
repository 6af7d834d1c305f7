import InkstoneBase
import InkstoneLayout
import InkstoneText

/// Plain text that is pasted into lists.
extension StyledText {
    /// The largest text whose blank lines are removed, in UTF-16 units. Larger ones are inserted as they are.
    private static let longestItems = 1 << 20

    /// Returns a plain text in the form in which it is pasted in place of a range. In a list item its lines become items:
    /// its blank lines are removed, and so is its last line end where the item ends. A text of blank lines alone is
    /// unchanged, and so are styled texts and texts elsewhere.
    func makingNoEmptyItems(_ new: StyledText, _ range: Range<UTF16Offset>, isStyled: Bool) -> StyledText {
        let (first, last) = (rope.paragraphIndex(at: range.lowerBound), rope.paragraphIndex(at: range.upperBound))
        guard !isStyled, runs != nil, new.rope.metrics.newlines > 0, new.rope.metrics.utf16 <= Self.longestItems,
            !rope.utf16Range(of: first).isEmpty
        else { return new }
        let attributes = attributes(at: rope.utf16Range(of: first).lowerBound)
        guard attributes[ListAttribute.self] != nil, !attributes.isCodeLine, row(first.value) == nil else { return new }
        func isBlank(_ line: StyledText) -> Bool {
            line.rope.utf16(in: line.rope.utf16Range).allSatisfy { $0 == 0x20 || $0 == 0x09 }
        }
        let lines = new.lines
        let items = lines.filter { !isBlank($0) }
        guard !items.isEmpty else { return new }
        let isAtStart = range.lowerBound == rope.utf16ContentRange(of: first).lowerBound
        let isAtEnd = range.upperBound == rope.utf16ContentRange(of: last).upperBound
        let lineEnd = StyledText(new.firstLineEnd)
        let beginsItem = !isAtStart && isBlank(lines[0])
        let endsItem = !isAtEnd && (new.endsLine || isBlank(lines[lines.count - 1]))
        var result = beginsItem ? lineEnd : StyledText()
        for (index, item) in items.enumerated() {
            if index > 0 { result.append(lineEnd) }
            result.append(item)
        }
        if endsItem { result.append(lineEnd) }
        return result
    }
}
