import InkstoneUnicode

/// The starts of all grapheme clusters in a paragraph's text, determined on first use.
final class GraphemeStarts {
    private let text: [UInt16]
    private let breaker: TextBreaker
    private var isStart: [Bool] = []
    private let isNarrow: Bool

    /// Creates the starts for a text. `isNarrow` means that no UTF-16 unit is above U+02FF, and the text has no CR LF,
    /// so that each unit is a cluster. `breaker` is used to find the clusters. It is used only within calls of
    /// ``contains(_:)``, and may therefore be shared.
    init(_ text: [UInt16], isNarrow: Bool, _ breaker: TextBreaker) {
        self.text = text
        self.isNarrow = isNarrow
        self.breaker = breaker
    }

    /// Returns whether a cluster starts at a UTF-16 unit; true for the end of the text. O(1), but O(n) the first time.
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
