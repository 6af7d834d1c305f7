import InkstoneBase

/// The work of a turn of the display's loop other than events, and whether a turn is running.
struct TurnWork {
    /// Whether a turn is running. At its end, windows are painted and requests flushed.
    var isUnderWay = false
    /// The windows to be painted at the end of the turn.
    var dirtyWindows = CollectedWork<Window>()
    /// The window that holds back a motion in case another replaces it; nil for none.
    var motionWindow: Window?
    /// The actions to perform after the painting at the end of the turn.
    var followUps = CollectedWork<FollowUp>()
}

/// An action to perform after painting. It is a structure, because Swift would wrap each closure of an array of
/// closures in another one.
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
