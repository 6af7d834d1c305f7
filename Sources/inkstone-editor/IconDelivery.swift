import Inkstone

/// The schedule for sending a window's icon to the X server in several sizes.
///
/// Over a slow connection, an icon in transit delays the key after it: an icon of 128 pixels would take half a
/// second at 1 Mbit/s. So the smallest sizes, which lists of windows show, are sent first. The others are sent one
/// by one, each only when no event has happened for a while.
struct IconDelivery {
    /// The sizes still to be sent, in pixels; the sizes of a group are sent together.
    private(set) var rest: ArraySlice<[Int]> = [[16, 32], [48], [64]]
    /// The server time of the latest event at the previous check; nil before the first check.
    private var latest: UInt32?

    /// The time from showing a window to the first check, and the time between checks, in milliseconds.
    static let (delay, pause) = (300, 500)

    /// Returns the sizes to be sent now; empty if an event has happened since the previous check.
    ///
    /// - Parameter time: the server time of the latest event.
    mutating func next(at time: UInt32) -> [Int] {
        defer { latest = time }
        guard latest == nil || latest == time else { return [] }
        return rest.popFirst() ?? []
    }

    /// Sends the icon of a window after a delay: one group of sizes of ``rest``, then the next.
    func send(to window: Window, of display: Display, after milliseconds: Int = Self.delay) {
        display.schedule(afterMilliseconds: milliseconds) { [weak window, weak display] in
            guard let window, let display, !window.isClosed else { return }
            var delivery = self
            let sizes = delivery.next(at: display.latestTimestamp)
            window.addIcons(sizes.map(EditorIcon.picture(size:)))
            if !delivery.rest.isEmpty { delivery.send(to: window, of: display, after: Self.pause) }
        }
    }
}
