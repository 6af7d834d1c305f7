import Inkstone

/// The line and column of a caret, for the user: lines are separated by newlines, columns are characters; both from 1.
struct LineAndColumn: Hashable {
    var line: Int
    var column: Int

    /// The column up to which characters are counted, and after which UTF-16 units are: exact numbers of that size are not read.
    static let readable = 2000

    /// The position of an offset in UTF-16 units. O(log n) for n paragraphs: the layout knows the paragraph of its lines.
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
        // In ASCII each byte is a character: CR LF occurs only at the end of a line.
        column = 1 + (before.utf8.allSatisfy { $0 < 0x80 } ? before.utf8.count : before.count)
    }
}
