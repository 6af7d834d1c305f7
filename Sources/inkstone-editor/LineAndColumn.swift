import Inkstone

/// Where a caret is, as a person counts: lines are those that newlines separate, columns are characters; both from 1.
struct LineAndColumn: Hashable {
    var line: Int
    var column: Int

    /// Columns before this one are counted as characters, those behind it as UTF-16 units: nobody reads them.
    static let readable = 2000

    /// Of an offset in UTF-16 units. O(log n) for n paragraphs: what is laid out knows which paragraph it is.
    init(of offset: UTF16Offset, in view: EditorView) {
        let text = view.store.text
        let start: UTF16Offset
        if let known = view.layout.laidParagraph(at: offset) {
            (line, start) = (known.index.value + 1, known.start)
        } else {
            let paragraph = text.paragraphIndex(at: offset)
            (line, start) = (paragraph.value + 1, text.utf16ContentRange(of: paragraph).lowerBound)
        }
        column = offset - start + 1
        guard column <= Self.readable else { return }
        let before = text.string(in: start..<offset)
        // A byte is a character where all are ASCII: no line has a CR and an LF before its end.
        column = 1 + (before.utf8.allSatisfy { $0 < 0x80 } ? before.utf8.count : before.count)
    }
}
