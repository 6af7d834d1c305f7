/// The state of a window of the editor between its first paint and its end.
///
/// Keys, the menu, the window manager, quitting and signals close a window by the same events, and a window that is closed takes none, so
/// that closing twice is closing once. Each way back to ``open`` says so to a quit that is under way. The diagram on the Architecture page
/// is compared with ``after(_:)`` by a test.
enum WindowState: String, CaseIterable, Hashable, Sendable {
    /// Keys go to the text.
    case open
    /// A question has the keys.
    case asking
    /// The window is going to be closed, after keys in flight or a save.
    case closing
    /// The window is going to be closed, and the question about unsaved changes has the keys: no save is waited for.
    case confirming
    /// The window is going to be closed, and another question has the keys: as a rule what the save of the close has met.
    case obstructed
    /// The window is gone, or goes when the work of this turn is done. Work that still waits for it is dropped.
    case closed

    /// An event in the life of a window.
    enum Event: String, CaseIterable, Hashable, Sendable {
        /// The user, the window manager or quitting asks for the window to be closed. Its questions are taken back before.
        case close
        /// The keys struck before a close are answered, and nothing is unsaved.
        case unchanged
        /// The keys struck before a close are answered, and the text is not saved.
        case changed
        /// The keys struck before a close are answered, and a save or the printing of pages is under way.
        case busy
        /// A question that has nothing to do with closing comes up.
        case ask
        /// The last question that was open is answered, and the window stays: a close that was asked for meanwhile ends.
        case answer
        /// The last question that was open is answered, which was about a save: a close that waits for it goes on.
        case proceed
        /// The question about unsaved changes is answered with saving.
        case save
        /// The question about unsaved changes is answered with discarding them.
        case discard
        /// A quit has all that it needs of this window, which stays until it has that of all others.
        case release
        /// The question about unsaved changes is answered with staying.
        case cancel
        /// The save or printing that a close waits for has ended well.
        case saved
        /// The save or printing that a close waits for has failed, or was given up.
        case saveFailed
        /// The window ends without a question: by a signal, another client or the server.
        case end
    }

    /// The work that follows from an event.
    enum Effect: String, Hashable, Sendable {
        /// Report ``Event/unchanged``, ``Event/changed`` or ``Event/busy`` after the keys struck before.
        case waitForKeys
        /// Report how the save ends.
        case waitForSave
        /// Ask about unsaved changes, once.
        case askAboutChanges
        /// Save, and report how that ends.
        case save
        /// Quitting ends here.
        case stay
        /// Quitting goes on with the next window.
        case quitFurther
        /// Take the window away, and its journal.
        case remove
        /// Take the window away; unsaved changes stay in the journal.
        case removeKeepingJournal
    }

    /// A state, and what is to be done on the way to it.
    struct Step: Hashable, Sendable {
        var state: WindowState
        var effect: Effect?
    }

    /// The step for an event; nil if this state does not take it.
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
        // The question about unsaved changes outlives a save that is given up, such as by the prompt for its name that it closes.
        case (.closing, .saveFailed): Step(state: .open, effect: .stay)
        case (.obstructed, .saveFailed): Step(state: .asking, effect: .stay)
        default: nil
        }
    }

    /// Takes an event. Returns the work that follows; nil if there is none.
    mutating func handle(_ event: Event) -> Effect? {
        guard let step = after(event) else { return nil }
        self = step.state
        return step.effect
    }
}
