/// The identifier of a window on its X server: any client's window.
@frozen
public struct WindowID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The X identifier; 0 is no window.
    public let rawValue: UInt32

    /// Creates an identifier from X's number.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Creates an identifier from Xlib's wide form of the number, of which 29 bits are used.
    @inlinable
    public init(xid: UInt) { self.rawValue = UInt32(truncatingIfNeeded: xid) }

    /// Xlib's wide form of the number.
    @inlinable
    public var xid: UInt { UInt(rawValue) }

    /// The identifier as `0x…`, the form that X's tools print.
    public var description: String { "0x" + String(rawValue, radix: 16) }
}
