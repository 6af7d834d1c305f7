public import InkstoneBase
public import InkstoneInput
public import InkstoneText

/// Text that is typed or finished while something may be marked.
extension EditorState {
    /// What an inserted text takes the place of.
    public enum InsertionTarget: Hashable, Sendable {
        /// The selection: what keys type. Within marked text that stays around it as ordinary text.
        case selection
        /// All marked text, or if nothing is marked the selection: what an input method has finished.
        case composed
        /// A range that an input method says, in UTF-16 units.
        case range(Range<UTF16Offset>)
    }

    /// What an input method means by a range, which it need not say.
    ///
    /// A key that no input method wanted comes this way too, as text that is finished, without a range: whether something is
    /// marked it does not know. So it is ``InsertionTarget/composed``, which means the selection where nothing is.
    public func insertionTarget(_ range: UTF16Range) -> InsertionTarget {
        range.clamped(to: textRange).map { .range($0) } ?? .composed
    }

    /// The end of a composition that has to come before ``inserting(_:over:)`` or ``marking(_:over:selected:)``; nil if the text ends
    /// or goes on with it itself, and if nothing is marked.
    public func keepingMarkedText(before target: InsertionTarget) -> Transaction? {
        committed(over: target) == nil ? keepingMarkedText() : nil
    }

    /// The end of a composition that has to come before a range is replaced that takes any marked text with it; nil if it takes none.
    public func keepingMarkedText(beforeReplacing range: Range<UTF16Offset>) -> Transaction? {
        markedText?.range.overlaps(range) == true ? keepingMarkedText() : nil
    }

    /// A text in place of what it says, which ends the composition that it lies in.
    public func inserting(_ new: String, over target: InsertionTarget) -> Transaction? {
        if let range = committed(over: target), let marked = markedText?.range {
            let end = target == .composed ? overwritten(by: new, at: marked.upperBound).upperBound : nil
            return committing(new, replacing: range, overwritingTo: end)
        }
        guard case .range(let range) = target else { return inserting(new) }
        return replacing(range, with: new, origin: .inputMethod)
    }

    /// Marks a text in place of what it says: ``marking(_:replacing:selected:)``. Nil also in a read-only view, and where nothing is
    /// marked and nothing is to be.
    public func marking(_ new: InputText, over target: InsertionTarget, selected: UTF16Range) -> Transaction? {
        guard options.isEditable else { return nil }
        let range: Range<UTF16Offset>? =
            switch target {
            case .selection: selection?.range
            case .composed: markedText?.range ?? (new.string.isEmpty ? nil : selection?.range)
            case .range(let range): range
            }
        return range.flatMap { marking(new, replacing: $0, selected: selected) }
    }

    /// What of the marked text a text takes the place of; nil if that is not in it.
    private func committed(over target: InsertionTarget) -> Range<UTF16Offset>? {
        guard let marked = markedText?.range else { return nil }
        return switch target {
        case .selection: marked.holds(primary.range) ? primary.range : nil
        case .composed: marked
        case .range(let range): range == marked ? marked : nil
        }
    }
}
