import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText
import InkstoneUnicode

extension EditorView {
    /// Whether the text is hidden from everyone: no input method, no trace, nothing for the clipboard, PRIMARY or a proxy;
    /// the view shows a bullet for each character.
    public var isSecureTextEntry: Bool { options.isSecureTextEntry }

    /// Whether an input method may be used here now.
    public var acceptsInputMethod: Bool { inputContext.acceptsInputMethod }

    /// What works in this view, and what does not and why: as it is now.
    public var capabilities: TextInputCapabilities { TextInputCapabilities(of: self) }

    /// Has the input system follow the options. Others may be called, and the text edited.
    func inputOptionsDidChange() {
        if !inputContext.acceptsInputMethod { endComposition() }
        inputContext.session?.clientTraitsDidChange()
        // Whether the caret blinks depends on it.
        noteActivity()
    }

    /// Has layout and display follow the options.
    func optionsDidChange(from old: TextInputOptions) {
        // Also when the text is shown later on: it is a secret all the same.
        if options.isSecureTextEntry { store.isConfidential = true }
        if options.isSecureTextEntry != old.isSecureTextEntry {
            layout.masksCharacters = options.isSecureTextEntry
            viewportLayout.restoreAnchor()
        }
        if options.isSingleLine != old.isSingleLine { updateContainer() }
        if options.baseWritingDirection != old.baseWritingDirection {
            layout.paragraphStyle.baseDirection =
                switch options.baseWritingDirection {
                case .natural: .natural
                case .leftToRight: .leftToRight
                case .rightToLeft: .rightToLeft
                }
            viewportLayout.restoreAnchor()
        }
        setNeedsDisplay()
        viewDidChange(.geometry)
    }

    /// Whether the user may replace a range by a text now: by ``isEditable`` and the ``delegate``.
    public func shouldChangeText(in range: TextRange, replacementText text: String) -> Bool {
        isEditable
            && (delegate?.editorView(self, shouldChangeTextIn: offsets(range), replacementText: text) ?? true)
    }
}
