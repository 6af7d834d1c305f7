import CX11

/// Tells a window manager when a window has been painted in the size that the manager gave it, so that the next one comes no sooner.
///
/// Source: EWMH, `_NET_WM_SYNC_REQUEST`.
struct ResizeSync {
    /// The counter that the manager watches.
    let counter: XSyncCounter
    /// What it is to show once the size that is announced has been painted.
    var awaited: XSyncValue?

    /// Nil where the server has no such counters.
    init?(_ display: Display) {
        guard display.hasCounters else { return nil }
        counter = XSyncCreateCounter(display.connection, XSyncValue(hi: 0, lo: 0))
        display.ownResources.insert(counter)
    }

    /// The manager has said what the counter is to show after the next size.
    mutating func request(low: Int, high: Int) {
        awaited = XSyncValue(
            hi: Int32(truncatingIfNeeded: high), lo: UInt32(truncatingIfNeeded: low))
    }

    /// The window goes.
    func destroy(_ display: Display) {
        XSyncDestroyCounter(display.connection, counter)
        display.ownResources.free(counter)
    }

    /// The size is painted.
    mutating func answer(_ display: Display) {
        guard let value = awaited else { return }
        awaited = nil
        XSyncSetCounter(display.connection, counter, value)
    }
}
