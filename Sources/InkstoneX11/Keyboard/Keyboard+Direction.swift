import CX11
import InkstoneBase

extension Keyboard {
    /// Whether the active group of the layout types right-to-left letters (Arabic, Hebrew and others). The layout
    /// is queried only at the first use for each group. Possible changes are reported by
    /// ``Display/observeChanges(by:_:)``.
    public var isRightToLeft: Bool {
        let group = currentGroup
        if let known = directions[group] { return known }
        var letters = 0
        for keycode in 8...255 {
            let keysym = XkbKeycodeToKeysym(connection, KeyCode(keycode), Int32(group), 0)
            if Self.isLetterFromRightToLeft(Keysym(rawValue: UInt32(truncatingIfNeeded: keysym))) { letters += 1 }
        }
        // Ten letters are enough: some left-to-right layouts have a shekel sign or a directional mark, but not ten
        // right-to-left letters.
        directions[group] = letters >= 10
        return letters >= 10
    }

    /// Whether a keysym is a character of a right-to-left script.
    static func isLetterFromRightToLeft(_ keysym: Keysym) -> Bool {
        switch keysym.rawValue {
        // Hebrew and Arabic letters in the legacy keysym ranges.
        case 0xce0...0xcfa, 0x5c1...0x5f2: true
        case 0x100_0000...0x110_ffff:
            switch keysym.rawValue - 0x100_0000 {
            case 0x590...0x8ff, 0xfb1d...0xfdff, 0xfe70...0xfeff, 0x10800...0x10fff, 0x1e800...0x1efff: true
            default: false
            }
        default: false
        }
    }
}
