import InkstoneEditing
import InkstoneText

/// Attributes of the text as its user gives them.
extension EditorView {
    /// What is typed next gets at the primary range of the selection.
    public var typingAttributes: TextAttributes { state.typingAttributes }

    /// Gives the selected text a value of a key as one step of undo, or with nil takes the key away; at a caret, what is typed next.
    /// A composition ends first, with its text kept.
    public func setAttribute<Key: AttributeKey>(_ value: Key.Value?, of key: Key.Type) {
        endComposition()
        dispatch(state.styling(value, of: key))
    }

    /// Takes a value of a key away if all selected text has it, or what is typed next at a caret would; else gives it. A composition
    /// ends first, with its text kept.
    public func toggleAttribute<Key: AttributeKey>(_ value: Key.Value, of key: Key.Type) {
        endComposition()
        dispatch(state.togglingStyle(value, of: key))
    }
}
