import InkstoneBase
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

    /// The end of a composition that has to come before ``inserting(_:over:)``; nil if the text ends it itself, and if nothing is marked.
    public func keepingMarkedText(before target: InsertionTarget) -> Transaction? {
        committed(over: target) == nil ? keepingMarkedText() : nil
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
