import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Quotations that the user makes of paragraphs, lists and tables.
extension EditorState {
    /// Puts the selected paragraphs that are in no quotation into a new one or, if all of them are in quotations,
    /// takes each out of its innermost quotation. A table of which a row is selected is quoted as a whole. So is a list
    /// if more than one of its items is selected, or other text as well; within a single item, the item's text is quoted.
    /// Nil without a selection, where editing or styles are not allowed, and where nothing would change.
    package func togglingQuotation() -> Transaction? {
        guard selection != nil, options.isEditable, options.takesStyles else { return nil }
        let isOn = isInQuotation
        let selected = lineBlocks
        let takesLists = selected.contains { !isWithinItem($0) }
        /// Whether the quotation around the list of an item is changed, and not one within the item.
        func isList(_ attributes: TextAttributes) -> Bool {
            guard let item = attributes[ListAttribute.self] else { return false }
            let outer = item.enclosingQuotations
            if !isOn { return takesLists && outer == 0 }
            return outer > 0
                && (takesLists || outer >= attributes[PresentationIntentAttribute.self]?.quotations ?? 0)
        }
        var blocks: [Range<Int>] = []
        for block in selected {
            var block = extended(block, isList)
            if let last = blocks.last, block.lowerBound <= last.upperBound {
                block = last.lowerBound..<max(last.upperBound, block.upperBound)
                blocks.removeLast()
            }
            blocks.append(block)
        }
        let identity = PresentationIntent.newIdentity
        let lines = stylingLines(PresentationIntentAttribute.self, in: blocks, sparing: isList) { intent in
            isOn ? intent.unquoted : intent.isQuoted ? intent : intent.quoted(identity)
        }
        var restyling = lines?.restyling ?? Restyling()
        for (range, outer) in lists(in: blocks, isList) {
            restyling.map(PresentationIntentAttribute.self, in: range) { intent in
                isOn ? intent.unquoted(around: max(0, (intent?.quotations ?? 0) - outer)) : intent.quoted(identity)
            }
            restyling.map(ListAttribute.self, in: range) { item in
                var item = item
                item?.enclosingQuotations += isOn ? -1 : 1
                return item
            }
        }
        guard var lines else { return restyling.isEmpty ? nil : styling(by: restyling) }
        lines.restyling = restyling
        return lines
    }

    /// Makes the selected paragraphs body text. Headings and code in quotations stay quoted; if there are none, takes the
    /// paragraphs out of their quotations. Rules and rows of tables do not change. Nil without a selection, or if the text
    /// cannot be edited.
    package func settingBody() -> Transaction? {
        let isPlain = styleState { attributes in
            let intent = attributes[PresentationIntentAttribute.self]
            return intent.isQuoted && intent.headingLevel == 0 && !intent.isRow && !attributes.isCodeLine
        }
        return isPlain == .on ? togglingQuotation() : settingHeading(nil)
    }

    /// Whether paragraphs are a list item, or a part of one.
    private func isWithinItem(_ paragraphs: Range<Int>) -> Bool {
        guard let first = paragraphs.first, listItem(of: ParagraphIndex(first)) != nil else { return false }
        return paragraphs.dropFirst().allSatisfy { listItem(of: ParagraphIndex($0))?.hasMarker == false }
    }

    /// Returns paragraphs with the rest of the tables, and of the outermost lists that meet a condition, in which the first
    /// and the last of them are. Searches at most ``mostNeighbours`` paragraphs in each direction.
    private func extended(_ paragraphs: Range<Int>, _ isList: (TextAttributes) -> Bool) -> Range<Int> {
        func isSame(_ a: Int, _ b: Int) -> Bool {
            if let table = styledText.row(a)?.table { return styledText.row(b)?.table == table }
            guard let item = listItem(of: ParagraphIndex(a)), let list = item.lists.first,
                isList(styledText.attributes(at: text.utf16Range(of: ParagraphIndex(a)).lowerBound)),
                let other = listItem(of: ParagraphIndex(b))
            else { return false }
            return other.lists.first?.id == list.id && other.enclosingQuotations == item.enclosingQuotations
        }
        guard let first = paragraphs.first, let last = paragraphs.last else { return paragraphs }
        var (low, high) = (first, last)
        while low > 0, first - low < Self.mostNeighbours, isSame(low, low - 1) { low -= 1 }
        while high + 1 < text.paragraphCount, high - last < Self.mostNeighbours, isSame(high, high + 1) { high += 1 }
        return low..<high + 1
    }

    /// Returns the ranges of list items that meet a condition, in order, each with the number of quotations around its
    /// outermost list.
    private func lists(
        in blocks: [Range<Int>], _ isList: (TextAttributes) -> Bool
    ) -> [(range: Range<UTF16Offset>, outer: Int)] {
        var result: [(range: Range<UTF16Offset>, outer: Int)] = []
        for block in blocks {
            styledText.runs?.forEachRun(in: utf16Range(ofLines: block)) { run, _ in
                guard isList(run.attributes), let outer = run.attributes[ListAttribute.self]?.enclosingQuotations else {
                    return
                }
                if let last = result.last, last.outer == outer, last.range.upperBound == run.range.lowerBound {
                    result[result.count - 1].range = last.range.lowerBound..<run.range.upperBound
                } else {
                    result.append((run.range, outer))
                }
            }
        }
        return result
    }
}
