import InkstoneBase
import InkstoneText

/// The markers of list items.
extension DocumentLayout {
    /// Returns the list marker to show before a paragraph that is being laid out; nil if the paragraph has none.
    func marker(for input: ParagraphInput, of paragraph: Int) -> LaidMarker? {
        guard let (item, font) = input.marker else { return nil }
        return LaidMarker(
            item, number: number(of: item, at: paragraph), font: font,
            indent: Int32(pixels: input.style.firstLineIndent), revision: numbers.revision, isRightToLeft: false, tools)
    }

    /// Updates the number in a laid-out paragraph's marker. Returns whether the paragraph's lines are still valid:
    /// a wider number may need more indent.
    func updateMarker(of fragment: LaidFragment, at paragraph: Int) -> Bool {
        guard let marker = fragment.marker, marker.revision != numbers.revision else { return true }
        let number = number(of: marker.item, at: paragraph)
        fragment.marker?.revision = numbers.revision
        guard number != marker.number else { return true }
        let new = marker.with(
            number: number, revision: numbers.revision, isRightToLeft: fragment.shaped.baseLevel & 1 == 1, tools)
        fragment.marker = new
        return new.neededIndent == marker.neededIndent
    }

    /// Returns the number of a list item in a paragraph; for lists without numbers, the starting number; 0 for an
    /// item of no list. The first time, O(n) in the attribute runs before the paragraph.
    private func number(of item: ListItem, at paragraph: Int) -> Int {
        guard let list = item.list else { return 0 }
        guard list.isNumbered else { return list.startingNumber }
        if numbers.known < paragraph {
            let end = min(text.paragraphCount, max(paragraph, numbers.known + Self.readAhead))
            numbers.append(listNames(numbers.known..<end))
        }
        let number = numbers.count(of: numbers.name(of: list.id), before: paragraph)
        return list.startingNumber + number
    }

    /// The smallest number of paragraphs whose lists are read at a time.
    private static let readAhead = 256

    /// Updates the item numbers for a replacement already applied to ``text`` and ``runs``. Returns whether any
    /// numbers after the replacement may have changed.
    func followNumbers(_ edit: FollowedChange) -> Bool {
        guard numbers.known > 0 else { return false }
        let first = text.paragraphIndex(at: UTF16Offset(edit.low)).value
        guard first < numbers.known else { return false }
        let last = text.paragraphIndex(at: UTF16Offset(edit.insertedEnd)).value
        let old = first..<max(first, last + 1 - edit.newlines)
        return numbers.replace(old, with: listNames(first..<last + 1))
    }

    /// Returns, for each paragraph of a range, the short number of the numbered list that counts the paragraph; 0 if
    /// none does. O(n) in their attribute runs.
    private func listNames(_ paragraphs: Range<Int>) -> [ListNumbers.Name] {
        var names = [ListNumbers.Name](repeating: 0, count: paragraphs.count)
        guard let runs, !paragraphs.isEmpty else { return names }
        let low = text.utf16Range(of: ParagraphIndex(paragraphs.lowerBound)).lowerBound
        let high = text.utf16Range(of: ParagraphIndex(paragraphs.upperBound - 1)).upperBound
        runs.forEachID(in: low..<high) { id, range in
            guard let item = setting.styles.style(of: id).listItem, item.hasMarker, let list = item.list,
                list.isNumbered
            else { return }
            let first = max(paragraphs.lowerBound, text.paragraphIndex(at: range.lowerBound).value)
            let last = min(paragraphs.upperBound - 1, text.paragraphIndex(at: range.upperBound - 1).value)
            let name = numbers.name(of: list.id)
            for paragraph in first...max(first, last) { names[paragraph - paragraphs.lowerBound] = name }
        }
        return names
    }
}
