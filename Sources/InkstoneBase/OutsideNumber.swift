/// Checks of numbers that come from outside the process: from a clipboard, dragged data, a journal, a settings
/// file, a font.
extension Double {
    /// Returns the number clamped to a range; `fallback` if it is NaN.
    package func checked(in range: ClosedRange<Double>, else fallback: Double = 0) -> Double {
        isNaN ? fallback : Swift.min(Swift.max(range.lowerBound, self), range.upperBound)
    }
}

extension Int {
    /// Creates an integer from a floating-point number, rounded towards zero and clamped to a range; `fallback` for
    /// NaN.
    package init(checking value: Double, in range: ClosedRange<Int>, else fallback: Int = 0) {
        self =
            value.isNaN
            ? fallback
            : value <= Double(range.lowerBound)
                ? range.lowerBound
                : value >= Double(range.upperBound) ? range.upperBound : Int(value)
    }
}
