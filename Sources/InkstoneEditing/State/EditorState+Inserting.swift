import InkstoneBase
import InkstoneInput
import InkstoneText

/// The insertion of typed or final text, which may happen during a composition.
extension EditorState {
    /// The text that an insertion replaces.
    public enum InsertionTarget: Hashable, Sendable {
        /// The selection, as for keys. The marked text around it, if any, becomes ordinary text.
        case selection
        /// The whole marked text, or the selection if no text is marked. For the final text of an input method.
        case composed
        /// A range given by an input method, in UTF-16 units.
        case range(Range<UTF16Offset>)
        /// A range that `replace(_:withText:)` of `TextInput` replaces. A composition apart from the range continues.
        case beside(Range<UTF16Offset>)

        package func mapped(through changes: TextChangeMap) -> InsertionTarget {
            switch self {
            case .selection, .composed: self
            case .range(let range): .range(changes.map(range))
            case .beside(let range): .beside(changes.map(range))
            }
        }
    }

    /// Returns the target of a text, given the range that the input method has stated for it, if any.
    ///
    /// A key that no input method has used arrives as final text without a range. Its sender does not know whether
    /// text is marked, so the target is ``InsertionTarget/composed``: the marked text, or the selection if no text
    /// is marked.
    public func insertionTarget(_ range: UTF16Range) -> InsertionTarget {
        range.clamped(to: textRange).map { .range($0) } ?? .composed
    }

    /// Returns the transaction that ends a composition before ``inserting(_:over:)`` or
    /// ``marking(_:over:selected:)``. Nil if the insertion continues or ends the composition itself, if its target
    /// is ``InsertionTarget/beside(_:)`` and lies apart from the marked text, or if no text is marked.
    ///
    /// - Parameter owner: the owner that inserts or marks the text; nil for the owner of the composition. One owner
    ///   never replaces the marked text of another.
    package func ending(before target: InsertionTarget, by owner: CompositionOwner? = nil) -> Transaction? {
        if let owner, let composition, composition.owner != owner { return ending(.keeping) }
        if case .beside(let range) = target, let marked = markedText?.range,
            range.upperBound <= marked.lowerBound || marked.upperBound <= range.lowerBound
        {
            return nil
        }
        return committed(over: target) == nil ? ending(.keeping) : nil
    }

    /// Inserts a text in place of the target, with its line ends converted to ``newline`` or, in a row of a table, to line
    /// breaks. If the target is in a composition, ends the composition.
    package func inserting(_ new: String, over target: InsertionTarget) -> Transaction? {
        if let range = committed(over: target) { return ending(.committing(new, over: range)) }
        return switch target {
        case .selection, .composed: inserting(withOwnLineEnds(new))
        case .range(let range):
            replacing(
                range.clamped(into: textRange),
                with: admitted(new, replacing: range.clamped(into: textRange)),
                origin: .inputMethod)
        case .beside(let range): replacing(range, withLateText: new, takesCaret: true)
        }
    }

    /// Marks a text in place of the target: ``marking(_:replacing:selected:)``. Nil in a read-only view, if the
    /// target is a selection and there is none, and for an empty text if it would remove nothing. For the target
    /// ``InsertionTarget/composed``, an empty text removes only marked text, never the selection.
    package func marking(_ new: InputText, over target: InsertionTarget, selected: UTF16Range) -> Transaction? {
        guard options.isEditable else { return nil }
        let range: Range<UTF16Offset>? =
            switch target {
            case .selection: selection?.range
            case .composed: markedText?.range ?? (new.string.isEmpty ? nil : selection?.range)
            case .range(let range), .beside(let range): range
            }
        return range.flatMap { marking(new, replacing: $0, selected: selected) }
    }

    /// Returns a text of another program, with its line ends converted to ``newline``.
    package func withOwnLineEnds(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 0x0a || $0 == 0x0d }) else { return text }
        let lines = StyledText(Rope(text)).normalizingNewlines(to: newline).rope
        return lines.string(in: lines.byteRange)
    }

    /// Returns the part of the marked text that an insertion replaces. Nil if no text is marked, or if the
    /// insertion does not replace marked text.
    private func committed(over target: InsertionTarget) -> Range<UTF16Offset>? {
        guard let marked = markedText?.range else { return nil }
        return switch target {
        case .selection: marked.holds(primary.range) ? primary.range : nil
        case .composed: marked
        case .range(let range): range == marked ? marked : nil
        case .beside: nil
        }
    }
}
