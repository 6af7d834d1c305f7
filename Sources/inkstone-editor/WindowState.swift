/// The state of a window of the editor from its first paint to its end.
///
/// Keys, the menu, the window manager, quitting and signals close a window by the same events. A closed window
/// accepts no events, so closing twice has no further effect. Each return to ``open`` ends a quit in progress or
/// lets it continue. A test compares the diagram on the page *How the editor works* with ``after(_:)``.
enum WindowState: String, CaseIterable, Hashable, Sendable {
    /// The document gets the keys.
    case open
    /// A question gets the keys.
    case asking
    /// The window will close after the pending keys or a save.
    case closing
    /// The window will close, and does not wait for a save now. The question about unsaved changes gets the keys.
    case confirming
    /// The window will close, and another question gets the keys, usually about an obstacle to the save.
    case obstructed
    /// The window is gone, or will be at the end of this turn of the event loop. Work that waits for it is dropped.
    case closed

    /// Whether the window closes unless the user, or a failed save, keeps it open.
    var isToClose: Bool { [.closing, .confirming, .obstructed].contains(self) }

    /// An event that may change the state of a window.
    enum Event: String, CaseIterable, Hashable, Sendable {
        /// The user, the window manager or quitting requests to close the window. Its questions have been
        /// withdrawn.
        case close
        /// The keys typed before the request to close are handled, and there are no unsaved changes.
        case unchanged
        /// The keys typed before the request to close are handled, and there are unsaved changes.
        case changed
        /// The keys typed before the request to close are handled, and a save, an export or a print job is running.
        case busy
        /// A question that is not about closing appears.
        case ask
        /// The last open question is answered, and the window stays. A request to close, if there is one, is
        /// dropped.
        case answer
        /// The last open question is answered, and it was about a save. A window that waits for the save before it
        /// closes still does so.
        case proceed
        /// The user answers the question about unsaved changes by saving them.
        case save
        /// The user answers the question about unsaved changes by discarding them.
        case discard
        /// A quit may close this window, because there are no unsaved changes or the user permits to discard them.
        /// The window stays until all others may be closed too.
        case release
        /// The user cancels the question about unsaved changes: the window stays.
        case cancel
        /// The save, export or print job that a closing window waits for has succeeded.
        case saved
        /// The work that a closing window waits for, such as a save, an export, a print job or a paste, has failed or
        /// was cancelled.
        case saveFailed
        /// The window ends without a question, by a signal, another client or the server.
        case end
    }

    /// The action that a transition requests of the window.
    enum Effect: String, Hashable, Sendable {
        /// Handle the pending keys, and then report ``Event/unchanged``, ``Event/changed`` or ``Event/busy``.
        case waitForKeys
        /// Report the end of the save in progress.
        case waitForSave
        /// Ask about unsaved changes, unless that question is open.
        case askAboutChanges
        /// Begin a save, and report its end.
        case save
        /// End a quit in progress, because the window stays.
        case stay
        /// Continue a quit with the next window.
        case quitFurther
        /// Remove the window and its journal.
        case remove
        /// Remove the window, and keep its unsaved changes in the journal.
        case removeKeepingJournal
    }

    /// The next state, and the effect of the transition; nil for no effect.
    struct Step: Hashable, Sendable {
        var state: WindowState
        var effect: Effect?
    }

    /// Returns the transition for an event; nil if this state does not accept the event.
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
        // The user may have typed since the save began: check for changes again.
        case (.closing, .saved), (.confirming, .saved), (.obstructed, .saved): Step(state: self, effect: .waitForKeys)
        // The states with the question about unsaved changes ignore this event, so that the question stays. The
        // question itself may cause the event, by closing the prompt for the save's path.
        case (.closing, .saveFailed): Step(state: .open, effect: .stay)
        case (.obstructed, .saveFailed): Step(state: .asking, effect: .stay)
        default: nil
        }
    }

    /// Handles an event by changing the state. Returns the effect; nil if there is none.
    mutating func handle(_ event: Event) -> Effect? {
        guard let step = after(event) else { return nil }
        self = step.state
        return step.effect
    }
}
