public import InkstoneBase

/// One line of a trace: something that happened between user, input method and text view, with its time.
public struct TraceRecord: Hashable, Sendable {
    /// What happened.
    public enum Event: Hashable, Sendable {
        /// The text and selection of a client when it got the focus: what a replay starts with.
        case document(String, UTF16Range)
        /// What the keys are bound to from now on; before the first of these, ``KeyBindingTable/desktop``.
        case keyBindings(KeyBindingTable)
        /// The user pressed or released a key.
        case key(KeyEvent)
        /// A press, focus change, command or edit entered the queue.
        case item(InputItemKind, endsComposition: Bool)
        /// It was performed, and this is the selection since.
        case selection(UTF16Range)
        /// The input method answered. Events of one batch came together.
        case event(InputMethodEvent, batch: Int)
        /// The client was called.
        case call(ClientCall)
        /// This rectangle was reported to the input method, in root pixels.
        case spot(RootRect?)
        /// The input method was asked to forget what it composes.
        case reset
        /// The window got or lost the focus.
        case focus(Bool)
        /// Keys go to an input method from now on, or no longer. `lostAfterSilence` is nil unless one died or was given up: then it is
        /// for how many milliseconds that had said nothing.
        case link(isEngaged: Bool, lostAfterSilence: Milliseconds?)
        /// How the method answers; before the first of these, without any of the traits.
        case method(InputMethodTraits)
    }

    /// Milliseconds on the clock of its session.
    public var time: Milliseconds
    /// What happened.
    public var event: Event

    /// A record by its parts.
    public init(time: Milliseconds, _ event: Event) {
        self.time = time
        self.event = event
    }
}
