import InkstoneBase

/// A character that is being typed by its code, as GTK has it: a `u` and hexadecimal digits, shown as marked text, until Space, Return or
/// letting go of Control or Shift ends it. A value: keys in, outcomes out.
package struct CharacterCodeEntry: Hashable, Sendable {
    /// What a key did.
    package enum Outcome: Hashable, Sendable {
        /// Nothing: the key is none of the entry's, which goes on.
        case passed
        /// The key is used up; ``text`` may be another now.
        case shown
        /// It is over, with the character to insert; nil if the digits name none, or it was given up.
        case ended(Unicode.Scalar?)
        /// It is over, without a character, by a key that does what it always does.
        case abandoned
    }

    /// The largest code has six digits; with some zeros in front of it there is no need for more.
    private static let mostDigits = 8
    /// XK_KP_Space, XK_KP_Enter, and XK_KP_0 with the nine that follow.
    private static let (keypadSpace, keypadEnter, keypadZero): (Keysym, Keysym, Keysym) = (0xff80, 0xff8d, 0xffb0)

    private var digits = ""
    /// Whether Control or Shift has been let go of before the first digit: then that ends nothing any more.
    private var isReleased = false

    /// An entry without digits, as it begins.
    package init() {}

    /// What is shown of it: a `u` and the digits.
    package var text: String { "u" + digits }

    /// The character that the digits name; nil for surrogates, numbers that are too large, and none.
    private var scalar: Unicode.Scalar? { UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) }

    /// Whether a key that goes down does something to the entry that it would not do elsewhere.
    ///
    /// - Parameter symbols: what else the key means, with and without Shift: with Control and Shift down, 1 is another symbol.
    package func isOwn(_ key: KeyEvent, symbols: [Keysym] = []) -> Bool {
        guard key.phase != .up, !key.keysym.isModifier else { return false }
        return Self.mayBeDigit(key) && Self.digit(of: key, symbols) != nil || Self.isEnd(key)
            || [.escape, .backSpace].contains(key.keysym)
    }

    /// Takes a key of any phase. For `symbols` see ``isOwn(_:symbols:)``.
    package mutating func take(_ key: KeyEvent, symbols: [Keysym] = []) -> Outcome {
        // XK_Shift_L, XK_Shift_R, XK_Control_L and XK_Control_R.
        if key.phase == .up, (0xffe1...0xffe4).contains(key.keysym.rawValue), !isReleased {
            guard digits.isEmpty else { return .ended(scalar) }
            isReleased = true
            return .passed
        }
        guard key.phase != .up, !key.keysym.isModifier else { return .passed }
        if key.keysym == .escape { return .ended(nil) }
        if key.keysym == .backSpace {
            guard digits.popLast() != nil else { return .ended(nil) }
            return .shown
        }
        if Self.isEnd(key) { return .ended(scalar) }
        guard Self.mayBeDigit(key), !key.keysym.isFunction || Self.digit(of: key, symbols) != nil else {
            return .abandoned
        }
        // Its release may have gone elsewhere.
        if key.modifiers.isDisjoint(with: [.control, .shift]) { isReleased = true }
        if let digit = Self.digit(of: key, symbols), digits.count < Self.mostDigits { digits.append(digit) }
        return .shown
    }

    /// Whether a key's modifiers are those that digits are typed with: none, Shift, or Control and Shift still held.
    private static func mayBeDigit(_ key: KeyEvent) -> Bool {
        let held = key.modifiers.intersection(.commanding)
        return held.isEmpty || held == .control && key.modifiers.contains(.shift)
    }

    private static func isEnd(_ key: KeyEvent) -> Bool {
        mayBeDigit(key) && [.space, .return, keypadSpace, keypadEnter].contains(key.keysym)
    }

    private static func digit(of key: KeyEvent, _ symbols: [Keysym]) -> Character? {
        for symbol in [key.keysym, key.latinKeysym] + symbols {
            let value = symbol.rawValue
            if (keypadZero.rawValue...keypadZero.rawValue + 9).contains(value) {
                return Character(Unicode.Scalar(UInt8(0x30 + value - keypadZero.rawValue)))
            }
            if value < 0x80, let digit = Unicode.Scalar(value).map(Character.init), digit.isHexDigit {
                return Character(digit.lowercased())
            }
        }
        return nil
    }
}
