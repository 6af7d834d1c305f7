public import InkstoneBase

/// A range of a client's text that moves with every edit: the position for an answer that comes late.
///
/// The client that made it keeps it current for as long as someone else holds it. Text inserted exactly at its start or
/// end by others stays outside of it; if its text is deleted, it is empty, at the position of the deletion.
public protocol InputAnchor: AnyObject {
    /// The present range, in UTF-16 units. Never `notFound`; may be empty.
    var range: UTF16Range { get }
}

/// A client that accepts text at a position other than the caret.
///
/// Answers of an input method can come after the click that followed their keys. A client that adopts this protocol gets them at
/// their original position; any other client at the caret.
public protocol AnchoredTextInput: AnyObject {
    /// Returns an anchor over `range`, which is clamped to the text; `notFound` counts as the selection.
    func makeInputAnchor(for range: UTF16Range) -> any InputAnchor

    /// Replaces the text of `anchor` by `text`; afterwards the anchor covers `text`.
    ///
    /// The user's selection keeps its text: an end of it at or after the anchor's end moves along, one at or before its
    /// start stays (with an empty anchor at the caret the caret goes after the text), one inside goes to the end of the
    /// new text. Marked text elsewhere stays marked. The replacement is an undo step of its own, so that the replaced text can be
    /// restored. The view does not scroll to it.
    func replaceText(at anchor: any InputAnchor, with text: String)

    /// Returns a closure that selects the present selection again; the selection moves with every edit meanwhile. By it, a late command is
    /// performed at its original position. Nil, the default, for a client with at most one range, for which ``makeInputAnchor(for:)`` suffices.
    func makeSelectionAnchor() -> (() -> Void)?
}

extension AnchoredTextInput {
    /// Returns nil.
    public func makeSelectionAnchor() -> (() -> Void)? { nil }
}
