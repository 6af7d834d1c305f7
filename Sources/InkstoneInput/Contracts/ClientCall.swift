import InkstoneBase

/// A call that an input context makes to its client. Traces record these calls, and replays compare them.
public enum ClientCall: Hashable, Sendable {
    /// A call of `insertText(_:replacementRange:)`.
    case insertText(String, UTF16Range)
    /// A call of `setMarkedText(_:selectedRange:replacementRange:)`.
    case setMarkedText(InputText, UTF16Range, UTF16Range)
    /// A call of `unmarkText()`.
    case unmarkText
    /// A call of `doCommand(by:)`.
    case doCommand(EditCommand)
    /// A call of `compositionDidBegin()`.
    case compositionDidBegin
    /// A call of `compositionDidEnd()`.
    case compositionDidEnd
    /// A call of `replaceText(at:with:)`, for example for a late answer of the input method. The range is that of
    /// the anchor before the call.
    case replaceText(UTF16Range, String)
}
