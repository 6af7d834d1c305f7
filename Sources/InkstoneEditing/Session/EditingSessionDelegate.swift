public import InkstoneBase

/// An object that may refuse the user's edits in an ``EditingSession``.
public protocol EditingSessionDelegate: AnyObject {
    /// Returns whether the user may replace `range`, in UTF-16 units of the present text, by `text`.
    ///
    /// Called before each edit by keys, commands, pastes and drops, with the text as the session's options accept it.
    /// Also called for each range that the user restyles, with its present text. Not called before edits by the
    /// program, undo and redo, nor during a composition. When a composition ends, `range` is the marked text and
    /// `text` the final text; a refusal removes the marked text.
    func session(
        _ session: EditingSession, shouldChangeTextIn range: Range<UTF16Offset>, replacementText text: String
    ) -> Bool
}
