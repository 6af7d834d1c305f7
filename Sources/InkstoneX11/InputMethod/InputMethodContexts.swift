import InkstoneBase

/// The windows that the input method's server knows: those with input contexts, and the focused one. Also the preedit
/// and the spot of each window.
struct InputMethodContexts: Sendable {
    /// The progress of the query that is sent after a context has got the focus, so that the server has time to report
    /// which keys it wants: the query is `wanted`, then `asked`, and `over` when it was answered and the spot was sent.
    enum Introduction: Hashable, Sendable { case wanted, asked, over }

    /// The windows for which the server has an input context.
    var served: Set<WindowID> = []
    /// The window that receives the keys; nil for none.
    private(set) var focused: WindowID?
    /// The progress of the query about the focused window's context.
    var introduction = Introduction.wanted
    var preedits: [WindowID: PreeditBuffer] = [:]
    /// The spots of the windows, near which the server shows windows of its own.
    var spots = InputMethodSpots()

    /// The focused window; nil if there is none, or if it has no context.
    var focusedAndServed: WindowID? { focused.flatMap { served.contains($0) ? $0 : nil } }

    /// Moves the focus to a window. Resets ``introduction``, because the server must be queried again about the wanted
    /// keys.
    mutating func focus(_ window: WindowID?) {
        focused = window
        introduction = .wanted
    }

    /// Removes the focus from a window, if it has it.
    mutating func unfocus(_ window: WindowID) {
        if focused == window { focused = nil }
    }

    mutating func forget(_ window: WindowID) {
        served.remove(window)
        spots.forget(window)
        preedits[window] = nil
        unfocus(window)
    }
}
