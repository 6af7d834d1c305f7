import Inkstone

/// The encodings to choose from, as far as a label of theirs has what was typed, and the one that is chosen. A value.
struct EncodingChoices {
    /// The encodings, in the order in which they are shown; empty if there is none of what was typed.
    private(set) var encodings: [TextEncoding]
    /// The place of the one that is chosen among them.
    private(set) var chosen: Int
    private let current: TextEncoding

    /// All that the WHATWG has, with the present one chosen.
    init(current: TextEncoding) {
        self.current = current
        encodings = TextEncoding.standard
        chosen = encodings.firstIndex(of: current) ?? 0
    }

    /// Leaves those with a label that contains a text, first what has just that label or name; all for the present encoding's name.
    mutating func filter(_ text: String) {
        guard text != current.description else { return self = EncodingChoices(current: current) }
        encodings = TextEncoding.standard(matching: text)
        chosen = 0
        guard let named = TextEncoding(named: text), !encodings.contains(named) else { return }
        encodings.insert(named, at: 0)
    }

    /// Chooses the one so many places further down, or the first or last.
    mutating func move(by count: Int) { chosen = max(0, min(encodings.count - 1, chosen + count)) }

    /// The one that is chosen; nil if there is none.
    var encoding: TextEncoding? { encodings.indices.contains(chosen) ? encodings[chosen] : nil }

    /// Range of the encodings that are shown where there is room for `count`; the chosen one is among them.
    func visible(_ count: Int) -> Range<Int> {
        let count = min(count, encodings.count)
        let first = max(0, min(chosen - count / 2, encodings.count - count))
        return first..<first + count
    }
}
