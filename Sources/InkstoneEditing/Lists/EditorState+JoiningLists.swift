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
        let sections = transaction.changes.changeMap.filter {
            $0.removed.newlines > 0 && endsOrPrecedesItem($0.oldRange)
        }
        guard !sections.isEmpty else { return }
        var resolved = transaction
        resolved.resolve(in: styledText)
        var after = styledText
        after.apply(resolved.changes)
        /// For each list that becomes a part of another one, that other list, and the first offset of the joined items.
        var joins: [TextList.ID: (list: TextList, start: UTF16Offset)] = [:]
        func joining(_ item: ListItem, at offset: UTF16Offset) -> ListItem {
            var item = item
            for index in item.lists.indices {
                guard let join = joins[item.lists[index].id], offset >= join.start else { continue }
                item.lists[index] = item.lists[index].in(join.list)
            }
            return item
        }
        for section in sections {
            let last = after.rope.paragraphIndex(at: section.newRange.upperBound).value
            for paragraph in [last, last + 1] {
                guard let above = after.item(paragraph - 1), let item = after.item(paragraph),
                    after.outerQuotations(paragraph - 1, of: above) == after.outerQuotations(paragraph, of: item),
                    isBetween(above, item, section.oldRange)
                else { continue }
                let start = after.rope.utf16Range(of: ParagraphIndex(paragraph)).lowerBound
                for (id, list) in equalLists(joining(above, at: start), joining(item, at: start)) {
                    joins[id] = (list, start)
                }
            }
        }
        guard let start = joins.values.map(\.start).min() else { return }
        var restyling = Restyling()
        for run in after.attributes(in: start..<after.rope.utf16Range.upperBound) {
            guard let item = run.attributes[ListAttribute.self] else { continue }
            let joined = joining(item, at: run.range.lowerBound)
            if joined != item { restyling.set(joined, of: ListAttribute.self, in: run.range) }
        }
        let changes = after.apply(TextChangeSet(none: after.rope), restyling: restyling)
        resolved.changes = resolved.changes.composed(with: changes)
        transaction = resolved
    }

    /// Whether a list item is at the start of a range, or in the paragraph before it, and another one at its end, or in
    /// the paragraph after it.
    private func endsOrPrecedesItem(_ range: Range<UTF16Offset>) -> Bool {
        let (first, last) = (text.paragraphIndex(at: range.lowerBound), text.paragraphIndex(at: range.upperBound))
        return [first.value - 1, first.value].contains { styledText.item($0) != nil }
            && [last.value, last.value + 1].contains { styledText.item($0) != nil }
    }

    /// Whether a range of the text has a part of a paragraph that is in neither of the two lists that would be joined.
    /// These are the lists of the two items at the outermost level at which the lists differ.
    private func isBetween(_ above: ListItem, _ item: ListItem, _ range: Range<UTF16Offset>) -> Bool {
        let level = zip(above.lists, item.lists).prefix { $0.id == $1.id }.count
        guard above.lists.count > level, item.lists.count > level else { return false }
        let joined = [above.lists[level].id, item.lists[level].id]
        let first = text.paragraphIndex(at: range.lowerBound).value
        let last = text.paragraphIndex(at: range.upperBound).value
        return (first...min(last, first + Self.mostNeighbours)).contains { paragraph in
            guard let lists = styledText.item(paragraph)?.lists, lists.count > level else { return true }
            return !joined.contains(lists[level].id)
        }
    }

    /// Returns the lists of the first item that take in equal lists of the second item, each by the identity of the
    /// list that becomes a part of it.
    private func equalLists(_ first: ListItem, _ second: ListItem) -> [TextList.ID: TextList] {
        var result: [TextList.ID: TextList] = [:]
        for (list, other) in zip(first.lists, second.lists) {
            if list.id == other.id { continue }
            // Markdown has bullets and tasks in one list.
            let isSameKind = list.marker == other.marker || options.makesBlocks && !list.isNumbered && !other.isNumbered
            guard isSameKind, list.suffix == other.suffix else { break }
            result[other.id] = list
        }
        return result
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
