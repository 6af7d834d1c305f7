public import InkstoneBase
public import InkstoneText

/// Edits without geometry: the insertions and deletions of keys, keyboards and the clipboard.
extension EditorState {
    /// Returns a transaction with a replacement for each range of the selection; the carets go behind the inserted text. Nil if there is nothing to
    /// do.
    ///
    /// - Parameter edit: returns the range to replace and its text; nil leaves a range alone. Of overlapping ranges, the second gets only its rest,
    ///   so the new text must not depend on the replaced one. For such text, use ``rewriting(_:joins:_:)``.
    func editing(
        origin: Origin, undo: UndoJoining, selection after: SelectionAfter = .afterInserted,
        _ edit: (SelectionRange) -> (range: Range<UTF16Offset>, text: String)?
    ) -> Transaction? {
        guard let selection else { return nil }
        let changes: TextChangeSet
        if selection.count == 1 {
            guard let (range, new) = edit(selection.primary), !(range.isEmpty && new.isEmpty) else { return nil }
            changes = TextChangeSet(
                replacing: range, with: Rope(text.keepingLineEndsApart(new, replacing: range)), in: text)
        } else {
            var builder = TextChangeSet.Builder(over: text)
            builder.reserve(selection.count)
            var end = UTF16Offset(0)
            for range in selection.ranges {
                guard let (wanted, new) = edit(range) else { continue }
                let range = max(end, wanted.lowerBound)..<max(end, wanted.upperBound)
                if range.isEmpty, new.isEmpty { continue }
                builder.replace(range, with: text.keepingLineEndsApart(new, replacing: range))
                end = range.upperBound
            }
            changes = builder.finish()
        }
        return changes.isEmpty ? nil : transaction(changes, origin: origin, undo: undo, selection: after)
    }

    /// Rewrites a piece of text for each range of the selection in one transaction; the carets go behind the pieces. Nil if there is
    /// nothing to do.
    ///
    /// - Parameters:
    ///   - piece: the piece for a range; nil leaves it alone.
    ///   - joins: whether overlapping pieces are rewritten as one; if not, the second is left alone. No text is rewritten twice.
    ///   - rewrite: returns the replacement of a piece; nil leaves it alone.
    func rewriting(
        _ piece: (SelectionRange) -> Range<UTF16Offset>?, joins: Bool, _ rewrite: (Range<UTF16Offset>) -> String?
    ) -> Transaction? {
        guard let selection else { return nil }
        var builder = TextChangeSet.Builder(over: text)
        for piece in selection.ranges.compactMap(piece).withoutOverlaps(joining: joins) {
            guard let new = rewrite(piece), !(piece.isEmpty && new.isEmpty) else { continue }
            builder.replace(piece, with: new)
        }
        let changes = builder.finish()
        return changes.isEmpty ? nil : transaction(changes, origin: .rewriting, undo: .step, selection: .afterInserted)
    }

    /// Returns a transaction of this view that scrolls the caret into sight.
    package func transaction(
        _ changes: TextChangeSet, origin: Origin, undo: UndoJoining, selection after: SelectionAfter
    ) -> Transaction {
        var before = selection
        // The selection when a composition began, even if the input method selected something else before its first edit.
        if let composition, composition.firstVersion == version { before = composition.selectionBefore }
        var result = Transaction(
            on: document, version, changes, origin: origin, undo: composition.map { .group($0.undoGroup) } ?? undo,
            selection: after, selectionBefore: before, view: view, reveal: true)
        result.typingBefore = typing.isEmpty ? nil : typing
        if !typing.isEmpty, origin.isWithin(.typing) || origin.isWithin(.rewriting) { result.typing = typing }
        if origin.isWithin(.deletion) { result.typing = typing(afterDeleting: changes) }
        return result
    }

    /// Returns the typing styles after a deletion of styled text: those of that text, until the caret moves. Nil if they result without overrides,
    /// and if no text is left.
    private func typing(afterDeleting changes: TextChangeSet) -> AttributeOverrides? {
        guard styledText.runs != nil, composition == nil, changes.count == 1, let section = changes.changeMap.first,
            section.inserted.utf16 == 0, section.removed.utf16 < text.metrics.utf16
        else { return nil }
        var rest = styledText
        rest.apply(changes)
        let place = section.oldRange.lowerBound
        // Of the styles chosen for typing, those that the deleted text had stay chosen: a corrected letter of code is code again.
        let deleted = typing.applied(
            to: styledText.typingAttributes(replacing: section.oldRange), asIn: styledText.attributes(at: place))
        let overrides = AttributeOverrides(of: rest.typingAttributes(replacing: place..<place), like: deleted)
        return overrides.isEmpty ? nil : overrides
    }

    /// Returns a transaction that selects and changes no text.
    public func selecting(
        _ selection: Selection?, reveal: Bool = true, origin: Origin = .selection
    ) -> Transaction {
        Transaction(
            on: document, version, TextChangeSet(none: text), origin: origin, selection: .set(selection), view: view,
            reveal: reveal)
    }

    /// Types text: over the selection, or over the text behind the caret if the state ``isOverwriting``.
    ///
    /// Nothing may be marked. Text of an input system goes through ``inserting(_:over:)``, which calls this if nothing is marked.
    public func inserting(_ new: String, origin: Origin = .typing) -> Transaction? {
        editing(origin: origin, undo: .typing) { range in
            (range.isCaret ? overwritten(by: new, at: range.head) : range.range, new)
        }
    }

    /// Pastes text from outside over the selection, as one undo step.
    ///
    /// Each range gets its piece, or its line, if there are as many; else the whole text.
    public func pasting(_ new: CopiedText) -> Transaction? { paste(answering(pasteToCome(), with: new)) }

    /// Replaces a range by a text, as a step of its own; the caret goes behind it.
    public func replacing(_ range: Range<UTF16Offset>, with new: String, origin: Origin) -> Transaction? {
        replacing(range, with: Rope(new), origin: origin)
    }

    /// Replaces a range by a text that may have bytes that are no UTF-8.
    public func replacing(_ range: Range<UTF16Offset>, with new: Rope, origin: Origin) -> Transaction? {
        let range = range.clamped(into: textRange)
        if range.isEmpty, new.isEmpty { return nil }
        return transaction(
            TextChangeSet(replacing: range, with: new, in: text), origin: origin, undo: .step,
            selection: .afterInserted)
    }

    /// Replaces a range by a text of a keyboard or of a late answer of an input method, with its line ends as ``newline``: a selection within the
    /// range goes behind it if `takesCaret`, any other keeps its text. Nothing may be marked there.
    public func replacing(
        _ range: Range<UTF16Offset>, withLateText new: String, takesCaret: Bool = false
    ) -> Transaction? {
        let range = range.clamped(into: textRange)
        if range.isEmpty, new.isEmpty { return nil }
        let isInside = takesCaret && selection.map { range.holds($0.range) } ?? false
        let content = AdmittedText(new, replacing: range, of: text, newline: newline).content
        var result = Transaction(
            on: document, version, TextChangeSet(replacing: range, with: content, in: text), origin: .inputMethod,
            selection: isInside ? .afterInserted : .mapped, selectionBefore: selection, view: view, reveal: isInside)
        if isInside, !typing.isEmpty { result.typing = typing }
        return result
    }

    /// Handles Backspace: deletes the selection, or the text typed last before each caret: a grapheme cluster, or one code point in scripts whose
    /// marks are typed one by one.
    ///
    /// While text is marked, deletes only at the primary range. Marked text stays marked as long as any is left of it, even if the deleted text
    /// lies beside it; a cluster that it shares with the letter before it loses only the marked part. A deletion across one of its ends ends the
    /// composition.
    public func deletingBackward() -> Transaction? {
        if let marked = markedText?.range { return deletingBackward(beside: marked) }
        if let left = leavingList() ?? leavingBlockByBackspace() { return left }
        return deleting(.deleteBackward) { text.backspaceBoundary(before: $0.head) }
    }

    /// Deletes the selection, or the grapheme cluster before each caret, whatever its script. Ends no composition: nothing may be marked.
    package func deletingClusterBackward() -> Transaction? {
        leavingList() ?? leavingBlockByBackspace()
            ?? deleting(.deleteBackward) { text.graphemeBoundary(before: $0.head) }
    }

    /// Deletes the selection, or the text between each caret and another position. `willDelete` receives each of these ranges, in order; they may
    /// overlap.
    func deleting(
        _ origin: Origin = .deletion, to other: (SelectionRange) -> UTF16Offset,
        willDelete: (Range<UTF16Offset>) -> Void = { _ in }
    ) -> Transaction? {
        editing(origin: origin, undo: .deleting) { range in
            let place = range.isCaret ? other(range) : range.head
            let whole = range.isCaret ? min(range.head, place)..<max(range.head, place) : range.range
            willDelete(whole)
            return (whole, "")
        }
    }

    /// Returns the range that a text typed at an offset replaces: as many clusters as the text has itself, up to the end of the paragraph; a text
    /// with a newline replaces nothing. Empty unless the state ``isOverwriting``.
    ///
    /// - Parameter other: another text to use than the state's.
    public func overwritten(by new: String, at offset: UTF16Offset, in other: Rope? = nil) -> Range<UTF16Offset> {
        let text = other ?? text
        var end = offset
        if isOverwriting, !new.contains(where: \.isNewline) {
            let limit = text.utf16ContentRange(of: text.paragraphIndex(at: offset)).upperBound
            for _ in new where end < limit { end = text.graphemeBoundary(after: end) }
            end = max(offset, min(end, limit))
        }
        return offset..<end
    }

    /// Returns the paragraph of an offset, without its newline.
    func contentOfParagraph(at offset: UTF16Offset) -> Range<UTF16Offset> {
        text.utf16ContentRange(of: text.paragraphIndex(at: offset))
    }
}

extension Array<Range<UTF16Offset>> {
    /// Returns the ranges, which are in order of their selection, without overlaps: overlapping ranges are joined, or only the first is kept. O(n).
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

extension String {
    /// Whether a text is the same scalar by scalar. `==` also holds for "é" in one and in two scalars, whose offsets differ. O(n).
    package func hasSameScalars(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
