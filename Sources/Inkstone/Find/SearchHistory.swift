/// The texts that a search or replacement field had before, for its Up and Down keys; the latest text is the last.
package struct SearchHistory: Hashable {
    /// The maximum number of texts in the history; the oldest ones are dropped.
    package static let limit = 50

    package private(set) var texts: [String] = []
    /// The index of the text that the field shows; nil while it shows the text that the user typed.
    private var index: Int?
    /// The text that the user had typed in the field before the first step.
    private var draft = ""

    /// Creates an empty history.
    package init() {}

    /// Adds a text, because it was used, at the end; an empty text is not added. An earlier equal text is removed, and
    /// if there are too many texts, the oldest one is. The next step begins at the latest text.
    package mutating func note(_ text: String) {
        index = nil
        guard !text.isEmpty else { return }
        texts.removeAll { $0.utf8.elementsEqual(text.utf8) }
        texts.append(text)
        texts.removeFirst(max(0, texts.count - Self.limit))
    }

    /// Returns the previous or the next text of the history; the text that the user typed comes after the last. Nil
    /// if there is none.
    ///
    /// - Parameter shown: the text in the field. If it is not the result of the last step, stepping begins at the
    ///   latest text again.
    package mutating func step(back: Bool, from shown: String) -> String? {
        if let at = index, !texts.indices.contains(at) || !texts[at].utf8.elementsEqual(shown.utf8) { index = nil }
        if index == nil { draft = shown }
        var next = index ?? texts.count
        repeat { next += back ? -1 : 1 } while texts.indices.contains(next) && index == nil && texts[next] == shown
        guard next >= 0, next <= texts.count, index != nil || back else { return nil }
        index = next < texts.count ? next : nil
        return index.map { texts[$0] } ?? draft
    }
}

/// The search histories of the two fields of the find bar, which an editor shares among its windows.
package final class SearchHistories {
    var find = SearchHistory()
    var replace = SearchHistory()

    /// Creates empty histories.
    package init() {}
}
