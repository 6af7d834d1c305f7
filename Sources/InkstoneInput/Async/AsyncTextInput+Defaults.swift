public import InkstoneBase
import InkstoneText

extension AsyncTextInput {
    /// Calls `completion` with false, so that the system performs the key.
    public func handleKeyEntry(_ entry: KeyEntry, completion: KeyEntryCompletion) { completion(false) }
    /// Nil: keys go to ``handleKeyEntry(_:completion:)``.
    public var keyEntryHandler: (@Sendable (KeyEntry) async throws -> Bool)? { nil }
    /// Does nothing: the default for a view that does not follow Shift and Caps Lock.
    public func shiftKeyStateChanged(from oldState: KeyModifiers, to newState: KeyModifiers) {}
    /// Returns true: each gesture may begin.
    public func textInteractionGesture(_ gesture: TextGesture, shouldBeginAt point: ViewPoint) -> Bool { true }
    /// Does nothing: the default for a view that does not scroll during drags.
    public func autoscroll(to point: ViewPoint) {}
    /// Does nothing: the default for a view that does not scroll during drags.
    public func cancelAutoscroll() {}
    /// Does nothing: the default for a view that needs no notice of the dismissal.
    public func keyboardWillDismiss() {}
    /// Nil: the view keeps no alternatives.
    public var textAlternatives: TextAlternativesList? { nil }

    /// Calls `completion` immediately with the text that is known in this process.
    public func requestTextContextForAutocorrection(completion: @escaping (TextDocumentContext?) -> Void) {
        completion(textContextForAutocorrection())
    }
}

extension AsyncTextInput where Self: TextInputClient & AnchoredTextInput {
    /// Adds alternatives for the selected text, or for the text that ends at the caret. Does nothing if this text
    /// differs from the primary text of the alternatives, or if the client keeps no alternatives.
    public func add(_ alternatives: TextAlternatives) {
        var range = selectedRange()
        guard !range.isNotFound else { return }
        if range.length == 0 {
            let length = alternatives.primary.utf16.count
            range = UTF16Range(location: range.location - length, length: length)
        }
        if range.location >= 0 { textAlternatives?.add(alternatives, at: range, in: self) }
    }

    /// Returns the alternatives for the selected text. At a caret, those for the text that the caret is in or
    /// touches. Nil if that text has none.
    public func alternativesForSelectedText() -> TextAlternatives? {
        textAlternatives?.alternatives(at: selectedRange(), in: self)?.alternatives
    }

    /// Replaces the selected text by one of its alternatives. At a caret, replaces the text that the caret is in or
    /// touches. Returns false, and changes nothing, if `alternative` is not one of that text's alternatives, or if
    /// the user may not make the change.
    @discardableResult
    public func choose(alternative: String) -> Bool {
        guard isEditable, let (found, range) = textAlternatives?.alternatives(at: selectedRange(), in: self),
            found.alternatives.contains(alternative), let positions = textRange(for: range),
            shouldChangeText(in: positions, replacementText: alternative)
        else { return false }
        replace(positions, withText: alternative)
        return true
    }

    /// Removes the alternatives for all ranges of the text. Does nothing for a view that stores none.
    public func removeTextAlternatives() { textAlternatives?.removeAll() }
}
