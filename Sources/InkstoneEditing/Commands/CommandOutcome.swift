public import InkstoneText
import InkstoneLayout

/// What a command comes to: a transaction, a wish to the view, both or neither.
public struct CommandOutcome: Sendable {
    /// What it changes.
    public var transaction: Transaction?
    /// A request to the view. If there is a change of the text, it is carried out after that and only if that is made.
    public var request: EditRequest?

    /// An outcome by its parts.
    public init(_ transaction: Transaction? = nil, _ request: EditRequest? = nil) {
        self.transaction = transaction
        self.request = request
    }
}

/// What a command asks of a view, because it is no change of the text and the selection.
public enum EditRequest: Sendable {
    /// Text to the clipboard, and into the kill buffer.
    case copy(CopiedText)
    /// Text that was cut off, into the kill buffer, if the transaction is made: added to what the command just before cut off, if it
    /// was one that does.
    case keep(CopiedText, KillBuffer.Side, continuing: KillBuffer.Entry?)
    /// A text from somewhere else, for an edit.
    case paste(PasteSource, DeferredEdit)
    /// Another part of the text in sight.
    case scroll(ScrollStep)
    /// The last step back.
    case undo
    /// The step again that was taken back.
    case redo
}

/// Where pasted text comes from.
public enum PasteSource: Hashable, Sendable {
    /// CLIPBOARD.
    case clipboard
    /// CLIPBOARD, without attributes.
    case plainClipboard
    /// PRIMARY: what was selected last anywhere.
    case selection
    /// The view's kill buffer.
    case killBuffer
}

/// A step of scrolling.
public enum ScrollStep: Hashable, Sendable {
    /// Visual lines down; up if negative.
    case lines(Int)
    /// Pages down; up if negative.
    case pages(Int)
    /// To the start of the text.
    case start
    /// To the end of the text.
    case end
    /// The caret into the middle.
    case centerCaret
}

/// A command: what it is for a state, and when.
struct Command: Sendable {
    /// The origin of its transaction, by which filters say whether it can be performed; nil if it changes neither the text nor how it
    /// is written.
    var origin: Origin?
    /// Whether it starts from where the user is: refused if nothing is selected.
    var needsSelection = true
    /// Whether it would do anything now; nil if that depends on no more than the above.
    var isPossible: (@Sendable (EditorState) -> Bool)?
    /// What it comes to. The composition is over; nothing may be changed by it.
    var outcome: @Sendable (EditorState, TextGeometry) -> CommandOutcome
}
