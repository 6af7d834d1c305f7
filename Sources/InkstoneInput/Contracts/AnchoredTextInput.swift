public import InkstoneBase

/// A range of a client's text that moves with every edit. An answer of an input method that arrives late is applied
/// there.
///
/// The client that has made the anchor updates it as long as it exists. If another edit inserts text exactly at the
/// anchor's start or end, that text stays outside of the anchor. If the anchor's text is deleted, the anchor is
/// empty, at the position of the deletion.
public protocol InputAnchor: AnyObject {
    /// The present range, in UTF-16 units. Never `notFound`; may be empty.
    var range: UTF16Range { get }
}

/// A client that can insert text at a position other than the caret.
///
/// An input method may answer keys only after a click that followed them. A client that adopts this protocol gets
/// such answers at the position where the keys were typed. Any other client gets them at the caret.
public protocol AnchoredTextInput: AnyObject {
    /// Returns an anchor for `range`, which is clamped to the text. `notFound` means the selection.
    func makeInputAnchor(for range: UTF16Range) -> any InputAnchor

    /// Replaces the text of `anchor` by `text`. The anchor then contains the new text.
    ///
    /// The user's selection keeps its text. An end of the selection that is at or after the anchor's end moves
    /// along. An end at or before the anchor's start does not move, except that a caret at an empty anchor moves
    /// after the text. An end inside of the anchor moves to the end of the new text. Marked text elsewhere stays
    /// marked. The replacement is an undo step of its own, so that the replaced text can be restored. The view does
    /// not scroll to it.
    func replaceText(at anchor: any InputAnchor, with text: String)

    /// Returns a closure that restores the present selection, as moved by the edits until then. It is needed when a
    /// late command is performed at its original position. Nil, the default, for a client with at most one selected
    /// range, for which ``makeInputAnchor(for:)`` suffices.
    func makeSelectionAnchor() -> (() -> Void)?
}

extension AnchoredTextInput {
    /// Returns nil: ``makeInputAnchor(for:)`` suffices for a single selected range.
    public func makeSelectionAnchor() -> (() -> Void)? { nil }
}
