import InkstoneBase

/// The styles that the input method's server offers, the requests that it has refused, and the times of the next
/// attempts.
struct InputMethodOffer: Sendable {
    /// The style of showing compositions that is in use; nil before one is chosen.
    private(set) var style: InputMethodStyle?
    /// The offered styles, as Xlib's numbers. Styles in which the server has refused to make a context are left
    /// out.
    private var offered: [UInt] = []
    /// The windows for which the server refused to make a context, each with the time of the next attempt.
    private var unserved: [WindowID: Milliseconds] = [:]
    /// The number of times in a row that the server has refused to serve this program.
    private(set) var refusals = 0
    /// The time of the next attempt to use a server that has refused; nil for none.
    var retryAt: Milliseconds?

    /// Stores the offered styles and chooses the best. Returns false if none is usable.
    mutating func take(_ styles: [UInt], canLoadFontSet: () -> Bool) -> Bool {
        offered = styles
        return choose(canLoadFontSet)
    }

    /// Replaces the style in use, which the server has refused, by the next best one. Returns false if there is
    /// none.
    mutating func takeNext(canLoadFontSet: () -> Bool) -> Bool {
        guard let refused = style else { return false }
        offered.removeAll { InputMethodStyle.best(of: [$0]) { true }?.preedit == refused.preedit }
        return choose(canLoadFontSet)
    }

    private mutating func choose(_ canLoadFontSet: () -> Bool) -> Bool {
        style = .best(of: offered, canLoadFontSet: canLoadFontSet)
        return style != nil
    }

    /// Records that the server has made a context for a window.
    mutating func served(_ window: WindowID) {
        refusals = 0
        unserved[window] = nil
    }

    /// Records that the server refuses to make a context for this window, although it has made one for others.
    mutating func notServed(_ window: WindowID, at now: Milliseconds, _ timing: InputTiming) {
        unserved[window] = now + 10 * timing.retry
    }

    /// Whether the server has recently refused a context for this window.
    func isUnserved(_ window: WindowID, at now: Milliseconds) -> Bool { unserved[window].map { now < $0 } ?? false }

    mutating func forget(_ window: WindowID) { unserved[window] = nil }

    /// Records that the server serves none of our windows, and sets the time of the next attempt.
    mutating func refused(at now: Milliseconds, _ timing: InputTiming) {
        style = nil
        refusals += 1
        retryAt = now + timing.pause(after: refusals)
    }

    /// Resets the count of refusals, for a connection to another server.
    mutating func begin() { refusals = 0 }
}
