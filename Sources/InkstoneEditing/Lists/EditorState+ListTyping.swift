import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// List signs, such as "-" or "1.", that make a paragraph a list item when a space is typed after them at its
/// start.
extension EditorState {
    /// Makes the paragraph a list item if a list sign and a space have just been typed at its start. In an item of a
    /// list with bullets, only the sign of a checkbox has an effect: it gives the item a checkbox. The transaction is
    /// an undo step of its own, so undo restores the sign. Nil if there is no such sign, in other items (also of lists
    /// that only `PresentationIntentAttribute` expresses), in code, HTML and tables, during a composition, or in a view
    /// that does not make lists.
    func makingTypedList() -> Transaction? {
        guard options.makesLists, options.takesStyles, options.isEditable, !options.isSingleLine, composition == nil,
            let selection, selection.count == 1, selection.isCaret
        else { return nil }
        let caret = selection.primary.head
        let paragraph = text.paragraphIndex(at: caret)
        let start = text.utf16Range(of: paragraph).lowerBound
        guard caret - start > 1, caret - start <= Self.longestSign,
            var typed = Self.list(of: string(in: start..<caret), asInMarkdown: options.makesBlocks),
            !isLiteral(paragraph.value), !isInIntendedList(paragraph)
        else { return nil }
        let item: ListItem
        if var old = listItem(of: paragraph) {
            // In an item, only the sign of a checkbox has an effect: it gives an item with a bullet a checkbox.
            guard typed.list.marker == .checkbox, let list = old.list, !list.isNumbered, list.marker != .checkbox else {
                return nil
            }
            old.lists[old.level - 1] = typed.list
            (old.isChecked, item) = (typed.isChecked, old)
        } else {
            let quotations = quotations(of: paragraph)
            if let before = listItem(of: ParagraphIndex(paragraph.value - 1)), let list = before.lists.first,
                before.enclosingQuotations == quotations, list.marker == typed.list.marker,
                !list.isNumbered || list.suffix == typed.list.suffix && goesOn(list, by: typed.list, paragraph)
            {
                typed.list = list
            }
            var new = ListItem([typed.list], isChecked: typed.isChecked)
            new.enclosingQuotations = quotations
            item = new
        }
        let isLast = paragraph.value + 1 == text.paragraphCount
        var builder = TextChangeSet.Builder(over: text)
        builder.replace(start..<caret, with: "")
        if isLast { builder.replace(textRange.upperBound..<textRange.upperBound, with: newline) }
        var result = transaction(
            builder.finish(), origin: .styling, undo: .step, selection: .set(Selection(caret: start)))
        var restyling = Restyling()
        restyling.set(item, of: ListAttribute.self, in: start..<(start + 1))
        if item.list?.marker == .checkbox { takeHeadings(start..<start + 1, &restyling) }
        result.restyling = restyling
        return result
    }

    /// Whether a typed number begins an item of the numbered list above: the number is 1 or the list's next one.
    private func goesOn(_ list: TextList, by new: TextList, _ paragraph: ParagraphIndex) -> Bool {
        if new.startingNumber == 1 { return true }
        var next = list.startingNumber
        var at = paragraph.value - 1
        while at >= max(0, paragraph.value - Self.mostNeighbours), let item = listItem(of: ParagraphIndex(at)),
            item.lists.first?.id == list.id
        {
            if item.level == 1, item.hasMarker { next += 1 }
            at -= 1
        }
        return new.startingNumber == next
    }

    /// The length of the longest list sign with its space, in UTF-16 units.
    private static let longestSign = 8

    /// Returns the list of a sign.
    ///
    /// - Parameter asInMarkdown: whether only lists that Markdown has are made: none with letters, and a full stop
    ///   behind each number.
    private static func list(of sign: String, asInMarkdown: Bool) -> (list: TextList, isChecked: Bool)? {
        switch sign {
        case "a) ", "A) ", "i) ", "I) ": if asInMarkdown { return nil }
        default: break
        }
        switch sign {
        case "- ", "* ", "\u{2022} ": return (TextList(.disc), false)
        case "[ ] ", "[] ": return (TextList(.checkbox), false)
        case "[x] ", "[X] ": return (TextList(.checkbox), true)
        case "a) ": return (TextList(.lowercaseAlphabetic, suffix: ")"), false)
        case "A) ": return (TextList(.uppercaseAlphabetic, suffix: ")"), false)
        case "i) ": return (TextList(.lowercaseRoman, suffix: ")"), false)
        case "I) ": return (TextList(.uppercaseRoman, suffix: ")"), false)
        default:
            let parts = sign.dropLast()
            guard let suffix = parts.last, suffix == "." || suffix == ")",
                parts.dropLast().utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(parts.dropLast())
            else { return nil }
            return (TextList(.decimal, startingNumber: number, suffix: asInMarkdown ? "." : String(suffix)), false)
        }
    }
}
