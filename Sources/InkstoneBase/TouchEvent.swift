/// An event of a finger over a window that shows text.
public struct TouchEvent: Hashable, Sendable {
    /// The phase of a touch.
    public enum Phase: Hashable, Sendable {
        /// The finger came down.
        case began
        /// The finger moved.
        case moved
        /// The finger was lifted.
        case ended
        /// The touch no longer counts, because its window is no longer visible.
        case cancelled
    }

    /// The phase of the touch.
    public var phase: Phase
    /// A number that identifies the finger from coming down to being lifted.
    public var id: UInt32
    /// Whether the touch acts as the pointer in views that do not handle touch. True only for the first of several
    /// fingers.
    public var isPointer: Bool
    /// The finger's position, in window pixels.
    public var location: WindowPoint
    /// The modifier keys that are down at the time of the event.
    public var modifiers: KeyModifiers
    /// The X server's time in milliseconds.
    public var timestamp: UInt32

    /// Creates a touch event with the given properties.
    public init(
        _ phase: Phase, id: UInt32 = 1, isPointer: Bool = true, location: WindowPoint, modifiers: KeyModifiers = [],
        timestamp: UInt32 = 0
    ) {
        self.phase = phase
        self.id = id
        self.isPointer = isPointer
        self.location = location
        self.modifiers = modifiers
        self.timestamp = timestamp
    }

    /// The touch as an event of the pointer with its primary button; nil for all fingers but the first. A cancelled
    /// touch becomes a motion with no button down, which ends a gesture without an action.
    public var pointerEvent: PointerEvent? {
        guard isPointer else { return nil }
        let kind: PointerEvent.Kind =
            switch phase {
            case .began: .press(.primary)
            case .moved, .cancelled: .motion
            case .ended: .release(.primary)
            }
        return PointerEvent(
            kind: kind, location: location, modifiers: modifiers, isPrimaryDown: phase == .moved || phase == .ended,
            timestamp: timestamp)
    }
}
