import InkstoneBase

/// The typing of a character by its code, as in GTK. A `u` and hexadecimal digits are shown as marked text. Space,
/// Return or the release of Control or Shift ends the code. A value without side effects: it receives keys and returns
/// outcomes.
package struct CharacterCodeEntry: Hashable, Sendable {
    /// The effect of a key on the typing of a character code.
    package enum Outcome: Hashable, Sendable {
        /// The key does not belong to the character code; typing the code continues.
        case passed
        /// The key was consumed; ``text`` may have changed.
        case shown
        /// The character code has ended, with this character to insert. Nil if the digits are not a valid code, or
        /// if the code was cancelled.
        case ended(Unicode.Scalar?)
        /// The character code was ended without inserting a character, by a key that then has its usual effect.
        case abandoned
    }

    /// The maximum number of digits: the largest code has six, so two leading zeros are possible. Further digits are
    /// ignored.
    private static let mostDigits = 8
    /// The keysyms XK_KP_Space, XK_KP_Enter and XK_KP_0. The nine keysyms after XK_KP_0 are the other digits.
    private static let (keypadSpace, keypadEnter, keypadZero): (Keysym, Keysym, Keysym) = (0xff80, 0xff8d, 0xffb0)

    private var digits = ""
    /// Whether the release of Control or Shift no longer ends the code, because one of them was released before the
    /// first digit, or a key was pressed while neither was held.
    private var isReleased = false

    /// Creates a code without digits.
    package init() {}

    /// The marked text: a `u` and the digits.
    package var text: String { "u" + digits }

    /// The character of the code. Nil for surrogates, for codes that are too large, and without digits.
    private var scalar: Unicode.Scalar? { UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) }

    /// Returns whether a pressed key acts on the code: as a digit, as Backspace, or by ending or cancelling the
    /// code.
    ///
    /// - Parameter symbols: the other keysyms of the key, with and without Shift. They are needed because the
    ///   keysym of the key 1, for example, is not a digit while Control and Shift are held.
    package func isOwn(_ key: KeyEvent, symbols: [Keysym] = []) -> Bool {
        guard key.phase != .up, !key.keysym.isModifier else { return false }
        return Self.mayBeDigit(key) && Self.digit(of: key, symbols) != nil || Self.isEnd(key)
            || [.escape, .backSpace].contains(key.keysym)
    }

    /// Handles a key press, repetition or release. For `symbols` see ``isOwn(_:symbols:)``.
    package mutating func take(_ key: KeyEvent, symbols: [Keysym] = []) -> Outcome {
        // The keysyms XK_Shift_L, XK_Shift_R, XK_Control_L and XK_Control_R.
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
        // A key without these modifiers shows that both were released. Their release itself may have gone to
        // another window.
        if key.modifiers.isDisjoint(with: [.control, .shift]) { isReleased = true }
        if let digit = Self.digit(of: key, symbols), digits.count < Self.mostDigits { digits.append(digit) }
        return .shown
    }

    /// Whether a key's modifiers are valid for digits. They are if none of Control, Alt and Super is held, or
    /// Control and Shift without Alt and Super.
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
