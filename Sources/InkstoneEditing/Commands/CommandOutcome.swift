import InkstoneText
import InkstoneLayout

/// The outcome of a command: a transaction, a request to the view, both or neither.
package struct CommandOutcome: Sendable {
    /// The transaction; nil if the command changes nothing.
    package var transaction: Transaction?
    /// A request to the view; nil for none. With a transaction, the request is carried out after the transaction, and
    /// only if that was applied.
    package var request: EditRequest?

    package init(_ transaction: Transaction? = nil, _ request: EditRequest? = nil) {
        self.transaction = transaction
        self.request = request
    }
}

/// A request of a command, for anything other than a change of the text and the selection.
package enum EditRequest: Sendable {
    /// Copies text to the clipboard and stores it in the kill buffer.
    case copy(CopiedText)
    /// Stores deleted text in the kill buffer, if the transaction was made. If the command just before was a kill
    /// too, the deleted text is added to the text of that kill.
    case keep(CopiedText, KillBuffer.Side, continuing: KillBuffer.Entry?)
    /// Requests the text of a paste from a source. The deferred edit inserts the text when it arrives.
    case paste(PasteSource, DeferredEdit)
    /// Scrolls to another part of the text.
    case scroll(ScrollStep)
    /// Undoes the last step.
    case undo
    /// Redoes the step undone last.
    case redo
}

/// The source of text to paste.
public enum PasteSource: Hashable, Sendable {
    /// The CLIPBOARD selection.
    case clipboard
    /// The CLIPBOARD selection without its attributes.
    case plainClipboard
    /// The PRIMARY selection: the text selected last in any program.
    case selection
    /// The view's kill buffer.
    case killBuffer
}

/// A step of scrolling.
package enum ScrollStep: Hashable, Sendable {
    /// Visual lines down; up if negative.
    case lines(Int)
    /// Pages down; up if negative.
    case pages(Int)
    /// To the start of the text.
    case start
    /// To the end of the text.
    case end
    /// Scrolls so that the caret is in the middle of the view.
    case centerCaret
}

/// A command. It consists of the conditions under which the command can be performed, and of a function that returns
/// its outcome for a state.
struct Command: Sendable {
    /// The origin of the command's transaction. If a filter refuses transactions of this origin, the command cannot
    /// be performed. Nil if the command changes neither the text nor its attributes.
    var origin: Origin?
    /// Whether the command needs a selection, and is refused without one.
    var needsSelection = true
    /// Returns whether the command would have an effect now. Called only if the command has the selection that it needs
    /// and the filters permit it. Nil if there is no further condition.
    var isPossible: (@Sendable (EditorState) -> Bool)?
    /// Returns the outcome for a state. Called after the composition has ended, unless the command may be performed
    /// during one. Must have no side effects.
    var outcome: @Sendable (EditorState, TextGeometry) -> CommandOutcome
}
