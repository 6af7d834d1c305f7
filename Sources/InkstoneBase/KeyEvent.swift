/// A key symbol: X11's keysym number (`<X11/keysymdef.h>`), which identifies the meaning of a key in the current layout.
@frozen
public struct Keysym: Hashable, Sendable, RawRepresentable, ExpressibleByIntegerLiteral {
    /// X11's number; 0 is no symbol.
    public let rawValue: UInt32

    /// Wraps X11's number.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Wraps X11's number.
    @inlinable
    public init(integerLiteral value: UInt32) { self.rawValue = value }

    /// Whether the symbol itself types nothing: it is not from Latin-1, an older alphabet or Unicode.
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

/// The modifiers that are down with a key or a button, by meaning rather than by X's modifier bit.
@frozen
public struct KeyModifiers: OptionSet, Hashable, Sendable {
    /// The set as bits of this type's own.
    public let rawValue: UInt16

    /// A set by its bits.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Shift.
    public static let shift = KeyModifiers(rawValue: 1 << 0)
    /// Caps Lock is on.
    public static let capsLock = KeyModifiers(rawValue: 1 << 1)
    /// Control.
    public static let control = KeyModifiers(rawValue: 1 << 2)
    /// Alt (or Meta).
    public static let alt = KeyModifiers(rawValue: 1 << 3)
    /// Num Lock is on.
    public static let numLock = KeyModifiers(rawValue: 1 << 4)
    /// Super (the logo key).
    public static let `super` = KeyModifiers(rawValue: 1 << 5)
    /// The third-level chooser (AltGr).
    public static let level3 = KeyModifiers(rawValue: 1 << 6)

    /// The modifiers that make a key a shortcut: Control, Alt and Super.
    public static let commanding: KeyModifiers = [.control, .alt, .super]
}

/// The position of a key in the order of all user events: answers of the input method refer to their key by it.
///
/// Tickets grow with each key handed out and are never used again.
@frozen
public struct KeyTicket: Hashable, Comparable, Sendable {
    /// Position in the order of keys; starts at 1.
    public let rawValue: UInt64

    /// Wraps a position.
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Whether a key comes before another.
    @inlinable
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// A key pressed, repeated or released, translated with the keyboard layout at the time of the event.
public struct KeyEvent: Hashable, Sendable {
    /// Whether the key went down, repeats while held, or came up.
    public enum Phase: Hashable, Sendable {
        /// Went down.
        case down
        /// Is held and repeats.
        case `repeat`
        /// Came up.
        case up
    }

    /// Down, repeat or up.
    public var phase: Phase
    /// X's keycode, 8…255: the physical key. 0 only for events that no key made.
    public var keycode: UInt8
    /// The meaning of the key with its modifiers in the current layout.
    public var keysym: Keysym
    /// The meaning of the key in the layout's Latin group without Shift's effect on letters undone: for shortcuts on
    /// non-Latin layouts. Equal to ``keysym`` on Latin layouts.
    public var latinKeysym: Keysym
    /// The text that the key types by itself: empty for function keys; never a control character for Ctrl+letter.
    public var characters: String
    /// Modifiers down when it happened.
    public var modifiers: KeyModifiers
    /// The X server's time, in milliseconds, which wraps around after 49 days; 0 if unknown.
    public var timestamp: UInt32

    /// A key event by its parts.
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
