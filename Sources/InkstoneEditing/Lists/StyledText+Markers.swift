import InkstoneBase
import InkstoneLayout
import InkstoneText

extension StyledText {
    /// The text with the markers of its list items inserted, indented by two spaces for each enclosing list, for
    /// programs that do not support lists. A text without a line end gets no marker, because it is only a part of an
    /// item. Each list is counted from its starting number. O(n).
    package var textWithMarkers: Rope {
        guard runs != nil, rope.paragraphCount > 1 else { return rope }
        var builder = TextChangeSet.Builder(over: rope)
        var counts: [TextList.ID: Int] = [:]
        var end = UTF16Offset(0)
        for run in attributes(in: rope.utf16Range) {
            guard let item = run.attributes[ListAttribute.self], let list = item.list else { continue }
            let last = rope.paragraphIndex(at: run.range.upperBound - 1)
            var paragraph = rope.paragraphIndex(at: run.range.lowerBound)
            while paragraph <= last {
                let range = rope.utf16Range(of: paragraph)
                paragraph += 1
                // Skip the other runs of the same paragraph, which have the same item.
                guard range.lowerBound >= end else { continue }
                end = range.upperBound
                var sign = String(repeating: "  ", count: item.level - 1)
                if item.hasMarker {
                    let number = counts[list.id, default: list.startingNumber]
                    counts[list.id] = number + 1
                    sign += list.plainMarker(number: number, isChecked: item.isChecked) + " "
                } else {
                    sign += "  "
                }
                builder.replace(range.lowerBound..<range.lowerBound, with: sign)
            }
        }
        if builder.isEmpty { return rope }
        var result = rope
        result.apply(builder.finish())
        return result
    }
}
