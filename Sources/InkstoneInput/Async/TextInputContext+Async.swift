import InkstoneBase

/// The input system's part of asynchronous text input.
extension TextInputContext: AsyncTextInputDelegate {
    /// Whether an asynchronous client has a key, or input waits for the client's answer.
    package var isAwaitingAnswer: Bool { keyEntries?.isBusy ?? false }

    /// Does nothing: only the new position of the caret matters, which ``selectionDidChange(_:)`` reports.
    public func selectionWillChange(_ textInput: any AsyncTextInput) {}

    /// Reports the new position of the caret to the input method.
    public func selectionDidChange(_ textInput: any AsyncTextInput) { invalidateCharacterCoordinates() }

    /// Performs the key of an entry by the system's bindings and text input. Does so at most once for each entry.
    /// Returns whether the key had an effect.
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

    /// Ends the composition and keeps its text; drops the suggestions; and reports the position of the caret.
    public func invalidateTextEntryContext(for textInput: any AsyncTextInput) {
        candidateSuggestions = []
        endCompositionIfAny()
        invalidateCharacterCoordinates()
    }
}
