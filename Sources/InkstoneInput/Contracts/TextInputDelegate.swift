/// A delegate that is notified when a view changes its text or selection *by itself*: by a click, undo, or the program.
/// Apple's `UITextInputDelegate`.
///
/// A view brackets every such change with one will and one did, never nested, and calls none of them for changes that the
/// input system makes through `TextInput`, `KeyInput` or `TextInputClient`. The view holds its delegate weakly.
/// The argument is nil for a delegate that must not see the document (a keyboard in another process).
public protocol TextInputDelegate: AnyObject {
    /// Called before the text changes.
    func textWillChange(_ textInput: (any TextInput)?)
    /// Called after the text has changed.
    func textDidChange(_ textInput: (any TextInput)?)
    /// Called before the selection changes without the text.
    func selectionWillChange(_ textInput: (any TextInput)?)
    /// Called after the selection has changed.
    func selectionDidChange(_ textInput: (any TextInput)?)
}
