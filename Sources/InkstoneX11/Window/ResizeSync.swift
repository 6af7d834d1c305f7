import CX11

/// The notices to a window manager that a window has been painted in a new size, so that the next size comes no sooner.
///
/// Source: EWMH, `_NET_WM_SYNC_REQUEST`.
struct ResizeSync {
    /// The counter that the manager watches.
    let counter: XSyncCounter
    /// The counter's value for the announced size, to be set once that is painted; nil for none.
    var awaited: XSyncValue?

    /// Creates the counter; nil if the server lacks counters.
    init?(_ display: Display) {
        guard display.hasCounters else { return nil }
        counter = XSyncCreateCounter(display.connection, XSyncValue(hi: 0, lo: 0))
        display.ownResources.insert(counter)
    }

    /// Stores the counter's value for the next size, from the manager's request.
    mutating func request(low: Int, high: Int) {
        awaited = XSyncValue(
            hi: Int32(truncatingIfNeeded: high), lo: UInt32(truncatingIfNeeded: low))
    }

    /// Destroys the counter, because the window closes.
    func destroy(_ display: Display) {
        XSyncDestroyCounter(display.connection, counter)
        display.ownResources.free(counter)
    }

    /// Sets the counter, because the size is painted.
    mutating func answer(_ display: Display) {
        guard let value = awaited else { return }
        awaited = nil
        XSyncSetCounter(display.connection, counter, value)
    }
}
