/// Checks for numbers from outside the process: a clipboard, a drop, a journal, a settings file, a font.
extension Double {
    /// Returns the number, clamped to a range; `fallback` for one that is not a number.
    package func checked(in range: ClosedRange<Double>, else fallback: Double = 0) -> Double {
        isNaN ? fallback : Swift.min(Swift.max(range.lowerBound, self), range.upperBound)
    }
}

extension Int {
    /// A number rounded towards zero and clamped to a range; `fallback` for one that is not a number.
    package init(checking value: Double, in range: ClosedRange<Int>, else fallback: Int = 0) {
        self =
            value.isNaN
            ? fallback
            : value <= Double(range.lowerBound)
                ? range.lowerBound
                : value >= Double(range.upperBound) ? range.upperBound : Int(value)
    }
}
