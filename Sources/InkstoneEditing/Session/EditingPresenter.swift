package import InkstoneInput
package import InkstoneText

/// The presenter of an ``EditingSession``: follows its turns before observers are notified, and does the work that needs geometry or a clipboard.
package protocol EditingPresenter: AnyObject {
    /// Called after the session has applied a transaction of the store. Must not call code outside. Returns whether the presenter has scrolled.
    ///
    /// - Parameter isOwn: whether the session made the transaction.
    func sessionDidApply(_ applied: AppliedTransaction, from old: EditingSession.Places, isOwn: Bool) -> Bool
    /// Called after a transaction of the session that replaces no text. Returns whether the presenter has scrolled.
    ///
    /// - Parameter reveals: whether to scroll the caret into sight.
    func sessionDidAdopt(from old: EditingSession.Places, reveals: Bool) -> Bool
    /// Scrolls as little as needed to show the caret. Must not call code outside. Returns whether the presenter has scrolled.
    func bringCaretIntoSight() -> Bool
    /// Called when the user has edited, selected or composed, after observers were notified. May call code outside.
    func sessionDidAct()
    /// Called when the options have changed.
    func sessionOptionsDidChange(from old: TextInputOptions)
    /// Called when overwriting begins or ends.
    func sessionModeDidChange()
    /// Carries out a command's request to copy, to paste from outside or to scroll; the session carries out the others itself.
    func carryOut(_ request: EditRequest)
    /// Calls `edit`, which appends text. A presenter that shows the end of the text continues to show it. May call code outside.
    func keepEndInSight(during edit: () -> Void)
    /// Called when a command has selected some text.
    func sessionDidSelectByCommand()
}

extension EditingSession {
    /// The selection and the marked text that a presenter shows, before a turn.
    package struct Places {
        /// The selection before the turn.
        package let selection: Selection?
        /// The marked text before the turn.
        package let markedText: MarkedText?
        /// Whether an input method hid the caret before the turn.
        package let hidesCaret: Bool

        init(_ state: EditorState) {
            selection = state.selection
            markedText = state.markedText
            hidesCaret = state.composition?.isCaretHidden ?? false
        }
    }
}
