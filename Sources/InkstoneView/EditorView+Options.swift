import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

extension EditorView {
    /// Whether the text is secret. The view then uses no input method, writes no trace, and passes no text to the
    /// clipboard, PRIMARY or a proxy; it shows a bullet for each character.
    public var isSecureTextEntry: Bool { options.isSecureTextEntry }

    /// Whether an input method may be used in this view at present.
    public var acceptsInputMethod: Bool { inputContext.acceptsInputMethod }

    /// The present capabilities of the view, with the reason for each capability that it lacks.
    public var capabilities: TextInputCapabilities { TextInputCapabilities(of: self) }
}
