/// Something that a finger did over a window that shows text.
public struct TouchEvent: Hashable, Sendable {
    /// What happened.
    public enum Phase: Hashable, Sendable {
        /// The finger came down.
        case began
        /// The finger moved.
        case moved
        /// The finger was lifted.
        case ended
        /// Nothing comes of it any more: what it was over is not seen.
        case cancelled
    }

    /// What happened.
    public var phase: Phase
    /// Tells fingers apart, from coming down to being lifted.
    public var id: UInt32
    /// Whether it stands in for the pointer where nobody knows of touch: the first of several fingers.
    public var isPointer: Bool
    /// Where, in window pixels.
    public var location: WindowPoint
    /// Modifiers down when it happened.
    public var modifiers: KeyModifiers
    /// The X server's time in milliseconds.
    public var timestamp: UInt32

    /// A touch event by its parts.
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

    /// The same of a pointer with its primary button; nil for all fingers but the first. A cancelled one is a motion with no button
    /// down, which ends a gesture without doing anything.
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
