public import InkstoneBase

/// A stretch of a client's text that moves with every edit: where an answer that comes late belongs.
///
/// The client that made it keeps it right for as long as someone else holds it. Text inserted exactly at its start or
/// end by others stays outside of it; if all of it is deleted it is empty, at the place of the deletion.
public protocol InputAnchor: AnyObject {
    /// Where it is now, in UTF-16 units. Never `notFound`; may be empty.
    var range: UTF16Range { get }
}

/// A client that takes text at a place which is not the caret.
///
/// Answers of an input method can come after the click that followed their keys. A client that adopts this gets them at
/// their old place; one that does not gets them at the caret.
public protocol AnchoredTextInput: AnyObject {
    /// An anchor over `range`, which is clamped to the text; `notFound` counts as the selection.
    func makeInputAnchor(for range: UTF16Range) -> any InputAnchor

    /// Replaces what `anchor` covers by `text`; afterwards it covers `text`.
    ///
    /// The user's selection keeps its text: an end of it at or after the anchor's end moves along, one at or before its
    /// start stays (with an empty anchor at the caret the caret goes after the text), one inside goes to the end of the
    /// new text. Marked text elsewhere stays marked. It is an undo step of its own: what the text takes the place of can be had
    /// back. It is not scrolled to.
    func replaceText(at anchor: any InputAnchor, with text: String)

    /// Remembers the whole selection, which moves with every edit. The result selects it again: a command that comes late is performed
    /// at its old place. Nil for a client that has at most one range, whose ``makeInputAnchor(for:)`` says as much; so by default.
    func makeSelectionAnchor() -> (() -> Void)?
}

extension AnchoredTextInput {
    /// Nil.
    public func makeSelectionAnchor() -> (() -> Void)? { nil }
}
