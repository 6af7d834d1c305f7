import Inkstone

/// A place in a text as the command line names it.
enum GotoTarget: Hashable {
    /// A paragraph and a column, both counted from 1.
    case line(Int, column: Int)
    /// A share of the text, 0…100.
    case percent(Double)

    /// Reads `LINE`, `LINE:COLUMN` or `PERCENT%`; nil for anything else.
    init?(_ text: String) {
        if text.hasSuffix("%") {
            guard let percent = Double(text.dropLast()), (0...100).contains(percent) else { return nil }
            self = .percent(percent)
            return
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard let line = parts.first ?? nil, line >= 1, parts.count <= 2 else { return nil }
        if parts.count == 2 {
            guard let column = parts[1], column >= 1 else { return nil }
            self = .line(line, column: column)
        } else {
            self = .line(line, column: 1)
        }
    }

    /// Whether it can be told where it is before the text is whole, of which this is the start.
    func isReached(by text: Rope) -> Bool {
        if case .line(let line, _) = self { line < text.paragraphCount } else { false }
    }

    /// The offset that is meant, in UTF-16 code units; clamped to the text. Columns are counted as ``LineAndColumn`` counts them.
    func offset(in text: Rope) -> UTF16Offset {
        switch self {
        case .percent(let percent):
            let byte = ByteOffset(Int(Double(text.metrics.bytes) * percent / 100))
            return text.roundedDown(toGrapheme: text.utf16Offset(at: byte))
        case .line(let line, let column):
            let paragraph = ParagraphIndex(min(line, text.paragraphCount) - 1)
            let content = text.utf16ContentRange(of: paragraph)
            guard column <= LineAndColumn.readable else {
                let offset = content.lowerBound.advanced(by: min(column - 1, content.count))
                return text.roundedDown(toGrapheme: offset)
            }
            var offset = content.lowerBound
            for _ in 1..<column where offset < content.upperBound { offset = text.graphemeBoundary(after: offset) }
            return min(offset, content.upperBound)
        }
    }
}
