import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

extension EditorView {
    /// Whether the text is hidden from everyone: no input method, no trace, nothing for the clipboard, PRIMARY or a proxy;
    /// the view shows a bullet for each character.
    public var isSecureTextEntry: Bool { options.isSecureTextEntry }

    /// Whether an input method may be used here now.
    public var acceptsInputMethod: Bool { inputContext.acceptsInputMethod }

    /// What works in this view, and what does not and why: as it is now.
    public var capabilities: TextInputCapabilities { TextInputCapabilities(of: self) }
}
