import InkstoneBase

/// The input system's side of asynchronous text input.
extension TextInputContext: AsyncTextInputDelegate {
    /// Whether an asynchronous client has a key, or anything waits for its answer.
    public var isAwaitingAnswer: Bool { keyEntries?.isBusy ?? false }

    /// Does nothing.
    public func selectionWillChange(_ textInput: any AsyncTextInput) {}

    /// Reports to the input method where the caret is.
    public func selectionDidChange(_ textInput: any AsyncTextInput) { invalidateCharacterCoordinates() }

    /// Does what the key of an entry means to the system, once for each entry.
    public func shouldDeferEventHandlingToSystem(for textInput: any AsyncTextInput, context: KeyEntryContext) -> Bool {
        guard textInput === client, keyEntries?.takeForSystem(context.entry) == true else { return false }
        return typeBySystem(
            context.entry.key, usesBindings: context.shouldEvaluateForInputSystemHandling,
            insertsText: context.shouldInsertCharacter && context.isDocumentEditable)
    }

    /// Keeps the suggestions in ``candidateSuggestions``.
    public func textInput(_ textInput: any AsyncTextInput, setCandidateSuggestions suggestions: [TextSuggestion]?) {
        candidateSuggestions = suggestions ?? []
    }

    /// Ends what is being composed, with its text kept, and reports the caret.
    public func invalidateTextEntryContext(for textInput: any AsyncTextInput) {
        candidateSuggestions = []
        endCompositionIfAny()
        invalidateCharacterCoordinates()
    }
}
