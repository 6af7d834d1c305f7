/// Who is told when a view changes text or selection *by itself*: by a click, undo, or the program.
/// Apple's `UITextInputDelegate`.
///
/// A view brackets every such change with one will and one did, never nested, and calls none of them around what the
/// input system did through `TextInput`, `KeyInput` or `TextInputClient`. The view holds its delegate weakly.
/// The argument is nil for a delegate that must not see the document (a keyboard in another process).
public protocol TextInputDelegate: AnyObject {
    /// The text is about to change.
    func textWillChange(_ textInput: (any TextInput)?)
    /// The text has changed.
    func textDidChange(_ textInput: (any TextInput)?)
    /// The selection is about to change, the text not.
    func selectionWillChange(_ textInput: (any TextInput)?)
    /// The selection has changed.
    func selectionDidChange(_ textInput: (any TextInput)?)
}
