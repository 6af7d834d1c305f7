import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Return, Tab, Shift+Tab and Backspace in list items. The functions for keys return nil if the key has its usual
/// effect.
extension EditorState {
    /// The paragraph and the item of the caret. Nil if the caret is not in a list, if there is not exactly one
    /// caret, or if text is marked.
    private var caretItem: (paragraph: Int, item: ListItem)? {
        guard styledText.runs != nil, let selection, selection.count == 1, selection.isCaret, markedText == nil else {
            return nil
        }
        let paragraph = text.paragraphIndex(at: selection.primary.head)
        return listItem(of: paragraph).map { (paragraph.value, $0) }
    }

    /// Handles Return in a list item: inserts an unchecked item after it, on the same level, or before it if the
    /// caret is before the item's text. In an item of code, inserts another line of the item. An empty item is
    /// moved out of its innermost list instead. Nil outside of list items, with several selected ranges, and in a
    /// single-line view.
    func insertingItem() -> Transaction? {
        guard styledText.runs != nil, !options.isSingleLine, let selection, selection.count == 1 else { return nil }
        let parts = replacedParts(of: selection.primary.range, inserting: true)
        let range = parts.place
        let paragraph = text.paragraphIndex(at: range.lowerBound)
        guard let item = listItem(of: paragraph) else { return nil }
        let content = text.utf16ContentRange(of: paragraph)
        let isCode = isLiteral(paragraph.value)
        if content.isEmpty, selection.primary.isCaret, !isCode {
            return settingItems([(paragraph.value, item.level > 1 ? item.unchecked(in: item.lists.dropLast()) : nil)])
        }
        // At the end of the text, insert a second newline, which holds the attributes of the new item.
        let endsText = range.upperBound == textRange.upperBound
        let new = text.keepingLineEndsApart(endsText ? newline + newline : newline, replacing: range)
        // `new` may have one more unit than its newlines, which keeps it apart from an adjacent CR or LF.
        let place = range.lowerBound - parts.emptiedBefore
        let start = place + (new.utf16.count - (endsText ? newline.utf16.count : 0))
        var builder = TextChangeSet.Builder(over: text)
        builder.replace(range, with: new)
        for part in parts.emptied { builder.replace(part, with: text.keepingLineEndsApart("", replacing: part)) }
        var result = transaction(
            builder.finish(), origin: .newline, undo: .typing, selection: .set(Selection(caret: start)))
        if isCode {
            // In code, the new paragraph is another line of the same item, so it has no marker.
            var restyling = Restyling()
            restyling.set(item.continued, of: ListAttribute.self, in: start..<(start + 1))
            result.restyling = restyling
        } else if item.isChecked || !item.hasMarker {
            // The new item is unchecked and has a marker. With the caret before the item's text, the new item is
            // inserted above, and the old one stays checked.
            let isAbove = range.lowerBound == content.lowerBound && range.upperBound < content.upperBound
            let start = isAbove ? place : start
            var restyling = Restyling()
            let new = item.unchecked(in: item.lists[...])
            restyling.set(new, of: ListAttribute.self, in: start..<(start + 1))
            result.restyling = restyling
        }
        return result
    }

    /// Handles Backspace at the start of an item that has a marker: moves the item out of its innermost list, and
    /// from the first level out of all lists. Nil elsewhere, and if the text cannot be edited.
    func leavingList() -> Transaction? {
        guard options.isEditable, let (paragraph, item) = caretItem, item.hasMarker,
            text.utf16Range(of: ParagraphIndex(paragraph)).lowerBound == primary.head
        else { return nil }
        return item.level > 1 ? shiftingItems(deeper: false) : settingItems([(paragraph, nil)])
    }

    /// Whether the Tab key moves items in or out. True if each selected range is a caret at the start of an item, or
    /// contains several paragraphs of which the first is an item. False within a single line of code, and in a single-line
    /// view.
    var tabMovesItems: Bool {
        guard styledText.runs != nil, let selection, !options.isSingleLine else { return false }
        return selection.ranges.allSatisfy { tabMovesItems(at: $0.range) }
    }

    private func tabMovesItems(at range: Range<UTF16Offset>) -> Bool {
        let paragraph = text.paragraphIndex(at: range.lowerBound)
        guard listItem(of: paragraph) != nil else { return false }
        // Within a single line of code, Tab inserts indentation instead.
        if isLiteral(paragraph.value), text.paragraphIndex(at: range.upperBound) == paragraph { return false }
        if range.isEmpty { return text.utf16Range(of: paragraph).lowerBound == range.lowerBound }
        return text.paragraphIndex(at: range.upperBound) > paragraph
    }

    /// Moves the selected items up to the first paragraph that is no item, and the items nested in them, one level
    /// in or out. Items on the first level are not moved out, nor items on the deepest level further in. With several
    /// ranges, does so for each of them. An item that is moved together with the one around it is not moved again. Nil if a
    /// range does not begin in an item.
    func shiftingItems(deeper: Bool) -> Transaction? {
        let blocks = lineBlocks
        guard !blocks.isEmpty, blocks.allSatisfy({ listItem(of: ParagraphIndex($0.lowerBound)) != nil }) else {
            return nil
        }
        var changed: [(paragraph: Int, item: ListItem?)] = []
        var renumbered: [(range: Range<UTF16Offset>, index: Int, own: TextList, old: Set<TextList.ID>)] = []
        for block in blocks {
            let next = changed.last.map { $0.paragraph + 1 } ?? 0
            guard next < block.upperBound else { continue }
            shift(max(next, block.lowerBound)..<block.upperBound, deeper: deeper, &changed, &renumbered)
        }
        var result = settingItems(changed)
        for (range, index, own, old) in renumbered {
            result?.restyling?.map(ListAttribute.self, in: range) { item in
                guard var item, index < item.lists.count, old.contains(item.lists[index].id) else { return item }
                item.lists[index] = own
                return item
            }
        }
        return result
    }

    /// Adds the moved items of a range of paragraphs, the first of which is an item, and the lists that are then numbered
    /// from the start: each with the range of its items, its level from 0, and the lists that it replaces there.
    private func shift(
        _ paragraphs: Range<Int>, deeper: Bool, _ changed: inout [(paragraph: Int, item: ListItem?)],
        _ renumbered: inout [(range: Range<UTF16Offset>, index: Int, own: TextList, old: Set<TextList.ID>)]
    ) {
        let above = paragraphs.lowerBound - 1
        var before = changed.last?.paragraph == above ? changed.last?.item : listItem(of: ParagraphIndex(above))
        // `root` is the outermost item that is being moved, as it was before the move. `list` is the list that it is
        // moved into; nil if it is moved out.
        var root: ListItem?
        var list: TextList?
        var at = paragraphs.lowerBound
        while let item = listItem(of: ParagraphIndex(at)) {
            let isWithin = root.map { item.level > $0.level || (!item.hasMarker && item.level == $0.level) } ?? false
            if !isWithin {
                guard at < paragraphs.upperBound else { break }
                root = item
                list = deeper ? innerList(for: item, after: before) : nil
            }
            guard let level = root?.level else { break }
            var new = item
            if let list, item.level < ListItem.deepest {
                new.lists.insert(list, at: level)
            } else if !deeper, level > 1 {
                new.lists.remove(at: level - 1)
            }
            new.adaptMarkers(from: item, inside: level)
            changed.append((at, new))
            before = new
            at += 1
        }
        if !deeper, let root, root.level > 1, let list = root.list, list.isNumbered, at < text.paragraphCount {
            // The items that follow in the old list are nested in the last item that was moved out. They become a
            // list of their own, which is counted from the start.
            let own = TextList(list.marker, suffix: list.suffix)
            let index = root.level - 1
            let start = text.utf16Range(of: ParagraphIndex(at)).lowerBound
            var end = start
            styledText.runs?.forEachRun(in: start..<textRange.upperBound) { run, stops in
                let lists = run.attributes[ListAttribute.self]?.lists ?? []
                stops = lists.count <= index || lists[index].id != list.id
                if !stops { end = run.range.upperBound }
            }
            let former = renumbered.filter { $0.index == index && $0.old.contains(list.id) }.map(\.own.id)
            renumbered.append((start..<end, index, own, Set(former + [list.id])))
        }
    }

    /// Returns the list that an item is moved into: the list of the items nested in the item before it, or a new
    /// list.
    private func innerList(for item: ListItem, after before: ListItem?) -> TextList? {
        guard let outer = item.list else { return nil }
        if let before, before.level > item.level, before.lists[item.level - 1].id == outer.id {
            return before.lists[item.level]
        }
        return TextList(outer.marker.within, suffix: outer.suffix)
    }
}

extension ListItem {
    /// The list item for a further paragraph of this item, which has no marker of its own.
    var continued: ListItem {
        var result = self
        (result.hasMarker, result.isChecked) = (false, false)
        return result
    }

    /// Gives the lists that are nested in an item that was moved the default markers of their new levels. A list whose
    /// marker was not the default one keeps it.
    ///
    /// - Parameters:
    ///   - old: the item before the move.
    ///   - level: the level of the moved item before the move.
    fileprivate mutating func adaptMarkers(from old: ListItem, inside level: Int) {
        guard old.lists.count > level, lists.count != old.lists.count else { return }
        let shift = lists.count - old.lists.count
        for index in level..<old.lists.count where index + shift > 0 {
            let list = old.lists[index]
            guard list.marker == Self.standard(list, in: old.lists[index - 1]) else { continue }
            lists[index + shift].marker = Self.standard(list, in: lists[index + shift - 1])
        }
    }

    /// Gives the lists within a list whose marker was changed the default markers of their levels. A list whose marker
    /// was changed itself, or was not the default one, keeps it.
    ///
    /// - Parameter old: the item before the change, with the same lists.
    mutating func adaptInnerMarkers(of old: ListItem) {
        for index in lists.indices.dropFirst() where lists[index].marker == old.lists[index].marker {
            guard old.lists[index].marker == Self.standard(old.lists[index], in: old.lists[index - 1]) else { continue }
            lists[index].marker = Self.standard(lists[index], in: lists[index - 1])
        }
    }

    /// Returns the default marker of a list within another one.
    private static func standard(_ list: TextList, in outer: TextList) -> TextList.Marker {
        .standard(isNumbered: list.isNumbered, isTask: list.marker == .checkbox, in: outer)
    }

    /// Returns the item in other lists, with a marker and unchecked.
    fileprivate func unchecked(in lists: ArraySlice<TextList>) -> ListItem {
        var result = self
        (result.lists, result.hasMarker, result.isChecked) = (Array(lists), true, false)
        return result
    }
}
