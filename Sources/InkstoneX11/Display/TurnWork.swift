import InkstoneBase

/// The work of a loop turn besides events, and whether a turn is running.
struct TurnWork {
    /// Whether a turn is running, at whose end everything is painted and flushed.
    var isUnderWay = false
    /// Windows that need painting.
    var dirtyWindows = CollectedWork<Window>()
    /// The window with a deferred pointer motion, which the next motion replaces.
    var motionWindow: Window?
    /// The work deferred until after painting.
    var followUps = CollectedWork<FollowUp>()
}

/// Work deferred until after painting; a struct, because an array of bare closures would wrap each in another closure.
struct FollowUp {
    var perform: () -> Void
}

/// A deferred motion, which the next motion replaces.
enum PendingMotion {
    /// A motion of the pointer.
    case pointer(PointerEvent)
    /// A motion of a finger.
    case touch(TouchEvent)
}
