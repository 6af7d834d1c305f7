/// The state of a window of the editor between its first paint and its end.
///
/// Keys, the menu, the window manager, quitting and signals close a window by the same events, and a closed window accepts none, so
/// that closing twice has no further effect. Each return to ``open`` notifies a quit in progress. A test compares the diagram on the
/// page *How the editor works* with ``after(_:)``.
enum WindowState: String, CaseIterable, Hashable, Sendable {
    /// Keys go to the text.
    case open
    /// A question has the keys.
    case asking
    /// The window is about to close, after pending keys or a save.
    case closing
    /// The window is about to close, and the question about unsaved changes has the keys: no save is waited for.
    case confirming
    /// The window is about to close, and another question has the keys: usually about an obstacle to the save.
    case obstructed
    /// The window is gone, or goes at the end of this turn. Work that still waits for it is dropped.
    case closed

    /// An event in the life of a window.
    enum Event: String, CaseIterable, Hashable, Sendable {
        /// The user, the window manager or quitting requests that the window close. Its questions are withdrawn before.
        case close
        /// The keys struck before a close are handled, and nothing is unsaved.
        case unchanged
        /// The keys struck before a close are handled, and the text is not saved.
        case changed
        /// The keys struck before a close are handled, and a save or print job is running.
        case busy
        /// A question that is not about closing appears.
        case ask
        /// The last open question is answered, and the window stays: a close requested meanwhile ends.
        case answer
        /// The last open question, about a save, is answered: a close that waits for the save continues.
        case proceed
        /// The question about unsaved changes is answered with saving.
        case save
        /// The question about unsaved changes is answered with discarding them.
        case discard
        /// A quit may close this window, which stays until all others may be closed.
        case release
        /// The question about unsaved changes is cancelled: the window stays.
        case cancel
        /// The save or print job that a close waits for has succeeded.
        case saved
        /// The save or print job that a close waits for has failed, or was cancelled.
        case saveFailed
        /// The window ends without a question: by a signal, another client or the server.
        case end
    }

    /// The effect of an event.
    enum Effect: String, Hashable, Sendable {
        /// Report ``Event/unchanged``, ``Event/changed`` or ``Event/busy`` after the keys struck before.
        case waitForKeys
        /// Report how the save ends.
        case waitForSave
        /// Ask about unsaved changes, once.
        case askAboutChanges
        /// Save, and report how that ends.
        case save
        /// End a quit in progress.
        case stay
        /// Continue quitting with the next window.
        case quitFurther
        /// Remove the window, and its journal.
        case remove
        /// Remove the window; unsaved changes stay in the journal.
        case removeKeepingJournal
    }

    /// The next state, and the effect of the transition.
    struct Step: Hashable, Sendable {
        var state: WindowState
        var effect: Effect?
    }

    /// Returns the step for an event; nil if this state does not accept it.
    func after(_ event: Event) -> Step? {
        switch (self, event) {
        case (.closed, _): nil
        case (_, .end): Step(state: .closed, effect: .removeKeepingJournal)
        case (_, .close): Step(state: .closing, effect: .waitForKeys)
        case (.closing, .unchanged), (.confirming, .unchanged), (.obstructed, .unchanged):
            Step(state: .closed, effect: .remove)
        case (.closing, .changed), (.confirming, .changed), (.obstructed, .changed):
            Step(state: .confirming, effect: .askAboutChanges)
        case (.closing, .busy), (.confirming, .busy), (.obstructed, .busy): Step(state: self, effect: .waitForSave)
        case (.open, .ask), (.asking, .ask): Step(state: .asking)
        case (.confirming, .ask): Step(state: .confirming)
        case (.closing, .ask), (.obstructed, .ask): Step(state: .obstructed)
        case (.asking, .answer), (.confirming, .answer), (.obstructed, .answer), (.asking, .proceed):
            Step(state: .open, effect: .stay)
        case (.confirming, .proceed), (.obstructed, .proceed): Step(state: .closing)
        case (.confirming, .save), (.asking, .save): Step(state: .closing, effect: .save)
        case (.confirming, .discard), (.asking, .discard): Step(state: .closed, effect: .remove)
        case (.confirming, .cancel), (.asking, .cancel): Step(state: .open, effect: .stay)
        case (.closing, .release), (.confirming, .release), (.obstructed, .release), (.asking, .release):
            Step(state: .open, effect: .quitFurther)
        // Text may have been typed since the save began.
        case (.closing, .saved), (.confirming, .saved), (.obstructed, .saved): Step(state: self, effect: .waitForKeys)
        // The question about unsaved changes stays when a save is cancelled, such as by the prompt for its name that the question closes.
        case (.closing, .saveFailed): Step(state: .open, effect: .stay)
        case (.obstructed, .saveFailed): Step(state: .asking, effect: .stay)
        default: nil
        }
    }

    /// Handles an event. Returns its effect; nil if there is none.
    mutating func handle(_ event: Event) -> Effect? {
        guard let step = after(event) else { return nil }
        self = step.state
        return step.effect
    }
}
