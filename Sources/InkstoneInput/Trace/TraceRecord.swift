import InkstoneBase

/// A record of a trace: an event between the user, the input method and the text view, with its time.
package struct TraceRecord: Hashable, Sendable {
    /// An event of a trace.
    package enum Event: Hashable, Sendable {
        /// A client got the focus with this text and selection, or had them when the trace began. A replay starts
        /// with them if this is the first record.
        case document(String, UTF16Range)
        /// From now on, keys have these bindings. Before the first such record, they have those of
        /// ``KeyBindingTable/desktop``.
        case keyBindings(KeyBindingTable)
        /// The user pressed or released a key.
        case key(KeyEvent)
        /// An action other than a key was added to the queue, such as a press of a pointer button, a focus change or a
        /// command.
        case item(InputItemKind, endsComposition: Bool)
        /// An item of the queue was performed; the client then had this selection.
        case selection(UTF16Range)
        /// The input method sent an event. The events of one batch arrived together.
        case event(InputMethodEvent, batch: Int)
        /// The context called the client.
        case call(ClientCall)
        /// The spot, the caret's rectangle, was reported to the input method, in root pixels; nil if the caret is
        /// off the screen.
        case spot(RootRect?)
        /// The input method was asked to discard its composition.
        case reset
        /// The window got or lost the focus.
        case focus(Bool)
        /// Keys begin or cease to go to an input method. `loss` is nil unless a method died or was given up.
        case link(isEngaged: Bool, loss: InputMethodLoss?)
        /// The input method has these traits from now on; before the first such record, none of them.
        case method(InputMethodTraits)
    }

    /// The time in milliseconds, by the session's clock.
    package var time: Milliseconds
    /// The recorded event.
    package var event: Event

    /// Creates a record from its parts.
    package init(time: Milliseconds, _ event: Event) {
        self.time = time
        self.event = event
    }
}
