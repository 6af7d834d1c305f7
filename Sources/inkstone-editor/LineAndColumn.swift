import Inkstone

/// The line and column of a caret, for the user, both counted from 1. Lines are separated by newlines; columns are
/// counted in characters.
struct LineAndColumn: Hashable {
    var line: Int
    var column: Int

    /// The column up to which characters are counted. Larger columns are counted in UTF-16 units, which is faster,
    /// because their exact number matters little.
    static let readable = 2000

    /// Creates the line and column of an offset in UTF-16 units. O(log n) for n paragraphs. Columns beyond
    /// ``readable`` are counted in UTF-16 units instead of characters.
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
        // In ASCII text each byte is a character: CR LF only occurs at the end of the line.
        column = 1 + (before.utf8.allSatisfy { $0 < 0x80 } ? before.utf8.count : before.count)
    }
}
