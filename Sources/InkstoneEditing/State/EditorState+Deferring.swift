import InkstoneBase
import InkstoneInput
import InkstoneLayout
public import InkstoneText

/// Edits that wait.
extension EditorState {
    /// The edit by the program that replaces a range, or with `replacesAll` all text; the user's selection keeps its text, but
    /// goes to the start if all is replaced. ``prepare(_:hasWaited:isWhole:asking:)`` says whether it has to wait. One that does more than to replace
    /// text is for the version that it was made for.
    public func programEdit(_ edit: DeferredEdit) -> Transaction {
        edit.transaction
            ?? transaction(
                edit, selection: edit.replacesAll ? .set(Selection(caret: 0)) : .mapped, reveal: edit.replacesAll)
    }

    /// What an edit does now.
    func transaction(_ edit: DeferredEdit, selection after: SelectionAfter, reveal: Bool) -> Transaction {
        let (changes, restyling) = edit.changes(of: styledText)
        var result = Transaction(
            on: document, version, changes, origin: edit.origin, undo: edit.undo, selection: after,
            selectionBefore: selection, view: view, reveal: reveal)
        result.restyling = restyling
        return result
    }

    /// The paste of a text that has come, over what is left of what it was asked for. The caret goes behind it where the
    /// selection is still what it is to replace; else the selection keeps its text.
    public func paste(_ edit: DeferredEdit) -> Transaction? {
        let isThere = selection.map {
            $0.count == edit.targets.count && zip($0.ranges, edit.targets).allSatisfy { $0.range == $1.whole }
        }
        if isThere == true, let link = linking(edit) { return link }
        var result = transaction(edit, selection: isThere == true ? .afterInserted : .mapped, reveal: isThere == true)
        if result.changes.isEmpty { return nil }
        if isThere == true {
            result.typingBefore = typing.isEmpty ? nil : typing
            result.typing = typing(afterPasting: result)
        }
        return result
    }

    /// The styles to go on with behind a paste: those that were chosen, or that the text had there, for what is pasted with styles of its own
    /// does not colour what is typed. Nil where they come by themselves.
    private func typing(afterPasting paste: Transaction) -> AttributeOverrides? {
        guard paste.restyling != nil else { return typing.isEmpty ? nil : typing }
        guard paste.changes.count == 1, let section = paste.changes.changeMap.first else { return nil }
        var after = styledText
        after.apply(paste)
        let place = section.newRange.upperBound
        let overrides = AttributeOverrides(
            of: after.typingAttributes(replacing: place..<place),
            like: typing.applied(to: styledText.typingAttributes(replacing: section.oldRange)))
        return overrides.isEmpty ? nil : overrides
    }

    /// The paste of an address over selected text, which becomes a link to it and stays; nil for another paste.
    private func linking(_ edit: DeferredEdit) -> Transaction? {
        guard options.takesStyles, edit.origin == .paste, let selection, !selection.ranges.contains(where: \.isCaret),
            let content = edit.content, content.pieces == nil, content.content.runs == nil,
            (8...2048).contains(content.content.rope.metrics.utf16)
        else { return nil }
        let text = content.content.rope.string(in: content.content.rope.utf16Range)
        guard let address = text.address, !selection.ranges.contains(where: { isAddress($0.range) }) else { return nil }
        return styling(String(address), of: LinkAttribute.self)
    }

    /// Whether a range is an address itself, in whose place another one is meant.
    private func isAddress(_ range: Range<UTF16Offset>) -> Bool {
        range.length() <= 2048 && string(in: range).address != nil
    }

    /// A paste over the selection, whose text is still to come.
    public func pasteToCome(_ origin: Origin = .paste) -> DeferredEdit {
        DeferredEdit(replacing: (selection?.ranges ?? []).map(\.range), with: nil, origin: origin)
    }

    /// An edit that waits; nil if it is none that does.
    public func deferredEdit(_ id: DeferredEdit.ID) -> DeferredEdit? { deferred.first { $0.id == id } }

    /// The next edit that waits for nothing but the end of a composition; nil while text is marked, and if there is none.
    public var nextDeferred: DeferredEdit? {
        markedText == nil ? deferred.first { $0.content != nil } : nil
    }

    /// Whether the text of a paste is still to come.
    public var awaitsText: Bool {
        deferred.contains { edit in
            // What a drag takes away waits as well, for the drag's end.
            edit.content == nil && (edit.origin.isWithin(.paste) || edit.targets.allSatisfy(\.kept.isEmpty))
        }
    }

    /// Whether edits by the program wait, so that those that come after them have to wait as well.
    var hasWaitingEdits: Bool { deferred.contains { $0.content != nil } }
}

extension StringProtocol where SubSequence == Substring {
    /// The text without a line end behind it, if it is one address of the web or of mail.
    var address: Substring? {
        let text = last?.isNewline == true ? dropLast() : self[...]
        guard !text.contains(where: { $0.isWhitespace || $0.isNewline }) else { return nil }
        let lowered = text.prefix(8).lowercased()
        let isOne = ["https://", "http://", "mailto:"].contains { lowered.hasPrefix($0) && text.count > $0.count }
        return isOne ? text : nil
    }
}
