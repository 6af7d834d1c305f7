import Inkstone

/// A target for the caret in a document, from the command line, from the user, or from the last session.
enum GotoTarget: Hashable {
    /// A line (paragraph) and a column, both counted from 1.
    case line(Int, column: Int)
    /// A percentage of the document's bytes, from 0 to 100.
    case percent(Double)
    /// The caret and the first visible line of the last session, clamped to the document.
    case place(RecentFiles.Place)

    /// Creates a target from `LINE`, `LINE:COLUMN` or `PERCENT%`; nil for anything else. The digits may be of any
    /// script.
    init?(_ typed: String) {
        let text = Self.withLatinDigits(typed)
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

    /// Returns a text in which the decimal digits of other scripts are replaced by ASCII digits, and the Arabic
    /// percent sign by “%”.
    private static func withLatinDigits(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let digit = scalar.properties.numericType == .decimal ? scalar.properties.numericValue : nil
            result.append(digit.map { Unicode.Scalar(UInt8(48 + $0)) } ?? (scalar == "\u{66a}" ? "%" : scalar))
        }
        return String(result)
    }

    /// Whether the text, which is the first part of a file, is long enough to contain the target. False for a
    /// percentage, for which the whole file is needed.
    func isReached(by text: Rope) -> Bool {
        switch self {
        case .line(let line, _): line < text.paragraphCount
        case .place(let place): max(place.caret, place.top) < text.utf16Range.upperBound
        case .percent: false
        }
    }

    /// Returns the offset of the target in UTF-16 units, clamped to the text. Columns are counted as by
    /// ``LineAndColumn``.
    func offset(in text: Rope) -> UTF16Offset {
        switch self {
        case .percent(let percent):
            let byte = ByteOffset(Int(Double(text.metrics.bytes) * percent / 100))
            return text.roundedDown(toGrapheme: text.utf16Offset(at: byte))
        case .place(let place): return text.roundedDown(toGrapheme: min(place.caret, text.utf16Range.upperBound))
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
