import InkstoneBase
import InkstoneInput
import InkstoneText

/// Compositions: text that an input method marks, commits and cancels. Each operation is one transaction, and the
/// transactions of a composition are one undo step. A composition takes place at the primary range; the committed
/// text is inserted at the other ranges as well.
extension EditorState {
    /// Begins a composition: the edits until its end are one undo step. Nil while text is marked, or if this owner
    /// has begun a composition already. If text of another owner is marked, end that composition first, by
    /// ``ending(before:by:)``.
    package func beginningComposition(by owner: CompositionOwner = .inputMethod) -> Transaction? {
        guard composition == nil || markedText == nil && composition?.owner != owner else { return nil }
        return composing(
            TextChangeSet(none: text), as: Composition(in: version, selection: selection, owner: owner), .mapped)
    }

    /// Ends a composition that has no marked text any more. Nil if no composition has begun, and while text is
    /// marked.
    package func endingComposition() -> Transaction? {
        composition == nil || markedText != nil ? nil : composing(TextChangeSet(none: text), as: nil, .mapped)
    }

    /// Marks text in place of a range and selects inside of it. An empty text removes the marked text or, if no
    /// text is marked, the text of the range.
    ///
    /// Line ends of the given text are converted to ``newline``, except those that the replaced range contains as
    /// well. The borders of table cells stay: see ``replacedParts(of:inserting:)``.
    ///
    /// - Parameter selected: the range to select, in UTF-16 units from the start of the given text. It is clamped
    ///   to the text; if `notFound`, the caret is placed at the end.
    package func marking(
        _ new: InputText, replacing range: Range<UTF16Offset>, selected: UTF16Range
    ) -> Transaction? {
        guard !new.string.isEmpty else {
            if let marked = markedText?.range { return deletingMarked(marked) }
            return range.isEmpty ? nil : replacing(range, with: "", origin: .inputMethod)
        }
        let parts =
            markedText == nil
            ? replacedParts(of: range.clamped(into: textRange), inserting: true) : ReplacedParts(place: range)
        // A change rounds its range to whole scalars, and the marked range must be that of the change.
        let range = text.utf16Range(of: text.byteRange(of: parts.place.clamped(into: textRange)))
        let admitted = admitted(new.string, replacing: range)
        var builder = TextChangeSet.Builder(over: text)
        if text.slice(range) != admitted.content { builder.replace(range, with: admitted.content) }
        for part in parts.emptied { builder.replace(part, with: text.keepingLineEndsApart("", replacing: part)) }
        let changes = builder.finish()
        var after = text
        after.apply(changes)
        let start = range.lowerBound - parts.emptiedBefore
        let marked = start..<start + admitted.content.metrics.utf16
        var composing = composition ?? Composition(in: version, selection: selection)
        let clauses = new.clauses.map {
            MarkedClause(
                range: admitted.offset($0.range.lowerBound)..<admitted.offset($0.range.upperBound), kind: $0.kind)
        }
        composing.markedText = MarkedText(range: marked, clauses: clauses)
        composing.isCaretHidden = new.isCaretHidden
        let length = UTF16Offset(new.string.utf16.count)
        let inner = selected.clamped(to: 0..<length) ?? length..<length
        func stop(_ offset: UTF16Offset) -> UTF16Offset {
            max(marked.lowerBound, after.roundedDown(toGrapheme: marked.lowerBound + admitted.offset(offset).value))
        }
        let primary = SelectionRange(anchor: stop(inner.lowerBound), head: stop(inner.upperBound))
        return self.composing(changes, as: composing, selecting: primary)
    }

    /// Deletes a part of the marked text. The rest stays marked; if nothing is left, the composition ends.
    func deletingMarked(_ range: Range<UTF16Offset>) -> Transaction? {
        guard var composing = composition, let marked = composing.markedText else { return nil }
        // The removed text may have stood between a CR and an LF. If no marked text is left between the two, an
        // inserted LF keeps them apart.
        let apart = Rope(text.keepingLineEndsApart("", replacing: range))
        let changes = TextChangeSet(replacing: range, with: apart, in: text)
        guard let removed = changes.changeMap.first?.oldRange else { return nil }
        composing.markedText = marked.removing(removed)
        return self.composing(
            changes, as: composing.markedText == nil ? nil : composing,
            selecting: SelectionRange(caret: range.lowerBound + apart.metrics.utf16))
    }

    /// Handles Backspace while text is marked: deletes the primary range, or the character before the primary
    /// caret. Nil if there is nothing to delete.
    func deletingBackward(beside marked: Range<UTF16Offset>) -> Transaction? {
        guard selection != nil else { return nil }
        var range = primary.range
        if range.isEmpty {
            range = keepingCells(from: primary.head, to: text.backspaceBoundary(before: primary.head))
            if marked.lowerBound < primary.head { range = max(range.lowerBound, marked.lowerBound)..<primary.head }
        }
        if range.isEmpty { return nil }
        if marked.holds(range) { return deletingMarked(range) }
        return marked.overlaps(range)
            ? ending(.committing("", over: range)) : replacing(range, with: "", origin: .deleteBackward)
    }

    /// Returns the transaction that ends the composition; nil if no text is marked. A composition whose
    /// marked text stays ends by this transaction, whether by a commit, a click or the loss of the focus.
    ///
    /// The text that replaces the marked text is inserted at the other ranges of the selection as well, unless the
    /// view is read-only. If the state ``isOverwriting``, carets replace the text that a key would replace. All
    /// carets move after their text. Filters see the whole marked text as replaced, even by an equal text, and the
    /// carets follow the text that the filters accept: see `finish(_:)`. The line ends of committed text are
    /// converted to ``newline``.
    package func ending(_ end: CompositionEnd) -> Transaction? {
        guard let marked = markedText?.range else { return nil }
        let (new, range): (String, Range<UTF16Offset>) =
            switch end {
            case .keeping: ("", marked.upperBound..<marked.upperBound)
            case .committing(let new, let range): (new, range)
            }
        let inner = range.clamped(into: marked)
        let before = string(in: marked.lowerBound..<inner.lowerBound)
        let all = before + new + string(in: inner.upperBound..<marked.upperBound)
        let whole = min(marked.lowerBound, range.lowerBound)..<max(marked.upperBound, range.upperBound)
        let content = admitted(all, replacing: whole).content
        let places = targets(of: all, whole, overwrites: isOverwriting && range == marked)
        var builder = TextChangeSet.Builder(over: text)
        builder.reserve(places.count)
        var carets: [SelectionRange] = []
        var (primary, shift) = (0, 0)
        for target in places {
            let start = target.range.lowerBound + shift
            guard !target.isLeft else {
                carets.append(SelectionRange(anchor: start, head: target.range.upperBound + shift))
                continue
            }
            // If no text is left to insert, `content` is empty, or an LF that keeps the line ends around the marked
            // text apart. At the other carets and ranges, insert nothing.
            let parts =
                target.isPrimary
                ? ReplacedParts(place: target.range) : replacedParts(of: target.range, inserting: !all.isEmpty)
            // Other carets may be in rows of tables if the primary caret is not, or the other way round.
            let own =
                target.isPrimary
                ? content : all.isEmpty ? Rope() : fittingCell(content, replacing: target.range)
            builder.replace(parts.place, with: own)
            for part in parts.emptied { builder.replace(part, with: "") }
            if target.isPrimary { primary = carets.count }
            let behind = target.isPrimary ? marked.upperBound - inner.upperBound : 0
            let length = own.metrics.utf16
            let place = parts.place.lowerBound + shift - parts.emptiedBefore
            carets.append(SelectionRange(caret: place + length - behind))
            shift += length - parts.all.reduce(0) { $0 + $1.length() }
        }
        var result = composing(
            builder.finish(), as: nil,
            .set(Selection(carets, primary: primary) ?? Selection(caret: whole.lowerBound)))
        // Do not scroll: the text would move while it is being clicked.
        if case .keeping = end { result.reveal = false }
        return result
    }

    /// A range of the present text, in UTF-16 units, that the end of a composition replaces or leaves selected.
    private struct EndTarget {
        var range: Range<UTF16Offset>
        var isPrimary = false
        /// Whether the range stays selected and its text is kept.
        var isLeft = false
    }

    /// Returns the ranges that the end of a composition replaces or leaves selected, in order and without overlaps.
    ///
    /// - Parameters:
    ///   - composed: the range replaced at the primary range.
    ///   - overwrites: whether carets replace the text after them, as a key would if no text were marked.
    private func targets(of new: String, _ composed: Range<UTF16Offset>, overwrites: Bool) -> [EndTarget] {
        guard let selection else { return [EndTarget(range: composed, isPrimary: true)] }
        let length = composed.length()
        var bare = styledText
        if overwrites { bare.replace(composed, with: StyledText()) }
        // If the composition has replaced selected text, it does not overwrite the text after that.
        let typesOver = composition?.selectionBefore?.primary.isCaret ?? true
        var result: [EndTarget] = []
        var end = UTF16Offset(0)
        for (index, range) in selection.ranges.enumerated() {
            let isPrimary = index == selection.primaryIndex
            if !isPrimary {
                let isInside =
                    composed.lowerBound < range.range.upperBound && range.range.lowerBound < composed.upperBound
                if isInside { continue }
                if !options.isEditable {
                    result.append(EndTarget(range: range.range, isLeft: true))
                    continue
                }
            }
            var target = isPrimary ? composed : range.range
            if overwrites, isPrimary ? typesOver : range.isCaret {
                // The overwritten range is determined in the text without the composed text. `place` is an offset in
                // that text.
                var place = target.lowerBound
                if place > composed.lowerBound { place = max(composed.lowerBound, place - length) }
                let high = overwritten(by: new, at: place, in: bare).upperBound
                let isBehind = !isPrimary && target.lowerBound > composed.lowerBound
                target =
                    target.lowerBound..<(high > composed.lowerBound || isPrimary || isBehind ? high + length : high)
            }
            target = max(end, target.lowerBound)..<max(end, target.upperBound)
            end = target.upperBound
            result.append(EndTarget(range: target, isPrimary: isPrimary))
        }
        return result
    }

    /// Returns a transaction of the input method that sets the primary range and maps the others.
    package func composing(
        _ changes: TextChangeSet, as composition: Composition?, selecting primary: SelectionRange
    ) -> Transaction {
        var after = Selection(primary)
        if let selection, selection.count > 1 {
            let others = selection.ranges.enumerated().filter { $0.offset != selection.primaryIndex }.map(\.element)
            after = (Selection(others)?.map { $0.mapped(through: changes) } ?? after).adding(primary)
        }
        return composing(changes, as: composition, .set(after))
    }

    /// Returns a transaction of the input method.
    private func composing(
        _ changes: TextChangeSet, as composition: Composition?, _ after: SelectionAfter
    ) -> Transaction {
        var result = transaction(changes, origin: .inputMethod, undo: .step, selection: after)
        // If neither the text nor the selection changes, keep the chosen styles and do not scroll.
        if case .mapped = after { (result.reveal, result.typing) = (false, nil) }
        if let composition { result.undo = .group(composition.undoGroup) }
        result.composition = .set(composition)
        return result
    }
}

/// The text that replaces the marked text when a composition ends.
package enum CompositionEnd: Hashable, Sendable {
    /// A text that replaces a range. The range overlaps the marked text or lies at one of its ends. The marked text
    /// around it is kept as ordinary text.
    case committing(String, over: Range<UTF16Offset>)
    /// The marked text itself stays, as ordinary text.
    case keeping
}

extension SelectionRange {
    /// Returns the range mapped through a change of the text.
    fileprivate func mapped(through changes: TextChangeSet) -> SelectionRange {
        Selection(self).mapped { changes.map($0, bias: $1) }.primary
    }
}
