public import InkstoneBase

/// A delegate of an ``EditingSession``, which may refuse edits by the user.
public protocol EditingSessionDelegate: AnyObject {
    /// Whether the user may replace `range`, in UTF-16 units of the present text, by `text`.
    ///
    /// Called before each edit by keys, commands, pastes and drops, with the text that the session's options accept; not before edits by the
    /// program, undo and redo. Never called during a composition: when one ends, `range` is the marked text and `text` its final text, and a
    /// refusal removes it.
    func session(
        _ session: EditingSession, shouldChangeTextIn range: Range<UTF16Offset>, replacementText text: String
    ) -> Bool
}
