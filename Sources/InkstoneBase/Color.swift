/// A colour: sRGB components and opacity, each 0…255, not premultiplied.
@frozen
public struct Color: Hashable, Sendable {
    /// Red, 0…255.
    public var red: UInt8
    /// Green, 0…255.
    public var green: UInt8
    /// Blue, 0…255.
    public var blue: UInt8
    /// Opacity, 0 (clear) … 255 (opaque).
    public var alpha: UInt8

    /// Creates a colour from its components, each 0…255.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// Creates an opaque colour from a number `0xRRGGBB`.
    public init(rgb: UInt32) {
        self.init(red: UInt8(rgb >> 16 & 0xff), green: UInt8(rgb >> 8 & 0xff), blue: UInt8(rgb & 0xff))
    }

    /// Opaque black.
    public static let black = Color(rgb: 0)
    /// Opaque white.
    public static let white = Color(rgb: 0xffffff)
    /// Fully transparent.
    public static let clear = Color(red: 0, green: 0, blue: 0, alpha: 0)

    /// Returns the same colour with another opacity, 0…255.
    public func withAlpha(_ alpha: UInt8) -> Color {
        Color(red: red, green: green, blue: blue, alpha: alpha)
    }
}
