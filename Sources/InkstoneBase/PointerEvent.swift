/// A pointer button by X's number.
@frozen
public struct PointerButton: RawRepresentable, Hashable, Sendable {
    /// X's number, from 1; wheels (4…7) come as ``PointerEvent/Kind-swift.enum/scroll(_:)`` instead.
    public let rawValue: UInt8

    /// Wraps X's number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The left button of a right-handed mouse.
    public static let primary = PointerButton(rawValue: 1)
    /// The middle button, which pastes PRIMARY.
    public static let middle = PointerButton(rawValue: 2)
    /// The right button of a right-handed mouse.
    public static let secondary = PointerButton(rawValue: 3)
}

/// Something that the pointer did over a window.
public struct PointerEvent: Hashable, Sendable {
    /// What happened.
    public enum Kind: Hashable, Sendable {
        /// A button went down.
        case press(PointerButton)
        /// A button came up.
        case release(PointerButton)
        /// The pointer moved; with a button down it is a drag.
        case motion
        /// The pointer came into the window.
        case enter
        /// The pointer left the window.
        case leave
        /// A wheel or a touchpad: the distance to scroll in wheel clicks, positive right and down.
        case scroll(Vector)
    }

    /// What happened.
    public var kind: Kind
    /// Where, in window pixels.
    public var location: WindowPoint
    /// Modifiers down when it happened.
    public var modifiers: KeyModifiers
    /// Whether the primary button was down before it happened.
    public var isPrimaryDown: Bool
    /// The X server's time in milliseconds.
    public var timestamp: UInt32

    /// A pointer event by its parts.
    public init(
        kind: Kind, location: WindowPoint, modifiers: KeyModifiers = [], isPrimaryDown: Bool = false,
        timestamp: UInt32 = 0
    ) {
        self.kind = kind
        self.location = location
        self.modifiers = modifiers
        self.isPrimaryDown = isPrimaryDown
        self.timestamp = timestamp
    }
}
