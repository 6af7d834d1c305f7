/// An immutable image to paint. Two images are equal only if they are the same object, so that a canvas can
/// keep each in the server.
public final class CanvasImage: Hashable, Sendable {
    /// Width in pixels, 1…32,767.
    public let width: Int
    /// Height in pixels, 1…32,767.
    public let height: Int
    /// The pixels, row by row from the top, without gaps. Each has alpha in the highest byte, then red, green and
    /// blue, premultiplied.
    public let pixels: [UInt32]

    /// Creates an image; nil if its width or height is out of range, or if the number of pixels does not fit them.
    public init?(width: Int, height: Int, pixels: [UInt32]) {
        guard (1...32_767).contains(width), (1...32_767).contains(height), pixels.count == width * height else {
            return nil
        }
        (self.width, self.height, self.pixels) = (width, height, pixels)
    }

    /// Whether both images are the same object.
    public static func == (a: CanvasImage, b: CanvasImage) -> Bool { a === b }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
