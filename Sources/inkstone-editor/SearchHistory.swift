/// Texts that were looked for, or put in place of what was found, for the Up and Down keys of a field. A value; the latest come last.
struct SearchHistory: Hashable {
    /// So many are remembered.
    static let limit = 50

    private(set) var texts: [String] = []
    /// The text that is shown in the field; nil while the user's own is.
    private var index: Int?
    /// The text that the user had typed before the first step.
    private var draft = ""

    /// Remembers a text that was used, once. The next step starts at it.
    mutating func note(_ text: String) {
        index = nil
        guard !text.isEmpty else { return }
        texts.removeAll { $0.utf8.elementsEqual(text.utf8) }
        texts.append(text)
        texts.removeFirst(max(0, texts.count - Self.limit))
    }

    /// The text before or after the one that a field shows, behind the last of them what the user had typed; nil if there is none.
    ///
    /// - Parameter shown: the field's text. If it is another than the last step gave, the steps begin anew.
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

/// The histories of both fields, which all windows have in common.
final class SearchHistories {
    var find = SearchHistory()
    var replace = SearchHistory()
}
