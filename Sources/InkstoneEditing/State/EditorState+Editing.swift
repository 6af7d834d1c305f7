import InkstoneBase
import InkstoneInput
import InkstoneText

/// Edits that need no geometry: insertions and deletions by keys, keyboards in other processes and the clipboard.
extension EditorState {
    /// Returns a transaction that replaces text at each selected range, and places carets after the inserted texts.
    /// Nil if there is nothing to do.
    ///
    /// - Parameter edit: returns the range to replace and its new text; nil leaves a selected range alone. If two
    ///   ranges overlap, only the rest of the second is replaced, so the new text must not depend on the replaced
    ///   one.
    func editing(
        origin: Origin, undo: UndoJoining, selection after: SelectionAfter = .afterInserted,
        _ edit: (SelectionRange) -> (range: Range<UTF16Offset>, text: String)?
    ) -> Transaction? {
        guard let selection else { return nil }
        var replacements: [(range: Range<UTF16Offset>, text: String)] = []
        replacements.reserveCapacity(selection.count)
        var kept: [SelectionRange?] = []
        var end = UTF16Offset(0)
        for range in selection.ranges {
            kept.append(range)
            guard let (wanted, new) = edit(range) else { continue }
            let replaced = max(end, wanted.lowerBound)..<max(end, wanted.upperBound)
            if replaced.isEmpty, new.isEmpty { continue }
            kept[kept.count - 1] = nil
            replacements.append((replaced, new))
            end = replaced.upperBound
        }
        if replacements.isEmpty { return nil }
        let (changes, carets) = replacing(replacements)
        guard !changes.isEmpty || carets != nil else { return nil }
        var result = transaction(changes, origin: origin, undo: undo, selection: after)
        if let carets {
            var rest = carets[...]
            let ranges = kept.compactMap { range in
                range.map { Selection($0).mapped { changes.map($0, bias: $1) }.primary } ?? rest.popFirst()
            }
            result.selection = .set(Selection(ranges, primary: selection.primaryIndex))
        }
        return result
    }

    /// Returns the changes that replace ranges, which are in order and do not overlap, by texts. All edits of typed text
    /// go through this method: it keeps line ends apart and the borders between the cells of tables. If it divides a
    /// range, it also returns the carets after the new texts; nil otherwise.
    func replacing(
        _ replacements: [(range: Range<UTF16Offset>, text: String)]
    ) -> (changes: TextChangeSet, carets: [SelectionRange]?) {
        let parts = replacements.map { replacedParts(of: $0.range, inserting: !$0.text.isEmpty) }
        if parts.count == 1, parts[0].emptied.isEmpty, parts[0].place == replacements[0].range {
            let (range, new) = replacements[0]
            let rope = Rope(text.keepingLineEndsApart(new, replacing: range))
            return (TextChangeSet(replacing: range, with: rope, in: text), nil)
        }
        var builder = TextChangeSet.Builder(over: text)
        builder.reserve(replacements.count)
        var carets: [SelectionRange] = []
        var shift = 0
        var isDivided = false
        for (parts, (range, new)) in zip(parts, replacements) {
            isDivided = isDivided || !parts.emptied.isEmpty || parts.place != range
            let new = text.keepingLineEndsApart(new, replacing: parts.place)
            if !parts.place.isEmpty || !new.isEmpty { builder.replace(parts.place, with: new) }
            for part in parts.emptied { builder.replace(part, with: text.keepingLineEndsApart("", replacing: part)) }
            let length = new.utf16.count
            carets.append(SelectionRange(caret: parts.place.lowerBound + shift - parts.emptiedBefore + length))
            shift += length - parts.all.reduce(0) { $0 + $1.length() }
        }
        return (builder.finish(), isDivided ? carets : nil)
    }

    /// Returns the parts of a range that an edit by the user replaces. See
    /// ``StyledText/replacedParts(of:inserting:)``.
    func replacedParts(of range: Range<UTF16Offset>, inserting: Bool) -> ReplacedParts {
        options.isSingleLine ? ReplacedParts(place: range) : styledText.replacedParts(of: range, inserting: inserting)
    }

    /// Returns a transaction of this view, after which the view scrolls so that the caret is visible.
    package func transaction(
        _ changes: TextChangeSet, origin: Origin, undo: UndoJoining, selection after: SelectionAfter
    ) -> Transaction {
        var before = selection
        // For the first edit of a composition, use the selection at the beginning of the composition. The input
        // method may have selected something else since.
        if let composition, composition.firstVersion == version { before = composition.selectionBefore }
        var result = Transaction(
            on: document, version, changes, origin: origin, undo: composition.map { .group($0.undoGroup) } ?? undo,
            selection: after, selectionBefore: before, view: view, reveal: true)
        result.typingBefore = typing.isEmpty ? nil : typing
        if !typing.isEmpty, origin.isWithin(.typing) || origin.isWithin(.rewriting) { result.typing = typing }
        if origin.isWithin(.deletion) { result.typing = typing(afterDeleting: changes) }
        return result
    }

    /// Returns the typing styles after a deletion of styled text: text typed next has the styles of the deleted
    /// text, until the caret moves. Nil if typed text would have these styles anyway, if several ranges are
    /// deleted, during a composition, or if no text is left.
    private func typing(afterDeleting changes: TextChangeSet) -> AttributeOverrides? {
        guard styledText.runs != nil, composition == nil, changes.count == 1, let section = changes.changeMap.first,
            section.inserted.utf16 == 0, section.removed.utf16 < text.metrics.utf16
        else { return nil }
        var rest = styledText
        rest.apply(changes)
        let place = section.oldRange.lowerBound
        // If the deleted text had styles that were chosen for typing, they stay chosen, even if typed text would
        // not inherit them. For example, a letter of code that is deleted and typed again is code again.
        let deleted = typing.applied(
            to: styledText.typingAttributes(replacing: section.oldRange), asIn: styledText.attributes(at: place))
        let overrides = AttributeOverrides(of: rest.typingAttributes(replacing: place..<place), like: deleted)
        return overrides.isEmpty ? nil : overrides
    }

    /// Returns a transaction that sets the selection and leaves the text unchanged. An offset within a surrogate pair
    /// moves to the start of the pair.
    package func selecting(
        _ selection: Selection?, reveal: Bool = true, origin: Origin = .selection
    ) -> Transaction {
        Transaction(
            on: document, version, TextChangeSet(none: text), origin: origin, selection: .set(selection.map(rounded)),
            view: view, reveal: reveal)
    }

    /// Returns a selection with the offsets within surrogate pairs moved to the starts of the pairs.
    private func rounded(_ selection: Selection) -> Selection {
        func start(_ offset: UTF16Offset) -> UTF16Offset {
            offset > 0 && offset < textRange.upperBound ? UTF16Offset(text.metrics(before: offset).utf16) : offset
        }
        let isWhole = selection.ranges.allSatisfy { start($0.anchor) == $0.anchor && start($0.head) == $0.head }
        return isWhole
            ? selection
            : selection.map { range in
                var result = range
                (result.anchor, result.head) = (start(range.anchor), start(range.head))
                return result
            }
    }

    /// Types text over the selection or, if the state ``isOverwriting``, over the text after the caret. Nil without
    /// a selection.
    ///
    /// No text may be marked. Text of an input system goes through ``inserting(_:over:)``, which calls this method
    /// if no text is marked.
    package func inserting(_ new: String, origin: Origin = .typing) -> Transaction? {
        return editing(origin: origin, undo: .typing) { range in
            let replaced = range.isCaret ? overwritten(by: new, at: range.head) : range.range
            return (replaced, fittingCell(new, replacing: replaced))
        }
    }

    /// Pastes text from outside over the selection, as one undo step. Nil if nothing would change.
    ///
    /// If the text has as many pieces, or lines, as there are selected ranges, each range gets one of them;
    /// otherwise each range gets the whole text. If the text is an address without styles, and the selected text is
    /// not an address, the selected text is kept and becomes a link.
    package func pasting(_ new: CopiedText) -> Transaction? { paste(answering(pasteToCome(), with: new)) }

    /// Replaces a range by a text, as an undo step of its own. The caret moves after the text. Nil if both the
    /// range and the text are empty.
    package func replacing(_ range: Range<UTF16Offset>, with new: String, origin: Origin) -> Transaction? {
        replacing(range, with: Rope(new), origin: origin)
    }

    /// Replaces a range by a text that may contain bytes that are not valid UTF-8. Nil if both the range and the
    /// text are empty.
    package func replacing(_ range: Range<UTF16Offset>, with new: Rope, origin: Origin) -> Transaction? {
        let range = range.clamped(into: textRange)
        if range.isEmpty, new.isEmpty { return nil }
        return replacing(
            range, with: AdmittedText(asItIs: origin.isUser ? text.keepingLineEndsApart(new, replacing: range) : new),
            origin: origin)
    }

    /// Replaces a range by a text whose line ends are already converted for this range. Nil if both the range and
    /// the text are empty.
    func replacing(_ range: Range<UTF16Offset>, with new: AdmittedText, origin: Origin) -> Transaction? {
        if range.isEmpty, new.content.isEmpty { return nil }
        let parts = replacedParts(of: range, inserting: !new.content.isEmpty)
        guard origin.isUser, parts.place != range || !parts.emptied.isEmpty else {
            return transaction(
                TextChangeSet(replacing: range, with: new.content, in: text), origin: origin, undo: .step,
                selection: .afterInserted)
        }
        var builder = TextChangeSet.Builder(over: text)
        if !parts.place.isEmpty || !new.content.isEmpty { builder.replace(parts.place, with: new.content) }
        for part in parts.emptied { builder.replace(part, with: text.keepingLineEndsApart("", replacing: part)) }
        let caret = parts.place.lowerBound - parts.emptiedBefore + new.content.metrics.utf16
        return transaction(
            builder.finish(), origin: origin, undo: .step, selection: .set(Selection(caret: caret)))
    }

    /// Replaces a range by the text of a keyboard in another process, or by a late answer of an input method. The
    /// text is converted as by ``admitted(_:replacing:)``. The range must not contain marked text. If `takesCaret` is true, a
    /// selection within the range moves after the text; any other selection keeps its text. Nil if both the range
    /// and the text are empty.
    package func replacing(
        _ range: Range<UTF16Offset>, withLateText new: String, takesCaret: Bool = false
    ) -> Transaction? {
        let range = range.clamped(into: textRange)
        if range.isEmpty, new.isEmpty { return nil }
        let isInside = takesCaret && selection.map { range.holds($0.range) } ?? false
        let content = admitted(new, replacing: range).content
        let parts = replacedParts(of: range, inserting: !content.isEmpty)
        var builder = TextChangeSet.Builder(over: text)
        if !parts.place.isEmpty || !content.isEmpty { builder.replace(parts.place, with: content) }
        for part in parts.emptied { builder.replace(part, with: text.keepingLineEndsApart("", replacing: part)) }
        let caret = parts.place.lowerBound - parts.emptiedBefore + content.metrics.utf16
        var result = Transaction(
            on: document, version, builder.finish(), origin: .inputMethod,
            selection: isInside ? .set(Selection(caret: caret)) : .mapped, selectionBefore: selection, view: view,
            reveal: isInside)
        if isInside, !typing.isEmpty { result.typing = typing }
        return result
    }

    /// Handles Backspace: deletes the selection, or the last typed character before each caret. That is a grapheme
    /// cluster or, in scripts whose marks are typed one by one, a single code point. At the start of a list item, a
    /// block or a table row, the line leaves it instead.
    ///
    /// While text is marked, deletes at the primary range only. Marked text stays marked as long as some of it
    /// remains, even if the deleted text lies beside it. If a cluster is partly marked, only the marked part of it
    /// is deleted. A deletion across an end of the marked text ends the composition.
    package func deletingBackward() -> Transaction? {
        if let marked = markedText?.range { return deletingBackward(beside: marked) }
        if let left = leavingByBackspace() { return left }
        func usual(_ state: EditorState) -> Transaction? {
            state.deleting(.deleteBackward) { state.text.backspaceBoundary(before: $0.head) }
        }
        return atEachRange(special: { $0.leavingByBackspace() }, usual: usual) ?? usual(self)
    }

    /// Deletes the selection, or the grapheme cluster before each caret regardless of the script. With a single
    /// caret at the start of a list item, a block or a table row, the line leaves it instead. Does not end a
    /// composition: no text may be marked.
    package func deletingClusterBackward() -> Transaction? {
        leavingByBackspace() ?? deleting(.deleteBackward) { text.graphemeBoundary(before: $0.head) }
    }

    /// Handles Backspace at the start of an item, a block or a row of a table, and in an empty heading. Nil elsewhere.
    private func leavingByBackspace() -> Transaction? {
        leavingList() ?? leavingBlockByBackspace() ?? leavingRowByBackspace() ?? leavingHeading()
    }

    /// Deletes the selected ranges, and at each caret the text between the caret and the position that `other`
    /// returns, except for borders of table cells. `willDelete` is called with each range to delete, in order; the
    /// ranges may overlap.
    func deleting(
        _ origin: Origin = .deletion, to other: (SelectionRange) -> UTF16Offset,
        willDelete: (Range<UTF16Offset>) -> Void = { _ in }
    ) -> Transaction? {
        return editing(origin: origin, undo: .deleting) { range in
            let place = range.isCaret ? other(range) : range.head
            let whole = range.isCaret ? keepingCells(from: range.head, to: place) : range.range
            willDelete(whole)
            return (whole, "")
        }
    }

    /// Returns the range that a text typed at an offset overwrites: as many clusters as the typed text has, up to
    /// the end of the paragraph or of the table cell. Empty if the text contains a newline, or if the state is not
    /// ``isOverwriting``.
    ///
    /// - Parameter other: the text to use instead of the state's own.
    package func overwritten(
        by new: String, at offset: UTF16Offset, in other: StyledText? = nil
    ) -> Range<UTF16Offset> {
        let styled = other ?? styledText
        let text = styled.rope
        var end = offset
        if isOverwriting, !new.contains(where: \.isNewline) {
            let paragraph = text.utf16ContentRange(of: text.paragraphIndex(at: offset))
            let limit = (styled.cell(at: offset) ?? paragraph).upperBound
            for _ in new where end < limit { end = text.graphemeBoundary(after: end) }
            end = max(offset, min(end, limit))
        }
        return offset..<end
    }

    /// Returns the range of the paragraph at an offset, without its newline.
    func contentOfParagraph(at offset: UTF16Offset) -> Range<UTF16Offset> {
        text.utf16ContentRange(of: text.paragraphIndex(at: offset))
    }
}

extension Array<Range<UTF16Offset>> {
    /// Returns these ranges without overlaps. They must be in order. Overlapping ranges are joined if `joining`;
    /// otherwise only the first of them is kept. O(n).
    func withoutOverlaps(joining: Bool) -> [Range<UTF16Offset>] {
        var result: [Range<UTF16Offset>] = []
        for range in self {
            guard let last = result.last, range.lowerBound < last.upperBound else {
                result.append(range)
                continue
            }
            if joining {
                let joined = Swift.min(last.lowerBound, range.lowerBound)..<Swift.max(last.upperBound, range.upperBound)
                result[result.count - 1] = joined
            }
        }
        return result
    }
}
