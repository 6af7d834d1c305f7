import Inkstone

/// Which sizes of a window's picture are sent when.
///
/// Over a slow link a size that is on its way holds up the key behind it. So the smallest, which lists of windows show, go first, and
/// each of the others once nothing has happened for a while. One of 128 pixels would take half a second of 1 Mbit/s.
struct IconDelivery {
    /// Sizes in pixels that go together.
    private(set) var rest: ArraySlice<[Int]> = [[16, 32], [48], [64]]
    /// The server's time of the latest event when it was asked before.
    private var latest: UInt32?

    /// Milliseconds from a window's being seen to the first question, and from each question to the next.
    static let (delay, pause) = (300, 500)

    /// The sizes to be sent now; none if something has happened since the question before.
    ///
    /// - Parameter time: the server's time of the latest event.
    mutating func next(at time: UInt32) -> [Int] {
        defer { latest = time }
        guard latest == nil || latest == time else { return [] }
        return rest.popFirst() ?? []
    }

    /// Sends a window its picture, a part at a time.
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
