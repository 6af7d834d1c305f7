import InkstoneBase

/// The windows that the server knows: which have contexts, which has the focus, and what each shows and wants.
struct InputMethodContexts: Sendable {
    /// Whether the server has had the time to say which keys it wants.
    enum Introduction: Hashable, Sendable { case wanted, asked, over }

    /// Windows that have a context.
    var served: Set<WindowID> = []
    /// The window that keys go to.
    private(set) var focused: WindowID?
    /// Of the context that has the focus.
    var introduction = Introduction.wanted
    /// What each composes.
    var preedits: [WindowID: PreeditBuffer] = [:]
    /// Where the server's windows are to be.
    var spots = InputMethodSpots()

    /// The focused window, if it has a context.
    var focusedAndServed: WindowID? { focused.flatMap { served.contains($0) ? $0 : nil } }

    /// The window gets the focus, which has to be said to the server anew.
    mutating func focus(_ window: WindowID?) {
        focused = window
        introduction = .wanted
    }

    /// The window loses the focus, if it has it.
    mutating func unfocus(_ window: WindowID) {
        if focused == window { focused = nil }
    }

    /// The window is gone.
    mutating func forget(_ window: WindowID) {
        served.remove(window)
        spots.forget(window)
        preedits[window] = nil
        unfocus(window)
    }
}
