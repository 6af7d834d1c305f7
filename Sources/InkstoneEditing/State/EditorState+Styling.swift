import InkstoneBase
import InkstoneInput
public import InkstoneText

/// Attributes that the user chooses: of what is selected, and of what is typed next.
extension EditorState {
    /// What is typed next gets at the primary range: what it takes over from the text, with what was chosen for it.
    public var typingAttributes: TextAttributes { typedAttributes(at: primary.range) }

    /// Gives all selected text a value of a key, or takes the key away; what is typed next at carets gets it. The latter is
    /// forgotten when the selection moves. Nil where nothing is selected or may be edited.
    public func styling<Key: AttributeKey>(_ value: Key.Value?, of key: Key.Type) -> Transaction? {
        styling(key) { _ in value }
    }

    /// Gives each run of the selected text what `change` makes of its value of a key, nil being none: sizes that differ keep their
    /// difference. What is typed next at carets gets what it makes of the first caret's. See ``styling(_:of:)``.
    public func styling<Key: AttributeKey>(
        _ key: Key.Type, _ change: @escaping @Sendable (Key.Value?) -> Key.Value?
    ) -> Transaction? {
        guard let selection, options.isEditable else { return nil }
        var result = Transaction(
            on: document, version, TextChangeSet(none: text), origin: .styling, selectionBefore: selection, view: view)
        var restyling = Restyling()
        for range in pieces(of: selection, for: key) { restyling.map(key, in: range, change) }
        if !restyling.isEmpty { result.restyling = restyling }
        if let caret = selection.ranges.first(where: \.isCaret) {
            var chosen = typing
            chosen.set(change(typedAttributes(at: caret.range)[key]), of: key)
            result.typing = chosen
        }
        return result
    }

    /// Takes a value away if all selected text has it, and all that is typed next at carets would; else gives it to all of them.
    public func togglingStyle<Key: AttributeKey>(_ value: Key.Value, of key: Key.Type) -> Transaction? {
        togglingStyle(value, of: key) { $0 == value }
    }

    /// Takes a key away if all selected text has a value that counts as on, and all that is typed next at carets would; else gives a
    /// value to what has none such. Spaces and line ends count only where nothing else is selected.
    public func togglingStyle<Key: AttributeKey>(
        _ value: Key.Value, of key: Key.Type, isOn: @escaping @Sendable (Key.Value?) -> Bool
    ) -> Transaction? {
        guard let selection else { return nil }
        let carets = selection.ranges.filter(\.isCaret)
        let runs = selection.ranges.flatMap { styledText.attributes(in: $0.range) }
        let inked = runs.filter { !isBlank($0.range) }
        let isAllOn =
            carets.allSatisfy { isOn(typedAttributes(at: $0.range)[key]) }
            && (inked.isEmpty ? runs : inked).allSatisfy { isOn($0.attributes[key]) }
        return isAllOn ? styling(nil, of: key) : styling(key) { isOn($0) ? $0 : value }
    }

    /// The selected ranges; of a paragraph key those that meet in a paragraph are one, which has but one value to change.
    private func pieces<Key: AttributeKey>(of selection: Selection, for key: Key.Type) -> [Range<UTF16Offset>] {
        let ranges = selection.ranges.map(\.range).filter { !$0.isEmpty }
        guard key.runBoundaries == .paragraph else { return ranges }
        return ranges.reduce(into: []) { pieces, range in
            if let last = pieces.last,
                text.paragraphIndex(at: last.upperBound - 1) == text.paragraphIndex(at: range.lowerBound)
            {
                pieces[pieces.count - 1] = last.lowerBound..<range.upperBound
            } else {
                pieces.append(range)
            }
        }
    }

    private func typedAttributes(at range: Range<UTF16Offset>) -> TextAttributes {
        typing.applied(to: styledText.typingAttributes(replacing: range))
    }

    /// Whether a range has only spaces and line ends. Stops at the first other character.
    private func isBlank(_ range: Range<UTF16Offset>) -> Bool {
        var at = range.lowerBound
        while at < range.upperBound {
            let end = min(range.upperBound, at + 256)
            if !text.utf16(in: at..<end).allSatisfy({ Unicode.Scalar($0)?.properties.isWhitespace ?? false }) {
                return false
            }
            at = end
        }
        return true
    }
}
