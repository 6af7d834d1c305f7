import InkstoneBase
public import InkstoneText

extension EditorConfig {
    /// The maximum size, in bytes, of a text that is tidied at a save. A larger text is saved as it is, because tidying
    /// reads the whole text.
    private static let mostTidied = 4 << 20

    /// Returns the changes that these properties require before a text is saved. They remove blanks at line ends
    /// (``trimsTrailingBlanks``), and add a line end to a text that is not empty and does not end with one
    /// (``insertsFinalNewline``). Nil if no changes are required, or if the text has more than 4 MB. O(n).
    public func tidying(_ text: Rope, newline: Newline) -> TextChangeSet? {
        guard trimsTrailingBlanks == true || insertsFinalNewline == true, text.metrics.bytes <= Self.mostTidied else {
            return nil
        }
        var builder = TextChangeSet.Builder(over: text)
        let bytes = text.bytes(in: text.byteRange)
        if trimsTrailingBlanks == true {
            var blanks = 0
            for (index, byte) in bytes.enumerated() {
                switch byte {
                case 0x20, 0x09: blanks += 1
                case 0x0a, 0x0d:
                    if blanks > 0 { builder.replace(ByteOffset(index - blanks)..<ByteOffset(index), with: "") }
                    blanks = 0
                default: blanks = 0
                }
            }
            if blanks > 0 { builder.replace(ByteOffset(bytes.count - blanks)..<ByteOffset(bytes.count), with: "") }
        }
        let content = trimsTrailingBlanks == true ? bytes.last { $0 != 0x20 && $0 != 0x09 } : bytes.last
        if insertsFinalNewline == true, let last = content, last != 0x0a, last != 0x0d {
            builder.replace(text.byteRange.upperBound..<text.byteRange.upperBound, with: newline.rawValue)
        }
        return builder.isEmpty ? nil : builder.finish()
    }
}
