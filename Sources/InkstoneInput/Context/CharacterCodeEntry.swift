import InkstoneBase

/// The entry of a character by its code, as in GTK: a `u` and hexadecimal digits, shown as marked text, until Space, Return or
/// the release of Control or Shift ends it. A value: keys in, outcomes out.
package struct CharacterCodeEntry: Hashable, Sendable {
    /// The effect of a key on the entry.
    package enum Outcome: Hashable, Sendable {
        /// The key is not the entry's; the entry continues.
        case passed
        /// The key was used; ``text`` may have changed.
        case shown
        /// The entry has ended with this character to insert; nil if the digits are not a valid code, or it was cancelled.
        case ended(Unicode.Scalar?)
        /// The entry has ended without a character, by a key that keeps its usual effect.
        case abandoned
    }

    /// The maximum number of digits: the largest code has six, so there is room for some leading zeros.
    private static let mostDigits = 8
    /// The keysyms XK_KP_Space, XK_KP_Enter, and XK_KP_0 with the nine that follow.
    private static let (keypadSpace, keypadEnter, keypadZero): (Keysym, Keysym, Keysym) = (0xff80, 0xff8d, 0xffb0)

    private var digits = ""
    /// Whether Control or Shift was released before the first digit: then a release ends nothing any more.
    private var isReleased = false

    /// Creates an entry without digits.
    package init() {}

    /// The marked text of the entry: a `u` and the digits.
    package var text: String { "u" + digits }

    /// The character of the code; nil for surrogates, codes that are too large, and no digits.
    private var scalar: Unicode.Scalar? { UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) }

    /// Whether a pressed key has an effect on the entry that it would not have elsewhere.
    ///
    /// - Parameter symbols: the other symbols of the key, with and without Shift: with Control and Shift down, 1 is another symbol.
    package func isOwn(_ key: KeyEvent, symbols: [Keysym] = []) -> Bool {
        guard key.phase != .up, !key.keysym.isModifier else { return false }
        return Self.mayBeDigit(key) && Self.digit(of: key, symbols) != nil || Self.isEnd(key)
            || [.escape, .backSpace].contains(key.keysym)
    }

    /// Handles a key of any phase. For `symbols` see ``isOwn(_:symbols:)``.
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
        // The release of Control or Shift may have gone to another window.
        if key.modifiers.isDisjoint(with: [.control, .shift]) { isReleased = true }
        if let digit = Self.digit(of: key, symbols), digits.count < Self.mostDigits { digits.append(digit) }
        return .shown
    }

    /// Whether a key's modifiers are valid for digits: none, Shift, or Control and Shift still held.
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
