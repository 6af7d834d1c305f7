import CX11
import InkstoneBase

extension Keyboard {
    /// Whether the active group types letters that are written from right to left (Arabic, Hebrew and others). Asks the
    /// server the first time only; ``Display/observeChanges(by:_:)`` reports possible changes.
    public var isRightToLeft: Bool {
        let group = currentGroup
        if let known = directions[group] { return known }
        var letters = 0
        for keycode in 8...255 {
            let keysym = XkbKeycodeToKeysym(connection, KeyCode(keycode), Int32(group), 0)
            if Self.isLetterFromRightToLeft(Keysym(rawValue: UInt32(truncatingIfNeeded: keysym))) { letters += 1 }
        }
        // Some layouts have a shekel or a directional mark; none has ten such letters by chance.
        directions[group] = letters >= 10
        return letters >= 10
    }

    /// Whether a keysym stands for a letter of a script that is written from right to left.
    static func isLetterFromRightToLeft(_ keysym: Keysym) -> Bool {
        switch keysym.rawValue {
        // Hebrew and Arabic in the legacy keysym ranges.
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
