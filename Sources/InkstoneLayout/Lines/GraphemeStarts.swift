import InkstoneUnicode

/// The starts of the grapheme clusters of a paragraph's text, all determined on first use.
final class GraphemeStarts {
    private let text: [UInt16]
    private let breaker: TextBreaker
    private var isStart: [Bool] = []
    private let isNarrow: Bool

    /// Creates the starts of a text. `isNarrow` states that no unit is above U+02FF, so that each is a cluster. `breaker` finds graphemes; it
    /// is used only briefly and may be shared.
    init(_ text: [UInt16], isNarrow: Bool, _ breaker: TextBreaker) {
        self.text = text
        self.isNarrow = isNarrow
        self.breaker = breaker
    }

    /// Returns whether a cluster starts at a unit, or the text ends there. O(1); the first time O(n).
    func contains(_ unit: Int) -> Bool {
        if isNarrow { return true }
        if isStart.isEmpty { find() }
        return isStart[unit]
    }

    private func find() {
        isStart = Array(repeating: false, count: text.count + 1)
        isStart[0] = true
        breaker.setText(text)
        var at = 0
        while let next = breaker.following(at) {
            isStart[next] = true
            at = next
        }
    }
}
