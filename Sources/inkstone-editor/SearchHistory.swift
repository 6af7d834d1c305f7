/// The earlier search or replacement texts, for the Up and Down keys of a field. A value; the latest come last.
struct SearchHistory: Hashable {
    /// The maximum number of texts.
    static let limit = 50

    private(set) var texts: [String] = []
    /// The index of the text that the field shows; nil while it shows the user's own.
    private var index: Int?
    /// The text that the user had typed before the first step.
    private var draft = ""

    /// Adds a used text, once. The next step starts at it.
    mutating func note(_ text: String) {
        index = nil
        guard !text.isEmpty else { return }
        texts.removeAll { $0.utf8.elementsEqual(text.utf8) }
        texts.append(text)
        texts.removeFirst(max(0, texts.count - Self.limit))
    }

    /// Returns the text before or after the shown one, with the user's own text after the last; nil if there is none.
    ///
    /// - Parameter shown: the field's text. If it is not the last step's result, the steps start over.
    mutating func step(back: Bool, from shown: String) -> String? {
        if let at = index, !texts.indices.contains(at) || !texts[at].utf8.elementsEqual(shown.utf8) { index = nil }
        if index == nil { draft = shown }
        var next = index ?? texts.count
        repeat { next += back ? -1 : 1 } while texts.indices.contains(next) && index == nil && texts[next] == shown
        guard next >= 0, next <= texts.count, index != nil || back else { return nil }
        index = next < texts.count ? next : nil
        return index.map { texts[$0] } ?? draft
    }
}

/// The histories of both fields, shared by all windows.
final class SearchHistories {
    var find = SearchHistory()
    var replace = SearchHistory()
}
