import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Transactions of the commands for lists and checkboxes.
extension EditorState {
    /// Returns the list item of a paragraph; nil for none. Also nil for the empty paragraph after the last newline.
    func listItem(of paragraph: ParagraphIndex) -> ListItem? {
        guard styledText.runs != nil, paragraph.value >= 0, paragraph.value < text.paragraphCount else { return nil }
        let range = text.utf16Range(of: paragraph)
        return range.isEmpty ? nil : styledText.attributes(at: range.lowerBound)[ListAttribute.self]
    }

    /// Whether a paragraph is only in a list that its intent expresses, which is not shown as a list, such as a
    /// numbered list with checkboxes.
    func isInIntendedList(_ paragraph: ParagraphIndex) -> Bool {
        let start = text.utf16Range(of: paragraph).lowerBound
        return styledText.runs != nil && listItem(of: paragraph) == nil
            && typedAttributes(at: start..<start)[PresentationIntentAttribute.self]?.isInList == true
    }

    /// Returns the list item of the paragraph at an offset; nil for none. The offset is clamped to the text.
    package func listItem(at offset: UTF16Offset) -> ListItem? {
        listItem(of: text.paragraphIndex(at: min(max(0, offset), textRange.upperBound)))
    }

    /// Returns a transaction that sets the list items of paragraphs, given in order; nil removes a paragraph from
    /// all lists. If the last paragraph becomes an item, a newline is appended: without any character, an empty
    /// paragraph could not hold the attribute.
    func settingItems(_ items: [(paragraph: Int, item: ListItem?)]) -> Transaction? {
        var restyling = Restyling()
        var (low, high) = (UTF16Offset(0), UTF16Offset(0))
        var item: ListItem?
        func add() { restyling.set(item, of: ListAttribute.self, in: low..<high) }
        var endsText = false
        for (paragraph, new) in items {
            var range = text.utf16Range(of: ParagraphIndex(paragraph))
            if paragraph + 1 == text.paragraphCount, new != nil {
                endsText = true
                range = range.lowerBound..<(range.upperBound + newline.utf16.count)
            }
            if range.lowerBound != high || new != item {
                add()
                (low, item) = (range.lowerBound, new)
            }
            high = range.upperBound
        }
        add()
        guard endsText else { return restyling.isEmpty ? nil : styling(by: restyling) }
        let end = textRange.upperBound
        var result = transaction(
            TextChangeSet(replacing: end..<end, with: Rope(newline), in: text), origin: .styling, undo: .step,
            selection: .set(selection))
        result.restyling = restyling
        return result
    }

    /// Makes the selected paragraphs list items with a marker. If all of them have that marker already, removes
    /// them from all lists. If a selected paragraph is an item with another marker, its whole list gets the new
    /// marker, and the lists within it the default ones of their levels, if they had these before. Lines of code, rows of tables and items that intents express do not change. Nil without a selection, if
    /// only such paragraphs are selected, in a single-line view, or if the text cannot be edited.
    package func togglingList(_ marker: TextList.Marker) -> Transaction? {
        guard selection != nil, options.isEditable, !options.isSingleLine else { return nil }
        // A line of code or a row of a table cannot become an item by itself. An item of a list that only
        // `PresentationIntentAttribute` expresses would get another list around its own.
        let paragraphs = selectedParagraphs.flatMap { Array($0) }.filter {
            !isLiteral($0) && !isInIntendedList(ParagraphIndex($0))
        }
        guard !paragraphs.isEmpty else { return nil }
        let items = paragraphs.map { ($0, listItem(of: ParagraphIndex($0))) }
        if items.allSatisfy({ $0.1?.hasMarker == true && $0.1?.isMarked(as: marker) == true }) {
            return settingItems(items.map { ($0.0, nil) })
        }
        let switched = Set(items.compactMap { $0.1?.list?.id })
        let list = neighbour(of: paragraphs, with: marker) ?? TextList(marker)
        var new: [Int: ListItem] = [:]
        for (paragraph, item) in items where item == nil {
            var item = ListItem([list])
            item.enclosingQuotations = quotations(of: ParagraphIndex(paragraph))
            new[paragraph] = item
        }
        if !switched.isEmpty {
            let chosen = Set(paragraphs)
            for (paragraph, old) in wholeLists(around: paragraphs) {
                var item = old
                for index in item.lists.indices where switched.contains(item.lists[index].id) {
                    item.lists[index].marker = marker
                }
                if chosen.contains(paragraph) { item.hasMarker = true }
                item.adaptInnerMarkers(of: old)
                new[paragraph] = item
            }
        }
        var result = settingItems(new.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        if marker == .checkbox, var restyling = result?.restyling {
            for paragraph in paragraphs {
                let start = text.utf16Range(of: ParagraphIndex(paragraph)).lowerBound
                takeHeadings(start..<start + 1, &restyling)
            }
            result?.restyling = restyling
        }
        return result
    }

    /// Makes the headings in a range body text, if the view makes blocks as Markdown does (`makesBlocks`): in Markdown,
    /// a heading cannot have a checkbox.
    func takeHeadings(_ range: Range<UTF16Offset>, _ restyling: inout Restyling) {
        guard options.makesBlocks else { return }
        restyling.map(PresentationIntentAttribute.self, in: range) { $0.headingLevel > 0 ? $0.heading(of: nil) : $0 }
    }

    /// Returns the number of quotations around a paragraph that also contain the list, if the paragraph becomes an
    /// item.
    func quotations(of paragraph: ParagraphIndex) -> Int {
        let start = text.utf16Range(of: paragraph).lowerBound
        return typedAttributes(at: start..<start)[PresentationIntentAttribute.self].outerQuotations
    }

    /// Returns the outermost list of the paragraph before the given ones if it has this marker, or else that of the
    /// paragraph after them if it has this marker. Nil if neither has it.
    private func neighbour(of paragraphs: [Int], with marker: TextList.Marker) -> TextList? {
        guard let first = paragraphs.first, let last = paragraphs.last else { return nil }
        return [first - 1, last + 1].lazy.compactMap { listItem(of: ParagraphIndex($0))?.lists.first }
            .first { $0.marker == marker }
    }

    /// The largest number of paragraphs that are searched in one direction for items of the same or the preceding
    /// list. Items farther away count as none.
    static let mostNeighbours = 20_000

    /// Returns the list items among some paragraphs, and the items directly before and after them. The search ends
    /// at the first paragraph that is not an item, or after ``mostNeighbours`` paragraphs.
    private func wholeLists(around paragraphs: [Int]) -> [(paragraph: Int, item: ListItem)] {
        guard let first = paragraphs.first, let last = paragraphs.last else { return [] }
        var found: [(paragraph: Int, item: ListItem)] = []
        var at = first
        while at > 0, first - at < Self.mostNeighbours, listItem(of: ParagraphIndex(at - 1)) != nil { at -= 1 }
        while at <= last + Self.mostNeighbours, at < text.paragraphCount {
            if let item = listItem(of: ParagraphIndex(at)) { found.append((at, item)) } else if at > last { break }
            at += 1
        }
        return found
    }

    /// Toggles the checkbox of the item at an offset; nil if there is no item with a checkbox, or if the text
    /// cannot be edited. The selection does not change.
    package func togglingCheckbox(at offset: UTF16Offset) -> Transaction? {
        guard options.isEditable, let item = listItem(at: offset), item.hasMarker, item.list?.marker == .checkbox
        else { return nil }
        var restyling = Restyling()
        restyling.map(ListAttribute.self, in: text.utf16Range(of: text.paragraphIndex(at: offset))) { item in
            var item = item
            item?.isChecked.toggle()
            return item
        }
        return styling(by: restyling)
    }

    /// Checks the checkboxes of all selected items; if all are checked, unchecks them. Nil if no selected item has
    /// a checkbox, or if the text cannot be edited.
    package func togglingCheckboxes() -> Transaction? {
        guard options.isEditable else { return nil }
        let items = selectedParagraphs.flatMap { Array($0) }.compactMap { paragraph in
            listItem(of: ParagraphIndex(paragraph)).map { (paragraph, $0) }
        }.filter { $0.1.hasMarker && $0.1.list?.marker == .checkbox }
        let areChecked = items.allSatisfy(\.1.isChecked)
        return settingItems(
            items.map { paragraph, item in
                var item = item
                item.isChecked = !areChecked
                return (paragraph, item)
            })
    }

    /// Restarts the numbering of the caret's list with a number: the caret's item and all items after it become
    /// another list. Nil if the caret is not in a numbered list, or if the text cannot be edited.
    package func restartingList(at number: Int = 1) -> Transaction? {
        guard let list = listItem(at: primary.head)?.list, list.isNumbered else { return nil }
        return replacingList(list.id, by: TextList(list.marker, startingNumber: number, suffix: list.suffix))
    }

    /// Makes the caret's list, from the caret's item on, a part of the numbered list before it on the same level.
    /// The numbering then continues from that list. Nil if there is no such list in the 20,000 paragraphs before,
    /// if the caret is not in a numbered list, or if the text cannot be edited.
    package func continuingList() -> Transaction? {
        let here = text.paragraphIndex(at: primary.head).value
        guard let item = listItem(of: ParagraphIndex(here)), let list = item.list, list.isNumbered else { return nil }
        for paragraph in stride(from: here - 1, through: max(0, here - Self.mostNeighbours), by: -1) {
            guard let before = listItem(of: ParagraphIndex(paragraph)), before.level >= item.level else { continue }
            let other = before.lists[item.level - 1]
            if other.isNumbered, other.id != list.id { return replacingList(list.id, by: other) }
        }
        return nil
    }

    /// Replaces a list by another one, in the caret's paragraph and all paragraphs after it.
    private func replacingList(_ id: TextList.ID, by new: TextList) -> Transaction? {
        guard options.isEditable else { return nil }
        let start = text.utf16Range(of: text.paragraphIndex(at: primary.head)).lowerBound
        var restyling = Restyling()
        restyling.map(ListAttribute.self, in: start..<textRange.upperBound) { item in
            guard var item, let index = item.lists.firstIndex(where: { $0.id == id }) else { return item }
            item.lists[index] = new
            return item
        }
        return styling(by: restyling)
    }
}

extension ListItem {
    /// Whether the item has this marker. Deeper levels show other markers in its place, such as a circle for a
    /// bullet, or letters for numbers. The marker that is shown at the item's level in place of this one counts
    /// too.
    package func isMarked(as marker: TextList.Marker) -> Bool {
        guard hasMarker, let own = list?.marker else { return false }
        guard own != marker, level > 1, marker != .checkbox else { return own == marker }
        var nested = marker
        for _ in 1..<level {
            nested = nested.within
            if nested == own { return true }
        }
        return false
    }
}
