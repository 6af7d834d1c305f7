import CX11

/// Synchronizes resizing with the window manager: reports when the window is painted in a new size. Until then, the
/// window manager sends no further size.
///
/// Source: EWMH, `_NET_WM_SYNC_REQUEST`.
struct ResizeSync {
    /// The SYNC counter that the window manager watches.
    let counter: XSyncCounter
    /// The value that the counter gets when the requested size is painted. Nil if no size was requested.
    var awaited: XSyncValue?

    /// Creates the synchronization with its counter; nil if the server has no SYNC counters.
    init?(_ display: Display) {
        guard display.hasCounters else { return nil }
        counter = XSyncCreateCounter(display.connection, XSyncValue(hi: 0, lo: 0))
        display.ownResources.insert(counter)
    }

    /// Stores the value that the window manager has sent for the next size.
    mutating func request(low: Int, high: Int) {
        awaited = XSyncValue(
            hi: Int32(truncatingIfNeeded: high), lo: UInt32(truncatingIfNeeded: low))
    }

    /// Destroys the counter, because the window is closed.
    func destroy(_ display: Display) {
        XSyncDestroyCounter(display.connection, counter)
        display.ownResources.free(counter)
    }

    /// Sets the counter to the stored value, because the size is painted.
    mutating func answer(_ display: Display) {
        guard let value = awaited else { return }
        awaited = nil
        XSyncSetCounter(display.connection, counter, value)
    }
}
