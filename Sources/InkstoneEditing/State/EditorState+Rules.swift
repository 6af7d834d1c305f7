import InkstoneBase
import InkstoneInput
import InkstoneText

/// Rules: paragraphs that are thematic breaks and consist of one character. Text beside that character would not be
/// visible, so edits by the user keep text and rules in paragraphs of their own.
extension EditorState {
    /// The only character in the paragraph of a rule: U+2E3B, the three-em dash.
    static let ruleCharacter: UInt16 = 0x2e3b

    /// An intent to set for the paragraph at an offset.
    private struct IntentChange {
        var place: UTF16Offset
        /// Whether the offset `place` moves to the end of text that is inserted there.
        var isBehind: Bool
        var intent: PresentationIntent?
    }

    /// A change of the text after a transaction: the removal of a range or, if the range is empty, the insertion of a
    /// line end.
    private struct RuleEdit {
        var range: Range<UTF16Offset>
        /// Whether a caret at the insertion offset moves after the inserted line end.
        var pushesCaret = false
    }

    /// Changes a transaction by the user that would put text beside a rule, or leave half of one. Text that is inserted
    /// beside a rule becomes a paragraph of its own. A rule whose line end is deleted is deleted as well, so that the
    /// text beside it is not joined with it. Undo, redo, reading, styling and the reordering of lines are not changed.
    func keepRulesApart(_ transaction: inout Transaction) {
        guard styledText.runs != nil, transaction.origin.isUser, !transaction.changes.isEmpty,
            ![.history, .load, .styling, .reordering].contains(where: transaction.origin.isWithin)
        else { return }
        let isBesideRule = transaction.changes.changeMap.contains {
            isRule(at: $0.oldRange.lowerBound) || isRule(at: $0.oldRange.upperBound)
        }
        guard isBesideRule else { return }
        let origin = transaction.origin
        transaction.resolve(in: styledText)
        var after = styledText
        after.apply(transaction.changes)
        var edits: [RuleEdit] = []
        var intents: [IntentChange] = []
        let sections = Array(transaction.changes.changeMap)
        for section in sections {
            separate(section.oldRange, section.newRange, after.rope, origin, &edits, &intents)
        }
        edits = Self.inOrder(edits)
        let carets = sections.map { SelectionRange(caret: $0.newRange.upperBound) }
        var builder = TextChangeSet.Builder(over: after.rope)
        for edit in edits { builder.replace(edit.range, with: edit.range.isEmpty ? newline : "") }
        let length = newline.utf16.count
        /// For each index, the number of UTF-16 units by which the edits before it move the text after them.
        let shifts = edits.reduce(into: [0]) { shifts, edit in
            shifts.append((shifts.last ?? 0) + (edit.range.isEmpty ? length : -edit.range.length()))
        }
        func moved(_ offset: UTF16Offset, isBehind: Bool = false) -> UTF16Offset {
            var index = edits.partitioningIndex { $0.range.lowerBound >= offset }
            var shift = shifts[index]
            // The last removal before the offset may end after it: do not count the part after the offset.
            if index > 0 { shift += max(0, edits[index - 1].range.upperBound - offset) }
            while index < edits.count, edits[index].range.lowerBound == offset {
                if edits[index].range.isEmpty, edits[index].pushesCaret || isBehind { shift += length }
                index += 1
            }
            return offset + shift
        }
        let changes = builder.finish()
        var final = after.rope
        final.apply(changes)
        var restyling = Restyling()
        func set(_ intent: PresentationIntent?, at offset: UTF16Offset) {
            let range = final.utf16Range(of: final.paragraphIndex(at: offset))
            restyling.set(intent, of: PresentationIntentAttribute.self, in: range)
        }
        for change in intents { set(change.intent, at: moved(change.place, isBehind: change.isBehind)) }
        let added = after.apply(changes, restyling: restyling)
        // Make text that is now in the paragraph of a rule, beside or instead of the rule's character, ordinary text.
        var rest = Restyling()
        for section in sections {
            let first = final.paragraphIndex(at: moved(section.newRange.lowerBound)).value
            let last = final.paragraphIndex(at: moved(section.newRange.upperBound, isBehind: true)).value
            for index in first...max(first, last) {
                let range = final.utf16Range(of: ParagraphIndex(index))
                guard !range.isEmpty, !Self.isRuleText(final, ParagraphIndex(index)) else { continue }
                let intent = after.attributes(at: range.lowerBound)[PresentationIntentAttribute.self]
                guard intent?.components.first?.kind == .thematicBreak else { continue }
                rest.set(intent.heading(of: nil), of: PresentationIntentAttribute.self, in: range)
            }
        }
        let cleaned = after.apply(TextChangeSet(none: final), restyling: rest)
        transaction.changes = transaction.changes.composed(with: added).composed(with: cleaned)
        func moved(_ range: SelectionRange) -> SelectionRange {
            SelectionRange(anchor: moved(range.anchor), head: moved(range.head))
        }
        switch transaction.selection {
        case .set(let selection?): transaction.selection = .set(selection.map(moved))
        case .afterInserted:
            let primary = min(selection?.primaryIndex ?? 0, carets.count - 1)
            transaction.selection = .set(Selection(carets.map(moved), primary: primary))
        default: break
        }
        if case .set(let composition?) = transaction.composition {
            transaction.composition = .set(composition.mapped(through: changes.changeMap))
        }
    }

    /// Returns the edits without those that begin before the end of an earlier one.
    private static func inOrder(_ edits: [RuleEdit]) -> [RuleEdit] {
        var end = UTF16Offset(0)
        return edits.filter { edit in
            defer { end = max(end, edit.range.upperBound) }
            return edit.range.lowerBound >= end
        }
    }

    /// Adds the changes that keep rules and the text beside them in separate paragraphs, after one section of a
    /// transaction.
    private func separate(
        _ old: Range<UTF16Offset>, _ new: Range<UTF16Offset>, _ after: Rope, _ origin: Origin,
        _ edits: inout [RuleEdit], _ intents: inout [IntentChange]
    ) {
        let (first, last) = (text.paragraphIndex(at: old.lowerBound), text.paragraphIndex(at: old.upperBound))
        let (startsInRule, endsInRule) = (isRule(first), isRule(last))
        guard startsInRule || endsInRule else { return }
        let (above, below) = (text.utf16ContentRange(of: first), text.utf16ContentRange(of: last))
        let keepsFirst = startsInRule && old.lowerBound == above.upperBound
        let keepsLast = endsInRule && old.upperBound == below.lowerBound && !(keepsFirst && first == last)
        let inserted = after.utf16(in: new)
        let (intentAbove, intentBelow) = (intent(of: first), intent(of: last))
        func isLineEnd(_ unit: UInt16?) -> Bool { unit == 0x0a || unit == 0x0d }
        if keepsFirst {
            let end = after.utf16ContentRange(of: after.paragraphIndex(at: new.lowerBound)).upperBound
            let isFollowed = end > new.lowerBound
            let isGone = inserted.isEmpty && (isFollowed || origin == .deleteBackward && first != last)
            if isGone {
                edits.append(RuleEdit(range: new.lowerBound - 1..<new.lowerBound))
                intents.append(IntentChange(place: new.lowerBound, isBehind: true, intent: intentBelow))
            } else {
                if isFollowed {
                    edits.append(RuleEdit(range: new.lowerBound..<new.lowerBound, pushesCaret: true))
                    if first != last {
                        intents.append(IntentChange(place: new.upperBound, isBehind: true, intent: intentBelow))
                    }
                }
                intents.append(IntentChange(place: new.lowerBound - 1, isBehind: false, intent: intentAbove))
            }
            if isGone || !keepsLast { return }
        }
        if keepsLast {
            if inserted.isEmpty {
                guard old.lowerBound > above.lowerBound, first != last else { return }
                edits.append(RuleEdit(range: new.upperBound..<new.upperBound + 1))
                intents.append(IntentChange(place: new.lowerBound, isBehind: false, intent: intentAbove))
            } else {
                if !isLineEnd(inserted.last) { edits.append(RuleEdit(range: new.upperBound..<new.upperBound)) }
                intents.append(IntentChange(place: new.upperBound, isBehind: true, intent: intentBelow))
            }
            return
        }
        guard inserted.isEmpty, first == last else {
            // Let the text after the deleted range keep the intent of its own paragraph.
            if !endsInRule { intents.append(IntentChange(place: new.upperBound, isBehind: true, intent: intentBelow)) }
            return
        }
        // Only the rule's character was deleted: delete its line as well.
        let line = after.utf16Range(of: after.paragraphIndex(at: new.lowerBound))
        if !line.isEmpty {
            edits.append(RuleEdit(range: line))
        } else if first.value > 0 {
            let before = text.utf16ContentRange(of: ParagraphIndex(first.value - 1)).upperBound
            let length = above.lowerBound - before
            edits.append(RuleEdit(range: new.lowerBound - length..<new.lowerBound))
        }
    }

    private func isRule(at offset: UTF16Offset) -> Bool { isRule(text.paragraphIndex(at: offset)) }

    func isRule(_ paragraph: ParagraphIndex) -> Bool {
        Self.isRuleText(text, paragraph) && intent(of: paragraph)?.components.first?.kind == .thematicBreak
    }

    private func intent(of paragraph: ParagraphIndex) -> PresentationIntent? {
        let range = text.utf16Range(of: paragraph)
        return range.isEmpty
            ? nil : styledText.attributes(at: range.lowerBound)[PresentationIntentAttribute.self]
    }

    /// Whether a paragraph consists of the character of a rule.
    private static func isRuleText(_ text: Rope, _ paragraph: ParagraphIndex) -> Bool {
        let content = text.utf16ContentRange(of: paragraph)
        return content.length() == 1 && text.utf16(in: content).first == ruleCharacter
    }
}
