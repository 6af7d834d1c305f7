import InkstoneBase

/// What the server offers and refuses: in which style contexts are made, and when it is asked again.
struct InputMethodOffer: Sendable {
    /// The style in use.
    private(set) var style: InputMethodStyle?
    /// The styles on offer that no context has been refused in, as Xlib's numbers.
    private var offered: [UInt] = []
    /// Windows that the server made no context for, and when it is asked again.
    private var unserved: [WindowID: Milliseconds] = [:]
    /// How often the server has refused to serve us.
    private(set) var refusals = 0
    /// When it is asked again.
    var retryAt: Milliseconds?

    /// Takes what is on offer; false if it is of no use.
    mutating func take(_ styles: [UInt], canLoadFontSet: () -> Bool) -> Bool {
        offered = styles
        return choose(canLoadFontSet)
    }

    /// The style in use has been refused: takes the next best; false if there is none.
    mutating func takeNext(canLoadFontSet: () -> Bool) -> Bool {
        guard let refused = style else { return false }
        offered.removeAll { InputMethodStyle.best(of: [$0]) { true }?.preedit == refused.preedit }
        return choose(canLoadFontSet)
    }

    private mutating func choose(_ canLoadFontSet: () -> Bool) -> Bool {
        style = .best(of: offered, canLoadFontSet: canLoadFontSet)
        return style != nil
    }

    /// The server has made a context.
    mutating func served(_ window: WindowID) {
        refusals = 0
        unserved[window] = nil
    }

    /// The server makes none for this window, although others have theirs.
    mutating func notServed(_ window: WindowID, at now: Milliseconds, _ timing: InputTiming) {
        unserved[window] = now + 10 * timing.retry
    }

    /// Whether the server has refused this window a moment ago.
    func isUnserved(_ window: WindowID, at now: Milliseconds) -> Bool { unserved[window].map { now < $0 } ?? false }

    /// The window is gone.
    mutating func forget(_ window: WindowID) { unserved[window] = nil }

    /// The server serves nobody.
    mutating func refused(at now: Milliseconds, _ timing: InputTiming) {
        style = nil
        refusals += 1
        retryAt = now + timing.pause(after: refusals)
    }

    /// The server is gone: the next is another.
    mutating func begin() { refusals = 0 }
}
