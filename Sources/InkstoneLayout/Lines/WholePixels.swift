extension Int32 {
    /// Converts a length given by a caller to whole device pixels: rounds it and clamps it so that sums over a
    /// paragraph's lines fit 32 bits. NaN becomes 0.
    init(pixels: Double) { self = Self(within: Self.mostPixels, pixels.rounded()) }

    /// Converts a document coordinate to 1/64 pixel, clamped so that its distance to any position on a line fits 32
    /// bits. NaN becomes 0.
    init(sixtyFourths pixels: Double, _ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero) {
        self = Self(within: .max / 2, (pixels * 64).rounded(rule))
    }

    /// The largest number of pixels. It is larger than any screen, and larger than any font that FreeType opens.
    private static let mostPixels: Int32 = 1 << 15

    private init(within limit: Int32, _ value: Double) {
        self = value.isNaN ? 0 : Int32(Swift.min(Swift.max(-Double(limit), value), Double(limit)))
    }
}
