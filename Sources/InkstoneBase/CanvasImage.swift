/// An immutable image to paint. Images are identified by identity, so that a canvas sends each once.
public final class CanvasImage: Hashable, Sendable {
    /// Pixels to the right, 1…32,767.
    public let width: Int
    /// Pixels downwards, 1…32,767.
    public let height: Int
    /// Rows from the top without gaps: alpha in the highest byte, then red, green and blue, premultiplied.
    public let pixels: [UInt32]

    /// An image; nil if its extent is out of range, or it has another number of pixels.
    public init?(width: Int, height: Int, pixels: [UInt32]) {
        guard (1...32_767).contains(width), (1...32_767).contains(height), pixels.count == width * height else {
            return nil
        }
        (self.width, self.height, self.pixels) = (width, height, pixels)
    }

    /// Whether both are one object.
    public static func == (a: CanvasImage, b: CanvasImage) -> Bool { a === b }

    /// Hashes its identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
