import InkstoneBase

/// A line of a trace: an event between user, input method and text view, with its time.
package struct TraceRecord: Hashable, Sendable {
    /// An event of a trace.
    package enum Event: Hashable, Sendable {
        /// A client got the focus with this text and selection, with which a replay starts.
        case document(String, UTF16Range)
        /// The keys have these bindings from now on; before the first such record, ``KeyBindingTable/desktop``.
        case keyBindings(KeyBindingTable)
        /// The user pressed or released a key.
        case key(KeyEvent)
        /// A press, focus change, command or edit entered the queue.
        case item(InputItemKind, endsComposition: Bool)
        /// The item was performed, and left this selection.
        case selection(UTF16Range)
        /// The input method answered. Events of one batch came together.
        case event(InputMethodEvent, batch: Int)
        /// The context called the client.
        case call(ClientCall)
        /// The spot was reported to the input method, as a rectangle in root pixels; nil for text off the screen.
        case spot(RootRect?)
        /// The input method was asked to discard its composition.
        case reset
        /// The window got or lost the focus.
        case focus(Bool)
        /// Keys begin or cease to go to an input method. `lostAfterSilence` is nil unless a method died or was given up: then it is
        /// the duration of its silence in milliseconds.
        case link(isEngaged: Bool, lostAfterSilence: Milliseconds?)
        /// The method has these traits from now on; before the first such record, none of them.
        case method(InputMethodTraits)
    }

    /// The time in milliseconds, by the session's clock.
    package var time: Milliseconds
    /// The event.
    package var event: Event

    /// Creates a record from its parts.
    package init(time: Milliseconds, _ event: Event) {
        self.time = time
        self.event = event
    }
}
