package import InkstoneInput
package import InkstoneText

/// Shows an ``EditingSession``: follows its turns before observers hear of them, and does what needs geometry or a clipboard.
package protocol EditingPresenter: AnyObject {
    /// Follows a transaction of the store, which the session has taken in. Nobody outside may be called. Returns whether it has
    /// scrolled.
    ///
    /// - Parameter isOwn: whether the session made it.
    func sessionDidApply(_ applied: AppliedTransaction, from old: EditingSession.Places, isOwn: Bool) -> Bool
    /// Follows a transaction of the session that replaces no text. Returns whether it has scrolled.
    ///
    /// - Parameter reveals: whether the caret is to be brought into sight.
    func sessionDidAdopt(from old: EditingSession.Places, reveals: Bool) -> Bool
    /// Scrolls as little as needed to show the caret. Returns whether it has scrolled. Nobody outside may be called.
    func bringCaretIntoSight() -> Bool
    /// The user has edited, selected or composed, and observers have heard of it. Others may be called.
    func sessionDidAct()
    /// The options are others.
    func sessionOptionsDidChange(from old: TextInputOptions)
    /// Called when overwriting begins or ends.
    func sessionModeDidChange()
    /// Carries out what a command asks for: copying, pasting from outside and scrolling; the session does the others itself.
    func carryOut(_ request: EditRequest)
    /// A command has selected some text.
    func sessionDidSelectByCommand()
}

extension EditingSession {
    /// The places that a presenter shows, before a turn.
    package struct Places {
        /// The selection before the turn.
        package let selection: Selection?
        /// The marked text before the turn.
        package let markedText: MarkedText?
        /// Whether an input method wanted no caret shown.
        package let hidesCaret: Bool

        init(_ state: EditorState) {
            selection = state.selection
            markedText = state.markedText
            hidesCaret = state.composition?.isCaretHidden ?? false
        }
    }
}
