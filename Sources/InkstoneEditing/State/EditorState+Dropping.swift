import InkstoneBase
import InkstoneInput
import InkstoneText

/// Transactions of drags: inserting dropped text, deleting dragged text, or both at once. Dropped text is selected
/// afterwards, with a range for each of several pieces.
extension EditorState {
    /// Returns the deferred edit that will delete the selected text once it was dropped elsewhere. The edit is
    /// mapped through changes of the text, and deletes only what is then left of the dragged text. Nil if nothing
    /// is selected, and in a secure view.
    package func draggedText() -> DeferredEdit? {
        guard let selection, !selection.isEmpty, !options.isSecureTextEntry else { return nil }
        return DeferredEdit(
            replacing: selection.ranges.map(\.range).filter { !$0.isEmpty }, with: nil, origin: .drop)
    }

    /// Whether an offset lies in dragged text, where that text cannot be dropped.
    ///
    /// - Parameter edges: whether the ends of the dragged text count too. Moving the text there would change
    ///   nothing.
    package func isDragged(_ offset: UTF16Offset, of dragged: DeferredEdit, edges: Bool) -> Bool {
        dragged.targets.flatMap(\.kept).contains {
            edges
                ? $0.lowerBound <= offset && offset <= $0.upperBound : $0.lowerBound < offset && offset < $0.upperBound
        }
    }

    /// Returns the insertion of dropped text at an offset. In a row of a table the text gets the form of pasted text.
    /// Nil for an empty text.
    package func dropping(_ copied: CopiedText, at offset: UTF16Offset) -> Transaction? {
        let new = admitting(copied)
        guard !new.content.rope.isEmpty else { return nil }
        let place = min(offset, textRange.upperBound)
        let items = styledText.makingNoEmptyItems(new.content, place..<place, isStyled: new.isStyled)
        let (range, fitted) = styledText.fittingRow(items, place..<place, isStyled: new.isStyled)
        let content = styledText.keepingLineEndsApart(fitted, replacing: range)
        let (changes, restyling) = styledText.replacing(
            [(range, content)], isStyled: new.isStyled,
            joinsParagraphs: !styledText.insertsParagraphs(content, at: range))
        // If line ends were added to keep others apart, or changed for a table row, the ranges of the pieces are wrong:
        // select the inserted text as a whole.
        let isWhole = content.rope == new.content.rope
        let pieces =
            !isWhole
            ? nil
            : new.pieceRanges(on: newline)?.map {
                SelectionRange(
                    anchor: $0.lowerBound + range.lowerBound.value, head: $0.upperBound + range.lowerBound.value)
            }
        let selected = pieces.flatMap { Selection($0) }.map { SelectionAfter.set($0) }
        var result = transaction(changes, origin: .drop, undo: .step, selection: selected ?? .selectInserted)
        result.restyling = restyling
        return result
    }

    /// Returns the deferred edit of a drop, whose text is pending, at an offset. The offset is mapped through
    /// changes of the text.
    package func dropToCome(at offset: UTF16Offset) -> DeferredEdit {
        DeferredEdit(replacing: [offset..<offset], with: nil, origin: .drop)
    }

    /// Returns the insertion of a drop's text. Nil for an empty text.
    package func dropping(_ copied: CopiedText, for drop: DeferredEdit) -> Transaction? {
        drop.targets.first.flatMap { dropping(copied, at: $0.place) }
    }

    /// Returns the deletion of text that was dragged out of this text. Nil if nothing is left of it.
    package func removing(_ dragged: DeferredEdit) -> Transaction? {
        var edit = dragged
        edit.content = CopiedText("")
        let result = transaction(edit, selection: .mapped, reveal: false)
        return result.changes.isEmpty ? nil : result
    }

    /// Returns the move of dragged text to an offset in the same text, as one transaction. Nil if nothing is left
    /// of the dragged text or all of it stays, or if the move would change nothing, as within the dragged text.
    package func moving(_ dragged: DeferredEdit, to offset: UTF16Offset) -> Transaction? {
        let ranges = dragged.targets.flatMap(\.kept)
        var place = min(offset, textRange.upperBound)
        guard !ranges.isEmpty, !isDragged(place, of: dragged, edges: ranges.count == 1) else { return nil }
        var moved = StyledText()
        for range in ranges {
            let end = moved.rope.utf16Range.upperBound
            _ = moved.replace(end..<end, with: styledText.slice(range))
        }
        // In a row of a table the text gets the form of pasted text. The empty cells after `place` are only filled if
        // they are not moved themselves.
        var target = place..<place
        let (filled, fitted) = styledText.fittingRow(moved, target, isStyled: true)
        let isFilling = ranges.allSatisfy { $0.upperBound <= filled.lowerBound || filled.upperBound <= $0.lowerBound }
        let isFitted = fitted.rope != moved.rope && isFilling
        if isFilling {
            (target, moved, place) = (filled, fitted, filled.lowerBound)
        } else {
            moved = moved.withoutTabs
        }
        let emptied = emptied(by: ranges, movingTo: place)
        if emptied.isEmpty { return nil }
        if !styledText.insertsParagraphs(moved, at: target) {
            // As with pasted text, the first paragraph of the moved text joins the paragraph into which it is dropped.
            moved = styledText.joiningParagraph(moved, at: target)
        }
        let own = moved.rope.metrics.utf16
        let front = moved.rope.bytes(in: 0..<1).first
        moved = styledText.keepingLineEndsApart(moved, replacing: target)
        // A CR or LF that was added between two line ends counts as a part of the first or last piece.
        let added = moved.rope.metrics.utf16 - own
        let addedInFront = moved.rope.bytes(in: 0..<1).first == front ? 0 : 1
        let length = moved.rope.metrics.utf16
        var draft = StyledText.Draft(styledText)
        if moved.runs == nil, styledText.runs == nil {
            draft.replace(target, with: moved.rope)
        } else {
            draft.replace(target, with: moved)
        }
        var end = place
        for part in emptied.reversed() {
            let shift = part.range.lowerBound >= place ? length - target.length() : 0
            draft.replace((part.range.lowerBound + shift)..<(part.range.upperBound + shift), with: Rope(part.text))
            if part.range.upperBound <= place { end = end - part.range.length() + part.text.utf16.count }
        }
        guard let changes = TextChangeSet.composing(draft.changes), !changes.isEmpty else { return nil }
        if isFitted {
            let whole = SelectionRange(anchor: end, head: end + length)
            return transaction(changes, origin: .drop, undo: .step, selection: .set(Selection([whole])))
        }
        let pieces = ranges.enumerated().map { index, range in
            let extra =
                (index == 0 ? addedInFront : 0) + (index == ranges.count - 1 ? added - addedInFront : 0)
            defer { end = end + range.length() + extra }
            return SelectionRange(anchor: end, head: end + range.length() + extra)
        }
        return transaction(changes, origin: .drop, undo: .step, selection: .set(Selection(pieces)))
    }

    /// Returns the replacements that delete moved ranges, in order. None of them contains the place that the text is moved
    /// to.
    private func emptied(
        by ranges: [Range<UTF16Offset>], movingTo place: UTF16Offset
    ) -> [(range: Range<UTF16Offset>, text: String)] {
        ranges.flatMap { range -> [(range: Range<UTF16Offset>, text: String)] in
            // The moved text itself keeps the line ends around a range beside `place` apart.
            let isBeside = range.upperBound == place || range.lowerBound == place
            return replacedParts(of: range, inserting: false).all.flatMap { part in
                part.lowerBound < place && place < part.upperBound
                    ? [part.lowerBound..<place, place..<part.upperBound] : [part]
            }.map { ($0, isBeside ? "" : text.keepingLineEndsApart("", replacing: $0)) }
        }
    }
}
