import InkstoneBase

/// What a turn of the loop has to do besides events, and whether one is under way.
struct TurnWork {
    /// Whether a turn is under way, after which everything is painted and sent.
    var isUnderWay = false
    /// Windows with something out of date.
    var dirtyWindows = CollectedWork<Window>()
    /// The window with a motion of the pointer that waits for the next one to take its place.
    var motionWindow: Window?
    /// What is to be done once all is painted.
    var followUps = CollectedWork<FollowUp>()
}

/// Work for after painting: an array of bare closures would put each into another one.
struct FollowUp {
    var perform: () -> Void
}

/// A motion that waits for the next one to take its place.
enum PendingMotion {
    /// The pointer's.
    case pointer(PointerEvent)
    /// A finger's.
    case touch(TouchEvent)
}
