/// The identifier of a window of any client on an X server.
@frozen
public struct WindowID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The X identifier; 0 means no window.
    public let rawValue: UInt32

    /// Creates an identifier from X's number.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Creates an identifier from Xlib's type for identifiers. That is a C long, of which 29 bits are used.
    @inlinable
    public init(xid: UInt) { self.rawValue = UInt32(truncatingIfNeeded: xid) }

    /// The identifier in Xlib's type, a C long.
    @inlinable
    public var xid: UInt { UInt(rawValue) }

    /// The identifier as `0x…`, as X's tools print it.
    public var description: String { "0x" + String(rawValue, radix: 16) }
}
