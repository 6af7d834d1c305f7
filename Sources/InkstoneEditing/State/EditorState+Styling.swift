import InkstoneInput
public import InkstoneText

/// Attributes that the user chooses: of what is selected, and of what is typed next.
extension EditorState {
    /// What is typed next gets at the primary range: what it takes over from the text, with what was chosen for it.
    public var typingAttributes: TextAttributes {
        typing.applied(to: styledText.typingAttributes(replacing: primary.range))
    }

    /// Gives all selected text a value of a key, or takes the key away; what is typed next at carets gets it. The latter is
    /// forgotten when the selection moves. Nil where nothing is selected or may be edited.
    public func styling<Key: AttributeKey>(_ value: Key.Value?, of key: Key.Type) -> Transaction? {
        guard let selection, options.isEditable else { return nil }
        var result = Transaction(
            on: document, version, TextChangeSet(none: text), origin: .styling, selectionBefore: selection, view: view)
        var restyling = Restyling()
        for range in selection.ranges { restyling.set(value, of: key, in: range.range) }
        if !restyling.isEmpty { result.restyling = restyling }
        if selection.ranges.contains(where: \.isCaret) {
            var chosen = typing
            chosen.set(value, of: key)
            result.typing = chosen
        }
        return result
    }

    /// Takes a value away if all selected text has it, and all that is typed next at carets would; else gives it to all of them.
    public func togglingStyle<Key: AttributeKey>(_ value: Key.Value, of key: Key.Type) -> Transaction? {
        let hasIt = selection?.ranges.allSatisfy { range in
            if range.isCaret {
                let taken = styledText.typingAttributes(replacing: range.range)
                return typing.applied(to: taken)[key] == value
            }
            return styledText.attributes(in: range.range).allSatisfy { $0.attributes[key] == value }
        }
        return styling(hasIt == true ? nil : value, of: key)
    }
}
