import InkstoneBase
import InkstoneText

/// The markers of list items.
extension DocumentLayout {
    /// The marker of a paragraph that is laid out; nil if it has none.
    func marker(for input: ParagraphInput, of paragraph: Int) -> LaidMarker? {
        guard let (item, font) = input.marker else { return nil }
        return LaidMarker(
            item, number: number(of: item, at: paragraph), font: font,
            indent: Int32(pixels: input.style.firstLineIndent), revision: numbers.revision, isRightToLeft: false, tools)
    }

    /// Gives the marker of a paragraph that was laid out its number. Returns whether its lines are still as they would be laid out: a
    /// number of another width may need other room.
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

    /// The number of an item at a paragraph; that of its list's start for lists without numbers. The first time O(n) in the runs before it.
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

    /// Paragraphs whose lists are read at least.
    private static let readAhead = 256

    /// Has the numbers follow a replacement that ``text`` and ``runs`` have followed. Returns whether markers that somebody may see below it
    /// have other numbers now.
    func followNumbers(_ edit: FollowedChange) -> Bool {
        guard numbers.known > 0 else { return false }
        let first = text.paragraphIndex(at: UTF16Offset(edit.low)).value
        guard first < numbers.known else { return false }
        let last = text.paragraphIndex(at: UTF16Offset(edit.insertedEnd)).value
        let old = first..<max(first, last + 1 - edit.newlines)
        return numbers.replace(old, with: listNames(first..<last + 1))
    }

    /// The numbered lists that some paragraphs are items of. O(n) in their runs.
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
