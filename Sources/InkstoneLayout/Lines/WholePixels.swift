extension Int32 {
    /// Converts a length or distance from outside to whole device pixels: rounded, and clamped so that sums over a
    /// paragraph's lines stay within 32 bits. NaN becomes 0.
    init(pixels: Double) { self = Self(within: Self.mostPixels, pixels.rounded()) }

    /// Converts a coordinate of a document to a line's scale of 1/64 pixel, clamped so that its distance to any position on a line is within 32
    /// bits. NaN becomes 0.
    init(sixtyFourths pixels: Double, _ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero) {
        self = Self(within: .max / 2, (pixels * 64).rounded(rule))
    }

    /// Largest number of pixels: beyond any screen, and beyond any font that FreeType opens.
    private static let mostPixels: Int32 = 1 << 15

    private init(within limit: Int32, _ value: Double) {
        self = value.isNaN ? 0 : Int32(Swift.min(Swift.max(-Double(limit), value), Double(limit)))
    }
}
