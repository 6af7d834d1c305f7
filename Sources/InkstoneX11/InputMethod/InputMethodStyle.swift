/// A style of showing the composition. It is Xlib's `XIMStyle`, limited to the pairs of values that are used here
/// (Xlib, chapter 13.2.1).
package struct InputMethodStyle: Hashable, Sendable, CustomStringConvertible {
    /// A way to show the preedit.
    package enum Preedit: UInt, Hashable, Sendable, CaseIterable {
        /// Inline: the server sends the preedit and the client draws it.
        case callbacks = 0x0002
        /// The server draws the preedit over the text, at the spot.
        case position = 0x0004
        /// The server draws the preedit in a window of its own, perhaps near the spot.
        case nothing = 0x0008
        /// The preedit is not shown.
        case none = 0x0010
    }

    /// The way to show the preedit.
    package let preedit: Preedit
    /// Xlib's number of the whole style.
    package let rawValue: UInt

    // StatusNothing, StatusNone, StatusCallbacks: the program never draws the status.
    private static let statuses: [UInt] = [0x0400, 0x0800, 0x0200]

    private init(_ preedit: Preedit, status: UInt) {
        self.preedit = preedit
        rawValue = preedit.rawValue | status
    }

    /// Returns the best of the offered styles, which are Xlib's numbers in any order. Nil if none is usable.
    ///
    /// - Parameter canLoadFontSet: called only if the style “preedit position” is the best on offer, because that
    ///   style requires a font set.
    package static func best(of offered: [UInt], canLoadFontSet: () -> Bool) -> InputMethodStyle? {
        for preedit in Preedit.allCases {
            for status in statuses where offered.contains(preedit.rawValue | status) {
                if preedit == .position, !canLoadFontSet() { break }
                return InputMethodStyle(preedit, status: status)
            }
        }
        return nil
    }

    /// The way to show the preedit in a word or two, for a status line.
    package var description: String {
        switch preedit {
        case .callbacks: "inline"
        case .position: "over the text"
        case .nothing: "separate window"
        case .none: "not shown"
        }
    }
}
