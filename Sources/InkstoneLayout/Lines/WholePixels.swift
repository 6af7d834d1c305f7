extension Int32 {
    /// Creates a whole number of device pixels from a caller's length, rounded and clamped so that sums over the
    /// lines of a fragment fit 32 bits. NaN becomes 0.
    init(pixels: Double) { self = Self(within: Self.mostPixels, pixels.rounded()) }

    /// Creates a number of 1/64 pixels from a document coordinate, clamped so that its distance to any position on a
    /// line fits 32 bits. NaN becomes 0.
    init(sixtyFourths pixels: Double, _ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero) {
        self = Self(within: .max / 2, (pixels * 64).rounded(rule))
    }

    /// The largest number of pixels. It is larger than any screen, and larger than any font that FreeType opens.
    private static let mostPixels: Int32 = 1 << 15

    private init(within limit: Int32, _ value: Double) {
        self = value.isNaN ? 0 : Int32(Swift.min(Swift.max(-Double(limit), value), Double(limit)))
    }
}
