/// A delegate that is notified when a view changes its text or selection *by itself*: because of a click, undo, or
/// the program. The counterpart of Apple's `UITextInputDelegate`.
///
/// A view brackets every such change with one call of a *will* method and one of a *did* method. The calls are
/// never nested. The view calls none of them for changes that the input system makes through `TextInput`,
/// `KeyInput` or `TextInputClient`. The view does not retain its delegate. The argument is nil for a delegate that
/// must not see the document, such as a keyboard in another process.
public protocol TextInputDelegate: AnyObject {
    /// Called before the text changes.
    func textWillChange(_ textInput: (any TextInput)?)
    /// Called after the text has changed.
    func textDidChange(_ textInput: (any TextInput)?)
    /// Called before the selection changes. If the text changes too, ``textWillChange(_:)`` is called instead.
    func selectionWillChange(_ textInput: (any TextInput)?)
    /// Called after the selection has changed. If the text has changed too, ``textDidChange(_:)`` is called
    /// instead.
    func selectionDidChange(_ textInput: (any TextInput)?)
}
