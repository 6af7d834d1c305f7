/// The number of a window on its X server: any client's, also a foreign one.
@frozen
public struct WindowID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// X's number; 0 is no window.
    public let rawValue: UInt32

    /// Wraps X's number.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Wraps Xlib's wide form of the number, of which 29 bits are used.
    @inlinable
    public init(xid: UInt) { self.rawValue = UInt32(truncatingIfNeeded: xid) }

    /// Xlib's wide form of the number.
    @inlinable
    public var xid: UInt { UInt(rawValue) }

    /// `0x…`, as X's tools write it.
    public var description: String { "0x" + String(rawValue, radix: 16) }
}
