import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Lists that become neighbours by an edit.
extension EditorState {
    /// Changes a transaction by the user that deletes the paragraphs between two equal lists: the second list becomes a
    /// part of the first one. They would look like one list, but Markdown would get two with different signs. Lists
    /// that were neighbours before stay apart. Undo, redo, reading, styling and the reordering of lines are not changed.
    func joinLists(_ transaction: inout Transaction) {
        guard styledText.runs != nil, transaction.origin.isUser, !transaction.changes.isEmpty,
            ![.history, .load, .styling, .reordering].contains(where: transaction.origin.isWithin)
        else { return }
        let sections = Array(transaction.changes.changeMap)
        guard sections.count <= 1000,
            sections.contains(where: { $0.removed.newlines > 0 && endsOrPrecedesItem($0.oldRange) })
        else { return }
        var resolved = transaction
        resolved.resolve(in: styledText)
        var after = styledText
        after.apply(resolved.changes)
        var isChanged = false
        for section in sections where section.removed.newlines > 0 {
            let last = after.rope.paragraphIndex(at: section.newRange.upperBound).value
            for paragraph in [last, last + 1] {
                guard let above = after.item(paragraph - 1), let item = after.item(paragraph),
                    after.outerQuotations(paragraph - 1, of: above) == after.outerQuotations(paragraph, of: item),
                    let joined = self.joined(above, item), isBetween(above, item, section.oldRange)
                else { continue }
                let start = after.rope.utf16Range(of: ParagraphIndex(paragraph)).lowerBound
                var restyling = Restyling()
                restyling.map(ListAttribute.self, in: start..<after.rope.utf16Range.upperBound) { item in
                    guard var item else { return nil }
                    for index in item.lists.indices {
                        if let list = joined[item.lists[index].id] { item.lists[index] = item.lists[index].in(list) }
                    }
                    return item
                }
                let changes = after.apply(TextChangeSet(none: after.rope), restyling: restyling)
                resolved.changes = resolved.changes.composed(with: changes)
                isChanged = true
            }
        }
        if isChanged { transaction = resolved }
    }

    /// Whether a list item is at the start of a range, or in the paragraph before it, and another one at its end, or in
    /// the paragraph after it.
    private func endsOrPrecedesItem(_ range: Range<UTF16Offset>) -> Bool {
        let (first, last) = (text.paragraphIndex(at: range.lowerBound), text.paragraphIndex(at: range.upperBound))
        return [first.value - 1, first.value].contains { styledText.item($0) != nil }
            && [last.value, last.value + 1].contains { styledText.item($0) != nil }
    }

    /// Whether a range of the text has a part of a paragraph that is neither in the lists of one item nor in those of
    /// the other.
    private func isBetween(_ above: ListItem, _ item: ListItem, _ range: Range<UTF16Offset>) -> Bool {
        let first = text.paragraphIndex(at: range.lowerBound).value
        let last = text.paragraphIndex(at: range.upperBound).value
        return (first...min(last, first + Self.mostNeighbours)).contains { paragraph in
            let other = styledText.item(paragraph)
            return ![above, item].contains { $0.lists.first?.id == other?.lists.first?.id }
        }
    }

    /// Returns the lists of the first item by the identities of the equal lists of the second item that become parts of
    /// them; nil if there are none.
    private func joined(_ first: ListItem, _ second: ListItem) -> [TextList.ID: TextList]? {
        var result: [TextList.ID: TextList] = [:]
        for (list, other) in zip(first.lists, second.lists) {
            if list.id == other.id { continue }
            // Markdown has bullets and tasks in one list.
            let isSameKind = list.marker == other.marker || options.makesBlocks && !list.isNumbered && !other.isNumbered
            guard isSameKind, list.suffix == other.suffix else { break }
            result[other.id] = list
        }
        return result.isEmpty ? nil : result
    }
}

extension StyledText {
    /// Returns the list item of a paragraph; nil for none.
    fileprivate func item(_ paragraph: Int) -> ListItem? {
        guard paragraph >= 0, paragraph < rope.paragraphCount else { return nil }
        let range = rope.utf16Range(of: ParagraphIndex(paragraph))
        return range.isEmpty ? nil : attributes(at: range.lowerBound)[ListAttribute.self]
    }

    /// Returns the identities of the quotations around the outermost list of an item.
    fileprivate func outerQuotations(_ paragraph: Int, of item: ListItem) -> [Int] {
        let start = rope.utf16Range(of: ParagraphIndex(paragraph)).lowerBound
        let blocks = attributes(at: start)[PresentationIntentAttribute.self]?.components.reversed() ?? []
        return blocks.prefix(item.enclosingQuotations).map(\.identity)
    }
}

extension TextList {
    /// Returns the list with the identity and numbering of another one, and its own marker.
    fileprivate func `in`(_ other: TextList) -> TextList {
        var result = other
        result.marker = marker
        return result
    }
}
