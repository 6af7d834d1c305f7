import InkstoneBase

/// A call of an input context to its client, which a trace records and a replay compares.
package enum ClientCall: Hashable, Sendable {
    /// `insertText(_:replacementRange:)`.
    case insertText(String, UTF16Range)
    /// `setMarkedText(_:selectedRange:replacementRange:)`.
    case setMarkedText(InputText, UTF16Range, UTF16Range)
    /// `unmarkText()`.
    case unmarkText
    /// `doCommand(by:)`.
    case doCommand(EditCommand)
    /// `compositionDidBegin()`.
    case compositionDidBegin
    /// `compositionDidEnd()`.
    case compositionDidEnd
    /// `replaceText(at:with:)`: late text, with the range that it replaced.
    case replaceText(UTF16Range, String)
}
