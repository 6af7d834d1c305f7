import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

extension EditorView {
    /// Whether the text is secret: no input method, no trace, no data for the clipboard, PRIMARY or a proxy; the view shows a bullet for each
    /// character.
    public var isSecureTextEntry: Bool { options.isSecureTextEntry }

    /// Whether an input method may be used in this view now.
    public var acceptsInputMethod: Bool { inputContext.acceptsInputMethod }

    /// The present capabilities of the view, with the reasons for those it lacks.
    public var capabilities: TextInputCapabilities { TextInputCapabilities(of: self) }
}
