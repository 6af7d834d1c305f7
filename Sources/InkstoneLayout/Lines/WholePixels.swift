extension Int32 {
    /// Whole device pixels of a length or distance that somebody gave: rounded, and clamped to so many that sums of a
    /// paragraph's lines stay within 32 bits. What is no number is 0.
    init(pixels: Double) { self = Self(within: Self.mostPixels, pixels.rounded()) }

    /// A place of a document on a line's scale of 1/64 pixel, clamped so that its distance to any place on a line is within 32
    /// bits. What is no number is 0.
    init(sixtyFourths pixels: Double, _ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero) {
        self = Self(within: .max / 2, (pixels * 64).rounded(rule))
    }

    /// Above this no screen reaches, and no font that FreeType opens.
    private static let mostPixels: Int32 = 1 << 15

    private init(within limit: Int32, _ value: Double) {
        self = value.isNaN ? 0 : Int32(Swift.min(Swift.max(-Double(limit), value), Double(limit)))
    }
}
