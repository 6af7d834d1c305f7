/// A key symbol: X11's keysym number (`<X11/keysymdef.h>`). It stands for the meaning of a key in the current
/// layout.
@frozen
public struct Keysym: Hashable, Sendable, RawRepresentable, ExpressibleByIntegerLiteral {
    /// X11's number of the key symbol; 0 for no symbol.
    public let rawValue: UInt32

    /// Creates a key symbol with X11's number.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Creates a key symbol with X11's number.
    @inlinable
    public init(integerLiteral value: UInt32) { self.rawValue = value }

    /// Whether the symbol stands for a function instead of a character of Latin-1, an older alphabet or Unicode. Also
    /// true for the digits and signs of the keypad, although they type text.
    public var isFunction: Bool {
        !((1..<0xfd00).contains(rawValue) || (0x100_0100...0x110_ffff).contains(rawValue))
    }

    /// Whether the symbol only changes the meaning of other keys (Shift, Control, locks, level choosers).
    public var isModifier: Bool {
        switch rawValue {
        case 0xffe1...0xffee, 0xfe01...0xfe13, 0xff7e, 0xff7f: true
        default: false
        }
    }
}

/// The modifier keys that are down during a key or button event, by their meaning rather than by X's modifier bits.
@frozen
public struct KeyModifiers: OptionSet, Hashable, Sendable {
    /// The set as bits, which are not X's.
    public let rawValue: UInt16

    /// Creates a set of modifier keys with the given bits.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The Shift key is down.
    public static let shift = KeyModifiers(rawValue: 1 << 0)
    /// Caps Lock is on.
    public static let capsLock = KeyModifiers(rawValue: 1 << 1)
    /// The Control key is down.
    public static let control = KeyModifiers(rawValue: 1 << 2)
    /// The Alt (or Meta) key is down.
    public static let alt = KeyModifiers(rawValue: 1 << 3)
    /// Num Lock is on.
    public static let numLock = KeyModifiers(rawValue: 1 << 4)
    /// The Super key (the logo key) is down.
    public static let `super` = KeyModifiers(rawValue: 1 << 5)
    /// The third-level chooser (AltGr) is down.
    public static let level3 = KeyModifiers(rawValue: 1 << 6)

    /// The modifiers that make a key a shortcut: Control, Alt and Super.
    public static let commanding: KeyModifiers = [.control, .alt, .super]
}

/// The position of a key in the order of all user events. Answers of the input method name their key by its ticket.
///
/// Each key gets a greater ticket than the one before, and no ticket is used twice.
@frozen
public struct KeyTicket: Hashable, Comparable, Sendable {
    /// The number of the ticket, counted from 1.
    public let rawValue: UInt64

    /// Creates a key's ticket with a number.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Whether the key of one ticket comes before the key of another.
    @inlinable
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// A key press, repetition or release, translated with the keyboard layout at the time of the event.
public struct KeyEvent: Hashable, Sendable {
    /// The kind of a key event.
    public enum Phase: Hashable, Sendable {
        /// The key went down.
        case down
        /// The key is held and repeats.
        case `repeat`
        /// The key came up.
        case up
    }

    /// The kind of event: down, repeat or up.
    public var phase: Phase
    /// X's keycode, 8…255, which identifies the physical key; 0 only for events that no key caused.
    public var keycode: UInt8
    /// The meaning of the key with its modifiers in the current layout.
    public var keysym: Keysym
    /// The meaning of the key for shortcuts. Equal to ``keysym`` for function keys and Latin-1 characters. For other
    /// characters, the meaning in the first keyboard group in which the key is an ASCII character, or else that on a
    /// US keyboard.
    public var latinKeysym: Keysym
    /// The text that the keysym types by itself; empty for keys such as Return and the arrows. With Control, the
    /// letter, not a control character.
    public var characters: String
    /// The modifier keys that are down at the time of the event.
    public var modifiers: KeyModifiers
    /// The X server's time, in milliseconds, which wraps around after 49 days; 0 if unknown.
    public var timestamp: UInt32

    /// Creates a key event with the given properties.
    public init(
        phase: Phase = .down, keycode: UInt8 = 0, keysym: Keysym, latinKeysym: Keysym? = nil,
        characters: String = "", modifiers: KeyModifiers = [], timestamp: UInt32 = 0
    ) {
        self.phase = phase
        self.keycode = keycode
        self.keysym = keysym
        self.latinKeysym = latinKeysym ?? keysym
        self.characters = characters
        self.modifiers = modifiers
        self.timestamp = timestamp
    }
}
