import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Edits that wait for the end of a composition or for their text.
extension EditorState {
    /// Returns the transaction of an edit by the program. The user's selection keeps its text; if the whole text is
    /// replaced, it moves to the start. Whether the transaction has to wait is decided later, by
    /// ``prepare(_:hasWaited:isWhole:asking:)``. If the edit does more than replace text, its own transaction is
    /// returned, which may be for an older version.
    package func programEdit(_ edit: DeferredEdit) -> Transaction {
        edit.transaction
            ?? transaction(
                edit, selection: edit.replacesAll ? .set(Selection(caret: 0)) : .mapped, reveal: edit.replacesAll)
    }

    /// Returns the transaction that an edit would make in the present text.
    func transaction(_ edit: DeferredEdit, selection after: SelectionAfter, reveal: Bool) -> Transaction {
        let (changes, restyling) = edit.changes(of: styledText)
        var result = Transaction(
            on: document, version, changes, origin: edit.origin, undo: edit.undo, selection: after,
            selectionBefore: selection, view: view, reveal: reveal)
        result.restyling = restyling
        return result
    }

    /// Returns the paste of a text that has arrived, in place of the remaining text of its target. If the selection has
    /// not moved away from the target, the caret moves after the pasted text; otherwise the selection stays on its
    /// text. If an address is pasted over text that is still selected, that text becomes a link instead. Nil if nothing
    /// would change.
    package func paste(_ edit: DeferredEdit) -> Transaction? {
        let isThere = selection.map {
            $0.count == edit.targets.count && zip($0.ranges, edit.targets).allSatisfy { $0.range == $1.whole }
        }
        if isThere == true, let link = linking(edit) { return link }
        var result = transaction(edit, selection: isThere == true ? .afterInserted : .mapped, reveal: isThere == true)
        if result.changes.isEmpty { return nil }
        if result.restyling == nil, typing.isEmpty, styledText.runs != nil, let section = whole(result) {
            result.restyling = Restyling()
            result.restyling?.set(TextAttributes(), in: section.newRange)
        }
        if isThere == true {
            if let carets = caretsAfterCells(result) { result.selection = .set(carets) }
            result.typingBefore = typing.isEmpty ? nil : typing
            result.typing = typing(afterPasting: result)
        }
        return result
    }

    /// Returns the carets after a paste over several cells of a table: for each selected range, a caret after the last
    /// part that has received text. Nil after other pastes.
    private func caretsAfterCells(_ paste: Transaction) -> Selection? {
        let map = paste.changes.changeMap
        guard let selection, map.count > selection.count else { return nil }
        var sections = Array(map)[...]
        let carets = selection.ranges.map { range in
            let own = sections.drop { $0.oldRange.lowerBound < range.range.lowerBound }
                .prefix { $0.oldRange.lowerBound <= range.range.upperBound }
            sections = sections[own.endIndex...]
            let last = own.last { !$0.newRange.isEmpty } ?? own.first
            return SelectionRange(caret: last?.newRange.upperBound ?? map.map(range.head, bias: .downstream))
        }
        return Selection(carets, primary: selection.primaryIndex)
    }

    /// Returns the typing styles after a paste. Text typed then does not have the styles of the pasted text. It has the
    /// styles that the user has chosen for typing, or else those of the text before the paste. Nil if typed text would
    /// have the right styles anyway, and after a paste of styled text at several positions.
    private func typing(afterPasting paste: Transaction) -> AttributeOverrides? {
        guard paste.restyling != nil else { return typing.isEmpty ? nil : typing }
        guard paste.changes.count == 1, let section = paste.changes.changeMap.first else { return nil }
        var after = styledText
        after.apply(paste)
        let place = section.newRange.upperBound
        let before =
            whole(paste) != nil ? TextAttributes() : styledText.typingAttributes(replacing: section.oldRange)
        let overrides = AttributeOverrides(
            of: after.typingAttributes(replacing: place..<place), like: typing.applied(to: before))
        return overrides.isEmpty ? nil : overrides
    }

    /// Returns the only section of a paste, if the paste replaces the whole text; nil for any other paste, and if
    /// the text is empty. After such a paste, new text does not inherit the styles of the replaced text, just as
    /// after the deletion of the whole text.
    private func whole(_ paste: Transaction) -> TextChangeMap.Section? {
        guard !text.isEmpty, paste.changes.count == 1, let section = paste.changes.changeMap.first,
            section.oldRange == textRange
        else { return nil }
        return section
    }

    /// If an address is pasted over selected text, keeps the selected text and makes it a link to the address. The
    /// caret goes behind the link, as behind pasted text. Nil for any other paste, and if the selected text is an
    /// address itself.
    private func linking(_ edit: DeferredEdit) -> Transaction? {
        guard options.takesStyles, edit.origin == .paste, let selection, !selection.ranges.contains(where: \.isCaret),
            let content = edit.content, content.pieces == nil, content.content.runs == nil,
            (8...2048).contains(content.content.rope.metrics.utf16)
        else { return nil }
        let text = content.content.rope.string(in: content.content.rope.utf16Range)
        guard let address = text.address, !selection.ranges.contains(where: { isAddress($0.range) }) else { return nil }
        var result = styling(String(address), of: LinkAttribute.self)
        let carets = selection.ranges.map { SelectionRange(caret: $0.range.upperBound) }
        result?.selection = .set(Selection(carets, primary: selection.primaryIndex))
        return result
    }

    /// Whether the text of a range is an address. Pasting another address over it replaces it.
    private func isAddress(_ range: Range<UTF16Offset>) -> Bool {
        range.length() <= 2048 && string(in: range).address != nil
    }

    /// Returns a deferred paste over the selection, whose text is pending.
    package func pasteToCome(_ origin: Origin = .paste) -> DeferredEdit {
        DeferredEdit(replacing: (selection?.ranges ?? []).map(\.range), with: nil, origin: origin)
    }

    /// Returns the deferred edit of an identity; nil if there is none.
    package func deferredEdit(_ id: DeferredEdit.ID) -> DeferredEdit? { deferred.first { $0.id == id } }

    /// The next edit by the program that has waited for the end of the composition. Nil while text is marked, or if
    /// there is none.
    package var nextDeferred: DeferredEdit? {
        markedText == nil ? deferred.first { $0.content != nil } : nil
    }

    /// Whether the text of a paste or a drop is pending.
    package var awaitsText: Bool { deferred.contains(where: \.awaitsText) }

    /// The pastes and drops whose text is pending.
    var awaited: [DeferredEdit.ID] { deferred.filter(\.awaitsText).map(\.id) }

    /// Whether edits by the program are waiting. Later edits by the program in this view then have to wait too.
    var hasWaitingEdits: Bool { deferred.contains { $0.content != nil } }
}

extension DeferredEdit {
    /// Whether the text of a paste or a drop is pending.
    fileprivate var awaitsText: Bool {
        // The deletion of dragged text has no content either, but waits for the end of the drag, not for a text.
        content == nil && (origin.isWithin(.paste) || targets.allSatisfy(\.kept.isEmpty))
    }
}

extension StringProtocol where SubSequence == Substring {
    /// The text, without a line end after it, if it is a single address with the scheme http, https or mailto; nil
    /// otherwise.
    var address: Substring? {
        let text = last?.isNewline == true ? dropLast() : self[...]
        guard !text.contains(where: { $0.isWhitespace || $0.isNewline }) else { return nil }
        let lowered = text.prefix(8).lowercased()
        let isOne = ["https://", "http://", "mailto:"].contains { lowered.hasPrefix($0) && text.count > $0.count }
        return isOne ? text : nil
    }
}
