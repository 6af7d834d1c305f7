/// A key of the fixed layout tests type with: the plain American one that Xvfb starts with (pc105, evdev keycodes).
package struct TestKey: Hashable, Sendable {
    /// X's keycode.
    package let keycode: UInt8
    /// Whether Shift is needed for the character meant.
    package let shift: Bool

    /// A key by its keycode.
    package init(_ keycode: UInt8, shift: Bool = false) {
        self.keycode = keycode
        self.shift = shift
    }

    package static let escape = TestKey(9)
    package static let backspace = TestKey(22)
    package static let tab = TestKey(23)
    package static let enter = TestKey(36)
    package static let leftControl = TestKey(37)
    package static let leftShift = TestKey(50)
    package static let leftAlt = TestKey(64)
    package static let space = TestKey(65)
    package static let f1 = TestKey(67)
    package static let f9 = TestKey(75)
    /// F10.
    package static let f10 = TestKey(76)
    package static let home = TestKey(110)
    package static let up = TestKey(111)
    package static let pageUp = TestKey(112)
    package static let left = TestKey(113)
    package static let right = TestKey(114)
    package static let end = TestKey(115)
    package static let down = TestKey(116)
    package static let pageDown = TestKey(117)
    package static let insert = TestKey(118)
    package static let delete = TestKey(119)

    /// The key that types `character` on an American keyboard: printable ASCII, newline (Enter) and tab; nil for others.
    package init?(typing character: Character) {
        switch character {
        case "\n": self = .enter
        case "\t": self = .tab
        case " ": self = .space
        default:
            for (first, plain, shifted) in Self.rows {
                if let place = plain.firstIndex(of: character) {
                    self.init(first + UInt8(plain.distance(from: plain.startIndex, to: place)))
                    return
                }
                if let place = shifted.firstIndex(of: character) {
                    let column = shifted.distance(from: shifted.startIndex, to: place)
                    self.init(first + UInt8(column), shift: true)
                    return
                }
            }
            return nil
        }
    }

    private static let rows: [(first: UInt8, plain: String, shifted: String)] = [
        (10, "1234567890-=", "!@#$%^&*()_+"),
        (24, "qwertyuiop[]", "QWERTYUIOP{}"),
        (38, "asdfghjkl;'`", "ASDFGHJKL:\"~"),
        (51, "\\zxcvbnm,./", "|ZXCVBNM<>?"),
    ]
}
