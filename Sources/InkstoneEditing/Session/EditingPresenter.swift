package import InkstoneInput
package import InkstoneText

/// The presenter of an ``EditingSession``, such as that of a view. It follows the session's updates before
/// observers are notified, and does the work that needs geometry or a clipboard.
package protocol EditingPresenter: AnyObject {
    /// Called after the session has applied a transaction of the store. Must not call code of the program. Returns
    /// whether the presenter has scrolled.
    ///
    /// - Parameter isOwn: whether this session made the transaction.
    func sessionDidApply(_ applied: AppliedTransaction, from old: EditingSession.Places, isOwn: Bool) -> Bool
    /// Called after a transaction of this session that replaces no text. Returns whether the presenter has
    /// scrolled.
    ///
    /// - Parameter reveals: whether to scroll so that the caret is visible.
    func sessionDidAdopt(from old: EditingSession.Places, reveals: Bool) -> Bool
    /// Scrolls by the least distance that makes the caret visible. Must not call code of the program. Returns
    /// whether the presenter has scrolled.
    func bringCaretIntoSight() -> Bool
    /// Called after an edit, a selection or a composition by the user, once all observers were notified. May call
    /// code of the program.
    func sessionDidAct()
    /// Called when the options have changed; `old` are those before.
    func sessionOptionsDidChange(from old: TextInputOptions)
    /// Called when the overwriting mode was turned on or off.
    func sessionModeDidChange()
    /// Carries out a command's request to copy, to paste from a clipboard or to scroll. The session carries out
    /// other requests itself.
    func carryOut(_ request: EditRequest)
    /// Calls `edit`, which appends text. If the end of the text is visible, scrolls to keep it visible. May call
    /// code of the program.
    func keepEndInSight(during edit: () -> Void)
    /// Called when a command has selected text.
    func sessionDidSelectByCommand()
}

extension EditingSession {
    /// The selection and the marked text before an update, as the presenter last displayed them.
    package struct Places {
        /// The selection before the update.
        package let selection: Selection?
        /// The marked text before the update.
        package let markedText: MarkedText?
        /// Whether an input method hid the caret before the update.
        package let hidesCaret: Bool

        init(_ state: EditorState) {
            selection = state.selection
            markedText = state.markedText
            hidesCaret = state.composition?.isCaretHidden ?? false
        }
    }
}
