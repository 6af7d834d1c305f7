import InkstoneText
import InkstoneLayout

/// The outcome of a command: a transaction, a request to the view, both or neither.
package struct CommandOutcome: Sendable {
    /// The transaction; nil if the command changes nothing.
    package var transaction: Transaction?
    /// A request to the view. With a transaction, the request is carried out after it, and only if the transaction was made.
    package var request: EditRequest?

    /// Creates an outcome from its parts.
    package init(_ transaction: Transaction? = nil, _ request: EditRequest? = nil) {
        self.transaction = transaction
        self.request = request
    }
}

/// A request of a command to a view, for anything but a change of the text and the selection.
package enum EditRequest: Sendable {
    /// Copies text to the clipboard, and into the kill buffer.
    case copy(CopiedText)
    /// Puts deleted text into the kill buffer, if the transaction was made: added to the text of the command just before, if that was a kill as
    /// well.
    case keep(CopiedText, KillBuffer.Side, continuing: KillBuffer.Entry?)
    /// Requests text from a source, for a deferred edit.
    case paste(PasteSource, DeferredEdit)
    /// Scrolls another part of the text into sight.
    case scroll(ScrollStep)
    /// Undoes the last step.
    case undo
    /// Redoes the step undone last.
    case redo
}

/// The source of pasted text.
public enum PasteSource: Hashable, Sendable {
    /// CLIPBOARD.
    case clipboard
    /// CLIPBOARD, without attributes.
    case plainClipboard
    /// PRIMARY: the text selected last in any program.
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
    /// Scrolls the caret into the middle.
    case centerCaret
}

/// A command: its outcome for a state, and the conditions under which it can be performed.
struct Command: Sendable {
    /// The origin of the command's transaction, by which filters decide whether it can be performed; nil if it changes neither the text nor its
    /// attributes.
    var origin: Origin?
    /// Whether the command starts from the selection, and is refused without one.
    var needsSelection = true
    /// Returns whether the command would do anything now; nil if that depends on nothing but the conditions above.
    var isPossible: (@Sendable (EditorState) -> Bool)?
    /// Returns the outcome. Called after the composition has ended; must not change anything.
    var outcome: @Sendable (EditorState, TextGeometry) -> CommandOutcome
}
