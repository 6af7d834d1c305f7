/// A pointer button, identified by X's number.
@frozen
public struct PointerButton: RawRepresentable, Hashable, Sendable {
    /// X's number of the button, from 1. Wheels (4…7) are reported as ``PointerEvent/Kind-swift.enum/scroll(_:)``
    /// instead.
    public let rawValue: UInt8

    /// Creates a button with X's number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The left button of a right-handed mouse.
    public static let primary = PointerButton(rawValue: 1)
    /// The middle button, which pastes PRIMARY.
    public static let middle = PointerButton(rawValue: 2)
    /// The right button of a right-handed mouse.
    public static let secondary = PointerButton(rawValue: 3)
}

/// An event of the pointer over a window.
public struct PointerEvent: Hashable, Sendable {
    /// The kind of a pointer event.
    public enum Kind: Hashable, Sendable {
        /// A button went down.
        case press(PointerButton)
        /// A button came up.
        case release(PointerButton)
        /// The pointer moved. If a button is down, this is a drag.
        case motion
        /// The pointer entered the window.
        case enter
        /// The pointer left the window.
        case leave
        /// A wheel was turned, or a touchpad was used. The vector is the distance to scroll, in wheel clicks;
        /// positive to the right and downwards.
        case scroll(Vector)
    }

    /// The kind of event.
    public var kind: Kind
    /// The pointer's position, in window pixels.
    public var location: WindowPoint
    /// The modifier keys that are down at the time of the event.
    public var modifiers: KeyModifiers
    /// Whether the primary button was down before the event.
    public var isPrimaryDown: Bool
    /// The X server's time in milliseconds.
    public var timestamp: UInt32

    /// Creates a pointer event with the given properties.
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
