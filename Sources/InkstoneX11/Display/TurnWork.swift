import InkstoneBase

/// The work of a turn of the display's loop other than events, and whether a turn is running.
struct TurnWork {
    /// Whether a turn is running. At its end, windows are painted and requests flushed.
    var isUnderWay = false
    /// Windows to be painted.
    var dirtyWindows = CollectedWork<Window>()
    /// The window that holds back a pointer motion in case another replaces it; nil for none.
    var motionWindow: Window?
    /// Actions postponed until after painting.
    var followUps = CollectedWork<FollowUp>()
}

/// An action to perform after painting. A structure, because an array of closures would wrap each closure in
/// another one.
struct FollowUp {
    var perform: () -> Void
}

/// A motion that is held back in case another replaces it.
enum PendingMotion {
    /// A motion of the pointer.
    case pointer(PointerEvent)
    /// A motion of a finger.
    case touch(TouchEvent)
}
