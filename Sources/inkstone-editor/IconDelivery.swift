import Inkstone

/// The schedule for sending the sizes of a window's icon.
///
/// Over a slow link a size in transit delays the key behind it. So the smallest, which window lists show, are sent first, and
/// each of the others once no event has happened for a while. One of 128 pixels would take half a second at 1 Mbit/s.
struct IconDelivery {
    /// The remaining sizes in pixels, in groups that are sent together.
    private(set) var rest: ArraySlice<[Int]> = [[16, 32], [48], [64]]
    /// The server time of the latest event at the previous check.
    private var latest: UInt32?

    /// The time from showing a window to the first check, and between checks, in milliseconds.
    static let (delay, pause) = (300, 500)

    /// Returns the sizes to be sent now; none if an event has happened since the previous check.
    ///
    /// - Parameter time: the server time of the latest event.
    mutating func next(at time: UInt32) -> [Int] {
        defer { latest = time }
        guard latest == nil || latest == time else { return [] }
        return rest.popFirst() ?? []
    }

    /// Sends the icon of a window, one group at a time.
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
